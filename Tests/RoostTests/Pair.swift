// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit

/// Two users in one channel, both connected.
struct Pair {
    let phone: SimulatedWorld.Device
    let alice: ChatClient
    let bob: ChatClient
    let channel: ChannelURL

    init(
        _ world: SimulatedWorld, _ first: SimulatedWorld.Device, _ second: SimulatedWorld.Device
    ) async throws {
        phone = first
        alice = try await world.launch(first)
        bob = try await world.launch(second)
        try await alice.connect()
        try await bob.connect()
        let params = ChannelCreateParams(memberIDs: [second.userID], name: "train")
        channel = try await alice.createChannel(params).url
    }

    /// Runs a closure while the first user is connected or disconnected; its effects have reached
    /// the user on return.
    func during(
        _ isOffline: Bool, _ world: SimulatedWorld, _ work: () async throws -> Void
    ) async throws {
        if isOffline { await phone.network.cut() }
        try await work()
        await bob.waitUntilIdle()
        if isOffline { phone.network.restore() }
        await world.pass(.seconds(60))
    }
}
