// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import Testing

/// Two tasks that read one stream: each element goes to one of them.
struct SharedStreamTests {
    /// The elements of a stream that was read by two tasks, the second of which came later.
    private static func read<Element: Sendable>(
        _ stream: AsyncStream<Element>, _ world: SimulatedWorld
    ) -> [Task<[Element], Never>] {
        (0..<2).map { _ in
            Task(executorPreference: world.executor) {
                var elements: [Element] = []
                for await element in stream { elements.append(element) }
                return elements
            }
        }
    }

    private static func join<Element>(_ tasks: [Task<[Element], Never>]) async -> [Element] {
        var elements: [Element] = []
        for task in tasks { elements += await task.value }
        return elements
    }

    @Test func `a second task on the changes of a timeline shares them`() throws {
        try OutboxPair.play(71) { world, pair in
            let timeline = try await pair.alice.timeline(of: pair.channel)
            let tasks = Self.read(await timeline.changes(), world)
            await world.pass()
            for number in 0..<6 {
                try await pair.bob.send("\(number)", to: pair.channel)
                await world.pass(.seconds(1))
            }
            await timeline.close()
            let texts = await Self.join(tasks).flatMap(\.inserted).map(\.text)
            #expect(texts.sorted() == (0..<6).map { "\($0)" })
        }
    }

    @Test func `a second task on the events, states and health of a client shares them`() throws {
        try OutboxPair.play(72) { world, pair in
            let events = Self.read(await pair.alice.events(), world)
            let states = Self.read(await pair.alice.connectionStates(), world)
            let outbox = Self.read(await pair.alice.outboxEvents(), world)
            let health = Self.read(await pair.alice.healthStates(), world)
            await world.pass()
            for number in 0..<4 {
                try await pair.bob.send("\(number)", to: pair.channel)
                try await pair.alice.send("mine \(number)", to: pair.channel)
                await world.pass(.seconds(1))
            }
            await pair.alice.close()
            let texts = await Self.join(events).compactMap { event in
                if case .messageReceived(let message) = event { message.text } else { nil }
            }
            #expect(texts.filter { !$0.hasPrefix("mine") }.sorted() == (0..<4).map { "\($0)" })
            #expect(await !Self.join(states).isEmpty)
            #expect(await Self.join(outbox).count >= 8)
            #expect(await !Self.join(health).isEmpty)
        }
    }

    @Test func `the end of one task ends the other at the end of the steps`() throws {
        try OutboxPair.play(73) { world, pair in
            let timeline = try await pair.alice.timeline(of: pair.channel)
            let tasks = Self.read(await timeline.changes(), world)
            await world.pass()
            tasks[0].cancel()
            try await pair.bob.send("one", to: pair.channel)
            await world.pass()
            #expect(await Self.join(tasks).count <= 1)
            await timeline.close()
        }
    }
}
