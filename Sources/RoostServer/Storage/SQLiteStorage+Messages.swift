// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostSQLite
package import RoostWire

extension SQLiteStorage {
    package func edit(
        _ edit: EditCommand, mentioned: [User], now: Timestamp
    ) throws(StorageError) -> EditOutcome {
        try write { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, edit.channelURL),
                let row = try db.first(.message, (channel, edit.messageID)), row.deletedAt == nil
            else { return .notFound }
            let before = try row.message()
            var after = before
            after.apply(edit, mentioned: mentioned, at: now)
            let change = try db.nextChange(now)
            try db.execute(.replaceMessage, (row.id, after, change, nil))
            try db.setMentions(after, row.id)
            try db.touch(channel, change)
            return .edited(after, oldMention: before.mention)
        }
    }

    package func delete(
        _ id: MessageID, in url: ChannelURL, now: Timestamp
    ) throws(StorageError) -> DeleteOutcome {
        try write { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url),
                let row = try db.first(.message, (channel, id)), row.deletedAt == nil
            else { return .notFound }
            let before = try row.message()
            let change = try db.nextChange(now)
            try db.execute(.replaceMessage, (row.id, before.tombstone, change, now))
            try db.setMentions(before.tombstone, row.id)
            try db.touch(channel, change)
            guard let parent = before.parentID else { return .deleted(before, parent: nil) }
            var replies: [Message] = []
            try db.scan(
                channel, PositionRange(), MessageFilter(parentID: parent), newestFirst: false,
                limit: .max, leaveOut: leaveOut
            ) { reply in
                replies.append(reply)
                return true
            }
            let left = replies
            return .deleted(
                before,
                parent: try db.change(parent, in: channel, now: now) {
                    $0.setReplies(left, now: now)
                })
        }
    }

    package func updateMessage(
        _ id: MessageID, in url: ChannelURL, now: Timestamp,
        _ change: @Sendable (inout Message) -> Void
    ) throws(StorageError) -> Message? {
        try write { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url) else { return nil }
            return try db.change(id, in: channel, now: now, change)
        }
    }

    package func message(_ id: MessageID, in url: ChannelURL) throws(StorageError) -> Message? {
        try read { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url),
                let row = try db.first(.message, (channel, id)), row.deletedAt == nil
            else { return nil }
            return try row.message()
        }
    }

    package func isKnown(
        _ request: RequestID, of sender: UserID, in url: ChannelURL
    ) throws(StorageError) -> Bool {
        try read { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url),
                let sender = try db.first(.user, sender)
            else { return false }
            return try db.first(.messageOfRequest, (channel, sender.id, request)) != nil
        }
    }

    package func position(of id: MessageID, in url: ChannelURL) throws(StorageError) -> Position? {
        try read { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url),
                let row = try db.first(.message, (channel, id))
            else { return nil }
            return Position(createdAt: row.createdAt, messageID: id)
        }
    }

    package func messages(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, newestFirst: Bool,
        limit: Int
    ) throws(StorageError) -> [Message] {
        try read { db throws(SQLiteError) in
            guard limit > 0, let channel = try db.first(.channelRow, url) else { return [] }
            var messages: [Message] = []
            try db.scan(
                channel, range, filter, newestFirst: newestFirst, limit: limit,
                leaveOut: leaveOut
            ) { message in
                messages.append(message)
                return messages.count < limit
            }
            return messages
        }
    }

    package func messageCount(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter
    ) throws(StorageError) -> Int {
        try read { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url) else { return 0 }
            if filter.customTypes == nil, filter.senderIDs == nil {
                return try db.first(.messageCount, (channel, range, filter)) ?? 0
            }
            var count = 0
            try db.scan(
                channel, range, filter, newestFirst: false, limit: Scan.pageSize,
                leaveOut: leaveOut
            ) { _ in
                count += 1
                return true
            }
            return count
        }
    }

    package func messageChanges(
        in url: ChannelURL, after point: ChangePoint, limit: Int
    ) throws(StorageError) -> MessageChangePage {
        try read { db throws(SQLiteError) in
            let start: Int64
            switch point {
            case .sequence(let sequence): start = sequence
            case .time: start = try db.first(.currentSequence) ?? 0
            }
            guard let channel = try db.first(.channelRow, url) else {
                return MessageChangePage(changes: [], hasMore: false, end: start)
            }
            let rows =
                switch point {
                case .sequence(let sequence):
                    try db.all(.changesAfter, (channel, sequence, limit + 1))
                case .time(let moment): try db.all(.changesSince, (channel, moment, limit + 1))
                }
            let shown = rows.prefix(limit)
            return MessageChangePage(
                changes: readable(shown.map(\.change)), hasMore: rows.count > limit,
                end: shown.last?.sequence ?? start)
        }
    }

    package func log(of url: ChannelURL) throws(StorageError) -> [LogEntry] {
        try read { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url) else { return [] }
            var entries: [LogEntry] = []
            for row in try db.all(.log, channel) {
                entries.append(LogEntry(message: try row.message(), deletedAt: row.deletedAt))
            }
            return entries
        }
    }
}

/// The pages of a scan with a filter that SQL does not apply.
enum Scan {
    static let pageSize = 500
}

extension Connection {
    /// Calls a closure with messages that match a filter, until it has enough.
    ///
    /// SQL filters kinds and replies. Custom types and senders are lists of any text and are
    /// filtered here.
    fileprivate func scan(
        _ channel: Int64, _ range: PositionRange, _ filter: MessageFilter, newestFirst: Bool,
        limit: Int, leaveOut: (Int) -> Void, _ body: (Message) -> Bool
    ) throws(SQLiteError) {
        var range = range
        let isSQLEnough = filter.customTypes == nil && filter.senderIDs == nil
        let pageSize = isSQLEnough ? limit : Scan.pageSize
        while true {
            let rows = try all(
                newestFirst ? .newestMessages : .oldestMessages,
                (channel, range, filter, pageSize))
            for row in rows {
                guard let message = row.readable.value else {
                    leaveOut(1)
                    continue
                }
                if filter.matches(message), !body(message) { return }
            }
            guard rows.count == pageSize, let last = rows.last else { return }
            let place = Position(createdAt: last.createdAt, messageID: MessageID(last.id))
            if newestFirst { range.before = place } else { range.after = place }
        }
    }

    /// Returns the stored message of a repeated request; nil for a new request.
    func repeated(
        _ message: Message, _ known: MessageRow, _ channel: Int64
    ) throws(SQLiteError) -> Appended {
        let stored = try known.message()
        var answer = stored
        if known.deletedAt != nil {
            answer = message
            answer.createdAt = stored.createdAt
            answer.delivery = stored.delivery
            answer.sender = stored.sender
        }
        let place = Position(createdAt: stored.createdAt, messageID: MessageID(known.id))
        return Appended(
            message: answer, previousID: try first(.liveBefore, (channel, place)),
            isRepeat: true, isDeleted: known.deletedAt != nil)
    }

    /// Changes a live message and keeps its place.
    func change(
        _ id: MessageID, in channel: Int64, now: Timestamp, _ change: (inout Message) -> Void
    ) throws(SQLiteError) -> Message? {
        guard let row = try first(.message, (channel, id)), row.deletedAt == nil else { return nil }
        var message = try row.message()
        change(&message)
        let stamp = try nextChange(now)
        try execute(.replaceMessage, (row.id, message, stamp, nil))
        try touch(channel, stamp)
        return message
    }

    fileprivate func setMentions(_ message: Message, _ id: Int64) throws(SQLiteError) {
        try execute(.clearMentions, id)
        try addMentions(message, id)
    }

    func addMentions(_ message: Message, _ id: Int64) throws(SQLiteError) {
        guard message.mention.kind == .users else { return }
        for user in message.mention.userIDs { try execute(.addMention, (id, user)) }
    }

    /// Returns the number and time of a new change; both only grow.
    func nextChange(_ now: Timestamp) throws(SQLiteError) -> ChangeStamp {
        guard let stamp = try first(.nextChange, now) else {
            throw .malformed("clock", because: "The clock's row is missing.")
        }
        return stamp
    }

    /// Records a change that every member of a channel can see.
    func touch(_ channel: Int64, _ change: ChangeStamp) throws(SQLiteError) {
        try execute(.touchChannel, (channel, change))
    }
}

/// The number of a change and its time.
struct ChangeStamp: Sendable {
    let sequence: Int64
    let at: Int64
}
