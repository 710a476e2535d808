// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A new folder for the disk of a device; in memory if the system has a place for that.
final class TestFolder: Sendable {
    let path: String

    /// Creates the folder.
    ///
    /// - Throws: The error of the system.
    init() throws {
        let memory = "/dev/shm"
        let parent =
            FileManager.default.isWritableFile(atPath: memory)
            ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
        let url = parent.resolvingSymlinksInPath().appendingPathComponent("roost-test-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { remove() }

    /// Removes the folder with all its files.
    func remove() {
        // The system removes its temporary folders later.
        try? FileManager.default.removeItem(atPath: path)
    }
}
