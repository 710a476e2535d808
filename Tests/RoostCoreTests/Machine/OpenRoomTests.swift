// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

/// The events of open channels, and the return to them.
struct OpenRoomTests {
    typealias Script = MachineScript

    static let url: ChannelURL = "plaza"
    private static let question = ServerQuestion.openChannel(GetOpenChannel(channelURL: url))

    /// Returns the ID of the operation that asks for the channel.
    static func asked(_ effects: [Script.Effect]) -> Script.ID? {
        for case .ask(let id, question, .connection) in effects { return id }
        return nil
    }

    /// Returns the request ID of an entry or exit among the effects.
    static func sent(_ effects: [Script.Effect]) -> RequestID? {
        for case .send(_, let command) in effects {
            switch command {
            case .enter(url, let requestID), .exit(url, let requestID): return requestID
            default: break
            }
        }
        return nil
    }

    static func events(_ effects: [Script.Effect]) -> [ChatEvent] {
        effects.notices.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    /// Answers the command that is among the effects.
    @discardableResult
    static func acknowledge(
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
    @discardableResult
    static func enter(_ script: inout Script) throws -> Script.ID {
        let (id, sends) = script.start(.roomEntry(RoomEntry(url)))
        let asks = try acknowledge(sends, 3, &script)
        #expect(asked(asks) == id)
        let end = script.answer(id, .openChannel(OpenChannel(url: url, name: "Plaza")))
        var channel = OpenChannel(url: url, name: "Plaza")
        channel.participantCount = 3
        #expect(end.contains(.finish(id, .openChannel(channel))))
        return id
    }

    /// Returns the error with which an operation ends among the effects.
    static func failure(_ id: Script.ID, _ effects: [Script.Effect]) -> RoostError? {
        for case .finish(id, .failed(let error)) in effects { return error }
        return nil
    }

    static func event(
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

    @Test func `the ban of another user leaves the stay as it is`() throws {
        var script = Script.connected()
        try Self.enter(&script)
        let user = RestrictedUser(user: User(id: "bob"), until: nil, reason: "")
        let effects = script.frame(Self.event(.banned, .restricted(user, ChannelEvent.Counts())))
        #expect(Self.events(effects).count == 1)
        #expect(script.machine.state.rooms.entered[Self.url] != nil)
    }

    @Test func `each connection enters the channels again, until the exit`() throws {
        var script = Script.connected()
        try Self.enter(&script)
        let asks = try Self.acknowledge(script.login(), 9, &script)
        let id = try #require(Self.asked(asks))
        let found = OpenChannel(url: Self.url, name: "Renamed")
        let end = script.answer(id, .openChannel(found))
        #expect(Self.events(end) == [.openChannel(.channelChanged(Self.url))])
        #expect(script.machine.state.rooms.entered[Self.url]?.participantCount == 9)
        let (exit, exits) = script.start(.roomExit(RoomExit(Self.url)))
        let left = try Self.acknowledge(exits, 8, &script)
        #expect(left.contains(.finish(exit, .done)))
        #expect(Self.sent(script.login()) == nil)
    }

    @Test func `the app learns of each return, because messages of the absence are lost`() throws {
        var script = Script.connected()
        try Self.enter(&script)
        let asks = try Self.acknowledge(script.login(), 3, &script)
        let end = script.answer(
            try #require(Self.asked(asks)),
            .openChannel(OpenChannel(url: Self.url, name: "Plaza")))
        #expect(Self.events(end) == [.openChannel(.channelChanged(Self.url))])
    }

    @Test func `an exit during an entry ends outside, and the entry fails`() throws {
        var script = Script.connected()
        let (entry, entries) = script.start(.roomEntry(RoomEntry(Self.url)))
        let (exit, exits) = script.start(.roomExit(RoomExit(Self.url)))
        let late = try Self.acknowledge(entries, 3, &script)
        #expect(Self.failure(entry, late)?.code == .requestCanceled)
        #expect(try Self.acknowledge(exits, 2, &script).contains(.finish(exit, .done)))
        #expect(script.machine.state.rooms.entered.isEmpty)
        #expect(Self.sent(script.login()) == nil)
    }

    @Test func `an exit during the look-up of an entry ends outside`() throws {
        var script = Script.connected()
        let (entry, entries) = script.start(.roomEntry(RoomEntry(Self.url)))
        try Self.acknowledge(entries, 3, &script)
        let (_, exits) = script.start(.roomExit(RoomExit(Self.url)))
        #expect(Self.sent(exits) != nil)
        let end = script.answer(entry, .openChannel(OpenChannel(url: Self.url)))
        #expect(Self.failure(entry, end)?.code == .requestCanceled)
        #expect(script.machine.state.rooms.entered.isEmpty)
    }

    @Test func `an entry without an answer is taken back`() throws {
        var script = Script.connected()
        let (entry, entries) = script.start(.roomEntry(RoomEntry(Self.url)))
        for case .send(let id, _) in entries { script.give(.reply(id, .sent(nil))) }
        let overdue = script.give(.overdue(entry))
        #expect(Self.failure(entry, overdue)?.code == .ackTimeout)
        let isLeft = overdue.contains {
            if case .send(_, .exit(Self.url, _)) = $0 { true } else { false }
        }
        #expect(isLeft)
        #expect(Self.sent(script.login()) == nil)
    }

    @Test func `a change between the entry and its look-up leads to one more question`() throws {
        var script = Script.connected()
        let (entry, entries) = script.start(.roomEntry(RoomEntry(Self.url)))
        try Self.acknowledge(entries, 3, &script)
        let message = Script.message(7, in: Self.url)
        let early = script.frame(.message(MessageEvent(message: message)))
        #expect(Self.events(early) == [.openChannel(.messageReceived(message))])
        _ = script.frame(Self.event(.frozen, .frozen(true)))
        let stale = script.answer(entry, .openChannel(OpenChannel(url: Self.url)))
        #expect(Self.failure(entry, stale) == nil)
        let again = script.give(.reply(entry, .paused))
        #expect(Self.asked(again) == entry)
        var frozen = OpenChannel(url: Self.url)
        frozen.isFrozen = true
        let end = script.answer(entry, .openChannel(frozen))
        frozen.participantCount = 3
        #expect(end.contains(.finish(entry, .openChannel(frozen))))
    }

    @Test func `a channel that changes all the time ends its entry too`() throws {
        var script = Script.connected()
        let (entry, entries) = script.start(.roomEntry(RoomEntry(Self.url)))
        var effects = try Self.acknowledge(entries, 3, &script)
        var questions = 0
        while Self.asked(effects) == entry, questions < 20 {
            questions += 1
            _ = script.frame(Self.event(.frozen, .frozen(true)))
            effects = script.answer(entry, .openChannel(OpenChannel(url: Self.url)))
            if effects.contains(where: { if case .finish(entry, _) = $0 { true } else { false } }) {
                break
            }
            effects = script.give(.reply(entry, .paused))
        }
        #expect(questions == 5)
        #expect(script.machine.state.rooms.entered[Self.url]?.isFrozen == true)
    }

    @Test func `many changes of properties are looked up once at a time`() throws {
        var script = Script.connected()
        try Self.enter(&script)
        let first = script.frame(Self.event(.propertiesChanged))
        let id = try #require(Self.asked(first))
        for _ in 1...10 {
            #expect(Self.asked(script.frame(Self.event(.propertiesChanged))) == nil)
        }
        let stale = script.answer(id, .openChannel(OpenChannel(url: Self.url, name: "Old")))
        #expect(Self.events(stale).isEmpty)
        #expect(Self.asked(script.give(.reply(id, .paused))) == id)
        let end = script.answer(id, .openChannel(OpenChannel(url: Self.url, name: "New")))
        #expect(Self.events(end) == [.openChannel(.channelChanged(Self.url))])
        #expect(script.machine.state.rooms.entered[Self.url]?.name == "New")
        // The next change is looked up again.
        #expect(Self.asked(script.frame(Self.event(.propertiesChanged))) != nil)
    }

    @Test func `a logout leaves all channels, a disconnection none`() throws {
        var script = Script.connected()
        try Self.enter(&script)
        script.give(.disconnect(isLogout: false))
        #expect(script.machine.state.rooms.entered.count == 1)
        script.give(.disconnect(isLogout: true))
        #expect(script.machine.state.rooms.entered.isEmpty)
    }

    @Test func `an event of an open channel that was never entered is nothing for a group`() throws
    {
        var script = Script.connected()
        let user = RestrictedUser(user: User(id: "me"), until: nil, reason: "")
        let effects = script.frame(
            .inOpenChannel(Self.event(.banned, .restricted(user, ChannelEvent.Counts()))))
        #expect(Self.events(effects).isEmpty && effects.mutations.isEmpty)
        #expect(Self.asked(effects) == nil && effects.needs.count == 1)
    }

    @Test func `votes and edits of polls reach the app, and an own vote ends its call`() throws {
        var script = Script.connected()
        try Self.enter(&script)
        let votes = PollVotes(pollID: 4, at: Script.loginAt)
        func frame(_ request: RequestID?) -> ServerEvent {
            .inOpenChannel(
                .poll(
                    PollEvent(
                        channelURL: Self.url, messageID: 7, change: .voted(votes),
                        acknowledges: request)))
        }
        let other = script.frame(frame(nil))
        #expect(Self.events(other) == [.openChannel(.pollVoted(votes, 7, Self.url))])
        let (id, sends) = script.start(.vote(Vote(for: [1], in: 4, of: Self.url)))
        var request: RequestID?
        for case .send(_, .vote(let vote)) in sends { request = vote.requestID }
        script.give(.reply(id, .sent(nil)))
        let end = script.frame(frame(request))
        #expect(Self.events(end).isEmpty && end.contains(.finish(id, .votes(votes, in: 7))))
    }

    @Test func `a number of participants comes without the users too`() throws {
        var script = Script.connected()
        try Self.enter(&script)
        let counts = [
            ParticipantCount(channelURL: Self.url, count: 40),
            ParticipantCount(channelURL: "elsewhere", count: 2),
        ]
        let effects = script.frame(.memberCounts([], counts))
        #expect(Self.events(effects) == [.openChannel(.memberCountsChanged(Self.url))])
        #expect(script.machine.state.rooms.entered[Self.url]?.participantCount == 40)
        #expect(Self.events(script.frame(.memberCounts([], counts))).isEmpty)
    }

    @Test func `a return is retried, unless the server refuses it for good`() throws {
        var script = Script.connected()
        try Self.enter(&script)
        let asks = try Self.acknowledge(script.login(), 3, &script)
        let id = try #require(Self.asked(asks))
        let pauses = script.refuse(id, Script.error(.requestFailed))
        #expect(pauses.contains { if case .pause(id, _, .retry) = $0 { true } else { false } })
        let sends = script.pass(id)
        let requestID = try #require(Self.sent(sends))
        script.give(.reply(id, .sent(nil)))
        let end = script.frame(
            .error(ServerError(.notFound, "Gone."), acknowledges: requestID))
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

    // MARK: Entries that fail

    @Test func `a refused entry leaves a group channel of that URL alone (scars 5, 11, 72)`()
        throws
    {
        var script = Script.connected()
        let (entry, entries) = script.start(.roomEntry(RoomEntry(Self.url)))
        let requestID = try #require(Self.sent(entries))
        script.give(.reply(entry, .sent(nil)))
        let refusal = ServerError(RoostError.Code(900_090), "Only open channels can be entered.")
        let refused = script.frame(.error(refusal, acknowledges: requestID))
        #expect(Self.failure(entry, refused) != nil && Self.sent(refused) == nil)
        let message = Script.message(7, in: Self.url)
        let live = script.frame(.message(MessageEvent(message: message)))
        #expect(live.mutations.contains(.liveMessage(message, predecessor: nil)))
    }

    @Test(arguments: [true, false])
    func `of two entries at once, the one that succeeds stays inside`(failsFirst: Bool) throws {
        var script = Script.connected()
        let (failing, one) = script.start(.roomEntry(RoomEntry(Self.url)))
        let (succeeding, two) = script.start(.roomEntry(RoomEntry(Self.url)))
        try Self.acknowledge(one, 3, &script)
        try Self.acknowledge(two, 3, &script)
        let found = ServerAnswer.openChannel(OpenChannel(url: Self.url, name: "Plaza"))
        var effects = failsFirst ? [] : script.answer(succeeding, found)
        let failed = script.refuse(failing, Script.error(.internalServerError))
        #expect(Self.failure(failing, failed) != nil && Self.sent(failed) == nil)
        if failsFirst { effects = script.answer(succeeding, found) }
        #expect(effects.contains { if case .finish(succeeding, _) = $0 { true } else { false } })
        #expect(script.machine.state.rooms.entered[Self.url]?.name == "Plaza")
        let message = Script.message(7, in: Self.url)
        #expect(
            Self.events(script.frame(.message(MessageEvent(message: message))))
                == [.openChannel(.messageReceived(message))])
    }

    @Test func `an entry whose look-up fails after a reconnection is taken back`() throws {
        var script = Script.connected()
        let (entry, entries) = script.start(.roomEntry(RoomEntry(Self.url)))
        try Self.acknowledge(entries, 3, &script)
        let returns = script.login()
        let failed = script.refuse(entry, Script.error(.networkError))
        #expect(Self.failure(entry, failed)?.code == .networkError)
        let id = try #require(Self.asked(try Self.acknowledge(returns, 3, &script)))
        let end = script.answer(id, .openChannel(OpenChannel(url: Self.url)))
        let isLeft = end.contains {
            if case .send(_, .exit(Self.url, _)) = $0 { true } else { false }
        }
        #expect(isLeft && Self.events(end).isEmpty)
        #expect(script.machine.state.rooms.entered.isEmpty)
    }

    @Test func `an entry ends after eight seconds, its look-up included (scar 93)`() throws {
        var script = Script.connected()
        let (entry, entries) = script.start(.roomEntry(RoomEntry(Self.url)))
        #expect(entries.contains(.limit(entry, .seconds(8))))
        try Self.acknowledge(entries, 3, &script)
        let overdue = script.give(.overdue(entry))
        #expect(Self.failure(entry, overdue)?.code == .ackTimeout)
        #expect(Self.sent(overdue) != nil)
        #expect(script.answer(entry, .openChannel(OpenChannel(url: Self.url))) == [])
        #expect(script.machine.state.rooms.entered.isEmpty)
    }
}
