// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import Testing

/// The health of a client, as a stream and as a condition, in virtual time.
@MainActor
struct HealthStoryTests {
    /// A client that has caught up.
    private static func settled(_ world: TestWorld) async throws -> Scene {
        let scene = try await Scene(world)
        try await world.wait(for: scene.client) { $0.isSettled }
        return scene
    }

    /// Collects the values of a stream until the stream ends.
    private final class Record: Sendable {
        @MainActor private(set) var values: [Health] = []

        @MainActor func follow(_ states: AsyncStream<Health>) async {
            for await health in states { values.append(health) }
        }
    }

    private static func metric(_ name: String, _ health: Health, _ world: TestWorld) -> Double? {
        health.metrics(at: world.wallTime).first { $0.name == "roost_client_" + name }?.value
    }

    @Test func `an offline client names its next attempt, and makes it at that moment`()
        async throws
    {
        try await TestWorld.run { world in
            let scene = try await Self.settled(world)
            await scene.phone.cutLink()
            let health = try await world.wait(for: scene.client) {
                $0.connection.state == .waiting && $0.connection.attempt > 2
            }
            let next = try #require(health.connection.nextAttempt)
            let wait = next.milliseconds - world.wallTime.milliseconds
            #expect(wait > 0 && wait <= 20_000)
            await world.pass(.milliseconds(wait - 1))
            #expect(await scene.client.health.connection.nextAttempt == next)
            // The moment is in whole milliseconds, the timer is not.
            await world.pass(.milliseconds(2))
            #expect(await scene.client.health.connection.nextAttempt != next)
            scene.phone.restoreLink()
            try await world.wait(for: scene.client) { $0.isSettled }
        }
    }

    @Test func `an unsent message grows old, and its age is a metric`() async throws {
        try await TestWorld.run { world in
            let scene = try await Self.settled(world)
            let client = scene.client
            await scene.phone.cutLink()
            try await world.wait(for: client) { $0.connection.state != .connected }
            let sent = try await client.send("Hello", to: scene.channel)
            await world.pass(.seconds(40))
            let health = await client.health
            #expect(health.outbox.pending == 1 && health.outbox.oldest?.id == sent.requestID)
            #expect(health.outbox.oldest?.wait == .connection)
            let age = try #require(Self.metric("outbox_oldest_seconds", health, world))
            #expect(age >= 40 && age < 41)
            #expect((Self.metric("connection_down_seconds", health, world) ?? 0) >= 40)
            #expect(Self.metric("connection_up", health, world) == 0)
            scene.phone.restoreLink()
            try await world.wait(for: client) { $0.isSettled }
            let rest = await client.health
            #expect(rest.outbox.oldest == nil)
            #expect(Self.metric("outbox_oldest_seconds", rest, world) == nil)
        }
    }

    @Test func `a full disk is named until it has room`() async throws {
        try await TestWorld.run { world in
            let scene = try await Self.settled(world)
            scene.phone.fillDisk()
            try await scene.bob.send("one", to: scene.channel)
            let health = try await world.wait(for: scene.client) { $0.cache.refusal != nil }
            #expect(health.cache.refusal?.remedy == .repairStorage)
            #expect(!health.isSettled)
            scene.phone.freeDisk()
            try await world.wait(for: scene.client) { $0.isSettled && $0.cache.refusal == nil }
        }
    }

    @Test(arguments: [true, false])
    func `a send that the full disk refused is named at once, until the disk has room`(
        isSentAgain: Bool
    ) async throws {
        try await TestWorld.run { world in
            let scene = try await Self.settled(world)
            await scene.phone.cutLink()
            try await world.wait(for: scene.client) { $0.connection.state != .connected }
            scene.phone.fillDisk()
            let failure = await #expect(throws: RoostError.self) {
                try await scene.client.send("one", to: scene.channel)
            }
            let health = await scene.client.health
            #expect(health.cache.refusal == failure && failure != nil)
            scene.phone.freeDisk()
            if isSentAgain {
                try await scene.client.send("one", to: scene.channel)
                #expect(await scene.client.health.cache.refusal == nil)
            } else {
                try await world.wait(for: scene.client) { $0.cache.refusal == nil }
            }
            scene.phone.restoreLink()
            try await world.wait(for: scene.client) { $0.isSettled }
        }
    }

    @Test func `the catch-up of two channels is shown while it runs and when it is done`()
        async throws
    {
        try await TestWorld.run { world in
            let scene = try await Self.settled(world)
            let other = try await scene.bob.createChannel(with: ["alice"], name: "tram")
            let open = [
                try await scene.client.timeline(of: scene.channel),
                try await scene.client.timeline(of: other),
            ]
            try await world.wait(for: scene.client) { $0.isSettled }
            await scene.phone.cutLink()
            try await world.wait(for: scene.client) { $0.connection.state != .connected }
            try await scene.bob.send("one", to: scene.channel)
            try await scene.bob.send("two", to: other)
            scene.phone.setDelay(.milliseconds(400))
            scene.phone.restoreLink()
            let running = try await world.wait(for: scene.client) { $0.catchUp.running == 2 }
            #expect(running.catchUp.channelList == .reading && running.catchUp.finished == 0)
            let done = try await world.wait(for: scene.client) { $0.isSettled }
            #expect(done.catchUp.finished >= 2 && done.catchUp.channelList == .current)
            for timeline in open {
                #expect(await timeline.snapshot.messages.count == 1)
                await timeline.close()
            }
        }
    }

    @Test func `the pages of a timeline are counted by the place that had them`() async throws {
        try await TestWorld.run { world in
            let scene = try await Self.settled(world)
            for number in 1...30 { try await scene.bob.send("\(number)", to: scene.channel) }
            await scene.client.disconnect()
            let tablet = try world.device(of: "alice", pageSize: 10)
            let client = try await tablet.launch()
            try await client.connect()
            let first = try await client.timeline(of: scene.channel)
            try await world.wait(for: client) { $0.isSettled }
            try await first.loadOlder()
            #expect(await client.health.cache.pagesFromServer == 1)
            await first.close()
            let again = try await client.timeline(of: scene.channel)
            try await again.loadOlder()
            let cache = await client.health.cache
            #expect(cache.pagesFromServer == 1 && cache.pagesFromDisk == 1)
            await again.close()
        }
    }

    @Test func `two readers get the changes, and a slow one the last of them`() async throws {
        try await TestWorld.run { world in
            let scene = try await Self.settled(world)
            let client = scene.client
            let (first, second) = (Record(), Record())
            let tasks = [
                Task { await first.follow(await client.healthStates()) },
                Task { await second.follow(await client.healthStates()) },
            ]
            await world.pass(.seconds(1))
            var slow = await client.healthStates().makeAsyncIterator()
            await scene.phone.cutLink()
            try await world.wait(for: client) { $0.connection.state == .waiting }
            try await client.send("Hello", to: scene.channel)
            await world.pass(.seconds(1))
            scene.phone.restoreLink()
            try await world.wait(for: client) { $0.isSettled }
            await world.pass(.seconds(10))
            let present = await client.health
            await world.pass(.milliseconds(10))
            #expect(await slow.next() == present)
            await client.close()
            await world.pass(.seconds(1))
            for task in tasks { await task.value }
            #expect(await slow.next() != nil, "the end of the connection")
            #expect(await slow.next() == nil)
            for record in [first, second] {
                let states = record.values.map(\.connection.state)
                #expect(states.contains(.waiting) && states.contains(.connected))
                #expect(states.last == .disconnected)
                #expect(record.values.contains { $0.outbox.pending == 1 })
                let repeated = zip(record.values, record.values.dropFirst()).contains { $0 == $1 }
                #expect(!repeated, "a value is published when it differs from the last")
            }
        }
    }

    @Test func `the health of the cache has its size, its limit and its holes`() async throws {
        try await TestWorld.run { world in
            let scene = try await Self.settled(world)
            let health = await scene.client.health
            #expect((health.cache.size?.bytes ?? 0) > 4_096)
            #expect(health.cache.limit == ByteCount(mebibytes: 256))
            #expect(health.cache.channelsWithHoles == 0)
            for number in 1...9 { try await scene.bob.send("\(number)", to: scene.channel) }
            await scene.client.disconnect()
            let tablet = try world.device(of: "alice", pageSize: 1)
            let client = try await tablet.launch()
            try await client.connect()
            let messages = try await world.messages(in: scene.channel)
            let newest = try await client.timeline(of: scene.channel)
            let oldest = try await client.timeline(
                of: scene.channel, startingAt: messages[1].createdAt)
            try await world.wait(for: client) { $0.cache.channelsWithHoles == 1 }
            await newest.close()
            await oldest.close()
        }
    }

    @Test func `a condition that never holds fails with the last health`() async throws {
        let failure = await #expect(throws: TestFailure.self) {
            try await TestWorld.run { world in
                let scene = try await Self.settled(world)
                try await world.wait(for: scene.client, atMost: .seconds(2)) {
                    $0.outbox.failed == 7
                }
            }
        }
        #expect(failure?.description.contains("failed: 0") == true)
    }

    @Test func `a suspended client says so at once`() async throws {
        try await TestWorld.run { world in
            let scene = try await Self.settled(world)
            await scene.client.suspend()
            let start = world.now
            #expect(await scene.client.health.isSuspended)
            #expect(world.now == start)
            try await scene.client.resume()
            #expect(await !scene.client.health.isSuspended)
        }
    }
}
