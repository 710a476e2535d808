// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel
import RoostSQLite

/// A backup of a server's folder, made while the server runs.
package enum ChatBackup {
    /// The contents of a backup.
    package struct Content: Equatable, Sendable {
        package var databaseBytes: Int64
        package var files: Int
    }

    /// Copies a server's folder, with everything acknowledged before the call.
    ///
    /// The target appears when it is complete. To restore it, stop the server and replace the
    /// server's folder with it. The copy's numbers of changes and messages begin far behind those
    /// of the original, so that a restored server tells clients its changes and gives no number
    /// that they know.
    ///
    /// - Throws: `.localDatabaseError` if there is no such server, its database is damaged, or the
    ///   target exists or cannot be written; then nothing is left of the copy.
    package static func make(
        of folder: String, to target: String
    ) throws(RoostError) -> Content {
        let manager = FileManager.default
        guard !manager.fileExists(atPath: target) else {
            throw failure("\(target) is there already: name a folder that is not.")
        }
        guard manager.fileExists(atPath: folder + "/" + ChatHost.databaseName) else {
            throw failure("\(folder) holds no server: name the folder given to roost serve.")
        }
        let part = target + ".part"
        do {
            try? manager.removeItem(atPath: part)
            try manager.createDirectory(
                atPath: part, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            // The database comes first: the files that it names are there already and never change.
            try copyDatabase(of: folder, to: part)
            let files = try copyFiles(of: folder, to: part)
            let size = try manager.attributesOfItem(atPath: part + "/" + ChatHost.databaseName)
            try PlainFile.syncFolder(part)
            try manager.moveItem(atPath: part, toPath: target)
            return Content(databaseBytes: (size[.size] as? Int64) ?? 0, files: files)
        } catch {
            try? manager.removeItem(atPath: part)
            // A remedy at the target does not help against a damaged source.
            let isDamaged = error is StorageDamage || (error as? SQLiteError)?.isCorrupt == true
            throw failure(
                isDamaged
                    ? "\(folder)/\(ChatHost.databaseName) is damaged, and a copy would be too: go back "
                        + "to an earlier one."
                    : "The copy to \(target) failed; check its space and rights.", error)
        }
    }

    private static func copyDatabase(of folder: String, to target: String) throws {
        let options = ConnectionOptions(access: .readOnly, durability: .powerLoss)
        let source = try Connection(.file(folder + "/" + ChatHost.databaseName), options)
        guard try source.damage().isEmpty else { throw StorageDamage() }
        try source.backUp(to: target + "/" + ChatHost.databaseName, changing: leap)
    }

    /// The leap over all numbers that the original can give before its copy is restored.
    private static let leap = """
        BEGIN;
        UPDATE clock SET sequence = sequence + 1000000000;
        INSERT INTO sqlite_sequence (name, seq) SELECT 'message', 0
            WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'message');
        UPDATE sqlite_sequence SET seq = seq + 1000000000;
        COMMIT
        """

    /// The database has contradictory pages, so a copy would only look intact.
    private struct StorageDamage: Error {}

    /// Copies the kept uploads.
    private static func copyFiles(of folder: String, to target: String) throws -> Int {
        let (source, copies) = (folder + "/files", target + "/files")
        let names = try PlainFile.listing(of: source).filter(FolderFileStore.isName)
        guard !names.isEmpty else { return 0 }
        try DatabaseFiles.makeFolder(copies)
        for name in names {
            try FileManager.default.copyItem(
                atPath: source + "/" + name, toPath: copies + "/" + name)
            // An upload of an earlier version may be readable by other users of the machine.
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: copies + "/" + name)
            // A loss of power must not leave a complete backup of empty files.
            try PlainFile(reading: copies + "/" + name).sync()
        }
        try PlainFile.syncFolder(copies)
        return names.count
    }

    private static func failure(_ message: String, _ error: (any Error)? = nil) -> RoostError {
        RoostError(
            .localDatabaseError, remedy: .repairStorage, message: message, underlying: error)
    }
}
