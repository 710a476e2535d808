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
            let edits = row.madeEdits
            if edits.contains(edit) { return .repeated(before) }
            var after = before
            after.apply(edit, mentioned: mentioned, at: now)
            let change = try db.nextChange(now)
            try db.execute(.replaceMessage, (row.id, after, edits.noting(edit), change, nil))
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
            try db.execute(.replaceMessage, (row.id, before.tombstone, MadeEdits(), change, now))
            try db.setMentions(before.tombstone, row.id)
            try db.touch(channel, change)
            guard let parent = before.parentID else { return .deleted(before, parent: nil) }
            let end = try db.first(.threadEnd, parent)
            let repliers = readable(try db.all(.repliers, (parent, ThreadInfo.mostRepliers)))
            return .deleted(
                before,
                parent: try db.change(parent, in: channel, now: now) { message in
                    message.setReplies(
                        end?.count ?? 0, lastAt: end?.last, by: repliers.map(\.user), now: now)
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

    package func positions(
        of ids: [MessageID], in url: ChannelURL
    ) throws(StorageError) -> [MessageID: Position] {
        try read { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url) else { return [:] }
            var positions: [MessageID: Position] = [:]
            for id in ids {
                guard let moment = try db.first(.momentOfMessage, (channel, id)) else { continue }
                positions[id] = Position(createdAt: moment, messageID: id)
            }
            return positions
        }
    }

    package func findMessages(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, newestFirst: Bool,
        limit: Int
    ) async throws(StorageError) -> FoundMessages {
        var (range, found) = (range, FoundMessages())
        // Most pages are found in the first, short stretch.
        var stretch = bounds.firstStretch
        // The stretches since the last message of the page.
        var missed = 0
        // Other work gets its turn between two stretches of a long scan.
        while found.messages.count < limit {
            let missing = limit - found.messages.count
            let (messages, rest) = try read {
                db throws(SQLiteError) -> ([Message], PositionRange?) in
                guard let channel = try db.first(.channelRow, url) else { return ([], nil) }
                let (part, rest) = try db.part(
                    of: range, filter, newestFirst, in: channel, stretch: stretch)
                let rows = try db.all(
                    .messages(filter, newestFirst: newestFirst), (channel, part, filter, missing))
                // An unreadable row makes no page short, because a short page is the last.
                let isFull = rows.count == missing
                return (
                    readable(rows.map(\.readable)),
                    isFull ? rows.last.map { range.behind($0.position, newestFirst) } : rest
                )
            }
            found.messages += messages
            if !messages.isEmpty { missed = 0 }
            guard let rest, found.messages.count < limit else { break }
            guard
                !filter.readsManyRows
                    || (missed < bounds.stretches && found.stretches < bounds.allStretches)
            else {
                found.isWhole = false
                break
            }
            range = rest
            stretch = bounds.stretch
            missed += 1
            found.stretches += 1
            try await pause(after: found.stretches)
        }
        return found
    }

    package func countMessages(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, atMost limit: Int
    ) async throws(StorageError) -> CountedMessages {
        var (range, counted) = (range, CountedMessages())
        while true {
            let (found, rest) = try read { db throws(SQLiteError) -> (Int, PositionRange?) in
                guard let channel = try db.first(.channelRow, url) else { return (0, nil) }
                let (part, rest) = try db.part(
                    of: range, filter, false, in: channel, stretch: bounds.stretch)
                return (try db.first(.count(filter), (channel, part, filter)) ?? 0, rest)
            }
            counted.count += found
            guard let rest, counted.count <= limit else { return counted }
            range = rest
            counted.stretches += 1
            try await pause(after: counted.stretches)
        }
    }

    /// Lets other work in; throws if the caller has gone, after some long stretches of a log.
    func pause(after stretches: Int = 0) async throws(StorageError) {
        await Task.yield()
        if Task.isCancelled { throw .cancelled(after: stretches) }
    }

    package func messageChanges(
        in url: ChannelURL, after point: ChangePoint, limit: Int
    ) throws(StorageError) -> MessageChangePage {
        try read { db throws(SQLiteError) in
            let newest = try db.first(.currentSequence) ?? 0
            let start =
                switch point {
                case .sequence(let sequence): sequence
                case .time: newest
                }
            guard let channel = try db.first(.channelRow, url) else {
                return MessageChangePage(changes: [], hasMore: false, end: start)
            }
            let rows =
                switch point {
                case .sequence(let sequence):
                    try db.all(.changesAfter, (channel, sequence, limit + 1))
                case .time(let moment):
                    try db.all(
                        .changesAfter,
                        (channel, db.lastChange(of: channel, before: moment), limit + 1))
                }
            let shown = rows.prefix(limit)
            return MessageChangePage(
                changes: readable(shown.map(\.change)), hasMore: rows.count > limit,
                end: shown.last?.sequence ?? start, isAhead: start > newest)
        }
    }

    package func log(of url: ChannelURL) throws(StorageError) -> [LogEntry] {
        try read { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url) else { return [] }
            return try Self.entries(try db.all(.log, channel))
        }
    }

    package func log(
        of url: ChannelURL, before place: Position, limit: Int
    ) throws(StorageError) -> [LogEntry] {
        try read { db throws(SQLiteError) in
            guard let channel = try db.first(.channelRow, url) else { return [] }
            return try Self.entries(try db.all(.logBefore, (channel, place, limit)))
        }
    }

    private static func entries(_ rows: [MessageRow]) throws(SQLiteError) -> [LogEntry] {
        try rows.map { row throws(SQLiteError) in
            LogEntry(message: try row.message(), deletedAt: row.deletedAt)
        }
    }
}

extension PositionRange {
    /// Returns the part of the range behind a position, in the direction of reading.
    fileprivate func behind(_ place: Position, _ newestFirst: Bool) -> PositionRange {
        newestFirst
            ? PositionRange(after: after, before: place)
            : PositionRange(after: place, before: before)
    }
}

extension Connection {
    /// Returns the first part of a range that a query may read at once, and the rest of the range.
    fileprivate func part(
        of range: PositionRange, _ filter: MessageFilter, _ newestFirst: Bool, in channel: Int64,
        stretch count: Int
    ) throws(SQLiteError) -> (PositionRange, rest: PositionRange?) {
        let end =
            if let parent = filter.parentID {
                try first(
                    newestFirst ? .replyBefore : .replyAfter, (parent.rawValue, range, count))
            } else {
                try first(newestFirst ? .placeBefore : .placeAfter, (channel, range, count))
            }
        guard let end else { return (range, nil) }
        // The ends of a range are not in it, and the part has its end.
        var part = range
        let id = end.messageID.rawValue
        if newestFirst {
            part.after = Position(createdAt: end.createdAt, messageID: MessageID(id - 1))
        } else {
            part.before = Position(createdAt: end.createdAt, messageID: MessageID(id + 1))
        }
        return (part, range.behind(end, newestFirst))
    }

    /// Returns the number of a channel's last change before a moment; 0 if there is none.
    ///
    /// The times of changes never go back, so a look at the middle leaves half of the numbers out.
    fileprivate func lastChange(
        of channel: Int64, before moment: Timestamp
    ) throws(SQLiteError) -> Int64 {
        var start: Int64 = 0
        var end = try first(.currentSequence) ?? 0
        while start < end {
            let middle = start + (end - start + 1) / 2
            guard let change = try first(.lastChange, (channel, start, middle)) else {
                start = middle
                continue
            }
            if change.at < moment.milliseconds {
                start = middle
            } else {
                end = change.sequence - 1
            }
        }
        return start
    }

    /// Returns the answer to a repeated request.
    func repeated(
        _ message: Message, _ known: MessageRow, _ channel: Int64
    ) throws(SQLiteError) -> Appended {
        known.answer(
            try known.message(), to: message,
            after: try first(.liveBefore, (channel, known.position)))
    }

    /// Changes a live message and keeps its place.
    func change(
        _ id: MessageID, in channel: Int64, now: Timestamp, _ change: (inout Message) -> Void
    ) throws(SQLiteError) -> Message? {
        guard let row = try first(.message, (channel, id)), row.deletedAt == nil else { return nil }
        var message = try row.message()
        change(&message)
        let stamp = try nextChange(now)
        try execute(.replaceMessage, (row.id, message, row.madeEdits, stamp, nil))
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

    /// Returns the number and time of a new change; the number grows, the time never goes back.
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
