// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCluster
import RoostExecutors
import RoostSQLite

/// The copy of an embedded server's uploads into another folder.
///
/// A file gets its name when it is complete, and an equal one stays as it is. So an interrupted
/// copy goes on with the next run.
package struct UploadCopy: Sendable {
    /// The numbers of a run.
    package struct Outcome: Equatable, Sendable {
        package var copied = 0
        /// The files that were there already.
        package var kept = 0
    }

    /// The numbers of a run, once it has ended.
    final class Progress: Sendable {
        private let state = Guarded<Outcome?>(nil)

        var outcome: Outcome? { state.withLock { $0 } }
        func set(_ outcome: Outcome) { state.withLock { $0 = outcome } }
    }

    let names: [String]
    let source: String
    let target: String
    /// The end of the names of begun files, which an import beside this one does not use.
    private let ending = ".\(ProcessInfo.processInfo.processIdentifier).part"

    /// Makes a copy of the uploads with the names, from one folder to another.
    init(_ names: [String], from source: String, to target: String) {
        self.names = names
        self.source = source
        self.target = target
    }

    /// The names of the kept uploads in a folder, none if it is missing; those of begun ones differ.
    ///
    /// - Throws: A sentence with the remedy if the folder cannot be read.
    static func names(in folder: String) throws(ImportFailure) -> [String] {
        do throws(FileError) {
            return try PlainFile.listing(of: folder).filter(FolderFileStore.isName)
        } catch {
            throw ImportFailure(
                .folder,
                "The uploads in \(folder) cannot be listed; check its rights, and run roost import "
                    + "again. \(error)")
        }
    }

    /// Copies what is missing, and returns when it would survive a loss of power.
    ///
    /// As root it gives all files to the owner of the folder, because the server runs as another
    /// user.
    ///
    /// - Parameter note: Takes the number of files that are done, and of all.
    /// - Returns: The numbers of this run.
    /// - Throws: A sentence with the remedy; complete files stay.
    func run(_ note: (Int, Int) -> Void) throws(ImportFailure) -> Outcome {
        var outcome = Outcome()
        do {
            let owner = try makeFolder()
            for name in names {
                if Task.isCancelled { throw CancellationError() }
                if try copy(name, for: owner) { outcome.copied += 1 } else { outcome.kept += 1 }
                note(outcome.copied + outcome.kept, names.count)
            }
            try PlainFile.syncFolder(target)
        } catch {
            throw ImportFailure(
                .folder,
                "The uploads could not be copied to \(target); check its space and rights, and run "
                    + "roost import again. \(error)")
        }
        return outcome
    }

    /// Copies on `thread`, which the copy blocks for its whole time.
    func run(
        on thread: ThreadExecutor, _ note: @escaping @Sendable (Int, Int) -> Void
    ) async throws(ImportFailure) -> Outcome {
        let result = await withTaskGroup(of: Result<Outcome, ImportFailure>.self) { group in
            group.addTask(executorPreference: thread) {
                do throws(ImportFailure) {
                    return .success(try run(note))
                } catch {
                    return .failure(error)
                }
            }
            return await group.next()
        }
        guard let result else { preconditionFailure("A group has ended without its only task.") }
        return try result.get()
    }

    /// Makes the folder durably if it is missing, with those above it.
    ///
    /// - Returns: The owner of its files; nil for this user.
    private func makeFolder() throws -> FileOwner? {
        var missing: [URL] = []
        var folder = URL(fileURLWithPath: target).standardizedFileURL
        while folder.path != "/", !FileManager.default.fileExists(atPath: folder.path) {
            missing.append(folder)
            folder.deleteLastPathComponent()
        }
        let owner = FileOwner.canGive ? try FileOwner(of: folder.path) : nil
        for new in missing.reversed() {
            try DatabaseFiles.makeFolder(new.path)
            if let owner {
                try PlainFile(reading: new.path, followsLink: false).give(to: owner)
            }
            try PlainFile.syncFolder(new.deletingLastPathComponent().path)
        }
        return owner
    }

    /// Copies one file; false if an equal one is there.
    private func copy(_ name: String, for owner: FileOwner?) throws -> Bool {
        let (old, new) = ("\(source)/\(name)", "\(target)/\(name)")
        if try Self.keep(new, ifEqualTo: old, for: owner) { return false }
        let part = new + ending
        try PlainFile.delete(part)
        try Self.write(old, to: part, for: owner)
        // A file of this name with another content is a copy that a crash has spoilt.
        try PlainFile.move(part, to: new)
        return true
    }

    private static let chunk = 1_048_576

    /// Writes a durable copy.
    private static func write(
        _ old: String, to new: String, for owner: FileOwner?
    ) throws(FileError) {
        let source = try PlainFile(reading: old, followsLink: false)
        let target = try PlainFile(making: new)
        if let owner { try target.give(to: owner) }
        while true {
            let bytes = try source.read(chunk)
            try target.write(bytes)
            guard bytes.count == chunk else { break }
        }
        try target.sync()
    }

    /// Makes a file with the same bytes as another durable; false for a missing or different one.
    private static func keep(
        _ new: String, ifEqualTo old: String, for owner: FileOwner?
    ) throws(FileError) -> Bool {
        guard isFile(new) else { return false }
        let one = try PlainFile(reading: old, followsLink: false)
        let two = try PlainFile(reading: new, followsLink: false)
        guard try one.count() == two.count() else { return false }
        while true {
            let (first, second) = (try one.read(chunk), try two.read(chunk))
            guard first == second else { return false }
            guard first.count == chunk else { break }
        }
        if let owner { try two.give(to: owner) }
        try two.sync()
        return true
    }

    /// Whether a path is a file, and no symbolic link.
    private static func isFile(_ path: String) -> Bool {
        // A missing file has no attributes.
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return attributes?[.type] as? FileAttributeType == .typeRegular
    }
}
