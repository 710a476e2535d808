// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostStore
import RoostTestKit
import RoostTestSupport
import Testing

/// The end of a user's time on a device.
struct SignOutTests {
    @Test(arguments: [false, true])
    func `a sign-out leaves nothing of the user on the device (scars 34, 35, 37)`(
        isConnected: Bool
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 71) { world in
            let device = world.device(of: "alice", folder: folder.path)
            let alice = try await world.launch(device)
            let bob = try await world.launch(world.device(of: "bob"))
            for client in [alice, bob] { try await client.connect() }
            let channel = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            try await bob.send("for alice", to: channel)
            await world.pass()
            _ = try await alice.inbox("answers")
            try await alice.registerPushToken("token", of: .apns)
            await alice.waitUntilIdle()
            if !isConnected { await device.network.cut() }
            try await alice.send("never sent", to: channel)
            await world.pass()
            #expect(try await alice.inspection().channels.count == 1)

            let isForgotten = try await alice.signOut(unregistering: ("token", .apns))
            #expect(isForgotten == isConnected)
            await #expect(throws: RoostError.self) { try await alice.connect() }

            device.network.restore()
            let later = try await world.launch(device)
            #expect(try await later.inspection().channels.isEmpty)
            #expect(try await later.unsentItems().isEmpty)
            #expect(try await later.downloadsSize().bytes == 0)
            try await later.connect()
            let tokens = try await later.pushTokens(of: .apns).elements
            #expect(tokens == (isConnected ? [] : ["token"]))
            for client in [later, bob] { await client.close() }
        }
    }
}
