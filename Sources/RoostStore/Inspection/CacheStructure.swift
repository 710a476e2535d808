// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel
internal import RoostSQLite

/// The structure of a cache: what it has of each channel, without any message.
///
/// A sealed cache that is read without its key has it too, except for names.
package struct CacheStructure: Equatable, Sendable {
    package struct Channel: Equatable, Sendable {
        /// The number of the channel's row, which names nothing outside of this file.
        package let row: Int64
        /// Nil in a sealed cache without its key.
        package let url: ChannelURL?
        /// The name that people gave the channel; nil if it has none, or is unknown here.
        package let name: String?
        package let messageCount: Int
        /// The present size of the channel's messages, with their share of the indexes.
        package let byteCount: Int64
        package let coverage: Coverage
        package let isPinned: Bool
        package let accessedAt: Int64?
        package let lastMessageAt: Timestamp?
        /// The moment before which the member sees nothing; nil if there is none or it is unknown.
        package let visibleFrom: Timestamp?
    }

    /// Whether the names are sealed, and the key is not given.
    package let isSealed: Bool
    /// Bytes of the pages in use and free, as SQLite counts them.
    package let usedBytes: Int64
    package let freeBytes: Int64
    package let userCount: Int
    package let channels: [Channel]
}

extension CacheStructure {
    /// Returns the channels in the order in which an eviction takes them.
    ///
    /// Pinned channels and those without messages are left out; those on a screen come last.
    package func evictionOrder(
        _ order: ClearOrder = .lastOpened, sparing open: Set<ChannelURL> = []
    ) -> [Int64] {
        let infos = channels.filter { !$0.isPinned && $0.messageCount > 0 }.map { channel in
            CachedChannel(
                url: channel.url ?? ChannelURL(String(channel.row)),
                cachedMessageCount: Int64(channel.messageCount),
                size: ByteCount(bytes: channel.byteCount),
                openedAt: channel.accessedAt.map { Timestamp(milliseconds: $0) },
                lastMessageAt: channel.lastMessageAt,
                isOpen: channel.url.map { open.contains($0) } ?? false)
        }
        let rows = Dictionary(
            channels.map { ($0.url ?? ChannelURL(String($0.row)), $0.row) },
            uniquingKeysWith: { first, _ in first })
        return [false, true].flatMap { isOpen in
            order.sorted(infos.filter { $0.isOpen == isOpen })
        }.compactMap { rows[$0.url] }
    }
}

extension StoreReader {
    /// Returns the structure of the cache.
    ///
    /// - Complexity: Reads the row and the coverage of every channel, and no message.
    package func structure() async throws(StoreError) -> CacheStructure {
        try await source.snapshot { session throws(SQLiteError) in try session.structure() }
    }
}

extension ReadSession {
    /// Returns a channel as far as it is known; nil if it cannot be read.
    func readableChannel(_ url: ChannelURL) throws(SQLiteError) -> GroupChannel? {
        do throws(SQLiteError) {
            return try connection.storedChannel(url).flatMap { stored throws(SQLiteError) in
                try channel(stored)
            }
        } catch  where error.isMalformedValue {
            return nil
        }
    }

    fileprivate func structure() throws(SQLiteError) -> CacheStructure {
        let isSealed = try connection.isClosedVault()
        let space = try connection.space()
        let rows = try connection.all(.channelStructures)
        let packed = PackedBytes(
            rows.map(\.holding), used: space.usedBytes,
            other: try connection.first(.otherBytes) ?? 0,
            words: try SearchIndex.byteCount(in: connection))
        var channels: [CacheStructure.Channel] = []
        for row in rows {
            let url = isSealed ? nil : try url(ofRow: row.row)
            // A channel that cannot be read still has its ranges.
            let known = try url.flatMap { url throws(SQLiteError) in try readableChannel(url) }
            channels.append(
                CacheStructure.Channel(
                    row: row.row, url: url, name: known?.givenName,
                    messageCount: Int(clamping: row.holding.messageCount),
                    byteCount: packed.held(row.holding), coverage: try coverage(ofRow: row.row),
                    isPinned: row.isPinned, accessedAt: row.accessedAt,
                    lastMessageAt: row.lastMessageAt,
                    visibleFrom: known?.messageOffset ?? row.cut))
        }
        return CacheStructure(
            isSealed: isSealed, usedBytes: space.usedBytes,
            freeBytes: space.fileBytes - space.usedBytes,
            userCount: Int(try connection.first(.userCount) ?? 0), channels: channels)
    }
}

extension Connection {
    /// Whether names and payloads are sealed, and this connection has no key for them.
    func isClosedVault() throws(SQLiteError) -> Bool {
        guard seals == nil, try first(.vaultTableCount) == 1 else { return false }
        return try first(.vault) != nil
    }
}

private struct StructureRow: Sendable {
    let row: Int64
    let holding: Holding
    let accessedAt: Int64?
    let lastMessageAt: Timestamp?
    let isPinned: Bool
    let cut: Timestamp?
}

extension Query where Input == Void, Output == StructureRow {
    fileprivate static let channelStructures = Query(
        sql: """
            SELECT c.id, ifnull(h.message_count, 0), ifnull(h.payload_bytes, 0), h.accessed_at,
                c.last_message_at, ifnull(h.is_pinned, 0), c.cut_at
            FROM channel AS c LEFT JOIN held AS h ON h.channel_id = c.id ORDER BY c.id
            """
    ) { row in
        let last = row.int64(4)
        return StructureRow(
            row: row.int64(0),
            holding: Holding(messageCount: row.int64(1), payloadBytes: row.int64(2)),
            accessedAt: row.optionalInt64(3),
            lastMessageAt: last > .min ? Timestamp(milliseconds: last) : nil,
            isPinned: row.int64(5) != 0,
            cut: row.optionalInt64(6).map { Timestamp(milliseconds: $0) })
    }
}

extension GroupChannel {
    /// The name that people gave the channel; nil for none.
    var givenName: String? { name.isEmpty ? nil : name }
}
