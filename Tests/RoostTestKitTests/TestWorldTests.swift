// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import Testing

/// The public kit for tests of apps.
@MainActor
struct TestWorldTests {
    /// Everything that a story of some length leaves behind.
    private static func course(seed: UInt64) async throws -> [String] {
        try await TestWorld.run(seed: seed) { world in
            let scene = try await Scene(world)
            let timeline = try await scene.client.timeline(of: scene.channel)
            var course: [String] = []
            for number in 0..<8 {
                try await scene.client.send("mine \(number)", to: scene.channel)
                try await scene.bob.send("yours \(number)", to: scene.channel)
                if number == 3 { await scene.phone.cutLink() }
                if number == 5 { scene.phone.restoreLink() }
                await world.pass(.milliseconds(40))
                course.append("\(world.now)")
                course += await timeline.snapshot.messages.map { "\($0.text) \($0.status)" }
            }
            try await world.wait {
                await timeline.snapshot.messages.filter { $0.status == .succeeded }.count == 16
            }
            course += await timeline.snapshot.messages.map { "\($0.text) \($0.createdAt)" }
            return course + ["\(world.now) \(scene.phone.requestCount)"]
        }
    }

    @Test func `the same seed gives the same course, another seed another one`() async throws {
        let first = try await Self.course(seed: 7)
        #expect(first == (try await Self.course(seed: 7)))
        #expect(first != (try await Self.course(seed: 8)))
    }

    @Test func `a test lets a token end, and the app starts with the settings of the test`()
        async throws
    {
        try await TestWorld.run { world in
            await world.setToken("second", of: "alice")
            let phone = try world.device(of: "alice")
            let key = try Protection.key([UInt8](repeating: 7, count: 32))
            let client = try await phone.launch { settings in
                settings.token = "first"
                settings.tokenProvider = { "second" }
                settings.protection = key
            }
            try await client.connect()
            #expect(await client.connectionState == .connected)
            await client.close()
            // The cache is sealed with the key.
            await #expect(throws: RoostError.self) { _ = try await phone.launch() }
        }
    }

    @Test func `an injected fault that has not happened yet is counted`() async throws {
        try await TestWorld.run { world in
            let scene = try await Scene(world)
            await world.pass()
            scene.phone.inject(.lostAnswer)
            scene.phone.inject(.lostAcknowledgement)
            try await scene.client.send("over the socket", to: scene.channel)
            await world.pass(.seconds(60))
            #expect(scene.phone.remaining(.lostAnswer) == 1)
            #expect(scene.phone.remaining(.lostAcknowledgement) == 0)
            #expect(try await world.messages(in: scene.channel).count == 1)
        }
    }

    @Test func `a client is settled until a pass lets a person's message arrive`()
        async throws
    {
        try await TestWorld.run { world in
            let scene = try await Scene(world)
            let timeline = try await scene.client.timeline(of: scene.channel)
            try await world.wait(for: scene.client) { $0.isSettled }
            try await scene.bob.send("spam", to: scene.channel)
            try await world.wait(for: scene.client) { $0.isSettled }
            #expect(await timeline.snapshot.messages.isEmpty)
            await world.pass()
            try await world.wait(for: scene.client) { $0.isSettled }
            #expect(await timeline.snapshot.messages.map(\.text) == ["spam"])
        }
    }

    @Test func `a story returns its result and passes its error on`() async throws {
        #expect(try await TestWorld.run { _ in 42 } == 42)
        await #expect(throws: TestFailure.self) {
            try await TestWorld.run { world in
                try await world.wait(atMost: .seconds(1)) { false }
            }
        }
    }

    @Test func `a story that waits for nothing ends with a failure`() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let failure = await #expect(throws: TestFailure.self) {
            try await TestWorld.run { _ in for await _ in stream {} }
        }
        #expect(failure?.description.contains("cannot come") == true)
        continuation.finish()
    }

    @Test func `virtual time passes at once, and only when the world has no work`() async throws {
        try await TestWorld.run { world in
            let start = world.clock.now
            try await world.clock.sleep(for: .seconds(86_400))
            #expect(start.duration(to: world.clock.now) == .seconds(86_400))
            await world.pass(.milliseconds(1))
            #expect(world.now == .seconds(86_400) + .milliseconds(1))
        }
    }

    @Test func `an action of a person reaches the client`() async throws {
        try await TestWorld.run { world in
            let scene = try await Scene(world)
            let (bob, channel) = (scene.bob, scene.channel)
            let timeline = try await scene.client.timeline(of: channel)
            let list = try await scene.client.channelList()
            func texts() async -> [String] { await timeline.snapshot.messages.map(\.text) }
            func unread() async -> Int? {
                await list.snapshot.channels.first?.unreadMessageCount
            }
            let first = try await bob.send("one", to: channel)
            try await bob.send("two", to: channel, answering: nil)
            try await world.wait { await texts() == ["one", "two"] }
            try await world.wait { await unread() == 2 }
            try await bob.edit(first, in: channel, text: "uno")
            try await world.wait { await texts() == ["uno", "two"] }
            func reactions() async -> [String] {
                await timeline.snapshot.messages.first?.details.reactions?.map(\.key) ?? []
            }
            try await bob.react("smile", to: first, in: channel)
            try await world.wait { await reactions() == ["smile"] }
            try await bob.react("smile", to: first, in: channel, isAdded: false)
            try await world.wait { await reactions().isEmpty }
            try await bob.delete(first, in: channel)
            try await world.wait { await texts() == ["two"] }
            #expect(try await world.messages(in: channel).map(\.text) == ["two"])
            try await bob.rename(channel, to: "tram")
            try await world.wait { await list.snapshot.channels.first?.name == "tram" }
            try await bob.invite(["carol"], to: channel)
            try await world.wait { await list.snapshot.channels.first?.memberCount == 3 }
            try await bob.markAsRead(channel)
            try await bob.leave(channel)
            try await world.wait { await list.snapshot.channels.first?.memberCount == 2 }
            await #expect(throws: TestFailure.self) { try await bob.send("late", to: channel) }
        }
    }

    @Test func `the typing, freezing and deleting of a person reach the client`() async throws {
        try await TestWorld.run { world in
            let scene = try await Scene(world)
            let (bob, client) = (scene.bob, scene.client)
            let channel = try await bob.createChannel(
                with: ["alice"], name: "tram", operators: ["bob"])
            let list = try await client.channelList()
            func isFrozen() async -> Bool? {
                await list.snapshot.channels.first { $0.url == channel }?.isFrozen
            }
            try await world.wait { await isFrozen() == false }
            try await bob.startTyping(in: channel)
            try await world.wait { await client.typingUsers(in: channel).map(\.id) == ["bob"] }
            try await bob.endTyping(in: channel)
            try await world.wait { await client.typingUsers(in: channel).isEmpty }
            try await bob.freeze(channel)
            try await world.wait { await isFrozen() == true }
            try await bob.freeze(channel, isFrozen: false)
            try await world.wait { await isFrozen() == false }
            try await bob.deleteChannel(channel)
            try await world.wait { await isFrozen() == nil }
            await #expect(throws: TestFailure.self) { try await bob.deleteChannel(scene.channel) }
        }
    }

    /// Sends a message, a text or a file with a caption.
    private static func send(
        _ text: String, hasFile: Bool, _ client: ChatClient, to channel: ChannelURL
    ) async throws -> Message {
        guard hasFile else { return try await client.send(text, to: channel) }
        let file = OutgoingFile(.bytes([1, 2, 3]), name: "a.png", type: "image/png")
        return try await client.send(
            FileMessageParams(files: [file], caption: text), to: channel)
    }

    @Test func `the log of a channel that the server does not have is a failure`() async throws {
        try await TestWorld.run { world in
            _ = await #expect(throws: TestFailure.self) { try await world.messages(in: "nowhere") }
        }
    }

    @Test(arguments: [false, true])
    func `a message over the socket meets its faults, with a file or without`(
        hasFile: Bool
    ) async throws {
        try await TestWorld.run { world in
            let scene = try await Scene(world)
            let (client, channel) = (scene.client, scene.channel)
            scene.phone.inject(.refusedMessage)
            _ = try await Self.send("refused", hasFile: hasFile, client, to: channel)
            func statuses() async -> [SendingStatus] {
                await client.unsentMessages(in: channel).map(\.status)
            }
            try await world.wait { await statuses() == [.failed] }
            #expect(try await world.messages(in: channel).isEmpty)
            scene.phone.inject(.lostAcknowledgement)
            _ = try await Self.send("unsure", hasFile: hasFile, client, to: channel)
            try await world.wait {
                try await world.messages(in: channel).map(\.text) == ["unsure"]
            }
            await world.pass(.seconds(1))
            #expect(await statuses() == [.failed, .pending])
            await scene.phone.cutLink()
            scene.phone.restoreLink()
            try await world.wait { await statuses() == [.failed] }
            #expect(try await world.messages(in: channel).map(\.text) == ["unsure"])
        }
    }

    @Test func `a cut loses the requests on their way although the link is soon back`()
        async throws
    {
        try await TestWorld.run { world in
            let scene = try await Scene(world)
            await world.pass()
            scene.phone.setDelay(.seconds(3))
            let client = scene.client
            async let channel = client.createChannel(ChannelCreateParams(memberIDs: ["bob"]))
            await world.pass(.seconds(1))
            await scene.phone.cutLink()
            scene.phone.restoreLink()
            do {
                Issue.record("\(try await channel.url) was made.")
            } catch {
                #expect((error as? RoostError)?.remedy == .retry)
            }
            scene.phone.setDelay(nil)
            let list = try await client.channelList()
            await world.pass(.seconds(20))
            #expect(await list.snapshot.channels.map(\.url) == [scene.channel])
        }
    }

    @Test(arguments: TestFault.allCases, [false, true])
    func `a message is stored once whatever fault meets it`(
        fault: TestFault, hasFile: Bool
    ) async throws {
        try await TestWorld.run { world in
            let scene = try await Scene(world)
            let (client, channel) = (scene.client, scene.channel)
            _ = try await client.timeline(of: channel)
            await world.pass()
            scene.phone.inject(fault, times: 2)
            let message = try await Self.send("once", hasFile: hasFile, client, to: channel)
            await world.pass(.seconds(120))
            scene.phone.inject(fault, times: 0)
            await scene.phone.cutLink()
            scene.phone.restoreLink()
            await world.pass(.seconds(60))
            if let requestID = message.requestID { await client.resend(requestID) }
            try await world.wait {
                try await world.messages(in: channel).map(\.text) == ["once"]
            }
            await world.pass(.seconds(60))
            #expect(try await world.messages(in: channel).map(\.text) == ["once"])
        }
    }

    @Test func `a delay lets the client's limit pass`() async throws {
        try await TestWorld.run { world in
            let scene = try await Scene(world)
            scene.phone.setDelay(.seconds(6))
            let start = world.now
            let failure = await #expect(throws: RoostError.self) {
                _ = try await scene.client.createChannel(ChannelCreateParams(memberIDs: ["bob"]))
            }
            #expect(failure?.remedy == .retry)
            #expect(world.now - start < .seconds(10))
            scene.phone.setDelay(nil)
        }
    }

    @Test func `a full disk fails a send, and the next one succeeds when there is room`()
        async throws
    {
        try await TestWorld.run { world in
            let scene = try await Scene(world)
            scene.phone.fillDisk()
            let failure = await #expect(throws: RoostError.self) {
                try await scene.client.send("lost", to: scene.channel)
            }
            #expect(failure?.remedy == .repairStorage)
            #expect(
                failure?.message.hasPrefix(
                    "The message was not saved, because the disk is full") == true)
            scene.phone.freeDisk()
            try await scene.client.send("kept", to: scene.channel)
            try await world.wait {
                try await world.messages(in: scene.channel).map(\.text) == ["kept"]
            }
        }
    }

    @Test func `a crash ends the calls of the app, and the disk stays`() async throws {
        try await TestWorld.run { world in
            let scene = try await Scene(world)
            await scene.phone.cutLink()
            try await scene.client.send("kept", to: scene.channel)
            await scene.phone.crash()
            await #expect(throws: RoostError.self) {
                try await scene.client.send("late", to: scene.channel)
            }
            let next = try await scene.phone.launch()
            let unsent = await next.unsentMessages(in: scene.channel)
            #expect(unsent.map(\.text) == ["kept"])
        }
    }
}
