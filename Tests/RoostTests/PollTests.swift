// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostModel
import RoostTestKit
import RoostTestSupport
import Testing

/// Polls in open timelines, with votes of any user.
struct PollTests {
    /// Alice has a timeline of a channel with Bob's poll.
    private struct Scene {
        let pair: Pair
        let poll: PollID
        let timeline: Timeline

        init(_ world: SimulatedWorld) async throws {
            pair = try await Pair(world, world.device(of: "alice"), world.device(of: "bob"))
            let number = try #require(
                try await world.ask(
                    "POST", "polls", #"{"title":"Lunch?","options":["soup","bread"]}"#, as: "bob"))
            poll = PollID(number)
            try await world.ask(
                "POST", "group_channels/\(pair.channel)/messages",
                #"{"message_type":"MESG","message":"?","poll_id":\#(poll)}"#, as: "bob")
            await world.pass()
            timeline = try await pair.alice.timeline(of: pair.channel)
            await world.pass()
        }

        var shown: Poll? {
            get async { await timeline.snapshot.messages.first?.details.poll }
        }
        var counts: [Int]? { get async { await shown?.options.map(\.voteCount) } }
    }

    @Test(arguments: [false, true])
    func
        `votes and edits of a poll reach the open view, live and by the change log alone (scar 117)`(
            isOffline: Bool
        ) throws
    {
        try SimulatedWorld.play(seed: 117) { world in
            let scene = try await Scene(world)
            #expect(await scene.counts == [0, 0])
            let path = "polls/\(scene.poll)"
            try await scene.pair.during(isOffline, world) {
                try await world.ask("PUT", path + "/vote", #"{"option_ids":[2]}"#, as: "bob")
            }
            #expect(await scene.counts == [0, 1])
            #expect(await scene.shown?.voterCount == 1)
            #expect(await scene.shown?.votedOptionIDs ?? [] == [])
            // The same user on another device.
            try await scene.pair.during(isOffline, world) {
                try await world.ask("PUT", path + "/vote", #"{"option_ids":[1]}"#, as: "alice")
            }
            #expect(await scene.counts == [1, 1])
            #expect(await scene.shown?.votedOptionIDs == [1])
            try await scene.pair.during(isOffline, world) {
                try await world.ask(
                    "PUT", path, #"{"title":"Dinner?"}"#, as: "bob")
                try await world.ask("POST", path + "/options", #"{"text":"rice"}"#, as: "bob")
            }
            #expect(await scene.shown?.title == "Dinner?")
            #expect(await scene.counts == [1, 1, 0])
            #expect(await scene.shown?.votedOptionIDs == [1])
            // A vote taken back there is taken back here, and the event for all users does not
            // restore it.
            try await scene.pair.during(isOffline, world) {
                try await world.ask("PUT", path + "/vote", #"{"option_ids":[]}"#, as: "alice")
            }
            #expect(await scene.counts == [0, 1, 0])
            #expect(await scene.shown?.votedOptionIDs == [])
            try await scene.pair.during(isOffline, world) {
                try await world.ask("PUT", path + "/close", as: "bob")
            }
            #expect(await scene.shown?.status == .closed)
            #expect(await scene.shown?.votedOptionIDs == [])
        }
    }

    @Test func `an own vote is shown when the call returns, and can be taken back (scar 117)`()
        throws
    {
        try SimulatedWorld.play(seed: 118) { world in
            let scene = try await Scene(world)
            try await scene.pair.alice.vote(for: [2], in: scene.poll, of: scene.pair.channel)
            #expect(await scene.shown?.votedOptionIDs == [2])
            #expect(await scene.counts == [0, 1])
            // Another user's vote is reported to all, and leaves hers unchanged.
            try await world.ask(
                "PUT", "polls/\(scene.poll)/vote", #"{"option_ids":[2]}"#, as: "bob")
            await world.pass()
            #expect(await scene.shown?.votedOptionIDs == [2])
            #expect(await scene.counts == [0, 2])
            try await scene.pair.alice.vote(for: [], in: scene.poll, of: scene.pair.channel)
            #expect(await scene.shown?.votedOptionIDs == [])
            #expect(await scene.counts == [0, 1])
        }
    }
}
