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
        script.change { $0.session?.caughtUp.insert(Script.channel) }
        let id = Self.commit(
            in: script.frame(.message(MessageEvent(message: Self.message(2_000_000)))))
        let locked = RoostError(
            .localDatabaseError, remedy: .repairStorage, message: "", cause: .disk(mayPass: true))
        let refused = script.give(.reply(id, .committed(.failure(locked))))
        #expect(Self.events(refused).isEmpty && refused.contains(.finish(id, .done)))
        #expect(script.machine.state.session?.caughtUp == [])
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
        #expect(script.machine.isCatchingUp)
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
        #expect(script.machine.state.marks.retreats == [Script.channel])
        #expect(effects.mutations.isEmpty && Self.events(effects).isEmpty)
        #expect(effects.contains { if case .ask(_, .channel, _) = $0 { true } else { false } })
    }

    @Test func `a deletion of the last message makes the channel be looked up`() {
        var script = Script.connected()
        let effects = script.frame(
            .deleted(DeletionEvent(channelURL: Script.channel, messageID: 5)))
        let id = Self.commit(in: effects)
        let known = Script.channel(Script.channel)
        var before = known
        before.lastMessage = Script.message(5)
        let change = ChannelsChange(updated: [Update(before: before, after: known)])
        _ = script.give(
            .reply(
                id, .committed(.success(Commit(sequence: 1, changes: [.channels(change)])))))
        let end = script.read(id, .channel(known))
        #expect(Self.events(end) == [.messageDeleted(5, Script.channel)])
        #expect(end.contains { if case .ask(_, .channel, _) = $0 { true } else { false } })
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
        ServerEvent.pong, .unknown(.init(rawValue: "XXXX")), .memberCounts([]),
        .user(category: 1, data: "{}"),
    ])
    func `an event without an effect ends at once or with an empty commit`(_ event: ServerEvent) {
        var script = Script.connected()
        let effects = script.frame(event)
        #expect(Self.events(effects).isEmpty && effects.mutations.isEmpty)
    }
}
