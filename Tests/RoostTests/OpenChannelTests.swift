// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
import RoostModel
import RoostTestKit
import Testing

/// Open channels: entered, used live, and never cached.
struct OpenChannelTests {
    /// Two users outside of Alice's open channel "plaza"; the events of the first are recorded.
    private struct Plaza {
        let phone: SimulatedWorld.Device
        let alice: ChatClient
        let bob: ChatClient
        let url: ChannelURL = "plaza"
        let heard = Guarded([ChatEvent]())

        init(_ world: SimulatedWorld) async throws {
            phone = world.device(of: "alice")
            alice = try await world.launch(phone)
            bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            let params = OpenChannelCreateParams(name: "Plaza", url: url, customType: "square")
            #expect(try await alice.createOpenChannel(params).name == "Plaza")
            let events = await alice.events()
            Task(executorPreference: world.executor) { [heard] in
                for await event in events { heard.withLock { $0.append(event) } }
            }
            await world.pass()
        }

        func enter() async throws {
            try await alice.enter(url)
            try await bob.enter(url)
        }

        /// Returns the events of open channels since the last call, once all have come.
        func take(_ world: SimulatedWorld) async -> [ChatEvent] {
            await world.pass()
            await alice.waitUntilIdle()
            let events = heard.withLock { events in
                defer { events = [] }
                return events
            }
            return events.compactMap {
                if case .openChannel(let event) = $0 { event } else { nil }
            }
        }

        func close() async {
            await alice.close()
            await bob.close()
        }
    }

    private static func play(
        _ scene: @escaping @Sendable (Plaza, SimulatedWorld) async throws -> Void
    ) throws {
        try SimulatedWorld.play(seed: 91) { world in
            let plaza = try await Plaza(world)
            try await scene(plaza, world)
            await plaza.close()
        }
    }

    private static func code(
        _ work: () async throws -> Void
    ) async -> RoostError.Code? {
        do { try await work() } catch { return (error as? RoostError)?.code }
        return nil
    }

    private static func text(_ event: ChatEvent) -> String? {
        if case .messageReceived(let message) = event { message.text } else { nil }
    }

    // MARK: Channels

    @Test func `open channels are created, changed, found and deleted`() throws {
        try Self.play { plaza, _ in
            let (alice, bob) = (plaza.alice, plaza.bob)
            _ = try await bob.createOpenChannel(
                OpenChannelCreateParams(name: "park", url: "park"))
            let changed = try await alice.updateOpenChannel(
                plaza.url, OpenChannelUpdateParams(name: "Great Plaza", data: "d"))
            #expect(changed.name == "Great Plaza" && changed.customType == "square")
            let found = try await bob.openChannel(plaza.url)
            #expect(found == changed)
            #expect(found.operators.map(\.id) == ["alice"] && found.participantCount == 0)
            #expect(found.createdAt > Timestamp(milliseconds: 0) && found.metadata == [:])
            let byName = try await bob.openChannels(OpenChannelQuery(nameContains: "PLAZA"))
            #expect(byName.elements.map(\.url) == [plaza.url])
            let byType = try await bob.openChannels(OpenChannelQuery(customTypes: ["square"]))
            #expect(byType.elements.map(\.url) == [plaza.url])
            let byURL = try await bob.openChannels(OpenChannelQuery(urlContains: "par"))
            #expect(byURL.elements.map(\.name) == ["park"])
            let first = try await bob.openChannels(pageSize: 1)
            let second = try await bob.openChannels(pageSize: 1, after: first.next)
            #expect((first.elements + second.elements).count == 2 && first != second)
            try await alice.setFrozen(true, openChannel: plaza.url)
            #expect(try await bob.openChannel(plaza.url).isFrozen)
            let free = try await bob.openChannels(OpenChannelQuery(includesFrozen: false))
            #expect(free.elements.map(\.url) == ["park"])
            #expect(
                await Self.code { try await bob.deleteOpenChannel(plaza.url) } == .notAuthorized)
            try await alice.deleteOpenChannel(plaza.url)
            #expect(
                await Self.code { _ = try await bob.openChannel(plaza.url) } == .channelNotFound)
        }
    }

    @Test func `a group channel is no open channel`() throws {
        try Self.play { plaza, _ in
            let group = try await plaza.alice.createChannel(ChannelCreateParams(memberIDs: ["bob"]))
            let code = await Self.code { _ = try await plaza.bob.enter(group.url) }
            #expect(code == RoostError.Code(900_090))
            #expect(await plaza.bob.enteredOpenChannels().isEmpty)
        }
    }

    @Test func `each call needs a connection`() throws {
        try Self.play { plaza, _ in
            let (alice, url) = (plaza.alice, plaza.url)
            await alice.disconnect()
            #expect(await Self.code { _ = try await alice.openChannels() } == .connectionRequired)
            #expect(await Self.code { _ = try await alice.enter(url) } == .connectionRequired)
            #expect(await Self.code { try await alice.exit(url) } == .connectionRequired)
            #expect(
                await Self.code {
                    _ = try await alice.sendNow(UserMessageParams(text: "x"), toOpenChannel: url)
                } == .connectionRequired)
        }
    }

    // MARK: Live events

    @Test func `messages, edits and deletions come live and are not cached`() throws {
        try Self.play { plaza, world in
            try await plaza.enter()
            _ = await plaza.take(world)
            let sent = try await plaza.bob.sendNow(
                UserMessageParams(text: "hello"), toOpenChannel: plaza.url)
            let id = try #require(sent.messageID)
            #expect(sent.isInOpenChannel && sent.text == "hello")
            let edited = try await plaza.bob.editNow(
                id, inOpenChannel: plaza.url, MessageEdit(text: "hello all"))
            #expect(edited.text == "hello all")
            try await plaza.bob.deleteNow(id, inOpenChannel: plaza.url)
            let events = await plaza.take(world)
            #expect(events.count == 3 && events.first.flatMap(Self.text) == "hello")
            guard case .messageUpdated(let update) = events[1] else {
                return #expect(Bool(false), "\(events)")
            }
            #expect(update.text == "hello all")
            #expect(events[2] == .messageDeleted(id, plaza.url))
            #expect(try await plaza.alice.cachedChannel(plaza.url) == nil)
            #expect(try await plaza.alice.cachedMessage(id) == nil)
            #expect(try await plaza.bob.cachedMessage(id) == nil)
            #expect(await plaza.bob.unsentMessages(in: plaza.url).isEmpty)
        }
    }

    @Test func `entries and exits of others are reported with the number of participants`() throws {
        try Self.play { plaza, world in
            try await plaza.alice.enter(plaza.url)
            #expect(try await plaza.bob.enter(plaza.url).participantCount == 2)
            let entry = await plaza.take(world)
            guard case .entered(let user, participants: 2, plaza.url)? = entry.first else {
                return #expect(Bool(false), "\(entry)")
            }
            #expect(user.id == "bob" && entry.count == 1)
            #expect(await plaza.alice.enteredOpenChannels().map(\.participantCount) == [2])
            let inside = try await plaza.alice.participants(ofOpenChannel: plaza.url)
            #expect(inside.elements.map(\.id) == ["alice", "bob"])
            try await plaza.bob.exit(plaza.url)
            let exit = await plaza.take(world)
            guard case .exited(let other, participants: 1, plaza.url)? = exit.first else {
                return #expect(Bool(false), "\(exit)")
            }
            #expect(other.id == "bob" && exit.count == 1)
            #expect(await plaza.bob.enteredOpenChannels().isEmpty)
        }
    }

    @Test func `changes of an entered channel are reported, and its value follows them`() throws {
        try Self.play { plaza, world in
            try await plaza.enter()
            _ = await plaza.take(world)
            let (alice, bob, url) = (plaza.alice, plaza.bob, plaza.url)
            try await alice.setFrozen(true, openChannel: url)
            #expect(await plaza.take(world) == [.frozen(true, url)])
            #expect(await bob.enteredOpenChannels().first?.isFrozen == true)
            try await alice.updateOpenChannel(url, OpenChannelUpdateParams(name: "New"))
            #expect(await plaza.take(world) == [.channelChanged(url)])
            #expect(await bob.enteredOpenChannels().map(\.name) == ["New"])
            try await alice.createMetadata(["a": "1", "b": "2"], ofOpenChannel: url)
            try await alice.deleteMetadata("b", ofOpenChannel: url)
            #expect(await plaza.take(world).count == 2)
            #expect(await bob.enteredOpenChannels().first?.metadata == ["a": "1"])
            #expect(try await bob.metadata(ofOpenChannel: url) == ["a": "1"])
            try await alice.addOperators(["bob"], toOpenChannel: url)
            #expect(await plaza.take(world).count == 1)
            #expect(
                await bob.enteredOpenChannels().first?.operators.map(\.id) == ["alice", "bob"])
            try await alice.deleteOpenChannel(url)
            #expect(await plaza.take(world) == [.channelDeleted(url)])
            #expect(await bob.enteredOpenChannels().isEmpty)
        }
    }

    // MARK: Reconnection

    @Test func `an entered channel is entered again after a reconnection`() throws {
        try Self.play { plaza, world in
            try await plaza.enter()
            _ = await plaza.take(world)
            await plaza.phone.network.cut()
            await world.pass()
            try await plaza.bob.sendNow(UserMessageParams(text: "lost"), toOpenChannel: plaza.url)
            plaza.phone.network.restore()
            await world.pass(.seconds(60))
            _ = await plaza.take(world)
            try await plaza.bob.sendNow(UserMessageParams(text: "seen"), toOpenChannel: plaza.url)
            #expect(await plaza.take(world).compactMap(Self.text) == ["seen"])
            // The history has the messages of the absence.
            let history = try await plaza.alice.fetchMessages(
                ofOpenChannel: plaza.url, around: .distantFuture, older: 10)
            #expect(history.map(\.text) == ["lost", "seen"])
        }
    }

    @Test func `a channel that the user has left is not entered again`() throws {
        try Self.play { plaza, world in
            try await plaza.enter()
            await plaza.phone.network.cut()
            await world.pass()
            #expect(
                await Self.code { try await plaza.alice.exit(plaza.url) } == .connectionRequired)
            plaza.phone.network.restore()
            await world.pass(.seconds(60))
            _ = await plaza.take(world)
            try await plaza.bob.sendNow(UserMessageParams(text: "unseen"), toOpenChannel: plaza.url)
            #expect(await plaza.take(world).isEmpty)
            let inside = try await plaza.bob.participants(ofOpenChannel: plaza.url)
            #expect(inside.elements.map(\.id) == ["bob"])
        }
    }

    @Test func `a user who was banned during an absence learns that they are outside`() throws {
        try Self.play { plaza, world in
            try await plaza.enter()
            try await plaza.alice.addOperators(["bob"], toOpenChannel: plaza.url)
            await plaza.phone.network.cut()
            await world.pass()
            try await plaza.bob.ban("alice", fromOpenChannel: plaza.url)
            _ = await plaza.take(world)
            plaza.phone.network.restore()
            await world.pass(.seconds(60))
            let events = await plaza.take(world)
            guard case .exited(let user, _, plaza.url)? = events.last else {
                return #expect(Bool(false), "\(events)")
            }
            #expect(user.id == "alice")
            #expect(await plaza.alice.enteredOpenChannels().isEmpty)
        }
    }

    // MARK: Moderation

    @Test func `banned and muted users are listed, and may not enter or write`() throws {
        try Self.play { plaza, world in
            try await plaza.enter()
            _ = await plaza.take(world)
            let (alice, bob, url) = (plaza.alice, plaza.bob, plaza.url)
            func write() async -> RoostError.Code? {
                await Self.code {
                    _ = try await bob.sendNow(UserMessageParams(text: "x"), toOpenChannel: url)
                }
            }
            try await alice.muteNow("bob", inOpenChannel: url, reason: "loud")
            #expect(
                try await alice.mutedUsers(ofOpenChannel: url).elements.map(\.reason) == ["loud"])
            #expect(await write() == RoostError.Code.mutedInChannel)
            try await alice.unmuteNow("bob", inOpenChannel: url)
            #expect(await write() == nil)
            try await alice.ban("bob", fromOpenChannel: url)
            await world.pass()
            #expect(await bob.enteredOpenChannels().isEmpty)
            #expect(
                try await alice.bannedUsers(ofOpenChannel: url).elements.map(\.user.id) == ["bob"])
            #expect(await Self.code { _ = try await bob.enter(url) } == RoostError.Code.banned)
            try await alice.unban("bob", fromOpenChannel: url)
            try await bob.enter(url)
            let operators = try await alice.operators(ofOpenChannel: url)
            #expect(operators.elements.map(\.id) == ["alice"])
        }
    }

    @Test func `counters of an open channel are read and changed`() throws {
        try Self.play { plaza, _ in
            let (alice, url) = (plaza.alice, plaza.url)
            #expect(
                try await alice.createCounters(["likes": 1], ofOpenChannel: url) == ["likes": 1])
            let more = try await alice.changeCounters(["likes": 2], ofOpenChannel: url, .increase)
            #expect(more == ["likes": 3])
            try await alice.deleteCounters("likes", ofOpenChannel: url)
            #expect(try await alice.counters(ofOpenChannel: url).isEmpty)
            try await alice.updateMetadata(["k": "v"], ofOpenChannel: url, addsMissing: true)
            #expect(try await alice.metadata(ofOpenChannel: url, keys: ["k"]) == ["k": "v"])
        }
    }

    // MARK: Sending

    @Test func `a message is refused outside of the channel`() throws {
        try Self.play { plaza, _ in
            let code = await Self.code {
                _ = try await plaza.bob.sendNow(
                    UserMessageParams(text: "x"), toOpenChannel: plaza.url)
            }
            #expect(code == .notAMember)
        }
    }

    @Test func `a message that is sent twice under one request ID counts once`() throws {
        try Self.play { plaza, _ in
            try await plaza.enter()
            let params = UserMessageParams(text: "once")
            let first = try await plaza.bob.sendNow(params, toOpenChannel: plaza.url, as: "r")
            let second = try await plaza.bob.sendNow(params, toOpenChannel: plaza.url, as: "r")
            #expect(first.messageID == second.messageID)
            let message = try await plaza.alice.fetchMessage(
                try #require(first.messageID), inOpenChannel: plaza.url)
            #expect(message.text == "once")
        }
    }

    @Test func `a group channel beside an entered open channel is cached as ever`() throws {
        try Self.play { plaza, world in
            try await plaza.enter()
            let group = try await plaza.alice.createChannel(ChannelCreateParams(memberIDs: ["bob"]))
            try await plaza.bob.send("stored", to: group.url)
            await world.pass()
            let cached = try await plaza.alice.cachedMessages(of: group.url)
            #expect(cached.map(\.text) == ["stored"])
        }
    }
}
