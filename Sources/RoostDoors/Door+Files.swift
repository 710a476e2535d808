// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

extension Door {
    /// The default folder of the cache: beside the app's other files, and excluded from backups.
    package static var standardFolder: String {
        let places = FileManager.default.urls(
            for: .applicationSupportDirectory, in: .userDomainMask)
        let folder = (places.first ?? FileManager.default.temporaryDirectory)
            .appending(path: "Roost")
        #if canImport(Darwin)
        // The server can restore all of it except unsent messages.
        var url = folder
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try? url.setResourceValues(values)
        #endif
        return folder.path
    }

    /// The bytes of the open client's cache on disk, its write-ahead log included; 0 in memory and
    /// without a client.
    package var cacheSize: Int64 {
        guard let file = configuration?.cacheFile else { return 0 }
        return ["", "-wal"].reduce(0) { sum, suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: file + suffix)
            return sum + ((attributes?[.size] as? Int64) ?? 0)
        }
    }
}

extension Door.Settings {
    /// The folder of the library's files; in memory only the app's own files are there.
    package var folder: String {
        if case .folder(let folder)? = cache { folder } else { Door.standardFolder }
    }

    /// The place of the cache.
    var place: Configuration.Cache {
        isInMemory ? .memory : cache ?? .folder(Door.standardFolder)
    }
}
