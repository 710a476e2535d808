// SPDX-License-Identifier: Apache-2.0

import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

struct SearchInMemoryTests {
    @Test func `the index of a sealed cache lies in memory and finds messages of the file`() throws
    {
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
}

extension Query where Input == String, Output == Void {
    fileprivate static let attach = Query(
        sql: "ATTACH DATABASE ?1 AS cache", bind: { path, bindings in bindings.append(path) })
}
