// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct MuteTests {
    private typealias Script = MachineScript

    private static var muted: GroupChannel {
        var channel = Script.channel(Script.channel)
        channel.isMuted = true
        return channel
    }

    private static func check(_ script: inout Script) -> (id: Script.ID, effects: [Script.Effect]) {
        let (id, _) = script.start(.muteCheck(MuteCheck(Script.channel, onlyIfKnown: true)))
        return (id, script.read(id, .channel(muted)))
    }

    private static func answer(_ isMuted: Bool, _ remaining: Duration? = nil) -> ServerAnswer {
        .mute(AskMute.Answer(isMuted: isMuted, remaining: remaining))
    }

    @Test func `a channel without a mute makes no request`() {
        var script = Script.connected()
        let (id, _) = script.start(.muteCheck(MuteCheck(Script.channel, onlyIfKnown: true)))
        let effects = script.read(id, .channel(Script.channel(Script.channel)))
        #expect(effects == [.finish(id, .done)])
    }

    @Test func `the end of a mute is checked a second after its time`() {
        var script = Script.connected()
        let (id, _) = Self.check(&script)
        let effects = script.answer(id, Self.answer(true, .seconds(60)))
        #expect(effects.notices == [.arm(.mute(Script.channel), .seconds(61))])
        let fired = script.give(.fired(.mute(Script.channel)))
        #expect(fired.contains { if case .ask(_, .mute, _) = $0 { true } else { false } })
    }

    @Test func `a mute without an end arms no timer`() {
        var script = Script.connected()
        let (id, _) = Self.check(&script)
        #expect(script.answer(id, Self.answer(true)) == [.finish(id, .done)])
    }

    @Test func `the longest mute is checked after a day`() {
        var script = Script.connected()
        let (id, _) = Self.check(&script)
        let effects = script.answer(id, Self.answer(true, .seconds(Int64.max / 2)))
        #expect(effects.notices == [.arm(.mute(Script.channel), MachineTimer.longest)])
    }

    @Test func `the end of a mute is announced after the look-up`() {
        var script = Script.connected()
        let (id, _) = Self.check(&script)
        _ = script.answer(id, Self.answer(false))
        let effects = script.read(id, .channel(Self.muted))
        guard case .ask(let look, .channel, _)? = effects.needs.last else {
            Issue.record("no look-up: \(effects)")
            return
        }
        _ = script.answer(look, .channel(Script.channel(Script.channel)))
        #expect(
            script.commit(look).notices.contains(
                .event(.unmuted(User(id: "me"), Script.channel))))
    }

    @Test func `an answer to an earlier question is ignored`() {
        var script = Script.connected()
        let (first, _) = Self.check(&script)
        let (second, _) = Self.check(&script)
        #expect(script.answer(first, Self.answer(true, .seconds(5))) == [.finish(first, .done)])
        let effects = script.answer(second, Self.answer(true, .seconds(7)))
        #expect(effects.notices == [.arm(.mute(Script.channel), .seconds(8))])
    }

    @Test func `a disconnection ends the wait for the end of a mute`() {
        var script = Script.connected()
        let (id, _) = Self.check(&script)
        _ = script.answer(id, Self.answer(true, .seconds(60)))
        #expect(
            script.give(.disconnect(isLogout: false)).notices.contains(
                .disarm(.mute(Script.channel))))
    }

    private static func restricted(
        _ script: inout Script, _ category: ChannelEvent.Category, _ user: UserID = "me"
    ) -> [Script.Effect] {
        let event = ChannelEvent(
            category, channelURL: Script.channel, timestamp: Script.loginAt,
            content: .restricted(RestrictedUser(user: User(id: user)), .init()))
        return script.frame(.channel(event))
    }

    private static func isAsked(_ effects: [Script.Effect]) -> Bool {
        effects.contains { if case .ask(_, .mute, _) = $0 { true } else { false } }
    }

    @Test func `only the user's own mute is asked about, and its end or a ban ends the wait`() {
        for category in [ChannelEvent.Category.unmuted, .banned] {
            var script = Script.connected()
            #expect(!Self.isAsked(Self.restricted(&script, .muted, "other")))
            let asked = Self.restricted(&script, .muted)
            guard case .ask(let id, .mute, _)? = asked.first(where: { Self.isAsked([$0]) }) else {
                Issue.record("no question: \(asked)")
                return
            }
            _ = script.answer(id, Self.answer(true, .seconds(60)))
            // The end of a ban is no end of a mute.
            let unbanned = Self.restricted(&script, .unbanned)
            #expect(!unbanned.notices.contains(.disarm(.mute(Script.channel))))
            let ended = Self.restricted(&script, category)
            #expect(ended.notices.contains(.disarm(.mute(Script.channel))))
        }
    }

    @Test func `a mute whose end is always now is asked about less and less often`() {
        var script = Script.connected()
        let (id, _) = Self.check(&script)
        var waits: [Duration] = []
        var question = id
        for _ in 1...6 {
            let effects = script.answer(question, Self.answer(true, .zero))
            for case .arm(.mute, let wait) in effects.notices { waits.append(wait) }
            let fired = script.give(.fired(.mute(Script.channel)))
            for case .ask(let next, .mute, _) in fired { question = next }
        }
        #expect(waits.count == 6 && waits[0] == .seconds(1))
        #expect(waits[5] > .seconds(5) && waits[5] > waits[1])
    }

    @Test func `the end of a mute is announced with the user's name in the channel`() {
        var script = Script.connected()
        let (id, _) = Self.check(&script)
        _ = script.answer(id, Self.answer(false))
        var known = Self.muted
        let me = User(id: "me", nickname: "Ann")
        known.members = [Member(user: User(id: "other")), Member(user: me)]
        let effects = script.read(id, .channel(known))
        guard case .ask(let look, .channel, _)? = effects.needs.last else {
            Issue.record("no look-up: \(effects)")
            return
        }
        _ = script.answer(look, .channel(known))
        #expect(
            script.commit(look).notices.contains(.event(.unmuted(me, Script.channel))))
    }

    /// Returns the channel with a mute of the user, until a moment if that is not nil.
    private static func muted(until end: Int64?) -> GroupChannel {
        var (channel, member) = (muted, Member(user: User(id: "me"), isMuted: true))
        member.mutedUntil = end.map { Timestamp(milliseconds: $0) }
        channel.members = [member]
        return channel
    }

    /// Returns whether a stored change of the channels leads to a question about a mute.
    private static func isAsked(
        _ change: ChannelsChange, _ origin: ChangeOrigin, _ script: inout Script
    ) -> Bool {
        let (id, _) = script.start(.storing(Storing([], from: origin)))
        let commit = Commit(sequence: 1, changes: [.channels(change)])
        return isAsked(script.give(.reply(id, .committed(.success(commit)))))
    }

    @Test(
        arguments: [
            (nil, muted(until: 9), ChangeOrigin.page, true),
            (Script.channel(Script.channel), muted(until: 9), .changeLog, true),
            (muted(until: 8), muted(until: 9), .changeLog, true),
            (muted(until: nil), muted(until: 9), .changeLog, true),
            // The members of a large channel are not listed.
            (Script.channel(Script.channel), muted, .changeLog, true),
            (nil, muted, .page, false),
            (muted(until: 9), muted(until: 9), .changeLog, false),
            (muted(until: 9), muted(until: nil), .changeLog, false),
            (nil, muted(until: nil), .page, false),
            // Another event has led to a look-up; that of the mute was missed.
            (Script.channel(Script.channel), muted(until: 9), .event, true),
        ] as [(GroupChannel?, GroupChannel, ChangeOrigin, Bool)])
    func `a mute with an end that comes without an event is asked about (scar 128)`(
        _ before: GroupChannel?, _ after: GroupChannel, _ origin: ChangeOrigin, _ isAsked: Bool
    ) {
        let change =
            before.map { ChannelsChange(updated: [Update(before: $0, after: after)]) }
            ?? ChannelsChange(inserted: [after])
        var script = Script.connected()
        #expect(Self.isAsked(change, origin, &script) == isAsked)
        script.lose()
        #expect(!Self.isAsked(change, origin, &script))
    }

    @Test func `the look-up behind the event of a mute leads to no second question`() {
        var script = Script.connected()
        let (id, _) = Self.check(&script)
        let news = ChannelsChange(updated: [
            Update(before: Script.channel(Script.channel), after: Self.muted(until: 9))
        ])
        #expect(!Self.isAsked(news, .event, &script))
        _ = script.answer(id, Self.answer(true, .seconds(5)))
        #expect(!Self.isAsked(news, .event, &script))
        #expect(Self.isAsked(news, .changeLog, &script))
    }

    @Test func `a failed question about a mute is repeated after a growing rest (scar 128)`() {
        var script = Script.connected()
        let (id, _) = Self.check(&script)
        var waits: [Duration] = []
        for _ in 1...6 {
            for case .pause(id, let wait, .retry) in script.refuse(
                id, Script.error(.internalServerError))
            { waits.append(wait) }
            #expect(Self.isAsked(script.pass(id)))
        }
        #expect(waits.count == 6 && waits[0] <= .seconds(2) && waits[5] > waits[0])
        let effects = script.answer(id, Self.answer(true, .seconds(60)))
        #expect(effects.notices == [.arm(.mute(Script.channel), .seconds(61))])
    }

    @Test func `a refused or a superseded question about a mute is not repeated`() {
        var script = Script.connected()
        let (first, _) = Self.check(&script)
        let (second, _) = Self.check(&script)
        #expect(
            script.refuse(first, Script.error(.internalServerError)) == [.finish(first, .done)])
        #expect(
            script.refuse(second, Script.error(.notAMember, .none)) == [.finish(second, .done)])
    }

    @Test func `a mute is not asked about without a connection`() {
        var script = Script()
        let (id, effects) = script.start(
            .muteCheck(MuteCheck(Script.channel, onlyIfKnown: false)))
        #expect(effects == [.finish(id, .done)])
        #expect(script.give(.fired(.mute(Script.channel))) == [])
    }
}
