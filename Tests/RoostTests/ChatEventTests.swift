// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
import RoostTestKit
import Testing

/// The events that an app gets.
struct ChatEventTests {
    /// Two users in one channel; the events of the first are recorded.
    private struct Pair {
        let alice: ChatClient
        let bob: ChatClient
        let url: ChannelURL
        let phone: SimulatedWorld.Device
        let heard = Guarded([ChatEvent]())

        init(_ world: SimulatedWorld) async throws {
            phone = world.device(of: "alice")
            alice = try await world.launch(phone)
            bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            var params = ChannelCreateParams(memberIDs: ["alice"], name: "talk")
            params.operatorIDs = ["bob"]
            url = try await bob.createChannel(params).url
            await world.pass()
            let events = await alice.events()
            Task(executorPreference: world.executor) { [heard] in
                for await event in events { heard.withLock { $0.append(event) } }
            }
            await world.pass()
        }

        /// Returns the events since the last call, once all have come.
        func take(_ world: SimulatedWorld) async -> [ChatEvent] {
            await world.pass(.milliseconds(700))
            await alice.waitUntilIdle()
            return heard.withLock { events in
                defer { events = [] }
                return events
            }
        }
    }

    private static func play(
        _ story: @escaping @Sendable (SimulatedWorld, Pair) async throws -> Void
    ) throws {
        try SimulatedWorld.play(seed: 21) { world in try await story(world, Pair(world)) }
    }

    @Test
    func `events of a channel that cannot be looked up do not accumulate (scar 144)`() throws {
        try Self.play { world, pair in
            func told() async -> Int {
                await pair.take(world).count { event in
                    if case .joined = event { true } else { false }
                }
            }
            _ = await pair.take(world)
            pair.phone.network.weather.refusedRequest = 1000
            for number in 0..<130 {
                try await pair.bob.makeNow(.invite([UserID("u\(number)")]), in: pair.url)
                await world.pass(.milliseconds(100))
            }
            // Each invitation is two events, and a hundred wait.
            #expect(await told() == 80)
            pair.phone.network.weather = .calm
            try await pair.bob.makeNow(.invite(["last"]), in: pair.url)
            // The retries had become rare.
            await world.pass(.seconds(60))
            #expect(await told() == 51)
        }
    }

    @Test
    func `messages, mentions, edits and deletions of others are reported in order (R190)`() throws {
        try Self.play { world, pair in
            var params = UserMessageParams(text: "hi")
            params.mention = Mention(userIDs: ["alice"])
            try await pair.bob.send(params, to: pair.url)
            let events = await pair.take(world)
            guard case .messageReceived(let message)? = events.first,
                let id = message.messageID
            else {
                Issue.record("The first event is \(String(describing: events.first)).")
                return
            }
            #expect(events.contains(.mentioned(message)) && message.text == "hi")
            let channel = try await pair.alice.channel(pair.url)
            #expect(channel.unreadMessageCount == 1 && channel.unreadMentionCount == 1)
            // The user's own messages are no events.
            try await pair.alice.send("mine", to: pair.url)
            #expect(
                await pair.take(world).allSatisfy { event in
                    if case .messageReceived = event { false } else { true }
                })
            try await pair.bob.edit(id, in: pair.url, text: "hello")
            let edits = await pair.take(world)
            #expect(
                edits.contains { event in
                    if case .messageUpdated(let message) = event {
                        message.text == "hello"
                    } else {
                        false
                    }
                })
            try await pair.bob.delete(id, in: pair.url)
            #expect(await pair.take(world).contains(.messageDeleted(id, pair.url)))
        }
    }

    @Test
    func `an own edit is an event on the user's other devices only (R190)`() throws {
        try Self.play { world, pair in
            let tablet = try await world.launch(world.device(of: "alice"))
            try await tablet.connect()
            let events = await tablet.events()
            let texts = Guarded([String]())
            Task(executorPreference: world.executor) {
                for await event in events {
                    guard case .messageUpdated(let message) = event else { continue }
                    texts.withLock { $0.append(message.text) }
                }
            }
            try await pair.alice.send("mine", to: pair.url)
            _ = await pair.take(world)
            let own = try #require(try await world.log(of: pair.url).last?.messageID)
            try await pair.alice.edit(own, in: pair.url, text: "mine!")
            #expect(
                await pair.take(world).allSatisfy { event in
                    if case .messageUpdated = event { false } else { true }
                })
            await world.pass()
            #expect(try await world.log(of: pair.url).map(\.text) == ["mine!"])
            #expect(texts.withLock { $0 } == ["mine!"])
            await tablet.close()
        }
    }

    @Test
    func `an event comes when its change is on disk (R89)`() throws {
        try Self.play { world, pair in
            let events = await pair.alice.events()
            let url = pair.url
            let found = Guarded([String]())
            Task(executorPreference: world.executor) { [alice = pair.alice] in
                for await event in events {
                    let channel = try await alice.channel(url)
                    switch event {
                    case .channelChanged: found.withLock { $0.append(channel.name) }
                    case .frozen: found.withLock { $0.append("\(channel.isFrozen)") }
                    case .joined: found.withLock { $0.append("\(channel.memberCount)") }
                    case .operatorsChanged: found.withLock { $0.append("\(channel.myRole)") }
                    case .metadataChanged:
                        found.withLock { $0.append(channel.metadata?["k"] ?? "") }
                    default: break
                    }
                }
            }
            try await pair.bob.makeNow(.update(ChannelUpdateParams(name: "new")), in: url)
            await world.pass()
            try await pair.bob.setFrozen(true, url)
            await world.pass()
            try await pair.bob.makeNow(.invite(["carol"]), in: url)
            await world.pass()
            try await pair.bob.addOperators(["alice"], to: url)
            await world.pass()
            try await pair.bob.createMetadata(["k": "v"], of: url)
            await world.pass()
            #expect(found.withLock { $0 } == ["new", "true", "3", "operator", "v"])
        }
    }

    @Test
    func `typing ends ten seconds after the last signal, and with the message (scar 122)`()
        throws
    {
        try Self.play { world, pair in
            let url = pair.url
            await pair.bob.startTyping(in: url)
            #expect(await pair.take(world).map(\.typists) == [["bob"]])
            #expect(await pair.alice.typingUsers(in: url).map(\.id) == ["bob"])
            // Bob's own list does not have him.
            #expect(await pair.bob.typingUsers(in: url) == [])
            // Nine seconds after the signal the typing goes on.
            await world.pass(.milliseconds(8_300))
            #expect(await pair.alice.typingUsers(in: url).map(\.id) == ["bob"])
            await world.pass(.seconds(1))
            #expect(await pair.take(world).map(\.typists) == [[]])
            #expect(await pair.alice.typingUsers(in: url) == [])
            await pair.bob.startTyping(in: url)
            await world.pass(.seconds(1))
            await pair.bob.endTyping(in: url)
            #expect(await pair.take(world).map(\.typists) == [["bob"], []])
            await world.pass(.seconds(2))
            await pair.bob.startTyping(in: url)
            _ = await pair.take(world)
            try await pair.bob.send("done", to: url)
            #expect(await pair.take(world).compactMap(\.typists).last == [])
            // It also ends with the connection, long before the ten seconds.
            await world.pass(.seconds(2))
            await pair.bob.startTyping(in: url)
            #expect(await pair.take(world).compactMap(\.typists) == [["bob"]])
            await pair.phone.network.cut()
            await world.pass(.seconds(1))
            #expect(pair.heard.withLock { $0 }.compactMap(\.typists) == [[]])
            #expect(await pair.alice.typingUsers(in: url) == [])
        }
    }

    @Test
    func `read and delivery receipts of others are in the cached channel`() throws {
        try Self.play { world, pair in
            try await pair.alice.send("read me", to: pair.url)
            let told = await pair.take(world)
            var channel = try await pair.alice.channel(pair.url)
            let message = try #require(channel.lastMessage)
            #expect(channel.unreadMembers(of: message).map(\.id) == ["bob"])
            // Bob's client sends the delivery receipt by itself.
            #expect(channel.undeliveredMembers(of: message).isEmpty)
            #expect(told.contains { if case .delivered(_, pair.url) = $0 { true } else { false } })
            try await pair.bob.markAsReadNow(pair.url, awaitingServer: true)
            let events = await pair.take(world)
            #expect(
                events.contains { event in
                    if case .read(let user, _, _) = event { user.id == "bob" } else { false }
                })
            channel = try await pair.alice.channel(pair.url)
            #expect(channel.unreadMembers(of: message).isEmpty)
            // A sender has read the earlier messages.
            try await pair.alice.send("again", to: pair.url)
            await world.pass()
            try await pair.bob.send("yes", to: pair.url)
            await world.pass()
            channel = try await pair.alice.channel(pair.url)
            let receipt = try #require(channel.readReceipts?["bob"])
            #expect(receipt >= channel.lastMessage?.createdAt ?? .distantFuture)
            try await pair.alice.markAsDelivered(pair.url)
            let mine = try await pair.alice.channel(pair.url).deliveryReceipts?["alice"]
            #expect(mine ?? .distantPast > receipt)
        }
    }

    @Test
    func `a hundred read marks in a second are one request (scars 112, 113, 114)`()
        throws
    {
        try Self.play { world, pair in
            let sent = Guarded(0)
            pair.phone.network.observe { line in
                if line.hasPrefix("<< READ") || line.hasPrefix(">> READ") {
                    if line.contains("req_id") { sent.withLock { $0 += 1 } }
                }
            }
            try await pair.bob.send("hi", to: pair.url)
            await world.pass()
            let (alice, url) = (pair.alice, pair.url)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask(executorPreference: world.executor) {
                        try await alice.markAsReadNow(url, awaitingServer: true)
                    }
                }
                try await group.waitForAll()
            }
            for _ in 0..<100 { try await alice.markAsReadNow(url, awaitingServer: true) }
            await world.pass()
            // The command and its answer.
            #expect(sent.withLock { $0 } == 2)
            let channel = try await alice.channel(url)
            #expect(channel.unreadMessageCount == 0)
            #expect(
                channel.myLastRead ?? .distantPast
                    >= channel.lastMessage?.createdAt ?? .distantFuture)
            #expect(try await alice.unreadTotals() == alice.fetchUnreadTotals())
        }
    }

    @Test
    func `totals from disk equal the server's, without hidden and uncounted channels`() throws {
        try Self.play { world, pair in
            var urls = [pair.url]
            for name in ["loud", "hidden", "off"] {
                let params = ChannelCreateParams(
                    memberIDs: ["alice"], name: name, customType: name)
                urls.append(try await pair.bob.createChannel(params).url)
            }
            await world.pass()
            for url in urls {
                var params = UserMessageParams(text: "x")
                params.mention = Mention(kind: .channel)
                try await pair.bob.send(params, to: url)
                try await pair.bob.send("y", to: url)
            }
            await world.pass()
            try await pair.alice.makeNow(.hide(allowsAutoUnhide: true), in: urls[2])
            try await pair.alice.makeNow(.setCountPreference(.off), in: urls[3])
            let totals = try await pair.alice.unreadTotals()
            #expect(totals.messages == 4 && totals.mentions == 2 && totals.channels == 2)
            #expect(try await pair.alice.fetchUnreadTotals() == totals)
            let loud = try await pair.alice.unreadTotals(customTypes: ["loud"])
            #expect(try await pair.alice.fetchUnreadTotals(customTypes: ["loud"]) == loud)
            #expect(loud.channels == 1)
            try await pair.alice.markAllAsRead()
            let events = await pair.take(world)
            #expect(events.contains(.unreadTotalChanged(0)))
            #expect(try await pair.alice.unreadTotals() == UnreadTotals())
        }
    }

    @Test
    func `events about users and restrictions have all known details`() throws {
        try Self.play { world, pair in
            let (bob, url) = (pair.bob, pair.url)
            try await bob.makeNow(.invite(["carol"]), in: url)
            let joined = await pair.take(world)
            #expect(
                joined.contains { event in
                    if case .joined(let members, url) = event {
                        members.map(\.id) == ["carol"]
                    } else {
                        false
                    }
                })
            try await bob.makeNow(.mute("alice", for: .seconds(60), reason: "loud"), in: url)
            let muted = await pair.take(world).compactMap(\.muted)
            #expect(muted.map(\.id) == ["alice"] && muted.first?.reason == "loud")
            #expect(muted.first?.until != nil)
            #expect(try await pair.alice.channel(url).isMuted)
            try await bob.createCounters(["n": 4], of: url)
            #expect(
                await pair.take(world).contains(
                    .countersChanged(created: ["n": 4], updated: [:], deleted: [], url)))
            try await bob.block("alice")
            #expect(
                await pair.take(world).contains { event in
                    if case .blocked(let user, let blocker) = event {
                        user.id == "alice" && blocker.id == "bob"
                    } else {
                        false
                    }
                })
            try await bob.ban("alice", from: url)
            #expect(
                await pair.take(world).contains { event in
                    if case .banned(let user, url) = event { user.id == "alice" } else { false }
                })
        }
    }

    @Test
    func `a slow reader learns how many events it missed (scar 86)`() throws {
        try Self.play { world, pair in
            let events = await pair.alice.events()
            for number in 0..<200 { try await pair.bob.send("\(number)", to: pair.url) }
            await world.pass(.seconds(60))
            await pair.bob.waitUntilIdle()
            await pair.alice.close()
            var received = 0
            var missed = 0
            var count = 0
            for await event in events {
                count += 1
                switch event {
                case .messageReceived: received += 1
                case .missed(let number): missed += number
                default: break
                }
            }
            #expect(count <= 256)
            let told = pair.heard.withLock { $0.count }
            #expect(received <= 200 && missed + count - (missed > 0 ? 1 : 0) == told)
        }
    }

    @Test
    func `an event whose channel cannot be looked up waits until the disk has it (R89)`() throws {
        try Self.play { world, pair in
            pair.phone.network.weather.refusedRequest = 1000
            try await pair.bob.makeNow(.invite(["carol"]), in: pair.url)
            let isTold = { (events: [ChatEvent]) in
                events.contains { if case .joined = $0 { true } else { false } }
            }
            // Long enough for every retry of one connection.
            await world.pass(.seconds(300))
            #expect(await !isTold(pair.take(world)))
            #expect(try await pair.alice.channel(pair.url).memberCount == 2)
            await pair.phone.network.cut()
            pair.phone.network.weather = .calm
            pair.phone.network.restore()
            await world.pass(.seconds(30))
            #expect(await isTold(pair.take(world)))
            #expect(try await pair.alice.channel(pair.url).memberCount == 3)
        }
    }

    @Test func `the first message of an unknown channel is reported`() throws {
        try Self.play { world, pair in
            let url = try await pair.bob.createChannel(
                ChannelCreateParams(memberIDs: ["alice"], name: "new")
            ).url
            try await pair.bob.send("first", to: url)
            let events = await pair.take(world)
            #expect(
                events.contains { event in
                    if case .messageReceived(let message) = event {
                        message.text == "first"
                    } else {
                        false
                    }
                })
            #expect(try await pair.alice.channel(url).name == "new")
        }
    }

    @Test func `an own reaction and an own deletion are reported once`() throws {
        try Self.play { world, pair in
            try await pair.bob.send("hi", to: pair.url)
            await world.pass()
            let timeline = try await pair.alice.timeline(of: pair.url)
            await world.pass()
            let id = try #require(await timeline.snapshot.messages.first?.messageID)
            _ = await pair.take(world)
            try await pair.alice.addReaction("+1", to: .delivered(id), in: pair.url)
            let events = await pair.take(world)
            #expect(
                events.count { if case .reactionChanged = $0 { true } else { false } } == 1)
            try await pair.alice.send("mine", to: pair.url)
            await world.pass()
            let own = try #require(await timeline.snapshot.messages.last?.messageID)
            try await pair.alice.delete(.delivered(own), in: pair.url)
            let deletion = ChatEvent.messageDeleted(own, pair.url)
            #expect(await pair.take(world).filter { $0 == deletion }.count == 1)
        }
    }

    private static func unmuted(_ events: [ChatEvent]) -> Int {
        events.count { if case .unmuted(let user, _) = $0 { user.id == "alice" } else { false } }
    }

    @Test func `the end of a mute is reported once, without an event of the server (scar 128)`()
        throws
    {
        try Self.play { world, pair in
            let list = try await pair.alice.channelList()
            try await pair.bob.makeNow(.mute("alice", for: .seconds(60), reason: ""), in: pair.url)
            await world.pass(.seconds(50))
            #expect(await list.snapshot.channels.map(\.isMuted) == [true])
            #expect(await Self.unmuted(pair.take(world)) == 0)
            await world.pass(.seconds(15))
            #expect(await list.snapshot.channels.map(\.isMuted) == [false])
            await world.pass(.seconds(200))
            #expect(await Self.unmuted(pair.take(world)) == 1)
        }
    }

    @Test func `a mute that ends without a connection is reported after the next login`()
        throws
    {
        try Self.play { world, pair in
            let timeline = try await pair.alice.timeline(of: pair.url)
            try await pair.bob.makeNow(.mute("alice", for: .seconds(60), reason: ""), in: pair.url)
            await world.pass(.seconds(5))
            // The mute is extended, so its first end no longer holds.
            try await pair.bob.makeNow(.mute("alice", for: .seconds(100), reason: ""), in: pair.url)
            await world.pass(.seconds(70))
            #expect(try await pair.alice.cachedChannel(pair.url)?.isMuted == true)
            await pair.phone.network.cut()
            await world.pass(.seconds(100))
            #expect(await Self.unmuted(pair.take(world)) == 0)
            pair.phone.network.restore()
            try await pair.alice.connect()
            await world.pass()
            #expect(try await pair.alice.cachedChannel(pair.url)?.isMuted == false)
            await timeline.close()
        }
    }
}

extension ChatEvent {
    fileprivate var typists: [UserID]? {
        if case .typing(let users, _) = self { users.map(\.id) } else { nil }
    }

    fileprivate var muted: RestrictedUser? {
        if case .muted(let user, _) = self { user } else { nil }
    }
}
