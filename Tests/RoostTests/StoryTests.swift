// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import RoostTestSupport
import Testing

/// The story of `roost demo` in virtual time, without sockets or waiting.
struct StoryTests {
    private static func texts(_ timeline: Timeline) async -> [String] {
        await timeline.snapshot.messages.map(\.text)
    }

    @Test(arguments: Sample.of(Array(0..<24), quick: 6) + [2_026] as [UInt64])
    func `messages written offline are delivered once and in order (scars 12 to 15, 18, 69)`(
        seed: UInt64
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        let log = try SimulatedWorld.play(seed: seed) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let laptop = world.device(of: "bob")
            let pair = try await Pair(world, phone, laptop)
            let bobs = try await pair.bob.timeline(of: pair.channel)
            let alices = try await pair.alice.timeline(of: pair.channel)
            try await pair.alice.send("hello", to: pair.channel)
            await world.pass()
            try await pair.bob.send("hi", to: pair.channel)
            await world.pass()
            #expect(await Self.texts(alices) == ["hello", "hi"])
            #expect(await Self.texts(bobs) == ["hello", "hi"])

            // The link is cut and the app restarted: all messages are there, from disk.
            await phone.network.cut()
            await pair.alice.close()
            let alice = try await world.launch(phone)
            let offline = try await alice.timeline(of: pair.channel)
            #expect(await Self.texts(offline) == ["hello", "hi"])
            let list = try await alice.channelList()
            #expect(await list.snapshot.channels.map(\.name) == ["train"])

            // Written offline: shown as pending.
            for text in ["one", "two", "three"] { try await alice.send(text, to: pair.channel) }
            #expect(
                await offline.snapshot.messages.map(\.status).suffix(3) == [
                    .pending, .pending, .pending,
                ])

            // Meanwhile the other side writes, edits and deletes.
            for number in 1...20 { try await pair.bob.send("b\(number)", to: pair.channel) }
            await world.pass()
            let sent = await bobs.snapshot.messages
            let ids = sent.compactMap(\.messageID)
            try await pair.bob.edit(ids[1], in: pair.channel, text: "hi!")
            try await pair.bob.edit(ids[5], in: pair.channel, text: "b4!")
            try await pair.bob.delete(ids[8], in: pair.channel)
            await world.pass()

            // The link is back.
            phone.network.restore()
            try await alice.connect()
            await alice.waitUntilIdle()
            await world.pass()
            let server = try await world.log(of: pair.channel)
            #expect(server.map(\.text).suffix(3) == ["one", "two", "three"])
            #expect(server.count == 24)
            #expect(await offline.snapshot.messages.map(\.messageID) == server.map(\.messageID))
            #expect(await Self.texts(offline) == server.map(\.text))
            #expect(await Self.texts(bobs) == server.map(\.text))
            #expect(await offline.snapshot.messages.allSatisfy { $0.status == .succeeded })
            #expect(await offline.snapshot.hasOlder == false)
            await alice.close()
            await pair.bob.close()
            return server.map(\.text)
        }
        #expect(log.first == "hello")
    }

    @Test(arguments: [300, 301])
    func `300 missing messages are filled in silently, 301 are a huge gap (R113, scar 33)`(
        count: Int
    ) throws {
        try SimulatedWorld.play(seed: UInt64(count)) { world in
            let phone = world.device(of: "alice")
            let pair = try await Pair(world, phone, world.device(of: "bob"))
            try await pair.alice.send("seen", to: pair.channel)
            let timeline = try await pair.alice.timeline(of: pair.channel)
            await world.pass()
            await phone.network.cut()
            for number in 1...count { try await pair.bob.send("\(number)", to: pair.channel) }
            await pair.bob.waitUntilIdle()
            phone.network.restore()
            await world.pass(.seconds(60))
            await pair.alice.waitUntilIdle()
            let snapshot = await timeline.snapshot
            let isHuge = count > 300
            #expect(snapshot.hasHugeGap == isHuge)
            #expect(snapshot.hasNewer == isHuge)
            #expect(snapshot.messages.count == (isHuge ? 1 : count + 1))
            guard isHuge else { return }
            // Paging forward shows every missing message and then follows the newest end again.
            while await timeline.snapshot.hasNewer { try await timeline.loadNewer() }
            #expect(await timeline.snapshot.messages.count == count + 1)
            #expect(await timeline.snapshot.hasHugeGap == false)
            let server = try await world.log(of: pair.channel)
            #expect(await Self.texts(timeline) == server.map(\.text))
        }
    }

    @Test func `the same seed plays the same world, to the last step`() throws {
        func play() throws -> [Int] {
            try SimulatedWorld.play(seed: 77) { world in
                let phone = world.device(of: "alice")
                let pair = try await Pair(world, phone, world.device(of: "bob"))
                let timeline = try await pair.alice.timeline(of: pair.channel)
                for number in 1...10 {
                    try await pair.bob.send("\(number)", to: pair.channel)
                    if number == 5 { await phone.network.cut() }
                    if number == 8 { phone.network.restore() }
                    await world.pass(.seconds(3))
                }
                await world.pass(.seconds(60))
                #expect(await Self.texts(timeline) == (1...10).map(String.init))
                return [world.executor.jobsRun, phone.network.requestCount]
            }
        }
        let first = try play()
        for _ in 0..<5 { #expect(try play() == first) }
    }

    @Test func `history pages back to its beginning, from the server and then from disk`() throws {
        let folder = try TemporaryFolder()
        try SimulatedWorld.play(seed: 5) { world in
            let phone = world.device(of: "alice", folder: folder.path, pageSize: 10)
            let pair = try await Pair(world, phone, world.device(of: "bob"))
            for number in 1...40 { try await pair.bob.send("\(number)", to: pair.channel) }
            await pair.bob.waitUntilIdle()
            await pair.alice.close()

            // A device without any of it: four pages and a probe (scar 28).
            let tablet = world.device(of: "alice", pageSize: 10)
            let fresh = try await world.launch(tablet)
            try await fresh.connect()
            let timeline = try await fresh.timeline(of: pair.channel)
            await fresh.waitUntilIdle()
            #expect(await timeline.snapshot.messages.count == 10)
            var pages = 0
            while await timeline.snapshot.hasOlder {
                try await timeline.loadOlder()
                pages += 1
                #expect(pages < 10)
            }
            #expect(await Self.texts(timeline) == (1...40).map(String.init))

            // Offline, the same pages come from disk, without a request (scar 90).
            await tablet.network.cut()
            let requests = tablet.network.requestCount
            let again = try await fresh.timeline(of: pair.channel)
            while await again.snapshot.hasOlder { try await again.loadOlder() }
            #expect(await Self.texts(again) == (1...40).map(String.init))
            #expect(tablet.network.requestCount == requests)
        }
    }

    @Test func `offline, a page that is not on disk is an error and not an end (scar 91)`() throws {
        try SimulatedWorld.play(seed: 6) { world in
            let phone = world.device(of: "alice", pageSize: 10)
            let pair = try await Pair(world, phone, world.device(of: "bob"))
            await phone.network.cut()
            for number in 1...30 { try await pair.bob.send("\(number)", to: pair.channel) }
            await pair.bob.waitUntilIdle()
            phone.network.restore()
            await world.pass(.seconds(60))
            let timeline = try await pair.alice.timeline(of: pair.channel)
            await pair.alice.waitUntilIdle()
            await phone.network.cut()
            await #expect(throws: RoostError.self) { try await timeline.loadOlder() }
            #expect(await timeline.snapshot.hasOlder)
            #expect(await timeline.snapshot.messages.count == 10)
        }
    }

    @Test func `an empty channel shows the first messages of an absence (scar 85)`() throws {
        try SimulatedWorld.play(seed: 8) { world in
            let phone = world.device(of: "alice")
            let pair = try await Pair(world, phone, world.device(of: "bob"))
            let timeline = try await pair.alice.timeline(of: pair.channel)
            await world.pass()
            await phone.network.cut()
            for text in ["a", "b", "c"] { try await pair.bob.send(text, to: pair.channel) }
            await world.pass()
            phone.network.restore()
            await world.pass(.seconds(60))
            #expect(await Self.texts(timeline) == ["a", "b", "c"])
        }
    }

    @Test func `a reconnection without changes reports nothing (scar 83)`() throws {
        try SimulatedWorld.play(seed: 9) { world in
            let phone = world.device(of: "alice")
            let pair = try await Pair(world, phone, world.device(of: "bob"))
            try await pair.bob.send("one", to: pair.channel)
            await world.pass()
            let timeline = try await pair.alice.timeline(of: pair.channel)
            await world.pass()
            let changes = await timeline.changes()
            await phone.network.cut()
            await world.pass()
            phone.network.restore()
            await world.pass(.seconds(60))
            // For comparison: a later change is the only one reported.
            try await pair.bob.send("two", to: pair.channel)
            await world.pass()
            await timeline.close()
            var announced: [String] = []
            for await change in changes {
                #expect(change.updated.isEmpty && change.deleted.isEmpty)
                announced += change.inserted.map(\.text)
            }
            #expect(announced == ["two"])
        }
    }

    @Test func `closing a timeline in the middle of its catch-up loses no message (scars 1, 17)`()
        throws
    {
        try SimulatedWorld.play(seed: 10) { world in
            let phone = world.device(of: "alice")
            let pair = try await Pair(world, phone, world.device(of: "bob"))
            for round in 1...20 {
                let timeline = try await pair.alice.timeline(of: pair.channel)
                await phone.network.cut()
                try await pair.bob.send("\(round)", to: pair.channel)
                await world.pass()
                phone.network.restore()
                await world.pass(.milliseconds(Int64(round * 150)))
                await timeline.close()
            }
            await world.pass(.seconds(60))
            let timeline = try await pair.alice.timeline(of: pair.channel)
            await pair.alice.waitUntilIdle()
            #expect(await Self.texts(timeline) == (1...20).map(String.init))
        }
    }

    @Test
    func `a reconnection without changes costs the same few requests with any cache (scar 161)`()
        throws
    {
        func requests(channels: Int, messages: Int, open: Int) throws -> Int {
            try SimulatedWorld.play(seed: 12) { world in
                let phone = world.device(of: "alice")
                let alice = try await world.launch(phone)
                let bob = try await world.launch(world.device(of: "bob"))
                try await alice.connect()
                try await bob.connect()
                var timelines: [Timeline] = []
                let list = try await alice.channelList()
                for number in 0..<channels {
                    let url = try await bob.createChannel(
                        ChannelCreateParams(memberIDs: ["alice"], name: "\(number)")
                    ).url
                    for text in 0..<messages { try await bob.send("\(text)", to: url) }
                    await bob.waitUntilIdle()
                    if number < open { timelines.append(try await alice.timeline(of: url)) }
                }
                await world.pass(.seconds(60))
                await phone.network.cut()
                await world.pass(.seconds(60))
                let before = phone.network.requestCount
                phone.network.restore()
                await world.pass(.seconds(60))
                #expect(await list.snapshot.channels.count == channels)
                for timeline in timelines {
                    #expect(await timeline.snapshot.messages.count == messages)
                }
                return phone.network.requestCount - before
            }
        }
        // The change log of the channels; for each open timeline its change log and the gap
        // question. The list's first page is fetched once while the whole list is not on disk.
        #expect(try requests(channels: 2, messages: 3, open: 1) == 3)
        #expect(try requests(channels: 25, messages: 30, open: 1) == 3)
        #expect(try requests(channels: 25, messages: 30, open: 4) == 9)
    }
}
