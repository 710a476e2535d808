// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

struct SearchHitsTests {
    @Test(arguments: [
        ("hello", [1]), ("HELLO wor", [1]), ("world hello", [1]), ("hello nowhere", []),
        ("\"hello world\"", [1]), ("\"world hello\"", []), ("wo", [1]), ("wo ", []), ("w", []),
        ("cafe creme", [2]), ("CAFÉ", [2]), ("京へ", [3]), ("東行", []), ("ガキ", [4]), ("한국어", [5]),
        ("한국어 배운", [5]), ("👍", [6]), ("ok", [6]), ("นะ", [7]), ("हिन्दी", [8]), ("हिन", [8]),
        ("محمد", [9]), ("e-mail", [10]), ("mail -hello", [10]), ("-hello", []), ("", []),
        ("!!! ;", []),
        ("foo_bar", [11]), ("text : hello", []), ("hello OR cafe", []), ("NEAR(hello world)", []),
        ("{tag}: c1", []), ("c1", []), ("c1 ", []), ("\"c1\"", []), ("hello -c1", [1]),
        ("c1 hello", []), ("hello*", [1]), ("\u{0}hello\u{0}", [1]), ("🇩🇪", [12]),
    ])
    func `a typed text finds its matches in any script (scar 38)`(
        typed: String, expected: [Int64]
    ) throws {
        let texts = [
            "Hello, World!", "Cafe\u{301} crème", "東京へ行く", "ｶﾞｷ", "한국어를 배운다", "ok👍🏽!",
            "นะครับ", "हिन्दी भाषा", "مُحَمَّد", "e-mail", "foo.bar", "🇩🇪",
        ]
        let fixture = try SearchFixture(texts)
        #expect(try fixture.find(typed) == expected)
        // A text that is in no index is judged alike.
        let query = try fixture.query(typed)
        let matching = try texts.enumerated().filter {
            try query.matches($1, by: fixture.tokenizer)
        }
        #expect(matching.map { Int64($0.offset + 1) } == expected)
    }

    @Test(arguments: [
        ["प\u{95D}ना", "क\u{93C}लम"], ["\u{9AC}\u{9BE}\u{9DC}\u{9BF}", "ভা\u{9B2}\u{9CB}"],
        ["ਸ਼ਹਿਰ", "\u{A5B}\u{A30}\u{A3E}"], ["ଓ\u{B5C}ିଆ", "\u{B15}\u{B4B}"],
        ["கொடி", "கோவில்", "\u{B94}"], ["കൊടി", "കോഴി"], ["ಕೋಟೆ", "ಕೊಡೆ", "ಕೀಲಿ"],
        ["కైలాసం"], ["කෝපි", "ලේඛන"], ["أحمد", "قرآن", "مسئول", "إسلام"], ["ۓ", "خانۂ"],
        ["Чайковский", "ќе", "ѓавол", "Їжак", "тоҷикӣ", "чӑваш", "ӱлӹ"],
        ["ἄνθρωπος", "ᾠδή", "ῥόδον", "Ἀθῆναι"], ["\u{FB2A}ל\u{FB35}ם"], ["\u{F40}\u{F73}\u{F51}"],
        ["\u{F90A}\u{F9FF}"], ["ガラス", "ヴァ"], ["한국어"], ["Việt", "Ǽsop", "Ǿre", "Ångström"],
        ["ပ\u{1026}"], ["\u{1B06}\u{1B05}"], ["กุ\u{E48}น"],
    ])
    func `a word is found and marked in each of its canonical forms`(
        words: [String]
    ) throws {
        for word in words {
            let forms = [
                word, word.decomposedStringWithCanonicalMapping,
                word.precomposedStringWithCanonicalMapping,
            ]
            let fixture = try SearchFixture(forms + ["other"])
            for typed in forms {
                #expect(try fixture.find(typed) == [3, 2, 1], "\(word)")
                #expect(try fixture.find(typed + " ") == [3, 2, 1], "\(word)")
                for form in forms {
                    let marked = try fixture.marked(typed, in: "x \(form) y")
                    #expect(marked.count == 1 && marked.first == form, "\(word)")
                }
            }
        }
    }

    @Test func `a character and its canonical decomposition are one word`() throws {
        let tokenizer = try SearchFixture().tokenizer
        func words(_ text: String) throws -> [String] {
            try tokenizer.tokens(of: SegmentedText("a \(text)b").bytes).map(\.word)
        }
        for scalar in (0..<0x3000).compactMap({ (code: UInt32) in Unicode.Scalar(code) }) {
            let text = String(scalar)
            let decomposed = text.decomposedStringWithCanonicalMapping
            guard !text.unicodeScalars.elementsEqual(decomposed.unicodeScalars) else { continue }
            let (first, second) = (try words(text), try words(decomposed))
            #expect(
                first.elementsEqual(second) { $0.utf8.elementsEqual($1.utf8) },
                "U+\(String(scalar.value, radix: 16)): \(first) \(second)")
        }
    }

    @Test func `no typed text is an error (scar 38)`() throws {
        let fixture = try SearchFixture(["a \" b * ( ) : ; c1 AND OR NOT NEAR 東京 👍"])
        let alphabet = [
            "a", "\"", "-", " ", "\u{0}", "*", "(", ")", ":", ";", "'", "^", "+", "{", "}", "東",
            "👍", "\u{300}", "\\", "\n", "A", "N", "D", "O", "R", "T", "\u{FFFD}", "\u{10FFFF}", "กั",
        ].compactMap { (text: String) in text.unicodeScalars.first }
        var random = SplitMix64(seed: 11)
        for round in 0..<3_000 {
            var text = String.UnicodeScalarView()
            let length = round % 500 == 499 ? 10_000 : Int(random.next() % 24)
            for _ in 0..<length {
                text.append(alphabet[Int(random.next() % UInt64(alphabet.count))])
            }
            let query = try fixture.query(String(text))
            for order in [SearchRequest.Order.newest, .relevance] {
                _ = try SearchRequest(query, order: order, channelRows: [1, 2])
                    .hits(in: fixture.connection)
            }
            _ = try query.snippet(of: String(text), length: 20, by: fixture.tokenizer)
        }
    }

    @Test func `every part of a run without spaces is found and marked at its place`() throws {
        let text = "昨日は東京で友達とラーメンを食べました"
        let fixture = try SearchFixture([text])
        for start in text.indices {
            for end in text.indices[start...].dropFirst() {
                let part = String(text[start..<end])
                #expect(try fixture.find(part) == [1])
                #expect(try fixture.marked(part, in: text).contains { $0.contains(part) })
            }
        }
    }

    @Test func `a text has marks exactly if the index finds it`() throws {
        var random = SplitMix64(seed: 5)
        let words = ["ab", "abc", "Éa", "東", "京", "👍", "-", "e\u{301}a", "ｶﾞ", "ガ", "한국", "다"]
        func draw(_ count: UInt64) -> String {
            (0..<(1 + random.next() % count)).map { _ in
                words[Int(random.next() % UInt64(words.count))]
                    + (random.next() % 2 == 0 ? " " : "")
            }.joined()
        }
        let texts = (0..<60).map { _ in draw(6) }
        let fixture = try SearchFixture(texts)
        for _ in 0..<400 {
            let word = draw(2).filter { $0 != "-" && $0 != " " }
            let typed = random.next() % 2 == 0 ? "\"\(word)\"" : word
            let found = Set(try fixture.find(typed))
            for (offset, text) in texts.enumerated() {
                let isMarked = try !fixture.marked(typed, in: text).isEmpty
                #expect(isMarked == found.contains(Int64(offset + 1)), "\(typed) in \(text)")
            }
        }
    }

    @Test func `marks cover whole characters and follow case and accents`() throws {
        let fixture = try SearchFixture()
        #expect(try fixture.marked("creme", in: "Café CRE\u{300}ME!") == ["CRE\u{300}ME"])
        #expect(try fixture.marked("👍", in: "ok👍🏽") == ["👍🏽"])
        #expect(try fixture.marked("hel", in: "hello help") == ["hello", "help"])
        #expect(try fixture.marked("a b", in: "b a-b") == ["b", "a", "b"])
        #expect(try fixture.marked("ガ", in: "xｶﾞy") == ["ｶﾞ"])
    }

    @Test(.timeLimit(.minutes(Patience.minutes)))
    func `a long text of nothing but matches is marked in one walk (scar 49)`() throws {
        let fixture = try SearchFixture()
        let words = String(repeating: "aa ", count: 21_845)
        let marks = try fixture.query("aa").highlights(in: words, by: fixture.tokenizer)
        #expect(marks.count == 21_845 && marks.last == 65_532..<65_534)
        let run = String(repeating: "的 ", count: 16_384)
        let snippet = try fixture.query("的").snippet(of: run, length: 40, by: fixture.tokenizer)
        #expect(snippet.text.count == 40 && snippet.isCutAfter && !snippet.isCutBefore)
    }

    @Test func `a snippet shows the hit and marks what it cuts off`() throws {
        let fixture = try SearchFixture()
        let text =
            String(repeating: "word ", count: 100) + "needle" + String(repeating: " é", count: 99)
        let snippet = try fixture.query("needle").snippet(
            of: text, length: 40, by: fixture.tokenizer)
        #expect(snippet.text.count == 40)
        #expect(snippet.isCutBefore && snippet.isCutAfter)
        let mark = try #require(snippet.highlights.first)
        #expect(Array(snippet.text.utf8)[mark].elementsEqual("needle".utf8))
        let whole = try fixture.query("needle").snippet(of: "x", length: 40, by: fixture.tokenizer)
        #expect(whole.text == "x" && !whole.isCutBefore && !whole.isCutAfter)
        let late = try fixture.query("needle").snippet(
            of: String(repeating: "x ", count: 50) + "needle", length: 40, by: fixture.tokenizer)
        #expect(late.text.count == 40 && late.text.hasSuffix("needle") && !late.isCutAfter)
    }

    @Test(arguments: [SearchRequest.Order.newest, .relevance])
    func `channels, senders and times restrict a search, and pages add up to all hits`(
        order: SearchRequest.Order
    ) throws {
        let fixture = try SearchFixture()
        let items = (1...200).map { (id: Int64) in
            SearchFixture.Item(
                id: id, text: id % 2 == 0 ? "word" : id % 3 == 0 ? "word rare" : "other",
                channel: id % 7, createdAt: 1_000 + id, sender: id % 5)
        }
        for item in items { try fixture.put(item) }
        let restrictions: [([Int64]?, [Int64]?, Int64, Int64)] = [
            (nil, nil, .min, .max), ([1, 3], nil, .min, .max), (nil, [2], .min, .max),
            ([2], [1, 4], 1_050, 1_150), (Array(0...100), nil, .min, 1_100), ([], nil, .min, .max),
        ]
        for (channels, senders, from, through) in restrictions {
            var request = SearchRequest(
                try fixture.query("word "), order: order, channelRows: channels,
                senderRows: senders, from: from, through: through, limit: 7)
            var found: [SearchHit] = []
            while true {
                let page = try request.hits(in: fixture.connection)
                found += page
                request.after = page.last
                if page.count < 7 { break }
            }
            let expected = items.filter { item in
                item.text.hasPrefix("word") && channels?.contains(item.channel) != false
                    && senders?.contains(item.sender) != false
                    && (from...through).contains(1_000 + item.id)
            }.map(\.id)
            #expect(found.count == expected.count)
            #expect(Set(found.map(\.messageID)) == Set(expected))
            if order == .newest { #expect(found.map(\.messageID) == expected.reversed()) }
        }
    }

    @Test func `a message with more occurrences is first, then the newest`() throws {
        let fixture = try SearchFixture([
            "common rare", "common common", "x", "common", "y", "z", "w",
        ])
        let request = SearchRequest(try fixture.query("common "), order: .relevance)
        #expect(try request.hits(in: fixture.connection).map(\.messageID) == [2, 4, 1])
    }

    @Test func `the rarer of two words counts more, and the channel counts nothing`() throws {
        let fixture = try SearchFixture()
        for id: Int64 in 1...20 { try fixture.put(.init(id: id, text: "common c1", channel: 1)) }
        try fixture.put(.init(id: 30, text: "seldom seldom common", channel: 1))
        try fixture.put(.init(id: 31, text: "seldom common common", channel: 1))
        try fixture.put(.init(id: 32, text: "seldom seldom common", channel: 2))
        var request = SearchRequest(try fixture.query("seldom common "), order: .relevance)
        #expect(try request.hits(in: fixture.connection).map(\.messageID) == [32, 30, 31])
        let everywhere = try request.hits(in: fixture.connection)
        request.channelRows = [1, 2]
        #expect(try request.hits(in: fixture.connection) == everywhere)
    }

    @Test func `the index is the outer loop, and messages are looked up by ID`() throws {
        let fixture = try SearchFixture(["a"])
        let plan = try fixture.connection.plan(of: SearchRequest.newestQuery)
        #expect(plan.first?.contains("t VIRTUAL TABLE INDEX") == true, "\(plan)")
        #expect(plan.contains { $0.contains("m USING") && $0.contains("message_by_id") }, "\(plan)")
        #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }
}
