// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQLite
import RoostWire

/// A row of a channel's log with the rows of its sender and of its live parent.
typealias MessageRow = StoredMessage

extension MessageRow {
    /// The start of all queries for these rows.
    static let query: StaticString = """
        SELECT m.id, m.created_at, m.sequence, m.deleted_at, m.body, u.body, p.created_at, p.body,
            pu.body, m.channel
        FROM message AS m LEFT JOIN user AS u ON u.id = m.sender
        LEFT JOIN message AS p
            ON p.id = m.parent AND p.channel = m.channel AND p.deleted_at IS NULL
        LEFT JOIN user AS pu ON pu.id = p.sender
        """

    init(_ row: borrowing Row) {
        self.init(
            id: row.int64(0), sequence: row.int64(2),
            deletedAt: row.optionalInt64(3).map { Timestamp(milliseconds: $0) },
            text: Text(
                createdAt: Timestamp(milliseconds: row.int64(1)), body: row.text(4),
                senderBody: row.optionalText(5)),
            parent: row.optionalInt64(6).map { createdAt in
                Text(
                    createdAt: Timestamp(milliseconds: createdAt), body: row.text(7),
                    senderBody: row.optionalText(8))
            })
    }

    func message() throws(SQLiteError) -> Message {
        do throws(WireError) {
            return try decoded()
        } catch {
            throw .malformed("message \(id)", because: error.description)
        }
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
                bindings.append(message.storedBody())
                bindings.append(new.id)
            })
    }
}

extension Query
where
    Input == (
        id: Int64, message: Message, edits: MadeEdits, change: ChangeStamp, deletedAt: Timestamp?
    ),
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
                bindings.append(input.message.storedBody(input.edits))
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

extension Query where Input == (channel: Int64, id: MessageID), Output == Timestamp {
    static var momentOfMessage: Query {
        Query(
            sql: "SELECT created_at FROM message WHERE id = ?2 AND channel = ?1",
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.id.rawValue)
            },
            decode: { row in Timestamp(milliseconds: row.int64(0)) })
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
where Input == (channel: Int64, after: Int64, through: Int64), Output == ChangeStamp {
    /// The last change of a channel's messages in a range of numbers.
    static var lastChange: Query {
        Query(
            sql: """
                SELECT sequence, changed_at FROM message
                WHERE channel = ?1 AND sequence > ?2 AND sequence <= ?3
                ORDER BY sequence DESC LIMIT 1
                """,
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.after)
                bindings.append(input.through)
            },
            decode: { row in ChangeStamp(sequence: row.int64(0), at: row.int64(1)) })
    }
}

extension Query
where Input == (channel: Int64, before: Position, limit: Int), Output == MessageRow {
    static var logBefore: Query {
        Query(
            sql: SQL(
                MessageRow.query,
                """
                WHERE m.channel = ?1 AND (m.created_at, m.id) < (?2, ?3)
                ORDER BY m.created_at DESC, m.id DESC LIMIT ?4
                """),
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.before.createdAt.milliseconds)
                bindings.append(input.before.messageID.rawValue)
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
