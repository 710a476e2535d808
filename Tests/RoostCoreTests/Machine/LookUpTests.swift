// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct LookUpTests {
    private typealias Script = MachineScript

    private static func begin(_ script: inout Script) -> Script.ID {
        script.machine.state.emit(.channelChanged(Script.channel), afterLookUpOf: Script.channel)
        let effects = script.change { _ in }
        guard case .ask(let id, .channel(let question), .connection)? = effects.first else {
            Issue.record("no question: \(effects)")
            return Script.ID(0)
        }
        #expect(question.isInternal)
        return id
    }

    @Test func `an answer is stored and its events are reported`() {
        var script = Script.connected()
        let id = Self.begin(&script)
        let effects = script.answer(id, .channel(Script.channel(Script.channel)))
        #expect(
            effects.mutations == [
                .channels([Script.channel(Script.channel)]),
                .firstCursor(.channelChanges, .moment(Script.loginAt)),
            ])
        #expect(script.commit(id).notices == [.event(.channelChanged(Script.channel))])
        #expect(script.machine.state.lookUps.isEmpty)
    }

    @Test func `a burst of requests costs one more question (scar 158)`() {
        var script = Script.connected()
        let id = Self.begin(&script)
        for _ in 1...20 { #expect(script.change { $0.lookUp(Script.channel) } == []) }
        _ = script.answer(id, .channel(Script.channel(Script.channel)))
        #expect(script.commit(id) == [.pause(id, .milliseconds(500), .pacing)])
        guard case .ask(id, .channel, .connection)? = script.pass(id).first else {
            Issue.record("The channel is not asked for again.")
            return
        }
        _ = script.answer(id, .channel(Script.channel(Script.channel)))
        #expect(script.commit(id).notices == [.event(.channelChanged(Script.channel))])
    }

    @Test func `a channel that the server no longer shows is removed (scar 58)`() {
        var script = Script.connected()
        let id = Self.begin(&script)
        let effects = script.refuse(id, Script.error(.notAMember, .correctInput))
        #expect(effects.mutations == [.removeChannel(Script.channel)])
        #expect(script.commit(id).notices == [.event(.channelChanged(Script.channel))])
    }

    @Test func `the first answer about a channel counts as progress`() {
        var script = Script.connected()
        let before = script.machine.state.pacing
        let id = Self.begin(&script)
        _ = script.answer(id, .channel(Script.channel(Script.channel)))
        _ = script.commit(id)
        var spent = before
        _ = spent.take(at: script.now)
        #expect(script.machine.state.pacing != spent, "the request is given back")
    }

    @Test func `an answer that an event has overtaken is requested again`() {
        var script = Script.connected()
        let id = Self.begin(&script)
        script.machine.state.channelLedger.note(changeOf: Script.channel)
        let effects = script.answer(id, .channel(Script.channel(Script.channel)))
        #expect(effects.mutations.first == .channels([]))
        #expect(script.commit(id) == [.pause(id, .milliseconds(500), .pacing)])
    }
}

struct ListFillTests {
    private typealias Script = MachineScript

    private static func page(_ urls: ChannelURL..., next: String) -> ServerAnswer {
        .myChannels(RoostWire.ChannelPage(channels: urls.map { Script.channel($0) }, next: next))
    }

    /// Returns a walk with its first question in flight.
    private static func begin(_ script: inout Script, at place: Cursor? = nil) -> Script.ID {
        let (id, effects) = script.start(.fill(ListFill()))
        #expect(effects == [.read(id, .cursor(.channelFill))])
        guard case .ask(id, .myChannels(let question), _)? = script.read(id, .cursor(place)).first
        else {
            Issue.record("no question")
            return id
        }
        #expect(question.limit == 100 && question.order == .chronological)
        return id
    }

    @Test func `a page of the list and the place behind it are one commit`() {
        var script = Script.connected()
        let id = Self.begin(&script)
        let effects = script.answer(id, Self.page("a", "b", next: "n1"))
        #expect(
            effects == [
                .commit(
                    id,
                    [
                        .channels([Script.channel("a"), Script.channel("b")]),
                        .cursor(.channelFill, .token("n1")),
                        .firstCursor(.channelChanges, .moment(Script.loginAt)),
                    ], .page, unless: .cursorMoved(.channelFill, from: nil))
            ])
        #expect(script.commit(id) == [.read(id, .cursor(.channelFill))])
        _ = script.read(id, .cursor(.token("n1")))
        #expect(
            script.answer(id, Self.page(next: "")).mutations
                .contains(.cursor(.channelFill, .listEnd)))
        _ = script.commit(id)
        #expect(script.read(id, .cursor(.listEnd)) == [.finish(id, .done)])
        #expect(script.machine.state.session?.isFilling == false)
    }

    @Test func `one walk runs on each connection`() {
        var script = Script.connected()
        _ = Self.begin(&script)
        let (second, effects) = script.start(.fill(ListFill()))
        #expect(effects == [.finish(second, .done)])
        #expect(script.machine.state.session?.isFilling == true)
    }

    @Test func `a refused token restarts the walk, once`() {
        var script = Script.connected()
        let id = Self.begin(&script, at: .token("old"))
        let refused = Script.error(.invalidValue, .correctInput)
        #expect(script.refuse(id, refused).mutations == [.removeCursor(.channelFill)])
        #expect(script.commit(id) == [.read(id, .cursor(.channelFill))])
        _ = script.read(id, .cursor(nil))
        #expect(script.refuse(id, refused) == [.finish(id, .failed(refused))])
    }

    @Test func `endless pages without channels end the walk (scar 141)`() {
        var script = Script.connected()
        let id = Self.begin(&script)
        for step in 1...10 {
            _ = script.answer(id, Self.page(next: "n\(step)"))
            if script.commit(id).last == .finish(id, .failed(.stalled)) { return }
            _ = script.read(id, .cursor(.token("n\(step)")))
        }
        Issue.record("The walk goes on.")
    }

    @Test func `a cache cleared during a page restarts the walk`() {
        var script = Script.connected()
        let id = Self.begin(&script, at: .token("n5"))
        _ = script.answer(id, Self.page("a", next: "n6"))
        // The condition left the commit out.
        #expect(
            script.give(.reply(id, .committed(.success(nil))))
                == [.read(id, .cursor(.channelFill))])
        guard case .ask(id, .myChannels(let question), _)? = script.read(id, .cursor(nil)).first
        else {
            Issue.record("no question")
            return
        }
        #expect(question.token == "")
    }
}
