// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
package import RoostSQLite

/// A search for words in the index.
///
/// - Invariant: Every phrase has a word, and a word has only characters that the tokenizer treats
///   as letters.
package struct SearchQuery: Equatable, Sendable {
    /// Consecutive words.
    struct Phrase: Equatable, Sendable {
        let words: [String]
        /// Whether the last word may be the beginning of a longer one.
        let isUnfinished: Bool
    }

    let wanted: [Phrase]
    let excluded: [Phrase]

    /// The number of words of a query; a long text pasted as one phrase is searched by its first
    /// words.
    static let wordLimit = 64

    /// Parses a query as typed: see `TypedQuery`.
    package init(
        _ typed: String, by tokenizer: WordTokenizer
    ) throws(SQLiteError) {
        var wanted: [Phrase] = []
        var excluded: [Phrase] = []
        for part in TypedQuery(typed).parts {
            guard let phrase = try Phrase(part, by: tokenizer) else { continue }
            if part.isExcluded { excluded.append(phrase) } else { wanted.append(phrase) }
        }
        self.wanted = wanted
        self.excluded = excluded
    }

    /// Whether there can be no hit: no word at all, or only excluded words.
    package var isEmpty: Bool { wanted.isEmpty }

    /// Returns the query in the index's own language, in some channels or in all.
    ///
    /// Words consist of letters, and are quoted nevertheless, so no word is an operator.
    func expression(inChannels tags: [Int64]?) -> String {
        precondition(!isEmpty, "An empty query finds nothing, and is not asked.")
        var text = wanted.map(\.expression).joined(separator: " AND ")
        if !excluded.isEmpty {
            let list = excluded.map(\.expression).joined(separator: " OR ")
            text = "(\(text)) NOT (\(list))"
        }
        // A search in one column makes the index read the positions of every word in a message.
        if (wanted + excluded).contains(where: \.mayBeTag) { text = "{text} : (\(text))" }
        if let tags {
            let list = tags.map { "\"\(SearchEntry.tag(ofChannel: $0))\"" }
            text = "(\(text)) AND {tag} : (\(list.joined(separator: " OR ")))"
        }
        return text
    }
}

extension SearchQuery.Phrase {
    /// The words of one part; nil if it has none, like a smile of colons and brackets.
    fileprivate init?(
        _ part: TypedQuery.Part, by tokenizer: WordTokenizer
    ) throws(SQLiteError) {
        let bytes = SegmentedText(part.text).bytes
        let tokens = try tokenizer.tokens(of: bytes).prefix(SearchQuery.wordLimit)
        guard let last = tokens.last else { return nil }
        words = tokens.map(\.word)
        // One letter begins a tenth of all words, so the search would be slow and useless. A Korean
        // word is followed by its particle, at any place in the query.
        let isLast = part.isUnfinished && last.range.upperBound == bytes.count
        isUnfinished =
            isLast && last.word.unicodeScalars.count > 1
            || !part.isQuoted && last.word.unicodeScalars.last.map(\.isHangulSyllable) ?? false
    }

    /// Whether the phrase may equal a channel's tag, which is a single word.
    fileprivate var mayBeTag: Bool { words.count == 1 && SearchEntry.mayBeginTag(words[0]) }

    fileprivate var expression: String {
        var text = words.joined(separator: " ")
        // No tokenizer has passed a quotation mark yet; the check is cheap, a replacement is not.
        if text.utf8.contains(UInt8(ascii: "\"")) { text.replace("\"", with: "\"\"") }
        return isUnfinished ? "\"\(text)\" *" : "\"\(text)\""
    }
}

extension Unicode.Scalar {
    fileprivate var isHangulSyllable: Bool { (0xAC00...0xD7A3).contains(value) }
}
