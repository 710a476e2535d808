// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostPostgres
package import RoostServer
package import RoostWire

extension PostgresStorage {
    package func edit(
        _ edit: EditCommand, mentioned: [User], now: Timestamp
    ) async throws(StorageError) -> EditOutcome {
        try await write { db async throws(PostgresError) in
            guard let channel = try await db.first(.lockedChannel(edit.channelURL)),
                let row = try await db.first(.message(channel.id, edit.messageID)),
                row.deletedAt == nil
            else { return .notFound }
            let before = try row.message()
            let edits = row.madeEdits
            if edits.contains(edit) { return .repeated(before) }
            var after = before
            after.apply(edit, mentioned: mentioned, at: now)
            db.replace(
                row.id, with: after, edits.noting(edit), in: channel, seq: channel.seq + 1,
                now: now)
            places.note(edit.messageID, channel.place(channel.seq + 1, by: db))
            db.setMentions(after, row.id, in: channel)
            return .edited(after, oldMention: before.mention)
        }
    }

    package func delete(
        _ id: MessageID, in url: ChannelURL, now: Timestamp
    ) async throws(StorageError) -> DeleteOutcome {
        try await write { db async throws(PostgresError) in
            guard let channel = try await db.first(.lockedChannel(url)),
                let row = try await db.first(.message(channel.id, id)), row.deletedAt == nil
            else { return .notFound }
            let before = try row.message()
            db.replace(
                row.id, with: before.tombstone, MadeEdits(), in: channel, seq: channel.seq + 1,
                now: now, deletedAt: now)
            places.note(id, channel.place(channel.seq + 1, by: db))
            db.add(.clearMentions(channel.id, row.id))
            guard let parentID = before.parentID else { return .deleted(before, parent: nil) }
            let (ends, repliers, parents) = try await db.all(
                .threadEnd(channel.id, parentID),
                .repliers(channel.id, parentID, ThreadInfo.mostRepliers),
                .message(channel.id, parentID))
            guard let parentRow = parents.first, parentRow.deletedAt == nil else {
                return .deleted(before, parent: nil)
            }
            var parent = try parentRow.message()
            parent.setReplies(
                ends.first?.count ?? 0, lastAt: ends.first?.last, by: readable(repliers), now: now)
            db.replace(
                parentRow.id, with: parent, parentRow.madeEdits, in: channel, seq: channel.seq + 2,
                now: now)
            places.noteThread(parentID, channel.place(channel.seq + 2, by: db))
            return .deleted(before, parent: parent)
        }
    }

    package func updateMessage(
        _ id: MessageID, in url: ChannelURL, now: Timestamp,
        _ change: @Sendable (inout Message) -> Void
    ) async throws(StorageError) -> Message? {
        try await write { db async throws(PostgresError) in
            guard let channel = try await db.first(.lockedChannel(url)),
                let row = try await db.first(.message(channel.id, id)), row.deletedAt == nil
            else { return nil }
            var message = try row.message()
            change(&message)
            db.replace(
                row.id, with: message, row.madeEdits, in: channel, seq: channel.seq + 1, now: now)
            places.note(id, channel.place(channel.seq + 1, by: db))
            return message
        }
    }

    package func message(
        _ id: MessageID, in url: ChannelURL
    ) async throws(StorageError) -> Message? {
        try await read { db async throws(PostgresError) in
            guard let channel = try await db.first(.channelRow(url)),
                let row = try await db.first(.message(channel.id, id)), row.deletedAt == nil
            else { return nil }
            return try row.message()
        }
    }

    package func isKnown(
        _ request: RequestID, of sender: UserID, in url: ChannelURL
    ) async throws(StorageError) -> Bool {
        try await read { db async throws(PostgresError) in
            let (channels, users) = try await db.all(.channelRow(url), .user(sender))
            guard let channel = channels.first, let user = users.first else { return false }
            let name = RequestName(channel: channel.id, sender: user.id, request: request)
            return try await !db.all(.known([name])).isEmpty
        }
    }

    package func position(
        of id: MessageID, in url: ChannelURL
    ) async throws(StorageError) -> Position? {
        try await read { db async throws(PostgresError) in
            guard let channel = try await db.first(.channelRow(url)) else { return nil }
            return try await db.first(.message(channel.id, id))?.position
        }
    }

    package func positions(
        of ids: [MessageID], in url: ChannelURL
    ) async throws(StorageError) -> [MessageID: Position] {
        let found = try await read { db async throws(PostgresError) in
            try await db.all(.positions(of: ids, in: url))
        }
        return Dictionary(
            found.map { ($0.messageID, $0) }, uniquingKeysWith: { first, _ in first })
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
        // An unreadable row makes no page short, because a short page is the last.
        while found.messages.count < limit {
            let (whole, missing, rowLimit) = (range, limit - found.messages.count, stretch)
            let (rows, rest) = try await read {
                db async throws(PostgresError) -> ([StoredMessage], PositionRange?) in
                var end: Position?
                if filter.readsManyRows {
                    end = try await db.first(
                        .stretchEnd(
                            url, whole, in: filter.parentID, newestFirst: newestFirst,
                            rows: rowLimit))
                }
                let parts = end.map { whole.divided(behind: $0, newestFirst: newestFirst) }
                let rows = try await db.all(
                    .page(url, parts?.part ?? whole, filter, newestFirst: newestFirst, missing))
                return (rows, parts?.rest)
            }
            let messages = readable(rows.map(\.readable))
            found.messages += messages
            if !messages.isEmpty { missed = 0 }
            if rows.count == missing, let end = rows.last?.position {
                range = whole.divided(behind: end, newestFirst: newestFirst).rest
            } else if let rest {
                guard missed < bounds.stretches, found.stretches < bounds.allStretches else {
                    found.isWhole = false
                    break
                }
                range = rest
                stretch = bounds.stretch
                missed += 1
                found.stretches += 1
                // The caller of a long scan may have gone.
                if Task.isCancelled { throw .cancelled(after: found.stretches) }
            } else {
                break
            }
        }
        return found
    }

    package func countMessages(
        in url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, atMost limit: Int
    ) async throws(StorageError) -> CountedMessages {
        var (range, counted) = (range, CountedMessages())
        while true {
            let part = range
            let slice = try await read { db async throws(PostgresError) in
                try await db.first(.count(url, part, filter, rows: bounds.stretch))
            }
            counted.count += slice?.count ?? 0
            guard let slice, slice.rows == bounds.stretch, let end = slice.end,
                counted.count <= limit
            else { return counted }
            range.after = end
            counted.stretches += 1
            // The caller of a long count may have gone.
            if Task.isCancelled { throw .cancelled(after: counted.stretches) }
        }
    }

    package func messageChanges(
        in url: ChannelURL, after point: ChangePoint, limit: Int
    ) async throws(StorageError) -> MessageChangePage {
        let margin = clockMargin
        return try await read { db async throws(PostgresError) in
            let channel = try await db.first(.channelRow(url))
            let era = db.era?.shortName ?? ""
            let start: Int64
            switch point {
            case .sequence(let sequence): start = sequence
            case .time: start = channel?.seq ?? 0
            }
            guard let channel else {
                return MessageChangePage(changes: [], hasMore: false, end: start, era: era)
            }
            let rows =
                switch point {
                case .sequence(let sequence):
                    try await db.all(.changesAfter(channel.id, sequence, limit + 1))
                case .time(let moment):
                    try await db.all(
                        .changesSince(
                            channel.id, moment.advanced(by: -margin), limit + 1))
                }
            let shown = rows.prefix(limit)
            return MessageChangePage(
                changes: readable(shown.map(\.change)), hasMore: rows.count > limit,
                end: shown.last?.sequence ?? start, isAhead: start > channel.seq, era: era)
        }
    }

    package func log(of url: ChannelURL) async throws(StorageError) -> [LogEntry] {
        try await entries(.log(url))
    }

    package func log(
        of url: ChannelURL, before place: Position, limit: Int
    ) async throws(StorageError) -> [LogEntry] {
        try await entries(.log(url, before: place, limit))
    }

    private func entries(
        _ query: PostgresQuery<StoredMessage>
    ) async throws(StorageError) -> [LogEntry] {
        try await read { db async throws(PostgresError) in
            var entries: [LogEntry] = []
            for row in try await db.all(query) {
                entries.append(LogEntry(message: try row.message(), deletedAt: row.deletedAt))
            }
            return entries
        }
    }
}

extension PostgresTransaction {
    /// Stores the new state of a message under the next number of its channel.
    func replace(
        _ id: Int64, with message: Message, _ edits: MadeEdits, in channel: ChannelRow, seq: Int64,
        now: Timestamp, deletedAt: Timestamp? = nil
    ) {
        add(.replaceMessage(channel.id, id, message, edits, seq, now, deletedAt: deletedAt))
        add(.countChange(channel.id, seq, now))
    }

    func setMentions(_ message: Message, _ id: Int64, in channel: ChannelRow) {
        add(.clearMentions(channel.id, id))
        guard message.mention.kind == .users else { return }
        let users = message.mention.userIDs
        add(
            .addMentions(
                users.map { _ in channel.id }, users.map { _ in id }, users))
    }
}
