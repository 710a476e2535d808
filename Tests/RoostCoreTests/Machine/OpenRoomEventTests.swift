// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

extension OpenRoomTests {
    private static func open(_ message: Message) -> Message {
        var message = message
        message.unknownFields.keep(.init(name: "channel_type", json: "\"open\""))
        return message
    }

    @Test func `edits, reactions, threads and edited polls of an entered channel reach the app`()
        throws
    {
        var script = Script.connected()
        try Self.enter(&script)
        let message = Self.open(Script.message(7, in: Self.url))
        let change = ReactionChange(
            key: "heart", userID: "bob", isAdded: true, updatedAt: Script.loginAt)
        let poll = Poll(id: 4)
        let frames: [(ServerEvent, ChatEvent)] = [
            (.edited(EditEvent(message: message)), .messageUpdated(message)),
            (
                .reaction(ReactionEvent(channelURL: Self.url, messageID: 7, change: change)),
                .reactionChanged(change, 7, Self.url)
            ),
            (
                .thread(
                    ThreadEvent(
                        channelURL: Self.url, parentID: 7, threadInfo: ThreadInfo(replyCount: 2))),
                .threadChanged(ThreadInfo(replyCount: 2), 7, Self.url)
            ),
            (
                .poll(PollEvent(channelURL: Self.url, messageID: 7, change: .edited(poll))),
                .pollChanged(poll, 7, Self.url)
            ),
        ]
        for (frame, event) in frames {
            let effects = script.frame(frame)
            #expect(Self.events(effects) == [.openChannel(event)])
            #expect(effects.mutations.isEmpty)
        }
        // The answer to an own edit ends its call, and a poll without a message has no place.
        let own = script.frame(.edited(EditEvent(message: message, acknowledges: "r")))
        let placeless = script.frame(
            .poll(PollEvent(channelURL: Self.url, messageID: nil, change: .edited(poll))))
        #expect(Self.events(own).isEmpty && Self.events(placeless).isEmpty)
    }

    @Test func `a message that mentions the user is followed by the mention`() throws {
        var script = Script.connected()
        try Self.enter(&script)
        func frame(_ id: Int64, from sender: UserID, _ created: Int64) -> Message {
            var message = Script.message(id, in: Self.url)
            message.sender = Sender(user: User(id: sender))
            message.mention = Mention(userIDs: ["me"])
            message.createdAt = Timestamp(milliseconds: created)
            return message
        }
        let call = frame(7, from: "bob", 7)
        #expect(
            Self.events(script.frame(.message(MessageEvent(message: call)))) == [
                .openChannel(.messageReceived(call)), .openChannel(.mentioned(call)),
            ])
        let own = frame(8, from: "me", 8)
        #expect(
            Self.events(script.frame(.message(MessageEvent(message: own)))) == [
                .openChannel(.messageReceived(own))
            ])
        // A time that no message can have is a damaged frame.
        let impossible = frame(9, from: "bob", .max)
        #expect(Self.events(script.frame(.message(MessageEvent(message: impossible)))).isEmpty)
    }

    @Test func `operators and metadata of an entered channel follow their events`() throws {
        var script = Script.connected()
        try Self.enter(&script)
        let bob = User(id: "bob")
        let operators = script.frame(Self.event(.operatorsChanged, .operators([bob])))
        #expect(Self.events(operators) == [.openChannel(.operatorsChanged([bob], Self.url))])
        func metadata(
            _ created: [String: String], _ updated: [String: String], _ deleted: [String]
        ) -> [String: String]? {
            let effects = script.frame(
                Self.event(
                    .metadataChanged,
                    .metadata(created: created, updated: updated, deleted: deleted)))
            #expect(
                Self.events(effects) == [
                    .openChannel(
                        .metadataChanged(
                            created: created, updated: updated, deleted: deleted, Self.url))
                ])
            return script.machine.state.rooms.entered[Self.url]?.metadata
        }
        #expect(metadata(["a": "1", "b": "1"], [:], []) == ["a": "1", "b": "1"])
        #expect(metadata(["c": "1"], ["a": "2"], ["b"]) == ["a": "2", "c": "1"])
        #expect(script.machine.state.rooms.entered[Self.url]?.operators == [bob])
    }

    @Test func `without a connection an entry fails at once, and nothing is awaited`() {
        var script = Script()
        let (entry, effects) = script.start(.roomEntry(RoomEntry(Self.url)))
        #expect(Self.failure(entry, effects)?.code == .connectionRequired)
        #expect(Self.sent(effects) == nil)
        script.login()
        #expect(script.machine.state.rooms.entered.isEmpty)
    }

    @Test func `a refused look-up of an entry ends outside, and a look-up of another channel`()
        throws
    {
        for found in [nil, OpenChannel(url: "elsewhere")] {
            var script = Script.connected()
            let (entry, entries) = script.start(.roomEntry(RoomEntry(Self.url)))
            try Self.acknowledge(entries, 3, &script)
            let end =
                found.map { script.answer(entry, .openChannel($0)) }
                ?? script.refuse(entry, Script.error(.notFound, .none))
            #expect(Self.failure(entry, end) != nil)
            #expect(script.machine.state.rooms.entered.isEmpty)
        }
    }

    @Test func `a return ends with its connection, and an exit during it wins`() throws {
        var script = Script.connected()
        try Self.enter(&script)
        let asks = try Self.acknowledge(script.login(), 3, &script)
        let id = try #require(Self.asked(asks))
        let pauses = script.refuse(id, Script.error(.requestFailed))
        #expect(pauses.contains { if case .pause(id, _, .retry) = $0 { true } else { false } })
        // The wait outlives the connection, and the next connection has a return of its own.
        script.lose()
        #expect(Self.sent(script.pass(id)) == nil)
        let entries = script.login()
        let (_, exits) = script.start(.roomExit(RoomExit(Self.url)))
        try Self.acknowledge(entries, 3, &script)
        let end = try Self.acknowledge(exits, 2, &script)
        #expect(Self.events(end).isEmpty && Self.asked(end) == nil)
        #expect(script.machine.state.rooms.entered.isEmpty)
    }

    @Test func `an edit gets a request ID of its own, and ends with the edited message`() {
        var script = Script.connected()
        let command = EditCommand(
            channelURL: Self.url, messageID: 7, requestID: nil, text: "better")
        let (id, effects) = script.start(.roomMessage(RoomMessage(.edit(command))))
        var request: RequestID?
        for case .send(id, .edit(let edit)) in effects { request = edit.requestID }
        script.give(.reply(id, .sent(nil)))
        let message = Self.open(Script.message(7, in: Self.url))
        #expect(request != nil)
        let end = script.frame(.edited(EditEvent(message: message, acknowledges: request)))
        #expect(end.contains(.finish(id, .message(message))) && end.mutations.isEmpty)
    }
}
