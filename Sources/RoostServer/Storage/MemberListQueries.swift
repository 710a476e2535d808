// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQLite

extension Query where Input == (channel: Int64, end: Timestamp), Output == Void {
    /// Hides the messages through a moment from the joined and invited users of a channel.
    ///
    /// The traits keep the order in which `MemberTraits` writes them: the offset comes first.
    static var forgetHistory: Query {
        Query(
            sql: """
                UPDATE member SET last_read = max(last_read, ?2),
                    traits = CASE
                        WHEN traits = '{}' THEN '{"offset":' || ?2 || '}'
                        WHEN json_extract(traits, '$.offset') IS NULL
                            THEN '{"offset":' || ?2 || ',' || substr(traits, 2)
                        ELSE json_set(traits, '$.offset',
                            max(json_extract(traits, '$.offset'), ?2))
                    END
                WHERE channel = ?1 AND state <> 'none'
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.end.milliseconds)
            })
    }
}

extension Query where Input == (channel: Int64, user: UserID), Output == Readable<MemberRow> {
    /// A user with a row in a channel by ID, in any state.
    static var knownMember: Query {
        Query(
            sql: """
                SELECT m.channel, u.id, u.body, m.state, m.role, m.joined_at, m.last_read,
                    m.delivered_at, m.hidden, m.traits
                FROM user AS u
                JOIN member AS m ON m.channel = ?1 AND m.user = u.id
                WHERE u.user_id = ?2 AND u.deleted_at IS NULL
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.user.rawValue)
            },
            decode: { row in Readable { () throws(SQLiteError) in try MemberRow(row) } })
    }
}

extension Query where Input == Int64, Output == Readable<UserRow> {
    /// The operators of a channel.
    static var operators: Query {
        Query(
            sql: """
                SELECT u.id, u.body
                FROM member AS m INDEXED BY member_operator
                CROSS JOIN user AS u ON u.id = m.user AND u.deleted_at IS NULL
                WHERE m.channel = ?1 AND m.role = 'operator' ORDER BY m.place
                """,
            bind: { channel, bindings in bindings.append(channel) },
            decode: { row in
                Readable { () throws(SQLiteError) in
                    try UserRow(id: row.int64(0), body: row.text(1))
                }
            })
    }
}

extension Query
where
    Input == (channel: Int64, last: UserID?, limit: Int),
    Output == (id: UserID, row: Readable<MemberRow>)
{
    /// The joined and invited users behind another one, in the order of the users' rows.
    static var membersAfter: Query {
        Query(
            sql: """
                SELECT m.channel, u.id, u.body, m.state, m.role, m.joined_at, m.last_read,
                    m.delivered_at, m.hidden, m.traits, u.user_id
                FROM member AS m CROSS JOIN user AS u ON u.id = m.user
                WHERE m.channel = ?1 AND m.state <> 'none'
                    AND m.user > CASE WHEN ?2 IS NULL THEN -1 ELSE (
                        SELECT id FROM user WHERE user_id = ?2) END
                ORDER BY m.user LIMIT ?3
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.last?.rawValue)
                bindings.append(input.limit)
            },
            decode: { row in
                let read = Readable { () throws(SQLiteError) in try MemberRow(row) }
                return (UserID(row.text(10)), read)
            })
    }
}

extension Query where Input == Int64, Output == Int {
    /// The number of the joined and invited users of a channel.
    static var memberCount: Query {
        Query(
            sql: "SELECT count(*) FROM member WHERE channel = ?1 AND state <> 'none'",
            bind: { channel, bindings in bindings.append(channel) },
            decode: { row in Int(row.int64(0)) })
    }
}

struct RestrictedPage: Sendable {
    let channel: Int64
    let kind: Restriction.Kind
    let now: Timestamp
    let last: UserID?
    let limit: Int
}

extension Query
where Input == RestrictedPage, Output == (id: UserID, row: Readable<MemberRow>) {
    /// The users with an active restriction behind another one, in the order of their entries.
    static var restrictedAfter: Query {
        Query(
            sql: """
                SELECT m.channel, u.id, u.body, m.state, m.role, m.joined_at, m.last_read,
                    m.delivered_at, m.hidden, m.traits, u.user_id
                FROM member AS m INDEXED BY member_restricted
                CROSS JOIN user AS u ON u.id = m.user AND u.deleted_at IS NULL
                WHERE m.channel = ?1
                    AND instr(m.traits, '"ban":') + instr(m.traits, '"mute":') > 0
                    AND m.place > CASE WHEN ?5 IS NULL THEN -1 ELSE (
                        SELECT place FROM member WHERE channel = ?1
                            AND user = (SELECT id FROM user WHERE user_id = ?5)) END
                    AND json_extract(m.traits, ?2) IS NOT NULL
                    AND coalesce(json_extract(m.traits, ?3) > ?4, 1)
                ORDER BY m.place LIMIT ?6
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append("$.\(input.kind.rawValue)")
                bindings.append("$.\(input.kind.rawValue)[1]")
                bindings.append(input.now.milliseconds)
                bindings.append(input.last?.rawValue)
                bindings.append(input.limit)
            },
            decode: { row in
                let read = Readable { () throws(SQLiteError) in try MemberRow(row) }
                return (UserID(row.text(10)), read)
            })
    }
}

extension Query where Input == (channel: Int64, limit: Int), Output == Int {
    /// The number of users with a ban or a mute, ended ones included.
    static var restrictedCount: Query {
        Query(
            sql: """
                SELECT count(*) FROM (
                    SELECT 1 FROM member INDEXED BY member_restricted
                    WHERE channel = ?1
                        AND instr(traits, '"ban":') + instr(traits, '"mute":') > 0
                    LIMIT ?2)
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.limit)
            },
            decode: { row in Int(row.int64(0)) })
    }
}

extension Query where Input == (channel: Int64, now: Timestamp), Output == Int64 {
    /// One user with a ban or a mute that has ended.
    static var endedRestriction: Query {
        Query(
            sql: """
                SELECT user FROM member INDEXED BY member_restricted
                WHERE channel = ?1
                    AND instr(traits, '"ban":') + instr(traits, '"mute":') > 0
                    AND (json_extract(traits, '$.ban[1]') <= ?2
                        OR json_extract(traits, '$.mute[1]') <= ?2)
                LIMIT 1
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.now.milliseconds)
            },
            decode: { row in row.int64(0) })
    }
}

extension Query where Input == Int64, Output == (Int64, MemberTraits) {
    /// The users with a ban or a mute, ended ones included.
    static var restrictions: Query {
        Query(
            sql: """
                SELECT user, traits FROM member INDEXED BY member_restricted
                WHERE channel = ?1
                    AND instr(traits, '"ban":') + instr(traits, '"mute":') > 0
                """,
            bind: { channel, bindings in bindings.append(channel) },
            decode: { row in (row.int64(0), MemberTraits(json: row.text(1))) })
    }
}

extension Query where Input == (channel: Int64, user: Int64, traits: MemberTraits), Output == Void {
    static var setTraits: Query {
        Query(
            sql: "UPDATE member SET traits = ?3 WHERE channel = ?1 AND user = ?2",
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.user)
                bindings.append(input.traits.json)
            })
    }
}
