// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

extension Door {
    /// Where the cache lies unless the app says so: with the app's other files, and out of backups.
    package static var standardFolder: String {
        let places = FileManager.default.urls(
            for: .applicationSupportDirectory, in: .userDomainMask)
        let folder = (places.first ?? FileManager.default.temporaryDirectory)
            .appending(path: "Roost")
        #if canImport(Darwin)
        // All of it comes from the server again, but for what waits to be sent.
        var url = folder
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try? url.setResourceValues(values)
        #endif
        return folder.path
    }

    /// Bytes that the open client's cache takes on disk, its log included; 0 in memory and without a client.
    package var cacheSize: Int64 {
        guard let file = configuration?.cacheFile else { return 0 }
        return ["", "-wal"].reduce(0) { sum, suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: file + suffix)
            return sum + ((attributes?[.size] as? Int64) ?? 0)
        }
    }
}

extension Door.Settings {
    /// Where the files of the library lie; in memory nothing but the app's own.
    package var folder: String {
        if case .folder(let folder)? = cache { folder } else { Door.standardFolder }
    }
}
