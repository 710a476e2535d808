// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel
import RoostSQLite

/// A copy of all that a server keeps, made while it runs.
package enum ChatBackup {
    /// What a copy holds.
    package struct Content: Hashable, Sendable {
        package var databaseBytes: Int64
        package var files: Int
    }

    /// Copies a server's folder; what was acknowledged before the call is in it.
    ///
    /// The target appears when it is whole. To go back to it, stop the server and put it in the place of
    /// the server's folder.
    ///
    /// - Throws: `.localDatabaseError` when there is no such server, its database is damaged, or the target
    ///   is there already or cannot be written; nothing is left behind.
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
            // First the database: what it names lies among the files already, and they never change.
            try copyDatabase(of: folder, to: part)
            let files = try copyFiles(of: folder, to: part)
            let size = try manager.attributesOfItem(atPath: part + "/" + ChatHost.databaseName)
            try PlainFile.syncFolder(part)
            try manager.moveItem(atPath: part, toPath: target)
            return Content(databaseBytes: (size[.size] as? Int64) ?? 0, files: files)
        } catch {
            try? manager.removeItem(atPath: part)
            // To look for room at the target helps nobody whose source is broken.
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
        try source.backUp(to: target + "/" + ChatHost.databaseName)
    }

    /// The database has pages that contradict each other: a copy of it would only look safe.
    private struct StorageDamage: Error {}

    /// Copies the uploads, and nothing that is only on its way.
    private static func copyFiles(of folder: String, to target: String) throws -> Int {
        let (source, copies) = (folder + "/files", target + "/files")
        let names = PlainFile.names(in: source).filter(FolderFileStore.isName)
        guard !names.isEmpty else { return 0 }
        try DatabaseFiles.makeFolder(copies)
        for name in names {
            try FileManager.default.copyItem(
                atPath: source + "/" + name, toPath: copies + "/" + name)
            // An upload of an earlier release may be readable by others.
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: copies + "/" + name)
        }
        try PlainFile.syncFolder(copies)
        return names.count
    }

    private static func failure(_ message: String, _ error: (any Error)? = nil) -> RoostError {
        RoostError(
            .localDatabaseError, remedy: .repairStorage, message: message, underlying: error)
    }
}
