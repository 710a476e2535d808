// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostSQLite

extension SQLiteStorage {
    package func append(
        _ messages: [Message], now: Timestamp
    ) throws(StorageError) -> [Result<Appended?, StorageError>] {
        do throws(StorageError) {
            return try append(messages, now) { _, batch, message throws(SQLiteError) in
                .success(try batch.append(message))
            }
        } catch {
            // A disk error would repeat for each message.
            guard messages.count > 1, let cause = error.underlying as? SQLiteError,
                cause.isConstraint || cause.isMalformedValue
            else { throw error }
            // One of the messages cannot be stored. With a savepoint each, it fails alone; that
            // costs too much for batches without failures.
            return try append(messages, now) { db, batch, message throws(SQLiteError) in
                try db.part { () throws(SQLiteError) in try batch.append(message) }
            }
        }
    }

    private func append(
        _ messages: [Message], _ now: Timestamp,
        _ append: (Connection, AppendBatch, Message) throws(SQLiteError) -> Result<
            Appended?, SQLiteError
        >
    ) throws(StorageError) -> [Result<Appended?, StorageError>] {
        try write { db throws(SQLiteError) in
            let batch = AppendBatch(db, now)
            var results: [Result<Appended?, StorageError>] = []
            results.reserveCapacity(messages.count)
            for message in messages {
                try batch.prepare(for: message)
                results.append(try append(db, batch, message).mapError(Self.failure))
            }
            try batch.flush()
            return results
        }
    }
}

extension SQLiteStorage {
    package func importMessages(
        _ messages: [Message], into url: ChannelURL, _ marks: ImportMarks, now: Timestamp
    ) throws(StorageError) -> ImportOutcome {
        try write { db throws(SQLiteError) in
            guard let row = try db.first(.channelRow, url) else { return .notFound }
            guard let first = messages.first?.createdAt else { return .imported([]) }
            if let last = try db.first(.lastCreatedAt, row) ?? nil, first.milliseconds <= last {
                return .tooOld(Timestamp(milliseconds: last))
            }
            let batch = AppendBatch(db, now, showsHidden: false)
            var results: [Appended] = []
            for message in messages {
                try batch.prepare(for: message)
                if let appended = try batch.append(message, at: message.createdAt) {
                    results.append(appended)
                }
            }
            try batch.flush()
            guard let end = try db.first(.lastCreatedAt, row) ?? nil else {
                return .imported(results)
            }
            if marks.rewinds { try db.execute(.rewindReadMarks, (row, first.milliseconds - 1)) }
            if marks.raises { try db.execute(.raiseReadMarks, (row, end)) }
            return .imported(results)
        }
    }
}

/// Messages appended in one transaction.
///
/// The rows of channels, senders and the clock are read once for all messages, and `flush` writes
/// them once.
private final class AppendBatch {
    private struct Channel {
        let row: Int64
        var lastCreatedAt: Int64?
        var lastLiveID: MessageID?
        /// The newest change that is not in the row yet.
        var change: ChangeStamp?
        /// The read marks of senders in their own messages, by the number of their row.
        var marks: [Int64: Int64] = [:]
    }

    private let db: Connection
    private let now: Timestamp
    /// Whether channels that are hidden until the next message come back.
    private let showsHidden: Bool
    private var channels: [ChannelURL: Channel] = [:]
    private var users: [UserID: UserRow] = [:]
    private var clock: ChangeStamp?
    private var lastNumber: Int64?

    init(_ db: Connection, _ now: Timestamp, showsHidden: Bool = true) {
        self.db = db
        self.now = now
        self.showsHidden = showsHidden
    }

    /// Writes pending numbers before a reply, because the change of its parent takes numbers from
    /// the rows.
    func prepare(for message: Message) throws(SQLiteError) {
        if message.parentID != nil { try flush() }
    }

    /// Writes the values that only the batch has.
    func flush() throws(SQLiteError) {
        for (url, channel) in channels.sorted(by: { $0.value.row < $1.value.row }) {
            guard let change = channel.change else { continue }
            try db.touch(channel.row, change)
            if showsHidden { try db.execute(.showHidden, channel.row) }
            for (user, moment) in channel.marks.sorted(by: { $0.key < $1.key }) {
                try db.execute(.raiseReadMark, (channel.row, user, moment))
            }
            channels[url]?.change = nil
            channels[url]?.marks = [:]
        }
        if let clock { try db.execute(.setClock, clock) }
        clock = nil
    }

    // The batch changes after the last statement that may fail, so a failed message leaves nothing.
    /// Appends a message, an old one at its own moment.
    func append(_ message: Message, at moment: Timestamp? = nil) throws(SQLiteError) -> Appended? {
        let url = message.channelURL
        guard let channel = try channel(url) else { return nil }
        let sender = try message.sender.flatMap { sender throws(SQLiteError) in
            try user(sender.user.id)
        }
        if let sender, let request = message.requestID,
            let known = try db.first(.messageOfRequest, (channel.row, sender.id, request))
        {
            return try db.repeated(message, known, channel.row)
        }
        let after = channel.lastCreatedAt.map { Timestamp(milliseconds: $0).advanced(by: 1) }
        let createdAt = after.map { max(moment ?? now, $0) } ?? moment ?? now
        let last = try self.last()
        let change = ChangeStamp(
            sequence: last.sequence + 1,
            at: max(last.at, createdAt.milliseconds, now.milliseconds))
        let new = NewMessage(
            id: try lastID() + 1, message: message, channel: channel.row, sender: sender?.id,
            createdAt: createdAt,
            change: change)
        let number = new.id
        try db.execute(.insertMessage, new)
        let id = MessageID(number)
        try db.addMentions(message, number)
        var stored = message
        stored.createdAt = createdAt
        stored.delivery = .delivered(id, message.requestID)
        if let sender { stored.sender?.user = sender.user }
        var parent: Message?
        if let parentID = message.parentID {
            let reply = stored
            // The change takes its number from the row, so the row must have this message's.
            try db.execute(.setClock, change)
            parent = try db.change(parentID, in: channel.row, now: max(now, createdAt)) {
                $0.note(reply: reply)
            }
            clock = nil
        } else {
            clock = change
        }
        lastNumber = number
        channels[url]?.lastCreatedAt = createdAt.milliseconds
        channels[url]?.lastLiveID = id
        channels[url]?.change = try parent == nil ? change : db.first(.clock)
        if let sender { channels[url]?.marks[sender.id] = createdAt.milliseconds }
        return Appended(
            message: stored, previousID: channel.lastLiveID, isRepeat: false, isDeleted: false,
            parent: parent)
    }

    /// Returns the last change of all.
    private func last() throws(SQLiteError) -> ChangeStamp {
        if let clock { return clock }
        guard let stamp = try db.first(.clock) else {
            throw .malformed("clock", because: "The clock's row is missing.")
        }
        return stamp
    }

    /// Returns the highest number that a message ever had.
    ///
    /// SQLite counts by itself, but returning the number costs a savepoint per row.
    private func lastID() throws(SQLiteError) -> Int64 {
        if let lastNumber { return lastNumber }
        let known = try db.first(.lastMessageID) ?? 0
        lastNumber = known
        return known
    }

    private func channel(_ url: ChannelURL) throws(SQLiteError) -> Channel? {
        if let known = channels[url] { return known }
        guard let row = try db.first(.channelRow, url) else { return nil }
        let channel = Channel(
            row: row, lastCreatedAt: try db.first(.lastCreatedAt, row) ?? nil,
            lastLiveID: try db.first(
                .liveBefore,
                (row, Position(createdAt: .distantFuture, messageID: MessageID(.max)))))
        channels[url] = channel
        return channel
    }

    private func user(_ id: UserID) throws(SQLiteError) -> UserRow? {
        if let known = users[id] { return known }
        users[id] = try db.first(.user, id)
        return users[id]
    }
}

extension Query where Input == Void, Output == ChangeStamp {
    fileprivate static var clock: Query {
        Query(sql: "SELECT sequence, changed_at FROM clock") { row in
            ChangeStamp(sequence: row.int64(0), at: row.int64(1))
        }
    }
}

extension Query where Input == Void, Output == Int64 {
    fileprivate static var lastMessageID: Query {
        Query(sql: "SELECT seq FROM sqlite_sequence WHERE name = 'message'") { $0.int64(0) }
    }
}

extension Query where Input == ChangeStamp, Output == Void {
    fileprivate static var setClock: Query {
        Query(
            sql: "UPDATE clock SET sequence = ?1, changed_at = ?2",
            bind: { stamp, bindings in
                bindings.append(stamp.sequence)
                bindings.append(stamp.at)
            })
    }
}
