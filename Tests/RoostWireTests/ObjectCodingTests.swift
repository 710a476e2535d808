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
        #expect(try events.map { try $0.get() } == [.message(event)])
    }

    @Test
    func `a channel is read from the service's shape`() throws {
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
        #expect(channel.unknownFields.fields.map(\.name) == ["joined_ts", "read_receipt"])
    }

    @Test
    func `a message from the service's shape comes back with all it had`() throws {
        let text =
            #"{"type":"MESG","message_id":5,"message":"m","data":"","custom_type":"","created_at":9,"#
            + #""updated_at":0,"channel_url":"g","channel_type":"group","mention_type":"users","#
            + #""mentioned_users":[{"user_id":"b","nickname":"B"}],"silent":false,"is_op_msg":false,"#
            + #""file":{},"translations":{"de":"x"},"message_retention_hour":-1,"poll":{"id":1},"#
            + #""reactions":[{"key":"k","user_ids":["a"],"updated_at":1}],"user":{"user_id":"a"}}"#
        var reader = JSONReader(text)
        let message = try reader.readMessage()
        #expect(message.mention.userIDs == ["b"])
        #expect(message.mentionedUsers.map(\.nickname) == ["B"])
        var writer = JSONWriter()
        writer.message(message)
        let before = try JSONValue(parsing: text)
        let after = try JSONValue(parsing: writer.text)
        for name in [
            "translations", "message_retention_hour", "poll", "reactions", "mentioned_users",
            "file",
            "updated_at", "channel_type",
        ] { #expect(after[name] == before[name], "\(name)") }
    }

    @Test
    func `a message of an unknown kind is kept whole`() throws {
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
    func `a message without what it cannot do without is refused`(field: String) {
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
