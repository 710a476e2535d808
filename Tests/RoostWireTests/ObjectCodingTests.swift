// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire
import Testing

struct ObjectCodingTests {
    @Test(arguments: 0..<60 as Range<UInt64>)
    func `users, messages and channels survive both dialects (scar 76)`(seed: UInt64) throws {
        var samples = Samples(seed: seed)
        let message = samples.message()
        let channel = samples.channel()
        let user = samples.user()
        var writer = JSONWriter()
        writer.array { writer in
            writer.message(message)
            writer.groupChannel(channel)
            writer.user(user)
        }
        var reader = JSONReader(writer.text)
        var index = 0
        try reader.readArray { reader throws(WireError) in
            switch index {
            case 0: #expect(try reader.readMessage() == message)
            case 1: #expect(try reader.readGroupChannel() == channel)
            default: #expect(try reader.readUser() == user)
            }
            index += 1
        }
        let event = MessageEvent(
            message: message, acknowledges: message.requestID, previousMessageID: 3,
            forcesLastMessage: true)
        let events = ServerEvent.decodeAll(ServerEvent.message(event).encoded)
        // A user's votes are private; a frame that contains them is not believed.
        var told = event
        if !message.hasNoDetails { told.message.details.poll?.votedOptionIDs = nil }
        #expect(try events.map { try $0.get() } == [.message(told)])
    }

    @Test
    func `a channel decodes from the original service's shape`() throws {
        var reader = JSONReader(
            #"{"channel_url":"g","name":null,"created_at":1700000000,"created_by":null,"freeze":"true","#
                + #""last_message":null,"member_state":"joined","my_role":"operator","joined_ts":5,"ts":9,"#
                + #""is_created":true,"members":[{"user_id":"a","state":"invited","role":""}],"#
                + #""user_last_read":0,"read_receipt":{"a":1},"unread_message_count":2}"#)
        let channel = try reader.readGroupChannel()
        #expect(channel.createdAt == Timestamp(seconds: 1_700_000_000))
        #expect(channel.isFrozen)
        #expect(channel.name == "")
        #expect(channel.lastMessage == nil)
        #expect(channel.myLastRead == nil)
        #expect(channel.myRole == .operator)
        #expect(channel.members.map(\.state) == [.invited])
        #expect(channel.joinedAt == Timestamp(seconds: 5))
        #expect(channel.readReceipts == ["a": Timestamp(milliseconds: 1)])
        #expect(channel.deliveryReceipts == nil)
        #expect(channel.unknownFields.isEmpty)
    }

    @Test
    func `a message of the original service keeps all its fields`() throws {
        let text =
            #"{"type":"MESG","message_id":5,"message":"m","data":"","custom_type":"","created_at":9,"#
            + #""updated_at":0,"channel_url":"g","channel_type":"group","mention_type":"users","#
            + #""mentioned_users":[{"user_id":"b","nickname":"B"}],"silent":false,"is_op_msg":false,"#
            + #""file":{},"translations":{"de":"x"},"message_retention_hour":-1,"poll":{"id":1},"#
            + #""reactions":[{"key":"k","user_ids":["a"],"updated_at":1}],"user":{"user_id":"a"}}"#
        var reader = JSONReader(text)
        let message = try reader.readMessage()
        #expect(message.mention.userIDs == ["b"])
        #expect(message.details.mentionedUsers.map(\.nickname) == ["B"])
        #expect(
            message.details.reactions
                == [Reaction(key: "k", userIDs: ["a"], updatedAt: Timestamp(milliseconds: 1))])
        #expect(message.details.retentionHours == nil)
        #expect(message.unknownFields.isEmpty)
        var writer = JSONWriter()
        writer.message(message)
        let before = try JSONValue(parsing: text)
        let after = try JSONValue(parsing: writer.text)
        for name in [
            "translations", "reactions", "file", "updated_at", "channel_type",
        ] { #expect(after[name] == before[name], "\(name)") }
        #expect(after["poll"]?["id"] == 1)
        #expect(after["mentioned_users"]?[0]?["nickname"] == "B")
    }

    @Test
    func `unknown reactions differ from no reactions (scar 78)`() throws {
        let head = #"{"type":"MESG","message_id":1,"created_at":2,"channel_url":"g""#
        var silent = JSONReader(head + "}")
        #expect(try silent.readMessage().details.reactions == nil)
        var empty = JSONReader(head + #","reactions":[]}"#)
        #expect(try empty.readMessage().details.reactions == [])
    }

    @Test(arguments: ["nan", "1e999", "-inf", "loud"])
    func `a volume that is no finite number counts as the full one`(volume: String) throws {
        var reader = JSONReader(
            #"{"type":"MESG","message_id":1,"created_at":2,"channel_url":"g","#
                + #""apple_critical_alert_options":{"name":"s","volume":"\#(volume)"}}"#)
        let message = try reader.readMessage()
        #expect(message.details.criticalAlert?.volume == 1)
        #expect(message == message)
    }

    @Test
    func `unknown votes differ from no votes (scar 117)`() throws {
        for (own, json) in [
            (nil, nil), ([], .array([])), ([2], .array([.int(2)])),
        ] as [([PollOptionID]?, JSONValue?)] {
            var poll = Poll(id: 1)
            poll.votedOptionIDs = own
            var writer = JSONWriter()
            writer.object { writer in writer.fields(of: poll) }
            #expect(try JSONValue(parsing: writer.text)["voted_option_ids"] == json)
            var reader = JSONReader(writer.text)
            #expect(try reader.readPollIfPresent() == poll)
        }
        var reader = JSONReader(#"{"id":1,"voted_option_ids":null}"#)
        #expect(try reader.readPollIfPresent() == Poll(id: 1))
    }

    @Test(arguments: ["poll", "og_tag", "thread_info", "reactions", "parent_message_info"])
    func `a detail of unknown shape is kept, and its message decodes (scar 76)`(
        name: String
    ) throws {
        let text =
            #"{"type":"MESG","message_id":1,"created_at":2,"channel_url":"g","message":"m","#
            + "\"\(name)\":7}"
        var reader = JSONReader(text)
        let message = try reader.readMessage()
        #expect(message.text == "m")
        #expect(message.unknownFields[name] == "7")
    }

    @Test(arguments: [
        "type\\u0000", "type ", "Type", "typ", "t\\u0079pe2", "message_survival_second",
    ])
    func `a name similar to a known one is unknown`(name: String) throws {
        let text =
            #"{"type":"MESG","message_id":1,"created_at":2,"channel_url":"g","#
            + "\"\(name)\":7}"
        var reader = JSONReader(text)
        #expect(try reader.readMessage().unknownFields.fields.map(\.json) == ["7"])
    }

    @Test
    func `a name with a bare control character is malformed (scar 31)`() {
        var bytes = Array(#"{"type_":"MESG","message_id":1,"created_at":2,"channel_url":"g"}"#.utf8)
        bytes[6] = 0
        #expect(throws: WireError.self) {
            var reader = try JSONReader(bytes: bytes)
            return try reader.readMessage()
        }
    }

    @Test
    func `a name written with escapes has the same meaning`() throws {
        var reader = JSONReader(
            #"{"t\u0079pe":"MESG","message_id":1,"created_at":2,"channel_url":"g"}"#)
        #expect(try reader.readMessage().content == .user(text: ""))
    }

    @Test
    func `senders of one page that differ in one letter stay different`() throws {
        let people = (0..<20).map { #"{"user_id":"u","nickname":"N\#($0 % 13)"}"# }
        let page = people.map {
            #"{"type":"MESG","message_id":1,"created_at":2,"channel_url":"g","user":\#($0)}"#
        }
        var reader = JSONReader("[" + page.joined(separator: ",") + "]")
        let messages = try reader.readList { reader throws(WireError) in try reader.readMessage() }
        #expect(messages.map { $0.sender?.user.nickname } == (0..<20).map { "N\($0 % 13)" })
    }

    @Test
    func `a message of an unknown kind is kept in full`() throws {
        let text =
            #"{"message_id":5,"created_at":9,"channel_url":"g","type":"HOLO","message":"m","size":4,"#
            + #""file":{"url":"u","beam":1}}"#
        var reader = JSONReader(text)
        let message = try reader.readMessage()
        #expect(message.content == .unknown(kind: "HOLO"))
        var writer = JSONWriter()
        writer.message(message)
        let after = try JSONValue(parsing: writer.text)
        #expect(after["file"] == ["url": "u", "beam": 1])
        #expect(after["message"] == "m")
        #expect(after["type"] == "HOLO")
        var again = JSONReader(writer.text)
        #expect(try again.readMessage() == message)
    }

    @Test
    func `absent values are left out, and text is never null`() throws {
        let message = Message(
            delivery: .delivered(1, nil), channelURL: "g", createdAt: Timestamp(milliseconds: 1),
            content: .admin(text: "t"))
        var writer = JSONWriter()
        writer.message(message)
        #expect(!writer.text.contains("null"))
        let value = try JSONValue(parsing: writer.text)
        for name in ["user", "parent_message_id", "req_id", "thread_info", "sorted_metaarray"] {
            #expect(value[name] == nil)
        }
        #expect(value["file"] == [:])
        #expect(value["updated_at"] == 0)
    }

    @Test(arguments: ["message_id", "created_at", "type", "channel_url"])
    func `a message without a required field is refused`(field: String) {
        let fields: [(String, String)] = [
            ("message_id", "1"), ("created_at", "2"), ("type", #""MESG""#),
            ("channel_url", #""g""#),
        ]
        let text = fields.filter { $0.0 != field }.map { #""\#($0.0)":\#($0.1)"# }
        let error = #expect(throws: WireError.self) {
            var reader = JSONReader("{" + text.joined(separator: ",") + "}")
            return try reader.readMessage()
        }
        #expect(error?.kind == .missing)
        #expect(error?.path == field)
    }
}
