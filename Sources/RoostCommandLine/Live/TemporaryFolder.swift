// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder for one run of a program, readable by this user only.
package struct TemporaryFolder: Sendable {
    package let path: String

    /// Makes a new folder, on request in memory if the system has room for files there.
    ///
    /// - Throws: `.storage` if the system's temporary folder cannot be written.
    package init(named prefix: String, inMemory: Bool = false) throws(CommandFailure) {
        let memory = "/dev/shm"
        let isThere = inMemory && FileManager.default.isWritableFile(atPath: memory)
        let parent = isThere ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
        let url =
            parent
            .appendingPathComponent("\(prefix)-\(UUID().uuidString.prefix(8))")
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure(
                .storage,
                "No folder could be made in \(FileManager.default.temporaryDirectory.path): "
                    + "free some space there, or name another one in TMPDIR.")
        }
        path = url.path
    }

    package func remove() {
        Self.remove(path)
    }

    package static func remove(_ path: String) {
        // The system removes its temporary folders later.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Returns a secret that cannot be guessed.
    package static func makeSecret() -> String { UUID().uuidString.lowercased() }
}
