// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// A database with the least of a cache that a search needs.
struct SearchFixture {
    struct Item: Hashable {
        var id: Int64
        var text: String
        var channel: Int64 = 1
        var createdAt: Int64?
        var sender: Int64 = 1

        var entry: SearchEntry { SearchEntry(messageID: id, channelRow: channel, text: text) }
    }

    static let messageTable: SQL = """
        CREATE TABLE message (channel_id INTEGER, created_at INTEGER, message_id INTEGER,
            sender_id INTEGER, custom_type_id INTEGER, parent_id INTEGER, updated_at INTEGER,
            payload BLOB, text TEXT,
            PRIMARY KEY (channel_id, created_at, message_id)) WITHOUT ROWID;
        CREATE UNIQUE INDEX message_by_id ON message (message_id, channel_id);
        """

    let connection: Connection
    let tokenizer: WordTokenizer

    init(isEmpty: Bool = true) throws {
        connection = try Connection(.memory)
        tokenizer = try WordTokenizer(connection)
        try connection.defineRelevance()
        try connection.executeScript(Self.messageTable)
        _ = try SearchIndex.make(in: connection, isCacheEmpty: isEmpty)
        try connection.executeScript(
            "CREATE VIRTUAL TABLE vocabulary USING fts5vocab(message_text, instance)")
    }

    init(_ texts: [String]) throws {
        try self.init()
        for (id, text) in texts.enumerated() { try put(Item(id: Int64(id + 1), text: text)) }
    }

    var index: SearchIndex {
        get throws { try #require(try SearchIndex(in: connection)) }
    }

    func insertRow(_ item: Item) throws {
        try connection.execute(.insertItem, item)
    }

    func put(_ item: Item) throws {
        try insertRow(item)
        try index.insert(item.entry)
    }

    func query(_ typed: String) throws -> SearchQuery {
        try SearchQuery(typed, by: tokenizer)
    }

    /// Returns the IDs of the messages found, newest first.
    func find(_ typed: String) throws -> [Int64] {
        try SearchRequest(query(typed), limit: 100).hits(in: connection).map(\.messageID)
    }

    func marked(_ typed: String, in text: String) throws -> [String] {
        try query(typed).highlights(in: text, by: tokenizer).map { range in
            String(decoding: Array(text.utf8)[range], as: UTF8.self)
        }
    }

    /// Every word in the index, with its message.
    var indexed: [String] {
        get throws { try connection.all(.vocabulary) }
    }

    /// Returns every word that the index should have for these messages.
    func words(of items: some Sequence<Item>) throws -> [String] {
        var words: [String] = []
        for item in items {
            let tokens = try tokenizer.tokens(of: SegmentedText(item.text).bytes)
            for (offset, token) in tokens.enumerated() {
                words.append("\(token.word) \(item.id) text \(offset)")
            }
            if !item.text.isEmpty { words.append("c\(item.channel) \(item.id) tag 0") }
        }
        return words.sorted()
    }
}

extension Query where Input == SearchFixture.Item, Output == Void {
    static let insertItem = Query(
        sql: """
            REPLACE INTO message (channel_id, created_at, message_id, sender_id, text)
            VALUES (?1, ?2, ?3, ?4, ?5)
            """,
        bind: { item, bindings in
            bindings.append(item.channel)
            bindings.append(item.createdAt ?? item.id)
            bindings.append(item.id)
            bindings.append(item.sender)
            bindings.append(item.text)
        })
}

extension Query where Input == Void, Output == String {
    static let vocabulary = Query(
        sql: "SELECT term || ' ' || doc || ' ' || col || ' ' || offset FROM vocabulary ORDER BY 1"
    ) { row in row.text(0) }
}

extension Query where Input == Void, Output == Void {
    static let checkIndex = Query(
        sql: "INSERT INTO message_text (message_text) VALUES ('integrity-check')")
}

struct SearchIndexTests {
    private static let pool = [
        "", "hello world", "hello  WORLD", "東京へ行く", "👍", "Café crème", "!!!", "한국어를 배운다",
        "a\u{0}b", "ｶﾞｷﾞ", "ab ab ab",
    ]

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `the index has exactly the words above its floor after any change (scar 164)`(
        seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        let fixture = try SearchFixture(isEmpty: seed % 2 == 0)
        var items: [Int64: SearchFixture.Item] = [:]
        for _ in 0..<120 {
            let index = try fixture.index
            let id = Int64(random.next() % 40)
            let item = SearchFixture.Item(
                id: id, text: Self.pool[Int(random.next() % UInt64(Self.pool.count))],
                channel: id % 3)
            switch random.next() % 10 {
            case 0..<6:
                if let old = items[id] {
                    try index.replace(old.entry, with: item.entry)
                } else {
                    try index.insert(item.entry)
                }
                items[id] = item
            case 6, 7:
                if let old = items.removeValue(forKey: id) { try index.remove(old.entry) }
            case 8:
                var index = index
                try index.backfill(limit: 3) { below, limit in
                    Array(
                        items.values.filter { $0.id < below }.sorted { $0.id > $1.id }
                            .prefix(limit).map(\.entry))
                }
            default:
                guard random.next() % 20 == 0 else { continue }
                var index = index
                try index.removeAll()
                items = [:]
            }
            let floor = try fixture.index.state.floor
            let expected = try fixture.words(of: items.values.filter { $0.id >= floor })
            #expect(try fixture.indexed == expected)
        }
        try fixture.connection.execute(.checkIndex)
        var index = try fixture.index
        while !index.state.isComplete {
            try index.backfill(limit: 7) { below, limit in
                Array(
                    items.values.filter { $0.id < below }.sorted { $0.id > $1.id }
                        .prefix(limit).map(\.entry))
            }
        }
        #expect(try fixture.indexed == fixture.words(of: items.values))
    }

    @Test func `a step that is rolled back is repeated`() throws {
        let fixture = try SearchFixture(isEmpty: false)
        let entries = (1...5).map {
            SearchEntry(messageID: $0, channelRow: 1, text: "word")
        }
        func step(_ index: inout SearchIndex) throws(SQLiteError) {
            try index.backfill(limit: 2) { below, limit in
                Array(entries.reversed().filter { $0.messageID < below }.prefix(limit))
            }
        }
        #expect(throws: SQLiteError.self) {
            try fixture.connection.transaction { () throws(SQLiteError) in
                guard var index = try SearchIndex(in: fixture.connection) else { return }
                try step(&index)
                throw SQLiteError.malformed("x", because: "y")
            }
        }
        #expect(try fixture.index.state.floor == .max)
        #expect(try fixture.indexed.isEmpty)
        for backfilled in [2, 4, 5] {
            var index = try fixture.index
            try step(&index)
            #expect(try fixture.index.state.backfilled == backfilled)
        }
        #expect(try fixture.index.state.isComplete)
    }

    @Test
    func `a database without an index reports it, and a new one replaces one of another format`()
        throws
    {
        let connection = try Connection(.memory)
        #expect(try SearchIndex(in: connection) == nil)
        try SearchIndex.drop(from: connection)
        let index = try SearchIndex.make(in: connection, isCacheEmpty: true)
        try index.insert(SearchEntry(messageID: 1, channelRow: 1, text: "x"))
        let again = try SearchIndex.make(in: connection, isCacheEmpty: false)
        #expect(again.state.floor == .max && again.state.backfilled == 0)
    }

    @Test func `a file is found by its caption and its name`() {
        func text(_ content: MessageContent) -> String {
            Message(
                delivery: .delivered(1, nil), channelURL: "c",
                createdAt: Timestamp(milliseconds: 1), content: content
            ).searchableText
        }
        let file = FileContent(
            url: "https://host/secret", name: "plan.pdf", type: "application/pdf",
            size: ByteCount(bytes: 1), caption: "the plan")
        #expect(text(.file(file)) == "the plan\nplan.pdf")
        #expect(text(.user(text: "words")) == "words")
        #expect(text(.admin(text: "joined")) == "joined")
        #expect(text(.unknown(kind: "x")) == "")
    }
}
