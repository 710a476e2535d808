// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder for one test, removed with its last reference.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// Creates a folder; in memory, if the system has such a place, where a sync costs nothing.
    package init(inMemory: Bool = false) throws {
        let memory = URL(fileURLWithPath: "/dev/shm")
        let isThere = FileManager.default.fileExists(atPath: memory.path)
        let url = (inMemory && isThere ? memory : FileManager.default.temporaryDirectory)
            .appendingPathComponent("roost-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        // A folder that cannot be removed harms no test.
        try? FileManager.default.removeItem(atPath: path)
    }

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    package func contents() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }
}
