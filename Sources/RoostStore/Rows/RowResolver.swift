// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSQLite
internal import RoostSealing

/// Looks up the rows to which a message's row refers by number.
protocol RowResolver: AnyObject {
    var connection: Connection { get }
    /// Returns the user of a row; an error is kept until `message` or `channel` checks it, because
    /// payloads cannot throw it.
    func user(inRow row: Int64) -> User
    /// Returns the custom type of a row; an error is kept too.
    func word(inRow row: Int64) -> String
    func url(ofRow row: Int64) throws(SQLiteError) -> ChannelURL
    /// The encryption of rows; nil in a plaintext cache.
    var rowSeals: RowSeals? { get }
    /// Throws the kept error.
    func checkNames() throws(SQLiteError)
    /// Records that a message of a channel is unreadable.
    func noteUnreadable(in channelRow: Int64)
}

extension RowResolver {
    func noteUnreadable(in channelRow: Int64) {}
}

extension RowResolver {
    /// Returns the channel of a row; nil when only its URL is known.
    func channel(_ stored: StoredChannel) throws(SQLiteError) -> GroupChannel? {
        let channel: GroupChannel?
        do throws(SQLiteError) {
            channel = try stored.channel { row in user(inRow: row) }
        } catch {
            // An error about a name belongs to this row, so it is cleared before the next one.
            try? checkNames()
            throw error
        }
        try checkNames()
        return channel
    }

    /// Returns the message of a row of one of the statements above; `channel` if the query named
    /// it.
    func message(
        _ row: borrowing Row, in channel: ChannelURL? = nil
    ) throws(SQLiteError) -> StoredMessage {
        try message(row, at: Position(row, column: 1), in: channel)
    }

    /// As above, for a caller that has already read the message's position.
    func message(
        _ row: borrowing Row, at place: Position, in channel: ChannelURL?
    ) throws(SQLiteError) -> StoredMessage {
        do throws(SQLiteError) {
            return try readableMessage(row, at: place, in: channel)
        } catch {
            if error.isMalformedValue { noteUnreadable(in: row.int64(0)) }
            throw error
        }
    }

    /// Like `message`; nil if the message is unreadable.
    func readable(
        _ row: borrowing Row, in channel: ChannelURL? = nil
    ) throws(SQLiteError) -> StoredMessage? {
        do throws(SQLiteError) {
            return try message(row, in: channel)
        } catch  where error.isMalformedValue {
            return nil
        }
    }

    private func readableMessage(
        _ row: borrowing Row, at place: Position, in channel: ChannelURL?
    ) throws(SQLiteError) -> StoredMessage {
        let url: ChannelURL
        if let channel { url = channel } else { url = try self.url(ofRow: row.int64(0)) }
        var stored: StoredMessage?
        try row.lendBytes(3) { bytes throws(SQLiteError) in
            let message: Message
            if let rowSeals {
                let seal = SealPlace.message(
                    channelRow: row.int64(0), createdAt: place.createdAt.milliseconds,
                    id: place.messageID.rawValue)
                message = try rowSeals.open(bytes, at: seal, reading: "a message") {
                    bytes throws(SQLiteError) in try read(bytes, row, at: place, in: url)
                }
            } else {
                message = try read(bytes, row, at: place, in: url)
            }
            stored = StoredMessage(message: message, payloadCount: bytes.count)
        }
        try checkNames()
        guard let stored else { preconditionFailure("Bytes that were lent have been read.") }
        return stored
    }

    private func read(
        _ bytes: Span<UInt8>, _ row: borrowing Row, at place: Position, in url: ChannelURL
    ) throws(SQLiteError) -> Message {
        do throws(PayloadError) {
            return try MessagePayload.read(
                bytes, id: place.messageID, channelURL: url, createdAt: place.createdAt,
                user: { user(inRow: $0) }, word: { word(inRow: $0) })
        } catch {
            // An error about a name belongs to this row, so it is cleared before the next one.
            try? checkNames()
            throw error.asSQLiteError(reading: "a message")
        }
    }
}
