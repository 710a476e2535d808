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
            throw failure("\(target) is there already: name a folder that does not exist yet.")
        }
        guard manager.fileExists(atPath: folder + "/" + ChatHost.databaseName) else {
            throw failure("\(folder) holds no server: name the folder given to roost serve.")
        }
        let place = URL(fileURLWithPath: target)
        var unfinished = ""
        do {
            let part = try makeUnfinished(at: place)
            unfinished = part
            // The database comes first: the files that it names are there already and never change.
            try copyDatabase(of: folder, to: part)
            let files = try copyFiles(of: folder, to: part)
            let size = try manager.attributesOfItem(atPath: part + "/" + ChatHost.databaseName)
            try PlainFile.syncFolder(part)
            try manager.moveItem(atPath: part, toPath: place.path)
            // After a loss of power, a copy that was reported must have its name.
            unfinished = place.path
            try PlainFile.syncFolder(place.deletingLastPathComponent().path)
            return Content(databaseBytes: (size[.size] as? Int64) ?? 0, files: files)
        } catch {
            if !unfinished.isEmpty { try? manager.removeItem(atPath: unfinished) }
            // A remedy at the target does not help against a damaged source.
            let isDamaged = error is StorageDamage || (error as? SQLiteError)?.isCorrupt == true
            throw failure(
                isDamaged
                    ? "\(folder)/\(ChatHost.databaseName) is damaged, and a copy would be too: go back "
                        + "to an earlier backup."
                    : "The copy to \(target) failed; check its space and rights.", error)
        }
    }

    /// Makes the folder of an unfinished copy beside its target.
    ///
    /// Its name is new: another folder of such a name may belong to another run or to the user.
    private static func makeUnfinished(at target: URL) throws -> String {
        let manager = FileManager.default
        try manager.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        var number = 1
        while true {
            let path = "\(target.path).\(number).part"
            number += 1
            do {
                try manager.createDirectory(
                    atPath: path, withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
                return path
            } catch {
                let isTaken = manager.fileExists(atPath: path)
                guard isTaken, number <= mostUnfinished else { throw error }
            }
        }
    }

    /// The most unfinished copies of one target, such as of runs that were ended.
    private static let mostUnfinished = 1_000

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
        let source = folder + "/files"
        let names = try PlainFile.listing(of: source).filter(FolderFileStore.isName)
        return try copyFiles(names, of: source, to: target + "/files")
    }

    /// Copies uploads; one that the server has removed since they were listed is left out.
    ///
    /// - Returns: The number of copies.
    package static func copyFiles(
        _ names: [String], of source: String, to copies: String
    ) throws -> Int {
        guard !names.isEmpty else { return 0 }
        let manager = FileManager.default
        try DatabaseFiles.makeFolder(copies)
        var count = 0
        for name in names {
            let (file, copy) = (source + "/" + name, copies + "/" + name)
            do {
                try manager.copyItem(atPath: file, toPath: copy)
            } catch {
                // The upload's call has failed, so no message names it.
                guard !manager.fileExists(atPath: file) else { throw error }
                try? manager.removeItem(atPath: copy)
                continue
            }
            // An upload of an earlier version may be readable by other users of the machine.
            try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
            // A loss of power must not leave a complete backup of empty files.
            try PlainFile(reading: copy).sync()
            count += 1
        }
        try PlainFile.syncFolder(copies)
        return count
    }

    private static func failure(_ message: String, _ error: (any Error)? = nil) -> RoostError {
        RoostError(
            .localDatabaseError, remedy: .repairStorage, message: message, underlying: error)
    }
}
