// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire
import Testing

struct EndpointTests {
    static let odd: ChannelURL = "a/b?c=d&e%20'\";\u{0}é 🐔+,"

    static let calls: [(any Endpoint, APICall)] = {
        let create = CreateChannel(
            channelURL: odd, userIDs: ["a", "b,c"], operatorIDs: ["a"], name: "n\n", coverURL: "c",
            data: "d", customType: "t", isDistinct: true, isSuper: true, isPublic: true)
        let get = GetChannel(channelURL: odd, userID: "u")
        let mine = ListMyChannels(
            userID: "u/1", token: "t", limit: 7, order: .name, showsEmpty: false,
            filters: [QueryItem("custom_types", "a"), QueryItem("custom_types", "b")])
        let changes = ChannelChangeLog(userID: "u", cursor: .token("x"), customTypes: ["", "a"])
        let filter = MessageFilter(
            kind: .file, customTypes: ["a", ""], senderIDs: ["x", "y"], replyType: .all, parentID: 4
        )
        let list = ListMessages(
            channelURL: odd, anchor: .time(.distantFuture), previousLimit: 3, nextLimit: 4,
            includesAnchor: true, isReversed: true, filter: filter)
        let listByID = ListMessages(
            channelURL: "g", anchor: .message(9), previousLimit: 0, nextLimit: 200)
        let log = MessageChangeLog(
            channelURL: odd, cursor: .since(Timestamp(milliseconds: 5)), filter: filter)
        let gap = MessageGap(
            channelURL: odd,
            previous: .init(
                start: Timestamp(milliseconds: 1), end: Timestamp(milliseconds: 2), cachedCount: 3),
            next: nil, filter: filter)
        let message = MessageCommand(
            channelURL: odd, requestID: "r", content: .user(text: "t"), data: "d", customType: "c",
            mention: Mention(userIDs: ["m"]), metaArrays: [MetaArray(key: "k", values: ["v"])],
            parentID: 3, isReplyToChannel: true, isSilent: true)
        let file = MessageCommand(
            channelURL: "g", requestID: "r",
            content: .file(
                FileContent(url: "u", name: "n", type: "t", size: ByteCount(bytes: 3), caption: "c")
            ))
        let edit = EditMessage(
            edit: EditCommand(channelURL: odd, messageID: 5, requestID: nil, text: "x", data: "d"))
        return [
            (create, .createChannel(create)), (get, .getChannel(get)),
            (
                GetChannel(channelURL: odd, isInternal: true),
                .getChannel(GetChannel(channelURL: odd))
            ),
            (
                UpdateChannel(channelURL: odd, name: "n"),
                .updateChannel(.init(channelURL: odd, name: "n"))
            ),
            (
                InviteMembers(channelURL: odd, userIDs: ["a"], inviterID: "b"),
                .inviteMembers(.init(channelURL: odd, userIDs: ["a"], inviterID: "b"))
            ),
            (JoinChannel(channelURL: odd), .joinChannel(.init(channelURL: odd))),
            (
                LeaveChannel(channelURL: odd, userIDs: ["a"]),
                .leaveChannel(.init(channelURL: odd, userIDs: ["a"]))
            ),
            (mine, .listMyChannels(mine)), (changes, .channelChangeLog(changes)),
            (list, .listMessages(list)), (listByID, .listMessages(listByID)),
            (log, .messageChangeLog(log)), (gap, .messageGap(gap)),
            (
                SendMessage(message: message, userID: "u"),
                .sendMessage(.init(message: message, userID: "u"))
            ),
            (SendMessage(message: file), .sendMessage(.init(message: file))),
            (
                GetMessage(channelURL: odd, messageID: 5),
                .getMessage(.init(channelURL: odd, messageID: 5))
            ), (edit, .editMessage(edit)),
            (
                DeleteMessage(channelURL: odd, messageID: 5),
                .deleteMessage(.init(channelURL: odd, messageID: 5))
            ), (MarkAsRead(channelURL: odd), .markAsRead(.init(channelURL: odd))),
            (
                CreateUser(
                    userID: "u", nickname: "n", metadata: ["a": "b"], issuesAccessToken: true),
                .createUser(
                    .init(userID: "u", nickname: "n", metadata: ["a": "b"], issuesAccessToken: true)
                )
            ),
            (
                ListUsers(query: UserQuery(ids: ["a", "b"])),
                .listUsers(.init(query: UserQuery(ids: ["a", "b"])))
            ),
            (
                RefreshSessionKey(userID: "u", isExpiring: true),
                .refreshSessionKey(.init(userID: "u", isExpiring: true))
            ),
        ]
    }()

    @Test(arguments: calls.indices)
    func `the server decodes the client's encoding, odd names included (scar 38)`(index: Int) throws
    {
        let (endpoint, expected) = Self.calls[index]
        let request = endpoint.encode()
        let received = try APIRequest(
            method: request.method.rawValue, target: request.target, body: request.body)
        #expect(received == request)
        #expect(try APICall(decoding: received) == expected)
    }

    @Test(arguments: [
        ("GET", "/v3/nothing"), ("PATCH", "/v3/users"), ("GET", "/v2/users"), ("GET", "/"),
        ("DELETE", "/v3/group_channels/a/messages"),
    ])
    func `a missing endpoint gives a typed error`(method: String, target: String) {
        let error = #expect(throws: ServerError.self) {
            try APICall(decoding: APIRequest(method: method, target: target, body: []))
        }
        #expect(error?.code == .invalidEndpoint)
    }

    @Test
    func `unknown calls below sdk are tolerated, and trailing slashes are ignored`() throws {
        let statistics = try APIRequest(method: "POST", target: "/v3/sdk/statistics", body: [])
        #expect(try APICall(decoding: statistics) == .unlisted)
        let internalGet = try APIRequest(
            method: "GET", target: "/v3/sdk/group_channels/g/", body: [])
        guard case .getChannel(let call) = try APICall(decoding: internalGet) else {
            return #expect(Bool(false))
        }
        #expect(call.channelURL == "g")
    }

    @Test(arguments: [
        "custom_types=a&custom_types=b", "custom_types=a,b", "custom_types=a%2Cb",
        "custom_types=a,+b",
    ])
    func `lists decode from repeated names and from commas`(query: String) throws {
        let request = try APIRequest(
            method: "GET", target: "/v3/group_channels/g/messages?message_ts=1&\(query)", body: [])
        guard case .listMessages(let call) = try APICall(decoding: request) else {
            return #expect(Bool(false))
        }
        #expect(call.filter.customTypes == ["a", "b"])
    }

    @Test
    func `a page decodes from other clients' spelling`() throws {
        let request = try APIRequest(
            method: "GET",
            target: "/v3/group_channels/g/messages?is_sdk=true&message_ts=99999999999999999999"
                + "&message_id=0&prev_limit=500&next_limit=0&include=True&reverse=False&message_type=ADMN"
                + "&custom_types=*&include_reply_type=ALL&checking_has_next=true",
            body: [])
        guard case .listMessages(let call) = try APICall(decoding: request) else {
            return #expect(Bool(false))
        }
        #expect(call.anchor == .time(.distantFuture))
        #expect(call.previousLimit == 200)
        #expect(call.nextLimit == 0)
        #expect(call.includesAnchor)
        #expect(!call.isReversed)
        #expect(call.filter == MessageFilter(kind: .admin, replyType: .all))
        #expect(call.checksHasNext)
        #expect(!call.checksContinuity)
    }

    @Test
    func `parameters of a deletion count in the body and in the query`() throws {
        let request = try APIRequest(
            method: "DELETE", target: "/v3/group_channels/g/messages/7?mesg_token=x",
            body: Array(#"{"user_id":"u"}"#.utf8))
        #expect(
            try APICall(decoding: request)
                == .deleteMessage(DeleteMessage(channelURL: "g", messageID: 7)))
    }

    @Test
    func `the platform's spelling of members is merged with the other`() throws {
        let request = try APIRequest(
            method: "POST", target: "/v3/group_channels",
            body: Array(#"{"user_ids":["a"],"users":[{"user_id":"a"},{"user_id":"b"}]}"#.utf8))
        #expect(
            try APICall(decoding: request) == .createChannel(CreateChannel(userIDs: ["a", "b"])))
    }

    @Test(arguments: [
        ("GET", "group_channels/g/messages", "", 400_105),
        ("GET", "group_channels/g/messages?message_ts=x", "", 400_101),
        ("GET", "group_channels/g/messages?message_ts=1&reverse=2", "", 400_104),
        ("GET", "group_channels/g/messages?message_ts=1&message_type=X", "", 400_111),
        ("GET", "group_channels/g/messages/x", "", 400_404), ("POST", "users", "{", 400_403),
        ("POST", "users", "[]", 400_403), ("POST", "users", "{}", 400_105),
        ("POST", "group_channels/g/messages", #"{"message_type":"MESG","message":[]}"#, 400_100),
        ("POST", "group_channels/g/messages", #"{"message_type":"FILE"}"#, 400_105),
        ("GET", "users/u/my_group_channels?order=best", "", 400_111),
    ])
    func `a wrong parameter is answered with its error code`(
        method: String, target: String, body: String, code: Int
    ) throws {
        let request = try APIRequest(
            method: method, target: "/v3/" + target, body: Array(body.utf8))
        let error = #expect(throws: ServerError.self) { try APICall(decoding: request) }
        #expect(error?.code.rawValue == code)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `the client decodes the server's answers`(seed: UInt64) throws {
        var samples = Samples(seed: seed)
        func check<E: Endpoint>(_ type: E.Type, _ output: E.Output) throws {
            #expect(try E.decode(E.response(output)) == output)
        }
        try check(
            ListMessages.self,
            MessagePage(messages: [samples.message()], hasNext: true, isContinuous: false))
        try check(
            MessageChangeLog.self,
            MessageChanges(
                updated: [samples.message()],
                deleted: [.init(id: 4, at: samples.moment()), .init(id: 5)], hasMore: true,
                next: "t"))
        try check(
            MessageGap.self,
            MessageGapAnswer(
                isHuge: false, next: .init(messages: [samples.message()], isContinuous: false)))
        try check(SendMessage.self, samples.message())
        try check(CreateChannel.self, .init(channel: samples.channel(), isCreated: false))
        try check(GetChannel.self, samples.channel())
        try check(
            ListMyChannels.self,
            ChannelPage(channels: [samples.channel()], next: "n", timestamp: samples.moment()))
        try check(
            ChannelChangeLog.self,
            ChannelChanges(updated: [samples.channel()], deleted: ["g"], hasMore: false, next: "n"))
        try check(
            MarkAsRead.self,
            .init(channelURL: "g", timestamp: samples.moment(), totalUnreadCount: 3))
        try check(CreateUser.self, .init(user: samples.user(), accessToken: "t"))
        try check(ListUsers.self, .init(users: [samples.user()], next: "n"))
        try check(RefreshSessionKey.self, .init(sessionKey: "k"))
        try check(LeaveChannel.self, NoOutput())
    }

    @Test
    func `a refusal keeps its code, and garbage differs from a refusal`() {
        let refusal = APIResponse(ServerError(.notFound, "Gone."))
        #expect(refusal.status == 400)
        #expect(throws: APIFailure.refused(ServerError(.notFound, "Gone."), status: 400)) {
            try GetChannel.decode(refusal)
        }
        let error = #expect(throws: APIFailure.self) {
            try GetChannel.decode(APIResponse(status: 200, body: Array("<html>".utf8)))
        }
        guard case .unreadable(let wire) = error else { return #expect(Bool(false)) }
        #expect(wire.offset == 0)
    }

    @Test(arguments: ["plain", "a b+c", "ü/%41", "%", "%zz", "\u{0}", "👩‍👩‍👧&=?#"])
    func `percent encoding is reversible`(text: String) {
        let encoded = PercentEncoding.encode(text)
        #expect(PercentEncoding.decode(encoded) == text)
        #expect(PercentEncoding.decode(encoded, plusIsSpace: true) == text)
        #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }
}
