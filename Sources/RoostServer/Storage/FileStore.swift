// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A file that somebody uploaded.
package struct StoredFile: Hashable, Sendable {
    package var type: String
    package var bytes: [UInt8]

    package init(type: String, bytes: [UInt8]) {
        self.type = type
        self.bytes = bytes
    }
}

/// Where uploads lie; each is written once, under a name that the server made.
package protocol FileStore: Sendable {
    func save(_ file: StoredFile, as id: String) async throws(StorageError)
    func file(_ id: String) async throws(StorageError) -> StoredFile?
}

/// Uploads that are gone with the process.
package actor MemoryFileStore: FileStore {
    private var files: [String: StoredFile] = [:]
    private nonisolated let executor: any SerialExecutor

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    package init(on executor: any SerialExecutor) { self.executor = executor }

    package func save(_ file: StoredFile, as id: String) { files[id] = file }

    package func file(_ id: String) -> StoredFile? { files[id] }
}
