// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQLite

struct NewMember: Sendable {
    let channel: Int64
    let user: Int64
    let state: MembershipState
    let now: Timestamp
    let change: ChangeStamp
}

extension Query where Input == NewMember, Output == Void {
    /// Changes no row of somebody who is joined, or who is invited already.
    static var addMember: Query {
        Query(
            sql: """
                INSERT INTO member (channel, user, place, state, role, joined_at, last_read,
                    sequence, changed_at)
                VALUES (?1, ?2, (SELECT count(*) FROM member WHERE channel = ?1), ?3, 'none',
                    ?4, ?5, ?6, ?7)
                ON CONFLICT (channel, user) DO UPDATE SET
                    state = excluded.state, role = 'none', joined_at = excluded.joined_at,
                    last_read = excluded.last_read, delivered_at = NULL,
                    sequence = excluded.sequence, changed_at = excluded.changed_at
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
            })
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

struct MemberRow: Sendable {
    let channel: Int64
    let member: MemberRecord
}

extension Query where Input == String, Output == MemberRow {
    static var membersOfPage: Query {
        Query(
            sql: """
                SELECT m.channel, u.id, u.body, m.state, m.role, m.joined_at, m.last_read,
                    m.delivered_at
                FROM json_each(?1) AS page
                JOIN member AS m ON m.channel = page.value AND m.state <> 'none'
                JOIN user AS u ON u.id = m.user
                ORDER BY m.channel, m.place
                """,
            bind: { page, bindings in bindings.append(page) },
            decode: { row throws(SQLiteError) in
                MemberRow(
                    channel: row.int64(0),
                    member: MemberRecord(
                        user: try UserRow(id: row.int64(1), body: row.text(2)).user,
                        state: MembershipState(rawValue: row.text(3)) ?? .none,
                        role: Role(rawValue: row.text(4)) ?? .none,
                        joinedAt: row.optionalInt64(5).map { Timestamp(milliseconds: $0) },
                        lastRead: Timestamp(milliseconds: row.int64(6)),
                        deliveredAt: row.optionalInt64(7).map { Timestamp(milliseconds: $0) }))
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

extension Query where Input == (url: ChannelURL, user: UserID, moment: Timestamp), Output == Void {
    static var raiseDeliveryMark: Query {
        Query(
            sql: """
                UPDATE member SET delivered_at = max(coalesce(delivered_at, ?3), ?3)
                WHERE channel = (SELECT id FROM channel WHERE url = ?1)
                    AND user = (SELECT id FROM user WHERE user_id = ?2)
                """,
            bind: { input, bindings in
                bindings.append(input.url.rawValue)
                bindings.append(input.user.rawValue)
                bindings.append(input.moment.milliseconds)
            })
    }
}
