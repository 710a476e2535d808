// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import RoostTestSupport
import Testing

/// The messages of a timeline: under a filter, at any place, and never too many.
struct TimelineViewTests {
    /// Alice, who has the timeline, and Bob, who writes.
    private struct Pair {
        let phone: SimulatedWorld.Device
        let alice: ChatClient
        let bob: ChatClient
        let channel: ChannelURL

        init(_ world: SimulatedWorld, pageSize: Int = 10) async throws {
            phone = world.device(of: "alice", pageSize: pageSize)
            alice = try await world.launch(phone)
            bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            channel = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
        }

        /// Sends Bob's messages by number; every `every`th is a note.
        func write(_ numbers: ClosedRange<Int>, noteEvery every: Int) async throws {
            for number in numbers {
                let type = number.isMultiple(of: every) ? "note" : ""
                try await bob.send(
                    UserMessageParams(text: "\(number)", customType: type), to: channel)
            }
            await bob.waitUntilIdle()
        }
    }

    private static let notes = MessageFilter(customTypes: ["note"], replyType: .all)

    private static func texts(_ timeline: Timeline) async -> [String] {
        await timeline.snapshot.messages.map(\.text)
    }

    private static func numbers(_ range: ClosedRange<Int>, every: Int = 1) -> [String] {
        range.filter { $0.isMultiple(of: every) }.map(String.init)
    }

    @Test
    func `a timeline in the past of an empty channel follows the end (scar 85)`()
        throws
    {
        try SimulatedWorld.play(seed: 1) { world in
            let pair = try await Pair(world, pageSize: 6)
            let timeline = try await pair.alice.timeline(
                of: pair.channel, startingAt: Timestamp(milliseconds: 1_700_000_000_001))
            await world.pass()
            #expect(await !timeline.snapshot.hasNewer)
            await pair.phone.network.cut()
            try await pair.write(1...14, noteEvery: 5)
            pair.phone.network.restore()
            await world.pass(.seconds(60))
            #expect(await Self.texts(timeline).last == "14")
            #expect(await !timeline.snapshot.hasNewer)
        }
    }

    @Test func `messages known by a filter only are in their place when the rest comes (scar 32)`()
        throws
    {
        try SimulatedWorld.play(seed: 1) { world in
            let pair = try await Pair(world, pageSize: 6)
            try await pair.write(1...4, noteEvery: 2)
            let all = try await pair.alice.timeline(of: pair.channel)
            await world.pass()
            await pair.phone.network.cut()
            try await pair.write(5...30, noteEvery: 5)
            let past = try await pair.alice.timeline(
                of: pair.channel, startingAt: Timestamp(milliseconds: 1_700_000_000_001),
                filter: Self.notes)
            pair.phone.network.restore()
            await world.pass(.seconds(60))
            #expect(await Self.texts(all) == Self.numbers(1...30).suffix(Self.texts(all).count))
            #expect(await Self.texts(past).contains("5"))
        }
    }

    @Test func `a filter shows its matches: paged, live, pending, edited in and out (R175)`()
        throws
    {
        try SimulatedWorld.play(seed: 1) { world in
            let pair = try await Pair(world)
            try await pair.write(1...60, noteEvery: 5)
            let timeline = try await pair.alice.timeline(of: pair.channel, filter: Self.notes)
            await world.pass()
            while await timeline.snapshot.hasOlder { try await timeline.loadOlder() }
            #expect(await Self.texts(timeline) == Self.numbers(1...60, every: 5))
            let changes = await timeline.changes()
            try await pair.write(61...70, noteEvery: 10)
            await world.pass()
            #expect(await Self.texts(timeline).suffix(2) == ["60", "70"])

            await pair.phone.network.cut()
            try await pair.alice.send("plain", to: pair.channel)
            try await pair.alice.send(
                UserMessageParams(text: "mine", customType: "note"), to: pair.channel)
            await world.pass()
            #expect(await Self.texts(timeline).suffix(2) == ["70", "mine"])
            pair.phone.network.restore()
            await world.pass(.seconds(60))
            #expect(await Self.texts(timeline).suffix(2) == ["70", "mine"])
            await timeline.close()
            var inserted: [String] = []
            for await change in changes { inserted += change.inserted.map(\.text) }
            #expect(inserted == ["70", "mine"])
        }
    }

    @Test func `messages outside a sparse filter are not fetched (R175, scar 32)`() throws {
        try SimulatedWorld.play(seed: 2) { world in
            let pair = try await Pair(world)
            try await pair.write(1...400, noteEvery: 50)
            let timeline = try await pair.alice.timeline(of: pair.channel, filter: Self.notes)
            await world.pass()
            let requests = pair.phone.network.requestCount
            while await timeline.snapshot.hasOlder { try await timeline.loadOlder() }
            #expect(await Self.texts(timeline) == Self.numbers(1...400, every: 50))
            #expect(pair.phone.network.requestCount - requests <= 2)

            // Offline all matches are there; another filter is incomplete, and shows that.
            await pair.phone.network.cut()
            let again = try await pair.alice.timeline(of: pair.channel, filter: Self.notes)
            while await again.snapshot.hasOlder { try await again.loadOlder() }
            #expect(await Self.texts(again) == Self.numbers(1...400, every: 50))
            let all = try await pair.alice.timeline(of: pair.channel)
            await #expect(throws: RoostError.self) {
                while await all.snapshot.hasOlder { try await all.loadOlder() }
            }
        }
    }

    @Test func `a filtered view of the past pages to the newest and follows it (R177)`() throws {
        try SimulatedWorld.play(seed: 3) { world in
            let pair = try await Pair(world)
            try await pair.write(1...100, noteEvery: 4)
            let first = try #require(try await world.log(of: pair.channel).first)
            let timeline = try await pair.alice.timeline(
                of: pair.channel, startingAt: first.createdAt, filter: Self.notes)
            await world.pass()
            #expect(await Self.texts(timeline).first == "4")
            while await timeline.snapshot.hasNewer { try await timeline.loadNewer() }
            #expect(await Self.texts(timeline) == Self.numbers(1...100, every: 4))
            try await pair.write(101...108, noteEvery: 4)
            await world.pass()
            #expect(await Self.texts(timeline) == Self.numbers(1...108, every: 4))
        }
    }

    @Test func `a thread is a timeline of its replies`() throws {
        try SimulatedWorld.play(seed: 4) { world in
            let pair = try await Pair(world)
            try await pair.write(1...3, noteEvery: 9)
            let parent = try await world.log(of: pair.channel)[1].messageID
            try await pair.bob.send(
                UserMessageParams(text: "r1", parentID: parent), to: pair.channel)
            try await pair.write(4...30, noteEvery: 9)
            let thread = try await pair.alice.timeline(
                of: pair.channel, filter: MessageFilter(parentID: parent))
            await world.pass()
            while await thread.snapshot.hasOlder { try await thread.loadOlder() }
            try await pair.bob.send(
                UserMessageParams(text: "r2", parentID: parent), to: pair.channel)
            await world.pass()
            #expect(await Self.texts(thread) == ["r1", "r2"])

            // The parent has the count of its replies, even if the client was away when they came.
            let channel = try await pair.alice.timeline(of: pair.channel)
            await pair.phone.network.cut()
            try await pair.bob.send(
                UserMessageParams(text: "r3", parentID: parent), to: pair.channel)
            await world.pass()
            pair.phone.network.restore()
            await world.pass(.seconds(60))
            while await channel.snapshot.hasOlder { try await channel.loadOlder() }
            let root = await channel.snapshot.messages.first { $0.messageID == parent }
            #expect(root?.details.threadInfo?.replyCount == 3)
        }
    }

    @Test func `a jump keeps all messages: the way back is on disk (scar 88)`() throws {
        try SimulatedWorld.play(seed: 5) { world in
            let pair = try await Pair(world)
            try await pair.write(1...200, noteEvery: 999)
            await world.pass()
            let log = try await world.log(of: pair.channel)
            let timeline = try await pair.alice.timeline(of: pair.channel)
            await world.pass()
            #expect(await Self.texts(timeline) == Self.numbers(191...200))
            try await timeline.jump(to: log[49].createdAt)
            await world.pass()
            #expect(await Self.texts(timeline) == Self.numbers(40...59))
            #expect(await timeline.snapshot.hasNewer)
            try await pair.write(201...201, noteEvery: 999)
            await world.pass()
            #expect(await Self.texts(timeline) == Self.numbers(40...59))

            await pair.phone.network.cut()
            try await timeline.jump(to: .distantFuture)
            #expect(await Self.texts(timeline) == Self.numbers(192...201))
            #expect(await timeline.snapshot.hasNewer == false)
            try await timeline.jump(to: log[49].createdAt)
            #expect(await Self.texts(timeline) == Self.numbers(40...59))
            pair.phone.network.restore()
            await world.pass(.seconds(60))
            while await timeline.snapshot.hasNewer { try await timeline.loadNewer() }
            #expect(await Self.texts(timeline) == Self.numbers(40...201))
        }
    }

    @Test func `a jump out of a huge gap follows the newest end again (R114)`() throws {
        try SimulatedWorld.play(seed: 6) { world in
            let pair = try await Pair(world)
            try await pair.write(1...1, noteEvery: 999)
            let timeline = try await pair.alice.timeline(of: pair.channel)
            await world.pass()
            await pair.phone.network.cut()
            try await pair.write(2...400, noteEvery: 999)
            pair.phone.network.restore()
            await world.pass(.seconds(60))
            #expect(await timeline.snapshot.hasHugeGap)
            try await timeline.jump(to: .distantFuture)
            await world.pass()
            #expect(await timeline.snapshot.hasHugeGap == false)
            try await pair.write(401...401, noteEvery: 999)
            await world.pass()
            #expect(await Self.texts(timeline) == Self.numbers(391...401))
        }
    }

    @Test func `a timeline keeps to its capacity, and pages back to removed messages`() throws {
        try SimulatedWorld.play(seed: 7) { world in
            let pair = try await Pair(world)
            try await pair.write(1...100, noteEvery: 999)
            let timeline = try await pair.alice.timeline(of: pair.channel, capacity: 40)
            await world.pass()
            while await timeline.snapshot.hasOlder {
                try await timeline.loadOlder()
                #expect(await timeline.snapshot.messages.count <= 40)
            }
            #expect(await Self.texts(timeline) == Self.numbers(1...40))
            #expect(await timeline.snapshot.hasNewer)
            // New messages are not mixed in; the place at which the list continues is known.
            try await pair.write(101...101, noteEvery: 999)
            await world.pass()
            #expect(await Self.texts(timeline) == Self.numbers(1...40))
            // All of it is on disk, and known to be the newest.
            let requests = pair.phone.network.requestCount
            while await timeline.snapshot.hasNewer { try await timeline.loadNewer() }
            #expect(pair.phone.network.requestCount == requests)
            #expect(await Self.texts(timeline) == Self.numbers(62...101))
            try await pair.write(102...110, noteEvery: 999)
            await world.pass()
            #expect(await Self.texts(timeline) == Self.numbers(71...110))
            #expect(await timeline.snapshot.hasOlder)
        }
    }

    @Test(arguments: Sample.of([UInt64](1...30), quick: 8))
    func `in the end any view is the server's log under its filter (scar 32)`(
        seed: UInt64
    ) throws {
        try SimulatedWorld.play(seed: seed) { world in
            let pair = try await Pair(world, pageSize: 5)
            var random = SplitMix64(seed: seed)
            let filters = [
                Self.notes, .everything, MessageFilter(senderIDs: ["alice"], replyType: .all),
                MessageFilter(kind: .user, customTypes: [""], replyType: .all),
                MessageFilter(replyType: .none),
            ]
            var timelines: [Timeline] = []
            for _ in 0..<60 {
                switch random.below(9) {
                case 0: await pair.phone.network.cut()
                case 1: pair.phone.network.restore()
                case 2 where timelines.count < 6:
                    let log = try await world.log(of: pair.channel)
                    let start = log.isEmpty ? nil : log[random.below(log.count)].createdAt
                    timelines.append(
                        try await pair.alice.timeline(
                            of: pair.channel,
                            startingAt: random.below(2) == 0
                                ? .distantFuture : start ?? .distantFuture,
                            filter: filters[random.below(filters.count)], capacity: 30))
                case 3 where !timelines.isEmpty:
                    _ = try? await timelines[random.below(timelines.count)].loadOlder()
                case 4 where !timelines.isEmpty:
                    _ = try? await timelines[random.below(timelines.count)].loadNewer()
                case 5:
                    let log = try await world.log(of: pair.channel)
                    let bobs = log.filter { $0.sender?.user.id == "bob" }.compactMap(\.messageID)
                    guard !bobs.isEmpty else { continue }
                    let id = bobs[random.below(bobs.count)]
                    if random.below(2) == 0 {
                        try await pair.bob.delete(id, in: pair.channel)
                    } else {
                        try await pair.bob.edit(id, in: pair.channel, text: "edit")
                    }
                case 6:
                    try await pair.alice.send(
                        UserMessageParams(text: "a", customType: "note"), to: pair.channel)
                default:
                    for _ in 0...random.below(12) {
                        let type = ["", "note", "other"][random.below(3)]
                        let log = try await world.log(of: pair.channel)
                        let parent = random.below(6) == 0 ? log.last?.messageID : nil
                        try await pair.bob.send(
                            UserMessageParams(text: "b", customType: type, parentID: parent),
                            to: pair.channel)
                    }
                }
                await world.pass(.milliseconds(Int64(random.below(900))))
            }
            pair.phone.network.restore()
            await world.pass(.seconds(120))
            let log = try await world.log(of: pair.channel)
            for timeline in timelines {
                let snapshot = await timeline.snapshot
                let shown = snapshot.stretch.map(\.messageID)
                let passing = log.filter(timeline.filter.matches).map(\.messageID)
                let beyond = snapshot.messages.suffix(snapshot.sentBeyondGap)
                #expect(beyond.allSatisfy { passing.contains($0.messageID) })
                // The view has no hole.
                if let first = shown.first {
                    let start = try #require(passing.firstIndex(of: first))
                    #expect(Array(passing[start...].prefix(shown.count)) == shown)
                    if !snapshot.hasNewer { #expect(passing.last == shown.last) }
                }
                while await timeline.snapshot.hasNewer { try await timeline.loadNewer() }
                #expect(await timeline.snapshot.messages.map(\.messageID).last == passing.last)
                var seen = await timeline.snapshot.messages.map(\.messageID)
                while await timeline.snapshot.hasOlder {
                    try await timeline.loadOlder()
                    let page = await timeline.snapshot.messages.map(\.messageID)
                    seen = page.filter { !seen.contains($0) } + seen
                }
                #expect(seen == passing)
            }
        }
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `reaching the server means the place where the timeline is now (scar 85)`(
        seed: UInt64
    ) throws {
        try SimulatedWorld.play(seed: seed) { world in
            let pair = try await Pair(world)
            try await pair.write(1...60, noteEvery: 100)
            let middle = try await pair.bob.timeline(of: pair.channel)
            await world.pass()
            while await middle.snapshot.hasOlder { try await middle.loadOlder() }
            let moment = await middle.snapshot.messages[29].createdAt
            await world.pass()
            try await pair.alice.clearCache(of: pair.channel)
            pair.phone.network.weather.slowAnswer = 1000
            let timeline = try await pair.alice.timeline(of: pair.channel, pageSize: 5)
            // Each answer takes seconds: that of the first place comes before the jump, during it,
            // or after it.
            await world.pass(.milliseconds(500 * Int(seed)))
            try await timeline.jump(to: moment)
            try await timeline.reachServer()
            #expect(await Self.texts(timeline) == Self.numbers(25...34))
        }
    }

    @Test func `a reader that leaves its loop is freed (scar 86)`() throws {
        try SimulatedWorld.play(seed: 3) { world in
            let pair = try await Pair(world)
            let timeline = try await pair.alice.timeline(of: pair.channel)
            let reading = Task(executorPreference: world.executor) {
                for await _ in await timeline.changes() { break }
            }
            await world.pass()
            #expect(await timeline.changeReaderCount == 1)
            try await pair.write(1...1, noteEvery: 2)
            await reading.value
            await world.pass()
            #expect(await timeline.changeReaderCount == 0)
        }
    }
}
