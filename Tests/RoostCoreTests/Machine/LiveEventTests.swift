// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct LiveEventTests {
    private typealias Script = MachineScript

    private static let other = User(id: "other")

    private static func message(
        _ id: Int64, from sender: User = other, request: RequestID? = nil
    ) -> Message {
        var message = Script.message(id, request: request)
        message.sender = Sender(user: sender)
        return message
    }

    /// Returns the operation of the only commit among some effects.
    private static func commit(in effects: [Script.Effect]) -> Script.ID {
        for case .commit(let id, _, _, _) in effects { return id }
        Issue.record("no commit: \(effects)")
        return Script.ID(0)
    }

    private static func events(_ effects: [Script.Effect]) -> [ChatEvent] {
        effects.notices.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    @Test func `a message is announced after its commit and the look-up of its channel`() {
        var script = Script.connected()
        let message = Self.message(2_000_000)
        let effects = script.frame(.message(MessageEvent(message: message)))
        #expect(Self.events(effects).isEmpty)
        #expect(effects.mutations.first == .liveMessage(message, predecessor: nil))
        let id = Self.commit(in: effects)
        let committed = script.commit(id)
        #expect(committed.needs == [.read(id, .channel(Script.channel))])
        let end = script.read(id, .channel(Script.channel(Script.channel)))
        #expect(Self.events(end) == [.messageReceived(message)])
        #expect(end.notices.contains(.send(.messageAcknowledgement(Script.channel, 2_000_000))))
        #expect(end.last == .finish(id, .done))
    }

    @Test(arguments: [true, false], [true, false])
    func `messages of super and broadcast channels are acknowledged unless the login says no`(
        isSuper: Bool, isOmitted: Bool
    ) {
        var script = Script.connected { $0.omitsSuperAcknowledgements = isOmitted }
        let message = Self.message(2_000_000)
        let id = Self.commit(in: script.frame(.message(MessageEvent(message: message))))
        _ = script.commit(id)
        var channel = Script.channel(Script.channel)
        (channel.isSuper, channel.isBroadcast) = (isSuper, !isSuper)
        let end = script.read(id, .channel(channel))
        #expect(Self.events(end) == [.messageReceived(message)])
        let acknowledgement = Script.Effect.notice(
            .send(.messageAcknowledgement(Script.channel, 2_000_000)))
        #expect(end.contains(acknowledgement) == !isOmitted)
    }

    @Test func `a channel that the commit of a message contains is not read again`() {
        var script = Script.connected()
        let message = Self.message(2_000_000)
        let id = Self.commit(in: script.frame(.message(MessageEvent(message: message))))
        let known = Script.channel(Script.channel)
        var changed = known
        changed.lastMessage = message
        let change = ChannelsChange(updated: [Update(before: known, after: changed)])
        let end = script.give(
            .reply(
                id, .committed(.success(Commit(sequence: 1, changes: [.channels(change)])))))
        #expect(!end.contains(.read(id, .channel(Script.channel))))
        #expect(Self.events(end) == [.messageReceived(message)])
        #expect(end.last == .finish(id, .done))
    }

    @Test func `each refusal of the disk is repaired, also after an earlier repair`() {
        var script = Script.connected()
        for _ in 0..<2 {
            let refused = script.change { $0.repairLater(Script.channel) }
            guard case .pause(let id, .seconds(5), .retry)? = refused.needs.first else {
                Issue.record("no pause: \(refused)")
                return
            }
            #expect(script.give(.reply(id, .paused)).needs.count == 1)
            _ = script.commit(id)
            #expect(script.machine.state.health.catchUp.running == 1)
            script.lose()
            script.login()
        }
    }

    @Test func `a message that mentions the user is announced twice`() {
        var script = Script.connected()
        var message = Self.message(2_000_000)
        message.mention = Mention(kind: .users, userIDs: ["me"])
        let id = Self.commit(in: script.frame(.message(MessageEvent(message: message))))
        _ = script.commit(id)
        let end = script.read(id, .channel(Script.channel(Script.channel)))
        #expect(Self.events(end) == [.messageReceived(message), .mentioned(message)])
    }

    @Test func `a message of an unknown channel makes the channel be looked up`() {
        var script = Script.connected()
        let id = Self.commit(
            in: script.frame(.message(MessageEvent(message: Self.message(2_000_000)))))
        _ = script.commit(id)
        let end = script.read(id, .channel(nil))
        #expect(end.contains { if case .ask(_, .channel, _) = $0 { true } else { false } })
    }

    @Test func `an event that the disk refuses is fetched again once the disk works (scar 47)`() {
        var script = Script.connected()
        script.change { $0.session?.noteEnd(of: Script.channel, at: Script.position(1)) }
        let id = Self.commit(
            in: script.frame(.message(MessageEvent(message: Self.message(2_000_000)))))
        let locked = RoostError(
            .localDatabaseError, remedy: .repairStorage, message: "", cause: .disk(mayPass: true))
        let refused = script.give(.reply(id, .committed(.failure(locked))))
        #expect(Self.events(refused).isEmpty && refused.contains(.finish(id, .done)))
        #expect(script.machine.state.session?.liveEnds == [:])
        guard case .pause(let recovery, .seconds(5), .retry)? = refused.last else {
            Issue.record("no pause: \(refused)")
            return
        }
        #expect(script.pass(recovery).needs == [.commit(recovery, [], .upkeep, unless: nil)])
        let again = script.give(.reply(recovery, .committed(.failure(locked))))
        #expect(again.needs == [.pause(recovery, .seconds(5), .retry)])
        _ = script.pass(recovery)
        let end = script.commit(recovery)
        #expect(end.contains { if case .ask(_, .channel, _) = $0 { true } else { false } })
        #expect(script.machine.state.isCatchingUp)
    }

    @Test func `the answer to a repeated send rewinds both change logs (scar 2)`() {
        var script = Script.connected()
        let old = Self.message(500_000, from: User(id: "me"), request: "r")
        var event = MessageEvent(message: old)
        event.acknowledges = "r"
        let effects = script.frame(.message(event))
        guard case .read(let id, .cursor(.channelChanges))? = effects.needs.first else {
            Issue.record("no read: \(effects)")
            return
        }
        let second = script.read(id, .cursor(.moment(Timestamp(milliseconds: 900_000))))
        #expect(second.needs == [.read(id, .cursor(.messageChanges(Script.channel)))])
        let third = script.read(id, .cursor(.token("t")))
        #expect(third.needs == [.read(id, .oldestMessage(Script.channel))])
        let fourth = script.read(id, .moment(Timestamp(milliseconds: 400_000)))
        #expect(
            fourth.mutations.suffix(2) == [
                .cursor(.channelChanges, .moment(Timestamp(milliseconds: 500_000))),
                .cursor(
                    .messageChanges(Script.channel), .moment(Timestamp(milliseconds: 400_000))),
            ])
        #expect(script.machine.state.rewindings[.channelChanges]?.underWay == 1)
        let committed = script.commit(id)
        #expect(script.machine.state.rewindings[.channelChanges]?.underWay == 0)
        #expect(
            committed.contains {
                if case .read(_, .cursor(.channelChanges)) = $0 { true } else { false }
            })
    }

    @Test func `a channel that the user has left is removed whole (scar 58)`() {
        var script = Script.connected()
        let event = ChannelEvent(
            .left, channelURL: Script.channel, timestamp: Script.loginAt,
            content: .left(User(id: "me"), .init()))
        let effects = script.frame(.channel(event))
        #expect(effects.mutations == [.removeChannel(Script.channel)])
        let end = script.commit(Self.commit(in: effects))
        #expect(Self.events(end) == [.left(User(id: "me"), Script.channel)])
    }

    @Test func `a change that only the server knows is announced after the look-up`() {
        var script = Script.connected()
        let event = ChannelEvent(
            .propertiesChanged, channelURL: Script.channel, timestamp: Script.loginAt)
        let effects = script.frame(.channel(event))
        #expect(Self.events(effects).isEmpty)
        guard case .ask(let id, .channel, _)? = effects.needs.last else {
            Issue.record("no question: \(effects)")
            return
        }
        _ = script.answer(id, .channel(Script.channel(Script.channel)))
        #expect(Self.events(script.commit(id)) == [.channelChanged(Script.channel)])
    }

    @Test func `a mark taken back on another device is looked up and announces nothing`() {
        var script = Script.connected()
        var event = ReadEvent(
            channelURL: Script.channel, user: User(id: "me"), timestamp: Script.loginAt)
        event.isExcluded = true
        let effects = script.frame(.read(event))
        #expect(script.machine.state.marks.unreadMarks == [Script.channel])
        #expect(effects.mutations.isEmpty && Self.events(effects).isEmpty)
        #expect(effects.contains { if case .ask(_, .channel, _) = $0 { true } else { false } })
    }

    @Test func `a deletion of the last message shows the one before, and looks the channel up`()
        throws
    {
        var script = Script.connected()
        let effects = script.frame(
            .deleted(DeletionEvent(channelURL: Script.channel, messageID: 5)))
        let id = try #require(effects.reader)
        let known = Script.channel(Script.channel)
        var before = known
        before.lastMessage = Script.message(5)
        _ = script.read(id, .channel(before))
        var silent = Script.message(4)
        silent.isSilent = true
        let messages = [Script.message(2), Script.message(3), silent, Script.message(5)]
        let window = CacheWindow(
            extent: nil, messages: messages, coverage: Coverage(), sequence: 1)
        #expect(
            script.read(id, .window(window)).mutations == [
                .deleted(Script.channel, [5]),
                .channelNews(Script.channel, .deleted([5], preview: Script.message(3))),
            ])
        let change = ChannelsChange(updated: [Update(before: before, after: known)])
        let end = script.give(
            .reply(
                id, .committed(.success(Commit(sequence: 1, changes: [.channels(change)])))))
        #expect(Self.events(end) == [.messageDeleted(5, Script.channel)])
        #expect(end.contains { if case .ask(_, .channel, _) = $0 { true } else { false } })
    }

    @Test func `a last message that a page stores before its deletion is looked up (scar 55)`()
        throws
    {
        var script = Script.connected()
        let effects = script.frame(
            .deleted(DeletionEvent(channelURL: Script.channel, messageID: 5)))
        let id = try #require(effects.reader)
        // The page is being stored while the channel is read.
        _ = script.read(id, .channel(nil))
        let known = Script.channel(Script.channel)
        var before = known
        before.lastMessage = Script.message(5)
        let change = ChannelsChange(updated: [Update(before: before, after: known)])
        let end = script.give(
            .reply(
                id, .committed(.success(Commit(sequence: 1, changes: [.channels(change)])))))
        #expect(end.contains { if case .ask(_, .channel, _) = $0 { true } else { false } })
    }

    @Test func `a late frame does not bring back a deleted message (scar 56)`() throws {
        var script = Script.connected()
        let deleted = script.frame(
            .deleted(DeletionEvent(channelURL: Script.channel, messageID: 2_000_000)))
        let id = try #require(deleted.reader)
        _ = script.read(id, .channel(nil))
        _ = script.commit(id)
        _ = script.read(id, .channel(nil))
        let late = script.frame(.message(MessageEvent(message: Self.message(2_000_000))))
        #expect(late.mutations == [])
        let other = script.frame(.message(MessageEvent(message: Self.message(2_000_001))))
        #expect(!other.mutations.isEmpty)
    }

    @Test func `frames of an abandoned socket change nothing (scar 134)`() {
        var script = Script.connected()
        let event = ServerEvent.message(MessageEvent(message: Self.message(2_000_000)))
        let effects = script.give(.frame(Script.ID(900), event, 99))
        #expect(effects == [.finish(Script.ID(900), .done)])
    }

    @Test func `a message of an impossible time is not stored, and its channel is caught up`() {
        var script = Script.connected()
        let message = Script.message(-1)
        let effects = script.frame(.message(MessageEvent(message: message)))
        #expect(effects.mutations.isEmpty)
        #expect(effects.contains { if case .pause(_, _, .retry) = $0 { true } else { false } })
    }

    @Test(arguments: [
        ServerEvent.pong, .unknown(.init(rawValue: "XXXX")), .memberCounts([], []),
        .user(category: 1, data: "{}"),
    ])
    func `an event without an effect ends at once or with an empty commit`(_ event: ServerEvent) {
        var script = Script.connected()
        let effects = script.frame(event)
        #expect(Self.events(effects).isEmpty && effects.mutations.isEmpty)
    }
}

/// Events that come in an unusual state.
struct RareEventTests {
    private typealias Script = MachineScript

    private static func events(_ effects: [Script.Effect]) -> [ChatEvent] {
        effects.notices.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    private static func looksUp(_ effects: [Script.Effect]) -> Bool {
        effects.contains { if case .ask(_, .channel, _) = $0 { true } else { false } }
    }

    private static func poll(_ id: MessageID?, acknowledges: RequestID? = nil) -> ServerEvent {
        .poll(
            PollEvent(
                channelURL: Script.channel, messageID: id,
                change: .voted(PollVotes(pollID: 1, at: Script.loginAt)),
                acknowledges: acknowledges))
    }

    @Test func `a vote is stored with its message, and without one left to the change log`() {
        var script = Script.connected()
        let stored = script.frame(Self.poll(5))
        #expect(
            stored.mutations == [
                .polled(Script.channel, 5, .voted(PollVotes(pollID: 1, at: Script.loginAt)))
            ])
        var other = Script.connected()
        #expect(other.frame(Self.poll(nil)).mutations == [])
        #expect(!other.machine.isBusy)
    }

    @Test func `a vote ends with the server's event`() throws {
        var script = Script.connected()
        let (id, effects) = script.start(.vote(Vote(for: [1], in: 2, of: Script.channel)))
        for case .send(_, let command) in effects {
            script.give(.reply(id, .sent(nil)))
            let answered = script.frame(Self.poll(5, acknowledges: command.requestID))
            let committed = script.commit(try #require(answered.committer))
            let votes = PollVotes(pollID: 1, at: Script.loginAt)
            #expect((answered + committed).contains(.finish(id, .votes(votes, in: 5))))
            return
        }
        Issue.record("no command: \(effects)")
    }

    @Test func `an event that the disk refuses has its channel caught up, a vote too`() throws {
        var script = Script.connected()
        let stored = script.frame(Self.poll(5))
        let id = try #require(stored.committer)
        let refused = script.give(
            .reply(id, .committed(.failure(Script.error(.localDatabaseError)))))
        #expect(refused.contains { if case .pause = $0 { true } else { false } })
    }

    @Test func `an edit of an impossible time is not stored`() {
        var script = Script.connected()
        var message = Script.message(2_000_000)
        message.createdAt = Timestamp(milliseconds: -5)
        #expect(script.frame(.edited(EditEvent(message: message))).mutations == [])
    }

    @Test func `an answer to a repeated send in an empty cache rewinds nothing that was not read`()
    {
        var script = Script.connected()
        let old = Script.message(500_000, request: "r")
        var event = MessageEvent(message: old)
        event.acknowledges = "r"
        let effects = script.frame(.message(event))
        guard case .read(let id, .cursor(.channelChanges))? = effects.needs.first else {
            Issue.record("no read: \(effects)")
            return
        }
        _ = script.read(id, .cursor(nil))
        _ = script.read(id, .cursor(.token("t")))
        let stored = script.read(id, .moment(nil))
        // No message is cached, so the log begins at this one.
        #expect(
            stored.mutations.last
                == .cursor(
                    .messageChanges(Script.channel), .moment(Timestamp(milliseconds: 500_000))))
        #expect(
            !stored.mutations.contains {
                if case .cursor(.channelChanges, _) = $0 { true } else { false }
            })
    }

    @Test func `a rewound channel log of unknown place begins anew, and the open timeline follows`()
        throws
    {
        var script = Script.connected()
        script.showTimeline(of: 1...3)
        let old = Script.message(500_000, request: "r")
        var event = MessageEvent(message: old)
        event.acknowledges = "r"
        let effects = script.frame(.message(event))
        let id = try #require(effects.reader)
        _ = script.read(id, .cursor(.token("a token of an earlier run")))
        let stored = script.read(id, .cursor(nil))
        #expect(stored.mutations.last == .cursor(.channelChanges, .moment(.beginning)))
        _ = script.commit(id)
        #expect(script.machine.state.catchUps[Script.channel] != nil)
    }

    @Test func `a message that answers a request of before a departure is not stored`() throws {
        var script = Script.connected()
        let file = try OutboxDeliveryTests.upload(&script)
        let (disk, _) = try #require(script.answer(file, try OutboxDeliveryTests.uploaded()).writes)
        _ = script.write(disk, [.noted(hasNews: false, refused: [:])])
        _ = script.give(.reply(file, .sent(Script.error(.socketClosed))))
        script.change { $0.noteDeparture(from: Script.channel) }
        let answered = script.answer(file, .message(Script.message(2_000_000, request: "f")))
        #expect(answered.mutations == [])
    }

    @Test func `a user's own mark that leaves messages unread has the channel looked up`() throws {
        for (unread, isLookedUp) in [(3, true), (0, false)] {
            var script = Script.connected()
            let frame = script.frame(
                .read(
                    ReadEvent(
                        channelURL: Script.channel, user: User(id: "me"), timestamp: Script.loginAt)
                ))
            let id = try #require(frame.committer)
            var channel = Script.channel(Script.channel)
            channel.unreadMessageCount = unread
            let change = ChannelsChange(
                updated: [Update(before: Script.channel(Script.channel), after: channel)])
            let commit = Commit(sequence: 2, changes: [.channels(change)])
            let effects = script.give(.reply(id, .committed(.success(commit))))
            #expect(Self.looksUp(effects) == isLookedUp)
            #expect(
                Self.events(effects)
                    == [.read(User(id: "me"), through: Script.loginAt, Script.channel)])
        }
    }

    @Test func `an event of a channel that the cache lacks starts a look-up`() throws {
        var script = Script.connected()
        let frame = script.frame(
            .memberCounts(
                [
                    MemberCounts(
                        channelURL: Script.channel, memberCount: 3, joinedMemberCount: 2,
                        timestamp: nil)
                ], []))
        let id = try #require(frame.committer)
        _ = script.commit(id)
        let effects = script.read(id, .channel(nil))
        #expect(Self.looksUp(effects))
        #expect(Self.events(effects) == [.memberCountsChanged(Script.channel)])
    }

    @Test func `the counts of thousands of channels are announced, and the unknown ones looked up`()
        throws
    {
        var script = Script.connected()
        let urls = (1...5_000).map { ChannelURL("c\($0)") }
        let counts = urls.map {
            MemberCounts(channelURL: $0, memberCount: 3, joinedMemberCount: 2, timestamp: nil)
        }
        let frame = script.frame(.memberCounts(counts, []))
        let id = try #require(frame.committer)
        // The cache lacks three of them.
        let unknown: Set<ChannelURL> = ["c1", "c2500", "c5000"]
        let updated = urls.filter { !unknown.contains($0) }.map { url in
            Update(before: Script.channel(url), after: Script.channel(url))
        }
        let change = Change.channels(ChannelsChange(updated: updated))
        var effects = script.give(
            .reply(id, .committed(.success(Commit(sequence: 1, changes: [change])))))
        var read: [ChannelURL] = []
        while case .read(id, .channel(let url))? = effects.needs.first {
            read.append(url)
            effects = script.read(id, .channel(nil))
        }
        #expect(read == ["c1", "c2500", "c5000"])
        #expect(Self.events(effects).count == urls.count)
        #expect(Set(script.machine.state.lookUps.keys) == unknown)
    }

    @Test func `a deletion in a channel that the cache lacks is announced`() throws {
        var script = Script.connected()
        let event = DeletionEvent(channelURL: Script.channel, messageID: 5)
        let id = try #require(script.frame(.deleted(event)).reader)
        _ = script.read(id, .channel(nil))
        _ = script.commit(id)
        let effects = script.read(id, .channel(nil))
        #expect(Self.events(effects) == [.messageDeleted(5, Script.channel)])
        #expect(!Self.looksUp(effects))
    }

    @Test func `a silent message is a preview only if the server says so`() throws {
        for forces in [true, false] {
            var script = Script.connected()
            var message = Script.message(2_000_000)
            message.sender = Sender(user: User(id: "other"))
            message.isSilent = true
            var event = MessageEvent(message: message)
            event.forcesLastMessage = forces
            let news = script.frame(.message(event)).mutations.compactMap { mutation -> Bool? in
                guard case .channelNews(_, .received(_, let reception)) = mutation else {
                    return nil
                }
                return reception.isPreview
            }
            #expect(news == [forces])
        }
    }

    @Test func `the app gets the block and the unblock of a user, and no other event of users`() {
        let texts: [(Int, String, [ChatEvent])] = [
            (
                20_001, #"{"blocker":{"user_id":"me"},"blockee":{"user_id":"bob"}}"#,
                [.blocked(User(id: "bob"), by: User(id: "me"))]
            ),
            (
                20_000, #"{"blocker":{"user_id":"me"},"blockee":{"user_id":"bob"}}"#,
                [.unblocked(User(id: "bob"), by: User(id: "me"))]
            ),
            (20_002, "{}", []), (20_001, "no JSON", []),
        ]
        for (category, text, expected) in texts {
            var script = Script.connected()
            #expect(Self.events(script.frame(.user(category: category, data: text))) == expected)
        }
    }

    @Test func `the number of all unread messages never goes back to an older statement`() throws {
        var script = Script.connected()
        func total(_ count: Int, at moment: Int64) -> [ChatEvent] {
            let event = ChannelEvent(
                .propertiesChanged, channelURL: Script.channel, timestamp: Script.loginAt,
                unread: UnreadCount(all: count, timestamp: Timestamp(milliseconds: moment)))
            return Self.events(script.frame(.channel(event)))
        }
        #expect(total(5, at: 20).contains(.unreadTotalChanged(5)))
        #expect(!total(9, at: 10).contains(.unreadTotalChanged(9)))
        #expect(total(4, at: 30).contains(.unreadTotalChanged(4)))
    }

    @Test func `events that wait for a description do not pile up without end`() {
        var script = Script.connected()
        let effects = script.change { state in
            for number in 1...150 {
                state.emit(.typing([], ChannelURL("\(number)")), afterLookUpOf: Script.channel)
            }
        }
        // The oldest are announced without the description.
        #expect(
            Self.events(effects)
                == (1...50).map { .typing([], ChannelURL("\($0)")) })
    }
}
