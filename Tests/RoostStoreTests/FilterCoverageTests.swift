// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostTestSupport
import Testing

struct FilterCoverageTests {
    static let stickers = MessageFilter(customTypes: ["sticker"], replyType: .all)

    private static func sticker(_ id: Int64, type: String = "sticker") -> Message {
        var message = Fixture.message(id)
        message.customType = type
        return message
    }

    private static func page(_ ids: [Int64], covering range: CoveredRange) -> Mutation {
        .messages(Fixture.channel, ids.map { sticker($0) }, covering: range, under: stickers)
    }

    @Test func `coverage under one filter is not coverage under another (scar 32)`() async throws {
        let store = try await Store.test()
        try await store.writer.commit([Self.page([10, 20], covering: Fixture.range(1, 30))])
        let reader = store.reader
        #expect(try await reader.coverage(of: Fixture.channel).value.isEmpty)
        #expect(try await reader.newest().isEmpty)
        let files = MessageFilter(kind: .file, replyType: .all)
        #expect(try await reader.coverage(of: Fixture.channel, under: files).value.isEmpty)
        let known = try await reader.coverage(of: Fixture.channel, under: Self.stickers).value
        #expect(known.ranges == [Fixture.range(1, 30)])
        let window = try await reader.window(
            .around(
                .distantFuture, in: Fixture.channel, filter: Self.stickers, olderCount: 9,
                newerCount: 0))
        #expect(window.messages == [10, 20].map { Self.sticker($0) })
        #expect(
            window.extent == CacheWindow.Extent(lower: Fixture.place(1), upper: Fixture.place(30)))
        #expect(try await reader.damage() == [])
    }

    @Test func `coverage without a filter is coverage under each filter (scar 32)`() async throws {
        let store = try await Store.test()
        try await store.writer.commit([
            Self.page([10, 20], covering: Fixture.range(1, 30)),
            .messages(
                Fixture.channel, [Fixture.message(31), Self.sticker(40), Fixture.message(50)],
                covering: Fixture.range(25, 60)),
        ])
        let window = try await store.reader.window(
            .around(
                .distantFuture, in: Fixture.channel, filter: Self.stickers, olderCount: 9,
                newerCount: 0))
        #expect(window.coverage.ranges == [Fixture.range(1, 60)])
        #expect(window.messages == [10, 20, 40].map { Self.sticker($0) })
    }

    @Test
    func `a filtered message is inserted when unfiltered coverage reaches it (scar 32)`()
        async throws
    {
        let store = try await Store.test()
        try await store.writer.commit([Self.page([10, 20], covering: Fixture.range(1, 30))])
        let page = [Self.sticker(10), Fixture.message(15)]
        let entered = try await store.writer.commit([
            .messages(Fixture.channel, page, covering: Fixture.range(1, 18))
        ])
        #expect(entered.messages()?.inserted == page)
        let again = try await store.writer.commit([
            .messages(Fixture.channel, page, covering: Fixture.range(1, 18))
        ])
        #expect(again.changes == [])
        // A message that goes in the same commit is reported as deleted, because a filtered
        // timeline may show it.
        let gone = try await store.writer.commit([
            .messages(Fixture.channel, [Self.sticker(20)], covering: Fixture.range(18, 30)),
            .deleted(Fixture.channel, [20]),
        ])
        #expect(gone.messages()?.deleted == [Self.sticker(20)])
        #expect(gone.messages()?.inserted == [])
    }

    @Test func `a filtered message is inserted when an empty page covers its range (scar 32)`()
        async throws
    {
        let store = try await Store.test()
        try await store.writer.commit([Self.page([10, 20], covering: Fixture.range(5, 30))])
        try await store.writer.commit([
            .messages(
                Fixture.channel, [Fixture.message(2)], covering: Fixture.range(1, 8))
        ])
        let nothing = try await store.writer.commit([
            .messages(Fixture.channel, [], covering: Fixture.range(2, 15))
        ])
        #expect(nothing.messages()?.inserted == [Self.sticker(10)])
        let again = try await store.writer.commit([
            .messages(Fixture.channel, [], covering: Fixture.range(2, 25))
        ])
        #expect(again.messages()?.inserted == [Self.sticker(20)])
    }

    @Test func `a live message inserts its filtered predecessor (scars 4, 32)`()
        async throws
    {
        let store = try await Store.test()
        try await store.writer.commit([
            .messages(Fixture.channel, [Fixture.message(9)], covering: Fixture.range(1, 9)),
            Self.page([10], covering: Fixture.range(8, 10)),
        ])
        let live = Fixture.message(12)
        let commit = try await store.writer.commit([.liveMessage(live, predecessor: 10)])
        #expect(commit.messages()?.inserted == [Self.sticker(10), live])
    }

    @Test func `an edit removes a message from a filter's coverage, or a place it may enter`()
        async throws
    {
        let store = try await Store.test()
        try await store.writer.commit([Self.page([10, 20], covering: Fixture.range(1, 30))])
        // An edited message may match only now, or was deleted: both places are uncovered.
        let entered = try await store.writer.commit([.edited(Self.sticker(15))])
        #expect(entered.messages()?.filters == [Self.stickers])
        let known = try await store.reader.coverage(of: Fixture.channel, under: Self.stickers).value
        #expect(known.range(containing: Fixture.place(15)) == nil)
        #expect(known.range(containing: Fixture.place(14)) != nil)
        #expect(known.range(containing: Fixture.place(16)) != nil)
        var left = Self.sticker(20, type: "note")
        left.updatedAt = Timestamp(milliseconds: 99)
        let out = try await store.writer.commit([.edited(left)])
        #expect(out.messages()?.deleted == [Self.sticker(20)])
        let outside = try await store.writer.commit([.edited(Self.sticker(31))])
        #expect(outside.changes == [])
        let query = MessageQuery(in: Fixture.channel, newestFirst: false, limit: 9)
        #expect(try await store.reader.messages(query).value == [Self.sticker(10)])
        #expect(try await store.reader.damage() == [])
    }

    @Test func `an edit removes a place from a filter's coverage that the same commit brought`()
        async throws
    {
        let store = try await Store.test()
        try await store.writer.commit([
            Self.page([10, 20], covering: Fixture.range(1, 30)), .edited(Self.sticker(15)),
        ])
        let known = try await store.reader.coverage(of: Fixture.channel, under: Self.stickers).value
        #expect(known.range(containing: Fixture.place(15)) == nil)
        #expect(known.range(containing: Fixture.place(14)) != nil)
        #expect(known.range(containing: Fixture.place(16)) != nil)
        #expect(try await store.reader.damage() == [])
    }

    @Test func `a newer copy removes a message that the same commit brought under a filter`()
        async throws
    {
        let store = try await Store.test()
        var left = Self.sticker(20, type: "note")
        left.updatedAt = Timestamp(milliseconds: 99)
        let commit = try await store.writer.commit([
            Self.page([10, 20], covering: Fixture.range(1, 30)),
            .messages(Fixture.channel, [left], covering: nil),
        ])
        #expect(commit.messages()?.inserted == [Self.sticker(10)])
        let query = MessageQuery(in: Fixture.channel, newestFirst: false, limit: 9)
        #expect(try await store.reader.messages(query).value == [Self.sticker(10)])
        #expect(try await store.reader.damage() == [])
    }

    @Test func `filters are equal if their conditions are`() async throws {
        let store = try await Store.test()
        let (one, other) = (
            MessageFilter(senderIDs: ["b", "a", "a"], replyType: .none, parentID: 3),
            MessageFilter(senderIDs: ["a", "b"], replyType: .all, parentID: 3)
        )
        let commit = try await store.writer.commit([
            .messages(Fixture.channel, [], covering: Fixture.range(1, 9), under: one)
        ])
        #expect(commit.messages()?.filters == [other])
        let known = try await store.reader.coverage(of: Fixture.channel, under: other).value
        #expect(known.ranges == [Fixture.range(1, 9)])
    }

    @Test func `clearing also removes the coverage of filters`() async throws {
        let store = try await Store.test()
        try await store.writer.commit([Self.page([10, 20], covering: Fixture.range(1, 30))])
        try await store.writer.commit([.clearMessages(Fixture.channel)])
        let known = try await store.reader.coverage(of: Fixture.channel, under: Self.stickers).value
        #expect(known.isEmpty)
        try await store.writer.commit([.clearAll])
        try await store.writer.commit([Self.page([1], covering: Fixture.range(1, 2))])
        #expect(try await store.reader.damage() == [])
    }

    /// One server, pages under random filters, and edits that change the matches.
    ///
    /// The cache has every message inside a filter's coverage, and a timeline of all messages has
    /// learnt of them.
    @Test(arguments: [UInt64](1...60))
    func `a filter's coverage never exceeds the cached messages (scars 29, 32)`(
        seed: UInt64
    ) async throws {
        var random = SplitMix64(seed: seed)
        var log: [Int64: Message] = [:]
        for id in Int64(1)...40 {
            log[id] = Self.sticker(id, type: ["sticker", "note", ""][random.below(3)])
        }
        let filters: [MessageFilter] = [
            .everything, Self.stickers, MessageFilter(customTypes: ["note", ""], replyType: .all),
            MessageFilter(kind: .file, replyType: .all),
        ]
        let store = try await Store.test()
        var told: [MessageID: Message] = [:]
        for step in 0..<50 {
            let lower = Int64(1 + random.below(40))
            let upper = min(40, lower + Int64(random.below(8)))
            let filter = filters[random.below(filters.count)]
            var mutation: Mutation?
            switch random.below(7) {
            case 0:
                var message = log[lower] ?? Self.sticker(lower)
                message.customType = ["sticker", "note", ""][random.below(3)]
                message.updatedAt = Timestamp(milliseconds: Int64(1_000 + step))
                if log[lower] != nil {
                    log[lower] = message
                    mutation = .edited(message)
                }
            case 1:
                log[lower] = nil
                mutation = .deleted(Fixture.channel, [MessageID(lower)])
            case 2 where random.below(4) == 0:
                mutation = .clearMessages(Fixture.channel)
            case 3:
                let before = log.keys.filter { $0 < lower }.max()
                mutation = log[lower].map {
                    .liveMessage($0, predecessor: before.map { MessageID($0) })
                }
            default:
                let page = log.values.filter {
                    filter.matches($0) && lower...upper ~= $0.createdAt.milliseconds
                }
                mutation = .messages(
                    Fixture.channel, page, covering: Fixture.range(lower, upper), under: filter)
            }
            guard let mutation else { continue }
            let commit = try await store.writer.commit([mutation])
            commit.messages()?.apply(to: &told)
            for filter in filters {
                let known = try await store.reader.coverage(of: Fixture.channel, under: filter)
                    .value
                let query = MessageQuery(
                    in: Fixture.channel, filter: filter, newestFirst: false, limit: 99)
                let held = try await store.reader.messages(query).value.filter {
                    $0.position.flatMap(known.range(containing:)) != nil
                }
                let claimed = log.values.filter {
                    filter.matches($0) && $0.position.flatMap(known.range(containing:)) != nil
                }
                #expect(held == claimed.sorted { $0.createdAt < $1.createdAt })
                guard filter == .everything else { continue }
                #expect(told.values.sorted { $0.createdAt < $1.createdAt } == held)
            }
        }
        #expect(try await store.reader.damage() == [])
    }
}

extension MessagesChange {
    /// The content of a timeline of all messages that are covered without a filter.
    fileprivate func apply(to shown: inout [MessageID: Message]) {
        for message in deleted { message.messageID.map { shown[$0] = nil } }
        for update in updated {
            if let id = update.after.messageID, shown[id] != nil { shown[id] = update.after }
        }
        for message in inserted { message.messageID.map { shown[$0] = message } }
        shown = shown.filter { entry in
            entry.value.position.flatMap(coverageAfter.range(containing:)) != nil
        }
    }
}
