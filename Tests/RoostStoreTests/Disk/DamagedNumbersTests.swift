// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// Numbers on disk that no commit writes, as after a flipped bit.
struct DamagedNumbersTests {
    /// Makes a cache of twenty messages, and runs a statement on its file.
    private func damaged(
        _ query: Query<Int64, Void>, _ number: Int64, besides others: [Mutation] = []
    ) async throws -> TemporaryFolder {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        try await store.writer.commit([
            .channels([Fixture.group(Fixture.channel, name: "name")]), Fixture.page(1...20),
        ])
        if !others.isEmpty { try await store.writer.commit(others) }
        await store.close()
        let connection = try Connection(.file(folder.file("app/anna/cache.sqlite")))
        try connection.execute(query, number)
        return folder
    }

    private func count(_ store: Store) async throws -> Int {
        let query = MessageQuery(in: Fixture.channel, limit: 1_000)
        return try await store.reader.messages(query).value.count
    }

    private func isRebuilt(_ report: RepairReport?) -> Bool {
        if case .repaired = report { true } else { false }
    }

    @Test(arguments: [.max, .max - 1, -1, .min] as [Int64])
    func `an impossible number of the last commit is repaired and ends no process (scar 43)`(
        number: Int64
    ) async throws {
        let folder = try await damaged(.setLastCommit, number)
        let store = try await Store.test(.folder(folder.path))
        let before = try await count(store)
        #expect(before == 20)
        let error = await #expect(throws: StoreError.self) {
            try await store.writer.commit([Fixture.page(21...25)])
        }
        #expect(error?.kind == .damaged)
        let report = try await store.mend()
        #expect(isRebuilt(report))
        try await store.writer.commit([Fixture.page(21...25)])
        let after = try await count(store)
        #expect(after == 25)
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    @Test func `numbers of messages without a sum do not stop the index of words`() async throws {
        let folder = try await damaged(
            .setHoldings, .max,
            besides: [.channels([Fixture.group("other")]), Fixture.page(31...40, in: "other")])
        let connection = try Connection(.file(folder.file("app/anna/cache.sqlite")))
        try connection.execute(.setRecentHoldings, Int64.max)
        let store = try await Store.test(.folder(folder.path))
        let progress = try await store.writer.indexSome()
        // A sealed cache has its index in memory.
        #expect(progress.total == (Fixture.isSealed ? 0 : .max))
        await store.close()
    }

    @Test(arguments: [.max, .min] as [Int64])
    func `impossible sums of a channel end no process, and a check finds them (scar 43)`(
        number: Int64
    ) async throws {
        let folder = try await damaged(.setHoldings, number)
        var options = Fixture.options
        var store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        try await store.writer.commit([.deleted(Fixture.channel, [MessageID(5)])])
        try await store.writer.commit([Fixture.page(21...25)])
        try await store.writer.commit([
            .evicted(Fixture.channel, through: Timestamp(milliseconds: 3))
        ])
        let left = try await count(store)
        #expect(left == 21)
        await store.close()
        options.checksForDamage = true
        store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        // A large sum is possible.
        #expect(isRebuilt(store.report) == (number < 0))
        #expect(try await count(store) == 21)
        await store.close()
    }
}

extension Query where Input == Int64, Output == Void {
    fileprivate static var setLastCommit: Query {
        Query(
            sql: "UPDATE recent SET sequence = ?1 WHERE channel_id = 0",
            bind: { number, bindings in bindings.append(number) })
    }
    fileprivate static var setRecentHoldings: Query {
        Query(
            sql: "UPDATE recent SET message_count = ?1 WHERE message_count IS NOT NULL",
            bind: { number, bindings in bindings.append(number) })
    }
    fileprivate static var setHoldings: Query {
        Query(
            sql: "UPDATE holding SET message_count = ?1, payload_bytes = ?1",
            bind: { number, bindings in bindings.append(number) })
    }
}
