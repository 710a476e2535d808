// SPDX-License-Identifier: Apache-2.0

// Pages and counts of a channel's log and of its threads.

import RoostModel
import RoostSQLite
import RoostWire

/// A range of a channel's log, a filter and a limit.
typealias MessageStretch = (
    channel: Int64, range: PositionRange, filter: MessageFilter, limit: Int
)

extension Bindings {
    /// Binds ?1 to ?9 of the queries below.
    fileprivate mutating func append(
        _ channel: Int64, _ range: PositionRange, _ filter: MessageFilter
    ) {
        append(channel)
        append(range)
        append(filter.kind.rawValue)
        append(
            filter.parentID?.rawValue
                ?? (filter.replyType == .all ? 3 : filter.replyType == .none ? 0 : 2))
        append(filter.customTypes.map(Self.hexList))
        append(filter.senderIDs.map { Self.hexList($0.map(\.rawValue)) })
    }

    private mutating func append(_ range: PositionRange) {
        append(range.after.createdAt.milliseconds)
        append(range.after.messageID.rawValue)
        append(range.before.createdAt.milliseconds)
        append(range.before.messageID.rawValue)
    }

    fileprivate mutating func append(_ channel: Int64, _ range: PositionRange) {
        append(channel)
        append(range)
    }

    /// Returns a JSON list of texts as hexadecimal digits, because SQLite's JSON ends a text at a
    /// NUL.
    private static func hexList(_ texts: [String]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let list = texts.map { text in
            let hex = text.utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }
            return JSONValue.string(String(decoding: hex, as: UTF8.self))
        }
        return JSONValue.array(list).text
    }
}

// The bound of a range is a row value, so one index serves both of its parts. The column `is_reply`
// is 0, 1 or 2; the bits of `none` (0), `only_reply_to_channel` (2) and `all` (3) select from it. A
// thread has queries of its own, because no index serves both it and a channel.
extension Query where Input == MessageStretch, Output == MessageRow {
    static func messages(_ filter: MessageFilter, newestFirst: Bool) -> Query {
        switch (filter.parentID == nil, newestFirst) {
        case (true, false): oldestMessages
        case (true, true): newestMessages
        case (false, false): oldestReplies
        case (false, true): newestReplies
        }
    }

    private static func page(_ condition: StaticString) -> Query {
        Query(
            sql: SQL(MessageRow.query, condition),
            bind: { input, bindings in
                bindings.append(input.channel, input.range, input.filter)
                bindings.append(input.limit)
            },
            decode: { row in MessageRow(row) })
    }

    static var oldestMessages: Query {
        page(
            """
            WHERE m.channel = ?1 AND m.is_reply & ~?7 = 0
                AND (m.created_at, m.id) > (?2, ?3) AND (m.created_at, m.id) < (?4, ?5)
                AND m.deleted_at IS NULL AND (?6 = '' OR m.kind = ?6)
                AND (?8 IS NULL OR hex(m.custom_type) IN (SELECT value FROM json_each(?8)))
                AND (?9 IS NULL OR hex(u.user_id) IN (SELECT value FROM json_each(?9)))
            ORDER BY m.created_at, m.id LIMIT ?10
            """)
    }

    static var newestMessages: Query {
        page(
            """
            WHERE m.channel = ?1 AND m.is_reply & ~?7 = 0
                AND (m.created_at, m.id) > (?2, ?3) AND (m.created_at, m.id) < (?4, ?5)
                AND m.deleted_at IS NULL AND (?6 = '' OR m.kind = ?6)
                AND (?8 IS NULL OR hex(m.custom_type) IN (SELECT value FROM json_each(?8)))
                AND (?9 IS NULL OR hex(u.user_id) IN (SELECT value FROM json_each(?9)))
            ORDER BY m.created_at DESC, m.id DESC LIMIT ?10
            """)
    }

    static var oldestReplies: Query {
        page(
            """
            WHERE m.parent = ?7 AND +m.channel = ?1
                AND (m.created_at, m.id) > (?2, ?3) AND (m.created_at, m.id) < (?4, ?5)
                AND m.deleted_at IS NULL AND (?6 = '' OR m.kind = ?6)
                AND (?8 IS NULL OR hex(m.custom_type) IN (SELECT value FROM json_each(?8)))
                AND (?9 IS NULL OR hex(u.user_id) IN (SELECT value FROM json_each(?9)))
            ORDER BY m.created_at, m.id LIMIT ?10
            """)
    }

    static var newestReplies: Query {
        page(
            """
            WHERE m.parent = ?7 AND +m.channel = ?1
                AND (m.created_at, m.id) > (?2, ?3) AND (m.created_at, m.id) < (?4, ?5)
                AND m.deleted_at IS NULL AND (?6 = '' OR m.kind = ?6)
                AND (?8 IS NULL OR hex(m.custom_type) IN (SELECT value FROM json_each(?8)))
                AND (?9 IS NULL OR hex(u.user_id) IN (SELECT value FROM json_each(?9)))
            ORDER BY m.created_at DESC, m.id DESC LIMIT ?10
            """)
    }
}

extension Query where Input == (user: UserID, end: Position), Output == NewestPlace {
    /// The newest live message of each joined channel of a user before a position.
    ///
    /// SQLite uses a partial index only if the query has the condition of the index in its words.
    static var newestPlaces: Query {
        Query(
            sql: """
                SELECT c.url, m.created_at, m.id, me.traits
                FROM user AS u
                JOIN member AS me INDEXED BY member_present
                    ON me.user = u.id AND me.state = 'joined' AND me.state <> 'none'
                JOIN channel AS c ON c.id = me.channel
                JOIN message AS m ON m.id = (
                    SELECT id FROM message
                    WHERE channel = me.channel AND deleted_at IS NULL
                        AND (created_at, id) < (?2, ?3)
                    ORDER BY created_at DESC, id DESC LIMIT 1)
                WHERE u.user_id = ?1 ORDER BY c.url
                """,
            bind: { input, bindings in
                bindings.append(input.user.rawValue)
                bindings.append(input.end.createdAt.milliseconds)
                bindings.append(input.end.messageID.rawValue)
            },
            decode: { row in
                NewestPlace(
                    url: ChannelURL(row.text(0)),
                    position: Position(
                        createdAt: Timestamp(milliseconds: row.int64(1)),
                        messageID: MessageID(row.int64(2))),
                    traits: MemberTraits(json: row.text(3)))
            })
    }
}

extension Query
where Input == (channel: Int64, range: PositionRange, filter: MessageFilter), Output == Int {
    static func count(_ filter: MessageFilter) -> Query {
        filter.parentID == nil ? messageCount : replyCount
    }

    private static func count(_ sql: SQL) -> Query {
        Query(
            sql: sql,
            bind: { input, bindings in
                bindings.append(input.channel, input.range, input.filter)
            },
            decode: { row in Int(row.int64(0)) })
    }

    static var messageCount: Query {
        count(
            """
            SELECT count(*) FROM message AS m
            WHERE m.channel = ?1 AND m.is_reply & ~?7 = 0
                AND (m.created_at, m.id) > (?2, ?3) AND (m.created_at, m.id) < (?4, ?5)
                AND m.deleted_at IS NULL AND (?6 = '' OR m.kind = ?6)
                AND (?8 IS NULL OR hex(m.custom_type) IN (SELECT value FROM json_each(?8)))
                AND (?9 IS NULL OR EXISTS (
                    SELECT 1 FROM user AS u WHERE u.id = m.sender
                        AND hex(u.user_id) IN (SELECT value FROM json_each(?9))))
            """)
    }

    static var replyCount: Query {
        count(
            """
            SELECT count(*) FROM message AS m
            WHERE m.parent = ?7 AND +m.channel = ?1
                AND (m.created_at, m.id) > (?2, ?3) AND (m.created_at, m.id) < (?4, ?5)
                AND m.deleted_at IS NULL AND (?6 = '' OR m.kind = ?6)
                AND (?8 IS NULL OR hex(m.custom_type) IN (SELECT value FROM json_each(?8)))
                AND (?9 IS NULL OR EXISTS (
                    SELECT 1 FROM user AS u WHERE u.id = m.sender
                        AND hex(u.user_id) IN (SELECT value FROM json_each(?9))))
            """)
    }
}

extension Query
where Input == (owner: Int64, range: PositionRange, count: Int), Output == Position {
    private static func place(_ sql: SQL) -> Query {
        Query(
            sql: sql,
            bind: { input, bindings in
                bindings.append(input.owner, input.range)
                bindings.append(input.count)
            },
            decode: { row in Position(row) })
    }

    /// The last of a number of a range's first places, read from the index alone.
    static var placeAfter: Query {
        place(
            """
            SELECT created_at, id FROM message
            WHERE channel = ?1 AND (created_at, id) > (?2, ?3)
                AND (created_at, id) < (?4, ?5)
            ORDER BY created_at, id LIMIT 1 OFFSET ?6 - 1
            """)
    }

    /// The first of a number of a range's last places.
    static var placeBefore: Query {
        place(
            """
            SELECT created_at, id FROM message
            WHERE channel = ?1 AND (created_at, id) > (?2, ?3)
                AND (created_at, id) < (?4, ?5)
            ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?6 - 1
            """)
    }

    /// As `placeAfter`, of a thread, which its parent names.
    static var replyAfter: Query {
        place(
            """
            SELECT created_at, id FROM message
            WHERE parent = ?1 AND deleted_at IS NULL AND (created_at, id) > (?2, ?3)
                AND (created_at, id) < (?4, ?5)
            ORDER BY created_at, id LIMIT 1 OFFSET ?6 - 1
            """)
    }

    /// As `placeBefore`, of a thread.
    static var replyBefore: Query {
        place(
            """
            SELECT created_at, id FROM message
            WHERE parent = ?1 AND deleted_at IS NULL AND (created_at, id) > (?2, ?3)
                AND (created_at, id) < (?4, ?5)
            ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?6 - 1
            """)
    }
}

extension Position {
    fileprivate init(_ row: borrowing Row) {
        self.init(
            createdAt: Timestamp(milliseconds: row.int64(0)), messageID: MessageID(row.int64(1)))
    }
}

extension Query where Input == MessageID, Output == (count: Int, last: Timestamp?) {
    /// The number of a thread's replies, and the time of the last one.
    static var threadEnd: Query {
        Query(
            sql: """
                SELECT count(*), max(created_at) FROM message
                WHERE parent = ?1 AND deleted_at IS NULL
                """,
            bind: { parent, bindings in bindings.append(parent.rawValue) },
            decode: { row in
                (
                    Int(row.int64(0)),
                    row.optionalInt64(1).map { Timestamp(milliseconds: $0) }
                )
            })
    }
}

extension Query where Input == (parent: MessageID, limit: Int), Output == Readable<UserRow> {
    /// The users who replied in a thread, in the order of their first replies.
    static var repliers: Query {
        Query(
            sql: """
                SELECT u.id, u.body
                FROM (
                    SELECT sender, min(id) AS first FROM message
                    WHERE parent = ?1 AND deleted_at IS NULL AND sender IS NOT NULL
                    GROUP BY sender ORDER BY first LIMIT ?2) AS r
                JOIN user AS u ON u.id = r.sender ORDER BY r.first
                """,
            bind: { input, bindings in
                bindings.append(input.parent.rawValue)
                bindings.append(input.limit)
            },
            decode: { row in
                Readable { () throws(SQLiteError) in
                    try UserRow(id: row.int64(0), body: row.text(1))
                }
            })
    }
}
