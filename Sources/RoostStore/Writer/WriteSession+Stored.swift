// SPDX-License-Identifier: Apache-2.0

// Messages as they stand in the cache. One that cannot be read, because its bytes are damaged or somebody it
// names is not there, must not stop what the server says of it, nor its going (scar 43).

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

extension WriteSession {
    /// A message that is cached under the same ID, though not where it was looked for.
    func movedMessage(
        _ id: MessageID, news: inout MessageNews
    ) throws(SQLiteError) -> StoredMessage? {
        try stored(
            .changingMessageByID, (news.channelRow, id), news: &news, tellingOfReplies: true)
    }

    /// The first answer to a question, whose fifth column may say whether the message has replies.
    ///
    /// One that cannot be read goes, and counts as not there; `news.dropped` tells of it.
    func stored<Key>(
        _ question: Query<Key, Void>, _ key: Key, news: inout MessageNews,
        tellingOfReplies: Bool = false
    ) throws(SQLiteError) -> StoredMessage? {
        var found: StoredMessage?
        var unreadable: (place: MessagePlace, payloadCount: Int)?
        let url = news.channel
        try connection.scan(question, key) { row throws(SQLiteError) in
            do throws(SQLiteError) {
                found = try message(row, in: url)
                if tellingOfReplies { found?.hasReplies = row.int64(4) != 0 }
            } catch  where error.isMalformedValue {
                unreadable = (
                    MessagePlace(channelRow: row.int64(0), position: Position(row, column: 1)),
                    row.bytes(3).count
                )
            }
            return false
        }
        guard let unreadable else { return found }
        try drop(unreadable.place, payloadCount: unreadable.payloadCount, &news)
        return nil
    }

    private func drop(
        _ place: MessagePlace, payloadCount: Int, _ news: inout MessageNews
    ) throws(SQLiteError) {
        try connection.execute(.deleteMessage, place)
        try search.startAnew()
        news.holding.messageCount -= 1
        news.holding.payloadBytes -= Int64(payloadCount)
        news.dropped.append(place.position)
    }

    /// Forgets every message of a channel that cannot be read.
    func forgetUnreadable(in url: ChannelURL) throws(SQLiteError) {
        guard let row = try row(url) else { return }
        try withNews(of: url, row: row) { news throws(SQLiteError) in
            let everything = MessageStretch(
                channelRow: row, lower: .distantPast, upper: .distantFuture)
            var unreadable: [(place: MessagePlace, payloadCount: Int)] = []
            try connection.scan(.oldestMessages, everything) { row throws(SQLiteError) in
                do throws(SQLiteError) {
                    _ = try message(row, in: url)
                } catch  where error.isMalformedValue {
                    let place = MessagePlace(
                        channelRow: row.int64(0), position: Position(row, column: 1))
                    unreadable.append((place, row.bytes(3).count))
                }
                return true
            }
            for (place, payloadCount) in unreadable {
                try drop(place, payloadCount: payloadCount, &news)
            }
            try forgetDropped(&news)
        }
    }

    /// Has the server asked again for what went because it could not be read, where nobody brings it now.
    func forgetDropped(_ news: inout MessageNews) throws(SQLiteError) {
        guard !news.dropped.isEmpty else { return }
        try readFilters(&news)
        for place in news.dropped {
            news.coverage.subtract(lower: place, upper: place)
            for index in (news.filtered ?? []).indices {
                news.filtered?[index].now.subtract(lower: place, upper: place)
            }
        }
    }

    /// Every message of a channel that can be read.
    func allMessages(of url: ChannelURL, row: Int64) throws(SQLiteError) -> [Message] {
        let everything = MessageStretch(
            channelRow: row, lower: .distantPast, upper: .distantFuture)
        var messages: [Message] = []
        try connection.scan(.oldestMessages, everything) { row throws(SQLiteError) in
            do throws(SQLiteError) {
                messages.append(try message(row, in: url).message)
            } catch  where error.isMalformedValue {}  // Nobody has heard of it.
            return true
        }
        return messages
    }
}
