// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel
import RoostSQLite
import RoostSealing
import RoostStore
import RoostTestSupport
import Testing

/// The cost of work, counted in rows and pages.
///
/// Time differs between machines.
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

    // Each merge of the index of words writes three rows or more.

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

    @Test func `each of 1,000 messages of a page is written and reported once (scar 160)`()
        async throws
    {
        let store = try await Store.test()
        let first = try await rows(store, [Fixture.page(1...1_000)])
        #expect(
            first <= 1_000 * 3 + 100, "a message and its words, and the words of all at once")
        // A page without changes writes nothing.
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
        // The index of words merges its earlier segments, a few with each commit.
        #expect(last <= first + 10 && first < 25)
        await store.close()
    }

    @Test func `a repeated receipt reads its channel once and writes nothing`() async throws {
        let store = try await Store.test()
        var channel = Fixture.group("c", members: Array(Self.people.prefix(50)))
        let moments = [Self.people[0].id: Timestamp(milliseconds: 5)]
        channel.readReceipts = moments
        try await store.writer.commit([.channels([channel])])
        func cost(_ mutations: [Mutation]) async throws -> StoreCosts {
            let before = try await store.writer.costs()
            let commit = try await store.writer.commit(mutations)
            #expect(commit.changes.isEmpty)
            let after = try await store.writer.costs()
            return StoreCosts(
                writtenRows: after.writtenRows - before.writtenRows, readPages: 0,
                statements: after.statements - before.statements)
        }
        _ = try await cost([.channelNews("c", .readBy(moments))])
        let nothing = try await cost([.channelNews("other", .readBy(moments))])
        let again = try await cost([.channelNews("c", .readBy(moments))])
        #expect(again.statements == nothing.statements, "the look-up of the channel")
        #expect(again.writtenRows == nothing.writtenRows)
        await store.close()
    }

    @Test func `the first sync writes each of 20 channels and 30 members once (scar 156)`()
        async throws
    {
        let store = try await Store.test()
        let channels = (0..<20).map { index in
            Fixture.group(
                ChannelURL("channel \(index)"),
                members: Array(Self.people[(index * 30)..<(index * 30 + 30)]))
        }
        let first = try await rows(store, [.channels(channels)])
        // A sealed channel also has a key and its sealed address.
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
            let pages =
                try await store.writer.costs().readPages + store.reader.costs().readPages
            await store.close()
            return pages
        }
        let (small, large) = (try await pages(of: 200), try await pages(of: 5_000))
        #expect(large <= small + 6, "two more levels of a tree here and there")
        #expect(small > 0)
    }

    @Test func `a list reads the members of all its channels with one query (scar 156)`()
        async throws
    {
        let store = try await Store.test()
        let channels = (0..<20).map { index in
            Fixture.group(
                ChannelURL("channel \(index)"),
                members: Array(Self.people[(index * 15)..<(index * 15 + 30)]))
        }
        try await store.writer.commit([.channels(channels), Fixture.page(1...40, in: "channel 3")])
        func statements(_ body: () async throws -> Void) async throws -> Int {
            let before = try await store.writer.costs().statements
            try await body()
            // One statement belongs to the cost query.
            return try await store.writer.costs().statements - before - 1
        }
        let list = try await statements {
            let found = try await store.reader.channels(order: .chronological, limit: 20).value
            for channel in found {
                let sent = channels.first { $0.url == channel.url }
                #expect(channel.members.map(\.user) == sent?.members.map(\.user))
            }
            #expect(found.count == 20)
        }
        let page = try await statements {
            let found = try await store.reader.newest(in: "channel 3", limit: 30)
            #expect(found.count == 30)
        }
        // In a sealed cache each name is read separately.
        #expect(Fixture.isSealed || list == 4, "the commit, the owner, the channels, the users")
        #expect(page == 5, "the commit, the channel, its coverage, the messages, their sender")
        await store.close()
    }

    @Test func `the plan of an eviction runs as many statements for many channels as for few`()
        async throws
    {
        var options = Store.Options()
        options.protection = .sealed(MasterKeys(Fixture.key(7)))
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        // Prepares the statements.
        _ = try await store.writer.evictionPlan(downTo: .max)
        var counts: [Int] = []
        for channels in [1...2, 3...30] as [ClosedRange<Int64>] {
            for number in channels {
                let url = ChannelURL("channel \(number)")
                try await store.writer.commit([Fixture.page(number...number, in: url)])
            }
            let before = try await store.writer.costs().statements
            let plan = try await store.writer.evictionPlan(downTo: 0)
            #expect(plan.channels.count == Int(channels.upperBound))
            counts.append(try await store.writer.costs().statements - before)
        }
        #expect(counts[0] == counts[1])
        await store.close()
    }

    @Test func `a missing member is reported in a channel of any size`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let filling = try await Store.test(.folder(folder.path))
        let group = Fixture.group("channel", members: Array(Self.people[..<60]))
        try await filling.writer.commit([.channels([group])])
        await filling.close()
        let file = folder.file("app/anna/cache.sqlite")
        do {
            let other = try Connection(.file(file))
            try other.executeScript("DELETE FROM user WHERE id = 30")
        }
        let store = try await Store.test(.folder(folder.path))
        let error = await #expect(throws: StoreError.self) {
            try await store.reader.channels(order: .latestLastMessage, limit: 20)
        }
        #expect(error?.cause?.message.contains("missing") == true)
        await store.close()
    }

    @Test func `an opening and the first screen run no more than 18 statements`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let filling = try await Store.test(.folder(folder.path))
        try await filling.writer.commit([
            .channels([Fixture.group(Fixture.channel)]), Fixture.page(1...40),
        ])
        await filling.close()
        var options = Fixture.options
        options.isSearchable = false
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        _ = try await store.reader.channels(order: .latestLastMessage, limit: 20)
        let found = try await store.reader.newest(limit: 30)
        #expect(found.count == 30)
        let count = try await store.reader.costs().statements
        let isReaderAlone = try await !store.writer.hasConnection()
        await store.close()
        #expect(Fixture.isSealed || isReaderAlone && count <= 18, "\(count)")
    }
}
