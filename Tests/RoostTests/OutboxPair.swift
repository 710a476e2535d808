// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import RoostTestSupport
import Testing

/// Two users in one channel, both connected.
struct OutboxPair {
    let phone: SimulatedWorld.Device
    let alice: ChatClient
    let bob: ChatClient
    let channel: ChannelURL

    init(_ world: SimulatedWorld, folder: String?) async throws {
        phone = world.device(of: "alice", folder: folder)
        alice = try await world.launch(phone)
        bob = try await world.launch(world.device(of: "bob"))
        try await alice.connect()
        try await bob.connect()
        channel = try await alice.createChannel(ChannelCreateParams(memberIDs: ["bob"])).url
    }

    /// Sends a text and returns its ID once it is delivered.
    func deliver(_ text: String, from client: ChatClient) async throws -> MessageID {
        let message = try await client.send(text, to: channel)
        let requestID = try #require(message.requestID)
        try await client.outcome(of: requestID)
        let timeline = try await client.timeline(of: channel)
        let shown = await timeline.snapshot.messages.first { $0.requestID == requestID }
        return try #require(shown?.messageID)
    }

    /// Connects and waits until all pending items are sent.
    func connect(_ world: SimulatedWorld, _ client: ChatClient) async throws {
        phone.network.restore()
        try await client.connect()
        await client.waitUntilIdle()
        await world.pass()
    }

    func close() async {
        await alice.close()
        await bob.close()
    }

    /// Plays a story on a disk of its own; closes both.
    static func play(
        _ seed: UInt64,
        _ story: @escaping @Sendable (SimulatedWorld, OutboxPair) async throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        try SimulatedWorld.play(seed: seed) { world in
            let pair = try await OutboxPair(world, folder: folder.path)
            try await story(world, pair)
            await pair.close()
        }
    }
}
