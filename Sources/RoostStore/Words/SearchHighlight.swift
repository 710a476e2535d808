// SPDX-License-Identifier: Apache-2.0

// The places of a query's words in a text.
//
// The index contains no texts, so it cannot give the places. The text is split once more by the
// same tokenizer, which makes the result agree with the index.

internal import RoostCore
package import RoostSQLite

/// A part of a message's text, with the matches in it.
package struct SearchSnippet: Equatable, Sendable {
    package let text: String
    /// The matches as ranges of bytes in `text.utf8`: whole characters, in order, without overlaps.
    package let highlights: [Range<Int>]
    /// Whether text of the message precedes the snippet.
    package let isCutBefore: Bool
    /// Whether text of the message follows the snippet.
    package let isCutAfter: Bool
}

extension SearchQuery {
    /// Returns whether a text that is not in the index meets the query, as the index would say.
    package func matches(
        _ text: String, by tokenizer: WordTokenizer
    ) throws(SQLiteError) -> Bool {
        guard !isEmpty else { return false }
        let bytes = Array(SegmentedText.segmented(text).utf8)
        let words = try tokenizer.tokens(of: bytes).map(\.word)
        return wanted.allSatisfy { $0.occurs(in: words) }
            && !excluded.contains { $0.occurs(in: words) }
    }

    /// Returns the places of the query's words in a text, as ranges of bytes in `text.utf8`.
    ///
    /// - Returns: Whole characters, in order, neither overlapping nor touching.
    package func highlights(
        in text: String, by tokenizer: WordTokenizer
    ) throws(SQLiteError) -> [Range<Int>] {
        let segmented = SegmentedText(text)
        let tokens = try tokenizer.tokens(of: segmented.bytes)
        var found: [Range<Int>] = []
        for phrase in wanted where phrase.words.count <= tokens.count {
            for start in 0...(tokens.count - phrase.words.count) {
                let run = tokens[start..<start + phrase.words.count]
                guard phrase.matches(run.lazy.map(\.word)), let first = run.first,
                    let last = run.last
                else { continue }
                found.append(first.range.lowerBound..<last.range.upperBound)
            }
        }
        let bytes = Self.joined(found.map { segmented.origin(of: $0) })
        return Self.joined(text.wholeCharacters(in: bytes))
    }

    /// Returns about `length` characters of a text around the first match, or its beginning.
    ///
    /// `length` counts characters as a reader does and is at least 1; the first match is shown even
    /// if it is longer. Throws only when the tokenizer runs out of memory.
    package func snippet(
        of text: String, length: Int, by tokenizer: WordTokenizer
    ) throws(SQLiteError) -> SearchSnippet {
        Self.snippet(of: text, length: length, marking: try highlights(in: text, by: tokenizer))
    }

    /// Returns a snippet around the first of the known places.
    static func snippet(
        of text: String, length: Int, marking highlights: [Range<Int>]
    ) -> SearchSnippet {
        precondition(length > 0, "A snippet has a character at least.")
        let first = text.range(ofBytes: highlights.first ?? 0..<0)
        let hitLength = text[first].count
        let spare = max(0, length - hitLength)
        // A third of the text precedes the match and the rest follows; more precedes if the text
        // ends early.
        let following = text[first.upperBound...].prefix(spare).count
        let lead = max(spare / 3, spare - following)
        let start =
            text.index(first.lowerBound, offsetBy: -lead, limitedBy: text.startIndex)
            ?? text.startIndex
        let shown = text[start..<first.lowerBound].count + hitLength
        let end =
            text.index(first.upperBound, offsetBy: max(0, length - shown), limitedBy: text.endIndex)
            ?? text.endIndex
        let offset = text.utf8[..<start].count
        let count = text.utf8[start..<end].count
        return SearchSnippet(
            text: String(text[start..<end]),
            highlights: highlights.compactMap { range in
                guard range.lowerBound >= offset, range.upperBound <= offset + count else {
                    return nil
                }
                return range.lowerBound - offset..<range.upperBound - offset
            },
            isCutBefore: start > text.startIndex, isCutAfter: end < text.endIndex)
    }

    private static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var joined: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] =
                    last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }
}

extension SearchQuery.Phrase {
    fileprivate func occurs(in text: [String]) -> Bool {
        words.count <= text.count
            && (0...(text.count - words.count)).contains { matches(text[$0..<$0 + words.count]) }
    }

    /// Whether the words at the beginning of a text are this phrase.
    fileprivate func matches(_ found: some Collection<String>) -> Bool {
        for (index, pair) in zip(words, found).enumerated() {
            let mayGoOn = isUnfinished && index == words.count - 1
            let isMatch =
                mayGoOn
                ? pair.1.utf8.starts(with: pair.0.utf8) : pair.0.utf8.elementsEqual(pair.1.utf8)
            guard isMatch else { return false }
        }
        return true
    }
}

extension String {
    fileprivate func range(ofBytes range: Range<Int>) -> Range<Index> {
        let lower = utf8.index(startIndex, offsetBy: range.lowerBound)
        return lower..<utf8.index(lower, offsetBy: range.count)
    }

    /// Returns the characters that ranges of bytes touch, as ranges of bytes.
    ///
    /// A part of a character, such as a thumb without its colour, cannot be displayed. The ranges
    /// are in order and not empty; a long text may have one for each of its words.
    ///
    /// - Complexity: One walk through the text.
    fileprivate func wholeCharacters(in ranges: [Range<Int>]) -> [Range<Int>] {
        var whole: [Range<Int>] = []
        var rest = ranges[...]
        var start = 0
        // The beginning of the characters of the first range of the rest.
        var lower: Int?
        for character in self {
            guard !rest.isEmpty else { break }
            let end = start + character.utf8.count
            while let range = rest.first, range.lowerBound < end {
                let first = lower ?? start
                lower = first
                guard range.upperBound <= end else { break }
                whole.append(first..<end)
                rest.removeFirst()
                lower = nil
            }
            start = end
        }
        if let lower { whole.append(lower..<start) }
        return whole
    }
}
