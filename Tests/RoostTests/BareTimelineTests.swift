// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import Testing

/// Timelines that lose all they show: nobody can scroll in an empty list, so they ask by themselves.
struct BareTimelineTests {
    @Test(arguments: [false, true])
    func `of a history reset elsewhere while away, what came after is shown (scars 59, 85)`(
        isHidden: Bool
    ) throws {
        try SimulatedWorld.play(seed: 3) { world in
            let pair = try await Pair(world, world.device(of: "alice"), world.device(of: "bob"))
            let tablet = try await world.launch(world.device(of: "alice"))
            try await tablet.connect()
            for text in ["one", "two", "three"] { try await pair.bob.send(text, to: pair.channel) }
            let timeline = try await pair.alice.timeline(of: pair.channel)
            await world.pass()
            #expect(await timeline.snapshot.messages.count == 3)
            try await pair.during(true, world) {
                if isHidden {
                    try await tablet.hide(pair.channel, hidesPrevious: true)
                } else {
                    try await tablet.resetHistory(of: pair.channel)
                }
                try await pair.bob.send("after", to: pair.channel)
            }
            let shown = await timeline.snapshot
            #expect(shown.messages.map(\.text) == ["after"])
            #expect(!shown.hasOlder && !shown.hasNewer)
        }
    }

    @Test(arguments: [false, true])
    func `when the last message shown is deleted, the one before it comes from the server`(
        isOffline: Bool
    ) throws {
        try SimulatedWorld.play(seed: 4) { world in
            let pair = try await Pair(
                world, world.device(of: "alice", pageSize: 1), world.device(of: "bob"))
            for text in ["one", "two", "three"] { try await pair.bob.send(text, to: pair.channel) }
            await world.pass()
            // The phone knows the last alone.
            try await pair.alice.clearCache(of: pair.channel)
            let timeline = try await pair.alice.timeline(of: pair.channel)
            await world.pass()
            let last = try #require(await timeline.snapshot.messages.last?.messageID)
            #expect(await timeline.snapshot.messages.map(\.text) == ["three"])
            try await pair.during(isOffline, world) {
                try await pair.bob.delete(last, in: pair.channel)
            }
            #expect(await timeline.snapshot.messages.map(\.text) == ["two"])
        }
    }
}
