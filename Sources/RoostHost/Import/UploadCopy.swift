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

    let source: String
    let target: String

    init(from source: String, to target: String) {
        self.source = source
        self.target = target
    }

    /// The names of the kept uploads in a folder; those of begun ones differ.
    static func names(in folder: String) -> [String] {
        PlainFile.names(in: folder).filter(FolderFileStore.isName)
    }

    /// Copies what is missing, and returns when it would survive a loss of power.
    ///
    /// - Parameter note: Takes the number of files that are done, and of all.
    /// - Returns: The numbers of this run.
    /// - Throws: A sentence with the remedy; complete files stay.
    func run(_ note: (Int, Int) -> Void) throws(ImportFailure) -> Outcome {
        let names = Self.names(in: source)
        var outcome = Outcome()
        do {
            if !FileManager.default.fileExists(atPath: target) {
                try DatabaseFiles.makeFolder(target)
            }
            for name in names {
                if Task.isCancelled { throw CancellationError() }
                if try copy(name) { outcome.copied += 1 } else { outcome.kept += 1 }
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

    /// Copies one file; false if an equal one is there.
    private func copy(_ name: String) throws -> Bool {
        let (old, new) = ("\(source)/\(name)", "\(target)/\(name)")
        if try Self.isEqual(old, new) { return false }
        let part = new + ".part"
        try PlainFile.delete(part)
        try Self.write(old, to: part)
        // A file of this name with another content is a copy that a crash has spoilt.
        try PlainFile.delete(new)
        try FileManager.default.moveItem(atPath: part, toPath: new)
        return true
    }

    private static let chunk = 1_048_576

    /// Writes a durable copy.
    private static func write(_ old: String, to new: String) throws(FileError) {
        let source = try PlainFile(reading: old)
        let target = try PlainFile(writing: new)
        while true {
            let bytes = try source.read(chunk)
            try target.write(bytes)
            guard bytes.count == chunk else { break }
        }
        try target.sync()
    }

    /// Whether two files have the same bytes; false for a missing one.
    private static func isEqual(_ one: String, _ two: String) throws(FileError) -> Bool {
        guard FileManager.default.fileExists(atPath: two) else { return false }
        let one = try PlainFile(reading: one)
        let two = try PlainFile(reading: two)
        guard try one.count() == two.count() else { return false }
        while true {
            let (first, second) = (try one.read(chunk), try two.read(chunk))
            guard first == second else { return false }
            guard first.count == chunk else { return true }
        }
    }
}
