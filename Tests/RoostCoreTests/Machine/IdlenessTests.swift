// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct IdlenessTests {
    private typealias Script = MachineScript

    @Test func `a frame in flight keeps the client busy until its end is reported`() {
        var script = Script.connected()
        #expect(!script.machine.isBusy)
        let effects = script.give(.startedTyping(Script.channel))
        #expect(
            effects.notices.contains(.send(.typingStart(Script.channel, time: script.now))))
        #expect(script.machine.isBusy)
        #expect(script.give(.frameSent) == [])
        #expect(!script.machine.isBusy)
    }

    @Test func `each of several frames in flight keeps the client busy`() {
        var script = Script.connected()
        script.give(.startedTyping(Script.channel))
        script.give(.startedTyping("other"))
        script.give(.frameSent)
        #expect(script.machine.isBusy)
        script.give(.frameSent)
        #expect(!script.machine.isBusy)
    }

    @Test func `an end of no frame changes nothing`() {
        var script = Script.connected()
        script.give(.frameSent)
        script.give(.startedTyping(Script.channel))
        #expect(script.machine.isBusy)
    }

    // MARK: Waits

    private static let wait = Script.ID(900)

    /// Returns a machine with a frame in flight.
    private static func busy() -> Script {
        var script = Script.connected()
        script.give(.startedTyping(Script.channel))
        return script
    }

    @Test(arguments: [nil, Duration.seconds(3)])
    func `a wait of an idle client ends at once`(limit: Duration?) {
        var script = Script.connected()
        let effects = script.give(.awaitIdle(Self.wait, atMost: limit))
        #expect(effects.needs == [.finish(Self.wait, .flag(true))])
    }

    @Test func `a wait ends with the last work, and its limit with it`() {
        var script = Self.busy()
        let begun = script.give(.awaitIdle(Self.wait, atMost: .seconds(3)))
        #expect(begun == [.notice(.arm(.idle(Self.wait), .seconds(3)))])
        let ended = script.give(.frameSent)
        #expect(
            ended == [.notice(.disarm(.idle(Self.wait))), .finish(Self.wait, .flag(true))])
        #expect(script.give(.fired(.idle(Self.wait))) == [])
    }

    @Test func `a wait that reaches its limit says that work is left`() {
        var script = Self.busy()
        script.give(.awaitIdle(Self.wait, atMost: .seconds(3)))
        let effects = script.give(.fired(.idle(Self.wait)))
        #expect(effects == [.finish(Self.wait, .flag(false))])
        #expect(script.give(.frameSent) == [])
    }

    @Test func `all waits end together, in the order of their numbers`() {
        var script = Self.busy()
        script.give(.awaitIdle(Self.wait, atMost: nil))
        script.give(.awaitIdle(Script.ID(899), atMost: nil))
        let ended = script.give(.frameSent)
        #expect(
            ended.needs == [
                .finish(Script.ID(899), .flag(true)), .finish(Self.wait, .flag(true)),
            ])
    }

    @Test func `a canceled wait leaves nothing in the machine`() {
        var script = Self.busy()
        script.give(.awaitIdle(Self.wait, atMost: .seconds(3)))
        let canceled = script.give(.endWait(Self.wait))
        #expect(canceled == [.notice(.disarm(.idle(Self.wait)))])
        let idle = script.give(.frameSent)
        #expect(idle.needs == [])
        let again = script.give(.endWait(Self.wait))
        #expect(again == [])
    }

    @Test func `a canceled wait for an item's end leaves the other one`() {
        var script = Script()
        script.store("a", 1)
        let (first, _) = script.start(.outbox(.outcome(OutboxOutcome("a"))))
        let (second, _) = script.start(.outbox(.outcome(OutboxOutcome("a"))))
        let canceled = script.give(.endWait(first))
        #expect(canceled == [])
        #expect(!script.machine.isBusy)
        let closed = script.give(.close)
        #expect(closed.finished == [second])
    }

    @Test func `a wait does not count a retry, but says that one waits`() throws {
        var script = Script.connected()
        guard case .mend(let id)? = script.give(.suspected).first else {
            Issue.record("no repair")
            return
        }
        script.give(.awaitIdle(Self.wait, atMost: nil))
        let error = Script.error(.localDatabaseError, .repairStorage)
        let effects = script.give(.reply(id, .mended(.failure(error))))
        #expect(effects.needs.last == .finish(Self.wait, .flag(false)))
    }

    @Test func `closing ends a wait while work is left`() {
        var script = Script.connected()
        _ = script.start(.storing(Storing([], from: .local)))
        script.give(.awaitIdle(Self.wait, atMost: nil))
        #expect(script.machine.isBusy)
        #expect(script.give(.close).contains(.finish(Self.wait, .flag(false))))
        let later = script.give(.awaitIdle(Script.ID(901), atMost: nil))
        #expect(later.needs == [.finish(Script.ID(901), .flag(false))])
    }
}
