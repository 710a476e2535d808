// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The files of this machine.
package struct SystemDisk: FileCacheDisk {
    /// The age at which a temporary file counts as abandoned, in seconds behind its neighbour.
    private static let leftoverAge: TimeInterval = 3_600

    package init() {}

    package func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    package func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    package func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        #if canImport(Darwin)
        // The server can restore all of it.
        var url = URL(filePath: path)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try url.setResourceValues(values)
        #endif
    }

    package func read(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    package func write(_ text: String, to path: String) throws {
        let handle = try file(path, O_TRUNC)
        try handle.write(contentsOf: Data(text.utf8))
        // Otherwise a loss of power may leave the later move, and an empty file.
        try handle.synchronize()
    }

    package func make(_ path: String) throws { try file(path, 0).close() }

    /// Opens a file for writing, and creates it if it is missing.
    private func file(_ path: String, _ flags: Int32) throws -> FileHandle {
        // Only this user may read the file, from its creation on.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0o600)
        guard descriptor >= 0 else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    package func move(_ path: String, to other: String) throws {
        guard unsafe rename(path, other) == 0 else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: other])
        }
    }

    package func remove(_ path: String) throws {
        try FileManager.default.removeItem(atPath: path)
    }

    package func freshName() -> String { UUID().uuidString }

    package func sweep(beside path: String) {
        let folder = URL(filePath: path).deletingLastPathComponent()
        guard let now = age(of: URL(filePath: path)) else { return }
        for name in names(in: folder.path) where FilePair.Kind(name: name) == .temporary {
            let file = folder.appending(path: name)
            guard let then = age(of: file), now.timeIntervalSince(then) > Self.leftoverAge else {
                continue
            }
            // A file that cannot be removed is tried again with the next save.
            try? FileManager.default.removeItem(at: file)
        }
    }

    /// The time of the last change of a file; nil for anything else.
    private func age(of file: URL) -> Date? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else { return nil }
        return attributes?[.modificationDate] as? Date
    }
}
