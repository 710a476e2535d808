// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import Testing

/// The time of a world, and the work that takes place in it.
@MainActor
struct VirtualTimeTests {
    /// A view model that makes its calls in tasks of its own, as most do.
    @MainActor
    private final class MemberModel {
        private let client: ChatClient
        private let clock: TestClock
        /// The virtual time that each call took.
        private(set) var durations: [Duration] = []

        init(_ client: ChatClient, clock: TestClock) {
            self.client = client
            self.clock = clock
        }

        func load(_ channel: ChannelURL) {
            Task {
                let start = clock.now
                let page = try? await client.members(of: channel)
                #expect(page != nil)
                durations.append(start.duration(to: clock.now))
            }
        }

        func loadTotals() {
            Task {
                let start = clock.now
                let totals = try? await client.fetchUnreadTotals()
                #expect(totals != nil)
                durations.append(start.duration(to: clock.now))
            }
        }
    }

    @Test(arguments: [false, true])
    func `a call in a task of the app takes its time on the network and no more`(
        asksTwoAtOnce: Bool
    ) async throws {
        try await TestWorld.run { world in
            let scene = try await Scene(world)
            try await world.wait(for: scene.client) { $0.isSettled }
            scene.phone.setDelay(.milliseconds(70))
            let model = MemberModel(scene.client, clock: world.clock)
            for number in 1...50 {
                if asksTwoAtOnce { model.loadTotals() } else { model.load(scene.channel) }
                try await world.wait { model.durations.count == number }
            }
            #expect(model.durations == Array(repeating: .milliseconds(140), count: 50))
        }
    }

    @Test func `a scheduled message is sent when its moment has come`() async throws {
        try await TestWorld.run { world in
            let scene = try await Scene(world)
            let moment = Timestamp(milliseconds: world.wallTime.milliseconds + 60_000)
            _ = try await scene.client.schedule(
                UserMessageParams(text: "lunch"), to: scene.channel, at: moment)
            await world.pass(.seconds(58))
            #expect(try await world.messages(in: scene.channel).isEmpty)
            await world.pass(.seconds(3))
            #expect(try await world.messages(in: scene.channel).map(\.text) == ["lunch"])
            let next = Timestamp(milliseconds: world.wallTime.milliseconds + 10_000)
            _ = try await scene.client.schedule(
                UserMessageParams(text: "dinner"), to: scene.channel, at: next)
            try await world.wait { try await world.messages(in: scene.channel).count == 2 }
            #expect(world.wallTime >= next)
        }
    }

    @Test func `a pass takes exactly its duration`() async throws {
        try await TestWorld.run { world in
            for duration in [Duration.zero, .milliseconds(999), .milliseconds(2), .seconds(3_600)] {
                let start = world.now
                await world.pass(duration)
                #expect(world.now - start == duration)
            }
        }
    }

    @Test func `a pass without a duration waits for all frames of a burst`() async throws {
        try await TestWorld.run { world in
            let scene = try await Scene(world)
            let timeline = try await scene.client.timeline(of: scene.channel)
            try await world.wait(for: scene.client) { $0.isSettled }
            for number in 1...300 { try await scene.bob.send("\(number)", to: scene.channel) }
            await world.pass()
            #expect(await timeline.snapshot.messages.last?.text == "300")
        }
    }

    @Test func `a pass without a duration waits for a slow request`() async throws {
        try await TestWorld.run { world in
            let scene = try await Scene(world)
            await world.pass()
            scene.phone.setDelay(.milliseconds(3_500))
            let model = MemberModel(scene.client, clock: world.clock)
            model.load(scene.channel)
            await world.pass()
            #expect(model.durations == [.seconds(7)])
        }
    }

    @Test func `a pass ends although an app never stops asking`() async throws {
        try await TestWorld.run { world in
            let scene = try await Scene(world)
            await world.pass()
            scene.phone.setDelay(.seconds(1))
            let asking = Task {
                while !Task.isCancelled {
                    // A call that fails at once would stop the time.
                    guard (try? await scene.client.members(of: scene.channel)) != nil else { break }
                }
            }
            let start = world.now
            await world.pass()
            #expect(world.now - start == .seconds(605))
            asking.cancel()
            await asking.value
        }
    }
}
