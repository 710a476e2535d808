// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostStore

/// The search for caches on disk.
enum CacheFolders {
    /// A cache is at `DIR/APPLICATION/USER`; the path may also name that folder itself, or the
    /// application's.
    private static let depth = 2
    /// The end of each refusal.
    private static let remedy =
        "name the folder given to roost chat or roost client as --cache."

    /// The result of a search.
    private struct Found {
        /// The folders with a cache, in order of names.
        var caches: [String] = []
        /// A sentence for each folder that cannot be listed.
        var refusals: [CommandFailure] = []
    }

    /// Returns the folders with a cache below `root`, itself included.
    ///
    /// - Throws: `.storage` if there is neither a cache nor a folder that cannot be listed.
    private static func below(_ root: String) throws(CommandFailure) -> Found {
        // By attributes, because the older call returns its result through a pointer. The
        // attributes of a link are its own.
        let target = URL(fileURLWithPath: root).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: target) else {
            throw CommandFailure(.storage, "There is no folder \(root): \(remedy)")
        }
        guard attributes[.type] as? FileAttributeType == .typeDirectory else {
            throw CommandFailure(.storage, "\(root) is a file: \(remedy)")
        }
        var found = Found()
        search(root, depth: depth, &found)
        guard !found.caches.isEmpty || !found.refusals.isEmpty else {
            throw CommandFailure(.storage, "There is no cache in \(root): \(remedy)")
        }
        return found
    }

    /// Calls a closure for each cache below `root`; a failure does not keep back the others.
    ///
    /// - Parameters:
    ///   - root: The folder; a cache may be in it or below.
    ///   - body: Called with each cache's folder, in order of names.
    /// - Throws: `.storage` if there is none, and at the end with a line for each failure and for
    ///   each folder that cannot be listed.
    static func forEach(
        below root: String, _ body: (String) async throws(StoreError) -> Void
    ) async throws(CommandFailure) {
        let found = try below(root)
        var refusals = found.refusals
        for folder in found.caches {
            do throws(StoreError) {
                try await body(folder)
            } catch {
                refusals.append(CommandFailure(inspecting: folder, error))
            }
        }
        if let failure = CommandFailure(refusals) { throw failure }
    }

    /// Returns a cache's folder with the names on the disk, which contain its owner.
    static func named(_ folder: String) -> String {
        URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    }

    private static func search(_ folder: String, depth: Int, _ found: inout Found) {
        do throws(SystemError) {
            let names = try names(in: folder)
            if names.contains(FolderInspection.cacheName) { return found.caches.append(folder) }
            guard depth > 0 else { return }
            for name in names.sorted() { search("\(folder)/\(name)", depth: depth - 1, &found) }
        } catch {
            found.refusals.append(
                CommandFailure(
                    .storage,
                    "\(folder) cannot be listed (\(error.reason)), and may have caches: run the "
                        + "command as the folder's owner, or change its rights."))
        }
    }

    /// Returns the names in a folder; none for a file, and for a folder that is gone meanwhile.
    private static func names(in folder: String) throws(SystemError) -> [String] {
        if let error = SystemError.ofOpening(folder: folder) {
            guard !error.isAbsence else { return [] }
            throw error
        }
        // The system has just let the folder be read.
        return (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }
}
