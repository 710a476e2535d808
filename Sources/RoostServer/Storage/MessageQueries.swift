// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQLite
import RoostWire

/// A row of a channel's log with the rows of its sender and of its live parent.
struct MessageRow: Sendable {
    /// The start of all queries for these rows.
    static let query: StaticString = """
        SELECT m.id, m.created_at, m.sequence, m.deleted_at, m.body, u.body, p.created_at, p.body,
            pu.body, m.channel
        FROM message AS m LEFT JOIN user AS u ON u.id = m.sender
        LEFT JOIN message AS p
            ON p.id = m.parent AND p.channel = m.channel AND p.deleted_at IS NULL
        LEFT JOIN user AS pu ON pu.id = p.sender
        """

    /// The texts of a message's row and its sender's row.
    private struct Text: Sendable {
        let createdAt: Timestamp
        let body: String
        let senderBody: String?

        func message() throws(WireError) -> Message {
            var reader = JSONReader(body)
            // No client can read deeper JSON within a list.
            reader.depthBound = JSONReader.contentDepth + JSONReader.wrappingDepth
            var message = try reader.readMessage()
            message.createdAt = createdAt
            if let senderBody {
                var reader = JSONReader(senderBody)
                message.sender?.user = try reader.readUser()
            }
            return message
        }
    }

    let id: Int64
    let sequence: Int64
    let deletedAt: Timestamp?
    private let text: Text
    private let parent: Text?

    init(_ row: borrowing Row) {
        id = row.int64(0)
        sequence = row.int64(2)
        deletedAt = row.optionalInt64(3).map { Timestamp(milliseconds: $0) }
        text = Text(
            createdAt: Timestamp(milliseconds: row.int64(1)), body: row.text(4),
            senderBody: row.optionalText(5))
        parent = row.optionalInt64(6).map { createdAt in
            Text(
                createdAt: Timestamp(milliseconds: createdAt), body: row.text(7),
                senderBody: row.optionalText(8))
        }
    }

    var createdAt: Timestamp { text.createdAt }

    /// Returns the message with the present name of its sender and the present state of its parent.
    func message() throws(SQLiteError) -> Message {
        do throws(WireError) {
            var message = try text.message()
            message.delivery = .delivered(MessageID(id), message.requestID)
            if message.parentID != nil {
                message.details.parentPreview = try parent?.message().shownPreview
            }
            // A log has no votes of single users.
            if !message.hasNoDetails { message.details.poll?.votedOptionIDs = nil }
            return message
        } catch {
            throw .malformed("message \(id)", because: error.description)
        }
    }

    /// The message; nil inside if the row cannot be read.
    var readable: Readable<Message> { Readable { () throws(SQLiteError) in try message() } }

    var change: Readable<MessageChangePage.Change> {
        if let deletedAt { return Readable(value: .deleted(MessageID(id), at: deletedAt)) }
        return Readable(value: readable.value.map { .current($0) })
    }
}

extension Message {
    /// The stored text: the message without the data in its row, the sender's row and the parent's.
    fileprivate var body: String {
        var message = self
        if parentID != nil { message.details.parentPreview = nil }
        message.delivery = .delivered(MessageID(1), requestID)
        if let sender { message.sender?.user = User(id: sender.user.id) }
        var writer = JSONWriter()
        writer.message(message)
        return writer.text
    }

    fileprivate var replyNumber: Int64 {
        if parentID == nil { return 0 }
        return isReplyToChannel ? 2 : 1
    }
}

struct NewMessage: Sendable {
    let id: Int64
    let message: Message
    let channel: Int64
    let sender: Int64?
    let createdAt: Timestamp
    let change: ChangeStamp
}

extension Query where Input == NewMessage, Output == Void {
    static var insertMessage: Query {
        Query(
            sql: """
                INSERT INTO message (channel, created_at, sender, request_id, kind, custom_type,
                    parent, is_counted, is_reply, mentions_all, sequence, changed_at, body, id)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
                """,
            bind: { new, bindings in
                let message = new.message
                bindings.append(new.channel)
                bindings.append(new.createdAt.milliseconds)
                bindings.append(new.sender)
                bindings.append(message.requestID?.rawValue)
                bindings.append(message.content.kind)
                bindings.append(message.customType)
                bindings.append(message.parentID?.rawValue)
                bindings.append(message.isCounted)
                bindings.append(message.replyNumber)
                bindings.append(message.mention.kind == .channel)
                bindings.append(new.change.sequence)
                bindings.append(new.change.at)
                bindings.append(message.body)
                bindings.append(new.id)
            })
    }
}

extension Query
where
    Input == (id: Int64, message: Message, change: ChangeStamp, deletedAt: Timestamp?),
    Output == Void
{
    static var replaceMessage: Query {
        Query(
            sql: """
                UPDATE message SET custom_type = ?2, mentions_all = ?3, sequence = ?4,
                    changed_at = ?5, deleted_at = ?6, body = ?7
                WHERE id = ?1
                """,
            bind: { input, bindings in
                bindings.append(input.id)
                bindings.append(input.message.customType)
                bindings.append(input.message.mention.kind == .channel)
                bindings.append(input.change.sequence)
                bindings.append(input.change.at)
                bindings.append(input.deletedAt?.milliseconds)
                bindings.append(input.message.body)
            })
    }
}

extension Query where Input == (channel: Int64, id: MessageID), Output == MessageRow {
    static var message: Query {
        Query(
            sql: SQL(
                MessageRow.query,
                "WHERE m.id = ?2 AND m.channel = ?1"),
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.id.rawValue)
            },
            decode: { row in MessageRow(row) })
    }
}

extension Query
where Input == (channel: Int64, sender: Int64, request: RequestID), Output == MessageRow {
    static var messageOfRequest: Query {
        Query(
            sql: SQL(
                MessageRow.query,
                "WHERE m.channel = ?1 AND m.sender = ?2 AND m.request_id = ?3"),
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.sender)
                bindings.append(input.request.rawValue)
            },
            decode: { row in MessageRow(row) })
    }
}

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

    static var oldestMessages: Query {
        Query(
            sql: SQL(
                MessageRow.query,
                """
                WHERE m.channel = ?1 AND m.is_reply & ~?7 = 0
                    AND (m.created_at, m.id) > (?2, ?3) AND (m.created_at, m.id) < (?4, ?5)
                    AND m.deleted_at IS NULL AND (?6 = '' OR m.kind = ?6)
                    AND (?8 IS NULL OR hex(m.custom_type) IN (SELECT value FROM json_each(?8)))
                    AND (?9 IS NULL OR hex(u.user_id) IN (SELECT value FROM json_each(?9)))
                ORDER BY m.created_at, m.id LIMIT ?10
                """),
            bind: { input, bindings in
                bindings.append(input.channel, input.range, input.filter)
                bindings.append(input.limit)
            },
            decode: { row in MessageRow(row) })
    }

    static var newestMessages: Query {
        Query(
            sql: SQL(
                MessageRow.query,
                """
                WHERE m.channel = ?1 AND m.is_reply & ~?7 = 0
                    AND (m.created_at, m.id) > (?2, ?3) AND (m.created_at, m.id) < (?4, ?5)
                    AND m.deleted_at IS NULL AND (?6 = '' OR m.kind = ?6)
                    AND (?8 IS NULL OR hex(m.custom_type) IN (SELECT value FROM json_each(?8)))
                    AND (?9 IS NULL OR hex(u.user_id) IN (SELECT value FROM json_each(?9)))
                ORDER BY m.created_at DESC, m.id DESC LIMIT ?10
                """),
            bind: { input, bindings in
                bindings.append(input.channel, input.range, input.filter)
                bindings.append(input.limit)
            },
            decode: { row in MessageRow(row) })
    }

    static var oldestReplies: Query {
        Query(
            sql: SQL(
                MessageRow.query,
                """
                WHERE m.parent = ?7 AND +m.channel = ?1
                    AND (m.created_at, m.id) > (?2, ?3) AND (m.created_at, m.id) < (?4, ?5)
                    AND m.deleted_at IS NULL AND (?6 = '' OR m.kind = ?6)
                    AND (?8 IS NULL OR hex(m.custom_type) IN (SELECT value FROM json_each(?8)))
                    AND (?9 IS NULL OR hex(u.user_id) IN (SELECT value FROM json_each(?9)))
                ORDER BY m.created_at, m.id LIMIT ?10
                """),
            bind: { input, bindings in
                bindings.append(input.channel, input.range, input.filter)
                bindings.append(input.limit)
            },
            decode: { row in MessageRow(row) })
    }

    static var newestReplies: Query {
        Query(
            sql: SQL(
                MessageRow.query,
                """
                WHERE m.parent = ?7 AND +m.channel = ?1
                    AND (m.created_at, m.id) > (?2, ?3) AND (m.created_at, m.id) < (?4, ?5)
                    AND m.deleted_at IS NULL AND (?6 = '' OR m.kind = ?6)
                    AND (?8 IS NULL OR hex(m.custom_type) IN (SELECT value FROM json_each(?8)))
                    AND (?9 IS NULL OR hex(u.user_id) IN (SELECT value FROM json_each(?9)))
                ORDER BY m.created_at DESC, m.id DESC LIMIT ?10
                """),
            bind: { input, bindings in
                bindings.append(input.channel, input.range, input.filter)
                bindings.append(input.limit)
            },
            decode: { row in MessageRow(row) })
    }
}

extension Query
where Input == (channel: Int64, range: PositionRange, filter: MessageFilter), Output == Int {
    static func count(_ filter: MessageFilter) -> Query {
        filter.parentID == nil ? messageCount : replyCount
    }

    static var messageCount: Query {
        Query(
            sql: """
                SELECT count(*) FROM message AS m
                WHERE m.channel = ?1 AND m.is_reply & ~?7 = 0
                    AND (m.created_at, m.id) > (?2, ?3) AND (m.created_at, m.id) < (?4, ?5)
                    AND m.deleted_at IS NULL AND (?6 = '' OR m.kind = ?6)
                    AND (?8 IS NULL OR hex(m.custom_type) IN (SELECT value FROM json_each(?8)))
                    AND (?9 IS NULL OR EXISTS (
                        SELECT 1 FROM user AS u WHERE u.id = m.sender
                            AND hex(u.user_id) IN (SELECT value FROM json_each(?9))))
                """,
            bind: { input, bindings in
                bindings.append(input.channel, input.range, input.filter)
            },
            decode: { row in Int(row.int64(0)) })
    }

    static var replyCount: Query {
        Query(
            sql: """
                SELECT count(*) FROM message AS m
                WHERE m.parent = ?7 AND +m.channel = ?1
                    AND (m.created_at, m.id) > (?2, ?3) AND (m.created_at, m.id) < (?4, ?5)
                    AND m.deleted_at IS NULL AND (?6 = '' OR m.kind = ?6)
                    AND (?8 IS NULL OR hex(m.custom_type) IN (SELECT value FROM json_each(?8)))
                    AND (?9 IS NULL OR EXISTS (
                        SELECT 1 FROM user AS u WHERE u.id = m.sender
                            AND hex(u.user_id) IN (SELECT value FROM json_each(?9))))
                """,
            bind: { input, bindings in
                bindings.append(input.channel, input.range, input.filter)
            },
            decode: { row in Int(row.int64(0)) })
    }
}

extension Query
where Input == (channel: Int64, range: PositionRange, count: Int), Output == Position {
    /// The last of a number of a range's first places, read from the index alone.
    static var placeAfter: Query {
        Query(
            sql: """
                SELECT created_at, id FROM message
                WHERE channel = ?1 AND (created_at, id) > (?2, ?3)
                    AND (created_at, id) < (?4, ?5)
                ORDER BY created_at, id LIMIT 1 OFFSET ?6 - 1
                """,
            bind: { input, bindings in
                bindings.append(input.channel, input.range)
                bindings.append(input.count)
            },
            decode: { row in Position(row) })
    }

    /// The first of a number of a range's last places.
    static var placeBefore: Query {
        Query(
            sql: """
                SELECT created_at, id FROM message
                WHERE channel = ?1 AND (created_at, id) > (?2, ?3)
                    AND (created_at, id) < (?4, ?5)
                ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET ?6 - 1
                """,
            bind: { input, bindings in
                bindings.append(input.channel, input.range)
                bindings.append(input.count)
            },
            decode: { row in Position(row) })
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

extension Query where Input == (channel: Int64, before: Position), Output == MessageID {
    static var liveBefore: Query {
        Query(
            sql: """
                SELECT id FROM message
                WHERE channel = ?1 AND (created_at, id) < (?2, ?3) AND deleted_at IS NULL
                ORDER BY created_at DESC, id DESC LIMIT 1
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.before.createdAt.milliseconds)
                bindings.append(input.before.messageID.rawValue)
            },
            decode: { row in MessageID(row.int64(0)) })
    }
}

extension Query where Input == Int64, Output == Int64? {
    static var lastCreatedAt: Query {
        Query(
            sql: "SELECT max(created_at) FROM message WHERE channel = ?1",
            bind: { channel, bindings in bindings.append(channel) },
            decode: { row in row.optionalInt64(0) })
    }
}

extension Query where Input == (channel: Int64, after: Int64, limit: Int), Output == MessageRow {
    static var changesAfter: Query {
        Query(
            sql: SQL(
                MessageRow.query,
                "WHERE m.channel = ?1 AND m.sequence > ?2 ORDER BY m.sequence LIMIT ?3"),
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.after)
                bindings.append(input.limit)
            },
            decode: { row in MessageRow(row) })
    }
}

extension Query
where Input == (channel: Int64, since: Timestamp, limit: Int), Output == MessageRow {
    static var changesSince: Query {
        Query(
            sql: SQL(
                MessageRow.query,
                """
                WHERE m.channel = ?1 AND m.sequence > coalesce(
                    (SELECT sequence FROM message WHERE channel = ?1 AND changed_at < ?2
                     ORDER BY sequence DESC LIMIT 1), 0)
                ORDER BY m.sequence LIMIT ?3
                """),
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.since.milliseconds)
                bindings.append(input.limit)
            },
            decode: { row in MessageRow(row) })
    }
}

extension Query where Input == Int64, Output == MessageRow {
    static var log: Query {
        Query(
            sql: SQL(
                MessageRow.query,
                "WHERE m.channel = ?1 ORDER BY m.created_at, m.id"),
            bind: { channel, bindings in bindings.append(channel) },
            decode: { row in MessageRow(row) })
    }
}

extension Query where Input == Int64, Output == Void {
    static var clearMentions: Query {
        Query(
            sql: "DELETE FROM mention WHERE message = ?1",
            bind: { id, bindings in bindings.append(id) })
    }
}

extension Query where Input == (message: Int64, user: UserID), Output == Void {
    static var addMention: Query {
        Query(
            sql: "INSERT OR IGNORE INTO mention (message, user_id) VALUES (?1, ?2)",
            bind: { input, bindings in
                bindings.append(input.message)
                bindings.append(input.user.rawValue)
            })
    }
}

extension Query where Input == Timestamp, Output == ChangeStamp {
    static var nextChange: Query {
        Query(
            sql: """
                UPDATE clock SET sequence = sequence + 1, changed_at = max(changed_at, ?1)
                RETURNING sequence, changed_at
                """,
            bind: { now, bindings in bindings.append(now.milliseconds) },
            decode: { row in ChangeStamp(sequence: row.int64(0), at: row.int64(1)) })
    }
}

extension Query where Input == Void, Output == Int64 {
    static var currentSequence: Query {
        Query(sql: "SELECT sequence FROM clock") { row in row.int64(0) }
    }
}
