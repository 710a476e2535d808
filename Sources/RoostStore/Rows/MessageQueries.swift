// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSQLite
internal import RoostSealing

/// A message as stored, and its size.
struct StoredMessage: Sendable {
    let message: Message
    /// The size of the payload, as the budget counts it.
    let payloadCount: Int
    /// Whether a reply to the message is cached; nil if the query did not ask.
    var hasReplies: Bool?
}

/// The values that a commit writes for a message.
struct MessageEntry: Sendable {
    let message: Message
    let position: Position
    let channelRow: Int64
    let senderRow: Int64?
    let customTypeRow: Int64?
    let requestKey: Int64?
    let mentionsMe: Bool
    let payload: [UInt8]

    /// Makes the entry of a delivered message; the request ID is stored only if the message
    /// `isMine`.
    init(
        _ message: Message, channelRow: Int64, senderRow: Int64?, customTypeRow: Int64?,
        isMine: Bool, me: UserID, seal: PayloadSeal = .plain,
        requestKey: (RequestID) -> Int64 = \.key, row: (UserID) -> Int64
    ) {
        guard let position = message.position else {
            preconditionFailure("Only delivered messages are cached; the others are the outbox's.")
        }
        self.message = message
        self.position = position
        self.channelRow = channelRow
        self.senderRow = senderRow
        self.customTypeRow = customTypeRow
        self.requestKey = isMine ? message.requestID.map(requestKey) : nil
        // A message does not mention its own sender.
        mentionsMe = !isMine && message.mention.concerns(me)
        var payload: [UInt8] = []
        payload.reserveCapacity(256)
        let place = SealPlace.message(
            channelRow: channelRow, createdAt: position.createdAt.milliseconds,
            id: position.messageID.rawValue)
        let rows = MessageRows(sender: senderRow, customType: customTypeRow)
        seal.append(to: &payload, at: place) {
            MessagePayload.write(message, rows, to: &$0, row: row)
        }
        self.payload = payload
    }
}

/// A stretch of a channel's messages, both ends included.
struct MessageStretch: Sendable {
    let channelRow: Int64
    let lower: Position
    let upper: Position
    /// A further property that the messages share: a sender, a custom type, a kind or a parent.
    var key: Int64 = 0
}

/// The value of the column `message.request_key`.
struct RequestKey: Sendable {
    let rawValue: Int64
}

/// The place of one message.
struct MessagePlace: Sendable {
    let channelRow: Int64
    let position: Position
}

// Every list of columns below begins with the ones that `RowResolver.message` reads.
//
// If the place is known, the statement names the index of the table: the planner would go by
// `message_by_id` first and from there to the row. Three equalities tell the planner that at most
// one row matches. A change then needs no savepoint, at which the index of words would write all
// its pending entries.

extension Query where Input == MessagePlace, Output == Void {
    static let messageAtPlace = Query(
        sql: """
            SELECT channel_id, created_at, message_id, payload FROM message INDEXED BY sqlite_autoindex_message_1
            WHERE channel_id = ?1 AND created_at = ?2 AND message_id = ?3
            """,
        bind: { place, bindings in
            bindings.append(place.channelRow)
            bindings.append(place.position)
        })
}

// The statement also returns whether the message has replies. A statement of its own would run with
// each edit, and almost always return no.

extension Query where Input == MessagePlace, Output == Void {
    /// A message that is about to change, and whether there is a reply to it.
    static let changingMessage = Query(
        sql: """
            SELECT channel_id, created_at, message_id, payload, EXISTS (
                SELECT 1 FROM message AS reply INDEXED BY message_by_parent
                WHERE reply.channel_id = ?1 AND reply.parent_id = ?3)
            FROM message INDEXED BY sqlite_autoindex_message_1
            WHERE channel_id = ?1 AND created_at = ?2 AND message_id = ?3
            """,
        bind: { place, bindings in
            bindings.append(place.channelRow)
            bindings.append(place.position)
        })
}

extension Query where Input == (channelRow: Int64, id: MessageID), Output == Void {
    /// As above, when only the ID is known.
    static let changingMessageByID = Query(
        sql: """
            SELECT channel_id, created_at, message_id, payload, EXISTS (
                SELECT 1 FROM message AS reply INDEXED BY message_by_parent
                WHERE reply.channel_id = ?1 AND reply.parent_id = ?2)
            FROM message INDEXED BY message_by_id WHERE message_id = ?2 AND channel_id = ?1
            """,
        bind: { input, bindings in
            bindings.append(input.channelRow)
            bindings.append(input.id.rawValue)
        })
}

extension Query where Input == MessageID, Output == Void {
    /// A message by the ID that is unique in the application.
    static let messageByID = Query(
        sql: """
            SELECT channel_id, created_at, message_id, payload FROM message WHERE message_id = ?1
            """,
        bind: { id, bindings in bindings.append(id.rawValue) })
}

extension Query where Input == RequestKey, Output == Void {
    /// The user's messages whose request ID has this key; almost always one or none.
    static let messagesByRequest = Query(
        sql: """
            SELECT channel_id, created_at, message_id, payload FROM message WHERE request_key = ?1
            """,
        bind: { key, bindings in bindings.append(key.rawValue) })
}

extension Query where Input == (channelRow: Int64, id: MessageID), Output == Position {
    /// The position of a message of a channel.
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

extension Query where Input == (channelRow: Int64, id: MessageID), Output == MessagePlace {
    /// The places of a message's ID in other channels.
    static let placesElsewhere = Query(
        sql: """
            SELECT channel_id, created_at, message_id FROM message
            WHERE message_id = ?2 AND channel_id <> ?1
            """,
        bind: { input, bindings in
            bindings.append(input.channelRow)
            bindings.append(input.id.rawValue)
        },
        decode: { row in
            MessagePlace(channelRow: row.int64(0), position: Position(row, column: 1))
        })
}

extension Query where Input == MessageEntry, Output == Void {
    /// Adds a message; changes no row if the channel has one with its ID or place.
    static let insertMessage = Query(
        sql: """
            INSERT INTO message (channel_id, created_at, message_id, sender_id, kind,
                custom_type_id, parent_id, updated_at, request_key, is_reply_to_channel,
                mentions_me, payload)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT DO NOTHING
            """,
        bind: { entry, bindings in entry.bind(&bindings) })

    /// Adds a message; changes no row if any channel has a message with its ID.
    ///
    /// If another channel has it, the ID becomes NULL, which the column refuses. The check reads
    /// the leaf of the index that the new row's entry is written to, so it costs no further read.
    static let insertNewMessage = Query(
        sql: """
            INSERT OR IGNORE INTO message (channel_id, created_at, message_id, sender_id, kind,
                custom_type_id, parent_id, updated_at, request_key, is_reply_to_channel,
                mentions_me, payload)
            VALUES (?1, ?2, (SELECT ?3 WHERE NOT EXISTS (
                SELECT 1 FROM message AS other WHERE other.message_id = ?3 AND other.channel_id <> ?1)),
                ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """,
        bind: { entry, bindings in entry.bind(&bindings) })

    /// Replaces the content of a message and the time of its edit.
    static let updateContent = Query(
        sql: """
            UPDATE message INDEXED BY sqlite_autoindex_message_1 SET updated_at = ?4, payload = ?5
            WHERE channel_id = ?1 AND created_at = ?2 AND message_id = ?3
            """,
        bind: { entry, bindings in
            bindings.append(entry.channelRow)
            bindings.append(entry.position)
            bindings.append(entry.message.updatedAt?.milliseconds)
            bindings.append(entry.payload)
        })

    static let updateMessage = Query(
        sql: """
            UPDATE message INDEXED BY sqlite_autoindex_message_1 SET sender_id = ?4, kind = ?5, custom_type_id = ?6, parent_id = ?7,
                updated_at = ?8, request_key = ?9, is_reply_to_channel = ?10, mentions_me = ?11,
                payload = ?12
            WHERE channel_id = ?1 AND created_at = ?2 AND message_id = ?3
            """,
        bind: { entry, bindings in entry.bind(&bindings) })
}

extension Query where Input == MessagePlace, Output == Void {
    static let deleteMessage = Query(
        sql: """
            DELETE FROM message INDEXED BY sqlite_autoindex_message_1
            WHERE channel_id = ?1 AND created_at = ?2 AND message_id = ?3
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
    Input == (channelRow: Int64, from: Timestamp, through: Position),
    Output == Int64
{
    static let countMessages = Query(
        sql: """
            SELECT count(*) FROM message
            WHERE channel_id = ?1 AND created_at >= ?2 AND (created_at, message_id) <= (?3, ?4)
            """,
        bind: { input, bindings in
            bindings.append(input.channelRow)
            bindings.append(input.from.milliseconds)
            bindings.append(input.through)
        },
        decode: { row in row.int64(0) })
}

extension Query where Input == Int64, Output == Timestamp? {
    /// The time of a channel's oldest cached message; one step into the tree.
    static let oldestMessage = Query(
        sql: "SELECT min(created_at) FROM message WHERE channel_id = ?1",
        bind: { channelRow, bindings in bindings.append(channelRow) },
        decode: { row in row.optionalInt64(0).map { Timestamp(milliseconds: $0) } })
}

extension MessageEntry {
    fileprivate func bind(_ bindings: inout Bindings) {
        bindings.append(channelRow)
        bindings.append(position)
        bindings.append(senderRow)
        bindings.append(Int64(ContentTag(message.content).rawValue))
        bindings.append(customTypeRow)
        bindings.append(message.parentID?.rawValue)
        bindings.append(message.updatedAt?.milliseconds)
        bindings.append(requestKey)
        bindings.append(message.isReplyToChannel)
        bindings.append(mentionsMe)
        bindings.append(payload)
    }
}

extension RequestID {
    /// The search key of the table: 64 bits of FNV-1a, so messages with equal keys have to be compared.
    var key: Int64 { Int64(bitPattern: rawValue.utf8.fnv1a) }
}

extension Mention {
    /// Whether the message mentions a user, by name or with everybody.
    func concerns(_ user: UserID) -> Bool {
        kind == .channel || userIDs.contains(user)
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

extension Message {
    /// Whether the message mentions a user, by the column of mentions; a user's own message never
    /// does.
    func mentions(_ viewer: UserID) -> Bool {
        sender?.user.id != viewer && mention.concerns(viewer)
    }
}
