// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSQLite

extension MigrationWork {
    /// Takes messages out of the table of schema 1 and writes them as schema 2 has them.
    static let leanRows = MigrationWork(
        remaining: { connection throws(SQLiteError) in
            guard try connection.first(.hasOldMessages) == 1 else { return 0 }
            return Int(try connection.first(.oldMessageCount) ?? 0)
        },
        moveSlice: { connection throws(SQLiteError) in
            guard try connection.first(.hasOldMessages) == 1 else { return 0 }
            let rows = try connection.all(.oldMessages, sliceSize)
            guard let last = rows.last else {
                try connection.executeScript("DROP TABLE message_1")
                try connection.executeScript(sumUp)
                try describeChannels(connection)
                return 0
            }
            guard let owner = try connection.first(OwnerQueries.cache.select) else {
                throw .malformed("the cache", because: "it does not say whose it is")
            }
            var words = WordBook(connection)
            for row in rows {
                let typeRow = try words.row(row.message.customType)
                try connection.execute(
                    .insertMessage,
                    MessageEntry(
                        row.message, channelRow: row.channelRow, senderRow: row.senderRow,
                        customTypeRow: typeRow, isMine: row.isMine(owner.user),
                        me: UserID(owner.user), row: { _ in 0 }))
            }
            try connection.execute(.deleteOldMessages, last)
            return rows.count
        })

    /// A second's work at most on a slow disk, so that a cut run loses little.
    private static let sliceSize = 2_000

    /// Fills the columns that lists are filtered by.
    private static func describeChannels(_ connection: Connection) throws(SQLiteError) {
        var words = WordBook(connection)
        for url in try connection.all(.channelURLs) {
            guard let stored = try connection.first(.channelByURL, url),
                let payload = stored.payload,
                // Nobody's name is wanted, and the payload is written again as it was.
                let channel = try stored.channel(user: { _ in User(id: "") })
            else { continue }
            try connection.execute(
                .updateChannel,
                ChannelEntry(
                    row: stored.row, channel: channel,
                    customTypeRow: try words.row(channel.customType), payload: payload))
        }
    }

    private static let sumUp: SQL = """
        INSERT INTO holding (channel_id, message_count, payload_bytes)
            SELECT channel_id, count(*), sum(length(payload)) FROM message GROUP BY channel_id
        """
}

/// A message as schema 1 kept it.
private struct OldMessage: Sendable {
    let channelRow: Int64
    let senderRow: Int64?
    let senderID: String?
    let message: Message

    func isMine(_ user: String) -> Bool {
        senderID.map { $0.utf8.elementsEqual(user.utf8) } ?? false
    }

    init(_ row: borrowing Row) throws(SQLiteError) {
        channelRow = row.int64(0)
        let position = Position(row, column: 1)
        let senderRow = row.optionalInt64(3)
        self.senderRow = senderRow
        senderID = row.optionalText(4)
        message = try row.withBytes(9) { bytes throws(SQLiteError) in
            do throws(PayloadError) {
                // Version 1 names nobody in a payload. Only the sender's role is written again; who it
                // was stays a number.
                return try MessagePayload.read(
                    bytes, id: position.messageID, channelURL: "", createdAt: position.createdAt,
                    columns: MessageColumns(
                        sender: senderRow.map { _ in User(id: "") }, customType: row.text(6),
                        parentID: row.optionalInt64(7).map { MessageID($0) },
                        updatedAt: row.optionalInt64(8).map { Timestamp(milliseconds: $0) },
                        requestID: row.optionalText(5).map { RequestID($0) }),
                    user: { _ in User(id: "") }, word: { _ in "" })
            } catch {
                throw error.asSQLiteError(reading: "a message")
            }
        }
    }
}

extension Query where Input == Void, Output == Int64 {
    fileprivate static let hasOldMessages = Query(
        sql: "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'message_1'"
    ) { row in row.int64(0) }

    fileprivate static let oldMessageCount = Query(sql: "SELECT count(*) FROM message_1") { row in
        row.int64(0)
    }
}

extension Query where Input == Int, Output == OldMessage {
    fileprivate static let oldMessages = Query(
        sql: """
            SELECT channel_id, created_at, message_id, sender_id, user.user_id, request_id,
                custom_type, parent_id, updated_at, message_1.payload
            FROM message_1 LEFT JOIN user ON user.id = sender_id
            ORDER BY channel_id, created_at, message_id LIMIT ?1
            """,
        bind: { limit, bindings in bindings.append(limit) },
        decode: { row throws(SQLiteError) in try OldMessage(row) })
}

extension Query where Input == OldMessage, Output == Void {
    /// Deletes everything up to a message that has been moved.
    fileprivate static let deleteOldMessages = Query(
        sql: """
            DELETE FROM message_1
            WHERE (channel_id, created_at, message_id) <= (?1, ?2, ?3)
            """,
        bind: { last, bindings in
            guard let position = last.message.position else {
                preconditionFailure("The cache holds delivered messages only.")
            }
            bindings.append(last.channelRow)
            bindings.append(position)
        })
}
