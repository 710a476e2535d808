// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostFileCache
import RoostModel
import RoostTestKit
import RoostTestSupport
import Testing

struct FileImportTests {
    /// Plays a story in which Alice's app kept files of a channel, and Bob wrote on.
    private static func play(
        seed: UInt64, areWhole: Bool,
        _ check: @escaping @Sendable (SimulatedWorld, ChatClient, ChannelURL) async throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        try SimulatedWorld.play(seed: seed) { world in
            let cache = FileCache(folder: folder.path, application: "app", user: "alice")
            let bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            let channel = try await bob.createChannel(
                ChannelCreateParams(memberIDs: ["alice"], name: "train"))
            for number in 1...5 { try await bob.send("m\(number)", to: channel.url) }
            await bob.waitUntilIdle()
            let kept = try await world.log(of: channel.url)
            cache.save(kept, in: channel.url)
            cache.save([channel])
            try await bob.edit(try #require(kept[1].messageID), in: channel.url, text: "m2!")
            try await bob.delete(try #require(kept[2].messageID), in: channel.url)
            try await bob.send("m6", to: channel.url)
            await bob.waitUntilIdle()

            let phone = world.device(of: "alice")
            await phone.network.cut()
            let alice = try await world.launch(phone)
            #expect(try await alice.importFiles(of: cache, areWhole: areWhole) == 5)
            let list = try await alice.channelList()
            #expect(await list.snapshot.channels.map(\.name) == ["train"])
            try await check(world, alice, channel.url)
            // With the server everything is brought up to date, and further imports change
            // nothing.
            let timeline = try await alice.timeline(of: channel.url)
            phone.network.restore()
            try await alice.connect()
            await world.pass()
            await alice.waitUntilIdle()
            try await alice.importFiles(of: cache, areWhole: areWhole)
            try await alice.importFiles(of: cache)
            while await timeline.snapshot.hasOlder { try await timeline.loadOlder() }
            #expect(
                await timeline.snapshot.messages.map(\.text) == ["m1", "m2!", "m4", "m5", "m6"])
            await alice.close()
            await bob.close()
        }
    }

    @Test func `the files of another user are refused`() throws {
        let folder = try TemporaryFolder()
        try SimulatedWorld.play(seed: 5) { world in
            let cache = FileCache(folder: folder.path, application: "app", user: "bob")
            cache.save([GroupChannel(url: "secret")])
            let alice = try await world.launch(world.device(of: "alice"))
            let error = await #expect(throws: RoostError.self) {
                try await alice.importFiles(of: cache)
            }
            #expect(error?.code == .invalidParameter)
            #expect(try await alice.channelList().snapshot.channels == [])
            await alice.close()
        }
    }

    @Test
    func `an imported file cache is brought up to date (R63)`()
        throws
    {
        try Self.play(seed: 3, areWhole: true) { _, alice, channel in
            let timeline = try await alice.timeline(of: channel)
            #expect(
                await timeline.snapshot.messages.map(\.text) == ["m1", "m2", "m3", "m4", "m5"])
        }
    }

    @Test
    func `imported messages with possible gaps are never shown as complete (R111)`()
        throws
    {
        try Self.play(seed: 4, areWhole: false) { _, alice, channel in
            let timeline = try await alice.timeline(of: channel)
            #expect(await timeline.snapshot.messages.map(\.text) == ["m5"])
            #expect(await timeline.snapshot.hasOlder)
        }
    }

    @Test(arguments: 0..<30 as Range<Int64>)
    func `an import beside a login replaces nothing that the server has described (R63)`(
        delay: Int64
    ) throws {
        let folder = try TemporaryFolder()
        try SimulatedWorld.play(seed: 5) { world in
            let cache = FileCache(folder: folder.path, application: "app", user: "alice")
            let bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            var channels: [GroupChannel] = []
            for number in 1...8 {
                let channel = try await bob.createChannel(
                    ChannelCreateParams(memberIDs: ["alice"], name: "old \(number)"))
                for text in ["a", "b", "c"] { try await bob.send(text, to: channel.url) }
                await bob.waitUntilIdle()
                let kept = try await world.log(of: channel.url)
                cache.save(kept, in: channel.url)
                channels.append(channel)
                try await bob.delete(try #require(kept[1].messageID), in: channel.url)
                var rename = ChannelUpdateParams()
                rename.name = "new"
                try await bob.update(channel.url, rename)
            }
            cache.save(channels)
            await bob.waitUntilIdle()
            let alice = try await world.launch(world.device(of: "alice"))
            async let connecting: Void = alice.connect()
            await world.pass(.milliseconds(delay * 4))
            try await alice.importFiles(of: cache, areWhole: true)
            try await connecting
            await alice.waitUntilIdle()
            await world.pass()
            let list = try await alice.channelList()
            #expect(await list.snapshot.channels.map(\.name) == Array(repeating: "new", count: 8))
            for channel in channels {
                let timeline = try await alice.timeline(of: channel.url)
                try await timeline.reachServer()
                #expect(await timeline.snapshot.messages.map(\.text) == ["a", "c"])
                await timeline.close()
            }
            await alice.close()
            await bob.close()
        }
    }

    /// Plays a story in which the files of Alice's app are older than her connected client.
    private static func playLate(
        seed: UInt64,
        _ story:
            @escaping @Sendable (
                SimulatedWorld, ChatClient, ChatClient, FileCache, GroupChannel
            ) async throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        try SimulatedWorld.play(seed: seed) { world in
            let cache = FileCache(folder: folder.path, application: "app", user: "alice")
            let alice = try await world.launch(world.device(of: "alice"))
            let bob = try await world.launch(world.device(of: "bob"))
            for client in [alice, bob] { try await client.connect() }
            let channel = try await bob.createChannel(
                ChannelCreateParams(memberIDs: ["alice"], name: "train"))
            for number in 1...5 { try await bob.send("m\(number)", to: channel.url) }
            await bob.waitUntilIdle()
            await world.pass()
            cache.save(try await world.log(of: channel.url), in: channel.url)
            cache.save([channel])
            try await story(world, alice, bob, cache, channel)
            for client in [alice, bob] { await client.close() }
        }
    }

    /// Reads the change logs to their ends again.
    private static func reconnect(_ client: ChatClient, _ world: SimulatedWorld) async throws {
        await client.disconnect()
        await world.pass(.seconds(10))
        try await client.connect()
        await client.waitUntilIdle()
        await world.pass()
    }

    @Test func `an import does not bring back a channel that the user has left (scar 58)`() throws {
        try Self.playLate(seed: 6) { world, alice, _, cache, channel in
            try await alice.makeNow(.leave, in: channel.url)
            try await Self.reconnect(alice, world)
            #expect(try await alice.importFiles(of: cache) == 5)
            try await Self.reconnect(alice, world)
            #expect(try await alice.channelList().snapshot.channels == [])
            #expect(try await alice.cachedChannel(channel.url) == nil)
        }
    }

    @Test(arguments: [false, true])
    func `an import does not bring back a deleted message (scar 56)`(areWhole: Bool) throws {
        try Self.playLate(seed: 7) { world, alice, bob, cache, channel in
            let first = try await alice.timeline(of: channel.url)
            try await first.reachServer()
            let deleted = try #require(await first.snapshot.messages[1].messageID)
            await first.close()
            try await bob.delete(deleted, in: channel.url)
            await bob.waitUntilIdle()
            try await Self.reconnect(alice, world)
            try await alice.clearCache(of: channel.url)
            try await alice.importFiles(of: cache, areWhole: areWhole)
            try await Self.reconnect(alice, world)
            let timeline = try await alice.timeline(of: channel.url)
            try await timeline.reachServer()
            while await timeline.snapshot.hasOlder { try await timeline.loadOlder() }
            #expect(await timeline.snapshot.messages.map(\.text) == ["m1", "m3", "m4", "m5"])
        }
    }
}
