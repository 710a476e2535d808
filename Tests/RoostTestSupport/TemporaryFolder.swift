// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder of one test's own, removed with its last reference.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// Makes a folder; in memory, where the system has such a place, a sync costs nothing.
    package init(inMemory: Bool = false) throws {
        let memory = URL(fileURLWithPath: "/dev/shm")
        let isThere = FileManager.default.fileExists(atPath: memory.path)
        let url = (inMemory && isThere ? memory : FileManager.default.temporaryDirectory)
            .appendingPathComponent("roost-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        // A folder that is left behind harms no test.
        try? FileManager.default.removeItem(atPath: path)
    }

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    package func contents() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }
}
