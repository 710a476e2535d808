// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The type and size of an uploaded file.
package struct StoredFile: Equatable, Sendable {
    package var type: String
    package var byteCount: Int

    package init(type: String, byteCount: Int) {
        self.type = type
        self.byteCount = byteCount
    }
}

/// The seam to the uploads.
///
/// Each file is written once, in pieces, under a name of the server. The calls that write one file come
/// one after the other: the next begins when the one before has returned.
package protocol FileStore: Actor {
    /// Begins a file, which cannot be read before it is kept.
    func begin(_ id: String, type: String) async throws(StorageError)
    /// Appends to a begun file; returns when the store has room for the next bytes.
    func append(_ bytes: [UInt8], to id: String) async throws(StorageError)
    /// Makes a begun file readable and durable.
    ///
    /// - Throws: `.notBegun` if the file was not begun; its sender must upload it again. So it is
    ///   with a form that began before its sender's session was known.
    func keep(_ id: String) async throws(StorageError)
    /// Removes a begun file; a kept one stays.
    func drop(_ id: String) async
    /// Removes a kept file whose address no client has.
    func remove(_ id: String) async
    /// Returns a kept file; nil if there is none.
    func file(_ id: String) async throws(StorageError) -> StoredFile?
    /// Returns a range of a kept file; shorter only at its end.
    func read(_ id: String, _ range: Range<Int>) async throws(StorageError) -> [UInt8]
}

/// A store of uploads in memory.
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

    /// The number of begun files.
    package var begunCount: Int { begun.count }
    /// The number of kept files.
    package var count: Int { files.count }
}

extension StorageError {
    package static let notBegun = StorageError(
        "The file was not received; send it again.")
}
