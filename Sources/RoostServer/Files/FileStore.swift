// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A file that somebody uploaded.
package struct StoredFile: Hashable, Sendable {
    package var type: String
    package var byteCount: Int

    package init(type: String, byteCount: Int) {
        self.type = type
        self.byteCount = byteCount
    }
}

/// Where uploads lie; each is written once, piece by piece, under a name that the server made.
package protocol FileStore: Actor {
    /// Begins a file, which is not there for anybody before it is kept.
    func begin(_ id: String, type: String) throws(StorageError)
    /// Adds to a file that was begun.
    func append(_ bytes: [UInt8], to id: String) throws(StorageError)
    /// Makes a file that was begun one that is there; it would survive a loss of power.
    ///
    /// One that was not begun cannot be kept: whoever sent it must send it again. So it is with a form
    /// that began while its sender's session was not known yet.
    func keep(_ id: String) throws(StorageError)
    /// Forgets a file that was begun; one that is kept stays.
    func drop(_ id: String)
    /// Forgets a file that is kept, of which nobody has been told.
    func remove(_ id: String)
    func file(_ id: String) throws(StorageError) -> StoredFile?
    /// A stretch of a file that is there; shorter only at its end.
    func read(_ id: String, _ range: Range<Int>) throws(StorageError) -> [UInt8]
}

/// Uploads that are gone with the process.
package actor MemoryFileStore: FileStore {
    private struct Entry {
        let type: String
        var bytes: [UInt8] = []
    }

    private var begun: [String: Entry] = [:]
    private var files: [String: Entry] = [:]
    private nonisolated let executor: any SerialExecutor

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    package init(on executor: any SerialExecutor) { self.executor = executor }

    package func begin(_ id: String, type: String) { begun[id] = Entry(type: type) }

    package func append(_ bytes: [UInt8], to id: String) { begun[id]?.bytes += bytes }

    package func keep(_ id: String) throws(StorageError) {
        guard let entry = begun.removeValue(forKey: id) else { throw StorageError.notBegun }
        files[id] = entry
    }

    package func drop(_ id: String) { begun[id] = nil }

    package func remove(_ id: String) { files[id] = nil }

    package func file(_ id: String) -> StoredFile? {
        files[id].map { StoredFile(type: $0.type, byteCount: $0.bytes.count) }
    }

    package func read(_ id: String, _ range: Range<Int>) -> [UInt8] {
        guard let bytes = files[id]?.bytes else { return [] }
        return Array(bytes[range.clamped(to: bytes.indices)])
    }

    /// How many files are on their way.
    package var begunCount: Int { begun.count }
    /// How many are there.
    package var count: Int { files.count }
}

extension StorageError {
    package static let notBegun = StorageError(
        "The file was not taken in while it came; send it again.")
}
