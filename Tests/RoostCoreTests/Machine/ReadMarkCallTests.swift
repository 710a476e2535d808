// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire
import Testing

@testable import RoostCore

struct ReadMarkCallTests {
    private typealias Script = MachineScript

    private static var unread: GroupChannel {
        var channel = Script.channel(Script.channel)
        channel.unreadMessageCount = 3
        return channel
    }

    /// Calls `markAsRead`, and answers the read of the channel.
    private static func mark(
        _ script: inout Script, _ known: GroupChannel? = unread
    ) -> (id: Script.ID, effects: [Script.Effect]) {
        let (id, _) = script.start(.markAsRead(MarkAsReadCall(Script.channel)))
        return (id, script.read(id, .channel(known)))
    }

    /// Returns the operation that sends a mark, and the mark's request ID.
    private static func sending(_ effects: [Script.Effect]) -> (Script.ID, RequestID)? {
        for case .send(let id, .read(_, let requestID?)) in effects { return (id, requestID) }
        return nil
    }

    private static func acknowledge(
        _ requestID: RequestID, _ script: inout Script
    ) -> [Script.Effect] {
        var event = ReadEvent(
            channelURL: Script.channel, user: User(id: "me"), timestamp: Script.loginAt)
        event.acknowledges = requestID
        let effects = script.frame(.read(event))
        for case .commit(let id, _, _, _) in effects { return script.commit(id) }
        return effects
    }

    @Test func `without a connection a mark is refused at once`() {
        var script = Script()
        let (id, effects) = script.start(.markAsRead(MarkAsReadCall(Script.channel)))
        #expect(effects == [.finish(id, .failed(.notConnected))])
    }

    @Test func `a channel without unread messages costs no request`() {
        var script = Script.connected()
        script.change { $0.session?.isChannelLogRead = true }
        let (id, effects) = Self.mark(&script, Script.channel(Script.channel))
        #expect(effects.needs == [.finish(id, .done)])
    }

    @Test func `a channel is marked in any state before the change log is read`() {
        var script = Script.connected()
        let (_, effects) = Self.mark(&script, Script.channel(Script.channel))
        #expect(Self.sending(effects) != nil)
    }

    @Test func `a hundred calls become two marks, a second apart (scar 113)`() throws {
        var script = Script.connected()
        let (first, effects) = Self.mark(&script)
        let (sender, requestID) = try #require(Self.sending(effects))
        _ = script.give(.reply(sender, .sent(nil)))
        var later: [Script.ID] = []
        for _ in 1..<100 {
            let (id, effects) = Self.mark(&script)
            #expect(Self.sending(effects) == nil)
            later.append(id)
        }
        let answered = Self.acknowledge(requestID, &script)
        #expect(answered.contains(.finish(first, .done)))
        #expect(later.allSatisfy { !answered.contains(.finish($0, .done)) })
        let pause = script.give(.fired(.readMark(Script.channel)))
        guard case .read(let look, .channel)? = pause.needs.first else {
            Issue.record("no look: \(pause)")
            return
        }
        let second = script.read(look, .channel(Self.unread))
        let (secondSender, secondID) = try #require(Self.sending(second))
        #expect(secondID != requestID)
        _ = script.give(.reply(secondSender, .sent(nil)))
        let end = Self.acknowledge(secondID, &script)
        #expect(later.allSatisfy { end.contains(.finish($0, .done)) })
    }

    @Test func `callers of the pause need no mark when no message is unread`() throws {
        var script = Script.connected()
        script.change { $0.session?.isChannelLogRead = true }
        let (_, effects) = Self.mark(&script)
        let (sender, requestID) = try #require(Self.sending(effects))
        _ = script.give(.reply(sender, .sent(nil)))
        let (later, _) = Self.mark(&script)
        _ = Self.acknowledge(requestID, &script)
        let pause = script.give(.fired(.readMark(Script.channel)))
        guard case .read(let look, .channel)? = pause.needs.first else {
            Issue.record("no look: \(pause)")
            return
        }
        let end = script.read(look, .channel(Script.channel(Script.channel)))
        #expect(Self.sending(end) == nil && end.contains(.finish(later, .done)))
    }

    @Test func `an answered mark leaves nothing of its channel behind`() throws {
        var script = Script.connected()
        let (id, effects) = Self.mark(&script)
        let (sender, requestID) = try #require(Self.sending(effects))
        _ = script.give(.reply(sender, .sent(nil)))
        let answered = Self.acknowledge(requestID, &script)
        #expect(answered.contains(.finish(id, .done)))
        let pause = script.give(.fired(.readMark(Script.channel)))
        #expect(pause.needs.isEmpty)
        var marks = script.machine.state.marks
        #expect(marks.machine == ReadMarkMachine() && marks.unreadMarks.isEmpty)
        #expect(marks.newestMessage(in: Script.channel) == nil)
        let rounds = marks.close(in: Script.channel)
        #expect(rounds.isEmpty)
    }

    @Test func `a lost connection ends every call`() throws {
        var script = Script.connected()
        let (first, effects) = Self.mark(&script)
        let (sender, _) = try #require(Self.sending(effects))
        _ = script.give(.reply(sender, .sent(nil)))
        let (second, _) = Self.mark(&script)
        let lost = script.lose()
        for id in [first, second] {
            #expect(
                lost.contains {
                    guard case .finish(id, .failed(let error)) = $0 else { return false }
                    return error.code == .socketClosed
                })
        }
    }

    @Test func `an overdue answer fails its callers after eight seconds`() throws {
        var script = Script.connected()
        let (id, effects) = Self.mark(&script)
        let (sender, _) = try #require(Self.sending(effects))
        #expect(effects.contains(.limit(sender, .seconds(8))))
        _ = script.give(.reply(sender, .sent(nil)))
        let overdue = script.give(.overdue(sender))
        #expect(
            overdue.contains {
                guard case .finish(id, .failed(let error)) = $0 else { return false }
                return error.code == .ackTimeout
            })
        // A server that never answers leaves nothing behind.
        #expect(script.machine.state.answers.isEmpty)
    }

    @Test
    func `an unread mark waits for the mark in flight, and answers earlier calls`()
        throws
    {
        var script = Script.connected()
        let (_, effects) = Self.mark(&script)
        let (sender, requestID) = try #require(Self.sending(effects))
        _ = script.give(.reply(sender, .sent(nil)))
        let (earlier, _) = Self.mark(&script)
        let (id, begun) = script.start(.markAsUnread(MarkAsUnread(Script.channel, from: 5)))
        #expect(begun.needs.isEmpty)
        let answered = Self.acknowledge(requestID, &script)
        #expect(
            answered.contains {
                if case .ask(id, .markAsRead, .connection) = $0 { true } else { false }
            })
        let taken = script.answer(id, .done)
        #expect(taken.contains(.finish(earlier, .done)))
        #expect(script.machine.state.marks.unreadMarks == [Script.channel])
    }

    /// Brings a caller into the pause after a mark.
    private static func waitInPause(_ script: inout Script) throws -> Script.ID {
        let (_, effects) = mark(&script)
        let (sender, requestID) = try #require(sending(effects))
        _ = script.give(.reply(sender, .sent(nil)))
        _ = acknowledge(requestID, &script)
        let (waiting, later) = mark(&script)
        #expect(sending(later) == nil)
        return waiting
    }

    private static func fails(
        _ id: Script.ID, with code: RoostError.Code, in effects: [Script.Effect]
    ) -> Bool {
        effects.contains {
            guard case .finish(id, .failed(let error)) = $0 else { return false }
            return error.code == code
        }
    }

    @Test func `calls held up by a refused unread mark are marked after it`() throws {
        var script = Script.connected()
        let waiting = try Self.waitInPause(&script)
        let (id, _) = script.start(.markAsUnread(MarkAsUnread(Script.channel, from: 5)))
        let refused = script.refuse(id, Script.error(.messageNotFound, .correctInput))
        #expect(Self.fails(id, with: .messageNotFound, in: refused))
        #expect(refused.contains { if case .ask(_, .channel, _) = $0 { true } else { false } })
        #expect(!refused.contains { if case .finish(waiting, _) = $0 { true } else { false } })
        let pause = script.give(.fired(.readMark(Script.channel)))
        guard case .read(let look, .channel)? = pause.needs.first else {
            Issue.record("no look: \(pause)")
            return
        }
        let (sender, requestID) = try #require(
            Self.sending(script.read(look, .channel(Self.unread))))
        _ = script.give(.reply(sender, .sent(nil)))
        #expect(Self.acknowledge(requestID, &script).contains(.finish(waiting, .done)))
    }

    @Test func `an unread mark that waits for a mark in flight fails with the connection`() throws {
        var script = Script.connected()
        let (_, effects) = Self.mark(&script)
        let (sender, _) = try #require(Self.sending(effects))
        _ = script.give(.reply(sender, .sent(nil)))
        let (id, _) = script.start(.markAsUnread(MarkAsUnread(Script.channel, from: 5)))
        #expect(Self.fails(id, with: .connectionRequired, in: script.lose()))
    }

    @Test func `a mark whose answer takes longer than the pause is followed by the next at once`()
        throws
    {
        var script = Script.connected()
        let (_, effects) = Self.mark(&script)
        let (sender, requestID) = try #require(Self.sending(effects))
        _ = script.give(.reply(sender, .sent(nil)))
        let (waiting, _) = Self.mark(&script)
        let pause = script.give(.fired(.readMark(Script.channel)))
        guard case .read(let look, .channel)? = pause.needs.first else {
            Issue.record("no look: \(pause)")
            return
        }
        #expect(Self.sending(script.read(look, .channel(Self.unread))) == nil)
        let answered = Self.acknowledge(requestID, &script)
        let (second, secondID) = try #require(Self.sending(answered))
        _ = script.give(.reply(second, .sent(nil)))
        #expect(Self.acknowledge(secondID, &script).contains(.finish(waiting, .done)))
    }

    @Test func `a pause without callers sends nothing`() throws {
        var script = Script.connected()
        let (_, effects) = Self.mark(&script)
        let (sender, requestID) = try #require(Self.sending(effects))
        _ = script.give(.reply(sender, .sent(nil)))
        _ = Self.acknowledge(requestID, &script)
        #expect(script.give(.fired(.readMark(Script.channel))) == [])
        // The next mark is not held back any more.
        #expect(Self.sending(Self.mark(&script).effects) != nil)
    }

    @Test func `callers in the pause are marked even if the disk cannot be read`() throws {
        var script = Script.connected()
        _ = try Self.waitInPause(&script)
        let pause = script.give(.fired(.readMark(Script.channel)))
        guard case .read(let look, .channel)? = pause.needs.first else {
            Issue.record("no look: \(pause)")
            return
        }
        let failed = script.give(.reply(look, .read(.failure(Script.error(.localDatabaseError)))))
        #expect(Self.sending(failed) != nil)
    }

    @Test func `a mark that the server refuses fails its callers with the server's reason`() throws
    {
        var script = Script.connected()
        let (id, effects) = Self.mark(&script)
        let (sender, requestID) = try #require(Self.sending(effects))
        _ = script.give(.reply(sender, .sent(nil)))
        let refused = script.frame(.error(ServerError(.notAMember, "no"), acknowledges: requestID))
        #expect(Self.fails(id, with: .notAMember, in: refused))
    }

    @Test func `an answer that overtakes the end of the sending is not lost`() throws {
        var script = Script.connected()
        let (id, effects) = Self.mark(&script)
        let (sender, requestID) = try #require(Self.sending(effects))
        #expect(!Self.acknowledge(requestID, &script).contains(.finish(id, .done)))
        #expect(script.give(.reply(sender, .sent(nil))).contains(.finish(id, .done)))
    }

    @Test(arguments: [true, false])
    func `an unread mark ends in time, whatever its look-up waits for (scars 93, 94)`(
        isAccepted: Bool
    ) {
        var script = Script.connected()
        let looking = script.change { $0.lookUp(Script.channel) }
        guard case .ask(let look, .channel, _)? = looking.needs.first else {
            Issue.record("no look-up: \(looking)")
            return
        }
        // The look-up now rests before its next attempt.
        _ = script.refuse(look, Script.error(.internalServerError))
        let (id, begun) = script.start(
            .inTime(InTime(.markAsUnread(MarkAsUnread(Script.channel, from: 5)))))
        #expect(begun.contains(.limit(id, .seconds(8))))
        if isAccepted {
            let accepted = script.answer(id, .done)
            #expect(!accepted.contains { if case .finish(id, _) = $0 { true } else { false } })
            #expect(script.give(.overdue(id)).contains(.finish(id, .done)))
        } else {
            #expect(Self.fails(id, with: .requestFailed, in: script.give(.overdue(id))))
        }
    }
}
