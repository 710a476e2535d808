// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import RoostTestSupport
import Testing

/// The calls about polls.
struct PollCallTests {
    /// Plays a scene of Alice's channel, which has Bob.
    private static func play(
        seed: UInt64, _ scene: @escaping @Sendable (Pair, SimulatedWorld) async throws -> Void
    ) throws {
        try SimulatedWorld.play(seed: seed) { world in
            let pair = try await Pair(world, world.device(of: "alice"), world.device(of: "bob"))
            try await scene(pair, world)
            await pair.alice.close()
            await pair.bob.close()
        }
    }

    /// Makes a poll of Alice and sends it.
    private static func send(
        _ params: PollCreateParams, in pair: Pair, _ world: SimulatedWorld
    ) async throws -> Poll {
        let poll = try await pair.alice.createPoll(params)
        var message = UserMessageParams(text: params.title)
        message.pollID = poll.id
        #expect(message.pollID == poll.id)
        try await pair.alice.send(message, to: pair.channel)
        await pair.alice.waitUntilIdle()
        await world.pass()
        return poll
    }

    @Test func `a poll is created, and appears with the message that carries it`() throws {
        try Self.play(seed: 120) { pair, world in
            let timeline = try await pair.bob.timeline(of: pair.channel)
            var params = PollCreateParams(
                title: "Lunch?", options: ["soup", "bread"],
                closesAt: Timestamp(seconds: 4_000_000_000), allowsMultipleVotes: true)
            params.dataText = "noon"
            let poll = try await Self.send(params, in: pair, world)
            #expect(poll.title == "Lunch?")
            #expect(poll.options.map(\.text) == ["soup", "bread"])
            #expect(poll.closesAt == Timestamp(seconds: 4_000_000_000))
            #expect(poll.allowsMultipleVotes && !poll.allowsSuggestions)
            #expect(poll.dataText == "noon")
            #expect(poll.createdBy == "alice")
            let shown = await timeline.snapshot.messages.last?.details.poll
            #expect(shown?.id == poll.id)
            #expect(shown?.options.map(\.text) == ["soup", "bread"])
        }
    }

    @Test func `changes of a poll and its options reach the other member's view and events`() throws
    {
        try Self.play(seed: 121) { pair, world in
            let poll = try await Self.send(
                PollCreateParams(title: "Lunch?", options: ["soup", "bread"]), in: pair, world)
            let timeline = try await pair.bob.timeline(of: pair.channel)
            let events = await pair.bob.events()
            let changed = try await pair.alice.updatePoll(
                poll.id,
                PollUpdateParams(
                    title: "Dinner?", closesAt: .distantFuture, allowsSuggestions: true))
            #expect(changed.title == "Dinner?")
            #expect(changed.allowsSuggestions && changed.closesAt == nil)
            let added = try await pair.bob.addPollOption("rice", to: poll.id)
            let option = try #require(added.options.last)
            #expect(option.text == "rice" && option.createdBy == "bob")
            let edited = try await pair.alice.updatePollOption(
                option.id, of: poll.id, text: "noodles")
            #expect(edited.options.last?.text == "noodles")
            try await pair.alice.deletePollOption(poll.options[0].id, of: poll.id)
            try await pair.alice.vote(for: [option.id], in: poll.id, of: pair.channel)
            await world.pass()
            let shown = try #require(await timeline.snapshot.messages.last?.details.poll)
            #expect(shown.title == "Dinner?")
            #expect(shown.options.map(\.text) == ["bread", "noodles"])
            #expect(shown.options.map(\.voteCount) == [0, 1])
            await pair.bob.close()
            var titles: [String] = []
            var counts: [[Int]] = []
            for await event in events {
                switch event {
                case .pollChanged(let poll, _, pair.channel): titles.append(poll.title)
                case .pollVoted(let votes, _, pair.channel):
                    counts.append(votes.counts.map(\.voteCount))
                default: break
                }
            }
            #expect(titles == ["Dinner?", "Dinner?", "Dinner?", "Dinner?"])
            #expect(counts == [[0, 1]])
        }
    }

    @Test func `voters of an option are listed in pages`() throws {
        try Self.play(seed: 122) { pair, world in
            let poll = try await Self.send(
                PollCreateParams(title: "Lunch?", options: ["soup", "bread"]), in: pair, world)
            let option = poll.options[1].id
            try await pair.bob.vote(for: [option], in: poll.id, of: pair.channel)
            try await pair.alice.vote(for: [option], in: poll.id, of: pair.channel)
            let first = try await pair.alice.voters(for: option, in: poll.id, pageSize: 1)
            #expect(first.elements.map(\.id) == ["alice"])
            let next = try await pair.alice.voters(
                for: option, in: poll.id, pageSize: 1, after: first.next)
            #expect(next.elements.map(\.id) == ["bob"])
            #expect(next.next == nil)
            let none = try await pair.alice.voters(for: poll.options[0].id, in: poll.id)
            #expect(none.elements.isEmpty)
            #expect(try await pair.bob.fetchPoll(poll.id).votedOptionIDs == [option])
        }
    }

    @Test func `polls are listed in pages: one's own, or those of a channel`() throws {
        try Self.play(seed: 123) { pair, world in
            var ids: [PollID] = []
            for title in ["one", "two", "three"] {
                ids.append(
                    try await Self.send(
                        PollCreateParams(title: title, options: ["a"]), in: pair, world
                    ).id)
            }
            let unsent = try await pair.alice.createPoll(
                PollCreateParams(title: "four", options: ["a"]))
            #expect(try await pair.alice.polls().elements.map(\.id) == ids + [unsent.id])
            #expect(try await pair.bob.polls().elements.isEmpty)
            let first = try await pair.bob.polls(of: pair.channel, pageSize: 2)
            #expect(first.elements.map(\.title) == ["one", "two"])
            let next = try await pair.bob.polls(of: pair.channel, pageSize: 2, after: first.next)
            #expect(next.elements.map(\.title) == ["three"])
            #expect(next.next == nil)
            let other = try await pair.alice.createChannel(
                ChannelCreateParams(memberIDs: [], name: "other"))
            let refusal = await #expect(throws: RoostError.self) {
                try await pair.bob.polls(of: other.url)
            }
            #expect(refusal?.code == .notAMember)
        }
    }

    @Test func `a closed poll takes no votes, and a deleted one is in the change log`() throws {
        try Self.play(seed: 124) { pair, world in
            let closed = try await Self.send(
                PollCreateParams(title: "one", options: ["a"]), in: pair, world)
            let deleted = try await Self.send(
                PollCreateParams(title: "two", options: ["a"]), in: pair, world)
            let start = try await pair.bob.fetchPollChanges(
                of: pair.channel, since: .moment(Timestamp(milliseconds: 0)))
            #expect(start.updated.map(\.id) == [closed.id, deleted.id])
            #expect(!start.hasMore)
            #expect(try await pair.alice.closePoll(closed.id).status == .closed)
            let late = await #expect(throws: RoostError.self) {
                try await pair.bob.vote(
                    for: [closed.options[0].id], in: closed.id, of: pair.channel)
            }
            #expect(late?.code == .invalidValue)
            let foreign = await #expect(throws: RoostError.self) {
                try await pair.bob.deletePoll(deleted.id)
            }
            #expect(foreign?.code == .notAuthorized)
            try await pair.alice.deletePoll(deleted.id)
            let changes = try await pair.bob.fetchPollChanges(
                of: pair.channel, since: .token(start.token))
            #expect(changes.updated.map(\.id) == [closed.id])
            #expect(changes.deleted == [deleted.id])
        }
    }

    @Test func `without a connection a call about a poll fails at once`() throws {
        try Self.play(seed: 125) { pair, _ in
            await pair.alice.disconnect()
            let error = await #expect(throws: RoostError.self) {
                try await pair.alice.createPoll(PollCreateParams(title: "t", options: ["a"]))
            }
            #expect(error?.code == .connectionRequired)
        }
    }
}
