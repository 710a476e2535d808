// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import Testing

/// Timelines of channels that the server refuses to show.
struct RefusedTimelineTests {
    @Test(arguments: [false, true])
    func `an unknown channel is reported, whether it was opened online or before`(
        isOffline: Bool
    ) throws {
        try SimulatedWorld.play(seed: 3) { world in
            let client = try await world.launch(world.device(of: "alice"))
            if !isOffline { try await client.connect() }
            let timeline = try await client.timeline(of: "nowhere")
            let refusals = await timeline.serverRefusals()
            if isOffline { try await client.connect() }
            await world.pass()
            await timeline.close()
            var told: [RoostError.Code] = []
            for await error in refusals { told.append(error.code) }
            #expect(told.count == 1)
            #expect(told.allSatisfy { [.notFound, .channelNotFound].contains($0) }, "\(told)")
        }
    }

    @Test func `a channel that the server shows is not reported as refused`() throws {
        try SimulatedWorld.play(seed: 3) { world in
            let pair = try await Pair(world, world.device(of: "alice"), world.device(of: "bob"))
            let timeline = try await pair.alice.timeline(of: pair.channel)
            let refusals = await timeline.serverRefusals()
            try await pair.during(true, world) { try await pair.bob.send("one", to: pair.channel) }
            await timeline.close()
            for await error in refusals { Issue.record("\(error)") }
        }
    }
}
