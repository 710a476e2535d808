// SPDX-License-Identifier: Apache-2.0

// The part of a search that no index can answer: unsent messages, and edits that wait. Their texts
// are compared in memory, split by the tokenizer of the index. So nothing of the outbox is written
// into an index, and a sealed store keeps it sealed.

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

/// Finds the words that wait in the outbox.
struct WaitingFinder {
    /// The numbers of unsent messages in the order of hits: above those of all servers' messages.
    private static let firstUnsent = Int64.max - (1 << 48)

    private let question: SearchQuestion
    private let query: SearchQuery
    private let tokenizer: WordTokenizer

    init(_ question: SearchQuestion, _ query: SearchQuery, _ tokenizer: WordTokenizer) {
        self.question = question
        self.query = query
        self.tokenizer = tokenizer
    }

    /// Returns the unsent messages with the words.
    func unsent() throws(SQLiteError) -> [FoundMessage] {
        var found: [FoundMessage] = []
        for unsent in question.waiting.unsent where question.selects(unsent.message) {
            let number = max(0, min(unsent.sequence, (1 << 48) - 1))
            let place = Self.firstUnsent.addingSaturated(number)
            guard let shown = question.waiting.shown(unsent.message) else { continue }
            try add(shown, place, to: &found)
        }
        return found
    }

    /// Returns the messages that have the words in their waiting edits and not in the cache.
    func edited(
        _ cached: (MessageID) throws(SQLiteError) -> Message?
    ) throws(SQLiteError) -> [FoundMessage] {
        var found: [FoundMessage] = []
        for (channel, marks) in question.waiting.marks
        where question.channels?.contains(channel) ?? true {
            for id in marks.editedMessages {
                guard let message = try cached(id), question.selects(message),
                    let shown = question.waiting.shown(message),
                    // The index has found the others.
                    !(try query.matches(message.searchableText, by: tokenizer))
                else { continue }
                try add(shown, id.rawValue, to: &found)
            }
        }
        return found
    }

    private func add(
        _ message: Message, _ place: Int64, to found: inout [FoundMessage]
    ) throws(SQLiteError) {
        // Words that wait have no score: they precede all hits of the index.
        let score = question.order == .newest ? 0 : -Double.greatestFiniteMagnitude
        let hit = SearchHit(
            messageID: place, channelRow: 0, createdAt: message.createdAt.milliseconds,
            score: score)
        guard question.after.map({ $0.isBefore(hit) }) ?? true,
            try query.matches(message.searchableText, by: tokenizer)
        else { return }
        found.append(FoundMessage(message: message, hit: hit, excerpt: try excerpt(of: message)))
    }

    /// Returns a hit of the index with its waiting changes; nil if it is a hit no more.
    func stillFound(_ message: Message) throws(SQLiteError) -> Message? {
        guard let shown = question.waiting.shown(message) else { return nil }
        // Unsent for the outbox, and delivered already for the cache.
        if let id = message.requestID,
            question.waiting.unsent.contains(where: { $0.message.requestID == id })
        {
            return nil
        }
        if shown.text == message.text { return shown }
        return try query.matches(shown.searchableText, by: tokenizer) ? shown : nil
    }

    func excerpt(of message: Message) throws(SQLiteError) -> SearchExcerpt? {
        try question.excerptLength.map { length throws(SQLiteError) in
            try query.excerpt(of: message, length: length, by: tokenizer)
        }
    }

    /// Returns one page of both in the order of hits.
    func merged(
        _ waiting: [FoundMessage], with found: [FoundMessage]
    ) -> [FoundMessage] {
        guard !waiting.isEmpty else { return found }
        let all = (waiting + found).sorted { $0.hit.isBefore($1.hit) }
        return Array(all.prefix(question.limit))
    }
}

extension SearchHit {
    /// Returns whether a page has this hit before another one.
    fileprivate func isBefore(_ other: SearchHit) -> Bool {
        (score, other.messageID) < (other.score, messageID)
    }
}

extension SearchQuery {
    /// Returns a snippet of a message, and the places of the words in its texts.
    func excerpt(
        of message: Message, length: Int, by tokenizer: WordTokenizer
    ) throws(SQLiteError) -> SearchExcerpt {
        let whole = message.searchableText
        var marked: [SearchExcerpt.Marked] = []
        let highlights = try highlights(in: whole, by: tokenizer)
        var start = 0
        for part in message.searchableTexts {
            let count = part.text.utf8.count
            let inside = highlights.compactMap { range -> Range<Int>? in
                let part = range.clamped(to: start..<start + count)
                return part.isEmpty ? nil : part.lowerBound - start..<part.upperBound - start
            }
            if !inside.isEmpty {
                marked.append(SearchExcerpt.Marked(place: part.place, highlights: inside))
            }
            start += count + 1
        }
        return SearchExcerpt(
            snippet: Self.snippet(of: whole, length: length, marking: highlights), marked: marked)
    }
}
