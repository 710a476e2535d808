// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import Synchronization
import Testing

/// Tokens that a test changes in the middle of a story.
@MainActor
struct TokenStoryTests {
    /// The number of times that the app was asked for a token.
    private final class Count: Sendable {
        private let state = Mutex(0)

        var value: Int { state.withLock { $0 } }

        func increase() { state.withLock { $0 += 1 } }
    }

    @Test func `a new token ends the app's session, and the app is asked for the token`()
        async throws
    {
        try await TestWorld.run { world in
            await world.setToken("first", of: "alice")
            let phone = try world.device(of: "alice")
            let asked = Count()
            let client = try await phone.launch { settings in
                settings.token = "first"
                settings.tokenProvider = {
                    asked.increase()
                    return "second"
                }
            }
            try await client.connect()
            try await world.wait(for: client) { $0.isSettled }
            #expect(asked.value == 0)
            await world.setToken("second", of: "alice")
            // The app does nothing, so only the end of its socket can tell it.
            try await world.wait { asked.value == 1 }
            try await world.wait(for: client) { $0.isSettled }
            #expect(asked.value == 1)
        }
    }

    @Test func `a person goes on with a new token`() async throws {
        try await TestWorld.run { world in
            let alice = await world.person("alice")
            let channel = try await alice.createChannel(with: ["bob"])
            await world.setToken("first", of: "alice")
            try await alice.send("one", to: channel)
            await world.setToken("second", of: "alice")
            try await alice.send("two", to: channel)
            try await world.person("alice").send("three", to: channel)
            #expect(try await world.messages(in: channel).map(\.text) == ["one", "two", "three"])
        }
    }
}
