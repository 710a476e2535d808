// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The comparison of paths on disk.
package enum FolderPath {
    /// Returns whether a path is a folder or lies in it, with all links followed; neither need
    /// exist.
    package static func leads(_ path: String, into folder: String) -> Bool {
        let (path, folder) = (resolved(path), resolved(folder))
        return path == folder || path.hasPrefix(folder == "/" ? folder : folder + "/")
    }

    /// Returns the path without links, which are followed up to the nearest existing folder.
    private static func resolved(_ path: String) -> String {
        let url = URL(fileURLWithPath: path).standardizedFileURL
        if url.path == "/" || FileManager.default.fileExists(atPath: url.path) {
            return url.resolvingSymlinksInPath().path
        }
        return URL(fileURLWithPath: resolved(url.deletingLastPathComponent().path))
            .appending(path: url.lastPathComponent).path
    }
}
