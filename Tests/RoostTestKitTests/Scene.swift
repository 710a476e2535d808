// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit

/// A connected client of Alice's in a channel with Bob.
struct Scene {
    let bob: TestPerson
    let channel: ChannelURL
    let phone: TestDevice
    let client: ChatClient

    @MainActor
    init(_ world: TestWorld) async throws {
        bob = await world.person("bob")
        channel = try await bob.createChannel(with: ["alice"], name: "train")
        phone = try world.device(of: "alice")
        client = try await phone.launch()
        try await client.connect()
    }
}
