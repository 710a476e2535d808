// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A downloaded file on disk, or a part of one.
package struct HeldFile: Sendable, Equatable {
    package let name: String
    /// Its bytes on disk.
    package let byteCount: Int64
    /// The time of its last use by the device's clock.
    package let usedAt: Timestamp

    package init(name: String, byteCount: Int64, usedAt: Timestamp) {
        self.name = name
        self.byteCount = byteCount
        self.usedAt = usedAt
    }
}

/// The downloaded files that have to go so that others have room.
package enum FileEviction {
    /// Returns the names of the files to delete, the least recently used first.
    ///
    /// Without need nothing goes. Otherwise the files go down to seven eighths of the limit, so
    /// that the next file needs no eviction.
    ///
    /// - Parameters:
    ///   - files: The files that may go.
    ///   - taken: The bytes of the files that may not go, those of the running downloads at their
    ///     full size.
    ///   - limit: The greatest size of all files in bytes.
    /// - Returns: The names; nil if there is no room even without any of the files.
    package static func plan(_ files: [HeldFile], taken: Int64, limit: Int64) -> [String]? {
        guard taken <= limit else { return nil }
        var size = files.reduce(taken) { $0.addingSaturated($1.byteCount) }
        guard size > limit else { return [] }
        let target = max(taken, limit - limit / 8)
        var names: [String] = []
        let order = files.sorted { ($0.usedAt, $0.name) < ($1.usedAt, $1.name) }
        for file in order {
            guard size > target else { break }
            names.append(file.name)
            size -= file.byteCount
        }
        return names
    }
}
