// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostSQLite
import RoostStore
import RoostTestKit
import RoostTestSupport
import Testing

/// A client whose cache is damaged on the disk while it runs, in virtual time.
struct DamagedCacheTests {
    /// Damage of the cache in the background, found in the foreground.
    enum Damage: String, CaseIterable {
        case page, message, channel
    }

    private static let texts = (1...120).map {
        "the text of \($0) " + String(repeating: "x", count: 80)
    }

    private static func strike(_ damage: Damage, _ path: String) throws {
        if damage == .page {
            return try DamagedLeaf.destroy(holding: "the text of 115 ", in: path)
        }
        let connection = try Connection(.file(path))
        try connection.executeScript(
            damage == .message
                ? """
                UPDATE message SET payload = zeroblob(length(payload))
                WHERE message_id = (SELECT max(message_id) - 5 FROM message)
                """
                : "UPDATE channel SET payload = zeroblob(length(payload))")
    }

    @Test(arguments: Damage.allCases)
    func `damage found at run time is repaired, reported, and fetched again (scars 42, 43)`(
        damage: Damage
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 42) { world in
            let pair = try await OutboxPair(world, folder: folder.path)
            let (alice, channel) = (pair.alice, pair.channel)
            for text in Self.texts { try await pair.bob.send(text, to: channel) }
            await pair.bob.waitUntilIdle()
            // The last message has to reach alice too.
            await world.pass(.seconds(1))
            let before = try await alice.timeline(of: channel)
            while await before.snapshot.hasOlder { try await before.loadOlder() }
            #expect(await before.snapshot.messages.map(\.text) == Self.texts)
            await before.close()
            let events = await alice.events()
            await alice.suspend()
            try Self.strike(damage, folder.file("simulation/alice/cache.sqlite"))
            #expect(try await alice.resume() == [])
            try await alice.send("written meanwhile", to: channel)

            // The damage may fail the first call, and no later one.
            _ = try? await alice.channelList()
            if let first = try? await alice.timeline(of: channel) { await first.close() }
            await world.pass(.seconds(30))
            let list = try await alice.channelList()
            let timeline = try await alice.timeline(of: channel)
            await world.pass(.seconds(30))
            while await timeline.snapshot.hasOlder { try await timeline.loadOlder() }
            #expect(
                await timeline.snapshot.messages.map(\.text) == Self.texts + ["written meanwhile"])
            #expect(await list.snapshot.channels.map(\.url) == [channel])
            #expect(try await alice.verifiedFindings() == [])
            let health = await alice.health
            #expect(health.damage.repairs + health.damage.lostMessages > 0)
            #expect(!health.damage.isBeingRepaired && health.isSettled)
            await pair.close()
            var told: [String] = []
            for await event in events {
                if case .storageRepaired(let sentence) = event { told.append(sentence) }
            }
            #expect(told.count == 1, "\(told)")
            #expect(told.allSatisfy { $0.contains("nsent messages were not touched") })
        }
    }

    @Test func `offline the rest of a damaged cache is shown with a hole (scar 43)`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 43) { world in
            let pair = try await OutboxPair(world, folder: folder.path)
            let (alice, channel) = (pair.alice, pair.channel)
            for text in Self.texts { try await pair.bob.send(text, to: channel) }
            await pair.bob.waitUntilIdle()
            let timeline = try await alice.timeline(of: channel)
            await world.pass()
            await pair.phone.network.cut()
            await world.pass()
            await alice.suspend()
            try Self.strike(.message, folder.file("simulation/alice/cache.sqlite"))
            #expect(try await alice.resume() == [])
            let other = try await alice.timeline(of: channel)
            #expect(await other.snapshot.messages.map(\.text) == Self.texts.suffix(5))
            #expect(await other.snapshot.hasOlder)
            await world.pass()
            // The open timeline stays below the hole: no newer message is shown above it.
            let shown = await timeline.snapshot.messages.map(\.text)
            #expect(shown == Self.texts.dropLast(6).suffix(shown.count) && !shown.isEmpty)
            pair.phone.network.restore()
            await world.pass(.seconds(60))
            while await other.snapshot.hasOlder { try await other.loadOlder() }
            #expect(await other.snapshot.messages.map(\.text) == Self.texts)
            #expect(await timeline.snapshot.messages.last?.text == Self.texts.last)
            await pair.close()
        }
    }
}

extension ChatClient {
    fileprivate func verifiedFindings() async throws -> [String] {
        try await store.verify().findings.map(\.sentence)
    }
}
