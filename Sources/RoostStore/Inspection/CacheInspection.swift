// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel
internal import RoostSQLite

/// The figures of a cache, as `roost cache inspect` prints them.
package struct CacheInspection: Equatable, Sendable {
    package struct Channel: Hashable, Sendable {
        package let url: ChannelURL
        /// The name that people gave the channel; nil if it has none, or is unknown.
        package let name: String?
        package let messageCount: Int
        package let coverage: Coverage
        /// The place that the change log was read to.
        package let cursor: Cursor?
    }

    /// Bytes of the pages in use and free, as SQLite counts them.
    package let usedBytes: Int64
    package let freeBytes: Int64
    /// The channels by URL.
    package let channels: [Channel]
    package let channelCursor: Cursor?
    package let userCount: Int
    package let sequence: Int64
}

extension StoreReader {
    /// Inspects the whole cache.
    ///
    /// - Complexity: Counts every message, O(n).
    package func inspection() async throws(StoreError) -> CacheInspection {
        try await source.snapshot { session throws(SQLiteError) in
            let connection = session.connection
            let (pages, free, size) = try connection.first(.pages) ?? (0, 0, 0)
            var channels: [CacheInspection.Channel] = []
            for entry in try connection.all(.messageCounts) {
                let url = try session.url(ofRow: entry.row)
                channels.append(
                    CacheInspection.Channel(
                        url: url, name: try session.readableChannel(url)?.givenName,
                        messageCount: entry.count,
                        coverage: try session.coverage(ofRow: entry.row),
                        cursor: try connection.cursor(
                            kind: CursorKey.messageChanges(url).kind, channelRow: entry.row)))
            }
            channels.sort { $0.url < $1.url }
            return CacheInspection(
                usedBytes: (pages - free) * size, freeBytes: free * size, channels: channels,
                channelCursor: try connection.cursor(
                    kind: CursorKey.channelChanges.kind, channelRow: 0),
                userCount: Int(try connection.first(.userCount) ?? 0),
                sequence: session.sequence)
        }
    }

    /// Returns the bytes in use, and the number of channels whose coverage has a hole between two
    /// ranges.
    ///
    /// - Complexity: Reads the coverage of every channel, and no message.
    package func figures() async throws(StoreError) -> CacheFigures {
        try await source.snapshot { session throws(SQLiteError) in
            CacheFigures(
                bytes: try session.connection.space().usedBytes,
                channelsWithHoles: Int(try session.connection.first(.holedChannelCount) ?? 0))
        }
    }
}

extension Query where Input == Void, Output == (pages: Int64, free: Int64, size: Int64) {
    fileprivate static let pages = Query(
        sql: """
            SELECT page_count, freelist_count, page_size
            FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()
            """
    ) { row in (row.int64(0), row.int64(1), row.int64(2)) }
}

extension Query where Input == Void, Output == (row: Int64, count: Int) {
    fileprivate static let messageCounts = Query(
        sql: """
            SELECT id, (SELECT count(*) FROM message WHERE channel_id = channel.id) FROM channel
            """
    ) { row in (row.int64(0), Int(row.int64(1))) }
}

extension Query where Input == Void, Output == Int64 {
    static let userCount = Query(sql: "SELECT count(*) FROM user") { row in
        row.int64(0)
    }

    fileprivate static let holedChannelCount = Query(
        sql: """
            SELECT count(*) FROM (
                SELECT 1 FROM coverage WHERE filter_id = 0 GROUP BY channel_id HAVING count(*) > 1)
            """
    ) { row in row.int64(0) }
}
