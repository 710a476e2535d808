// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// Random changes of a cache's messages, of every kind.
private struct RandomMessages {
    static let urls: [ChannelURL] = ["a", "b", "c"]
    static let words = ["apple", "banana", "cherry", "damson", "東京", "elder"]

    private var random: SplitMix64
    private var lastID: Int64 = 0
    /// The messages of each channel, for later changes.
    private var said: [ChannelURL: [Message]] = [:]

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func draw(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    mutating func text() -> String {
        (0..<draw(4)).map { _ in Self.words[draw(Self.words.count)] }.joined(separator: " ")
    }

    private mutating func message(_ id: Int64, in url: ChannelURL) -> Message {
        var message = Fixture.message(id, in: url, text: text(), from: user())
        switch draw(6) {
        case 0:
            message.content = .file(
                FileContent(
                    url: "u", name: text(), type: "t", size: ByteCount(bytes: 1), caption: text()))
        case 1:
            var poll = Poll(id: PollID(id))
            poll.title = text()
            poll.options = [Poll.Option(id: 1), Poll.Option(id: 2)]
            poll.options[1].text = text()
            message.details.poll = poll
        default: break
        }
        return message
    }

    private mutating func user() -> User { User(id: UserID("user \(draw(3))")) }

    mutating func mutations() -> [Mutation] {
        let url = Self.urls[draw(Self.urls.count)]
        switch draw(24) {
        case 0...8: return [page(of: url)]
        case 9...12:
            lastID += 1
            let message = message(lastID, in: url)
            let predecessor = said[url]?.last?.messageID
            said[url, default: []].append(message)
            return [.liveMessage(message, predecessor: predecessor)]
        case 13...16:
            guard let old = said[url]?.randomElement(using: &random), let id = old.messageID
            else { return [] }
            var edited = message(id.rawValue, in: url)
            edited.updatedAt = Timestamp(milliseconds: Int64(10_000 + draw(50)))
            return [.edited(edited)]
        case 17, 18:
            guard let id = said[url]?.randomElement(using: &random)?.messageID else { return [] }
            return [.deleted(url, [id])]
        case 19: return [.clearMessages(url)]
        case 20: return [.clearMessages(url), page(of: url)]
        case 21: return [.historyCut(url, through: Timestamp(milliseconds: Int64(draw(40))))]
        case 22: return [.removeChannel(url)]
        default: return draw(4) == 0 ? [.clearAll] : [page(of: url)]
        }
    }

    /// A page of new messages and the last ones again, perhaps with other text.
    private mutating func page(of url: ChannelURL) -> Mutation {
        var page = said[url]?.suffix(draw(5)) ?? []
        for _ in 0..<draw(6) {
            lastID += 1
            page.append(message(lastID, in: url))
        }
        for message in page where said[url]?.contains(message) != true {
            said[url, default: []].append(message)
        }
        let lower = page.first?.position
        return .messages(
            url, Array(page),
            covering: lower.flatMap { lower in
                page.last?.position.map { CoveredRange(lower: lower, upper: $0) }
            })
    }
}

struct SearchStoreTests {
    @Test(arguments: Sample.of([UInt64](1...10), quick: 3), [false, true])
    func `a search equals a plain look at every cached message after any change (R136, scar 164)`(
        seed: UInt64, isInMemory: Bool
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        defer { withExtendedLifetime(folder) {} }
        var life = RandomMessages(seed: seed)
        var options = Fixture.withoutIndex
        var store = try await Store.open(
            .folder(folder.path), owner: Fixture.owner, options)
        for _ in 0..<20 { try await store.writer.commit(life.mutations()) }
        await store.close()
        options.isSearchable = true
        options.keepsIndexInMemory = isInMemory
        store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        for round in 0..<60 {
            var mutations: [Mutation] = []
            for _ in 0...life.draw(3) { mutations += life.mutations() }
            try await store.writer.commit(mutations)
            if life.draw(3) == 0 { _ = try await store.writer.indexSome(limit: 1 + life.draw(6)) }
            guard isInMemory ? round % 4 == 3 : true else { continue }
            try await expectAnswers(of: store, &life)
        }
        try await store.finishIndex(stepSize: 5)
        try await expectAnswers(of: store, &life)
        let answer = try await store.reader.search(SearchQuestion("apple ")).value
        #expect(answer.index.isComplete)
        let messages = try await Self.messages(of: store)
        await store.close()
        if !isInMemory, !Fixture.isSealed {
            try Self.expectWords(of: messages, inStoreAt: folder.path)
        }
    }

    private func expectAnswers(of store: Store, _ life: inout RandomMessages) async throws {
        #expect(try await store.reader.searchFindings() == [])
        let messages = try await Self.messages(of: store)
        for _ in 0..<4 {
            let words = Set(life.text().split(separator: " ").map { String($0) })
            let channels =
                life.draw(2) == 0 ? nil : [RandomMessages.urls[life.draw(3)], "unheard of"]
            let senders: [UserID]? = life.draw(3) == 0 ? ["user 1", "nobody"] : nil
            let (from, through) = (Int64(life.draw(40)), Int64(life.draw(200)))
            let answer = try await store.reader.search(
                SearchQuestion(
                    words.joined(separator: " ") + " ", in: channels, by: senders,
                    from: Timestamp(milliseconds: from), through: Timestamp(milliseconds: through),
                    limit: 1_000)
            ).value
            let expected = messages.filter { message in
                let text = message.searchableText
                return !words.isEmpty && words.allSatisfy { text.contains($0) }
                    && channels?.contains(message.channelURL) ?? true
                    && senders?.contains(message.sender?.user.id ?? "") ?? true
                    && (from...max(from, through)).contains(message.createdAt.milliseconds)
                    && from <= through
            }
            let floor = MessageID(answer.index.floor)
            let visible = expected.filter { $0.messageID.map { $0 >= floor } ?? false }
            #expect(
                answer.found.map(\.message)
                    == visible.sorted { ($0.messageID ?? floor) > ($1.messageID ?? floor) })
            #expect(answer.found.allSatisfy { $0.excerpt?.marked.isEmpty == false })
            for message in expected where !visible.contains(message) {
                #expect(answer.sight.names(message, as: .notIndexed))
            }
        }
    }

    private static func messages(of store: Store) async throws -> [Message] {
        var messages: [Message] = []
        for url in RandomMessages.urls {
            messages += try await store.reader.messages(MessageQuery(in: url, limit: 10_000)).value
        }
        return messages
    }

    /// Expects that the index has no word of a deleted message.
    private static func expectWords(
        of messages: [Message], inStoreAt folder: String
    ) throws {
        let path = "\(folder)/app/anna/cache.sqlite"
        let connection = try Connection(.file(path))
        try connection.executeScript(
            "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, message_text, row)")
        let count = Query<Void, Int64>(
            sql: "SELECT ifnull(sum(cnt), 0) FROM vocabulary WHERE term NOT GLOB 'c[0-9]*'"
        ) { row in row.int64(0) }
        let tokenizer = try WordTokenizer(connection)
        let expected = try messages.reduce(0) { sum, message in
            sum + (try tokenizer.tokens(of: SegmentedText(message.searchableText).bytes).count)
        }
        #expect(try connection.first(count) == Int64(expected))
        try connection.execute(.checkIndex)
    }

    @Test func `a search names uncached ranges, and none in a channel that has caught up`()
        async throws
    {
        let store = try await Store.test()
        try await store.writer.commit([
            .messages(
                "a", [Fixture.message(5, in: "a", text: "needle")],
                covering: CoveredRange(lower: .distantPast, upper: Fixture.place(5))),
            .channels([Fixture.group("b")]),
        ])
        var question = SearchQuestion("needle", in: ["a"])
        let answer = try await store.reader.search(question).value
        #expect(answer.found.map(\.message.messageID) == [5])
        #expect(
            answer.sight
                == .partial([
                    UnseenPeriod(
                        channel: "a", from: Timestamp(milliseconds: 5), through: .distantFuture,
                        reason: .notCached)
                ]))
        question.liveEnds = ["a": .distantPast]
        #expect(try await store.reader.search(question).value.sight == .complete)
        question.channels = nil
        guard case .partial(let periods) = try await store.reader.search(question).value.sight
        else {
            Issue.record("all of b is unseen")
            return
        }
        #expect(periods.map(\.channel) == ["b"])
    }

    @Test(.enabled(if: !Fixture.isSealed))
    func `the first search of all channels runs as many statements for 100 as for 10`()
        async throws
    {
        func statements(channels count: Int64) async throws -> Int {
            let folder = try TemporaryFolder(inMemory: true)
            let store = try await Store.test(.folder(folder.path))
            for id in 1...count {
                let url = ChannelURL("channel-\(id)")
                try await store.writer.commit([Fixture.page((id * 2)...(id * 2 + 1), in: url)])
            }
            let before = try await store.reader.costs().statements
            let answer = try await store.reader.search(SearchQuestion("absent")).value
            guard case .partial(let periods) = answer.sight else { return -1 }
            #expect(Set(periods.map(\.channel)).count == count)
            let after = try await store.reader.costs().statements
            await store.close()
            return after - before
        }
        #expect(try await statements(channels: 100) == statements(channels: 10))
    }

    @Test func `pages of hits add up, and each hit marks the words`() async throws {
        let store = try await Store.test()
        var file = FileContent(
            url: "u", name: "needle.pdf", type: "t", size: ByteCount(bytes: 1),
            caption: "Näh-Needle")
        file.files = [file, file]
        var message = Fixture.message(40, text: "")
        message.content = .file(file)
        try await store.writer.commit([
            Fixture.page(1...30), .liveMessage(message, predecessor: nil),
        ])
        let answer = try await store.reader.search(SearchQuestion("needle", limit: 7)).value
        let found = try #require(answer.found.first)
        let marked = try #require(found.excerpt).marked
        #expect(marked.map(\.place) == [.text, .fileName(0), .fileName(1)])
        #expect(marked.map(\.highlights) == [[5..<11], [0..<6], [0..<6]])
        var question: SearchQuestion? = SearchQuestion("text", limit: 7, excerptLength: nil)
        var ids: [Int64] = []
        while let asked = question {
            let answer = try await store.reader.search(asked).value
            ids += answer.found.compactMap { $0.message.messageID?.rawValue }
            question = answer.next
        }
        #expect(ids == (1...30).reversed())
    }

    @Test
    func `a store without search says how to enable it, and updates another process's index`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        var options = Fixture.options
        options.isSearchable = false
        let plain = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        try await plain.writer.commit([Fixture.page(1...3)])
        let error = await #expect(throws: StoreError.self) {
            _ = try await plain.reader.search(SearchQuestion("text"))
        }
        #expect(error?.kind == .searchUnavailable)
        let app = try await Store.test(.folder(folder.path))
        try await plain.writer.commit([Fixture.page(4...5), .deleted(Fixture.channel, [1])])
        try await app.finishIndex(stepSize: 2)
        try await plain.writer.commit([Fixture.page(6...7), .deleted(Fixture.channel, [2, 4])])
        #expect(try await app.reader.searchFindings() == [])
        let found = try await app.reader.search(SearchQuestion("text")).value.found
        #expect(found.map(\.message.messageID) == [7, 6, 5, 3])
        await app.close()
        await plain.close()
    }

    @Test func `an index of another format is dropped and filled again`() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let first = try await Store.test(.folder(folder.path))
        try await first.writer.commit([Fixture.page(1...5)])
        await first.close()
        guard !Fixture.isSealed else { return }
        let old: SQL = """
            DROP TABLE message_text;
            CREATE VIRTUAL TABLE message_text USING fts5(text, tag, content = '',
                tokenize = 'unicode61 remove_diacritics 2 categories ''L* N* Co Mn Mc''');
            INSERT INTO message_text (rowid, text, tag) VALUES (3, 'another', 'c1');
            UPDATE message_text_state SET format = 3
            """
        do {
            let connection = try Connection(.file("\(folder.path)/app/anna/cache.sqlite"))
            try connection.executeScript(old)
        }
        let store = try await Store.test(.folder(folder.path))
        try await store.writer.commit([Fixture.page(6...7)])
        try await store.finishIndex(stepSize: 2)
        for order in [SearchRequest.Order.newest, .relevance] {
            let question = SearchQuestion("text", order: order)
            let found = try await store.reader.search(question).value.found
            #expect(found.map(\.message.messageID) == [7, 6, 5, 4, 3, 2, 1])
        }
        #expect(try await store.reader.search(SearchQuestion("another")).value.found.isEmpty)
        #expect(try await store.reader.searchFindings() == [])
        await store.close()
    }

    @Test func `an index of format 1 is built anew, and finds both forms of a letter`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let first = try await Store.test(.folder(folder.path))
        let texts = ["\u{958}लम", "\u{915}\u{93C}लम"]
        for (index, text) in texts.enumerated() {
            let message = Fixture.message(Int64(index + 1), text: text)
            try await first.writer.commit([.liveMessage(message, predecessor: nil)])
        }
        await first.close()
        guard !Fixture.isSealed else { return }
        // The words as format 1 had them.
        let old: SQL = """
            INSERT INTO message_text (message_text) VALUES ('delete-all');
            INSERT INTO message_text (rowid, text, tag) VALUES
                (1, '\u{958}लम', 'c1'), (2, '\u{915}\u{93C}लम', 'c1');
            UPDATE message_text_state SET format = 1
            """
        do {
            let connection = try Connection(.file("\(folder.path)/app/anna/cache.sqlite"))
            try connection.executeScript(old)
        }
        let store = try await Store.test(.folder(folder.path))
        try await store.finishIndex(stepSize: 1)
        for typed in texts {
            let found = try await store.reader.search(SearchQuestion(typed)).value.found
            #expect(found.map(\.message.messageID) == [2, 1])
        }
        #expect(try await store.reader.searchFindings() == [])
        await store.close()
    }

    @Test func `an index in memory follows other processes and leaves no word in the file`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let first = try await Store.open(.folder(folder.path), owner: Fixture.owner)
        try await first.writer.commit([Fixture.page(1...3)])
        await first.close()
        var options = Fixture.options
        options.keepsIndexInMemory = true
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        options.isSearchable = false
        let other = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        func find() async throws -> [MessageID?] {
            try await store.reader.search(SearchQuestion("text")).value.found
                .map(\.message.messageID)
        }
        #expect(try await find() == [3, 2, 1])
        try await other.writer.commit([.deleted(Fixture.channel, [2])])
        #expect(try await find() == [3, 1])
        try await store.writer.commit([.deleted(Fixture.channel, [3])])
        try await other.writer.commit([Fixture.page(5...6)])
        #expect(try await find() == [6, 5, 1])
        await store.close()
        await #expect(throws: StoreError.self) { _ = try await find() }
        await other.close()
        let path = "\(folder.path)/app/anna/cache.sqlite"
        let tables = Query<Void, Int64>(
            sql: "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'message_text%'"
        ) { row in row.int64(0) }
        #expect(try Connection(.file(path)).first(tables) == 0)
    }
}

extension SearchSight {
    fileprivate func names(_ message: Message, as reason: UnseenPeriod.Reason) -> Bool {
        guard case .partial(let periods) = self else { return false }
        return periods.contains { period in
            period.channel == message.channelURL && period.reason == reason
                && (period.from...period.through).contains(message.createdAt)
        }
    }
}
