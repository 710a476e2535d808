// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

struct MembershipTests {
    private let fixture: ServerFixture
    private let alice: ServerFixture.Device
    private let bob: ServerFixture.Device
    private let eve: ServerFixture.Device

    init() async throws {
        fixture = await ServerFixture()
        alice = try await fixture.connect("alice")
        bob = try await fixture.connect("bob")
        eve = try await fixture.connect("eve")
    }

    @Test
    func `a new channel publishes invitations and entries`() async throws {
        let made = try await fixture.call(
            CreateChannel(userIDs: ["alice", "bob"], operatorIDs: ["alice"], name: "N"), as: alice)
        #expect(made.isCreated)
        #expect(made.channel.name == "N")
        #expect(made.channel.myRole == .operator)
        #expect(made.channel.members.map(\.id) == ["alice", "bob"])
        #expect(made.channel.createdBy?.id == "alice")
        for device in [alice, bob] {
            let events = try device.inbox.take()
            #expect(events.map(\.category) == [.invited, .joined])
            guard case .channel(let event) = events[0],
                case .invited(let inviter, let invitees, _, let counts) = event.content
            else { return }
            #expect(inviter?.id == "alice")
            #expect(invitees.map(\.id) == ["bob"])
            #expect(counts == .init(members: 2, joinedMembers: 2))
        }
        #expect(try eve.inbox.take().isEmpty)
    }

    @Test
    func `a distinct channel is created and published once`() async throws {
        try await fixture.channel(of: ["alice", "bob"], by: alice, isDistinct: true)
        _ = try bob.inbox.take()
        let again = try await fixture.call(
            CreateChannel(userIDs: ["bob", "alice"], isDistinct: true), as: bob)
        #expect(!again.isCreated)
        #expect(again.channel.url == "g")
        #expect(try bob.inbox.take().isEmpty)
    }

    @Test
    func `an exit is published to all, the leaver included, and closes the channel to the leaver`()
        async throws
    {
        try await fixture.channel(of: ["alice", "bob"], by: alice)
        await fixture.send("hi", "r", to: "g", on: alice)
        let start = try await fixture.call(
            ChannelChangeLog(userID: "bob", cursor: .since(Timestamp(milliseconds: 0))), as: bob)
        #expect(start.updated.map(\.url) == ["g"])
        _ = (try alice.inbox.take(), try bob.inbox.take())
        try await fixture.call(LeaveChannel(channelURL: "g"), as: bob)
        for device in [alice, bob] {
            #expect(try device.inbox.take().map(\.category) == [.left])
        }
        let page = ListMessages(
            channelURL: "g", anchor: .time(.distantFuture), previousLimit: 5, nextLimit: 0)
        #expect(
            await refusal { () async throws(APIFailure) in try await fixture.call(page, as: bob) }
                == .notAMember)
        await fixture.send("hi", "r2", to: "g", on: bob)
        #expect(try bob.inbox.take().first?.error?.code == .notAMember)
        let log = try await fixture.call(
            ChannelChangeLog(userID: "bob", cursor: .token(start.next)), as: bob)
        #expect(log.deleted == ["g"])
        #expect(log.updated.isEmpty)
        let rest = try await fixture.call(
            ChannelChangeLog(userID: "bob", cursor: .token(log.next)), as: bob)
        #expect(rest.deleted.isEmpty)
        #expect(try await fixture.call(ListMyChannels(userID: "bob"), as: bob).channels.isEmpty)
    }

    @Test
    func `an invitation opens its channel only after it is accepted`() async throws {
        let fixture = await ServerFixture { $0.acceptsInvitations = false }
        let alice = try await fixture.connect("alice")
        let bob = try await fixture.connect("bob")
        try await fixture.channel(of: ["alice"], by: alice)
        _ = try alice.inbox.take()
        let channel = try await fixture.call(
            InviteMembers(channelURL: "g", userIDs: ["bob"]), as: alice)
        #expect(channel.members.map(\.state) == [.joined, .invited])
        #expect(try bob.inbox.take().map(\.category) == [.invited])
        await fixture.send("hi", "r", to: "g", on: bob)
        #expect(try bob.inbox.take().first?.error?.code == RoostError.Code(900_023))
        let joined = try await fixture.call(JoinChannel(channelURL: "g"), as: bob)
        #expect(joined.myState == .joined)
        #expect(try bob.inbox.take().map(\.category) == [.joined, .invitationAccepted])
    }

    @Test
    func `new properties are published and in the channel`() async throws {
        try await fixture.channel(of: ["alice", "bob"], by: alice)
        _ = try bob.inbox.take()
        try await fixture.call(UpdateChannel(channelURL: "g", name: "New"), as: alice)
        #expect(try bob.inbox.take().map(\.category) == [.propertiesChanged])
        let channel = try await fixture.call(
            GetChannel(channelURL: "g", isInternal: true), as: bob)
        #expect(channel.name == "New")
    }

    static let strangerCalls: [any Endpoint] = [
        GetChannel(channelURL: "g"), UpdateChannel(channelURL: "g", name: "x"),
        InviteMembers(channelURL: "g", userIDs: ["eve"]), JoinChannel(channelURL: "g"),
        LeaveChannel(channelURL: "g"),
        ListMessages(channelURL: "g", anchor: .message(1), previousLimit: 1, nextLimit: 1),
        MessageChangeLog(channelURL: "g", cursor: .since(Timestamp(milliseconds: 0))),
        MessageGap(channelURL: "g", previous: nil, next: nil),
        SendMessage(
            message: MessageCommand(channelURL: "g", requestID: "r", content: .user(text: "x"))),
        SendMessage(
            message: MessageCommand(channelURL: "g", requestID: "r", content: .user(text: "x")),
            userID: "alice"),
        GetMessage(channelURL: "g", messageID: 1),
        EditMessage(
            edit: EditCommand(channelURL: "g", messageID: 1, requestID: nil, text: "x")),
        DeleteMessage(channelURL: "g", messageID: 1), MarkAsRead(channelURL: "g", userID: "alice"),
    ]

    @Test(arguments: strangerCalls.indices)
    func `a stranger's calls are refused and change nothing`(index: Int) async throws {
        try await fixture.channel(of: ["alice", "bob"], by: alice)
        await fixture.send("hi", "r0", to: "g", on: alice)
        _ = (try alice.inbox.take(), try bob.inbox.take())
        let before = try await fixture.server.log(of: "g")
        let endpoint = Self.strangerCalls[index]
        let response = await fixture.raw(endpoint, RequestHeaders(sessionKey: eve.key))
        #expect(response.status == 400)
        var reader = try JSONReader(bytes: response.body)
        #expect(try reader.readServerError().code == .notAMember)
        #expect(try await fixture.server.log(of: "g") == before)
        #expect(try alice.inbox.take().isEmpty)
    }

    @Test
    func `missing objects are not found, and lists of other users are refused`() async throws {
        #expect(
            await refusal { () async throws(APIFailure) in
                try await fixture.call(GetChannel(channelURL: "none"), as: eve)
            } == .notFound)
        #expect(
            await refusal { () async throws(APIFailure) in
                try await fixture.call(MarkAsRead(channelURL: "none"), as: eve)
            } == .notFound)
        #expect(
            await refusal { () async throws(APIFailure) in
                try await fixture.call(ListMyChannels(userID: "alice"), as: eve)
            } == .notAuthorized)
        #expect(
            await refusal { () async throws(APIFailure) in
                try await fixture.call(CreateUser(userID: "x"), as: eve)
            } == .notAuthorized)
    }

    @Test
    func `every user can see and join a public channel`() async throws {
        try await fixture.call(
            CreateChannel(channelURL: "p", userIDs: ["alice"], isPublic: true), as: alice)
        #expect(try await fixture.call(GetChannel(channelURL: "p"), as: eve).myState == .none)
        let joined = try await fixture.call(JoinChannel(channelURL: "p"), as: eve)
        #expect(joined.joinedMemberCount == 2)
    }

    @Test func `an unknown user can be invited before the first login`()
        async throws
    {
        let made = try await fixture.call(CreateChannel(userIDs: ["alice", "zoe"]), as: alice)
        #expect(made.channel.members.map(\.id) == ["alice", "zoe"])
        let zoe = try await fixture.connect("zoe")
        let page = try await fixture.call(
            ListMyChannels(userID: "zoe", showsEmpty: true), as: zoe)
        #expect(page.channels.map(\.url) == [made.channel.url])
    }

    @Test func `the platform's calls create no user, and name the unknown one`() async throws {
        let creation = CreateChannel(channelURL: "p", userIDs: ["alice", "zoe"])
        let first = await refusal { () async throws(APIFailure) in
            try await fixture.call(creation, as: nil)
        }
        #expect(first == .notFound)
        let other = CreateChannel(channelURL: "p", userIDs: ["alice"])
        try await fixture.call(other, as: nil)
        let invitation = InviteMembers(channelURL: "p", userIDs: ["bob", "zoe"])
        let second = await refusal { () async throws(APIFailure) in
            try await fixture.call(invitation, as: nil)
        }
        #expect(second == .notFound)
        let channel = try await fixture.call(GetChannel(channelURL: "p"), as: nil)
        #expect(channel.members.map(\.id) == ["alice"])
        let query = UserQuery(ids: ["zoe"])
        let users = try await fixture.call(ListUsers(token: "", limit: 10, query: query), as: nil)
        #expect(users.users.isEmpty)
    }

    @Test func `the platform reads how many messages each member has not read`() async throws {
        try await fixture.channel("c", of: ["alice", "bob"], by: alice)
        fixture.world.advance(1_000)
        await fixture.send("one", "r1", to: "c", on: alice)
        await fixture.send("two", "r2", to: "c", on: alice)
        let path = "/v3/group_channels/c/messages/unread_count"
        var headers = RequestHeaders()
        headers.apiToken = ServerFixture.apiToken
        let call = try APIRequest(
            method: "GET", target: path + "?user_ids=alice,bob,eve,zoe", body: [])
        let response = await fixture.server.respond(to: call, headers: headers)
        let answer = try JSONValue(parsing: response.body)
        #expect(answer.text == #"{"unread":{"alice":0,"bob":2}}"#)
        let empty = try APIRequest(method: "GET", target: path, body: [])
        #expect(await fixture.server.respond(to: empty, headers: headers).status == 400)
    }

    @Test func `marking all channels as read tells only of those with unread messages`()
        async throws
    {
        for url in ["c1", "c2", "c3"] as [ChannelURL] {
            try await fixture.channel(url, of: ["alice", "bob"], by: alice)
        }
        let bob = try await fixture.connect("bob")
        fixture.world.advance(1_000)
        await fixture.send("one", "r1", to: "c2", on: bob)
        _ = try bob.inbox.take()
        let call = try APIRequest(
            method: "PUT", target: "/v3/users/alice/mark_as_read_all", body: Array("{}".utf8))
        let headers = RequestHeaders(sessionKey: alice.key)
        #expect(await fixture.server.respond(to: call, headers: headers).status == 200)
        let marks = try bob.inbox.take().compactMap { event in
            if case .read(let mark) = event { mark.channelURL } else { nil }
        }
        #expect(marks == ["c2"])
    }

    @Test func `a server that requires tokens creates no user for an invitation`() async throws {
        let strict = await ServerFixture { $0.requiresToken = true }
        let headers = RequestHeaders(apiToken: ServerFixture.apiToken)
        let call = CreateChannel(userIDs: ["nobody"])
        let response = await strict.raw(call, headers)
        #expect(response.status == 400)
    }
}
