// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder for one run of a program, readable by this user only.
struct TemporaryFolder {
    let path: String

    /// Makes a new folder.
    ///
    /// - Throws: `.storage` when the system's temporary folder cannot be written.
    init(named prefix: String) throws(CommandFailure) {
        let url = FileManager.default.temporaryDirectory
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

    func remove() {
        // What cannot be removed now is the system's to clear away.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A secret nobody guesses.
    static func makeSecret() -> String { UUID().uuidString.lowercased() }
}
