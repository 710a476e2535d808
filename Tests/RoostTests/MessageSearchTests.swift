// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCore
import RoostDiskSimulation
import RoostModel
import RoostSealing
import RoostStore
import RoostTestKit
import RoostTestSupport
import Testing

/// An app's search without a network.
struct MessageSearchTests {
    @Test
    func `without a link words are found, marked and paged, and uncached periods named`()
        throws
    {
        try SimulatedWorld.play(seed: 1) { world in
            let device = world.device(of: "alice")
            let client = try await world.launch(device)
            try await client.connect()
            let channel = try await client.createChannel(
                ChannelCreateParams(memberIDs: [], name: "harbour")
            ).url
            for text in ["the red boat", "a boat at dawn", "\u{6E2F}\u{53E3}\u{7684}\u{8239}"] {
                try await client.send(text, to: channel)
            }
            await world.pass()
            await device.network.cut()

            let page = try await client.search(MessageSearch("boat", limit: 1))
            let match = try #require(page.matches.first)
            #expect(match.message.text == "a boat at dawn")
            #expect(match.highlights.map { match.snippet[$0] } == ["boat"])
            #expect(!match.isCutBefore && !match.isCutAfter)
            let rest = try await client.search(try #require(page.next))
            #expect(rest.matches.map(\.message.text) == ["the red boat"])

            let chinese = try await client.search(MessageSearch("\u{6E2F}\u{53E3}", in: [channel]))
            #expect(chinese.matches.count == 1)
            // A newer message may exist.
            #expect(Set(chinese.unseen.map(\.channel)) == [channel])
            #expect(chinese.unseen.last?.through == .distantFuture)

            let nobody = try await client.search(MessageSearch("boat", by: [UserID("bob")]))
            #expect(nobody.matches.isEmpty && nobody.next == nil)
            await #expect(throws: RoostError.self) {
                _ = try await client.search(MessageSearch("boat", limit: 0))
            }
            await client.close()
        }
    }

    @Test func `the index of a sealed cache stays complete while live messages come (R135)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let key = [UInt8](repeating: 7, count: 32)
        try SimulatedWorld.play(seed: 2) { world in
            let device = world.device(of: "alice", folder: folder.path, protection: try .key(key))
            let pair = try await Pair(world, device, world.device(of: "bob"))
            let now = try await pair.alice.channel(pair.channel).createdAt
            await pair.alice.close()
            try await Self.fill(pair.channel, before: now, folder, key, world)
            let alice = try await world.launch(device)
            try await alice.connect()
            await alice.waitUntilIdle()
            func lacksWords() async throws -> Bool {
                try await alice.search(MessageSearch("boat")).unseen.contains {
                    $0.reason == .notIndexed
                }
            }
            #expect(try await !lacksWords())
            // More commits than are kept for the index.
            for number in 1...100 { try await pair.bob.send("live \(number)", to: pair.channel) }
            await pair.bob.waitUntilIdle()
            await world.pass(.seconds(60))
            #expect(try await !lacksWords())
            await alice.close()
            await pair.bob.close()
        }
    }

    /// Stores more old messages than a search indexes before it answers.
    private static func fill(
        _ channel: ChannelURL, before now: Timestamp, _ folder: TemporaryFolder, _ key: [UInt8],
        _ world: SimulatedWorld
    ) async throws {
        var options = Store.Options(executor: SimulatedLane(of: world.executor))
        options.protection = .sealed(MasterKeys(try MasterKey(key)))
        let store = try await Store.open(
            .folder(folder.path), owner: StoreOwner(application: "simulation", user: "alice"),
            options)
        for start in stride(from: Int64(1), to: 20_400, by: 5_100) {
            let messages = (start..<start + 5_100).map { number in
                Message(
                    delivery: .delivered(MessageID(number), nil), channelURL: channel,
                    createdAt: now.advanced(by: number - 30_000),
                    sender: Sender(user: User(id: "bob")), content: .user(text: "old"))
            }
            let range = CoveredRange(
                lower: messages[0].position ?? .distantPast,
                upper: messages[5_099].position ?? .distantPast)
            try await store.writer.commit([.messages(channel, messages, covering: range)])
        }
        await store.close()
    }
}
