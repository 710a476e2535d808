// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import Testing

/// Timelines of channels that the server refuses to show.
struct RefusedTimelineTests {
    @Test func `a channel that the server does not have is one error in all calls`() throws {
        try SimulatedWorld.play(seed: 3) { world in
            let phone = world.device(of: "alice")
            let client = try await world.launch(phone)
            let empty = try await client.timeline(of: "nowhere")
            #expect(await empty.snapshot.messages == [])
            #expect(try await client.holes(in: "nowhere").map(\.reason) == [.neverFetched])
            await empty.close()

            try await client.connect()
            await Self.expectUnknown { _ = try await client.timeline(of: "nowhere") }
            await Self.expectUnknown { _ = try await client.holes(in: "nowhere") }
            await Self.expectUnknown { _ = try await client.countedHoles(in: "nowhere") }
            await Self.expectUnknown { _ = try await client.search(Self.words) }
            await Self.expectUnknown { _ = try await client.explain(1, in: "nowhere") }
            await Self.expectUnknown { _ = try await client.channel("nowhere") }
            await Self.expectUnknown { _ = try await client.fetchMessage(1, in: "nowhere") }
            await Self.expectUnknown {
                _ = try await client.fetchMessages(of: "nowhere", around: .distantFuture, older: 1)
            }
            await Self.expectUnknown {
                let start = ChangeLogStart.moment(Timestamp(milliseconds: 1))
                _ = try await client.fetchMessageChanges(of: "nowhere", since: start)
            }
            await Self.expectUnknown { _ = try await client.members(of: "nowhere") }
            await Self.expectUnknown { _ = try await client.join("nowhere") }
            await Self.expectUnknown { try await client.setFrozen(true, "nowhere") }
            await Self.expectUnknown { _ = try await client.openChannel("nowhere") }
            let sent = try await client.send("Hello", to: "nowhere")
            await world.pass()
            let request = try #require(sent.requestID)
            #expect(
                await client.unsentMessages(in: "nowhere").map(\.delivery)
                    == [.unsent(request, .failed(.channelNotFound))])

            await phone.network.cut()
            await world.pass(.seconds(60))
            await Self.expectUnknown { _ = try await client.timeline(of: "nowhere") }
            await Self.expectUnknown { _ = try await client.holes(in: "nowhere") }
            await Self.expectUnknown { _ = try await client.search(Self.words) }
        }
    }

    private static let words = MessageSearch("hello", in: ["nowhere"])

    private static func expectUnknown(
        _ call: () async throws -> Void, _ location: SourceLocation = #_sourceLocation
    ) async {
        do {
            try await call()
            Issue.record("no error", sourceLocation: location)
        } catch {
            #expect(
                (error as? RoostError)?.code == .channelNotFound, "\(error)",
                sourceLocation: location)
        }
    }

    @Test func `an unknown channel is reported to a timeline that was opened before`() throws {
        try SimulatedWorld.play(seed: 3) { world in
            let client = try await world.launch(world.device(of: "alice"))
            let timeline = try await client.timeline(of: "nowhere")
            let refusals = await timeline.serverRefusals()
            try await client.connect()
            await world.pass()
            await timeline.close()
            var told: [RoostError.Code] = []
            for await error in refusals { told.append(error.code) }
            #expect(told == [.channelNotFound])
        }
    }

    @Test func `a channel that is made after it was unknown opens like any other`() throws {
        try SimulatedWorld.play(seed: 4) { world in
            let bob = try await world.launch(world.device(of: "bob"))
            let alice = try await world.launch(world.device(of: "alice"))
            try await bob.connect()
            try await alice.connect()
            await Self.expectUnknown { _ = try await alice.timeline(of: "later") }
            var params = ChannelCreateParams(memberIDs: ["alice"])
            params.url = "later"
            _ = try await bob.createChannel(params)
            try await bob.send("one", to: "later")
            await world.pass()
            let timeline = try await alice.timeline(of: "later")
            await world.pass()
            #expect(await timeline.snapshot.messages.map(\.text) == ["one"])
            #expect(try await alice.holes(in: "later") == [])
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
