// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
import RoostTestKit
import Testing

/// An app's calls on channels, and their effects in its cache and those of other users.
struct ChannelActionTests {
    /// Three users in one channel, which alice made and operates; all connected.
    private struct Trio {
        let alice: ChatClient
        let bob: ChatClient
        let carol: ChatClient
        let url: ChannelURL
        let network: SimulatedNetwork

        init(_ world: SimulatedWorld) async throws {
            let phone = world.device(of: "alice")
            network = phone.network
            alice = try await world.launch(phone)
            bob = try await world.launch(world.device(of: "bob"))
            carol = try await world.launch(world.device(of: "carol"))
            for client in [alice, bob, carol] { try await client.connect() }
            var params = ChannelCreateParams(memberIDs: ["bob", "carol"], name: "trip")
            params.operatorIDs = ["alice"]
            url = try await alice.createChannel(params).url
            await world.pass()
        }
    }

    private static func play(
        _ story: @escaping @Sendable (SimulatedWorld, Trio) async throws -> Void
    ) throws {
        try SimulatedWorld.play(seed: 11) { world in try await story(world, Trio(world)) }
    }

    /// The channel in a client's cache.
    private static func cached(
        _ url: ChannelURL, _ client: ChatClient
    ) async throws -> GroupChannel? {
        var query = ChannelListQuery(order: .chronological)
        query.filter.hidden = .all
        let list = try await client.channelList(query)
        defer { Task { await list.close() } }
        return await list.snapshot.channels.first { $0.url == url }
    }

    @Test
    func `an update is on disk when it returns, and soon at all members`() throws {
        try Self.play { world, trio in
            var params = ChannelUpdateParams(name: "journey", data: "d", customType: "t")
            params.operatorIDs = ["alice", "bob"]
            try await trio.alice.makeNow(.update(params), in: trio.url)
            #expect(try await Self.cached(trio.url, trio.alice)?.name == "journey")
            await world.pass()
            let bobs = try #require(try await Self.cached(trio.url, trio.bob))
            #expect(bobs.name == "journey" && bobs.data == "d" && bobs.customType == "t")
            #expect(bobs.myRole == .operator)
        }
    }

    @Test
    func `a user who leaves, declines, is banned or loses the channel has no row of it (scar 58)`()
        throws
    {
        try Self.play { world, trio in
            try await trio.bob.makeNow(.leave, in: trio.url)
            #expect(try await Self.cached(trio.url, trio.bob) == nil)
            try await trio.alice.ban("carol", from: trio.url, reason: "why")
            #expect(try await Self.cached(trio.url, trio.alice)?.members.map(\.id) == ["alice"])
            let banned = try await trio.alice.bannedUsers(of: trio.url)
            #expect(banned.elements.map(\.id) == ["carol"])
            #expect(banned.elements.first?.reason == "why")
            #expect(banned.elements.first?.until == nil)
            await world.pass()
            #expect(try await Self.cached(trio.url, trio.carol) == nil)
            try await trio.alice.unban("carol", from: trio.url)
            try await trio.alice.makeNow(.invite(["carol"]), in: trio.url)
            await world.pass()
            #expect(try await Self.cached(trio.url, trio.carol)?.myState == .joined)
            try await trio.alice.deleteChannel(trio.url)
            await world.pass()
            for client in [trio.alice, trio.bob, trio.carol] {
                #expect(try await Self.cached(trio.url, client) == nil)
            }
        }
    }

    @Test(arguments: [false, true])
    func `a declined, banned or deleted channel leaves the user's other device too (scar 58)`(
        isAway: Bool
    ) throws {
        try SimulatedWorld.play(seed: 58) { world in
            let desk = world.device(of: "bob")
            let alice = try await world.launch(world.device(of: "alice"))
            let phone = try await world.launch(world.device(of: "bob"))
            let tablet = try await world.launch(desk)
            for client in [alice, phone, tablet] { try await client.connect() }
            var urls: [ChannelURL] = []
            for name in ["declined", "banned", "deleted"] {
                try await phone.setAcceptsInvitations(name != "declined")
                var params = ChannelCreateParams(memberIDs: ["bob"], name: name)
                params.operatorIDs = ["alice"]
                urls.append(try await alice.createChannel(params).url)
            }
            await world.pass(.seconds(1))
            for url in urls { #expect(try await Self.cached(url, tablet) != nil) }
            if isAway {
                await desk.network.cut()
                await world.pass(.seconds(60))
            }
            try await phone.declineInvitation(to: urls[0])
            try await alice.ban("bob", from: urls[1])
            try await alice.deleteChannel(urls[2])
            await world.pass(.seconds(1))
            for url in urls { #expect((try await Self.cached(url, tablet) != nil) == isAway) }
            if isAway {
                desk.network.restore()
                await tablet.networkChanged(isUp: true)
                await world.pass(.seconds(60))
                await tablet.waitUntilIdle()
            }
            for client in [phone, tablet] {
                for url in urls { #expect(try await Self.cached(url, client) == nil) }
            }
            for client in [alice, phone, tablet] { await client.close() }
        }
    }

    @Test
    func `a returning member sees in an open timeline the messages of the absence`()
        throws
    {
        try Self.play { world, trio in
            try await trio.bob.send("before", to: trio.url)
            let timeline = try await trio.carol.timeline(of: trio.url)
            await world.pass()
            #expect(await timeline.snapshot.messages.map(\.text) == ["before"])
            try await trio.carol.makeNow(.leave, in: trio.url)
            try await trio.bob.send("meanwhile", to: trio.url)
            await world.pass()
            #expect(await timeline.snapshot.messages.isEmpty)
            try await trio.alice.makeNow(.invite(["carol"]), in: trio.url)
            await world.pass()
            #expect(await timeline.snapshot.messages.map(\.text) == ["before", "meanwhile"])
        }
    }

    @Test
    func `viewing a public channel after leaving does not rejoin it, joining does`() throws {
        try Self.play { world, trio in
            var params = ChannelCreateParams(memberIDs: ["carol"], name: "open")
            params.isPublic = true
            let url = try await trio.bob.createChannel(params).url
            try await trio.bob.send("before", to: url)
            let timeline = try await trio.carol.timeline(of: url)
            await world.pass()
            try await trio.carol.makeNow(.leave, in: url)
            try await trio.bob.send("meanwhile", to: url)
            #expect(try await trio.carol.channel(url).myState != .joined)
            await world.pass()
            #expect(await timeline.snapshot.messages.isEmpty)
            try await trio.carol.join(url)
            await world.pass()
            #expect(await timeline.snapshot.messages.map(\.text) == ["before", "meanwhile"])
        }
    }

    @Test(arguments: [true, false])
    func `a hidden channel returns with a message or stays hidden, as requested (scar 107)`(
        allowsAutoUnhide: Bool
    ) throws {
        try Self.play { world, trio in
            let list = try await trio.alice.channelList()
            try await trio.alice.makeNow(.hide(allowsAutoUnhide: allowsAutoUnhide), in: trio.url)
            #expect(await list.snapshot.channels.isEmpty)
            try await trio.bob.send("hello", to: trio.url)
            await world.pass()
            #expect(await list.snapshot.channels.count == (allowsAutoUnhide ? 1 : 0))
            try await trio.alice.makeNow(.unhide, in: trio.url)
            #expect(await list.snapshot.channels.map(\.unreadMessageCount) == [1])
        }
    }

    @Test
    func `a reset history stays away and counts nothing (scar 59)`() throws {
        try Self.play { world, trio in
            try await trio.bob.send("old", to: trio.url)
            await world.pass()
            let timeline = try await trio.alice.timeline(of: trio.url)
            await world.pass()
            #expect(await timeline.snapshot.messages.count == 1)
            try await trio.alice.resetHistory(of: trio.url)
            #expect(await timeline.snapshot.messages.isEmpty)
            let channel = try #require(try await Self.cached(trio.url, trio.alice))
            #expect(channel.lastMessage == nil && channel.unreadMessageCount == 0)
            try await trio.bob.send("new", to: trio.url)
            await world.pass()
            #expect(await timeline.snapshot.messages.map(\.text) == ["new"])
            // Hiding with previous messages does the same.
            try await trio.alice.hideNow(trio.url, hidesPrevious: true)
            #expect(await timeline.snapshot.messages.isEmpty)
        }
    }

    @Test
    func `freezing, muting, operators and preferences are in the cache (scar 111)`() throws {
        try Self.play { world, trio in
            let alice = trio.alice
            try await alice.setFrozen(true, trio.url)
            #expect(try await Self.cached(trio.url, alice)?.isFrozen == true)
            await world.pass()
            #expect(try await Self.cached(trio.url, trio.bob)?.isFrozen == true)
            // A read mark, for which there has to be a message, does not open the channel.
            try await alice.send("from an operator", to: trio.url)
            await alice.waitUntilIdle()
            await world.pass()
            #expect(try await Self.cached(trio.url, trio.bob)?.unreadMessageCount == 1)
            try await trio.bob.markAsReadNow(trio.url, awaitingServer: true)
            await world.pass()
            #expect(try await Self.cached(trio.url, trio.bob)?.unreadMessageCount == 0)
            #expect(try await Self.cached(trio.url, trio.bob)?.isFrozen == true)
            try await alice.setFrozen(false, trio.url)
            try await alice.makeNow(.mute("bob", for: .seconds(60), reason: "loud"), in: trio.url)
            let member = try await Self.cached(trio.url, alice)?.members.first { $0.id == "bob" }
            #expect(member?.isMuted == true && member?.muteReason == "loud")
            #expect(try await alice.mutedUsers(of: trio.url).elements.map(\.id) == ["bob"])
            await world.pass()
            #expect(try await Self.cached(trio.url, trio.bob)?.isMuted == true)
            try await alice.makeNow(.unmute("bob"), in: trio.url)
            try await alice.addOperators(["bob"], to: trio.url)
            #expect(
                try await alice.operators(of: trio.url).elements.map(\.id).sorted()
                    == ["alice", "bob"])
            try await alice.removeOperators(["bob"], from: trio.url)
            try await alice.makeNow(.setCountPreference(.off), in: trio.url)
            try await alice.makeNow(.setPushTrigger(.mentions), in: trio.url)
            let channel = try #require(try await Self.cached(trio.url, alice))
            #expect(channel.countPreference == .off && channel.pushTrigger == .mentions)
            #expect(channel.members.filter { $0.role == .operator }.map(\.id) == ["alice"])
        }
    }

    @Test
    func `metadata and counters are written, reported and removed (scar 110)`() throws {
        try Self.play { world, trio in
            let (alice, url) = (trio.alice, trio.url)
            try await alice.createMetadata(["a": "1", "b": "2"], of: url)
            await #expect(throws: RoostError.self) {
                try await alice.createMetadata(["a": "3"], of: url)
            }
            #expect(try await alice.updateMetadata(["a": "4", "c": "5"], of: url) == ["a": "4"])
            try await alice.updateMetadata(["c": "5"], of: url, addsMissing: true)
            try await alice.deleteMetadata("b", of: url)
            let expected = ["a": "4", "c": "5"]
            #expect(try await alice.metadata(of: url) == expected)
            #expect(try await Self.cached(url, alice)?.metadata == expected)
            await world.pass()
            #expect(try await Self.cached(url, trio.bob)?.metadata == expected)
            // Other changes of the channel keep them.
            try await alice.makeNow(.update(ChannelUpdateParams(name: "x")), in: url)
            await world.pass()
            #expect(try await Self.cached(url, trio.bob)?.metadata == expected)
            try await alice.deleteMetadata(of: url)
            await world.pass()
            #expect(try await Self.cached(url, trio.bob)?.metadata == [:])

            try await alice.createCounters(["n": 5], of: url)
            #expect(try await alice.changeCounters(["n": 2], of: url, .decrease) == ["n": 3])
            #expect(try await trio.bob.counters(of: url) == ["n": 3])
            try await alice.deleteCounters(of: url)
            #expect(try await alice.counters(of: url) == [:])
        }
    }

    @Test
    func `members come page by page in the requested order`() throws {
        try Self.play { _, trio in
            var query = MemberQuery()
            query.order = .operatorsFirst
            query.pageSize = 2
            let first = try await trio.bob.members(of: trio.url, query)
            #expect(first.elements.map(\.id) == ["alice", "bob"])
            let token = try #require(first.next)
            let second = try await trio.bob.members(of: trio.url, query, after: token)
            #expect(second.elements.map(\.id) == ["carol"] && second.next == nil)
            query.isOperator = false
            query.nicknamePrefix = ""
            #expect(try await trio.bob.members(of: trio.url, query).elements.count == 2)
        }
    }

    @Test
    func `public channels are found, and entered with their access code`() throws {
        try Self.play { _, trio in
            var params = ChannelCreateParams(memberIDs: [], name: "club")
            params.isPublic = true
            params.accessCode = "open"
            let url = try await trio.alice.createChannel(params).url
            let found = try await trio.bob.publicChannels()
            #expect(found.elements.map(\.url) == [url])
            await #expect(throws: RoostError.self) { try await trio.bob.join(url) }
            #expect(try await trio.bob.join(url, accessCode: "open").myState == .joined)
            #expect(try await Self.cached(url, trio.bob) != nil)
        }
    }

    @Test
    func `a blocked user is listed until unblocked`() throws {
        try Self.play { _, trio in
            try await trio.alice.block("bob")
            #expect(try await trio.alice.blockedUsers().elements.map(\.id) == ["bob"])
            try await trio.alice.unblock("bob")
            #expect(try await trio.alice.blockedUsers().elements.isEmpty)
        }
    }

    @Test
    func `without a connection nothing changes, and the caller gets an error`() throws {
        try Self.play { world, trio in
            await trio.network.cut()
            await world.pass()
            await #expect(throws: RoostError.self) {
                try await trio.alice.makeNow(
                    .update(ChannelUpdateParams(name: "never")), in: trio.url)
            }
            await #expect(throws: RoostError.self) {
                try await trio.alice.markAsReadNow(trio.url, awaitingServer: true)
            }
            let channel = try await Self.cached(trio.url, trio.alice)
            #expect(channel?.name == "trip")
        }
    }

    @Test func `a message marked as unread is unread on each device until the next read mark`()
        throws
    {
        try SimulatedWorld.play(seed: 5) { world in
            let devices = [world.device(of: "alice"), world.device(of: "alice")]
            let phone = try await world.launch(devices[0])
            let laptop = try await world.launch(devices[1])
            let bob = try await world.launch(world.device(of: "bob"))
            for client in [phone, laptop, bob] { try await client.connect() }
            let url = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            for text in ["1", "2", "3"] { try await bob.send(text, to: url) }
            await world.pass()
            func counts() async throws -> [Int?] {
                [
                    try await phone.cachedChannel(url)?.unreadMessageCount,
                    try await laptop.cachedChannel(url)?.unreadMessageCount,
                ]
            }
            try await phone.markAsReadNow(url, awaitingServer: true)
            await world.pass()
            #expect(try await counts() == [0, 0])
            let read = try #require(try await phone.cachedChannel(url)?.myLastRead)
            let messages = try await world.log(of: url)
            let second = try #require(messages[1].messageID)

            try await phone.markAsUnread(url, from: second)
            #expect(try await counts()[0] == 2)
            let mark = try #require(try await phone.cachedChannel(url)?.myLastRead)
            #expect(mark < messages[1].createdAt && mark >= messages[0].createdAt && mark < read)
            await world.pass()
            #expect(try await counts() == [2, 2])
            #expect(try await laptop.cachedChannel(url)?.myLastRead == mark)
            // A mark further back is not moved forward.
            try await phone.markAsUnread(url, from: try #require(messages[2].messageID))
            #expect(try await counts()[0] == 2)

            try await laptop.markAsReadNow(url, awaitingServer: true)
            await world.pass()
            #expect(try await counts() == [0, 0])
            // A device that was away learns of it from the change log.
            await devices[1].network.cut()
            try await phone.markAsUnread(url, from: second)
            #expect(try await counts() == [2, 0])
            devices[1].network.restore()
            await world.pass(.seconds(60))
            #expect(try await counts() == [2, 2])
            let error = await #expect(throws: RoostError.self) {
                try await phone.markAsUnread(url, from: 999)
            }
            #expect(error?.code == .messageNotFound)
            for client in [phone, laptop, bob] { await client.close() }
        }
    }

    @Test(arguments: [false, true])
    func `a read mark requested before an unread mark is not sent after it (scar 113)`(
        isRefused: Bool
    ) throws {
        try Self.play { world, trio in
            try await trio.bob.send("1", to: trio.url)
            await world.pass()
            // Within a second of a mark the next one waits.
            try await trio.alice.markAsReadNow(trio.url, awaitingServer: true)
            try await trio.bob.send("2", to: trio.url)
            await world.pass(.milliseconds(400))
            let second = try #require(try await world.log(of: trio.url).last?.messageID)
            let wish = Task(executorPreference: world.executor) {
                [alice = trio.alice, url = trio.url] in
                try await alice.markAsReadNow(url, awaitingServer: true)
            }
            await world.pass(.milliseconds(1))
            if isRefused {
                await #expect(throws: RoostError.self) {
                    try await trio.alice.markAsUnread(trio.url, from: 999)
                }
            } else {
                try await trio.alice.markAsUnread(trio.url, from: second)
            }
            try await wish.value
            await world.pass()
            let count = try await Self.cached(trio.url, trio.alice)?.unreadMessageCount
            #expect(count == (isRefused ? 0 : 1))
            try await trio.alice.markAsReadNow(trio.url, awaitingServer: true)
            #expect(try await Self.cached(trio.url, trio.alice)?.unreadMessageCount == 0)
            // Without unread messages no mark is sent, after an unread mark or without one.
            await world.pass()
            let marks = Guarded(0)
            trio.network.observe { line in
                if line.hasPrefix(">> READ") { marks.withLock { $0 += 1 } }
            }
            try await trio.alice.markAsReadNow(trio.url, awaitingServer: true)
            await world.pass()
            #expect(marks.withLock { $0 } == 0)
        }
    }

    @Test(arguments: 1...10)
    func `a read mark in flight comes before an unread mark (scar 113)`(seed: UInt64) throws {
        try SimulatedWorld.play(seed: seed) { world in
            let trio = try await Trio(world)
            try await trio.bob.send("1", to: trio.url)
            await world.pass()
            let first = try #require(try await world.log(of: trio.url).last?.messageID)
            let mark = Task(executorPreference: world.executor) {
                [alice = trio.alice, url = trio.url] in
                try await alice.markAsReadNow(url, awaitingServer: true)
            }
            await world.pass(.milliseconds(1))
            try await trio.alice.markAsUnread(trio.url, from: first)
            try await mark.value
            await world.pass()
            #expect(try await Self.cached(trio.url, trio.alice)?.unreadMessageCount == 1)
        }
    }

    @Test
    func `a read mark right after an unread mark counts despite the older cached mark (scar 113)`()
        throws
    {
        try Self.play { world, trio in
            try await trio.bob.send("1", to: trio.url)
            await world.pass()
            try await trio.alice.markAsReadNow(trio.url, awaitingServer: true)
            await world.pass()
            let first = try #require(try await world.log(of: trio.url).last?.messageID)
            let unread = Task(executorPreference: world.executor) {
                [alice = trio.alice, url = trio.url] in
                try await alice.markAsUnread(url, from: first)
            }
            // Repeatedly, but only while the cache has no unread message.
            var marks: [Task<Void, any Error>] = []
            for _ in 0..<500 {
                guard try await Self.cached(trio.url, trio.alice)?.unreadMessageCount == 0
                else { break }
                marks.append(
                    Task(executorPreference: world.executor) {
                        [alice = trio.alice, url = trio.url] in
                        try await alice.markAsReadNow(url, awaitingServer: true)
                    })
                await world.pass(.milliseconds(1))
            }
            #expect(!marks.isEmpty)
            try await unread.value
            for mark in marks { try await mark.value }
            await world.pass()
            #expect(try await Self.cached(trio.url, trio.alice)?.unreadMessageCount == 0)
        }
    }

    @Test(arguments: 1...5)
    func `a read mark before the first change log outweighs an unread mark (scar 113)`(
        seed: UInt64
    ) throws {
        try SimulatedWorld.play(seed: seed) { world in
            let devices = [world.device(of: "alice"), world.device(of: "alice")]
            let phone = try await world.launch(devices[0])
            let laptop = try await world.launch(devices[1])
            let bob = try await world.launch(world.device(of: "bob"))
            for client in [phone, laptop, bob] { try await client.connect() }
            let url = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            try await bob.send("1", to: url)
            await world.pass()
            try await phone.markAsReadNow(url, awaitingServer: true)
            await world.pass()
            let first = try #require(try await world.log(of: url).last?.messageID)
            await devices[1].network.cut()
            try await phone.markAsUnread(url, from: first)
            await world.pass()
            #expect(try await laptop.cachedChannel(url)?.unreadMessageCount == 0)
            devices[1].network.restore()
            // As soon as there is a connection, before its change log is read.
            var isMarked = false
            for _ in 0..<60_000 where !isMarked {
                isMarked = (try? await laptop.markAsReadNow(url, awaitingServer: true)) != nil
                if !isMarked { await world.pass(.milliseconds(1)) }
            }
            #expect(isMarked)
            await world.pass(.seconds(60))
            for client in [phone, laptop] {
                #expect(try await client.cachedChannel(url)?.unreadMessageCount == 0)
            }
            for client in [phone, laptop, bob] { await client.close() }
        }
    }
}
