// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQLite

extension ChannelListing {
    fileprivate init(_ row: borrowing Row) {
        self.init(
            record: ChannelRecord(row, from: 0, isBrief: true),
            state: MembershipState(rawValue: row.text(11)) ?? .none,
            hidden: HiddenState(rawValue: row.text(12)) ?? .unhidden,
            lastMessageAt: row.optionalInt64(13).map { Timestamp(milliseconds: $0) },
            changeSequence: row.int64(14),
            changedAt: Timestamp(milliseconds: row.int64(15)))
    }

    /// The columns of a listing; a brief record has the traits up to the metadata and the counters.
    fileprivate static let columns: StaticString = """
        SELECT c.url, c.name, '', '', c.custom_type, c.created_at,
            c.created_by, c.distinct_key IS NOT NULL, c.is_super, c.is_public,
            substr(c.traits, 1, min(
                instr(c.traits || '"metadata":', '"metadata":'),
                instr(c.traits || '"counters":', '"counters":')) - 1),
            me.state, me.hidden,
            (SELECT created_at FROM message
             WHERE channel = c.id AND is_counted = 1 AND deleted_at IS NULL
                AND created_at > coalesce(json_extract(me.traits, '$.offset'), 0)
             ORDER BY created_at DESC, id DESC LIMIT 1),
            iif(me.state = 'none', me.sequence, c.sequence),
            iif(me.state = 'none', me.changed_at, c.changed_at)
        """
}

extension Query where Input == UserID, Output == ChannelListing {
    /// Every present and former channel of a user.
    static var listings: Query {
        Query(
            sql: SQL(
                ChannelListing.columns,
                """
                FROM user AS u
                JOIN member AS me ON me.user = u.id
                JOIN channel AS c ON c.id = me.channel
                WHERE u.user_id = ?1 ORDER BY c.url
                """),
            bind: { id, bindings in bindings.append(id.rawValue) },
            decode: { row in ChannelListing(row) })
    }

    /// The channels that a user has joined or is invited to.
    static var presentListings: Query {
        Query(
            sql: SQL(
                ChannelListing.columns,
                """
                FROM user AS u
                JOIN member AS me INDEXED BY member_present
                    ON me.user = u.id AND me.state <> 'none'
                JOIN channel AS c ON c.id = me.channel
                WHERE u.user_id = ?1 ORDER BY c.url
                """),
            bind: { id, bindings in bindings.append(id.rawValue) },
            decode: { row in ChannelListing(row) })
    }
}
