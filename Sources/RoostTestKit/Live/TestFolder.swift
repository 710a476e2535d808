// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

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
        // A folder that cannot be removed stays, at worst until the system restarts.
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// The folders of a story, which are removed also if the story never ends.
final class TestFolders: Sendable {
    private let folders = Mutex<[TestFolder]>([])

    /// Creates a folder.
    ///
    /// - Throws: The error of the system.
    func make() throws -> TestFolder {
        let folder = try TestFolder()
        folders.withLock { $0.append(folder) }
        return folder
    }

    /// Removes all folders with their files.
    func removeAll() {
        for folder in folders.withLock({ $0 }) { folder.remove() }
    }
}
