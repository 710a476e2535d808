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
        #expect(script.give(.disconnect).notices.contains(.disarm(.mute(Script.channel))))
    }
}
