// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSQLite

/// A message as its row tells it: the sender is the number of another row.
struct StoredMessage: Sendable {
    /// Without its sender, and without its channel where the question named it; `resolved` gives the
    /// users whom its payload names.
    var message: Message
    var senderRow: Int64?
    /// As what they wrote it.
    var role: SenderRole
    /// The rows of `message.people`; needed for writing only.
    var rows: [UserID: Int64] = [:]

    /// The message with its sender and all others whom it names.
    func resolved(_ user: (Int64) -> User) -> Message {
        var message = message.mapPeople { person in person.standsForRow.map(user) ?? person }
        message.sender = senderRow.map { role.sender(user($0)) }
        return message
    }
}

extension User {
    /// Somebody of whom only the row is known yet; no server gives such an ID.
    fileprivate init(standingForRow row: Int64) { self.init(id: UserID("\0\(row)")) }

    fileprivate var standsForRow: Int64? {
        id.rawValue.utf8.first == 0 ? Int64(id.rawValue.dropFirst()) : nil
    }
}

/// A stretch of a channel's messages, both ends included.
struct MessageStretch: Sendable {
    let channelRow: Int64
    let lower: Position
    let upper: Position
    let limit: Int
}

/// The place of one message.
struct MessagePlace: Sendable {
    let channelRow: Int64
    let position: Position
}

// Every list of columns below is the one `StoredMessage.init` reads.
//
// `message_id BETWEEN ?3 AND ?3` is an equality that the planner does not take for one: with `=` it
// would go to `message_by_id` first and from there to the row, one walk more than by the place itself.

extension Query where Input == MessageStretch, Output == StoredMessage {
    /// The oldest messages of a stretch, oldest first.
    static let oldestMessages = Query(
        sql: """
            SELECT created_at, message_id, request_id, sender_id, custom_type, parent_id,
                updated_at, payload
            FROM message
            WHERE channel_id = ?1
                AND (created_at, message_id) >= (?2, ?3) AND (created_at, message_id) <= (?4, ?5)
            ORDER BY created_at, message_id LIMIT ?6
            """,
        bind: { stretch, bindings in stretch.bind(&bindings) },
        decode: { row throws(SQLiteError) in try StoredMessage(row) })

    /// The newest messages of a stretch, newest first.
    static let newestMessages = Query(
        sql: """
            SELECT created_at, message_id, request_id, sender_id, custom_type, parent_id,
                updated_at, payload
            FROM message
            WHERE channel_id = ?1
                AND (created_at, message_id) >= (?2, ?3) AND (created_at, message_id) <= (?4, ?5)
            ORDER BY created_at DESC, message_id DESC LIMIT ?6
            """,
        bind: { stretch, bindings in stretch.bind(&bindings) },
        decode: { row throws(SQLiteError) in try StoredMessage(row) })
}

extension Query where Input == MessagePlace, Output == StoredMessage {
    static let messageAtPlace = Query(
        sql: """
            SELECT created_at, message_id, request_id, sender_id, custom_type, parent_id,
                updated_at, payload
            FROM message WHERE channel_id = ?1 AND created_at = ?2 AND message_id BETWEEN ?3 AND ?3
            """,
        bind: { place, bindings in
            bindings.append(place.channelRow)
            bindings.append(place.position)
        },
        decode: { row throws(SQLiteError) in try StoredMessage(row) })
}

extension Query where Input == MessageID, Output == StoredMessage {
    /// A message by the ID that is unique in the application.
    static let messageByID = Query(
        sql: """
            SELECT message.created_at, message_id, request_id, sender_id, custom_type, parent_id,
                updated_at, message.payload, channel.url
            FROM message JOIN channel ON channel.id = message.channel_id
            WHERE message_id = ?1
            """,
        bind: { id, bindings in bindings.append(id.rawValue) },
        decode: { row throws(SQLiteError) in
            try StoredMessage(row, channel: ChannelURL(row.text(8)))
        })
}

extension Query where Input == RequestID, Output == StoredMessage {
    static let messageByRequest = Query(
        sql: """
            SELECT message.created_at, message_id, request_id, sender_id, custom_type, parent_id,
                updated_at, message.payload, channel.url
            FROM message JOIN channel ON channel.id = message.channel_id
            WHERE request_id = ?1
            """,
        bind: { id, bindings in bindings.append(id.rawValue) },
        decode: { row throws(SQLiteError) in
            try StoredMessage(row, channel: ChannelURL(row.text(8)))
        })
}

extension Query where Input == (channelRow: Int64, id: MessageID), Output == Position {
    /// Where a message of a channel lies.
    static let positionOfMessage = Query(
        sql: """
            SELECT created_at, message_id FROM message WHERE message_id = ?2 AND channel_id = ?1
            """,
        bind: { input, bindings in
            bindings.append(input.channelRow)
            bindings.append(input.id.rawValue)
        },
        decode: { row in Position(row, column: 0) })
}

extension Query where Input == (channelRow: Int64, stored: StoredMessage), Output == Void {
    /// Adds a message; changes no row when the channel has one of its ID or place.
    static let insertMessage = Query(
        sql: """
            INSERT INTO message (channel_id, created_at, message_id, request_id, sender_id, kind,
                custom_type, parent_id, updated_at, payload)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT DO NOTHING
            """,
        bind: { input, bindings in input.stored.bind(&bindings, channelRow: input.channelRow) })

    static let updateMessage = Query(
        sql: """
            UPDATE message SET request_id = ?4, sender_id = ?5, kind = ?6, custom_type = ?7,
                parent_id = ?8, updated_at = ?9, payload = ?10
            WHERE channel_id = ?1 AND created_at = ?2 AND message_id BETWEEN ?3 AND ?3
            """,
        bind: { input, bindings in input.stored.bind(&bindings, channelRow: input.channelRow) })
}

extension Query where Input == MessagePlace, Output == Void {
    static let deleteMessage = Query(
        sql: """
            DELETE FROM message
            WHERE channel_id = ?1 AND created_at = ?2 AND message_id BETWEEN ?3 AND ?3
            """,
        bind: { place, bindings in
            bindings.append(place.channelRow)
            bindings.append(place.position)
        })
}

extension Query where Input == Int64, Output == Void {
    static let deleteMessagesOfChannel = Query(
        sql: "DELETE FROM message WHERE channel_id = ?1",
        bind: { channelRow, bindings in bindings.append(channelRow) })
}

extension Query
where
    Input == (channelRow: Int64, from: Timestamp, through: Timestamp),
    Output == Int64
{
    static let countMessages = Query(
        sql: """
            SELECT count(*) FROM message
            WHERE channel_id = ?1 AND created_at >= ?2 AND created_at <= ?3
            """,
        bind: { input, bindings in
            bindings.append(input.channelRow)
            bindings.append(input.from.milliseconds)
            bindings.append(input.through.milliseconds)
        },
        decode: { row in row.int64(0) })
}

// MARK: - Columns

extension MessageStretch {
    fileprivate func bind(_ bindings: inout Bindings) {
        bindings.append(channelRow)
        bindings.append(lower)
        bindings.append(upper)
        bindings.append(limit)
    }
}

extension StoredMessage {
    /// Reads the place, the request ID, the sender and the rest; who asked knows the channel.
    fileprivate init(
        _ row: borrowing Row, channel: ChannelURL = ChannelURL("")
    ) throws(SQLiteError) {
        let position = Position(row, column: 0)
        var message = Message(
            delivery: .delivered(position.messageID, row.optionalText(2).map { RequestID($0) }),
            channelURL: channel, createdAt: position.createdAt, content: .user(text: ""))
        senderRow = row.optionalInt64(3)
        message.customType = row.text(4)
        message.parentID = row.optionalInt64(5).map { MessageID($0) }
        message.updatedAt = row.optionalInt64(6).map { Timestamp(milliseconds: $0) }
        role = try row.withBytes(7) { bytes throws(SQLiteError) in
            do throws(PayloadError) {
                return try MessagePayload.read(bytes, into: &message) { User(standingForRow: $0) }
            } catch {
                throw error.asSQLiteError(reading: "a message")
            }
        }
        self.message = message
    }

    fileprivate func bind(_ bindings: inout Bindings, channelRow: Int64) {
        guard let position = message.position else {
            preconditionFailure("Only delivered messages are cached; the others are the outbox's.")
        }
        bindings.append(channelRow)
        bindings.append(position)
        bindings.append(message.requestID?.rawValue)
        bindings.append(senderRow)
        bindings.append(Int64(ContentTag(message.content).rawValue))
        bindings.append(message.customType)
        bindings.append(message.parentID?.rawValue)
        bindings.append(message.updatedAt?.milliseconds)
        bindings.appendBytes { bytes in
            MessagePayload.write(message, to: &bytes) { id in
                guard let row = rows[id] else {
                    preconditionFailure("A user is learned before somebody refers to them.")
                }
                return row
            }
        }
    }
}

extension Position {
    /// Reads a place from two columns.
    init(_ row: borrowing Row, column: Int32) {
        self.init(
            createdAt: Timestamp(milliseconds: row.int64(column)),
            messageID: MessageID(row.int64(column + 1)))
    }
}

extension Bindings {
    mutating func append(_ position: Position) {
        append(position.createdAt.milliseconds)
        append(position.messageID.rawValue)
    }
}

extension Query where Input == Int64, Output == Timestamp? {
    /// When a channel's oldest cached message was written; one step into the tree.
    static let oldestMessage = Query(
        sql: "SELECT min(created_at) FROM message WHERE channel_id = ?1",
        bind: { channelRow, bindings in bindings.append(channelRow) },
        decode: { row in row.optionalInt64(0).map { Timestamp(milliseconds: $0) } })
}
