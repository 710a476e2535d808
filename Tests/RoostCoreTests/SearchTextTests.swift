// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostTestSupport
import Testing

struct SearchTextTests {
    @Test(arguments: [
        ("plain words, café", "plain words, café"),
        ("東京へ行く", " 東 京 へ 行 く"),
        ("abc東京def", "abc 東 京 def"),
        ("한국어 word", "한국어 word"),
        ("กา่", " ก า ่"),
        ("Ｆｕｌｌ１", "Full1"),
        ("ｶﾞｷ", " ガ キ"),
        ("か\u{3099}は\u{309A}う\u{3099}", " が ぱ ゔ"),
        ("\u{1112}\u{1161}\u{11AB}", "한"),
        ("и\u{306}е\u{308}ё", "йее"),
        ("ά\u{301}", "α"),
        ("مُحَمَّد", "محمد"),
        ("e\u{301}", "e"),
        ("co\u{AD}op", "coop"),
        ("ΆΈΉΊΪΌΎΫΏ", "ΑΕΗΙΙΟΥΥΩ"),
        ("άέήίϊΐόύϋΰώ", "αεηιιιουυυω"),
        ("Ёё", "Ее"),
        ("ສວ", " ສ ວ"),
        ("ကꧠꩠ", " က ꧠ ꩠ"),
        ("ក", " ក"),
        ("ᥐᨠꪀ", " ᥐ ᨠ ꪀ"),
        ("ᬅꦄ", " ᬅ ꦄ"),
        ("々〇〡", " 々 〇 〡"),
        ("ㄅㆠ", " ㄅ ㆠ"),
        ("㐀ꀀ豈", " 㐀 ꀀ 豈"),
        ("\u{1B000}\u{20000}", " \u{1B000} \u{20000}"),
        ("ש\u{05C1}ל\u{05B9}ו\u{05BF}ם\u{05C4}\u{05C7}", "שלום"),
        ("س\u{0640}ل\u{0610}ا\u{06D6}م\u{06DF}\u{06E7}\u{06EA}\u{0670}", "سلام"),
        ("a\u{FE0F}\u{2060}b\u{FEFF}", "ab"),
        ("\u{0}", "\u{0}"),
        ("", ""),
    ])
    func `scripts without spaces are split, and look-alikes are equal`(
        text: String, expected: String
    ) {
        #expect(
            SegmentedText.segmented(text).unicodeScalars.elementsEqual(expected.unicodeScalars),
            "\(SegmentedText.segmented(text))")
    }

    @Test func `an emoji is a word of its own in any colour`() {
        let thumb = SegmentedText.segmented("👍")
        #expect(thumb == SegmentedText.segmented("👍🏽"))
        #expect(SegmentedText.segmented("ok👍ok") == "ok\(thumb) ok")
        #expect(SegmentedText.segmented("❤️") == SegmentedText.segmented("❤"))
    }

    @Test func `each byte knows its source characters`() {
        let segmented = SegmentedText("x ｶﾞ👍🏽")
        let bytes = segmented.bytes
        #expect(String(decoding: bytes[3..<6], as: UTF8.self) == "ガ")
        #expect(segmented.origin(of: 3..<6) == 2..<8)
        #expect(segmented.origin(of: 7..<11) == 8..<12)
    }

    @Test func `any typed text is parsed within bounds`() {
        var random = SplitMix64(seed: 7)
        let alphabet: [Unicode.Scalar] = [
            "a", "\"", "-", " ", "\u{0}", "*", "(", ";", "“", "東", "👍", "\u{300}", "ﾞ", "\u{1161}",
        ]
        for length in Array(0..<300) + [10_000] {
            var text = String.UnicodeScalarView()
            for _ in 0..<length { text.append(alphabet[Int(random.next() % 14)]) }
            let parts = TypedQuery(String(text)).parts
            #expect(parts.count <= TypedQuery.partLimit)
            #expect(parts.allSatisfy { !$0.text.isEmpty })
            #expect(
                SegmentedText(String(text)).bytes.elementsEqual(
                    SegmentedText.segmented(String(text)).utf8))
        }
    }

    @Test(arguments: [
        ("two words", ["two", "words…"]),
        ("two words ", ["two", "words"]),
        ("\"as it stands\" x", ["[as it stands]", "x…"]),
        ("„deutsch“ 「日本」", ["[deutsch]", "[日本]"]),
        ("cat -dog -\"hot dog\"", ["cat", "-dog", "-[hot dog]"]),
        ("e-mail - -- x", ["e-mail", "-", "--", "x…"]),
        ("\"open", ["[open]"]),
        ("\"\" -\"\"", []),
        ("   ", []),
    ])
    func `words, quotations and exclusions are distinguished`(typed: String, expected: [String]) {
        let parts = TypedQuery(typed).parts.map { part in
            (part.isExcluded ? "-" : "") + (part.isQuoted ? "[\(part.text)]" : part.text)
                + (part.isUnfinished ? "…" : "")
        }
        #expect(parts == expected)
    }
}

struct UnseenPeriodsTests {
    private static func place(_ moment: Int64, _ id: Int64) -> Position {
        Position(createdAt: Timestamp(milliseconds: moment), messageID: MessageID(id))
    }

    private static func channel(
        _ ranges: [(Position, Position)], isLive: Bool = true, visibleFrom: Int64? = nil,
        newestUnindexed: Int64? = nil
    ) -> SearchedChannel {
        SearchedChannel(
            url: "c", coverage: Coverage(ranges.map { CoveredRange(lower: $0.0, upper: $0.1) }),
            liveEnd: isLive ? .distantPast : nil,
            visibleFrom: visibleFrom.map { Timestamp(milliseconds: $0) },
            newestUnindexed: newestUnindexed.map { Timestamp(milliseconds: $0) })
    }

    private static func text(
        _ channel: SearchedChannel, _ from: Int64 = .min, _ through: Int64 = .max
    ) -> [String] {
        channel.unseen(
            from: Timestamp(milliseconds: from), through: Timestamp(milliseconds: through)
        ).map { period in
            let from = period.from == .distantPast ? "start" : "\(period.from)"
            let through = period.through == .distantFuture ? "end" : "\(period.through)"
            return "\(from)-\(through)" + (period.reason == .notIndexed ? " not indexed" : "")
        }
    }

    @Test func `a channel covered from its start and live has no unseen period`() {
        let whole = Self.channel([(.distantPast, Self.place(9, 9))])
        #expect(Self.text(whole) == [])
        #expect(SearchSight(of: [whole]) == .complete)
    }

    @Test func `holes, the unknown start and a lost link are named`() {
        let ranges = [
            (Self.place(10, 1), Self.place(20, 2)), (Self.place(30, 3), Self.place(40, 4)),
        ]
        #expect(Self.text(Self.channel(ranges)) == ["start-10", "20-30"])
        #expect(
            Self.text(Self.channel(ranges, isLive: false)) == ["start-10", "20-30", "40-end"])
        #expect(Self.text(Self.channel([])) == ["start-end"])
    }

    @Test func `only the period of the query counts`() {
        let ranges = [
            (Self.place(10, 1), Self.place(20, 2)), (Self.place(30, 3), Self.place(40, 4)),
        ]
        let channel = Self.channel(ranges, isLive: false)
        #expect(Self.text(channel, 11, 19) == [])
        #expect(Self.text(channel, 15, 25) == ["20-25"])
        #expect(Self.text(channel, 25, 26) == ["25-26"])
        #expect(Self.text(channel, 50, 60) == ["50-60"])
        #expect(Self.text(channel, 20, 10) == [])
        #expect(Self.text(Self.channel(ranges, visibleFrom: 25)) == ["25-30"])
    }

    @Test func `messages missing in the index differ from messages missing in the cache`() {
        let ranges = [
            (Position.distantPast, Self.place(20, 2)), (Self.place(30, 3), Self.place(40, 4)),
        ]
        let channel = Self.channel(ranges, newestUnindexed: 35)
        #expect(
            Self.text(channel) == ["start-20 not indexed", "20-30", "30-35 not indexed"])
    }

    @Test func `a moment is unseen exactly if a message of it could be missing (scar 140)`() {
        var random = SplitMix64(seed: 3)
        for _ in 0..<2_000 {
            var coverage = Coverage()
            for _ in 0..<(random.next() % 4) {
                let lower = Int64(random.next() % 12)
                let upper = min(11, lower + Int64(random.next() % 4))
                coverage.insert(
                    CoveredRange(lower: Self.place(lower, .min), upper: Self.place(upper, .max)))
            }
            if random.next() % 4 == 0 {
                coverage.insert(CoveredRange(lower: .distantPast, upper: Self.place(0, .max)))
            }
            let isLive = random.next() % 2 == 0
            let channel = SearchedChannel(
                url: "c", coverage: coverage, liveEnd: isLive ? .distantPast : nil)
            let from = Int64(random.next() % 14)
            let through = Int64(random.next() % 14)
            let periods = channel.unseen(
                from: Timestamp(milliseconds: from), through: Timestamp(milliseconds: through))
            for moment in Int64(0)..<14 {
                let at = Timestamp(milliseconds: moment)
                let isUnseen = periods.contains { $0.from <= at && at <= $0.through }
                let place = Self.place(moment, 0)
                let isAfterEnd = coverage.newest.map { $0.upper < place } ?? false
                let isKnown =
                    coverage.range(containing: place) != nil || (isAfterEnd && isLive)
                let isAsked = from <= moment && moment <= through
                #expect(isUnseen == (isAsked && !isKnown), "\(moment) of \(coverage.ranges)")
            }
        }
    }
}
