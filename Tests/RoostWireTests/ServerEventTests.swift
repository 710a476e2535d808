// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire
import Testing

struct ServerEventTests {
    private func decode(_ text: String) throws -> ServerEvent {
        let events = ServerEvent.decodeAll(text)
        try #require(events.count == 1)
        return try events[0].get()
    }

    @Test
    func `one bad part of a frame does not affect the others`() throws {
        let text =
            "PONG{}\nMESG{\"msg_id\":}\nxy\n\nPONG\nZZZZ{\"a\":1}\npong{}\nEROR{\"code\":900020}"
        let events = ServerEvent.decodeAll(text)
        #expect(events.count == 7)
        #expect(try events[0].get() == .pong)
        #expect(throws: WireError.self) { try events[1].get() }
        #expect(throws: WireError.self) { try events[2].get() }
        #expect(try events[3].get() == .pong)
        #expect(try events[4].get() == .unknown(Frame.Command("ZZZZ")))
        #expect(throws: WireError.self) { try events[5].get() }
        #expect(try events[6].get() == .error(ServerError(.notAMember, ""), acknowledges: nil))
    }

    @Test
    func `offsets count from the start of the text frame`() {
        let events = ServerEvent.decodeAll("PONG{}\nREAD{\"ts\":x}")
        guard case .failure(let error) = events[1] else { return #expect(Bool(false)) }
        #expect(error.offset == 17)
        #expect(error.path == "ts")
    }

    @Test
    func `an acknowledgement has the request ID and the previous message`() throws {
        let event = try decode(
            #"MESG{"req_id":"r1","msg_id":1001,"channel_url":"g1","channel_type":"group","ts":1000,"#
                + #""updated_at":0,"message":"hi","data":"","custom_type":"","mention_type":"users","#
                + #""mentioned_users":[],"silent":false,"is_op_msg":true,"previous_message_id":1000,"#
                + #""user":{"guest_id":"alice","name":"Alice","image":"p","role":""},"sts":5}"#)
        guard case .message(let event) = event else { return #expect(Bool(false)) }
        #expect(event.acknowledges == "r1")
        #expect(event.previousMessageID == 1000)
        #expect(event.message.delivery == .delivered(1001, "r1"))
        #expect(event.message.updatedAt == nil)
        #expect(event.message.sender?.user.id == "alice")
        #expect(event.message.sender?.user.nickname == "Alice")
        #expect(event.message.sender?.role == .operator)
        #expect(event.message.unknownFields.isEmpty)
    }

    @Test func `the request ID of an edit's answer is the edit's, not the message's`() throws {
        for (field, id) in [("req_id", nil), ("request_id", RequestID("r2"))] {
            let event = try decode(
                #"MEDI{"\#(field)":"r2","msg_id":3,"ts":9,"updated_at":9,"channel_url":"g","#
                    + #""message":""}"#)
            guard case .edited(let edit) = event else { return #expect(Bool(false)) }
            #expect(edit.message.requestID == id)
            #expect(edit.acknowledges == (id == nil ? "r2" : nil))
        }
    }

    @Test(arguments: [
        (ReplyPolicy.all, [true, true, true]), (.none, [true, false, false]),
        (.repliesToChannel, [true, false, true]),
    ])
    func `a policy admits messages, and the replies that it names`(
        _ policy: ReplyPolicy, _ admitted: [Bool]
    ) {
        func message(parent: MessageID?, toChannel: Bool) -> Message {
            Message(
                delivery: .delivered(3, nil), channelURL: "g",
                createdAt: Timestamp(milliseconds: 9), content: .user(text: ""),
                parentID: parent, isReplyToChannel: toChannel)
        }
        let messages = [
            message(parent: nil, toChannel: false), message(parent: 2, toChannel: false),
            message(parent: 2, toChannel: true),
        ]
        #expect(messages.map(policy.admits) == admitted)
    }

    @Test
    func `a broadcast has the request ID and acknowledges nothing`() throws {
        var samples = Samples(seed: 4)
        var message = samples.message()
        message.delivery = .delivered(7, "r7")
        let text = ServerEvent.message(MessageEvent(message: message)).encoded
        #expect(text.contains(#""request_id":"r7""#))
        #expect(!text.contains(#""req_id""#))
        guard case .message(let event) = try decode(text) else { return #expect(Bool(false)) }
        #expect(event.acknowledges == nil)
        #expect(event.message.requestID == "r7")
    }

    @Test
    func
        `a poll's frame contains no votes, though it has an empty list of them (scar 117)`()
        throws
    {
        let poll = #""poll":{"id":1,"title":"?","voted_option_ids":[]}"#
        for kind in ["MESG", "MEDI"] {
            let event = try decode(
                #"\#(kind){"msg_id":3,"ts":9,"updated_at":9,"channel_url":"g","message":"?",\#(poll)}"#
            )
            let told: Poll? =
                switch event {
                case .message(let event): event.message.details.poll
                case .edited(let event): event.message.details.poll
                default: nil
                }
            #expect(told?.title == "?" && told?.votedOptionIDs == nil)
        }
        guard case .poll(let edit) = try decode(#"PEDI{"channel_url":"g",\#(poll)}"#),
            case .edited(let told) = edit.change
        else { return #expect(Bool(false)) }
        #expect(told.title == "?" && told.votedOptionIDs == nil)
        // A vote's answer and the events of the voter's other devices do.
        guard
            case .poll(let vote) = try decode(
                #"VOTE{"channel_url":"g","poll_id":1,"voted_option_ids":[],"ts":9}"#),
            case .voted(let votes) = vote.change
        else { return #expect(Bool(false)) }
        #expect(votes.votedOptionIDs == [])
    }

    @Test
    func `a spread file and a file object have the same meaning`() throws {
        let flat = try decode(
            #"FILE{"msg_id":3,"ts":9,"channel_url":"g","url":"u","name":"n","type":"image/png","size":5,"#
                + #""custom":"d","thumbnails":[],"require_auth":false,"user":{"user_id":"a"}}"#)
        let nested = try decode(
            #"FILE{"message_id":3,"created_at":9,"channel_url":"g","type":"FILE","file":{"url":"u","name":"n","#
                + #""type":"image/png","size":5,"data":"d"},"user":{"user_id":"a"}}"#)
        #expect(flat == nested)
    }

    @Test
    func `meta arrays decode from a map with an order and from a list`() throws {
        let map = try decode(
            #"MESG{"msg_id":3,"ts":9,"channel_url":"g","message":"","metaarray":{"a":["1"],"b":[]},"#
                + #""metaarray_key_order":["b","a"]}"#)
        let list = try decode(
            #"MESG{"msg_id":3,"ts":9,"channel_url":"g","message":"","#
                + #""sorted_metaarray":[{"key":"b","value":[]},{"key":"a","value":["1"]}]}"#)
        #expect(map == list)
        guard case .message(let event) = map else { return #expect(Bool(false)) }
        #expect(event.message.metaArrays.map(\.key) == ["b", "a"])
    }

    @Test
    func `the smallest login has every default`() throws {
        guard
            case .login(.success(let login)) = try decode(#"LOGI{"key":"k","user_id":"u","sts":1}"#)
        else { return #expect(Bool(false)) }
        var expected = LoginSuccess(user: User(id: "u"), sessionKey: "k")
        expected.pingInterval = .seconds(15)
        #expect(login == expected)
        #expect(login.reconnect.tryLimit == nil)
    }

    @Test
    func `a login has all fields that any client needs (scar 76)`() throws {
        var login = LoginSuccess(user: User(id: "u", nickname: "U"), sessionKey: "k")
        login.loginAt = Timestamp(milliseconds: 5)
        login.reconnect.tryLimit = 3
        login.omitsSuperAcknowledgements = true
        login.requestDedupInterval = .milliseconds(0)
        login.unread = UnreadCount(
            all: 3, customTypes: ["a": 1], timestamp: Timestamp(milliseconds: 9))
        let text = ServerEvent.login(.success(login)).encoded
        #expect(try decode(text) == .login(.success(login)))
        let value = try JSONValue(parsing: String(text.dropFirst(4)))
        for name in [
            "user_id", "nickname", "profile_url", "metadata", "is_active", "key", "ekey",
            "login_ts",
            "ping_interval", "pong_timeout", "reconnect", "max_unread_cnt_on_super_group",
            "max_unread_count_on_super_group", "file_upload_size_limit", "premium_feature_list",
            "emoji_hash", "application_attributes", "use_reaction", "multiple_file_send_max_size",
            "config_sync_needed", "services", "notifications", "allow_sdk_log_ingestion",
            "unread_cnt", "disable_supergroup_mack",
        ] { #expect(value[name] != nil, "\(name) is missing") }
    }

    @Test(arguments: [
        LoginResult.failure(ServerError(.tokenInvalid, "No."), acknowledges: nil),
        .failure(ServerError(.sessionRevoked, "No."), acknowledges: "r"),
        .refreshed(acknowledges: "r", sessionKey: "k2", fileKey: "f"),
    ])
    func `other answers to a login survive encoding`(result: LoginResult) throws {
        #expect(try decode(ServerEvent.login(result).encoded) == .login(result))
    }

    static let user = User(id: "u", nickname: "U")
    static let moment = Timestamp(milliseconds: 77)

    static let events: [ServerEvent] = [
        .deleted(
            DeletionEvent(
                channelURL: "g", messageID: 5, timestamp: moment, messageCreatedAt: moment,
                senderID: "u")),
        .deleted(DeletionEvent(channelURL: "g", messageID: 5)),
        .read(ReadEvent(channelURL: "g", user: user, timestamp: moment, acknowledges: "r")),
        .read(unread), .delivered("g", ["u": moment]),
        .user(category: 20_001, data: #"{"blocker":{}}"#),
        .error(ServerError(.notAMember, "m"), acknowledges: "r"),
        .busy(BusyEvent(retryAfter: .seconds(3), reason: 1, message: "m")),
        .expired(reason: 400_310, expiresIn: -1), .expired(reason: nil, expiresIn: nil),
        .memberCounts(
            [
                MemberCounts(
                    channelURL: "g", memberCount: 3, joinedMemberCount: 2, timestamp: moment)
            ], []),
        .reaction(
            ReactionEvent(
                channelURL: "g", messageID: 5,
                change: ReactionChange(
                    key: "k", userID: "u", isAdded: false, updatedAt: moment))),
        .thread(
            ThreadEvent(channelURL: "g", parentID: 5, threadInfo: ThreadInfo(replyCount: 1))),
        .poll(
            PollEvent(
                channelURL: "g", messageID: 5, change: .voted(votes(own: [1])), acknowledges: "r")),
        .poll(PollEvent(channelURL: "g", messageID: nil, change: .voted(votes(own: nil)))),
        .poll(PollEvent(channelURL: "g", messageID: 5, change: .edited(poll))),
        .unknown(Frame.Command("NEWS")), .pong,
    ]

    private static let unread: ReadEvent = {
        var event = ReadEvent(channelURL: "g", user: user, timestamp: moment)
        event.isExcluded = true
        return event
    }()

    private static func votes(own: [PollOptionID]?) -> PollVotes {
        var votes = PollVotes(poll, at: moment)
        votes.votedOptionIDs = own
        return votes
    }

    private static let poll: Poll = {
        var poll = Poll(id: 7)
        poll.messageID = 5
        poll.options = [1, 2].map { Poll.Option(id: $0) }
        poll.updatedAt = Timestamp(seconds: 1_700_000_000)
        return poll
    }()

    @Test(arguments: events)
    func `every event survives encoding`(event: ServerEvent) throws {
        let text = event.encoded
        #expect(text.hasSuffix("}\n"))
        #expect(try decode(text) == event)
    }

    static let channelContents: [(ChannelEvent.Category, ChannelEvent.Content)] = [
        (.joined, .joined([Member(user: user)], .init(members: 2, joinedMembers: 1))),
        (.left, .left(user, .init(members: 1, joinedMembers: 1))),
        (.invited, .invited(inviter: user, invitees: [Member(user: user)], at: moment, .init())),
        (.invitationDeclined, .declined(inviter: nil, invitee: user, .init())),
        (.operatorsChanged, .operators([user])), (.frozen, .frozen(true)),
        (.unfrozen, .frozen(false)),
        (.typingStart, .typing(user, isTyping: true)), (.typingEnd, .typing(user, isTyping: false)),
        (.hidden, .hidden(hidesPrevious: true, allowsAutoUnhide: false)),
        (.metadataChanged, .metadata(created: ["a": "b"], updated: [:], deleted: ["c"])),
        (
            .metaCountersChanged,
            .counters(created: ["a": 1], updated: ["b": -2], deleted: ["c"])
        ),
        (.muted, .restricted(RestrictedUser(user: user, until: moment, reason: "r"), .init())),
        (.unmuted, .restricted(RestrictedUser(user: user), .init())),
        (
            .banned,
            .restricted(RestrictedUser(user: user), .init(members: 3, joinedMembers: 2))
        ),
        (.propertiesChanged, .other(data: "{}")), (.deleted, .other(data: "{}")),
        (ChannelEvent.Category(19_999), .other(data: #"{"new":[1]}"#)),
    ]

    @Test(arguments: channelContents)
    func `channel events survive encoding`(
        category: ChannelEvent.Category, content: ChannelEvent.Content
    ) throws {
        var event = ChannelEvent(
            category, channelURL: "g", timestamp: Self.moment, content: content, uniqueID: "q")
        event.unread = UnreadCount(all: 1, timestamp: Self.moment)
        if category == .hidden { event.messageOffset = Self.moment }
        #expect(try decode(ServerEvent.channel(event).encoded) == .channel(event))
    }

    @Test
    func `a single new member may be spread into the data, before the category`() throws {
        let event = try decode(
            #"SYEV{"data":{"user_id":"u","nickname":"U"},"cat":10000,"channel_url":"g","ts":77}"#)
        guard case .channel(let event) = event, case .joined(let members, _) = event.content
        else { return #expect(Bool(false)) }
        #expect(members.map(\.user.id) == ["u"])
    }

    @Test
    func `an error inside the data of a channel event names its place`() {
        let error = #expect(throws: WireError.self) {
            try decode(
                #"SYEV{"cat":10020,"channel_url":"g","data":{"invitees":[{"nickname":"x"}]}}"#)
        }
        #expect(error?.path == "data.invitees[0].user_id")
        #expect(error?.kind == .missing)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `flipped and cut bytes give an error or a value, never a trap`(seed: UInt64) {
        var samples = Samples(seed: seed)
        var events = Self.events.map(\.encoded)
        events.append(ServerEvent.message(MessageEvent(message: samples.message())).encoded)
        events += Self.channelContents.map { category, content in
            ServerEvent.channel(
                ChannelEvent(category, channelURL: "g", timestamp: Self.moment, content: content)
            ).encoded
        }
        for text in events {
            var bytes = Array(text.utf8)
            if samples.flag() { bytes.removeLast(samples.number(0...(bytes.count - 1))) }
            for _ in 0..<samples.number(1...4) where !bytes.isEmpty {
                bytes[samples.number(0...(bytes.count - 1))] = UInt8(samples.number(0...255))
            }
            for part in ServerEvent.decodeAll(String(decoding: bytes, as: UTF8.self)) {
                guard case .failure(let error) = part else { continue }
                #expect((0...(bytes.count * 3)).contains(error.offset))
            }
            var reader = JSONReader("")
            #expect(throws: WireError.self) { try reader.readGroupChannel() }
            _ = try? JSONValue(parsing: bytes)
        }
    }
}
