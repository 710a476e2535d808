// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
import RoostSQLite
import RoostServer

/// Uploads in a folder, a file each: its content type on the first line, then its bytes.
///
/// What is on its way has `.part` at the end of its name, and is gone with the next start.
actor FolderFileStore: FileStore {
    private nonisolated let executor: ThreadExecutor
    private let folder: String
    private var begun: [String: FileHandle] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    init(folder: String, on executor: ThreadExecutor) {
        self.folder = folder
        self.executor = executor
    }

    /// Whether a file in the folder is an upload, and whole.
    static func isName(_ name: String) -> Bool {
        name.utf8.count == 40 && name.utf8.allSatisfy { (48...57) ~= $0 || (97...102) ~= $0 }
    }

    /// Deletes what was on its way when the process before this one ended.
    func sweep() {
        for name in PlainFile.names(in: folder) where name.hasSuffix(".part") {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
    }

    func begin(_ id: String, type: String) throws(StorageError) {
        try keeping {
            try makeFolder()
            try PlainFile(writing: part(id)).write(Array((type + "\n").utf8))
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: part(id)))
            try handle.seekToEnd()
            begun[id] = handle
        }
    }

    /// A file that is kept is lost with its folder, so that is kept first.
    private func makeFolder() throws {
        guard !FileManager.default.fileExists(atPath: folder) else { return }
        try DatabaseFiles.makeFolder(folder)
        try PlainFile.syncFolder(URL(fileURLWithPath: folder).deletingLastPathComponent().path)
    }

    func append(_ bytes: [UInt8], to id: String) throws(StorageError) {
        try keeping { try begun[id]?.write(contentsOf: Data(bytes)) }
    }

    func keep(_ id: String) throws(StorageError) {
        guard let handle = begun[id] else { throw StorageError.notBegun }
        try keeping {
            try handle.synchronize()
            try FileManager.default.moveItem(atPath: part(id), toPath: "\(folder)/\(id)")
            try PlainFile.syncFolder(folder)
        }
        begun[id] = nil
    }

    func drop(_ id: String) {
        guard begun.removeValue(forKey: id) != nil else { return }
        try? FileManager.default.removeItem(atPath: part(id))
    }

    func remove(_ id: String) {
        try? FileManager.default.removeItem(atPath: "\(folder)/\(id)")
    }

    func file(_ id: String) throws(StorageError) -> StoredFile? {
        do throws(FileError) {
            // Asked of the system itself: that a file is not there is another answer than that it cannot
            // be opened now.
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
