// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSQLite

/// The number and size of the cached messages of one channel.
struct Holding: Equatable, Sendable {
    var messageCount: Int64 = 0
    var payloadBytes: Int64 = 0

    // Saturated, because damaged numbers on disk may be any numbers.

    mutating func add(_ other: Holding) {
        messageCount = messageCount.addingSaturated(other.messageCount)
        payloadBytes = payloadBytes.addingSaturated(other.payloadBytes)
    }

    mutating func subtract(_ other: Holding) {
        messageCount = messageCount.subtractingSaturated(other.messageCount)
        payloadBytes = payloadBytes.subtractingSaturated(other.payloadBytes)
    }

    /// The holding of one message.
    static func message(ofBytes count: Int) -> Holding {
        Holding(messageCount: 1, payloadBytes: Int64(count))
    }
}

extension Query where Input == Int64, Output == Holding {
    static let holding = Query(
        sql: "SELECT message_count, payload_bytes FROM held WHERE channel_id = ?1",
        bind: { channelRow, bindings in bindings.append(channelRow) },
        decode: { row in Holding(messageCount: row.int64(0), payloadBytes: row.int64(1)) })
}

extension Query where Input == (channelRow: Int64, holding: Holding), Output == Void {
    static let putHolding = Query(
        sql: """
            INSERT INTO holding (channel_id, message_count, payload_bytes) VALUES (?1, ?2, ?3)
            ON CONFLICT (channel_id) DO UPDATE SET message_count = ?2, payload_bytes = ?3
            """,
        bind: { input, bindings in
            bindings.append(input.channelRow)
            bindings.append(input.holding.messageCount)
            bindings.append(input.holding.payloadBytes)
        })
}

extension Query where Input == (channelRow: Int64, accessedAt: Timestamp), Output == Void {
    /// Replaces a later time too: the device's clock was ahead then, and the commits are in order.
    static let putAccess = Query(
        sql: """
            INSERT INTO holding (channel_id, accessed_at) VALUES (?1, ?2)
            ON CONFLICT (channel_id) DO UPDATE SET accessed_at = ?2
            """,
        bind: { input, bindings in
            bindings.append(input.channelRow)
            bindings.append(input.accessedAt.milliseconds)
        })
}

extension Query where Input == (channelRow: Int64, isPinned: Bool), Output == Void {
    static let putPin = Query(
        sql: """
            INSERT INTO holding (channel_id, is_pinned) VALUES (?1, ?2)
            ON CONFLICT (channel_id) DO UPDATE SET is_pinned = ?2
            """,
        bind: { input, bindings in
            bindings.append(input.channelRow)
            bindings.append(input.isPinned)
        })
}

extension Query where Input == Int64, Output == Bool {
    static let isPinned = Query(
        sql: "SELECT is_pinned FROM holding WHERE channel_id = ?1",
        bind: { channelRow, bindings in bindings.append(channelRow) },
        decode: { row in row.int64(0) != 0 })
}

extension Query where Input == (channelRow: Int64, moment: Timestamp), Output == Holding {
    /// Counts the messages at or before a moment.
    static let holdingThrough = Query(
        sql: """
            SELECT count(*), ifnull(sum(length(payload)), 0) FROM message
            WHERE channel_id = ?1 AND created_at <= ?2
            """,
        bind: { input, bindings in
            bindings.append(input.channelRow)
            bindings.append(input.moment.milliseconds)
        },
        decode: { row in Holding(messageCount: row.int64(0), payloadBytes: row.int64(1)) })
}

extension Query where Input == (channelRow: Int64, moment: Timestamp), Output == Void {
    static let deleteMessagesThrough = Query(
        sql: "DELETE FROM message WHERE channel_id = ?1 AND created_at <= ?2",
        bind: { input, bindings in
            bindings.append(input.channelRow)
            bindings.append(input.moment.milliseconds)
        })

    static let putCut = Query(
        sql: "UPDATE channel SET cut_at = ?2 WHERE id = ?1",
        bind: { input, bindings in
            bindings.append(input.channelRow)
            bindings.append(input.moment.milliseconds)
        })
}

extension Query where Input == Void, Output == Int64 {
    /// Channels whose sums cannot be right.
    static let impossibleHoldingCount = Query(
        sql: "SELECT count(*) FROM held WHERE message_count < 0 OR payload_bytes < 0"
    ) { row in row.int64(0) }
}
