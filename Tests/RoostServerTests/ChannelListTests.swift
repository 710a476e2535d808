// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

struct ChannelListTests {
    private let fixture: ServerFixture
    private let alice: ServerFixture.Device
    private let bob: ServerFixture.Device

    /// Creates 25 channels c00…c24; the even ones have a message each, c00 the newest.
    init() async throws {
        fixture = await ServerFixture()
        alice = try await fixture.connect("alice")
        bob = try await fixture.connect("bob")
        for number in 0..<25 {
            fixture.world.advance(1_000)
            try await fixture.call(
                CreateChannel(
                    channelURL: Self.url(number), userIDs: ["alice", "bob"],
                    name: "Name \(24 - number)", customType: number % 2 == 0 ? "even" : "odd"),
                as: alice)
        }
        for number in (0..<25).reversed() where number % 2 == 0 {
            fixture.world.advance(1_000)
            await fixture.send("hi", RequestID("\(number)"), to: Self.url(number), on: bob)
        }
    }

    private static func url(_ number: Int) -> ChannelURL {
        ChannelURL(number < 10 ? "c0\(number)" : "c\(number)")
    }

    private func all(_ call: ListMyChannels) async throws -> [GroupChannel] {
        var call = call
        var channels: [GroupChannel] = []
        for _ in 0..<30 {
            let page = try await fixture.call(call, as: alice)
            #expect(page.channels.count <= call.limit)
            channels += page.channels
            if page.next.isEmpty { return channels }
            call.token = page.next
        }
        Issue.record("The list has no end.")
        return channels
    }

    private static let byMessage =
        (0..<25).filter { $0 % 2 == 0 } + (0..<25).filter { $0 % 2 == 1 }.reversed()

    @Test func `a filter keeps the values of its query and not the query`() throws {
        let query = ["name_contains", "hidden_mode", "metadata_key", "search_query"]
            .map { QueryItem($0, "x") }
        let filter = try ChannelListFilter(query, showsEmpty: true)
        let parts = Mirror(reflecting: filter).children.map(\.value)
        #expect(parts.count > 20)
        #expect(!parts.contains { $0 is RequestFields })
    }

    @Test(arguments: [
        (ChannelOrder.latestLastMessage, byMessage),
        (.chronological, Array((0..<25).reversed())),
    ])
    func `the pages of a list follow its order, channels without messages last`(
        order: ChannelOrder, numbers: [Int]
    ) async throws {
        for limit in [1, 7, 25, 100] {
            let channels = try await all(
                ListMyChannels(userID: "alice", limit: limit, order: order))
            #expect(channels.map(\.url) == numbers.map(Self.url))
        }
    }

    @Test(arguments: [
        (ChannelOrder.latestLastMessage, ["y", "z", "a"]),
        (.name, ["a", "y", "z"]),
    ])
    func `the newer of equal channels is first, by name the older (scar 98)`(
        order: ChannelOrder, urls: [ChannelURL]
    ) async throws {
        let fixture = await ServerFixture()
        let carol = try await fixture.connect("carol")
        for url in ["a", "y", "z"] as [ChannelURL] {
            if url != "z" { fixture.world.advance(1_000) }
            try await fixture.call(
                CreateChannel(channelURL: url, userIDs: ["carol"], name: "one"), as: carol)
        }
        for url in ["z", "a", "y"] as [ChannelURL] {
            await fixture.send("hi", RequestID(url.rawValue), to: url, on: carol)
        }
        var call = ListMyChannels(userID: "carol", limit: 1, order: order)
        var found: [ChannelURL] = []
        repeat {
            let page = try await fixture.call(call, as: carol)
            found += page.channels.map(\.url)
            call.token = page.next
        } while !call.token.isEmpty
        #expect(found == urls)
    }

    @Test
    func `names are in alphabetical order`() async throws {
        let names = try await all(ListMyChannels(userID: "alice", limit: 4, order: .name))
            .map(\.name)
        #expect(names == names.sorted())
        #expect(names.count == 25)
    }

    @Test(arguments: [
        ([QueryItem("custom_types", "even")], 13), ([QueryItem("custom_types", "*")], 25),
        ([QueryItem("channel_urls", "c01,c02,none")], 2),
        ([QueryItem("name_contains", "NAME 1")], 11),
        ([QueryItem("custom_type_startswith", "o")], 12), ([QueryItem("super_mode", "super")], 0),
        ([QueryItem("member_state_filter", "invited_only")], 0),
        ([QueryItem("members_exactly_in", "bob")], 25),
        ([QueryItem("members_exactly_in", "eve")], 0),
        ([QueryItem("members_include_in", "eve,bob"), QueryItem("query_type", "OR")], 25),
        ([QueryItem("members_include_in", "eve,bob")], 0),
        ([QueryItem("unread_filter", "unread_message")], 13),
        ([QueryItem("public_mode", "public")], 0),
        ([QueryItem("unheard_of", "x")], 25),
    ])
    func `filters let through what they say (R197)`(filters: [QueryItem], count: Int) async throws {
        let channels = try await all(
            ListMyChannels(userID: "alice", limit: 9, filters: filters))
        #expect(channels.count == count)
    }

    @Test
    func `empty channels are listed on request`() async throws {
        #expect(try await all(ListMyChannels(userID: "alice", showsEmpty: false)).count == 13)
    }

    @Test
    func `a channel's view depends on its viewer`() async throws {
        let mine = try await fixture.call(GetChannel(channelURL: "c00"), as: alice)
        #expect(mine.unreadMessageCount == 1)
        #expect(mine.lastMessage?.text == "hi")
        #expect(mine.members.count == 2)
        #expect(mine.createdAt.milliseconds % 1_000 == 0)
        let theirs = try await fixture.call(GetChannel(channelURL: "c00"), as: bob)
        #expect(theirs.unreadMessageCount == 0)
        let small = try await fixture.call(
            GetChannel(
                channelURL: "c00",
                extras: ChannelExtras(members: false, readReceipts: false, deliveryReceipts: false)),
            as: alice)
        #expect(small.members.isEmpty)
        #expect(small.readReceipts == nil)
        let neutral = try await fixture.call(GetChannel(channelURL: "c00"), as: nil)
        #expect(neutral.myState == .none)
    }

    @Test
    func `the change log of channels has each change once, oldest first`() async throws {
        let start = try await fixture.call(
            ChannelChangeLog(userID: "alice", cursor: .since(Timestamp(milliseconds: 0))),
            as: alice)
        #expect(start.updated.count == 25)
        #expect(!start.hasMore)
        await fixture.send("again", "x", to: "c07", on: bob)
        try await fixture.call(UpdateChannel(channelURL: "c03", name: "New"), as: bob)
        await fixture.send("again", "y", to: "c07", on: bob)
        for _ in 0..<2 {
            let changes = try await fixture.call(
                ChannelChangeLog(userID: "alice", cursor: .token(start.next)), as: alice)
            #expect(changes.updated.map(\.url) == ["c03", "c07"])
        }
        let changes = try await fixture.call(
            ChannelChangeLog(userID: "alice", cursor: .token(start.next)), as: alice)
        let quiet = try await fixture.call(
            ChannelChangeLog(userID: "alice", cursor: .token(changes.next)), as: alice)
        #expect(quiet.updated.isEmpty && quiet.next == changes.next)
    }

    @Test
    func `users are listed in pages and by ID`() async throws {
        for id in ["u1", "u2", "u3"] {
            try await fixture.call(CreateUser(userID: UserID(id)), as: nil)
        }
        #expect(
            await refusal { () async throws(APIFailure) in
                try await fixture.call(CreateUser(userID: "u1"), as: nil)
            } == .duplicate)
        var call = ListUsers(limit: 2)
        var found: [UserID] = []
        repeat {
            let page = try await fixture.call(call, as: alice)
            found += page.users.map(\.id)
            call.token = page.next
        } while !call.token.isEmpty
        #expect(found == ["alice", "bob", "u1", "u2", "u3"])
        let some = try await fixture.call(
            ListUsers(query: UserQuery(ids: ["u3", "none", "u1"])), as: alice)
        #expect(some.users.map(\.id) == ["u3", "u1"])
    }

    @Test func `a page that ends among changes of one number is continued by the next`() throws {
        let listings = (0..<150).map { place in
            ChannelListing(
                record: ChannelRecord(
                    url: ChannelURL("c\(1_000 + place)"), createdAt: Timestamp(milliseconds: 0)),
                state: .joined, hidden: .unhidden, lastMessageAt: nil, changeSequence: 7,
                changedAt: Timestamp(milliseconds: 0))
        }
        var cursor = ChangeLogCursor.since(Timestamp(milliseconds: 0))
        var shown: [ChannelURL] = []
        for hasMore in [true, false] {
            let page = try ChannelChangePage(
                of: listings, ChannelChangeLog(userID: "a", cursor: cursor))
            let answer = page.answer(with: [], at: Timestamp(milliseconds: 0))
            #expect(answer.hasMore == hasMore)
            shown += page.shown.map(\.record.url)
            cursor = .token(answer.next)
        }
        #expect(shown == listings.map(\.record.url))
    }

    @Test func `after a failover a token goes back, so a number that is given again is told`()
        throws
    {
        func listing(_ url: ChannelURL, _ number: Int64, _ era: String) -> ChannelListing {
            var listing = ChannelListing(
                record: ChannelRecord(url: url, createdAt: Timestamp(milliseconds: 0)),
                state: .joined, hidden: .unhidden, lastMessageAt: nil, changeSequence: number,
                changedAt: Timestamp(milliseconds: 0), settledSequence: 500_000)
            listing.era = era
            return listing
        }
        func changes(
            _ listings: [ChannelListing], _ cursor: ChangeLogCursor
        ) throws -> (shown: [ChannelURL], next: String) {
            let page = try ChannelChangePage(
                of: listings, ChannelChangeLog(userID: "a", cursor: cursor))
            let answer = page.answer(with: [], at: Timestamp(milliseconds: 0))
            return (page.shown.map(\.record.url), answer.next)
        }
        let before = [listing("old", 100, "one"), listing("new", 450_000, "one")]
        let first = try changes(before, .since(Timestamp(milliseconds: 0)))
        #expect(first.next == "c450000-one")
        #expect(try changes(before, .token(first.next)) == ([], "c450000-one"))
        // The other server has given the number 400,000 to a change.
        let after = [
            listing("old", 100, "two"), listing("again", 400_000, "two"),
            listing("new", 450_000, "two"),
        ]
        let second = try changes(after, .token(first.next))
        #expect(second == (["again", "new"], "c450000-two"))
        #expect(try changes(after, .token(second.next)) == ([], "c450000-two"))
        // Tokens from before the eras, and a user who has no channel any more.
        #expect(try changes(after, .token("c450000")).shown == ["again", "new"])
        #expect(try changes([], .token(second.next)) == ([], "c450000-two"))
        #expect(try changes(after, .token("c7-one")).shown == ["old", "again", "new"])
        #expect(throws: ServerError.self) { try changes(after, .token("c-one")) }
    }
}
