// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import Testing

/// The models for views beside a server, in virtual time.
@MainActor
struct ModelStoryTests {
    private static func open(
        _ world: TestWorld
    ) async throws -> (client: ChatClient, phone: TestDevice, channel: ChannelURL) {
        let bob = await world.person("bob")
        let channel = try await bob.createChannel(with: ["alice"], name: "train")
        let phone = try world.device(of: "alice")
        let client = try await phone.launch()
        try await client.connect()
        return (client, phone, channel)
    }

    /// Runs a model in two views, of which one goes, and calls back while the other one remains.
    private static func runTwice(
        _ world: TestWorld, newerEnds: Bool, _ run: @escaping @MainActor () async -> Void,
        then work: () async throws -> Void
    ) async throws {
        let older = Task { await run() }
        await world.pass(.seconds(1))
        let newer = Task { await run() }
        await world.pass(.seconds(1))
        let (ended, kept) = newerEnds ? (newer, older) : (older, newer)
        ended.cancel()
        await ended.value
        try await work()
        kept.cancel()
        await kept.value
    }

    @Test(arguments: [false, true])
    func `a timeline that two views run pages until the last view has gone`(
        newerEnds: Bool
    ) async throws {
        try await TestWorld.run { world in
            let (client, _, channel) = try await Self.open(world)
            let bob = await world.person("bob")
            for number in 1...60 { try await bob.send("\(number)", to: channel) }
            let model = TimelineModel(client, channel: channel)
            try await Self.runTwice(world, newerEnds: newerEnds, { await model.run() }) {
                #expect(model.messages.count == 40)
                await model.loadOlder()
                try await world.wait { model.messages.count == 60 }
            }
            // The timeline stays without a view, and a view that comes back has the same pages.
            let running = Task { await model.run() }
            try await bob.send("61", to: channel)
            try await world.wait { model.messages.last?.text == "61" }
            #expect(model.messages.count == 61)
            running.cancel()
            await running.value
        }
    }

    @Test func `a model has the reason why the server does not show a channel`()
        async throws
    {
        try await TestWorld.run { world in
            let (client, _, channel) = try await Self.open(world)
            let bob = await world.person("bob")
            let foreign = try await bob.createChannel(with: ["carol"], name: "ship")
            for (url, expected) in [(foreign, RoostError.Code.notAMember), (channel, nil)] {
                let model = TimelineModel(client, channel: url)
                let running = Task { await model.run() }
                await world.pass(.seconds(20))
                #expect(model.error?.code == expected)
                running.cancel()
                await running.value
                // A later view has it as well.
                let again = Task { await model.run() }
                await world.pass(.seconds(1))
                #expect(model.error?.code == expected)
                again.cancel()
                await again.value
            }
        }
    }

    @Test(arguments: [false, true])
    func `a channel list that two views run pages until the last view has gone`(
        newerEnds: Bool
    ) async throws {
        try await TestWorld.run { world in
            let (client, _, _) = try await Self.open(world)
            let bob = await world.person("bob")
            for number in 1...3 {
                let channel = try await bob.createChannel(with: ["alice"], name: "\(number)")
                try await bob.send("hello", to: channel)
            }
            let model = ChannelListModel(client, ChannelListQuery(pageSize: 2))
            try await Self.runTwice(world, newerEnds: newerEnds, { await model.run() }) {
                // A channel that rises into the list makes it longer than its page.
                let count = model.channels.count
                #expect(2...3 ~= count)
                await model.loadMore()
                try await world.wait { model.channels.count > count }
            }
        }
    }

    @Test func `a jump during the load of a page follows the page`() async throws {
        try await TestWorld.run { world in
            let (client, phone, channel) = try await Self.open(world)
            let bob = await world.person("bob")
            for number in 1...200 { try await bob.send("\(number)", to: channel) }
            let model = TimelineModel(client, channel: channel, startingAt: .distantPast)
            await model.jump(to: .distantFuture)
            let running = Task { await model.run() }
            // The jump before the opening counts.
            try await world.wait { model.messages.last?.text == "200" }
            phone.setDelay(.seconds(3))
            let loading = Task { await model.loadOlder() }
            try await world.wait { model.isLoading }
            await model.jump(to: .distantPast)
            await loading.value
            try await world.wait { model.messages.first?.text == "1" && !model.isLoading }
            #expect(model.error == nil)
            running.cancel()
            await running.value
        }
    }

    @Test func `a model counts the own messages beyond a gap (R143)`() async throws {
        try await TestWorld.run { world in
            let (client, phone, channel) = try await Self.open(world)
            let bob = await world.person("bob")
            try await bob.send("Before", to: channel)
            let model = TimelineModel(client, channel: channel)
            let running = Task { await model.run() }
            try await world.wait { model.messages.map(\.text) == ["Before"] }
            await world.pass()
            await phone.cutLink()
            for number in 1...400 { try await bob.send("\(number)", to: channel) }
            phone.restoreLink()
            try await world.wait { model.hasHugeGap }
            #expect(await model.send("ok"))
            try await world.wait {
                model.messages.count == 2 && model.messages.allSatisfy { $0.status == .succeeded }
            }
            #expect(model.messages.map(\.text) == ["Before", "ok"])
            #expect(model.sentBeyondGap == 1)
            await model.jump(to: .distantFuture)
            try await world.wait { model.messages.suffix(2).map(\.text) == ["400", "ok"] }
            #expect(model.sentBeyondGap == 0)
            running.cancel()
            await running.value
        }
    }
}
