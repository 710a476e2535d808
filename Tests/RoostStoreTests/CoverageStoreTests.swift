// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostTestSupport
import Testing

struct CoverageStoreTests {
    private func ranges(
        _ store: Store, of channel: ChannelURL = Fixture.channel
    ) async throws -> [CoveredRange] {
        try await store.reader.coverage(of: channel).value.ranges
    }

    @Test func `a live message extends the range of its predecessor`() async throws {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(1...3)])
        let commit = try await store.writer.commit([
            .liveMessage(Fixture.message(8), predecessor: 3)
        ])
        #expect(try await ranges(store) == [Fixture.range(1, 8)])
        #expect(commit.messages()?.coverageBefore == Coverage([Fixture.range(1, 3)]))
        #expect(commit.messages()?.coverageAfter == Coverage([Fixture.range(1, 8)]))
    }

    @Test func `a live message above a hole has a range of its own (scars 4, 5)`() async throws {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(1...4)])
        try await store.writer.commit([.liveMessage(Fixture.message(7), predecessor: 6)])
        #expect(try await ranges(store) == [Fixture.range(1, 4), Fixture.range(7, 7, after: 6)])
        try await store.writer.commit([.liveMessage(Fixture.message(9), predecessor: nil)])
        #expect(
            try await ranges(store)
                == [Fixture.range(1, 4), Fixture.range(7, 7, after: 6), Fixture.range(9, 9)])
    }

    @Test func `a page with the predecessor joins the ranges`() async throws {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(1...4)])
        try await store.writer.commit([.liveMessage(Fixture.message(7), predecessor: 6)])
        let commit = try await store.writer.commit([
            .messages(
                Fixture.channel, [5, 6].map { Fixture.message($0) }, covering: Fixture.range(4, 6))
        ])
        #expect(try await ranges(store) == [Fixture.range(1, 7)])
        #expect(commit.messages()?.inserted.compactMap(\.messageID) == [5, 6])
    }

    @Test func `a predecessor inside a later page joins the ranges despite a deleted end`()
        async throws
    {
        let store = try await Store.test()
        try await store.writer.commit([.liveMessage(Fixture.message(7), predecessor: 5)])
        // Message 6 was the end of the covered range and is deleted.
        try await store.writer.commit([
            .messages(
                Fixture.channel, [4, 5].map { Fixture.message($0) }, covering: Fixture.range(4, 6))
        ])
        #expect(try await ranges(store) == [Fixture.range(4, 7)])
    }

    @Test func `a predecessor deleted here still joins at the end of its range`()
        async throws
    {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(1...4), .deleted(Fixture.channel, [4])])
        try await store.writer.commit([.liveMessage(Fixture.message(7), predecessor: 4)])
        #expect(try await ranges(store) == [Fixture.range(1, 7)])
    }

    @Test func `a deletion does not change any coverage (scar 30)`()
        async throws
    {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(1...9), Fixture.page(13...15, in: "other")])
        let commit = try await store.writer.commit([.deleted(Fixture.channel, [1, 4, 9, 99])])
        #expect(commit.messages()?.deleted == [1, 4, 9].map { Fixture.message($0) })
        #expect(commit.messages(in: "other") == nil)
        #expect(try await ranges(store) == [Fixture.range(1, 9)])
        #expect(try await ranges(store, of: "other") == [Fixture.range(13, 15)])
        #expect(try await store.reader.newest(in: "other").count == 3)
    }

    @Test func `ranges survive a restart with infinite ends and predecessors`() async throws {
        let folder = try TemporaryFolder()
        let whole = CoveredRange(lower: .distantPast, upper: .distantFuture)
        let extremes = CoveredRange(
            lower: Position(createdAt: .distantPast, messageID: MessageID(.max)),
            upper: Position(createdAt: .distantFuture, messageID: MessageID(.min)))
        do {
            let store = try await Store.test(.folder(folder.path))
            try await store.writer.commit([
                .messages("a", [], covering: whole), .messages("b", [], covering: extremes),
                .liveMessage(Fixture.message(7), predecessor: 6),
            ])
            await store.close()
        }
        let store = try await Store.test(.folder(folder.path))
        #expect(try await ranges(store, of: "a") == [whole])
        #expect(try await ranges(store, of: "b") == [extremes])
        #expect(try await ranges(store) == [Fixture.range(7, 7, after: 6)])
        await store.close()
    }

    @Test func `clearing a channel leaves its row and its cursor (R120)`() async throws {
        let store = try await Store.test()
        let channel = Fixture.group(Fixture.channel, name: "kept")
        try await store.writer.commit([
            .channels([channel]), Fixture.page(1...5), Fixture.page(1...2, in: "other"),
            .cursor(.messageChanges(Fixture.channel), .token("t")),
        ])
        let commit = try await store.writer.commit([.clearMessages(Fixture.channel)])
        #expect(commit.messages()?.coverageAfter == Coverage())
        #expect(commit.channels == nil)
        #expect(try await store.reader.newest() == [])
        #expect(try await store.reader.message(MessageID(3)).value == nil)
        #expect(try await store.reader.newest(in: "other").count == 2)
        #expect(try await store.reader.channel(Fixture.channel).value == channel)
        #expect(
            try await store.reader.cursor(.messageChanges(Fixture.channel)).value == .token("t"))
        #expect(try await store.writer.commit([.clearMessages(Fixture.channel)]).changes == [])
    }

    @Test func `a commit that clears and fills a channel names the messages that do not return`()
        async throws
    {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(1...5)])
        let commit = try await store.writer.commit([
            Fixture.page(6...6), .clearMessages(Fixture.channel), .clearMessages(Fixture.channel),
            .messages(
                Fixture.channel, [2, 5, 8].map { Fixture.message($0) },
                covering: Fixture.range(2, 8)),
        ])
        let change = try #require(commit.messages())
        #expect(change.inserted.compactMap(\.messageID) == [8])
        #expect(change.deleted.compactMap(\.messageID) == [1, 3, 4])
        #expect(change.updated == [])
        #expect(change.coverageAfter == Coverage([Fixture.range(2, 8)]))
    }

    @Test func `a removed channel leaves no row (scar 58)`() async throws {
        let store = try await Store.test()
        try await store.writer.commit([
            .channels([Fixture.group(Fixture.channel, last: Fixture.message(5))]),
            Fixture.page(1...5), .cursor(.messageChanges(Fixture.channel), .token("t")),
        ])
        let commit = try await store.writer.commit([.removeChannel(Fixture.channel)])
        #expect(commit.channels?.deleted == [Fixture.channel])
        #expect(commit.messages()?.coverageAfter == Coverage())
        let left = try await store.reader.inspection()
        #expect(left.channels == [])
        #expect(try await store.reader.message(MessageID(5)).value == nil)
        #expect(try await store.reader.cursor(.messageChanges(Fixture.channel)).value == nil)
        #expect(try await store.writer.commit([.removeChannel(Fixture.channel)]).changes == [])
    }

    @Test func `a channel that leaves and returns in one commit has its new state`() async throws {
        let store = try await Store.test()
        let old = Fixture.group(Fixture.channel, name: "old")
        let new = Fixture.group(Fixture.channel, name: "new")
        try await store.writer.commit([.channels([old]), Fixture.page(1...5)])
        let commit = try await store.writer.commit([
            .removeChannel(Fixture.channel), .channels([new]), Fixture.page(4...6),
        ])
        #expect(commit.channels?.updated == [Update(before: old, after: new)])
        #expect(commit.messages()?.inserted.compactMap(\.messageID) == [6])
        #expect(commit.messages()?.deleted.compactMap(\.messageID) == [1, 2, 3])
        #expect(try await store.reader.newest().compactMap(\.messageID) == [4, 5, 6])
    }

    @Test func `a predecessor outside the cache joins nothing (scar 29)`() async throws {
        let store = try await Store.test()
        try await store.writer.commit([
            .liveMessage(Fixture.message(9), predecessor: 8),
            .messages(Fixture.channel, [Fixture.message(8)], covering: nil),
        ])
        let known = try await store.reader.coverage(of: Fixture.channel).value
        #expect(known.range(containing: Fixture.place(8)) == nil)
        #expect(try await store.reader.newest() == [Fixture.message(9)])
    }
}
