// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import RoostTestSupport
import Testing

/// Old messages that a platform imports into a channel that clients know already.
struct ImportTests {
    private static func texts(_ timeline: Timeline) async -> [String] {
        await timeline.snapshot.messages.map(\.text)
    }

    @Test(arguments: Sample.of(Array(0..<12), quick: 3))
    func `clients that know a channel as empty learn of its imported history (protocol 3.7)`(
        seed: UInt64
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: seed) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let pair = try await Pair(world, phone, world.device(of: "bob"))
            let alices = try await pair.alice.timeline(of: pair.channel)
            let bobs = try await pair.bob.timeline(of: pair.channel)
            await world.pass()
            #expect(await Self.texts(alices).isEmpty)
            #expect(await alices.snapshot.hasOlder == false)

            // One client is connected, and the other is not.
            await phone.network.cut()
            await world.pass(.seconds(60))
            #expect(
                await world.importTexts(
                    ["a", "b"], of: "bob", into: pair.channel, secondsAgo: 86_400))
            await world.pass()
            #expect(await Self.texts(bobs) == ["a", "b"])
            phone.network.restore()
            await world.pass(.seconds(60))
            #expect(await Self.texts(alices) == ["a", "b"])

            // The app ends, the rest of the history and a live message come, and it starts again.
            await phone.network.cut()
            await pair.alice.close()
            #expect(
                await world.importTexts(
                    ["c", "d"], of: "bob", into: pair.channel, secondsAgo: 3_600))
            try await pair.bob.send("live", to: pair.channel)
            await pair.bob.waitUntilIdle()
            #expect(
                await !world.importTexts(["late"], of: "bob", into: pair.channel, secondsAgo: 1_800)
            )
            phone.network.restore()
            let alice = try await world.launch(phone)
            let again = try await alice.timeline(of: pair.channel)
            #expect(await Self.texts(again) == ["a", "b"], "the cache has no more")
            try await alice.connect()
            await alice.waitUntilIdle()
            await world.pass()
            let all = try await world.log(of: pair.channel).map(\.text)
            #expect(all == ["a", "b", "c", "d", "live"])
            #expect(await Self.texts(again) == all)
            #expect(await Self.texts(bobs) == all)
            #expect(await again.snapshot.hasOlder == false)
            let channel = try #require(try await alice.cachedChannel(pair.channel))
            #expect(channel.unreadMessageCount == 1, "history before the entry is read")
            await alice.close()
            await pair.bob.close()
        }
    }
}
