// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

/// The figures of one channel by which the budget chooses channels to evict.
struct ChannelWeight: Equatable, Sendable {
    var url: ChannelURL
    let holding: Holding
    let accessedAt: Int64?
    let lastMessageAt: Timestamp?
    let isPinned: Bool
}

extension Connection {
    /// Returns the weight of each channel, under its clear name in a sealed cache too.
    func channelWeights() throws(SQLiteError) -> [ChannelWeight] {
        var weights: [ChannelWeight] = []
        try forEach(.channelWeights, ()) { found throws(SQLiteError) in
            var weight = found.weight
            weight.url = try channelURL(inColumn: weight.url, sealed: found.name)
            weights.append(weight)
        }
        return weights
    }
}

extension Query where Input == Void, Output == (weight: ChannelWeight, name: [UInt8]) {
    /// The weights with the columns of URLs, and the sealed URLs.
    fileprivate static let channelWeights = Query(
        sql: """
            SELECT c.url, h.message_count, h.payload_bytes, h.accessed_at, c.last_message_at,
                h.is_pinned, c.name
            FROM held AS h JOIN channel AS c ON c.id = h.channel_id ORDER BY c.id
            """
    ) { row in
        let last = Timestamp(milliseconds: row.int64(4))
        let weight = ChannelWeight(
            url: ChannelURL(row.text(0)),
            holding: Holding(messageCount: row.int64(1), payloadBytes: row.int64(2)),
            accessedAt: row.optionalInt64(3), lastMessageAt: last > .distantPast ? last : nil,
            isPinned: row.int64(5) != 0)
        return (weight, row.bytes(6))
    }
}

extension Query where Input == Void, Output == Int64 {
    /// The size of everything but messages in a packed file: rows with their share of the indexes, and
    /// the first page of every table and index.
    static let otherBytes = Query(
        sql: """
            SELECT (SELECT ifnull(sum(length(payload) + 2 * length(url) + 120), 0) FROM channel)
                + (SELECT ifnull(sum(length(payload) + 2 * length(user_id) + 30), 0) FROM user)
                + (SELECT count(*) * 60 FROM coverage) + (SELECT count(*) * 40 FROM cursor)
                + (SELECT count(*) * 4096 FROM sqlite_schema WHERE rootpage > 0)
            """
    ) { row in row.int64(0) }

    /// Zero for a file that cannot return free pages.
    static let autoVacuum = Query(sql: "PRAGMA auto_vacuum") { row in row.int64(0) }

    /// Rows changed since the connection was opened.
    static let totalChanges = Query(sql: "SELECT total_changes()") { row in row.int64(0) }
}

extension Query where Input == (channelRow: Int64, count: Int), Output == Timestamp {
    /// The time of the last of the oldest N messages; no row when there are fewer.
    static let endOfOldest = Query(
        sql: """
            SELECT created_at FROM message
            WHERE channel_id = ?1 ORDER BY created_at, message_id LIMIT 1 OFFSET ?2 - 1
            """,
        bind: { input, bindings in
            bindings.append(input.channelRow)
            bindings.append(input.count)
        },
        decode: { row in Timestamp(milliseconds: row.int64(0)) })
}

extension Query where Input == (channelRow: Int64, count: Int), Output == Timestamp {
    /// The time of the first of the newest N messages; no row when there are fewer.
    static let startOfNewest = Query(
        sql: """
            SELECT created_at FROM message
            WHERE channel_id = ?1 ORDER BY created_at DESC, message_id DESC LIMIT 1 OFFSET ?2 - 1
            """,
        bind: { input, bindings in
            bindings.append(input.channelRow)
            bindings.append(input.count)
        },
        decode: { row in Timestamp(milliseconds: row.int64(0)) })
}

extension Query where Input == Void, Output == Void {
    // A negative number merges everything into one segment; the following calls continue that
    // merge.
    static let beginMergingWords = Query(
        sql: "INSERT INTO message_text (message_text, rank) VALUES ('merge', -200)")
    static let goOnMergingWords = Query(
        sql: "INSERT INTO message_text (message_text, rank) VALUES ('merge', 200)")
}

// MARK: - Queries on the copy of a rewrite: `main` is the copy, `live` is its source

extension Query where Input == Int64, Output == Void {
    static let keepMessages = Query(
        sql: """
            INSERT INTO main.message SELECT * FROM live.message WHERE channel_id = ?1
            ORDER BY created_at, message_id
            """,
        bind: { channelRow, bindings in bindings.append(channelRow) })

    static let keepCoverage = Query(
        sql: """
            INSERT INTO main.coverage SELECT * FROM live.coverage WHERE channel_id = ?1
            ORDER BY filter_id, lower_at, lower_id
            """,
        bind: { channelRow, bindings in bindings.append(channelRow) })

    static let emptyHolding = Query(
        sql: "UPDATE main.holding SET message_count = 0, payload_bytes = 0 WHERE channel_id = ?1",
        bind: { channelRow, bindings in bindings.append(channelRow) })
}

extension Query where Input == Void, Output == Int64 {
    /// All channels, in the order of their messages.
    static let liveChannels = Query(sql: "SELECT id FROM live.channel ORDER BY id") { row in
        row.int64(0)
    }
}

extension Query where Input == CoverageKey, Output == CoveredRange {
    static let liveCoverage = Query(
        sql: """
            SELECT lower_at, lower_id, upper_at, upper_id, predecessor_id FROM live.covered
            WHERE channel_id = ?1 AND filter_id = ?2 ORDER BY lower_at, lower_id
            """,
        bind: { key, bindings in
            bindings.append(key.channelRow)
            bindings.append(key.filterRow)
        },
        decode: { row in CoveredRange(row) })
}

extension Query where Input == Int64, Output == Int64 {
    static let liveFilters = Query(
        sql: "SELECT DISTINCT filter_id FROM live.coverage WHERE channel_id = ?1 AND filter_id > 0",
        bind: { channelRow, bindings in bindings.append(channelRow) },
        decode: { row in row.int64(0) })
}
