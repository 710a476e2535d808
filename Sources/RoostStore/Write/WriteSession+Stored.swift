// SPDX-License-Identifier: Apache-2.0

// Messages in the cache. A message is unreadable if its bytes are damaged or the row of a user in
// it is missing. Such a message must not block the server's newer copy, nor its own deletion (scar
// 43).

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

/// The cached message at a position, or the reason for its absence.
enum HeldMessage {
    case found(StoredMessage)
    /// The message was unreadable and was deleted; `MessageNews.dropped` has its position.
    case dropped
    case absent

    var message: StoredMessage? { if case .found(let message) = self { message } else { nil } }
}

extension WriteSession {
    /// Returns the message of the channel with an ID, at any position.
    func cachedMessage(
        withID id: MessageID, news: inout MessageNews
    ) throws(SQLiteError) -> HeldMessage {
        try held(.changingMessageByID, (news.channelRow, id), news: &news, tellingOfReplies: true)
    }

    /// Returns the first row of a query whose fifth column may say whether the message has replies.
    func held<Key>(
        _ question: Query<Key, Void>, _ key: Key, news: inout MessageNews,
        tellingOfReplies: Bool = false
    ) throws(SQLiteError) -> HeldMessage {
        var held = HeldMessage.absent
        var unreadable: Unreadable?
        let url = news.channel
        try connection.scan(question, key) { row throws(SQLiteError) in
            guard var found = try readable(row, in: url) else {
                unreadable = Unreadable(row)
                return false
            }
            if tellingOfReplies { found.hasReplies = row.int64(4) != 0 }
            held = .found(found)
            return false
        }
        guard let unreadable else { return held }
        try drop(unreadable, &news)
        return .dropped
    }

    /// A message in the columns of a page.
    private struct Unreadable {
        let place: MessagePlace
        let payloadCount: Int

        init(_ row: borrowing Row) {
            place = MessagePlace(channelRow: row.int64(0), position: Position(row, column: 1))
            payloadCount = row.bytes(3).count
        }
    }

    private func drop(
        _ message: Unreadable, _ news: inout MessageNews
    ) throws(SQLiteError) {
        try connection.execute(.deleteMessage, message.place)
        try search.startAnew()
        news.holding.subtract(.message(ofBytes: message.payloadCount))
        news.dropped.append(message.place.position)
    }

    /// Deletes every unreadable message of a channel.
    func forgetUnreadable(in url: ChannelURL) throws(SQLiteError) {
        guard let row = try row(url) else { return }
        distrustsLookUps = true
        try withNews(of: url, row: row) { news throws(SQLiteError) in
            var unreadable: [Unreadable] = []
            try connection.scan(.oldestMessages, .all(row)) { row throws(SQLiteError) in
                if try readable(row, in: url) == nil { unreadable.append(Unreadable(row)) }
                return true
            }
            for message in unreadable { try drop(message, &news) }
            try forgetDropped(&news)
        }
    }

    /// Removes the coverage of unreadable messages that were deleted and that the commit does not
    /// replace.
    func forgetDropped(_ news: inout MessageNews) throws(SQLiteError) {
        guard !news.dropped.isEmpty else { return }
        try readFilters(&news)
        for place in news.dropped {
            news.coverage.subtract(lower: place, upper: place)
            for index in (news.filtered ?? []).indices {
                news.filtered?[index].now.subtract(lower: place, upper: place)
            }
        }
        news.dropped = []
    }

    /// Removes the messages of `contested` from other channels, and writes them into this channel.
    ///
    /// An ID is unique in the application, and the index of words relies on that. If the server
    /// contradicts itself, its last statement counts. The position in the other channel becomes
    /// uncovered.
    func moveFromOtherChannels(for row: Int64) throws(SQLiteError) {
        guard !contested.isEmpty else { return }
        let messages = contested
        contested = []
        for message in messages {
            guard let id = message.messageID else { continue }
            for other in try connection.all(.placesElsewhere, (row, id)) {
                let place = CoveredRange(lower: other.position, upper: other.position)
                try forget(place, of: try connection.channelURL(ofRow: other.channelRow))
            }
            try withNews(of: message.channelURL, row: row) { news throws(SQLiteError) in
                try put(message, news: &news)
            }
        }
        guard contested.isEmpty else {
            throw .malformed("a message", because: "its ID is taken and not found")
        }
    }

    /// Returns all readable messages of a channel; observers have never received the others.
    func allMessages(of url: ChannelURL, row: Int64) throws(SQLiteError) -> [Message] {
        var messages: [Message] = []
        try connection.scan(.oldestMessages, .all(row)) { row throws(SQLiteError) in
            if let found = try readable(row, in: url) { messages.append(found.message) }
            return true
        }
        return messages
    }
}

extension MessageStretch {
    /// All messages of a channel.
    fileprivate static func all(_ channelRow: Int64) -> MessageStretch {
        MessageStretch(channelRow: channelRow, lower: .distantPast, upper: .distantFuture)
    }
}
