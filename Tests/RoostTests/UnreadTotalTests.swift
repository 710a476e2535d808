// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
import RoostTestKit
import Testing

/// The stream of unread counts.
struct UnreadTotalTests {
    private final class Badge: Sendable {
        let values = Guarded([Int]())
        let isOver = Guarded(false)

        func follow(_ totals: AsyncStream<UnreadTotals>) async {
            for await value in totals { values.withLock { $0.append(value.messages) } }
            isOver.withLock { $0 = true }
        }
    }

    @Test
    func `a badge follows messages, waiting read marks and those of another device`() throws {
        try SimulatedWorld.play(seed: 31) { world in
            let device = world.device(of: "alice")
            let alice = try await world.launch(device)
            let tablet = try await world.launch(world.device(of: "alice"))
            let bob = try await world.launch(world.device(of: "bob"))
            for client in [alice, tablet, bob] { try await client.connect() }
            let url = try await bob.createChannel(
                ChannelCreateParams(memberIDs: ["alice"], name: "talk")
            ).url
            await world.pass()
            let badge = Badge()
            let totals = await alice.unreadTotalStates()
            Task(executorPreference: world.executor) { await badge.follow(totals) }
            await world.pass()
            #expect(badge.values.withLock { $0 } == [0])

            try await bob.send("one", to: url)
            await world.pass(.seconds(1))
            try await bob.send("two", to: url)
            await world.pass(.seconds(1))
            #expect(badge.values.withLock { $0 } == [0, 1, 2])

            // Another device reads while this one is away.
            await device.network.cut()
            await world.pass(.seconds(1))
            try await tablet.markAsReadNow(url, awaitingServer: true)
            await world.pass(.seconds(1))
            #expect(badge.values.withLock { $0.last } == 2)
            device.network.restore()
            await alice.networkChanged(isUp: true)
            await world.pass(.seconds(10))
            #expect(badge.values.withLock { $0.last } == 0)

            // A mark that waits counts at once.
            try await bob.send("three", to: url)
            await world.pass(.seconds(1))
            await device.network.cut()
            await world.pass(.seconds(1))
            #expect(badge.values.withLock { $0.last } == 1)
            let newest = try #require(try await alice.channel(url).lastMessage)
            let mark = try await alice.markAsRead(url, through: newest.createdAt)
            await world.pass(.seconds(1))
            #expect(badge.values.withLock { $0.last } == 0)
            await alice.cancel(mark)
            await world.pass(.seconds(1))
            #expect(badge.values.withLock { $0.last } == 1)

            for client in [alice, tablet, bob] { await client.close() }
            await world.pass(.seconds(1))
            #expect(badge.isOver.withLock { $0 })
        }
    }

    @Test func `a burst of messages is counted a few times only`() throws {
        try SimulatedWorld.play(seed: 32) { world in
            let alice = try await world.launch(world.device(of: "alice"))
            let bob = try await world.launch(world.device(of: "bob"))
            for client in [alice, bob] { try await client.connect() }
            let url = try await bob.createChannel(
                ChannelCreateParams(memberIDs: ["alice"], name: "talk")
            ).url
            await world.pass()
            let badge = Badge()
            let totals = await alice.unreadTotalStates()
            Task(executorPreference: world.executor) { await badge.follow(totals) }
            for number in 0..<40 { try await bob.send("\(number)", to: url) }
            await world.pass(.seconds(10))
            await alice.waitUntilIdle()
            await world.pass(.seconds(1))
            #expect(badge.values.withLock { $0.last } == 40)
            #expect(badge.values.withLock { $0.count } < 40)
            for client in [alice, bob] { await client.close() }
        }
    }
}
