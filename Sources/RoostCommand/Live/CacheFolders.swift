// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostStore

/// The search for caches on disk.
enum CacheFolders {
    /// A cache is at `DIR/APPLICATION/USER`; the path may also name that folder itself, or the
    /// application's.
    private static let depth = 2

    /// Returns the folders with a cache below `root`, itself included, in order of names.
    ///
    /// - Throws: `.storage` if there is none.
    static func below(_ root: String) throws(CommandFailure) -> [String] {
        // By attributes, because the older call returns its result through a pointer. The
        // attributes of a link are its own.
        let target = URL(fileURLWithPath: root).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: target) else {
            throw CommandFailure(
                .storage,
                "There is no folder \(root): name the folder given to roost client as --cache.")
        }
        guard attributes[.type] as? FileAttributeType == .typeDirectory else {
            throw CommandFailure(
                .storage, "\(root) is a file: name the folder given to roost client as --cache.")
        }
        let found = search(root, depth: depth)
        guard !found.isEmpty else {
            throw CommandFailure(
                .storage,
                "There is no cache in \(root): name the folder given to roost client as --cache.")
        }
        return found
    }

    /// Calls a closure for each cache below `root`; a failure does not keep back the others.
    ///
    /// - Parameters:
    ///   - root: As for `below`.
    ///   - body: Called with each folder.
    /// - Throws: `.storage` if there is none, and at the end with a line for each failure.
    static func forEach(
        below root: String, _ body: (String) async throws(StoreError) -> Void
    ) async throws(CommandFailure) {
        var refusals: [CommandFailure] = []
        for folder in try below(root) {
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

    private static func search(_ folder: String, depth: Int) -> [String] {
        // An unreadable folder has nothing to show.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        if names.contains(FolderInspection.cacheName) { return [folder] }
        guard depth > 0 else { return [] }
        return names.sorted().flatMap { search("\(folder)/\($0)", depth: depth - 1) }
    }
}
