// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
import RoostTestKit
import RoostTestSupport
import Testing

/// Channel lists from disk, compared with the server's answers to the same queries.
struct ChannelQueryTests {
    private static let names = ["", "Room", "room", "Rooms", "a", "Ä, b", "zoo", "b"]
    private static let types = ["", "work", "workshop", "fun, more"]
    private static let users: [UserID] = ["bob", "carol", "dave"]

    private static func makeChannel(
        _ alice: ChatClient, _ bob: ChatClient, _ random: inout SplitMix64
    ) async throws {
        let maker = random.below(3) == 0 ? bob : alice
        let others = users.filter { _ in random.below(2) == 0 }
        var params = ChannelCreateParams(
            memberIDs: maker === bob ? ["alice"] + others : ["bob"] + others,
            name: random.pick(names), customType: random.pick(types))
        params.operatorIDs = [maker === bob ? "bob" : "alice"]
        params.isDistinct = random.below(4) == 0
        params.isSuper = random.below(4) == 0
        // Frames report no messages of a public channel to an invited user, though the user may
        // read them.
        params.isPublic = random.below(4) == 0 && maker !== bob
        params.isBroadcast = random.below(6) == 0
        params.isExclusive = random.below(6) == 0
        let url = try await maker.createChannel(params).url
        if random.below(2) == 0 {
            try await maker.updateMetadata(
                ["k": random.pick(["x", "xy", "y", "z, z"])], of: url, addsMissing: true)
        }
        for _ in 0..<random.below(3) {
            let author = random.below(2) == 0 ? alice : bob
            // A user who is only invited may not write.
            _ = try? await author.send("m", to: url)
            await author.waitUntilIdle()
        }
        if random.below(5) == 0 { try await maker.setFrozen(true, url) }
        try? await change(url, alice, &random)
    }

    /// Performs a random change of a channel by the user; refused if the user is only invited.
    private static func change(
        _ url: ChannelURL, _ alice: ChatClient, _ random: inout SplitMix64
    ) async throws {
        switch random.below(8) {
        case 0: try await alice.makeNow(.hide(allowsAutoUnhide: true), in: url)
        case 1: try await alice.makeNow(.hide(allowsAutoUnhide: false), in: url)
        case 2: try await alice.hideNow(url, hidesPrevious: true)
        case 3: try await alice.resetHistory(of: url)
        case 4: try await alice.acceptInvitation(to: url)
        default: break
        }
    }

    private static func filter(
        _ all: [GroupChannel], _ random: inout SplitMix64
    ) -> ChannelFilter {
        var filter = ChannelFilter()
        filter.includesEmpty = random.below(2) == 0
        filter.includesFrozen = random.below(3) > 0
        filter.hidden = random.pick(ChannelFilter.Hidden.allCases + [.all, .all, .none])
        if random.below(4) == 0 { filter.kind = random.pick(ChannelFilter.Kind.allCases) }
        if random.below(5) == 0 { filter.isPublic = random.below(2) == 0 }
        if random.below(5) == 0 { filter.isDistinct = random.below(2) == 0 }
        filter.isUnread = random.below(5) == 0
        if random.below(4) == 0 { filter.membership = random.pick([.joined, .invited]) }
        if random.below(4) == 0 {
            filter.customTypes = Set((0...random.below(2)).map { _ in random.pick(types) })
        }
        if random.below(6) == 0 { filter.customTypePrefix = random.pick(["work", "fun,"]) }
        if random.below(4) == 0 {
            filter.name = random.pick([.contains("ROOM"), .hasPrefix("Ro"), .contains(", ")])
        }
        if random.below(8) == 0 {
            filter.urls = Set((0..<3).map { _ in random.pick(all).url })
        }
        if random.below(4) == 0 {
            filter.members = random.pick([
                .exactly([]), .exactly(["bob"]), .exactly(["bob", "carol"]),
                .allOf(["carol", "dave"]), .anyOf(["carol", "dave"]), .allOf([]), .anyOf([]),
            ])
        }
        if random.below(5) == 0 {
            filter.memberNickname = random.pick([.contains("CAROL"), .hasPrefix("Da")])
        }
        if random.below(5) == 0 {
            filter.search = random.pick([
                .init("o"), .init("z", inMemberNicknames: false), .init("d", inChannelName: false),
            ])
        }
        if random.below(4) == 0 {
            filter.metadata = .init(
                key: "k", value: random.pick([.any, .oneOf(["x", "z, z"]), .hasPrefix("x")]))
        }
        if random.below(8) == 0 { filter.createdAfter = random.pick(all).createdAt }
        if random.below(8) == 0 { filter.createdBefore = random.pick(all).createdAt }
        return filter
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a list from disk equals the server's answer (scars 55, 97, 99, 104, 105, 110)`(
        seed: UInt64
    ) throws {
        let shown = try SimulatedWorld.play(seed: seed) { world in
            var random = SplitMix64(seed: seed)
            for (id, name) in [("bob", "Bob"), ("carol", "Carol"), ("dave", "Dave")] {
                await world.add(User(id: UserID(id), nickname: name))
            }
            await world.add(User(id: "alice", nickname: "Alice"), acceptsInvitations: false)
            let phone = world.device(of: "alice")
            let alice = try await world.launch(phone)
            let bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            for _ in 0..<40 {
                try await Self.makeChannel(alice, bob, &random)
                if random.below(3) == 0 { await world.pass(.seconds(1)) }
            }
            await world.pass()
            await alice.waitUntilIdle()
            await phone.network.cut()
            var all = ChannelListQuery(order: .chronological, pageSize: 7)
            all.filter.hidden = .all
            let channels = try await world.channels(of: "alice", all)
            var shown = 0
            for number in 0..<(Sample.isWhole ? 150 : 50) {
                let order = random.pick([
                    ChannelOrder.latestLastMessage, .chronological, .name,
                    .metadataValue(key: "k"),
                ])
                let query = ChannelListQuery(
                    Self.filter(channels, &random), order: order, pageSize: 1 + random.below(9))
                let expected = try await world.channels(of: "alice", query)
                let list = try await alice.channelList(query)
                while await list.snapshot.hasMore {
                    guard try await list.loadMore() > 0 else { break }
                }
                let found = await list.snapshot.channels
                #expect(found.map(\.url) == expected.map(\.url), "\(number): \(query)")
                #expect(
                    found.map(\.unreadMessageCount) == expected.map(\.unreadMessageCount))
                shown += found.count
                await list.close()
            }
            return shown
        }
        // Most queries have a result.
        #expect(shown > 50)
    }

    @Test
    func `a moving list is filled in the background and is there offline (scars 22, 100, 102)`()
        throws
    {
        let count = 250
        let folder = try TemporaryFolder()
        try SimulatedWorld.play(seed: 5) { world in
            let bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            var urls: [ChannelURL] = []
            for number in 0..<count {
                let params = ChannelCreateParams(memberIDs: ["alice"], name: "\(number)")
                urls.append(try await bob.createChannel(params).url)
            }
            let phone = world.device(of: "alice", folder: folder.path)
            let alice = try await world.launch(phone)
            let list = try await alice.channelList(ChannelListQuery(pageSize: 10))
            try await alice.connect()
            // Old channels jump to the top while the pages come.
            for number in 0..<20 {
                try await bob.send("up", to: urls[number])
                await world.pass(.milliseconds(50))
                if number % 4 == 0 { _ = try? await list.loadMore() }
            }
            await world.pass(.seconds(30))
            await alice.waitUntilIdle()
            await alice.close()
            await phone.network.cut()
            // Another run, without a reachable server.
            let later = try await world.launch(phone)
            let offline = try await later.channelList(ChannelListQuery(pageSize: 100))
            while await offline.snapshot.hasMore {
                guard try await offline.loadMore() > 0 else { break }
            }
            let shown = await offline.snapshot
            #expect(Set(shown.channels.map(\.url)).count == count && !shown.hasMore)
            let expected = try await world.channels(of: "alice", ChannelListQuery(pageSize: 100))
            #expect(shown.channels.map(\.url) == expected.map(\.url))
        }
    }

    @Test
    func `a complete list is paged from disk: a connection requests no page (R91, R168)`() throws {
        try SimulatedWorld.play(seed: 6) { world in
            let phone = world.device(of: "alice")
            let alice = try await world.launch(phone)
            try await alice.connect()
            for number in 0..<30 {
                _ = try await alice.createChannel(
                    ChannelCreateParams(memberIDs: [], name: "\(number)"))
            }
            await alice.waitUntilIdle()
            let asked = Guarded([String]())
            phone.network.observe { line in
                if line.contains("my_group_channels?") { asked.withLock { $0.append(line) } }
            }
            let list = try await alice.channelList(ChannelListQuery(pageSize: 10))
            await world.pass()
            try await list.loadMore()
            try await list.loadMore()
            await phone.network.cut()
            phone.network.restore()
            await world.pass(.seconds(60))
            #expect(await list.snapshot.channels.count == 30)
            #expect(await !list.snapshot.hasMore)
            #expect(asked.withLock { $0 } == [])
        }
    }

    @Test(arguments: [false, true])
    func `lists apply one change by their own rules, live or from the log (scars 101, 106, 108)`(
        isCut: Bool
    ) throws {
        try SimulatedWorld.play(seed: 7) { world in
            let phone = world.device(of: "alice")
            let alice = try await world.launch(phone)
            let tablet = try await world.launch(world.device(of: "alice"))
            let bob = try await world.launch(world.device(of: "bob"))
            for client in [alice, tablet, bob] { try await client.connect() }
            var params = ChannelCreateParams(memberIDs: ["alice"], name: "one")
            params.operatorIDs = ["bob"]
            let url = try await bob.createChannel(params).url
            var unread = ChannelFilter()
            unread.isUnread = true
            var named = ChannelFilter()
            named.name = .contains("two")
            var frozen = ChannelFilter()
            frozen.includesFrozen = false
            var filled = ChannelFilter()
            filled.includesEmpty = false
            let filters = [ChannelFilter(), unread, named, frozen, filled]
            var lists: [ChannelList] = []
            for filter in filters {
                lists.append(try await alice.channelList(ChannelListQuery(filter)))
            }
            func counts() async -> [Int] {
                // One change log brings a missed change to all lists.
                phone.network.restore()
                await world.pass(.seconds(isCut ? 60 : 5))
                var counts: [Int] = []
                for list in lists { counts.append(await list.snapshot.channels.count) }
                if isCut { await phone.network.cut() }
                return counts
            }
            #expect(await counts() == [1, 0, 0, 1, 0])
            let sent = try await bob.send("hi", to: url)
            await bob.waitUntilIdle()
            #expect(await counts() == [1, 1, 0, 1, 1])
            try await bob.makeNow(.update(ChannelUpdateParams(name: "two")), in: url)
            #expect(await counts() == [1, 1, 1, 1, 1])
            try await tablet.markAsReadNow(url, awaitingServer: true)
            #expect(await counts() == [1, 0, 1, 1, 1])
            try await bob.setFrozen(true, url)
            #expect(await counts() == [1, 0, 1, 0, 1])
            try await bob.setFrozen(false, url)
            #expect(await counts() == [1, 0, 1, 1, 1])
            // The last message is deleted: the channel leaves only the list of channels with a
            // message.
            let timeline = try await bob.timeline(of: url)
            let id = try #require(
                await timeline.snapshot.messages.first { $0.requestID == sent.requestID }?
                    .messageID)
            let deletion = try await bob.delete(id, in: url)
            try await bob.outcome(of: deletion)
            #expect(await counts() == [1, 0, 1, 1, 0])
        }
    }
}

extension ChannelQueryTests {
    @Test
    func `the preview follows its message: an edit, a deletion, and the one before it (scar 109)`()
        throws
    {
        try SimulatedWorld.play(seed: 8) { world in
            let alice = try await world.launch(world.device(of: "alice"))
            let bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            let url = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            let list = try await alice.channelList()
            func preview() async -> String? {
                await world.pass()
                return await list.snapshot.channels.first?.lastMessage?.text
            }
            for text in ["first", "second"] { try await bob.send(text, to: url) }
            #expect(await preview() == "second")
            let second = try #require(await list.snapshot.channels.first?.lastMessage?.messageID)
            try await bob.edit(second, in: url, text: "2nd")
            #expect(await preview() == "2nd")
            try await bob.delete(second, in: url)
            #expect(await preview() == "first")
            #expect(await list.snapshot.channels.first?.unreadMessageCount == 1)
        }
    }
}

extension SplitMix64 {
    fileprivate mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

    fileprivate mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }
}
