// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// What work costs, counted in rows and pages, because time is another on each machine.
struct CommitCostTests {
    private static let people = (0..<600).map { User(id: UserID("user \($0)"), nickname: "name") }

    private func rows(
        _ store: Store, _ mutations: [Mutation]
    ) async throws -> Int64 {
        let before = try await store.writer.costs().writtenRows
        try await store.writer.commit(mutations)
        return try await store.writer.costs().writtenRows - before
    }

    private func edits(_ ids: some Sequence<Int64>, _ text: String) -> [Mutation] {
        ids.map { id in
            .edited(Fixture.message(id, text: "\(text) \(id)", updatedAt: id + 1_000_000))
        }
    }

    // Each time the index of words writes out what it has gathered is three rows and more.

    @Test func `a commit writes the index of words out once, in any order (scar 159)`()
        async throws
    {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(1...200)])
        let rising = try await rows(store, edits(1...100, "one"))
        let falling = try await rows(store, edits((1...100).reversed(), "two"))
        #expect(abs(falling - rising) < 5)
        #expect(rising < 100 * 5 + 20, "a message, its words out and in, their sizes out and in")
        let mixed = try await rows(
            store,
            edits([50, 3, 77, 50, 9], "three") + [
                .deleted(Fixture.channel, [90, 2, 50]),
                .cursor(.messageChanges(Fixture.channel), .token("next")),
            ])
        #expect(mixed < 60)
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    @Test func `1,000 messages of a page are written once each, and told once each (scar 160)`()
        async throws
    {
        let store = try await Store.test()
        let first = try await rows(store, [Fixture.page(1...1_000)])
        #expect(
            first <= 1_000 * 3 + 100, "a message and its words, and the words of all at once")
        // What is known already costs nothing to be told again.
        #expect(try await rows(store, [Fixture.page(1...1_000)]) <= 1)
        await store.close()
    }

    @Test func `a live message writes as many rows in a full cache as in an empty one (scar 157)`()
        async throws
    {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(1...5)])
        func live(_ id: Int64) async throws -> Int64 {
            try await rows(
                store,
                [.liveMessage(Fixture.message(id), predecessor: MessageID(id - 1))])
        }
        let first = try await live(6)
        for start in stride(from: Int64(1_000), to: 5_000, by: 500) {
            try await store.writer.commit([Fixture.page(start...(start + 499), in: "other")])
        }
        let last = try await live(7)
        // The index of words joins what it wrote before, a little with each commit.
        #expect(last <= first + 10 && first < 25)
        await store.close()
    }

    @Test func `the first sync of 20 channels with 30 members writes each once (scar 156)`()
        async throws
    {
        let store = try await Store.test()
        let channels = (0..<20).map { index in
            Fixture.group(
                ChannelURL("channel \(index)"),
                members: Array(Self.people[(index * 30)..<(index * 30 + 30)]))
        }
        let first = try await rows(store, [.channels(channels)])
        // A sealed channel has a key besides, and its address once more.
        let rowsOfChannel: Int64 = Fixture.isSealed ? 4 : 2
        #expect(
            first <= 600 + rowsOfChannel * 20 + 5,
            "users, channels with their addresses, the commit")
        #expect(try await rows(store, [.channels(channels)]) <= 1)
        await store.close()
    }

    @Test func `an opening reads no more pages of a large cache than of a small one (scar 153)`()
        async throws
    {
        func pages(of count: Int64) async throws -> Int {
            let folder = try TemporaryFolder(inMemory: true)
            let filling = try await Store.test(.folder(folder.path))
            try await filling.writer.commit(
                (0..<40).map { .channels([Fixture.group(ChannelURL("channel \($0)"))]) })
            for start in stride(from: Int64(1), to: count, by: 100) {
                try await filling.writer.commit([Fixture.page(start...(start + 99))])
            }
            await filling.close()
            let store = try await Store.test(.folder(folder.path))
            _ = try await store.reader.channels(order: .latestLastMessage, limit: 20)
            let window = try await store.reader.newest(limit: 30)
            #expect(window.count == 30)
            let pages = try await store.writer.costs().readPages
            await store.close()
            return pages
        }
        let (small, large) = (try await pages(of: 200), try await pages(of: 5_000))
        #expect(large <= small + 6, "two more levels of a tree here and there")
        #expect(small > 0)
    }
}
