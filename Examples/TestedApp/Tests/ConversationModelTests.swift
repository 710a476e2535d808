// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import TestedApp
import Testing

/// The screen of a conversation, tested in virtual time.
@MainActor
struct ConversationModelTests {
    @Test func `a message written without a network is delivered later`() async throws {
        try await TestWorld.run { world in
            let bob = await world.person("bob")
            let channel = try await bob.createChannel(with: ["alice"])
            let phone = try world.device(of: "alice")
            let client = try await phone.launch()
            try await client.connect()
            let model = ConversationModel(client, channel: channel)
            Task { await model.run() }
            await phone.cutLink()
            model.draft = "Hello from the train"
            await model.send()
            try await world.wait { model.rows.map(\.delivery) == [.sending] }
            phone.restoreLink()
            try await world.wait { model.rows.map(\.delivery) == [.delivered] }
            await world.pass()
            #expect(model.rows.count == 1)
            #expect(try await world.messages(in: channel).map(\.text) == ["Hello from the train"])
        }
    }

    @Test func `a message whose acknowledgement is lost is stored once, however often it is sent`()
        async throws
    {
        try await TestWorld.run { world in
            let (model, phone, channel) = try await Self.open(world)
            phone.inject(.lostAcknowledgement)
            model.draft = "Once"
            await model.send()
            try await world.wait { model.rows.map(\.delivery) == [.failed] }
            await model.retry(model.rows[0])
            try await world.wait { model.rows.map(\.delivery) == [.delivered] }
            #expect(try await world.messages(in: channel).map(\.text) == ["Once"])
        }
    }

    @Test func `a message is shown as waiting until its late acknowledgement comes`() async throws {
        try await TestWorld.run { world in
            let (model, phone, channel) = try await Self.open(world)
            phone.setDelay(.seconds(3))
            model.draft = "Slow"
            await model.send()
            await world.pass(.seconds(4))
            #expect(try await world.messages(in: channel).map(\.text) == ["Slow"])
            #expect(model.rows.map(\.delivery) == [.sending])
            try await world.wait { model.rows.map(\.delivery) == [.delivered] }
        }
    }

    @Test func `after a huge gap the screen says so and goes on with the newest`() async throws {
        try await TestWorld.run { world in
            let (model, phone, channel) = try await Self.open(world)
            let bob = await world.person("bob")
            try await bob.send("Before", to: channel)
            try await world.wait { model.rows.map(\.text) == ["Before"] }
            await phone.cutLink()
            for number in 1...400 { try await bob.send("\(number)", to: channel) }
            phone.restoreLink()
            try await world.wait { model.banner == "Some messages are missing here." }
            #expect(model.rows.map(\.text) == ["Before"])
            await model.showNewest()
            try await world.wait { model.rows.last?.text == "400" && model.banner == nil }
        }
    }

    @Test func `a refused message is shown as failed`() async throws {
        try await TestWorld.run { world in
            let (model, phone, channel) = try await Self.open(world)
            phone.inject(.refusedMessage)
            model.draft = "Not here"
            await model.send()
            try await world.wait { model.rows.map(\.delivery) == [.failed] }
            #expect(try await world.messages(in: channel).isEmpty)
        }
    }

    @Test func `a full disk keeps the draft`() async throws {
        try await TestWorld.run { world in
            let (model, phone, _) = try await Self.open(world)
            phone.fillDisk()
            model.draft = "Too much"
            await model.send()
            #expect(model.draft == "Too much")
            #expect(model.banner == "There is no room for another message on this device.")
            phone.freeDisk()
            await model.send()
            #expect(model.draft.isEmpty)
        }
    }

    @Test func `messages of others appear in order, and edits replace their text`() async throws {
        try await TestWorld.run { world in
            let (model, _, channel) = try await Self.open(world)
            let bob = await world.person("bob")
            let first = try await bob.send("One", to: channel)
            try await bob.send("Two", to: channel)
            try await world.wait { model.rows.map(\.text) == ["One", "Two"] }
            try await bob.edit(first, in: channel, text: "Uno")
            try await world.wait { model.rows.map(\.text) == ["Uno", "Two"] }
            #expect(model.rows.map(\.author) == ["Bob", "Bob"])
        }
    }

    @Test func `an empty conversation suggests to say hello after ten seconds`() async throws {
        try await TestWorld.run { world in
            let (model, _, _) = try await Self.open(world)
            let start = world.now
            await model.waitForHello()
            #expect(model.suggestsHello)
            #expect(world.now - start == .seconds(10))
        }
    }

    @Test func `an unsent message survives a crash of the app`() async throws {
        try await TestWorld.run { world in
            let (model, phone, channel) = try await Self.open(world)
            await phone.cutLink()
            model.draft = "Still here"
            await model.send()
            await phone.crash()
            phone.restoreLink()
            let client = try await phone.launch()
            let next = ConversationModel(client, channel: channel)
            Task { await next.run() }
            try await world.wait { next.rows.map(\.text) == ["Still here"] }
            try await client.connect()
            try await world.wait { next.rows.map(\.delivery) == [.delivered] }
        }
    }

    /// A conversation of Alice and Bob on the screen of Alice's phone, connected.
    private static func open(
        _ world: TestWorld
    ) async throws -> (ConversationModel, TestDevice, ChannelURL) {
        let bob = await world.person("bob", nickname: "Bob")
        let channel = try await bob.createChannel(with: ["alice"])
        let phone = try world.device(of: "alice")
        let client = try await phone.launch()
        try await client.connect()
        let model = ConversationModel(client, channel: channel, clock: world.clock)
        Task { await model.run() }
        await world.pass()
        return (model, phone, channel)
    }
}
