// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQLite

struct NewMember: Sendable {
    let channel: Int64
    let user: Int64
    /// The place of a new row; a known row keeps its place.
    let place: Int64
    let state: MembershipState
    let traits: MemberTraits
    let now: Timestamp
    let change: ChangeStamp
}

extension Query where Input == NewMember, Output == Void {
    /// Adds a member, unless the user is joined, or invited and to be invited again.
    static var addMember: Query {
        Query(
            sql: """
                INSERT INTO member (channel, user, place, state, role, joined_at, last_read,
                    sequence, changed_at, traits, is_counted)
                VALUES (?1, ?2, ?10, ?3, 'none', ?4,
                    -- Messages may be later than the clock; they are no news to a new member.
                    max(?5, coalesce((SELECT max(created_at) FROM message WHERE channel = ?1), ?5)),
                    ?6, ?7, ?8, ?9)
                ON CONFLICT (channel, user) DO UPDATE SET
                    state = excluded.state, role = 'none', joined_at = excluded.joined_at,
                    last_read = excluded.last_read, delivered_at = NULL,
                    sequence = excluded.sequence, changed_at = excluded.changed_at,
                    traits = excluded.traits, hidden = 'unhidden',
                    is_counted = excluded.is_counted
                WHERE state <> 'joined' AND state <> excluded.state
                """,
            bind: { new, bindings in
                bindings.append(new.channel)
                bindings.append(new.user)
                bindings.append(new.state.rawValue)
                bindings.append(new.state == .joined ? new.now.milliseconds : nil)
                bindings.append(new.now.milliseconds)
                bindings.append(new.change.sequence)
                bindings.append(new.change.at)
                bindings.append(new.traits.json)
                bindings.append(new.traits.countPreference != .off)
                bindings.append(new.place)
            })
    }
}

extension Query where Input == Int64, Output == Int64 {
    /// The place of a channel's next new member.
    static var nextPlace: Query {
        Query(
            sql: "SELECT count(*) FROM member WHERE channel = ?1",
            bind: { channel, bindings in bindings.append(channel) },
            decode: { row in row.int64(0) })
    }
}

extension Query where Input == (channel: Int64, user: Int64, record: MemberRecord), Output == Void {
    static var updateMember: Query {
        Query(
            sql: """
                UPDATE member SET role = ?3, last_read = ?4, hidden = ?5, is_counted = ?6,
                    traits = ?7
                WHERE channel = ?1 AND user = ?2
                """,
            bind: { input, bindings in
                let record = input.record
                bindings.append(input.channel)
                bindings.append(input.user)
                bindings.append(record.role.rawValue)
                bindings.append(record.lastRead?.milliseconds ?? 0)
                bindings.append(record.hidden.rawValue)
                bindings.append(record.isCounted)
                bindings.append(record.traits.json)
            })
    }
}

extension Query where Input == Int64, Output == Void {
    static var showHidden: Query {
        Query(
            sql: """
                -- Without statistics SQLite prefers the primary key and reads all members.
                UPDATE member INDEXED BY member_hidden SET hidden = 'unhidden',
                    is_counted = coalesce(json_extract(traits, '$.count'), '') <> 'off'
                WHERE channel = ?1 AND hidden = 'hidden_allow_auto_unhide'
                """,
            bind: { channel, bindings in bindings.append(channel) })
    }
}

extension Query where Input == (channel: Int64, user: Int64, change: ChangeStamp), Output == Void {
    static var removeMember: Query {
        Query(
            sql: """
                UPDATE member SET state = 'none', role = 'none', sequence = ?3, changed_at = ?4
                WHERE channel = ?1 AND user = ?2
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.user)
                bindings.append(input.change.sequence)
                bindings.append(input.change.at)
            })
    }
}

extension Query where Input == Int64, Output == Void {
    /// Takes a user's roles in channels that the user is no member of.
    static var endRoles: Query {
        Query(
            sql: "UPDATE member SET role = 'none' WHERE user = ?1 AND role <> 'none'",
            bind: { user, bindings in bindings.append(user) })
    }
}

extension Query where Input == (channel: Int64, user: UserID), Output == Void {
    static var makeOperator: Query {
        Query(
            sql: """
                UPDATE member SET role = 'operator'
                WHERE channel = ?1 AND user = (SELECT id FROM user WHERE user_id = ?2)
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.user.rawValue)
            })
    }
}

extension Query where Input == ChannelURL, Output == UserID {
    static var memberIDs: Query {
        Query(
            sql: """
                SELECT u.user_id
                FROM channel AS c
                JOIN member AS m ON m.channel = c.id AND m.state <> 'none'
                JOIN user AS u ON u.id = m.user
                WHERE c.url = ?1 ORDER BY m.place
                """,
            bind: { url, bindings in bindings.append(url.rawValue) },
            decode: { row in UserID(row.text(0)) })
    }
}

extension Query where Input == (url: ChannelURL, limit: Int), Output == UserID {
    static var someMemberIDs: Query {
        Query(
            sql: """
                SELECT u.user_id
                FROM channel AS c
                JOIN member AS m ON m.channel = c.id AND m.state <> 'none'
                JOIN user AS u ON u.id = m.user
                WHERE c.url = ?1 LIMIT ?2
                """,
            bind: { input, bindings in
                bindings.append(input.url.rawValue)
                bindings.append(input.limit)
            },
            decode: { row in UserID(row.text(0)) })
    }
}

extension Query where Input == ChannelURL, Output == AudienceMember {
    static var audienceMembers: Query {
        Query(
            sql: """
                SELECT u.user_id, m.state = 'joined',
                    CASE m.traits WHEN '{}' THEN NULL
                        ELSE json_extract(m.traits, '$.offset') END
                FROM channel AS c
                JOIN member AS m ON m.channel = c.id AND m.state <> 'none'
                JOIN user AS u ON u.id = m.user
                WHERE c.url = ?1
                """,
            bind: { url, bindings in bindings.append(url.rawValue) },
            decode: { row in
                AudienceMember(
                    id: UserID(row.text(0)), isJoined: row.int64(1) != 0,
                    beginning: row.optionalInt64(2).map { Timestamp(milliseconds: $0) })
            })
    }
}

struct MemberRow: Sendable {
    let channel: Int64
    let member: MemberRecord

    init(_ row: borrowing Row) throws(SQLiteError) {
        channel = row.int64(0)
        member = MemberRecord(
            user: try UserRow(id: row.int64(1), body: row.text(2)).user,
            state: MembershipState(rawValue: row.text(3)) ?? .none,
            role: Role(rawValue: row.text(4)) ?? .none,
            joinedAt: row.optionalInt64(5).map { Timestamp(milliseconds: $0) },
            lastRead: Timestamp(milliseconds: row.int64(6)),
            deliveredAt: row.optionalInt64(7).map { Timestamp(milliseconds: $0) },
            hidden: HiddenState(rawValue: row.text(8)) ?? .unhidden,
            traits: MemberTraits(json: row.text(9)))
    }
}

extension Query where Input == Int64, Output == Readable<MemberRow> {
    static var everyMember: Query {
        Query(
            sql: """
                SELECT m.channel, u.id, u.body, m.state, m.role, m.joined_at, m.last_read,
                    m.delivered_at, m.hidden, m.traits
                FROM member AS m JOIN user AS u ON u.id = m.user AND u.deleted_at IS NULL
                WHERE m.channel = ?1 ORDER BY m.place
                """,
            bind: { channel, bindings in bindings.append(channel) },
            decode: { row in Readable { () throws(SQLiteError) in try MemberRow(row) } })
    }
}

extension Query where Input == (channel: Int64, user: Int64), Output == MemberRow {
    static var memberOf: Query {
        Query(
            sql: """
                SELECT m.channel, u.id, u.body, m.state, m.role, m.joined_at, m.last_read,
                    m.delivered_at, m.hidden, m.traits
                FROM member AS m JOIN user AS u ON u.id = m.user
                WHERE m.channel = ?1 AND m.user = ?2
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.user)
            },
            decode: { row throws(SQLiteError) in try MemberRow(row) })
    }
}

extension Query where Input == String, Output == Readable<MemberRow> {
    static var membersOfPage: Query {
        Query(
            sql: """
                SELECT m.channel, u.id, u.body, m.state, m.role, m.joined_at, m.last_read,
                    m.delivered_at, m.hidden, m.traits
                FROM json_each(?1) AS page
                JOIN member AS m ON m.channel = page.value AND m.state <> 'none'
                JOIN user AS u ON u.id = m.user
                ORDER BY m.channel, m.place
                """,
            bind: { page, bindings in bindings.append(page) },
            decode: { row in Readable { () throws(SQLiteError) in try MemberRow(row) } })
    }
}

extension Query where Input == (channel: Int64, user: UserID), Output == Readable<MemberRow> {
    /// A joined or invited user by ID.
    static var namedMember: Query {
        Query(
            sql: """
                SELECT m.channel, u.id, u.body, m.state, m.role, m.joined_at, m.last_read,
                    m.delivered_at, m.hidden, m.traits
                FROM user AS u
                JOIN member AS m ON m.channel = ?1 AND m.user = u.id AND m.state <> 'none'
                WHERE u.user_id = ?2
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.user.rawValue)
            },
            decode: { row in Readable { () throws(SQLiteError) in try MemberRow(row) } })
    }
}

extension Query where Input == String, Output == (Int64, ChannelState.Tally) {
    static var talliesOfPage: Query {
        Query(
            sql: """
                SELECT m.channel, count(*), count(*) FILTER (WHERE m.state = 'joined')
                FROM json_each(?1) AS page
                CROSS JOIN member AS m ON m.channel = page.value AND m.state <> 'none'
                GROUP BY m.channel
                """,
            bind: { page, bindings in bindings.append(page) },
            decode: { row in
                (
                    row.int64(0),
                    ChannelState.Tally(members: Int(row.int64(1)), joined: Int(row.int64(2)))
                )
            })
    }
}

extension Query where Input == (channel: Int64, user: Int64, moment: Int64), Output == Void {
    static var raiseReadMark: Query {
        Query(
            sql: """
                UPDATE member SET last_read = max(last_read, ?3)
                WHERE channel = ?1 AND user = ?2 AND state = 'joined'
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.user)
                bindings.append(input.moment)
            })
    }
}

extension Query where Input == (channel: Int64, moment: Int64), Output == Void {
    static var raiseReadMarks: Query {
        Query(
            sql: """
                UPDATE member SET last_read = max(last_read, ?2)
                WHERE channel = ?1 AND state = 'joined'
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.moment)
            })
    }

    static var rewindReadMarks: Query {
        Query(
            sql: """
                UPDATE member SET last_read = min(last_read, ?2)
                WHERE channel = ?1 AND state = 'joined'
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.moment)
            })
    }
}

extension Query where Input == (channel: Int64, user: Int64), Output == Bool {
    static var isMember: Query {
        Query(
            sql: "SELECT state <> 'none' FROM member WHERE channel = ?1 AND user = ?2",
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.user)
            },
            decode: { row in row.int64(0) != 0 })
    }
}

extension Query where Input == (channel: Int64, user: Int64), Output == Timestamp {
    static var readMark: Query {
        Query(
            sql: """
                SELECT last_read FROM member
                WHERE channel = ?1 AND user = ?2 AND state = 'joined'
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.user)
            },
            decode: { row in Timestamp(milliseconds: row.int64(0)) })
    }
}

extension Query where Input == DeliveryMark, Output == Int64 {
    /// Moves a delivery mark; no row if it is at the place or later already.
    static var raiseDeliveryMark: Query {
        Query(
            sql: """
                UPDATE member SET delivered_at = ?3
                WHERE channel = (SELECT id FROM channel WHERE url = ?1)
                    AND user = (SELECT id FROM user WHERE user_id = ?2)
                    AND state = 'joined' AND coalesce(delivered_at < ?4, 1)
                RETURNING delivered_at
                """,
            bind: { mark, bindings in
                bindings.append(mark.channel.rawValue)
                bindings.append(mark.user.rawValue)
                bindings.append(mark.moment.milliseconds)
                bindings.append(mark.place.milliseconds)
            },
            decode: { row in row.int64(0) })
    }
}
