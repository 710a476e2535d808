// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// Steps of the machine's clock change no rate, close no socket, and hold up no count (scar 2).
struct ClockStepTests {
    @Test func `a user's rate recovers although the clock has gone back`() async throws {
        let uptime = TestUptime()
        let fixture = await ServerFixture(
            configure: { $0.userRate = Rate(burst: 3, perSecond: 1) }, uptime: uptime)
        let ann = try await fixture.connect("ann")
        for _ in 0..<2 { try await fixture.call(ListMyChannels(userID: "ann"), as: ann) }
        let code = await refusal { () async throws(APIFailure) in
            try await fixture.call(ListMyChannels(userID: "ann"), as: ann)
        }
        #expect(code == .rateLimited)
        fixture.world.advance(-3_600_000)
        uptime.pass(1_000)
        try await fixture.call(ListMyChannels(userID: "ann"), as: ann)
    }

    @Test func `a socket that has just spoken stays open after a step forward`() async throws {
        let uptime = TestUptime()
        let fixture = await ServerFixture(uptime: uptime)
        let ann = try await fixture.connect("ann")
        fixture.world.advance(3_600_000)
        uptime.pass(1_000)
        await fixture.server.dropIdle()
        #expect(!ann.inbox.isClosed)
        uptime.pass(3_600_000)
        await fixture.server.dropIdle()
        #expect(ann.inbox.isClosed)
    }

    @Test func `a client that only listens stays, and one that is gone does not`() async throws {
        let uptime = TestUptime()
        let fixture = await ServerFixture(uptime: uptime)
        // A login between two checks.
        uptime.pass(7_000)
        let (ann, bob) = (try await fixture.connect("ann"), try await fixture.connect("bob"))
        uptime.pass(8_000)
        await fixture.server.dropIdle()
        for _ in 0..<8 {
            uptime.pass(15_000)
            await fixture.server.dropIdle()
            ann.inbox.answerPings()
        }
        #expect(!ann.inbox.isClosed)
        #expect(bob.inbox.isClosed)
        for _ in 0..<3 {
            uptime.pass(15_000)
            await fixture.server.dropIdle()
        }
        // The answer to the last ping was heard at the first of these looks.
        #expect(!ann.inbox.isClosed)
        uptime.pass(15_000)
        await fixture.server.dropIdle()
        #expect(ann.inbox.isClosed)
    }

    @Test func `counts have later times although the clock has gone back`() async throws {
        let uptime = TestUptime()
        let fixture = await ServerFixture(uptime: uptime)
        let (ann, bob) = (try await fixture.connect("ann"), try await fixture.connect("bob"))
        try await fixture.channel(of: ["ann", "bob"], by: ann)
        await fixture.send("1", "r1", to: "g", on: bob)
        _ = try ann.inbox.take()
        fixture.world.advance(-3_600_000)
        var times: [Timestamp] = []
        for _ in 0..<2 {
            uptime.pass(1_000)
            await fixture.say(.read("g", nil), on: ann)
            times += try ann.inbox.take().compactMap { event in
                guard case .channel(let news) = event else { return nil }
                return news.unread?.timestamp
            }
        }
        #expect(times.count == 2 && times[0] < times[1])
    }
}
