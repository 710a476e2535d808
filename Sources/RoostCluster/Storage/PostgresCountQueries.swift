// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostPostgres
import RoostServer
import RoostWire

/// The count of a slice of a range.
struct CountedSlice: Sendable {
    /// The number of messages that the filter selects.
    let count: Int
    /// The number of rows that were read.
    let rows: Int
    /// The last place of the slice; nil for an empty one.
    let end: Position?
}

extension PostgresQuery where Output == CountedSlice {
    /// The number of messages among the first rows of a range.
    static func count(
        _ url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, rows: Int
    ) -> PostgresQuery {
        PostgresQuery(
            filter.parentID == nil ? messageCount : replyCount,
            values: filter.values(url, range) + [.int(Int64(rows))]
        ) { row in
            CountedSlice(
                count: Int(row.int64(0)), rows: Int(row.int64(1)),
                end: row.optionalInt64(2).map { moment in
                    Position(
                        createdAt: Timestamp(milliseconds: moment),
                        messageID: MessageID(row.int64(3)))
                })
        }
    }
}

private let messageCount: PostgresSQL = """
    SELECT count(*) FILTER (
            WHERE m.is_reply & ~($7::bigint::int) = 0 AND m.deleted_at IS NULL
                AND ($6 = '' OR m.kind = $6)
                AND ($8::text[] IS NULL OR m.custom_type = ANY ($8::text[]))
                AND ($9::text[] IS NULL OR EXISTS (
                    SELECT 1 FROM users WHERE id = m.sender AND user_id = ANY ($9::text[])))),
        count(*), (max(ARRAY[m.created_at, m.id]))[1], (max(ARRAY[m.created_at, m.id]))[2]
    FROM (
        SELECT created_at, id, is_reply, deleted_at, kind, custom_type, sender FROM message
        WHERE channel = (SELECT id FROM channel WHERE url = $1 AND deleted_at IS NULL)
            AND (created_at, id) > ($2::bigint, $3::bigint)
            AND (created_at, id) < ($4::bigint, $5::bigint)
        ORDER BY created_at, id LIMIT $10) AS m
    """

private let replyCount: PostgresSQL = """
    SELECT count(*) FILTER (
            WHERE ($6 = '' OR m.kind = $6)
                AND ($8::text[] IS NULL OR m.custom_type = ANY ($8::text[]))
                AND ($9::text[] IS NULL OR EXISTS (
                    SELECT 1 FROM users WHERE id = m.sender AND user_id = ANY ($9::text[])))),
        count(*), (max(ARRAY[m.created_at, m.id]))[1], (max(ARRAY[m.created_at, m.id]))[2]
    FROM (
        SELECT created_at, id, kind, custom_type, sender FROM message
        WHERE channel = (SELECT id FROM channel WHERE url = $1 AND deleted_at IS NULL)
            AND parent = $7 AND deleted_at IS NULL
            AND (created_at, id) > ($2::bigint, $3::bigint)
            AND (created_at, id) < ($4::bigint, $5::bigint)
        ORDER BY created_at, id LIMIT $10) AS m
    """
