// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// The results of searches, and the cost of one call.
struct SearchTests {
    private func results(
        _ words: String, limit: Int, in scene: BudgetScene
    ) async throws -> (texts: [String], calls: Int) {
        var texts: [String] = []
        var token = ""
        for calls in 1...100 {
            let answer = try await scene.ask(
                "GET", "search/messages?query=\(words)&limit=\(limit)&token=\(token)",
                as: scene.ann)
            texts += (answer["results"]?.array ?? []).compactMap { $0["message"]?.string }
            token = answer["next"]?.string ?? ""
            #expect(answer["has_next"]?.bool == !token.isEmpty)
            if token.isEmpty { return (texts, calls) }
        }
        Issue.record("The search does not end.")
        return (texts, 100)
    }

    @Test(arguments: StorageKind.allCases)
    func `a search over channels finds each message once, newest first, in pages`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        for url in ["h", "i"] as [ChannelURL] {
            try await scene.fixture.channel(url, of: ["ann", "bob"], by: scene.ann)
        }
        var sent: [String] = []
        for number in 0..<90 {
            // Some messages of different channels have the same time.
            if number % 4 == 0 { scene.fixture.world.advance(1) }
            let url = (["g", "h", "i"] as [ChannelURL])[number % 3]
            let text = number % 2 == 0 ? "Word \(number)" : "other \(number)"
            await scene.fixture.send(text, RequestID("\(number)"), to: url, on: scene.bob)
            if number % 2 == 0 { sent.append(text) }
        }
        for limit in [1, 7, 100] {
            let found = try await results("wORD", limit: limit, in: scene).texts
            #expect(found.count == sent.count && Set(found) == Set(sent), "limit \(limit)")
        }
    }

    @Test func `a search finds its channels by one question, however many there are`() async throws
    {
        let storage = HookedStorage(try await StorageKind.memory.make())
        let scene = try await BudgetScene(storage)
        for number in 0..<200 {
            try await scene.fixture.channel(
                ChannelURL("c\(number)"), of: ["ann", "bob"], by: scene.ann)
        }
        await scene.fixture.send("needle", "n", to: "g", on: scene.bob)
        _ = storage.takeCounts()
        #expect(try await results("needle", limit: 20, in: scene).texts == ["needle"])
        let counts = storage.takeCounts()
        #expect(counts.values.reduce(0, +) <= 10, "\(counts)")
    }

    @Test(arguments: StorageKind.allCases)
    func `a search shows what its user sees of each channel, and nothing of others`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        let scene = try await BudgetScene(storage)
        for url in ["left", "late", "deleted"] as [ChannelURL] {
            try await scene.fixture.channel(url, of: ["ann", "bob"], by: scene.bob)
            await scene.fixture.send("word in \(url)", "1", to: url, on: scene.bob)
        }
        await scene.fixture.send("word in g", "1", to: "g", on: scene.bob)
        try await scene.fixture.call(LeaveChannel(channelURL: "left"), as: scene.ann)
        #expect(try await scene.code("DELETE", "group_channels/deleted", as: nil) == nil)
        let last = try await storage.log(of: "late").last?.message.createdAt
        scene.fixture.world.advance(1_000)
        await scene.fixture.send("word later", "2", to: "late", on: scene.bob)
        try await storage.updateMember("ann", of: "late", now: scene.fixture.world.now) {
            $0.traits.messageOffset = last
        }
        #expect(
            try await results("word", limit: 20, in: scene).texts == ["word later", "word in g"])
        let places = try await storage.newestPlaces(of: "ann", before: .distantFuture)
        #expect(places.map(\.url) == ["g", "late"])
        let before = try #require(places.last?.position)
        #expect(
            try await storage.newestPlaces(of: "ann", before: before).last?.position.createdAt
                == last)
        #expect(try await storage.newestPlaces(of: "ann", before: .distantPast).isEmpty)
    }

    @Test func `one call of a search reads a bounded number of bytes and continues by its token`()
        async throws
    {
        let scene = try await BudgetScene { $0.limits.searchBytes = 60_000 }
        await scene.fixture.send("the needle", "needle", to: "g", on: scene.bob)
        let hay = String(repeating: "hay ", count: 250)
        for number in 0..<300 {
            await scene.fixture.send(hay, RequestID("\(number)"), to: "g", on: scene.bob)
        }
        let found = try await results("needle", limit: 20, in: scene)
        #expect(found.texts == ["the needle"])
        // Each call reads some 40 of the 301 messages: 16 first, and as many as the rest allows.
        #expect((7...8).contains(found.calls), "\(found.calls)")
    }

    @Test func `a search counts all that its messages carry, not their texts alone`() async throws {
        let scene = try await BudgetScene { $0.limits.searchBytes = 1_000_000 }
        let data = String(repeating: "d", count: 60_000)
        for number in 0..<60 {
            let command = MessageCommand(
                channelURL: "g", requestID: RequestID("\(number)"),
                content: .user(text: "needle"), data: data)
            await scene.fixture.say(.message(command), on: scene.bob)
        }
        let answer = try await scene.ask(
            "GET", "search/messages?query=needle&limit=100", as: scene.ann)
        // The budget is spent after 17 messages; a slice before that has 16.
        #expect((16...21).contains(answer["total_count"]?.int ?? 0))
        #expect(try await results("needle", limit: 100, in: scene).texts.count == 60)
    }

    @Test func `calls of other users run between the slices of a search`() async throws {
        let scene = try await BudgetScene()
        let hay = String(repeating: "aab ", count: 4_000)
        for number in 0..<400 {
            await scene.fixture.send(hay, RequestID("\(number)"), to: "g", on: scene.bob)
        }
        let search = Task {
            try await scene.ask("GET", "search/messages?query=aaab", as: scene.ann)
        }
        var calls = 0
        // Each call that is answered before the search ran between two slices.
        let other = Task {
            while !Task.isCancelled {
                _ = try await scene.ask("GET", "users/bob", as: scene.bob)
                calls += 1
            }
            return calls
        }
        _ = try await search.value
        other.cancel()
        // The search reads its 6.4 MB in some 25 slices.
        #expect(try await other.value >= 2)
    }

    @Test func `a search without a caller ends`() async throws {
        let scene = try await BudgetScene()
        for number in 0..<200 {
            await scene.fixture.send("hay", RequestID("\(number)"), to: "g", on: scene.bob)
        }
        let search = Task {
            // The task is cancelled before its first step.
            while !Task.isCancelled { await Task.yield() }
            return try await scene.code("GET", "search/messages?query=x", as: scene.ann)
        }
        search.cancel()
        #expect(try await search.value == RoostError.Code.internalServerError.rawValue)
    }

    @Test(arguments: [
        ("abab", "ababab", true), ("aab", "aaab", true), ("aaab", "aabaabaaab", true),
        ("abc", "ab", false), ("HELLO", "say hello", true), ("ÄÖ", "xäöx", true),
        ("é", "caf\u{65}\u{301}", true), ("e", "caf\u{65}\u{301}", false), ("я", "Я", true),
        ("\u{212B}", "å", true), ("x", "", false), ("\u{1F71}", "\u{3AC}", true),
        ("\u{3AC}", "\u{1F71}", true), ("\u{387}", "x\u{B7}", true),
        ("\u{958}", "\u{915}\u{93C}", true),
        ("\u{915}\u{93C}", "\u{958}", true), ("\u{B95}\u{BCA}", "\u{B95}\u{BC6}\u{BBE}", true),
        ("\u{B95}\u{BC6}\u{BBE}", "\u{B95}\u{BCA}", true),
        ("\u{995}\u{9CB}", "\u{995}\u{9C7}\u{9BE}", true),
        ("\u{C95}\u{CCB}", "\u{C95}\u{CC6}\u{CC2}\u{CD5}", true),
        ("\u{C95}\u{CCA}\u{CD5}", "\u{C95}\u{CCB}", true),
        ("\u{D15}\u{D4A}", "\u{D15}\u{D46}\u{D3E}", true), ("\u{F42}\u{FB7}", "\u{F43}", true),
        ("\u{1026}", "\u{1025}\u{102E}", true), ("\u{1B06}", "\u{1B05}\u{1B35}", true),
        ("\u{114BB}", "\u{114B9}\u{114BA}", true),
    ])
    func `words are found in every case and encoding`(
        words: String, text: String, isFound: Bool
    ) async throws {
        let scene = try await BudgetScene()
        await scene.fixture.send(text, "r", to: "g", on: scene.bob)
        let query = PercentEncoding.encode(words)
        let answer = try await scene.ask("GET", "search/messages?query=\(query)", as: scene.ann)
        #expect(answer["results"]?.array?.count == (isFound ? 1 : 0))
    }
}
