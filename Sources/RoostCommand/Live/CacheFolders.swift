// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostStore

/// Finds caches on disk.
enum CacheFolders {
    /// A cache lies at `DIR/APPLICATION/USER`; one may also name the folder itself, or the application's.
    private static let depth = 2

    /// The folders below `root`, itself included, that hold a cache, by name.
    ///
    /// - Throws: `.storage` when there is none.
    static func below(_ root: String) throws(CommandFailure) -> [String] {
        // Asked through attributes, because the older call answers through a pointer; they are the link's
        // own where there is one.
        let target = URL(fileURLWithPath: root).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: target) else {
            throw CommandFailure(.storage, "There is no folder \(root): name the one of a cache.")
        }
        guard attributes[.type] as? FileAttributeType == .typeDirectory else {
            throw CommandFailure(.storage, "\(root) is a file: name the folder it lies in.")
        }
        let found = search(root, depth: depth)
        guard !found.isEmpty else {
            throw CommandFailure(
                .storage,
                "There is no cache in \(root): name the folder that roost client has as --cache.")
        }
        return found
    }

    /// Does something with each cache below `root`; one that refuses keeps none of the others back.
    ///
    /// - Parameters:
    ///   - root: As `below` takes it.
    ///   - body: Called with each folder.
    /// - Throws: `.storage` when there is none, and at the end with a line for each that refused.
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

    /// A cache's folder with the names it has on the disk, which tell whose it is.
    static func named(_ folder: String) -> String {
        URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    }

    /// Whether a path is that of a folder or leads into it, by whatever links; neither need be there.
    static func isPath(_ path: String, below folder: String) -> Bool {
        let (path, folder) = (resolved(path), resolved(folder))
        return path == folder || path.hasPrefix(folder == "/" ? folder : folder + "/")
    }

    /// The path without links, which are followed only where something is there: up to the nearest folder.
    private static func resolved(_ path: String) -> String {
        let url = URL(fileURLWithPath: path).standardizedFileURL
        if url.path == "/" || FileManager.default.fileExists(atPath: url.path) {
            return url.resolvingSymlinksInPath().path
        }
        return URL(fileURLWithPath: resolved(url.deletingLastPathComponent().path))
            .appending(path: url.lastPathComponent).path
    }

    private static func search(_ folder: String, depth: Int) -> [String] {
        // What may not be read holds nothing we could show.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        if names.contains(FolderInspection.cacheName) { return [folder] }
        guard depth > 0 else { return [] }
        return names.sorted().flatMap { search("\(folder)/\($0)", depth: depth - 1) }
    }
}
