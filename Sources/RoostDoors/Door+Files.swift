// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostModel

extension Door {
    /// The default folder of the cache, beside the app's other files; nothing is created.
    package static var standardFolder: String {
        let places = FileManager.default.urls(
            for: .applicationSupportDirectory, in: .userDomainMask)
        return (places.first ?? FileManager.default.temporaryDirectory)
            .appending(path: "Roost").path
    }

    /// Creates the default folder, excluded from backups, if it is the place of a cache.
    static func createStandardFolder(for place: Configuration.Cache) {
        #if canImport(Darwin)
        guard place == .folder(standardFolder) else { return }
        // The server can restore all of it except unsent messages.
        var url = URL(filePath: standardFolder)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try? url.setResourceValues(values)
        #endif
    }

    /// The bytes of the user's cache on disk, its write-ahead log included; 0 in memory.
    ///
    /// Before a user is named, the bytes of the caches of all users of the application.
    package var cacheSize: Int64 {
        if let configuration { return Self.size(ofCache: configuration.cacheFile) }
        // The folder of a user is in that of the application, whichever user it is.
        guard settings.applicationID != nil,
            let file = settings.configuration(of: "").cacheFile
        else { return 0 }
        let users = URL(filePath: file).deletingLastPathComponent().deletingLastPathComponent()
        let names = try? FileManager.default.contentsOfDirectory(atPath: users.path)
        return (names ?? []).reduce(0) { sum, name in
            sum + Self.size(ofCache: users.appending(path: "\(name)/cache.sqlite").path)
        }
    }

    private static func size(ofCache file: String?) -> Int64 {
        guard let file else { return 0 }
        return ["", "-wal"].reduce(0) { sum, suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: file + suffix)
            return sum + ((attributes?[.size] as? Int64) ?? 0)
        }
    }
}
