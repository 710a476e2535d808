// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostSQLite
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

    @Test func `a log from a time has the changes after a restart with an earlier clock`()
        async throws
    {
        let storage = try await SQLiteStorage(.memory, on: ThreadExecutor(name: "storage"))
        let first = await ServerFixture(storage: storage)
        let ann = try await first.connect("ann")
        try await first.channel(of: ["ann"], by: ann)
        await first.send("1", "r1", to: "g", on: ann)
        first.world.advance(600_000)
        try await storage.note(first.server.world.now())
        // A page or a login at this time names it to a client.
        first.world.advance(5_000)
        let seen = first.server.world.now()

        // The clock of the second server begins where that of the first did.
        let noted = try await storage.notedTime()
        #expect(noted < seen)
        let second = await ServerFixture(
            storage: storage, uptime: TestUptime(), resuming: noted)
        let again = try await second.connect("ann")
        await second.send("2", "r2", to: "g", on: again)
        let log = try await second.call(
            MessageChangeLog(channelURL: "g", cursor: .since(seen)), as: again)
        #expect(log.updated.map(\.text) == ["2"])
        let channels = try await second.call(
            ChannelChangeLog(userID: "ann", cursor: .since(seen)), as: again)
        #expect(channels.updated.map(\.url) == ["g"])
        #expect(second.server.world.now() > seen)
    }

    @Test func `a server does not follow a clock that was years ahead, and reports it`()
        async throws
    {
        let lines = Guarded<[LogLine]>([])
        let day: Int64 = 86_400_000
        let start = TestWorld(seed: 1).now
        let near = await ServerFixture(resuming: start.advanced(by: day))
        #expect(near.server.world.now() > start.advanced(by: day))
        let far = await ServerFixture(
            resuming: start.advanced(by: 2_000 * day),
            log: { line in lines.withLock { $0.append(line) } })
        #expect(far.server.world.now() == start)
        #expect(lines.withLock { $0.map(\.event) } == ["clock_behind"])
    }

    @Test func `a note of the time changes no number and never goes back`() async throws {
        let storage = try await SQLiteStorage(.memory, on: ThreadExecutor(name: "storage"))
        let now = Timestamp(milliseconds: 5_000)
        try await storage.note(now)
        try await storage.note(now.advanced(by: -1))
        #expect(try await storage.notedTime() == now)
    }
}
