// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

extension WriteSession {
    /// Writes a page, after its coverage.
    func put(
        _ messages: [Message], in url: ChannelURL, covering range: CoveredRange?,
        under filter: MessageFilter
    ) throws(SQLiteError) {
        let row = try rowMaking(url)
        let filter = filter.normalized
        try withNews(of: url, row: row) { news throws(SQLiteError) in
            if let range {
                if filter == .everything {
                    news.coverage.insert(range)
                    try noteEntered(in: range, besides: messages, news: &news)
                } else {
                    try cover(range, under: filter, news: &news)
                }
            }
            for message in messages {
                precondition(
                    message.channelURL == news.channel, "A page holds messages of one channel.")
                try put(message, news: &news)
            }
            news.joinPredecessors(messages)
        }
        try moveFromOtherChannels(for: row)
    }

    /// Writes a live message; it continues the range of its predecessor, or begins one.
    func putLive(_ message: Message, after predecessor: MessageID?) throws(SQLiteError) {
        let row = try rowMaking(message.channelURL)
        let place = message.place
        try withNews(of: message.channelURL, row: row) { news throws(SQLiteError) in
            guard !news.isCut(place) else { return }
            var range = CoveredRange(lower: place, upper: place, predecessor: predecessor)
            if let predecessor, let known = try position(of: predecessor, news), known <= place {
                range = CoveredRange(lower: known, upper: place)
            }
            news.coverage.insert(range)
            // The predecessor may be cached under a filter.
            try noteEntered(in: range, besides: [message], news: &news)
            try put(message, news: &news)
            news.joinPredecessors([message])
        }
        try moveFromOtherChannels(for: row)
    }

    /// Returns the position of a live message's predecessor; almost always the end of the coverage.
    private func position(
        of predecessor: MessageID, _ news: MessageNews
    ) throws(SQLiteError) -> Position? {
        if let end = news.coverage.ranges.last?.upper, end.messageID == predecessor { return end }
        return try connection.first(.positionOfMessage, (news.channelRow, predecessor))
    }

    /// Writes a newer copy of a cached message.
    ///
    /// A message that is not cached may match a filter only now, or may have been deleted. So its
    /// position becomes uncovered under that filter, and is fetched again.
    func putEdited(_ message: Message) throws(SQLiteError) {
        guard let id = message.messageID, let row = try row(message.channelURL) else { return }
        try withNews(of: message.channelURL, row: row) { news throws(SQLiteError) in
            let place = MessagePlace(channelRow: row, position: message.place)
            var held = try held(.changingMessage, place, news: &news, tellingOfReplies: true)
            if case .absent = held { held = try cachedMessage(withID: id, news: &news) }
            switch held {
            case .found(let old):
                return try update(old, with: message, isEdit: true, news: &news)
            case .dropped:
                // The server's copy replaces an unreadable one.
                try put(message, news: &news)
                return try forgetDropped(&news)
            case .absent: break
            }
            if message.parentID == nil {
                try follow(id, as: message.preview, known: nil, news: &news)
            }
            // Without a filter the position may be covered although the message was deleted.
            guard news.mayHaveFilters, news.coverage.range(containing: message.place) == nil
            else { return }
            try readFilters(&news)
            for index in (news.filtered ?? []).indices
            where news.filtered?[index].filter.matches(message) == true {
                news.filtered?[index].now.subtract(lower: message.place, upper: message.place)
            }
        }
        try moveFromOtherChannels(for: row)
    }

    /// Changes a part of a cached message.
    func amend(
        _ id: MessageID, in url: ChannelURL, _ change: (inout Message) -> Void
    ) throws(SQLiteError) {
        guard let row = try row(url) else { return }
        try withNews(of: url, row: row) { news throws(SQLiteError) in
            guard let old = try cachedMessage(withID: id, news: &news).message else {
                return try forgetDropped(&news)
            }
            var copy = old.message
            change(&copy)
            try replace(old, with: copy, news: &news)
        }
    }

    /// Deletes a message; its replies stay, without a preview of it.
    func delete(_ id: MessageID, in url: ChannelURL) throws(SQLiteError) {
        guard let row = try row(url) else { return }
        try withNews(of: url, row: row) { news throws(SQLiteError) in
            let old = try cachedMessage(withID: id, news: &news).message
            if let old { try delete(old, news: &news) }
            news.noteServerState(of: id)
            if old?.message.parentID == nil {
                try follow(id, as: nil, known: old?.hasReplies, news: &news)
            }
        }
    }

    /// Deletes a channel's messages and coverage.
    func clearMessages(
        _ url: ChannelURL, before rest: ArraySlice<Mutation>
    ) throws(SQLiteError) {
        guard let row = try row(url) else { return }
        // Empty coverage states that nothing is left. Observers need the IDs of deleted messages
        // only if the same commit fills the channel again.
        let comesBack = rest.contains { $0.channelOfMessages == url }
        try withNews(of: url, row: row) { news throws(SQLiteError) in
            try readFilters(&news)
            let left = comesBack ? try allMessages(of: url, row: row) : []
            try unindexMessages(of: url, row: row)
            try connection.execute(.deleteMessagesOfChannel, row)
            let found = news.clear()
            guard comesBack else { return }
            for (id, before) in found where before != nil {
                news.note(id, before: before, after: nil)
            }
            for message in left where found[message.place.messageID] == nil {
                news.note(message.place.messageID, before: message, after: nil)
            }
        }
    }

    /// Deletes the messages that a channel no longer shows, and keeps later copies of them out.
    func cutHistory(of url: ChannelURL, through moment: Timestamp) throws(SQLiteError) {
        let row = try rowMaking(url)
        try withNews(of: url, row: row) { news throws(SQLiteError) in
            guard moment > news.cut ?? .distantPast else { return }
            try readFilters(&news)
            try connection.execute(.putCut, (row, moment))
            let gone = try connection.first(.holdingThrough, (row, moment)) ?? Holding()
            if gone.messageCount > 0 {
                try unindexMessages(of: url, row: row, through: moment)
                try connection.execute(.deleteMessagesThrough, (row, moment))
                news.holding.subtract(gone)
            }
            news.cut(through: moment)
        }
    }

    /// Deletes a range of a channel, message by message; a message that comes back is reported by
    /// its difference.
    func forget(_ range: CoveredRange, of url: ChannelURL) throws(SQLiteError) {
        guard let row = try row(url) else { return }
        try withNews(of: url, row: row) { news throws(SQLiteError) in
            try readFilters(&news)
            let stretch = MessageStretch(channelRow: row, lower: range.lower, upper: range.upper)
            var places: [Position] = []
            try connection.scan(.oldestMessages, stretch) { row throws(SQLiteError) in
                places.append(Position(row, column: 1))
                return true
            }
            for place in places {
                let held = try held(
                    .messageAtPlace, MessagePlace(channelRow: row, position: place), news: &news)
                if let old = held.message { try delete(old, news: &news) }
                news.noteServerState(of: place.messageID)
            }
            news.coverage.subtract(lower: range.lower, upper: range.upper)
            for index in (news.filtered ?? []).indices {
                news.filtered?[index].now.subtract(lower: range.lower, upper: range.upper)
            }
        }
    }

    // MARK: - One channel's messages

    private func cover(
        _ range: CoveredRange, under filter: MessageFilter, news: inout MessageNews
    ) throws(SQLiteError) {
        try readFilters(&news)
        if let index = news.filtered?.firstIndex(where: { $0.filter == filter }) {
            news.filtered?[index].now.insert(range)
        } else {
            news.filtered?.append(
                MessageNews.Filtered(
                    filterRow: try row(filter), filter: filter, before: Coverage(),
                    now: Coverage([range])))
        }
    }

    /// Notes the cached messages of a range that were covered under filters only and are not in the page.
    ///
    /// The server need not repeat messages that the client has named.
    private func noteEntered(
        in range: CoveredRange, besides messages: [Message], news: inout MessageNews
    ) throws(SQLiteError) {
        guard news.hasFilters else { return }
        let page = Set(messages.compactMap(\.messageID))
        let stretch = MessageStretch(
            channelRow: news.channelRow, lower: range.lower, upper: range.upper)
        var entered: [Message] = []
        try connection.scan(.oldestMessages, stretch) { row throws(SQLiteError) in
            let place = Position(row, column: 1)
            guard news.coverageBefore.range(containing: place) == nil,
                !page.contains(place.messageID)
            else { return true }
            // An unreadable message is left to its readers.
            if let found = try readable(row, in: news.channel) { entered.append(found.message) }
            return true
        }
        for message in entered {
            news.noteEntered(message.place.messageID, before: message, after: message)
        }
    }

    func put(_ message: Message, news: inout MessageNews) throws(SQLiteError) {
        let position = message.place
        guard !news.isCut(position) else { return }
        let place = MessagePlace(channelRow: news.channelRow, position: position)
        var held = HeldMessage.absent
        if news.mayHaveHeld(position) {
            held = try self.held(.messageAtPlace, place, news: &news)
        }
        if held.message == nil {
            guard try isCovered(message, news: &news) else { return }
            let senderRow = try learnPeople(of: message)
            let entry = try entry(message, by: senderRow, row: news.channelRow)
            if try connection.execute(.insertNewMessage, entry) > 0 {
                try index(message, row: news.channelRow)
                news.add(entry)
                news.noteAdded(position.messageID, message)
                news.noteServerState(of: position.messageID)
                // Replies that were cached before it may show an earlier copy.
                if !message.hasNoDetails, message.details.threadInfo != nil {
                    let preview = message.preview
                    try follow(position.messageID, as: preview, known: nil, news: &news)
                }
                return
            }
            held = try cachedMessage(withID: position.messageID, news: &news)
            if case .dropped = held { return try put(message, news: &news) }
        }
        guard let old = held.message else { return contested.append(message) }
        try update(old, with: message, news: &news)
        guard news.hasFilters, news.coverageBefore.range(containing: position) == nil,
            news.coverage.range(containing: position) != nil
        else { return }
        // The message may be unchanged; for readers without the filter it is new.
        news.noteEntered(
            position.messageID, before: old.message, after: old.message.merged(with: message))
    }

    /// Whether a message like this one would be cached if it existed at its position.
    private func isCovered(
        _ message: Message, news: inout MessageNews
    ) throws(SQLiteError) -> Bool {
        if news.coverage.range(containing: message.place) != nil { return true }
        guard news.mayHaveFilters else { return false }
        try readFilters(&news)
        return (news.filtered ?? []).contains { filtered in
            filtered.now.range(containing: message.place) != nil && filtered.filter.matches(message)
        }
    }

    private func update(
        _ stored: StoredMessage, with copy: Message, isEdit: Bool = false, news: inout MessageNews
    ) throws(SQLiteError) {
        let old = stored.message
        let merged = old.merged(with: copy)
        // An edit may exclude a message from every filter that covered it.
        if try isCovered(merged, news: &news) {
            try replace(stored, with: merged, news: &news)
        } else {
            try delete(stored, news: &news)
        }
        // Replies may stay cached without the message, and be older: a page does not report a first
        // edit.
        guard merged.parentID == nil, let id = merged.messageID,
            isEdit || merged.preview != old.preview
        else { return }
        try follow(id, as: merged.preview, known: stored.hasReplies, news: &news)
    }

    func replace(
        _ stored: StoredMessage, with merged: Message, news: inout MessageNews
    ) throws(SQLiteError) {
        let old = stored.message
        let senderRow = try learnPeople(of: merged)
        guard merged.updatedAt != old.updatedAt || asNow(merged) != asNow(old) else { return }
        let entry = try entry(merged, by: senderRow, row: news.channelRow)
        if old.place == merged.place {
            // SQLite writes an index for each named column, even if the value is unchanged.
            try connection.execute(
                merged.hasColumns(of: old, viewer: me) ? .updateContent : .updateMessage, entry)
        } else {
            // The server never moves a message; a copy with another position replaces the old one.
            try connection.execute(
                .deleteMessage, MessagePlace(channelRow: news.channelRow, position: old.place))
            try connection.execute(.insertMessage, entry)
        }
        try reindex(old, as: merged, row: news.channelRow)
        news.subtract(stored)
        news.add(entry)
        news.note(old.place.messageID, before: old, after: merged)
    }

    private func delete(_ stored: StoredMessage, news: inout MessageNews) throws(SQLiteError) {
        let old = stored.message
        try connection.execute(
            .deleteMessage, MessagePlace(channelRow: news.channelRow, position: old.place))
        try unindex(old, row: news.channelRow)
        news.subtract(stored)
        news.note(old.place.messageID, before: old, after: nil)
    }

    /// Writes all users in a message.
    ///
    /// - Returns: The row of the sender; nil if the message has none.
    private func learnPeople(of message: Message) throws(SQLiteError) -> Int64? {
        for user in message.people { try users.learn(user, inFull: false) }
        guard let sender = message.sender else { return nil }
        return try users.learn(sender.user, inFull: false)
    }

    /// Returns the row of a message, after its users are written.
    private func entry(
        _ message: Message, by senderRow: Int64?, row: Int64
    ) throws(SQLiteError) -> MessageEntry {
        MessageEntry(
            message, channelRow: row, senderRow: senderRow,
            customTypeRow: try words.row(message.customType),
            isMine: message.sender?.user.id == me, me: me, seal: try seal(ofChannel: row),
            requestKey: connection.requestKey, row: users.row)
    }
}

extension MessageNews {
    fileprivate func isCut(_ place: Position) -> Bool {
        cut.map { place.createdAt <= $0 } ?? false
    }

    fileprivate mutating func add(_ entry: MessageEntry) {
        holding.add(.message(ofBytes: entry.payload.count))
    }

    fileprivate mutating func subtract(_ stored: StoredMessage) {
        holding.subtract(.message(ofBytes: stored.payloadCount))
    }

    /// Joins a range with the one that contains its predecessor now.
    fileprivate mutating func joinPredecessors(_ messages: [Message]) {
        for range in coverage.ranges {
            // A predecessor without a position is not cached, so it is not covered.
            guard let predecessor = range.predecessor,
                let position = messages.first(where: { $0.messageID == predecessor })?.position,
                position < range.lower, coverage.range(containing: position) != nil
            else { continue }
            coverage.insert(CoveredRange(lower: position, upper: range.lower))
        }
    }
}

extension Message {
    /// Whether the columns other than the text are unchanged by an edit.
    fileprivate func hasColumns(of old: Message, viewer: UserID) -> Bool {
        sender?.user.id == old.sender?.user.id && parentID == old.parentID
            && requestID == old.requestID && isReplyToChannel == old.isReplyToChannel
            && mentions(viewer) == old.mentions(viewer)
            && Word(customType) == Word(old.customType)
            && ContentTag(content) == ContentTag(old.content)
    }

    /// The position of a message that may be cached.
    fileprivate var place: Position {
        guard let position else {
            preconditionFailure("Only delivered messages are cached; the others are the outbox's.")
        }
        return position
    }
}
