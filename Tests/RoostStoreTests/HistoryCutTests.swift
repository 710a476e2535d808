// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import Testing

struct HistoryCutTests {
    private static func moment(_ milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: milliseconds)
    }

    @Test func `after a cut, history begins at the cut and no older message returns`() async throws
    {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(10...20)])
        let commit = try await store.writer.commit([
            .historyCut(Fixture.channel, through: Self.moment(14))
        ])
        #expect(commit.messages()?.cutThrough == Self.moment(14))
        #expect(commit.messages()?.deleted == [])
        let window = try await store.reader.window(
            .around(.distantFuture, in: Fixture.channel, olderCount: 99, newerCount: 0))
        #expect(window.messages == (15...20).map { Fixture.message($0) })
        #expect(window.extent?.lower == .distantPast)
        // A late page and a late live copy.
        let late = try await store.writer.commit([
            Fixture.page(12...16), .liveMessage(Fixture.message(13), predecessor: nil),
        ])
        #expect(late.messages()?.inserted ?? [] == [])
        #expect(try await store.reader.newest() == (15...20).map { Fixture.message($0) })
        #expect(try await store.reader.damage() == [])
    }

    @Test func `a cut after the newest message leaves no coverage`() async throws {
        let store = try await Store.test()
        try await store.writer.commit([Fixture.page(10...20)])
        try await store.writer.commit([.historyCut(Fixture.channel, through: Self.moment(30))])
        #expect(try await store.reader.coverage(of: Fixture.channel).value.isEmpty)
        #expect(try await store.reader.inspection().channels.map(\.messageCount) == [0])
    }

    @Test func `a channel's history is cut when its offset moves forward, never backward`()
        async throws
    {
        let store = try await Store.test()
        var channel = Fixture.group(Fixture.channel)
        channel.messageOffset = Self.moment(12)
        try await store.writer.commit([.channels([channel]), Fixture.page(10...20)])
        #expect(try await store.reader.newest().first == Fixture.message(13))
        channel.messageOffset = Self.moment(15)
        try await store.writer.commit([.channels([channel])])
        #expect(try await store.reader.newest().first == Fixture.message(16))
        channel.messageOffset = Self.moment(11)
        try await store.writer.commit([.channels([channel]), Fixture.page(10...20)])
        #expect(try await store.reader.newest().first == Fixture.message(16))
    }

    @Test func `an edge at the end of time neither traps nor covers anything (scar 31)`()
        async throws
    {
        let store = try await Store.test()
        try await store.writer.commit([
            .messages(
                Fixture.channel, [Fixture.message(1)],
                covering: CoveredRange(lower: .distantPast, upper: .distantFuture)),
            .historyCut(Fixture.channel, through: .distantPast),
        ])
        #expect(try await store.reader.newest().count == 1)
        try await store.writer.commit([.historyCut(Fixture.channel, through: .distantFuture)])
        #expect(try await store.reader.newest().isEmpty)
    }
}
