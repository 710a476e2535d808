// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
import RoostTestKit
import Testing

/// Each change of a list says where it came from.
struct ChangeOriginTests {
    /// What a timeline tells, written down.
    private struct Ear {
        let heard = Guarded([ListDiff<Message>]())

        init(_ timeline: Timeline, _ world: SimulatedWorld) async {
            let changes = await timeline.changes()
            Task(executorPreference: world.executor) { [heard] in
                for await change in changes { heard.withLock { $0.append(change) } }
            }
        }

        /// The origins of what came since the last look, once all has.
        func take(_ world: SimulatedWorld) async -> [Set<ChangeOrigin>] {
            await world.pass()
            return heard.withLock { changes in
                defer { changes = [] }
                return changes.map(\.origins)
            }
        }
    }

    @Test func `a change says whether it was live, caught up, paged or one's own`() throws {
        try SimulatedWorld.play(seed: 5) { world in
            let phone = world.device(of: "alice")
            let alice = try await world.launch(phone)
            let bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            let url = try await alice.createChannel(
                ChannelCreateParams(memberIDs: ["bob"], name: "talk")
            ).url
            for number in 1...60 { try await bob.send("\(number)", to: url) }
            await world.pass()
            let timeline = try await alice.timeline(of: url)
            await alice.waitUntilIdle()
            let ear = await Ear(timeline, world)

            try await bob.send("live", to: url)
            #expect(await ear.take(world) == [[.event]])
            try await alice.send("mine", to: url)
            #expect(await ear.take(world) == [[.local], [.answer]])

            await phone.network.cut()
            await world.pass()
            try await bob.send("missed", to: url)
            try await bob.edit(
                try #require(await timeline.snapshot.messages.dropLast().last?.messageID),
                in: url, text: "edited")
            await world.pass()
            phone.network.restore()
            try await alice.connect()
            #expect(await Set(ear.take(world)) == [[.changeLog], [.catchUp]])

            #expect(try await timeline.loadOlder() > 0)
            let paged = await ear.take(world)
            #expect(!paged.isEmpty && paged.allSatisfy { $0.isSubset(of: [.disk, .page]) })
            try await alice.clearCache(of: url)
            #expect(await ear.take(world).first == [.upkeep])
        }
    }
}
