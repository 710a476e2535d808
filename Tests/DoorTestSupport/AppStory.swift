// SPDX-License-Identifier: Apache-2.0

package import Roost
package import RoostModel
package import RoostTestKit
package import RoostTestSupport
import Testing

/// A world in virtual time in which Alice's phone runs an app on a door and Bob's runs on the
/// engine.
package struct AppStory: Sendable {
    package let world: SimulatedWorld
    package let phone: SimulatedWorld.Device
    package let bob: ChatClient
    /// The folder of the app's cache.
    package let folder: TemporaryFolder

    /// Plays a story with a launched app, and ends the app.
    package static func play(
        seed: UInt64, launch: @escaping @Sendable (AppStory) -> Void,
        _ story: @escaping @Sendable (AppStory) async throws -> Void,
        end: @escaping @Sendable () async -> Void
    ) throws {
        let folder = try TemporaryFolder()
        try SimulatedWorld.play(seed: seed) { world in
            let bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            let play = AppStory(
                world: world, phone: world.device(of: "alice"), bob: bob, folder: folder)
            launch(play)
            try await story(play)
            await end()
            await bob.close()
        }
    }

    /// Makes a call with a handler and returns the handler's argument, once.
    package func wait<Value>(_ start: (@escaping (Value) -> Void) -> Void) async -> Value {
        let answers = Answers<Value>()
        start { answers.values.append($0) }
        for _ in 0..<1_000 where answers.values.isEmpty { await world.pass(.milliseconds(50)) }
        await world.pass(.milliseconds(50))
        #expect(answers.values.count == 1)
        return answers.values[0]
    }

    /// Lets Bob create a channel with Alice as a member.
    package func channel(_ name: String) async throws -> ChannelURL {
        var params = ChannelCreateParams(memberIDs: ["alice"], name: name)
        params.operatorIDs = ["bob"]
        return try await bob.createChannel(params).url
    }
}

/// The arguments of handlers, in order.
package final class Answers<Value> {
    package var values: [Value] = []

    package init() {}
}
