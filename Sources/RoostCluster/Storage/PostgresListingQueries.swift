// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostPostgres
import RoostServer

extension ChannelListing {
    /// The columns of a listing; a brief record has the traits up to the metadata and the counters.
    fileprivate static let columns: StaticString = """
        SELECT c.url, c.name, '', '', c.custom_type, c.created_at, c.created_by,
            c.distinct_key IS NOT NULL, c.is_super, c.is_public,
            split_part(split_part(c.traits, '"metadata":', 1), '"counters":', 1),
            me.state, me.hidden,
            (SELECT created_at FROM message
             WHERE channel = c.id AND is_counted AND deleted_at IS NULL
                AND created_at > coalesce(me.beginning, 0)
             ORDER BY created_at DESC, id DESC LIMIT 1),
            CASE me.state WHEN 'none' THEN me.change ELSE c.change END,
            CASE me.state WHEN 'none' THEN me.changed_at ELSE c.changed_at END
        """
}

extension PostgresQuery where Output == ChannelListing {
    /// Every present and former channel of a user.
    static func listings(of id: UserID, base: Int64, margin: Int64) -> PostgresQuery {
        listings(
            PostgresSQL(
                ChannelListing.columns,
                """
                FROM users AS u
                JOIN member AS me ON me.user_id = u.id
                JOIN channel AS c ON c.id = me.channel
                WHERE u.user_id = $1 ORDER BY c.url
                """), of: id, base: base, margin: margin)
    }

    /// The channels that a user has joined or is invited to.
    static func presentListings(of id: UserID, base: Int64, margin: Int64) -> PostgresQuery {
        listings(
            PostgresSQL(
                ChannelListing.columns,
                """
                FROM users AS u
                JOIN member AS me ON me.user_id = u.id AND me.state <> 'none'
                JOIN channel AS c ON c.id = me.channel
                WHERE u.user_id = $1 ORDER BY c.url
                """), of: id, base: base, margin: margin)
    }

    private static func listings(
        _ sql: PostgresSQL, of id: UserID, base: Int64, margin: Int64
    ) -> PostgresQuery {
        PostgresQuery(sql, .text(id.rawValue)) { row in
            ChannelListing(
                record: ChannelRecord(row, from: 0, isBrief: true),
                state: MembershipState(rawValue: row.text(11)) ?? .none,
                hidden: HiddenState(rawValue: row.text(12)) ?? .unhidden,
                lastMessageAt: row.optionalInt64(13).map { Timestamp(milliseconds: $0) },
                changeSequence: base + row.int64(14),
                changedAt: Timestamp(milliseconds: row.int64(15)).advanced(by: margin))
        }
    }
}
