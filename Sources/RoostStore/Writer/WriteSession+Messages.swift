// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

extension WriteSession {
    /// Writes a page, after what it states to be known.
    func put(
        _ messages: [Message], in url: ChannelURL, covering range: CoveredRange?
    ) throws(SQLiteError) {
        let row = try rowMaking(url)
        try withNews(of: url, row: row) { news throws(SQLiteError) in
            if let range { news.coverage.insert(range) }
            try put(messages, row: row, news: &news)
        }
    }

    /// Writes a live message; it continues the range of its predecessor, or begins one.
    func putLive(_ message: Message, after predecessor: MessageID?) throws(SQLiteError) {
        let row = try rowMaking(message.channelURL)
        let place = message.place
        try withNews(of: message.channelURL, row: row) { news throws(SQLiteError) in
            var range = CoveredRange(lower: place, upper: place, predecessor: predecessor)
            if let predecessor,
                let known = try connection.first(.positionOfMessage, (row, predecessor)),
                known <= place
            {
                range = CoveredRange(lower: known, upper: place)
            }
            news.coverage.insert(range)
            try put([message], row: row, news: &news)
        }
    }

    /// Writes a newer copy of a message that the cache has.
    func putEdited(_ message: Message) throws(SQLiteError) {
        guard let id = message.messageID, let row = try row(message.channelURL) else { return }
        guard try connection.first(.positionOfMessage, (row, id)) != nil else { return }
        try withNews(of: message.channelURL, row: row) { news throws(SQLiteError) in
            try put([message], row: row, news: &news)
        }
    }

    func delete(_ id: MessageID, in url: ChannelURL) throws(SQLiteError) {
        guard let row = try row(url),
            let position = try connection.first(.positionOfMessage, (row, id))
        else { return }
        try withNews(of: url, row: row) { news throws(SQLiteError) in
            let place = MessagePlace(channelRow: row, position: position)
            guard let old = try message(at: place, in: url) else { return }
            try connection.execute(.deleteMessage, place)
            news.note(id, before: old, after: nil)
        }
    }

    /// Forgets a channel's messages and what is known of its history.
    func clearMessages(
        _ url: ChannelURL, before rest: ArraySlice<Mutation>
    ) throws(SQLiteError) {
        guard let row = try row(url) else { return }
        // That nothing is covered says that nothing is left. Only when the same commit fills the
        // channel again, observers need the names of those that do not come back.
        let comesBack = rest.contains { $0.channelOfMessages == url }
        try withNews(of: url, row: row) { news throws(SQLiteError) in
            let old = comesBack ? try allMessages(of: url, row: row) : []
            try connection.execute(.deleteMessagesOfChannel, row)
            let known = news.rows
            news.clear()
            for (id, before) in known where comesBack {
                if let before = before.before { news.note(id, before: before, after: nil) }
            }
            for message in old where known[message.place.messageID] == nil {
                news.note(message.place.messageID, before: message, after: nil)
            }
        }
    }

    // MARK: - One channel's messages

    private func put(
        _ messages: [Message], row: Int64, news: inout MessageNews
    ) throws(SQLiteError) {
        for message in messages {
            precondition(
                message.channelURL == news.channel, "A page holds messages of one channel.")
            guard news.coverage.range(containing: message.place) != nil else { continue }
            try put(message, row: row, news: &news)
        }
        // A range that waited for its predecessor joins the one that has it now.
        for range in news.coverage.ranges {
            guard let predecessor = range.predecessor,
                let position = messages.first(where: { $0.messageID == predecessor })?.position,
                position < range.lower
            else { continue }
            news.coverage.insert(CoveredRange(lower: position, upper: range.lower))
        }
    }

    private func put(
        _ message: Message, row: Int64, news: inout MessageNews
    ) throws(SQLiteError) {
        let place = MessagePlace(channelRow: row, position: message.place)
        let mayBeKnown = news.coverageBefore.range(containing: message.place) != nil
        var old: Message?
        if mayBeKnown { old = try self.message(at: place, in: news.channel) }
        if old == nil {
            if try connection.execute(.insertMessage, (row, try stored(message))) > 0 {
                news.note(message.place.messageID, before: nil, after: message)
                return
            }
            old = try movedMessage(message, row: row, news: news)
        }
        guard let old else {
            throw .malformed("a message", because: "two messages have one place")
        }
        try update(old, with: message, row: row, news: &news)
    }

    /// A message that is cached under the same ID, though not where it was looked for.
    private func movedMessage(
        _ message: Message, row: Int64, news: MessageNews
    ) throws(SQLiteError) -> Message? {
        let id = message.place.messageID
        guard let position = try connection.first(.positionOfMessage, (row, id)) else { return nil }
        return try self.message(
            at: MessagePlace(channelRow: row, position: position), in: news.channel)
    }

    private func update(
        _ old: Message, with copy: Message, row: Int64, news: inout MessageNews
    ) throws(SQLiteError) {
        let id = copy.place.messageID
        let merged = old.merged(with: copy)
        let stored = try stored(merged)
        guard merged.mapUsers(users.now) != old.mapUsers(users.now) else { return }
        if old.place == merged.place {
            try connection.execute(.updateMessage, (row, stored))
        } else {
            // The server never moves a message; should one come from elsewhere, it stands once.
            try connection.execute(
                .deleteMessage, MessagePlace(channelRow: row, position: old.place))
            try connection.execute(.insertMessage, (row, stored))
        }
        news.note(id, before: old, after: merged)
    }

    /// The form of a message that goes into the table; its sender is written down on the way.
    private func stored(_ message: Message) throws(SQLiteError) -> StoredMessage {
        var senderRow: Int64?
        if let sender = message.sender {
            senderRow = try users.learn(sender.user, inFull: false)
        }
        var stored = StoredMessage(
            message: message, senderRow: senderRow,
            role: SenderRole(
                role: message.sender?.role ?? .none,
                isBlockedByMe: message.sender?.isBlockedByMe ?? false))
        for user in message.people {
            stored.rows[user.id] = try users.learn(user, inFull: false)
        }
        return stored
    }

    private func message(
        at place: MessagePlace, in url: ChannelURL
    ) throws(SQLiteError) -> Message? {
        guard let stored = try connection.first(.messageAtPlace, place) else { return nil }
        return try message(stored, in: url)
    }

    private func message(
        _ stored: StoredMessage, in url: ChannelURL
    ) throws(SQLiteError) -> Message {
        var failure: SQLiteError?
        var message = stored.resolved { row in
            do throws(SQLiteError) {
                return try users.user(inRow: row)
            } catch {
                failure = failure ?? error
                return User(id: UserID(""))
            }
        }
        if let failure { throw failure }
        message.channelURL = url
        return message
    }

    private func allMessages(of url: ChannelURL, row: Int64) throws(SQLiteError) -> [Message] {
        let everything = MessageStretch(
            channelRow: row, lower: .distantPast, upper: .distantFuture, limit: -1)
        var messages: [Message] = []
        try connection.forEach(.oldestMessages, everything) { stored throws(SQLiteError) in
            messages.append(try message(stored, in: url))
        }
        return messages
    }
}

extension Message {
    /// The place of a message that the cache may hold.
    fileprivate var place: Position {
        guard let position else {
            preconditionFailure("Only delivered messages are cached; the others are the outbox's.")
        }
        return position
    }
}
