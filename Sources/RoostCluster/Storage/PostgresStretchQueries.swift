// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostPostgres
import RoostServer
import RoostWire

extension PositionRange {
    /// Splits the range after a position.
    ///
    /// The first part ends with the position, in reading order.
    func divided(
        behind place: Position, newestFirst: Bool
    ) -> (part: PositionRange, rest: PositionRange) {
        newestFirst
            ? (
                PositionRange(
                    after: Position(
                        createdAt: place.createdAt, messageID: place.messageID.previous),
                    before: before),
                PositionRange(after: after, before: place)
            )
            : (
                PositionRange(
                    after: after,
                    before: Position(createdAt: place.createdAt, messageID: place.messageID.next)),
                PositionRange(after: place, before: before)
            )
    }
}

extension PostgresQuery where Output == Position {
    /// The last place of the first rows of a range; no row if the range has fewer.
    static func stretchEnd(
        _ url: ChannelURL, _ range: PositionRange, in thread: MessageID?, newestFirst: Bool,
        rows: Int
    ) -> PostgresQuery {
        let sql: PostgresSQL =
            switch (thread == nil, newestFirst) {
            case (true, false): oldestMessages
            case (true, true): newestMessages
            case (false, false): oldestReplies
            case (false, true): newestReplies
            }
        return PostgresQuery(
            sql,
            values: [
                .text(url.rawValue), .int(range.after.createdAt.milliseconds),
                .int(range.after.messageID.rawValue), .int(range.before.createdAt.milliseconds),
                .int(range.before.messageID.rawValue), .int(Int64(rows - 1)),
            ] + (thread.map { [PostgresValue.int($0.rawValue)] } ?? [])
        ) { row in
            Position(
                createdAt: Timestamp(milliseconds: row.int64(0)),
                messageID: MessageID(row.int64(1)))
        }
    }
}

private let oldestMessages: PostgresSQL = """
    SELECT created_at, id FROM message
    WHERE channel = (SELECT id FROM channel WHERE url = $1 AND deleted_at IS NULL)
        AND (created_at, id) > ($2::bigint, $3::bigint)
        AND (created_at, id) < ($4::bigint, $5::bigint)
    ORDER BY created_at, id OFFSET $6 LIMIT 1
    """

private let newestMessages: PostgresSQL = """
    SELECT created_at, id FROM message
    WHERE channel = (SELECT id FROM channel WHERE url = $1 AND deleted_at IS NULL)
        AND (created_at, id) > ($2::bigint, $3::bigint)
        AND (created_at, id) < ($4::bigint, $5::bigint)
    ORDER BY created_at DESC, id DESC OFFSET $6 LIMIT 1
    """

private let oldestReplies: PostgresSQL = """
    SELECT created_at, id FROM message
    WHERE channel = (SELECT id FROM channel WHERE url = $1 AND deleted_at IS NULL)
        AND parent = $7 AND deleted_at IS NULL
        AND (created_at, id) > ($2::bigint, $3::bigint)
        AND (created_at, id) < ($4::bigint, $5::bigint)
    ORDER BY created_at, id OFFSET $6 LIMIT 1
    """

private let newestReplies: PostgresSQL = """
    SELECT created_at, id FROM message
    WHERE channel = (SELECT id FROM channel WHERE url = $1 AND deleted_at IS NULL)
        AND parent = $7 AND deleted_at IS NULL
        AND (created_at, id) > ($2::bigint, $3::bigint)
        AND (created_at, id) < ($4::bigint, $5::bigint)
    ORDER BY created_at DESC, id DESC OFFSET $6 LIMIT 1
    """
