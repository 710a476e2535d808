// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

// Checks that the index has the words of all messages, each at its place, and no others.
//
// The index is ordered by word and the cache by message, and neither fits in memory. So both are
// summed up, independent of order, for thousands of groups of messages: equal sums mean equal
// words.

/// Sums over words, by groups of their messages.
private struct WordSums {
    /// Enough groups that two wrong messages are probably counted as two.
    private static let groupCount = 1 << 16

    private var sums = [Int](repeating: 0, count: groupCount)
    /// Groups with an unreadable message.
    private var unknown: Set<Int> = []

    private static func group(of message: Int64) -> Int {
        Int(UInt64(bitPattern: message) % UInt64(groupCount))
    }

    /// Adds a word with sign 1, or removes it with sign -1.
    mutating func add(_ word: IndexedWord, sign: Int) {
        var hasher = Hasher()
        // Compared by bytes: equal accents may be indexed differently.
        for byte in word.word.utf8 { hasher.combine(byte) }
        hasher.combine(word.message)
        hasher.combine(word.isTag)
        hasher.combine(word.offset)
        sums[Self.group(of: word.message)] &+= sign &* hasher.finalize()
    }

    mutating func exempt(_ message: Int64) { unknown.insert(Self.group(of: message)) }

    /// The number of groups whose words differ.
    var wrongCount: Int {
        sums.indices.count { group in sums[group] != 0 && !unknown.contains(group) }
    }
}

/// A word and its place.
private struct IndexedWord {
    /// The number of compared characters; the index cuts words at 32 KiB.
    static let length = 1_000

    let word: String
    let message: Int64
    let isTag: Bool
    let offset: Int64
}

extension ReadSession {
    /// Verifies the index of words.
    ///
    /// Returns one sentence for each finding; empty if the index is sound or absent.
    ///
    /// - Complexity: Reads every message and every word of the index.
    func searchFindings() throws(SQLiteError) -> [String] {
        guard let index = try SearchIndex(in: connection) else { return [] }
        let tokenizer = try WordTokenizer(connection)
        var sums = WordSums()
        try connection.scan(.messagesFrom, index.state.floor) { row throws(SQLiteError) in
            let id = row.int64(2)
            do throws(SQLiteError) {
                let entry = SearchEntry(try message(row).message, channelRow: row.int64(0))
                for word in try entry.words(by: tokenizer) { sums.add(word, sign: 1) }
            } catch  where error.isMalformedValue {
                // The words of an unreadable message are unknown.
                sums.exempt(id)
            }
            return true
        }
        try connection.withTemporaryTable(.createVocabulary, .dropVocabulary) {
            () throws(SQLiteError) in
            try connection.forEach(.indexedWords, ()) { word in sums.add(word, sign: -1) }
        }
        let count = sums.wrongCount
        return count == 0
            ? [] : ["the index of words does not have what \(count) or more messages say"]
    }
}

extension SearchEntry {
    /// Returns the words of this message as the index records them.
    fileprivate func words(by tokenizer: WordTokenizer) throws(SQLiteError) -> [IndexedWord] {
        if text.isEmpty { return [] }
        var words: [IndexedWord] = []
        let bytes = Array(SegmentedText.segmented(text).utf8)
        for (offset, token) in try tokenizer.tokens(of: bytes).enumerated() {
            words.append(
                IndexedWord(
                    word: String(token.word.unicodeScalars.prefix(IndexedWord.length)),
                    message: messageID, isTag: false, offset: Int64(offset)))
        }
        let tag = Self.tag(ofChannel: channelRow)
        words.append(IndexedWord(word: tag, message: messageID, isTag: true, offset: 0))
        return words
    }
}

extension Query where Input == Void, Output == Void {
    fileprivate static let createVocabulary = Query(
        sql: """
            CREATE VIRTUAL TABLE IF NOT EXISTS temp.indexed_word
                USING fts5vocab(main, message_text, instance)
            """)
    fileprivate static let dropVocabulary = Query(sql: "DROP TABLE temp.indexed_word")
}

extension Query where Input == Void, Output == IndexedWord {
    fileprivate static let indexedWords = Query(
        sql: "SELECT substr(term, 1, 1000), doc, col = 'tag', \"offset\" FROM temp.indexed_word"
    ) { row in
        IndexedWord(
            word: row.text(0), message: row.int64(1), isTag: row.int64(2) != 0, offset: row.int64(3)
        )
    }
}

extension Query where Input == Int64, Output == Void {
    fileprivate static let messagesFrom = Query(
        sql: """
            SELECT channel_id, created_at, message_id, payload FROM message WHERE message_id >= ?1
            """,
        bind: { floor, bindings in bindings.append(floor) })
}
