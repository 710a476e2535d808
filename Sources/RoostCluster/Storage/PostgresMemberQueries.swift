// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostPostgres
import RoostServer

/// A member with the number of the channel.
struct MemberRow: Sendable {
    let channel: Int64
    let member: MemberRecord
}

/// A user, and the user's place in a channel; nil for a stranger.
struct UserInChannel: Sendable {
    let user: UserRow
    let member: MemberRecord?
}

extension MemberRecord {
    /// Reads the seven columns from `start` on.
    init(_ user: User, _ row: PostgresRow, from start: Int) {
        self.init(
            user: user, state: MembershipState(rawValue: row.text(start)) ?? .none,
            role: Role(rawValue: row.text(start + 1)) ?? .none,
            joinedAt: row.optionalInt64(start + 2).map { Timestamp(milliseconds: $0) },
            lastRead: Timestamp(milliseconds: row.int64(start + 3)),
            deliveredAt: row.optionalInt64(start + 4).map { Timestamp(milliseconds: $0) },
            hidden: HiddenState(rawValue: row.text(start + 5)) ?? .unhidden,
            traits: MemberTraits(json: row.text(start + 6)))
    }
}

extension PostgresQuery where Output == (Int64, ChannelState.Tally) {
    static func talliesOfPage(_ page: [Int64]) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT channel, count(*), count(*) FILTER (WHERE state = 'joined')
            FROM member WHERE channel = ANY ($1::bigint[]) AND state <> 'none' GROUP BY channel
            """, .ints(page)
        ) { row in
            (
                row.int64(0),
                ChannelState.Tally(members: Int(row.int64(1)), joined: Int(row.int64(2)))
            )
        }
    }
}

extension PostgresQuery where Output == Readable<MemberRow> {
    static func member(_ row: PostgresRow) -> Readable<MemberRow> {
        Readable { () throws(PostgresError) in
            MemberRow(
                channel: row.int64(0), member: MemberRecord(try User(row, 1), row, from: 2))
        }
    }

    private static func members(_ sql: PostgresSQL, _ value: PostgresValue) -> PostgresQuery {
        PostgresQuery(sql, value) { member($0) }
    }

    /// The joined and invited users of a page of channels among some IDs.
    ///
    /// Each pair is looked up by itself; otherwise all members of a large channel could be read.
    static func namedMembers(_ page: [Int64], _ ids: [UserID]) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT m.channel, u.body, m.state, m.role, m.joined_at, m.last_read, m.delivered_at,
                m.hidden, m.traits
            FROM unnest($1::bigint[]) AS page (channel)
            CROSS JOIN users AS u
            CROSS JOIN LATERAL (
                SELECT * FROM member
                WHERE channel = page.channel AND user_id = u.id AND state <> 'none'
                OFFSET 0) AS m
            WHERE u.user_id = ANY ($2::text[])
            """, .ints(page), .texts(ids.map(\.rawValue))
        ) { member($0) }
    }

    static func everyMember(of url: ChannelURL) -> PostgresQuery {
        members(
            """
            SELECT m.channel, u.body, m.state, m.role, m.joined_at, m.last_read, m.delivered_at,
                m.hidden, m.traits
            FROM channel AS c
            JOIN member AS m ON m.channel = c.id
            JOIN users AS u ON u.id = m.user_id AND u.deleted_at IS NULL
            WHERE c.url = $1 AND c.deleted_at IS NULL ORDER BY m.place
            """, .text(url.rawValue))
    }

    static func membersOfPage(_ page: [Int64]) -> PostgresQuery {
        members(
            """
            SELECT m.channel, u.body, m.state, m.role, m.joined_at, m.last_read, m.delivered_at,
                m.hidden, m.traits
            FROM member AS m JOIN users AS u ON u.id = m.user_id
            WHERE m.channel = ANY ($1::bigint[]) AND m.state <> 'none'
            ORDER BY m.channel, m.place
            """, .ints(page))
    }
}

extension PostgresQuery where Output == UserInChannel {
    /// The existing users among IDs, with their places in a channel.
    ///
    /// None of them can be deleted until the end of the transaction.
    static func keptMembers(of channel: Int64, _ ids: [UserID]) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT u.id, u.body, u.traits, m.state, m.role, m.joined_at, m.last_read,
                m.delivered_at, m.hidden, m.traits
            FROM users AS u
            LEFT JOIN member AS m ON m.channel = $1 AND m.user_id = u.id
            WHERE u.user_id = ANY ($2::text[]) AND u.deleted_at IS NULL
            ORDER BY u.id FOR KEY SHARE OF u
            """, .int(channel), .texts(ids.map(\.rawValue))
        ) { row throws(PostgresError) in
            let user = try UserRow(row)
            guard row.optionalText(3) != nil else { return UserInChannel(user: user, member: nil) }
            return UserInChannel(user: user, member: MemberRecord(user.user, row, from: 3))
        }
    }
}

extension PostgresQuery where Output == UserID {
    static func memberIDs(of channel: Int64) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT u.user_id FROM member AS m JOIN users AS u ON u.id = m.user_id
            WHERE m.channel = $1 AND m.state <> 'none' ORDER BY m.place
            """, .int(channel)
        ) { UserID($0.text(0)) }
    }

    static func memberIDs(of url: ChannelURL) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT u.user_id FROM channel AS c
            JOIN member AS m ON m.channel = c.id AND m.state <> 'none'
            JOIN users AS u ON u.id = m.user_id
            WHERE c.url = $1 ORDER BY m.place
            """, .text(url.rawValue)
        ) { UserID($0.text(0)) }
    }

    static func someMemberIDs(of url: ChannelURL, atMost limit: Int) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT u.user_id FROM channel AS c
            JOIN member AS m ON m.channel = c.id AND m.state <> 'none'
            JOIN users AS u ON u.id = m.user_id
            WHERE c.url = $1 LIMIT $2
            """, .text(url.rawValue), .int(Int64(limit))
        ) { UserID($0.text(0)) }
    }
}

extension PostgresQuery where Output == AudienceMember {
    static func audienceMembers(of url: ChannelURL) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT u.user_id, m.state = 'joined', m.beginning
            FROM channel AS c
            JOIN member AS m ON m.channel = c.id AND m.state <> 'none'
            JOIN users AS u ON u.id = m.user_id
            WHERE c.url = $1
            """, .text(url.rawValue)
        ) { row in
            AudienceMember(
                id: UserID(row.text(0)), isJoined: row.bool(1),
                beginning: row.optionalInt64(2).map { Timestamp(milliseconds: $0) })
        }
    }
}

extension PostgresQuery where Output == Timestamp {
    /// Moves a joined member's read mark forwards, and returns it.
    static func raiseReadMark(
        _ channel: Int64, _ user: UserID, _ moment: Int64
    ) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE member SET last_read = greatest(last_read, $3)
            WHERE channel = $1 AND state = 'joined' AND user_id = (
                SELECT id FROM users WHERE user_id = $2 AND deleted_at IS NULL)
            RETURNING last_read
            """, .int(channel), .text(user.rawValue), .int(moment)
        ) { Timestamp(milliseconds: $0.int64(0)) }
    }
}

extension PostgresQuery where Output == Int {
    /// Moves delivery marks, and returns their places in the list; no row for a mark that stays.
    ///
    /// The rows are locked in one order, so that two servers do not wait for each other.
    static func raiseDeliveryMarks(_ marks: [DeliveryMark]) -> PostgresQuery {
        PostgresQuery(
            """
            WITH kept AS MATERIALIZED (
                SELECT m.channel, m.user_id, new.moment, new.number
                FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
                    WITH ORDINALITY AS new (url, name, moment, place, number)
                JOIN channel AS c ON c.url = new.url COLLATE "C"
                JOIN users AS u ON u.user_id = new.name COLLATE "C"
                JOIN member AS m ON m.channel = c.id AND m.user_id = u.id
                WHERE m.state = 'joined' AND coalesce(m.delivered_at < new.place, true)
                ORDER BY m.channel, m.user_id FOR NO KEY UPDATE OF m)
            UPDATE member AS m SET delivered_at = kept.moment
            FROM kept WHERE m.channel = kept.channel AND m.user_id = kept.user_id
            RETURNING kept.number
            """,
            .texts(marks.map(\.channel.rawValue)), .texts(marks.map(\.user.rawValue)),
            .ints(marks.map(\.moment.milliseconds)), .ints(marks.map(\.place.milliseconds))
        ) { Int($0.int64(0)) - 1 }
    }
}

extension PostgresQuery where Output == Void {
    /// Adds members, or changes the state of known users.
    ///
    /// New rows come after those of the channel, in the order of the list.
    static func addMembers(
        _ channel: Int64, _ state: MembershipState, _ new: [NewMember], _ now: Timestamp
    ) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO member (channel, user_id, place, state, role, joined_at, last_read,
                is_counted, is_silenced, beginning, traits, change, changed_at)
            SELECT $1, new.user_id,
                (SELECT coalesce(max(place), -1) FROM member WHERE channel = $1)
                    + row_number() OVER (ORDER BY new.place),
                $2, 'none', $3,
                -- Messages may be later than the clock; they are no news to a new member.
                (SELECT greatest(last_time, $4) FROM channel WHERE id = $1), new.is_counted,
                NOT new.is_counted, new.beginning, new.traits, pg_current_xact_id(),
                (SELECT greatest(changed_at, $4) FROM channel WHERE id = $1)
            FROM unnest($5::bigint[], $6::boolean[], $7::bigint[], $8::text[])
                WITH ORDINALITY AS new (user_id, is_counted, beginning, traits, place)
            ON CONFLICT (channel, user_id) DO UPDATE SET
                state = excluded.state, role = 'none', joined_at = excluded.joined_at,
                last_read = excluded.last_read, delivered_at = NULL, hidden = 'unhidden',
                is_counted = excluded.is_counted, is_silenced = excluded.is_silenced,
                beginning = excluded.beginning, traits = excluded.traits,
                change = excluded.change, changed_at = excluded.changed_at
            """,
            .int(channel), .text(state.rawValue),
            PostgresValue(state == .joined ? now.milliseconds : nil), .int(now.milliseconds),
            .ints(new.map(\.user)), .bools(new.map { $0.traits.countPreference != .off }),
            .ints(new.map { $0.traits.messageOffset?.milliseconds }),
            .texts(new.map(\.traits.json)))
    }

    static func updateMember(
        _ channel: Int64, _ user: Int64, _ record: MemberRecord
    ) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE member SET role = $3, last_read = $4, hidden = $5, is_counted = $6,
                is_silenced = $7, beginning = $8, traits = $9
            WHERE channel = $1 AND user_id = $2
            """,
            .int(channel), .int(user), .text(record.role.rawValue),
            .int(record.lastRead?.milliseconds ?? 0), .text(record.hidden.rawValue),
            .bool(record.isCounted), .bool(record.traits.countPreference == .off),
            PostgresValue(record.traits.messageOffset?.milliseconds), .text(record.traits.json))
    }

    static func removeMember(_ channel: Int64, _ user: Int64, _ now: Timestamp) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE member SET state = 'none', role = 'none', change = pg_current_xact_id(),
                changed_at = (SELECT greatest(changed_at, $3) FROM channel WHERE id = $1)
            WHERE channel = $1 AND user_id = $2
            """, .int(channel), .int(user), .int(now.milliseconds))
    }

    static func makeOperators(_ channel: Int64, _ users: [UserID]) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE member SET role = 'operator' WHERE channel = $1 AND user_id IN (
                SELECT id FROM users WHERE user_id = ANY ($2::text[]))
            """, .int(channel), .texts(users.map(\.rawValue)))
    }
}
