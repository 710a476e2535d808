// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

struct SearchInMemoryTests {
    @Test func `the index of a sealed cache is in memory and finds messages of the file`() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let path = folder.file("cache")
        let file = try Connection(.file(path))
        try file.executeScript(SearchFixture.messageTable)
        for id in Int64(1)...3 {
            try file.execute(.insertItem, SearchFixture.Item(id: id, text: "sealed"))
        }
        let memory = try Connection(.memory)
        try memory.execute(.attach, path)
        var index = try SearchIndex.make(in: memory, isCacheEmpty: false)
        while !index.state.isComplete {
            try index.backfill(limit: 2) { below, limit in
                (1...3).reversed().filter { $0 < below }.prefix(limit).map { id in
                    SearchEntry(messageID: id, channelRow: 1, text: "needle")
                }
            }
        }
        let query = try SearchQuery("needle", by: WordTokenizer(memory))
        #expect(try SearchRequest(query).hits(in: memory).map(\.messageID) == [3, 2, 1])
        let tables = Query<Void, Int64>(
            sql: "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'message_text%'"
        ) { row in row.int64(0) }
        #expect(try file.first(tables) == 0)
    }

    @Test(arguments: [true, false])
    func `an index in memory stays complete if it follows groups of commits`(
        follows: Bool
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        var options = Store.Options()
        options.keepsIndexInMemory = true
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        #expect(store.hasIndexInMemory)
        // A search indexes at most 20,000 messages before it answers.
        for lower in stride(from: Int64(1), to: 20_400, by: 5_100) {
            try await store.writer.commit([Fixture.page(lower...(lower + 5_099))])
        }
        try await store.finishIndex()
        for number in Int64(1)...100 {
            let id = 20_400 + number
            try await store.writer.commit([
                .liveMessage(Fixture.message(id), predecessor: MessageID(id - 1))
            ])
            if follows, number % 32 == 0 { try await store.followCommits(stepSize: 1) }
        }
        let question = SearchQuestion("1", liveEnds: [Fixture.channel: .distantPast])
        #expect(try await store.reader.search(question).value.index.isComplete == follows)
        await store.close()
    }

    @Test func `an incomplete answer of an index in memory names the missing part (R135)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        var options = Store.Options()
        options.isSearchable = false
        // A search indexes at most 20,000 messages before it answers.
        let count: Int64 = 20_400
        let plain = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        for part in 0..<Int64(4) {
            let lower = part * count / 4 + 1
            try await plain.writer.commit([Fixture.page(lower...(lower + count / 4 - 1))])
        }
        await plain.close()
        options.isSearchable = true
        options.keepsIndexInMemory = true
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        let oldest = SearchQuestion("1", liveEnds: [Fixture.channel: .distantPast])
        let early = try await store.reader.search(oldest).value
        #expect(early.found.isEmpty && !early.index.isComplete)
        guard case .partial(let periods) = early.sight else {
            Issue.record("The answer says that it has seen everything.")
            return
        }
        let unseen = periods.filter { $0.reason == .notIndexed }
        #expect(unseen.map(\.channel) == [Fixture.channel])
        #expect(unseen.first?.through == Timestamp(milliseconds: 400))
        // The next search continues.
        let late = try await store.reader.search(oldest).value
        #expect(late.found.map(\.message.messageID) == [1] && late.index.isComplete)
        await store.close()
    }
}

extension Query where Input == String, Output == Void {
    fileprivate static let attach = Query(
        sql: "ATTACH DATABASE ?1 AS cache", bind: { path, bindings in bindings.append(path) })
}
