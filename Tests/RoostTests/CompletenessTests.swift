// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import RoostTestSupport
import Testing

/// Tests of what the client says about the completeness of its cache.
struct CompletenessTests {
    private static func texts(_ timeline: Timeline) async -> [String] {
        await timeline.snapshot.messages.map(\.text)
    }

    private static func numbers(_ range: ClosedRange<Int>) -> [String] { range.map { "\($0)" } }

    /// Expects that holes and unseen periods are the same, and returns the reasons.
    private static func reasons(
        _ client: ChatClient, _ channel: ChannelURL, _ location: SourceLocation = #_sourceLocation
    ) async throws -> [HistoryHole.Reason] {
        let holes = try await client.holes(in: channel)
        for channels in [[channel], nil] {
            let unseen = try await client.search(MessageSearch("1", in: channels)).unseen
            #expect(
                unseen.filter { $0.channel == channel }.map { [$0.from, $0.through] }
                    == holes.map { [$0.from, $0.through] }, sourceLocation: location)
            #expect(unseen.allSatisfy { $0.reason == .notCached }, sourceLocation: location)
        }
        return holes.map(\.reason)
    }

    private static func pair(
        _ world: SimulatedWorld, folder: TemporaryFolder? = nil
    ) async throws -> Pair {
        try await Pair(
            world, world.device(of: "alice", folder: folder?.path, pageSize: 10),
            world.device(of: "bob"))
    }

    private static func write(_ range: ClosedRange<Int>, _ pair: Pair) async throws {
        for number in range { try await pair.bob.send("\(number)", to: pair.channel) }
        await pair.bob.waitUntilIdle()
    }

    @Test func `holes and the unseen part of a search agree in every state of a channel`() throws {
        try SimulatedWorld.play(seed: 11) { world in
            let pair = try await Self.pair(world)
            try await Self.write(1...30, pair)
            let (alice, channel) = (pair.alice, pair.channel)
            await world.pass()
            // The live messages are cached; the server has not named the newest one.
            #expect(try await Self.reasons(alice, channel).last == .notCaughtUp)
            let timeline = try await alice.timeline(of: channel)
            await world.pass()
            while await timeline.snapshot.hasOlder { try await timeline.loadOlder() }
            #expect(try await Self.reasons(alice, channel) == [])
            try await Self.write(31...33, pair)
            await world.pass()
            #expect(try await Self.reasons(alice, channel) == [])

            await pair.phone.network.cut()
            await world.pass(.seconds(60))
            #expect(try await Self.reasons(alice, channel) == [.notCaughtUp])
            try await Self.write(34...380, pair)
            pair.phone.network.restore()
            await world.pass(.seconds(60))
            #expect(await timeline.snapshot.hasHugeGap)
            #expect(try await Self.reasons(alice, channel) == [.notCaughtUp])
            try await timeline.jump(to: .distantFuture)
            await world.pass()
            #expect(try await Self.reasons(alice, channel) == [.betweenVisits])
            while try await Self.reasons(alice, channel) != [] { try await timeline.loadOlder() }
            while await timeline.snapshot.hasOlder { try await timeline.loadOlder() }
            #expect(await Self.texts(timeline) == Self.numbers(1...380))
        }
    }

    @Test func `a cleared cache is not complete at its end, whatever was read back`() throws {
        try SimulatedWorld.play(seed: 12) { world in
            let pair = try await Self.pair(world)
            try await Self.write(1...40, pair)
            let (alice, channel) = (pair.alice, pair.channel)
            let timeline = try await alice.timeline(of: channel)
            await world.pass()
            await timeline.close()
            let middle = try await world.log(of: channel)[19].createdAt
            try await alice.clearCache(of: channel)
            #expect(try await Self.reasons(alice, channel) == [.neverFetched])
            let past = try await alice.timeline(of: channel, startingAt: middle, pageSize: 3)
            await world.pass()
            #expect(await past.snapshot.messages.count == 6)
            #expect(try await Self.reasons(alice, channel) == [.notPagedTo, .notCaughtUp])
        }
    }

    @Test func `history that the user may not see is no hole, and has no part in its size`() throws
    {
        try SimulatedWorld.play(seed: 13) { world in
            let pair = try await Self.pair(world)
            try await Self.write(1...20, pair)
            await world.pass()
            try await pair.alice.resetHistory(of: pair.channel)
            await world.pass(.seconds(5))
            try await Self.write(21...45, pair)
            await world.pass()
            let other = try await world.launch(world.device(of: "alice", pageSize: 10))
            try await other.connect()
            let timeline = try await other.timeline(of: pair.channel)
            await world.pass()
            #expect(try await Self.reasons(other, pair.channel) == [.notPagedTo])
            let hole = try #require(try await other.countedHoles(in: pair.channel).first)
            #expect(hole.size == .exactly(15) && hole.from > .distantPast)
            while await timeline.snapshot.hasOlder { try await timeline.loadOlder() }
            #expect(await Self.texts(timeline) == Self.numbers(21...45))
            #expect(try await Self.reasons(other, pair.channel) == [])
        }
    }

    @Test func `a hole of many messages is counted by the whole channel`() throws {
        try SimulatedWorld.play(seed: 14) { world in
            let pair = try await Self.pair(world)
            try await Self.write(1...1_210, pair)
            let other = try await world.launch(world.device(of: "alice", pageSize: 10))
            try await other.connect()
            let timeline = try await other.timeline(of: pair.channel)
            await world.pass()
            let count = await timeline.snapshot.messages.count
            let counted = try await other.countedHoles(in: pair.channel)
            #expect(counted.map(\.size) == [.exactly(1_210 - count)])
        }
    }

    // MARK: Begin with the newest messages

    /// The order in which an app connects and opens its timeline after a relaunch.
    enum Order: CaseIterable, Sendable { case connectsFirst, opensFirst, both }

    @Test(arguments: Order.allCases)
    func `after a relaunch and 400 missed messages a timeline begins with the newest`(
        order: Order
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 15) { world in
            let pair = try await Self.pair(world, folder: folder)
            await pair.alice.disconnect()
            try await Self.write(1...25, pair)
            try await pair.alice.connect()
            let before = try await pair.alice.timeline(of: pair.channel)
            await world.pass()
            #expect(await before.snapshot.messages.count == 10)
            await pair.alice.close()
            try await Self.write(26...425, pair)

            let alice = try await world.launch(pair.phone)
            let timeline: Timeline
            switch order {
            case .connectsFirst:
                try await alice.connect()
                timeline = try await alice.timeline(of: pair.channel)
            case .opensFirst:
                timeline = try await alice.timeline(of: pair.channel)
                #expect(await Self.texts(timeline) == Self.numbers(16...25))
                await world.pass()
                try await alice.connect()
            case .both:
                async let connecting: Void = alice.connect()
                timeline = try await alice.timeline(of: pair.channel)
                try await connecting
            }
            await world.pass(.seconds(30))
            #expect(await Self.texts(timeline) == Self.numbers(416...425))
            let snapshot = await timeline.snapshot
            #expect(snapshot.hasOlder && !snapshot.hasNewer && !snapshot.hasHugeGap)
            #expect(try await Self.reasons(alice, pair.channel) == [.notPagedTo, .betweenVisits])
            #expect(
                try await alice.countedHoles(in: pair.channel).map(\.size)
                    == [.exactly(15), .exactly(390)])
            try await timeline.loadOlder()
            #expect(await Self.texts(timeline) == Self.numbers(406...425))
            try await Self.write(426...426, pair)
            await world.pass()
            #expect(await Self.texts(timeline).last == "426")
        }
    }
}
