// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct RetryingTests {
    private typealias Script = MachineScript

    /// Returns a look-up with its question in flight.
    private static func lookUp(_ script: inout Script) -> (id: Script.ID, effects: [Script.Effect])
    {
        let effects = script.change { $0.lookUp(Script.channel) }
        guard case .ask(let id, .channel, .connection)? = effects.first else {
            Issue.record("no question: \(effects)")
            return (Script.ID(0), effects)
        }
        return (id, effects)
    }

    private static func wait(_ effects: [Script.Effect]) -> Duration? {
        for case .pause(_, let wait, .retry) in effects { return wait }
        return nil
    }

    @Test func `a failed request is retried after a wait that grows to a minute`() {
        var script = Script.connected()
        var (id, _) = Self.lookUp(&script)
        var waits: [Duration] = []
        for _ in 1...8 {
            let effects = script.refuse(id, Script.error(.networkError))
            if let wait = Self.wait(effects) { waits.append(wait) }
            let again = script.pass(id)
            if case .ask(let next, _, _)? = again.first { id = next }
        }
        #expect(waits.count == 8)
        #expect(waits.first.map { $0 >= .seconds(1) && $0 <= .seconds(2) } ?? false)
        #expect(waits.last.map { $0 >= .seconds(30) && $0 <= .seconds(60) } ?? false)
    }

    @Test func `a new connection ends the wait for a retry`() {
        var script = Script.connected()
        let (id, _) = Self.lookUp(&script)
        _ = script.refuse(id, Script.error(.networkError))
        script.lose()
        let effects = script.login()
        #expect(effects.contains(.endPause(id)))
        #expect(effects.contains { if case .ask(id, .channel, _) = $0 { true } else { false } })
        // The shell's timer may fire at the same moment; it wakes nothing any more.
        #expect(script.pass(id) == [])
    }

    @Test func `a wait for a retry does not keep the client busy`() {
        var script = Script.connected()
        let (id, _) = Self.lookUp(&script)
        #expect(script.machine.isBusy && !script.machine.isRetrying)
        _ = script.refuse(id, Script.error(.networkError))
        #expect(!script.machine.isBusy && script.machine.isRetrying)
    }

    @Test func `a final refusal ends the retries, and its callers learn of it`() {
        var script = Script.connected()
        let (id, _) = Self.lookUp(&script)
        let (caller, _) = script.start(
            .awaitLookUp(LookUpWait(Script.channel, asksAnew: false)))
        let effects = script.refuse(id, Script.error(.notAuthorized, .correctInput))
        #expect(effects.needs == [.finish(caller, .done)])
        #expect(!script.machine.isBusy && script.machine.state.lookUps.isEmpty)
    }

    @Test
    func `a caller of a look-up gets an answer after the first request, and the retries continue`()
    {
        var script = Script.connected()
        let (id, _) = Self.lookUp(&script)
        let (caller, _) = script.start(
            .awaitLookUp(LookUpWait(Script.channel, asksAnew: false)))
        let effects = script.refuse(id, Script.error(.networkError))
        #expect(effects.contains(.finish(caller, .done)))
        #expect(Self.wait(effects) != nil)
    }

    @Test func `an ended session key is renewed, and no request is made with it`() {
        var script = Script.connected()
        let (id, _) = Self.lookUp(&script)
        let effects = script.refuse(id, Script.error(.sessionKeyExpired))
        #expect(script.machine.state.link.sessionKey == nil)
        #expect(effects.contains(.notice(.closeSocket)))
        #expect(Self.wait(effects) == nil)
    }

    @Test
    func `a catch-up that the disk refuses is retried, and unsent messages continue (scar 47)`() {
        var script = Script.connected()
        let effects = script.change { $0.catchUp(Script.channel, .anyway) }
        #expect(script.machine.state.outbox.lanes.isHeld(Script.channel))
        guard case .read(let id, .cursor)? = effects.needs.first else {
            Issue.record("no read: \(effects)")
            return
        }
        let locked = RoostError(
            .localDatabaseError, remedy: .repairStorage, message: "", cause: .disk(mayPass: true))
        let refused = script.give(.reply(id, .read(.failure(locked))))
        #expect(!script.machine.state.outbox.lanes.isHeld(Script.channel))
        #expect(Self.wait(refused) != nil)
        #expect(!script.machine.state.isCatchingUp)
        _ = script.pass(id)
        #expect(script.machine.state.outbox.lanes.isHeld(Script.channel))
    }

    /// Begins an update of the channel list; returns its operation, which reads the log's cursor.
    private static func updateChannels(_ script: inout Script) throws -> Script.ID {
        let effects = script.change { $0.catchUpChannels() }
        return try #require(effects.reader)
    }

    private static func fail(_ id: Script.ID, _ script: inout Script) -> [Script.Effect] {
        script.give(.reply(id, .read(.failure(Script.error(.networkError)))))
    }

    @Test func `of several updates of the channel list only the last is repeated`() throws {
        var script = Script.connected()
        let first = try Self.updateChannels(&script)
        let second = try Self.updateChannels(&script)
        let ended = Self.fail(first, &script)
        #expect(Self.wait(ended) == nil)
        let waiting = Self.fail(second, &script)
        #expect(Self.wait(waiting) != nil)
        let third = try Self.updateChannels(&script)
        let repeated = script.pass(second)
        #expect(repeated == [])
        let last = Self.fail(third, &script)
        #expect(Self.wait(last) != nil)
        let next = script.pass(third)
        #expect(next.reader != nil)
    }

    @Test func `an earlier update goes on if the later one has ended`() throws {
        var script = Script.connected()
        let first = try Self.updateChannels(&script)
        let second = try Self.updateChannels(&script)
        let refusal = RoostError(.channelNotFound, remedy: .none, message: "")
        let ended = script.give(.reply(second, .read(.failure(refusal))))
        #expect(Self.wait(ended) == nil)
        let waiting = Self.fail(first, &script)
        #expect(Self.wait(waiting) != nil)
        #expect(script.machine.state.health.catchUp.channelList == .waiting)
        let again = script.pass(first)
        #expect(again.reader != nil)
    }

    @Test func `a replaced update of the channel list leaves the client's health alone`() throws {
        var script = Script.connected()
        var list: Health.CatchUp.ChannelList { script.machine.state.health.catchUp.channelList }
        let first = try Self.updateChannels(&script)
        let second = try Self.updateChannels(&script)
        _ = Self.fail(second, &script)
        #expect(list == .waiting)
        _ = Self.fail(first, &script)
        #expect(list == .waiting && script.machine.state.health.catchUp.nextAttempt != nil)
    }

    @Test func `requests during a catch-up are one more catch-up after it`() {
        var script = Script.connected()
        let effects = script.change { $0.catchUp(Script.channel, .anyway) }
        guard case .read(let id, .cursor)? = effects.needs.first else {
            Issue.record("no read: \(effects)")
            return
        }
        for _ in 1...3 {
            #expect(script.change { $0.catchUp(Script.channel, .anyway) } == [])
        }
        let again = script.read(id, .cursor(nil))
        #expect(again.needs.first == .read(id, .cursor(.messageChanges(Script.channel))))
        _ = script.read(id, .cursor(nil))
        #expect(script.machine.state.catchUps.isEmpty)
        #expect(!script.machine.state.outbox.lanes.isHeld(Script.channel))
    }
}
