// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

/// The events of open channels, and the return to them.
struct OpenRoomTests {
    private typealias Script = MachineScript

    private static let url: ChannelURL = "plaza"
    private static let question = ServerQuestion.openChannel(GetOpenChannel(channelURL: url))

    /// Returns the ID of the operation that asks for the channel.
    private static func asked(_ effects: [Script.Effect]) -> Script.ID? {
        for case .ask(let id, question, .connection) in effects { return id }
        return nil
    }

    /// Returns the request ID of an entry or exit among the effects.
    private static func sent(_ effects: [Script.Effect]) -> RequestID? {
        for case .send(_, let command) in effects {
            switch command {
            case .enter(url, let requestID), .exit(url, let requestID): return requestID
            default: break
            }
        }
        return nil
    }

    private static func events(_ effects: [Script.Effect]) -> [ChatEvent] {
        effects.notices.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    /// Answers the command that is among the effects.
    @discardableResult
    private static func acknowledge(
        _ effects: [Script.Effect], _ count: Int, _ script: inout Script
    ) throws -> [Script.Effect] {
        let requestID = try #require(sent(effects))
        for case .send(let id, _) in effects { script.give(.reply(id, .sent(nil))) }
        return script.frame(
            .room(
                RoomAnswer(
                    isEntry: true, channelURL: url, participantCount: count,
                    timestamp: Script.loginAt, acknowledges: requestID)))
    }

    /// Enters the channel.
    private static func enter(_ script: inout Script) throws {
        let (id, asks) = script.start(.roomEntry(RoomEntry(url)))
        #expect(asked(asks) == id)
        let sends = script.answer(id, .openChannel(OpenChannel(url: url, name: "Plaza")))
        let end = try acknowledge(sends, 3, &script)
        var channel = OpenChannel(url: url, name: "Plaza")
        channel.participantCount = 3
        #expect(end.contains(.finish(id, .openChannel(channel))))
    }

    private static func event(
        _ category: ChannelEvent.Category, _ content: ChannelEvent.Content = .other(data: "{}")
    ) -> ServerEvent {
        .channel(
            ChannelEvent(
                category, channelURL: url, timestamp: Script.loginAt, content: content))
    }

    @Test func `an event of an entered channel reaches the app and not the cache`() throws {
        var script = Script.connected()
        try Self.enter(&script)
        let message = Script.message(7, in: Self.url)
        let effects = script.frame(.message(MessageEvent(message: message)))
        #expect(Self.events(effects) == [.openChannel(.messageReceived(message))])
        #expect(effects.mutations.isEmpty && effects.needs.count == 1)
        let deletion = script.frame(
            .deleted(DeletionEvent(channelURL: Self.url, messageID: 7)))
        #expect(Self.events(deletion) == [.openChannel(.messageDeleted(7, Self.url))])
        #expect(deletion.mutations.isEmpty)
    }

    @Test func `a message of an open channel is not stored, even if it was never entered`() {
        var script = Script.connected()
        var message = Script.message(7, in: Self.url)
        message.unknownFields.keep(.init(name: "channel_type", json: "\"open\""))
        let effects = script.frame(.message(MessageEvent(message: message)))
        #expect(Self.events(effects).isEmpty && effects.mutations.isEmpty)
    }

    @Test func `the channel's value follows entries, exits and freezes`() throws {
        var script = Script.connected()
        try Self.enter(&script)
        let bob = User(id: "bob")
        let entry = script.frame(Self.event(.entered, .entered(bob, participants: 4)))
        #expect(Self.events(entry) == [.openChannel(.entered(bob, participants: 4, Self.url))])
        // The last known number stands for one that the server does not tell.
        let exit = script.frame(Self.event(.exited, .exited(bob, participants: nil)))
        #expect(Self.events(exit) == [.openChannel(.exited(bob, participants: 4, Self.url))])
        _ = script.frame(Self.event(.frozen, .frozen(true)))
        let channel = script.machine.state.rooms.entered[Self.url]
        #expect(channel?.participantCount == 4 && channel?.isFrozen == true)
    }

    @Test func `changed properties are looked up before the app learns of the change`() throws {
        var script = Script.connected()
        try Self.enter(&script)
        let effects = script.frame(Self.event(.propertiesChanged))
        #expect(Self.events(effects).isEmpty)
        let id = try #require(Self.asked(effects))
        let end = script.answer(id, .openChannel(OpenChannel(url: Self.url, name: "New")))
        #expect(Self.events(end) == [.openChannel(.channelChanged(Self.url))])
        let channel = script.machine.state.rooms.entered[Self.url]
        #expect(channel?.name == "New" && channel?.participantCount == 3)
    }

    @Test(arguments: [ChannelEvent.Category.deleted, .banned])
    func `a deletion and a ban of the user end the stay`(
        _ category: ChannelEvent.Category
    ) throws {
        var script = Script.connected()
        try Self.enter(&script)
        let user = RestrictedUser(user: User(id: "me"), until: nil, reason: "")
        let effects = script.frame(
            category == .banned
                ? Self.event(.banned, .restricted(user, ChannelEvent.Counts()))
                : Self.event(.deleted))
        #expect(Self.events(effects).count == 1)
        #expect(script.machine.state.rooms.entered.isEmpty)
        #expect(Self.asked(script.login()) == nil)
    }

    @Test func `each connection enters the channels again, until the exit`() throws {
        var script = Script.connected()
        try Self.enter(&script)
        let id = try #require(Self.asked(script.login()))
        let found = OpenChannel(url: Self.url, name: "Renamed")
        let sends = script.answer(id, .openChannel(found))
        let end = try Self.acknowledge(sends, 9, &script)
        #expect(Self.events(end) == [.openChannel(.channelChanged(Self.url))])
        #expect(script.machine.state.rooms.entered[Self.url]?.participantCount == 9)
        let (exit, exits) = script.start(.roomExit(RoomExit(Self.url)))
        let left = try Self.acknowledge(exits, 8, &script)
        #expect(left.contains(.finish(exit, .done)))
        #expect(Self.asked(script.login()) == nil)
    }

    @Test func `a return is retried, unless the server refuses it for good`() throws {
        var script = Script.connected()
        try Self.enter(&script)
        let id = try #require(Self.asked(script.login()))
        let pauses = script.refuse(id, Script.error(.requestFailed))
        #expect(pauses.contains { if case .pause(id, _, .retry) = $0 { true } else { false } })
        #expect(Self.asked(script.pass(id)) == id)
        let end = script.refuse(id, Script.error(.notFound, .none))
        let me = User(id: "me")
        #expect(Self.events(end) == [.openChannel(.exited(me, participants: 3, Self.url))])
        #expect(script.machine.state.rooms.entered.isEmpty)
    }

    @Test func `an exit ends the events at once, and the cache does not get the late ones`() throws
    {
        var script = Script.connected()
        try Self.enter(&script)
        _ = script.start(.roomExit(RoomExit(Self.url)))
        let message = Script.message(7, in: Self.url)
        let late = script.frame(.message(MessageEvent(message: message)))
        #expect(Self.events(late).isEmpty && late.mutations.isEmpty)
    }

    @Test func `a message's call ends with the message, or fails after its time limit`() throws {
        var script = Script.connected()
        let command = MessageCommand(
            channelURL: Self.url, requestID: "r", content: .user(text: "hi"))
        let (id, effects) = script.start(.roomMessage(RoomMessage(.new(command))))
        #expect(effects.contains(.send(id, .message(command))))
        script.give(.reply(id, .sent(nil)))
        var message = Script.message(7, request: "r", in: Self.url)
        message.unknownFields.keep(.init(name: "channel_type", json: "\"open\""))
        let end = script.frame(.message(MessageEvent(message: message, acknowledges: "r")))
        #expect(end.contains(.finish(id, .message(message))) && end.mutations.isEmpty)
        #expect(Self.events(end).isEmpty)
        let (other, _) = script.start(.roomMessage(RoomMessage(.new(command))))
        script.give(.reply(other, .sent(nil)))
        let overdue = script.give(.overdue(other))
        let isUnanswered = overdue.contains {
            if case .finish(other, .failed(let error)) = $0 {
                error.code == .ackTimeout
            } else {
                false
            }
        }
        #expect(isUnanswered)
    }
}
