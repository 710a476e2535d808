// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel
internal import RoostSQLite

/// The look-up cache of the searches on one connection.
///
/// A user's search repeats after each typed letter, and commits in between are rare.
struct SearchLookUps {
    fileprivate var tokenizer: WordTokenizer?
    /// Every channel of the cache, once it was read.
    fileprivate var channels: [SearchedChannel]?
    /// The newest unindexed message of each channel, as of a floor.
    fileprivate var unindexed: (floor: Int64, newest: [Int64: Timestamp])?

    /// The part of the cache that stays valid after a commit.
    var atOtherCommit: SearchLookUps {
        var lookUps = SearchLookUps()
        lookUps.tokenizer = tokenizer
        return lookUps
    }
}

extension ReadSession {
    /// Returns one page of hits; nil if the database has no index.
    func search(_ question: SearchQuestion) throws(SQLiteError) -> SearchAnswer? {
        guard let index = try SearchIndex(in: connection) else { return nil }
        let tokenizer = try tokenizer()
        let query = try SearchQuery(question.typed, by: tokenizer)
        var request = SearchRequest(
            query, order: question.order, from: question.from.milliseconds,
            through: question.through.milliseconds, after: question.after,
            // Some hits may be hits no more once their waiting changes are made.
            limit: question.limit.addingSaturated(question.waiting.changedCount))
        var searched: [SearchedChannel] = []
        if let urls = question.channels {
            var rows: [Int64] = []
            for url in urls {
                let channel = try connection.channelRow(url)
                if let row = channel?.row { rows.append(row) }
                searched.append(try searchedChannel(url, channel, index.state))
            }
            request.channelRows = rows
        } else {
            searched = try allChannels(index.state)
        }
        if let senders = question.senders {
            var rows: [Int64] = []
            for id in senders {
                if let sender = try connection.user(id) {
                    rows.append(sender.row)
                }
            }
            request.senderRows = rows
        }
        let finder = WaitingFinder(question, query, tokenizer)
        // Found in memory first: they are few.
        var waiting = try finder.unsent()
        waiting += try finder.edited { id throws(SQLiteError) in
            try firstMessage(.messageByID, id)
        }
        var found: [FoundMessage] = []
        found.reserveCapacity(max(0, min(question.limit, 32)))  // As many as are shown at once.
        func add(_ message: Message, _ hit: SearchHit) throws(SQLiteError) {
            guard let shown = try finder.stillFound(message) else { return }
            found.append(
                FoundMessage(message: shown, hit: hit, excerpt: try finder.excerpt(of: shown)))
        }
        if question.order == .newest, let statement = request.newestStatement {
            try connection.scan(statement, request) { row throws(SQLiteError) in
                try add(try message(row).message, SearchHit(ofMessage: row))
                return found.count < question.limit
            }
        } else {
            try connection.defineRelevance()
            for hit in try request.hits(in: connection) where found.count < question.limit {
                guard let message = try firstMessage(.messageAtPlace, hit.place) else { continue }
                try add(message, hit)
            }
        }
        found = finder.merged(waiting, with: found)
        return SearchAnswer(
            found: found, index: index.state, searched: searched, question: question)
    }

    private func tokenizer() throws(SQLiteError) -> WordTokenizer {
        if let known = lookUps.search.tokenizer { return known }
        let tokenizer = try WordTokenizer(connection)
        lookUps.search.tokenizer = tokenizer
        return tokenizer
    }

    private func searchedChannel(
        _ url: ChannelURL, _ channel: ChannelRow?, _ state: SearchIndex.State
    ) throws(SQLiteError) -> SearchedChannel {
        guard let channel else { return SearchedChannel(url: url, coverage: Coverage()) }
        return SearchedChannel(
            url: url, coverage: try coverage(ofRow: channel.row), visibleFrom: channel.cut?.next,
            newestUnindexed: try newestUnindexed(state)[channel.row])
    }

    /// Returns the coverage of a channel, and the part of its history that the member sees.
    fileprivate func history(of url: ChannelURL) throws(SQLiteError) -> SearchedChannel {
        guard let channel = try connection.channelRow(url) else {
            return SearchedChannel(url: url, coverage: Coverage())
        }
        return SearchedChannel(
            url: url, coverage: try coverage(ofRow: channel.row), visibleFrom: channel.cut?.next)
    }

    /// Returns every channel of the user or with coverage, by URL; one query for all of them.
    private func allChannels(_ state: SearchIndex.State) throws(SQLiteError) -> [SearchedChannel] {
        let unindexed = try newestUnindexed(state)
        if let known = lookUps.search.channels { return known }
        var channels: [SearchedChannel] = []
        var current: SearchedRow?
        var ranges: [CoveredRange] = []
        func finish() throws(SQLiteError) {
            guard let last = current else { return }
            if rowSeals == nil { note(last.url, ofRow: last.row) }
            channels.append(
                SearchedChannel(
                    url: try url(ofRow: last.row), coverage: Coverage(ranges),
                    visibleFrom: last.cut?.next, newestUnindexed: unindexed[last.row]))
            ranges = []
        }
        try connection.forEach(.searchedChannels, ()) { row throws(SQLiteError) in
            if row.row != current?.row {
                try finish()
                current = row
            }
            if let range = row.range { ranges.append(range) }
        }
        try finish()
        // The rows of a sealed cache are in the order of their hashes.
        if rowSeals != nil { channels.sort { $0.url < $1.url } }
        lookUps.search.channels = channels
        return channels
    }

    private func newestUnindexed(
        _ state: SearchIndex.State
    ) throws(SQLiteError) -> [Int64: Timestamp] {
        if let known = lookUps.search.unindexed, known.floor == state.floor { return known.newest }
        // The entries contain the extent of indexing, which has changed without a commit.
        if lookUps.search.unindexed != nil { lookUps.search.channels = nil }
        lookUps.search.unindexed = nil
        if state.isComplete { return [:] }
        var newest: [Int64: Timestamp] = [:]
        try connection.forEach(.newestUnindexed, state.floor) { row throws(SQLiteError) in
            newest[row.channelRow] = row.newest
        }
        lookUps.search.unindexed = (state.floor, newest)
        return newest
    }
}

extension StoreReader {
    /// Finds cached messages by their words, and reports the unsearched part.
    ///
    /// - Throws: `.searchUnavailable` if the store was opened without search, or SQLite has none.
    package func search(
        _ question: SearchQuestion
    ) async throws(StoreError) -> Snapshot<SearchAnswer> {
        let (answer, sequence) = try await leavingOut { () async throws(StoreError) in
            try await (index ?? source).snapshot { session throws(SQLiteError) in
                (try session.search(question), session.sequence)
            }
        }
        guard let answer else { throw .searchUnavailable() }
        return Snapshot(value: answer, sequence: sequence)
    }

    /// Returns the coverage of a channel, and the part of its history that the member sees.
    package func history(
        of channel: ChannelURL
    ) async throws(StoreError) -> Snapshot<SearchedChannel> {
        try await snapshot { session throws(SQLiteError) in try session.history(of: channel) }
    }
}

extension SearchHit {
    fileprivate var place: MessagePlace {
        MessagePlace(
            channelRow: channelRow,
            position: Position(
                createdAt: Timestamp(milliseconds: createdAt), messageID: MessageID(messageID)))
    }
}

extension Timestamp {
    /// The next moment in the server's resolution.
    fileprivate var next: Timestamp { advanced(by: 1) }
}

/// A channel and one of its ranges.
struct SearchedRow {
    let row: Int64
    /// The URL in plaintext; in a sealed cache its hash.
    let url: ChannelURL
    let cut: Timestamp?
    let range: CoveredRange?
}

extension Query where Input == Void, Output == SearchedRow {
    static let searchedChannels = Query(
        sql: """
            SELECT channel.id, cut_at, c.lower_at, c.lower_id, ifnull(r.upper_at, c.upper_at),
                ifnull(r.upper_id, c.upper_id), url
            FROM channel LEFT JOIN coverage AS c ON c.channel_id = channel.id AND c.filter_id = 0
                LEFT JOIN recent AS r ON r.channel_id = channel.id
                    AND r.lower_at = c.lower_at AND r.lower_id = c.lower_id
            WHERE membership > 0 OR c.channel_id IS NOT NULL
            ORDER BY url, c.lower_at, c.lower_id
            """
    ) { row in
        var range: CoveredRange?
        if !row.isNull(2) {
            let (lower, upper) = (Position(row, column: 2), Position(row, column: 4))
            // Sorted, because a damaged row must not trap.
            range = CoveredRange(lower: min(lower, upper), upper: max(lower, upper))
        }
        return SearchedRow(
            row: row.int64(0), url: ChannelURL(row.text(6)),
            cut: row.optionalInt64(1).map { Timestamp(milliseconds: $0) }, range: range)
    }
}

extension Query where Input == Int64, Output == (channelRow: Int64, newest: Timestamp) {
    /// Reads the part of one index below the floor, and no message.
    static let newestUnindexed = Query(
        sql: """
            SELECT channel_id, max(created_at) FROM message INDEXED BY message_by_id
            WHERE message_id < ?1 GROUP BY channel_id
            """,
        bind: { floor, bindings in bindings.append(floor) },
        decode: { row in (row.int64(0), Timestamp(milliseconds: row.int64(1))) })
}
