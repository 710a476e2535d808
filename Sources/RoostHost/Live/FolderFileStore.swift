// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
import RoostServer

/// Uploads in a folder, a file each: its content type on the first line, then its bytes.
actor FolderFileStore: FileStore {
    private nonisolated let executor: ThreadExecutor
    private let folder: String

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

    func save(_ file: StoredFile, as id: String) throws(StorageError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            var data = Data((file.type + "\n").utf8)
            data.append(contentsOf: file.bytes)
            try data.write(to: URL(fileURLWithPath: folder + "/" + id), options: .atomic)
        } catch {
            throw StorageError(
                "The file cannot be kept; check the space and rights of \(folder).",
                underlying: error)
        }
    }

    func file(_ id: String) throws(StorageError) -> StoredFile? {
        let path = folder + "/" + id
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            guard let end = data.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            return StoredFile(
                type: String(decoding: data[..<end], as: UTF8.self),
                bytes: Array(data[(end + 1)...]))
        } catch {
            throw StorageError(
                "The file cannot be read; check the rights of \(folder).", underlying: error)
        }
    }
}
