// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
import RoostModel
import RoostPages
import RoostSQLite
import RoostServer

/// The uploads in a folder, a file each: its content type on the first line, then its bytes.
///
/// The name of a begun file ends in `.part`; the next start deletes it, in a folder that several servers
/// share after a day. It is open during a call only,
/// because a slow client could keep the descriptors of many files otherwise.
actor FolderFileStore: FileStore {
    private nonisolated let executor: ThreadExecutor
    private let folder: String
    /// The number of bytes after which a growing file is made durable.
    private let syncBytes: Int
    /// The begun files, each with the number of its bytes that are not durable yet.
    private(set) var begun: [String: Int] = [:]
    /// The bytes of the kept files; nil before the first question, which reads the folder.
    private var keptBytes: Int64?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Makes a store.
    ///
    /// - Parameters:
    ///   - folder: The folder; the first upload creates it.
    ///   - executor: The thread of all calls, reads included.
    ///   - syncBytes: The number of bytes after which a growing file is made durable. Downloads
    ///     wait meanwhile, at a slow disk of 100 MB/s for less than a tenth of a second.
    init(folder: String, on executor: ThreadExecutor, syncBytes: Int = 8_388_608) {
        self.folder = folder
        self.executor = executor
        self.syncBytes = syncBytes
    }

    /// Whether a file in the folder is a kept upload.
    static func isName(_ name: String) -> Bool {
        name.utf8.count == 40 && name.utf8.allSatisfy { (48...57) ~= $0 || (97...102) ~= $0 }
    }

    /// Deletes files that were begun and not kept before the last end of the process.
    ///
    /// - Parameter end: Leaves files that were written behind this time, perhaps by another server.
    func sweep(before end: Timestamp? = nil) {
        for name in PlainFile.names(in: folder) where name.hasSuffix(".part") {
            let path = "\(folder)/\(name)"
            if let end {
                let file = try? FileManager.default.attributesOfItem(atPath: path)
                guard let date = file?[.modificationDate] as? Date,
                    date.timeIntervalSince1970 < Double(end.milliseconds) / 1_000
                else { continue }
            }
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    func begin(_ id: String, type: String) throws(StorageError) {
        try keeping {
            try makeFolder()
            try PlainFile(writing: part(id)).write(Array((type + "\n").utf8))
            begun[id] = 0
        }
    }

    /// Creates the folder durably; a kept file would be lost with it.
    private func makeFolder() throws {
        guard !FileManager.default.fileExists(atPath: folder) else { return }
        try DatabaseFiles.makeFolder(folder)
        try PlainFile.syncFolder(URL(fileURLWithPath: folder).deletingLastPathComponent().path)
    }

    func append(_ bytes: [UInt8], to id: String) throws(StorageError) {
        guard let waiting = begun[id] else { return }
        try keeping {
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: part(id)))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(bytes))
            try handle.close()
            begun[id] = waiting + bytes.count
            guard waiting + bytes.count >= syncBytes else { return }
            try PlainFile(reading: part(id)).sync()
            begun[id] = 0
        }
    }

    func keep(_ id: String) throws(StorageError) {
        guard begun[id] != nil else { throw StorageError.notBegun }
        try keeping {
            try PlainFile(reading: part(id)).sync()
            try FileManager.default.moveItem(atPath: part(id), toPath: "\(folder)/\(id)")
            try PlainFile.syncFolder(folder)
        }
        begun[id] = nil
        keptBytes? += Self.size("\(folder)/\(id)")
    }

    func drop(_ id: String) {
        guard begun.removeValue(forKey: id) != nil else { return }
        try? FileManager.default.removeItem(atPath: part(id))
    }

    func remove(_ id: String) {
        keptBytes? -= Self.size("\(folder)/\(id)")
        try? FileManager.default.removeItem(atPath: "\(folder)/\(id)")
    }

    func file(_ id: String) throws(StorageError) -> StoredFile? {
        do throws(FileError) {
            // The system distinguishes a missing file from one that cannot be opened now.
            _ = try PlainFile(reading: "\(folder)/\(id)")
        } catch {
            if error.isNotThere { return nil }
            throw unreadable(error)
        }
        return try reading(id) { handle, type in
            let size = Int(clamping: try handle.seekToEnd())
            return StoredFile(
                type: String(decoding: type, as: UTF8.self), byteCount: size - type.count - 1)
        }
    }

    func read(_ id: String, _ range: Range<Int>) throws(StorageError) -> [UInt8] {
        try reading(id) { handle, type in
            try handle.seek(toOffset: UInt64(type.count + 1 + range.lowerBound))
            return try handle.read(upToCount: range.count).map(Array.init) ?? []
        }
    }

    /// Returns the sizes of the kept files and of a database, and the room on its volume.
    func disk(with database: String) -> ServerPage.Disk {
        let kept =
            keptBytes
            ?? PlainFile.names(in: folder).filter(Self.isName)
            .reduce(0) { $0 + Self.size("\(folder)/\($1)") }
        keptBytes = kept
        // Not opened: closing a database's file would drop the locks of its connections.
        let sizes = DatabaseFiles(database).byteCounts
        let volume = try? FileManager.default.attributesOfFileSystem(forPath: database)
        return ServerPage.Disk(
            database: sizes.main + sizes.log, files: kept,
            free: (volume?[.systemFreeSize] as? NSNumber)?.int64Value)
    }

    /// Returns the size of a file; 0 if it is missing.
    private static func size(_ path: String) -> Int64 {
        PlainFile.extent(path)?.byteCount ?? 0
    }

    private func part(_ id: String) -> String { "\(folder)/\(id).part" }

    private func reading<Value>(
        _ id: String, _ body: (FileHandle, Data) throws -> Value
    ) throws(StorageError) -> Value {
        do {
            let handle = try FileHandle(
                forReadingFrom: URL(fileURLWithPath: "\(folder)/\(id)"))
            let start = try handle.read(upToCount: 128) ?? Data()
            guard let end = start.firstIndex(of: UInt8(ascii: "\n")) else {
                throw CocoaError(.fileReadCorruptFile)
            }
            return try body(handle, start[..<end])
        } catch {
            throw unreadable(error)
        }
    }

    private func unreadable(_ error: any Error) -> StorageError {
        StorageError("The file cannot be read; check the rights of \(folder).", underlying: error)
    }

    private func keeping(_ body: () throws -> Void) throws(StorageError) {
        do {
            try body()
        } catch {
            throw StorageError(
                "The file cannot be kept; check the space and rights of \(folder).",
                underlying: error)
        }
    }
}
