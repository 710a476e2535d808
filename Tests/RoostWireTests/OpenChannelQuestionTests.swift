// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire
import Testing

/// The calls and frames of open channels.
struct OpenChannelQuestionTests {
    private static func body(_ request: APIRequest) throws -> JSONValue {
        try JSONValue(parsing: request.body)
    }

    @Test func `a call about a group channel is made about an open one by its path`() {
        let call = InOpenChannel(DeleteMessage(channelURL: "o", messageID: 7))
        #expect(call.encode().path == ["open_channels", "o", "messages", "7"])
        let ban = InOpenChannel(ChannelRequest.ban("o", "bob", seconds: nil, reason: ""))
        #expect(ban.encode().path == ["open_channels", "o", "ban"])
    }

    @Test func `a creation and a change name what is given`() throws {
        let params = OpenChannelCreateParams(name: "n", url: "o", operatorIDs: ["ann"])
        let creation = WriteOpenChannel.create(params).encode()
        #expect(creation.path == ["open_channels"])
        #expect(try Self.body(creation)["operator_ids"] == ["ann"])
        let change = WriteOpenChannel.update("o", OpenChannelUpdateParams(name: "m")).encode()
        #expect(change.path == ["open_channels", "o"])
        #expect(try Self.body(change) == ["name": "m"])
    }

    @Test func `an open channel is decoded, with numbers in their ranges`() throws {
        let text =
            #"{"channel_url":"o","name":"n","created_at":5,"freeze":true,"participant_count":-3,"#
            + #""message_survival_seconds":-1,"operators":[{"user_id":"ann"}],"new_field":1}"#
        let channel = try GetOpenChannel.decode(APIResponse(status: 200, body: Array(text.utf8)))
        #expect(channel.url == "o" && channel.name == "n" && channel.isFrozen)
        #expect(channel.createdAt == Timestamp(milliseconds: 5_000))
        #expect(channel.participantCount == 0 && channel.messageSurvivalSeconds == nil)
        #expect(channel.operators.map(\.id) == ["ann"] && channel.metadata == nil)
        #expect(channel.unknownFields["new_field"] == "1")
    }

    @Test func `an entry's answer is decoded as it is encoded, and with the number in its data`()
        throws
    {
        let answer = RoomAnswer(
            isEntry: true, channelURL: "o", participantCount: 2,
            timestamp: Timestamp(milliseconds: 9), acknowledges: "r")
        let events = ServerEvent.decodeAll(ServerEvent.room(answer).encoded)
        #expect(try events.map { try $0.get() } == [.room(answer)])
        let other = ServerEvent.decodeAll(
            #"EXIT{"channel_url":"o","req_id":"r","data":{"participant_count":4}}"#)
        guard case .success(.room(let exit))? = other.first else {
            return #expect(Bool(false), "\(other)")
        }
        #expect(!exit.isEntry && exit.participantCount == 4)
    }

    @Test func `entries and exits of users are decoded as they are encoded`() throws {
        for content in [
            ChannelEvent.Content.entered(User(id: "bob"), participants: 3),
            .exited(User(id: "bob"), participants: 2),
        ] {
            var category = ChannelEvent.Category.exited
            if case .entered = content { category = .entered }
            let event = ChannelEvent(
                category, channelURL: "o", timestamp: Timestamp(milliseconds: 9), content: content)
            let read = ServerEvent.decodeAll(ServerEvent.channel(event).encoded(isOpen: true))
            #expect(try read.map { try $0.get() } == [.inOpenChannel(.channel(event))])
        }
    }
}
