// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

private typealias Script = MachineScript

/// Messages with files while the network is up and there is no socket.
struct OutboxPostTests {
    private static let lane = OutboxMachine.Lane(Script.channel)
    private static let noted = OutboxWritten.noted(hasNews: false, refused: [:])
    /// A message that was sent after the login.
    private static let sent = Script.message(2_000_000, request: "f")

    /// Returns a client that has lost its socket.
    private static func disconnected() -> Script {
        var script = Script.connected()
        script.lose()
        return script
    }

    /// Writes a message with one file; returns the effects of its write.
    private static func writeFile(_ script: inout Script) throws -> [Script.Effect] {
        let params = FileMessageParams(files: [OutgoingFile(.reference(to: "/f"), name: "f")])
        let sending = OutboxSending(
            .fileMessage(params, copies: []), to: Script.channel, as: "f")
        let (id, effects) = script.start(.outbox(.sending(sending)))
        let (reserve, _) = try #require(effects.writes)
        _ = script.write(reserve, [.place(1)])
        let content = OutboxContent.fileMessage(params, copies: [nil])
        let copied = script.give(.reply(id, .outbox(.success(.copied(content, [])))))
        let (append, writes) = try #require(copied.writes)
        #expect(writes.map(\.name) == ["append f"])
        var item = script.item("f", 1)
        item.content = content
        return script.write(append, [.item(item)])
    }

    /// Answers the write of an attempt.
    private static func noteAttempt(
        _ effects: [Script.Effect], _ script: inout Script
    ) throws -> [Script.Effect] {
        let (disk, writes) = try #require(effects.writes)
        #expect(writes == [.notes([.attempt("f")])])
        return script.write(disk, [noted])
    }

    /// Sends a message with one file until its upload begins.
    private static func upload(_ script: inout Script) throws -> Script.ID {
        let written = try writeFile(&script)
        let begun = try noteAttempt(written, &script)
        return try #require(begun.upload).id
    }

    /// Sends a message with one file until it is posted.
    private static func post(_ script: inout Script) throws -> Script.ID {
        let id = try upload(&script)
        let found = script.answer(id, try OutboxDeliveryTests.uploaded())
        let (disk, _) = try #require(found.writes)
        let effects = script.write(disk, [noted])
        #expect(effects.commands == [])
        let posts = effects.compactMap { effect -> SendMessage? in
            if case .ask(id, .post(let call), .lastLogin) = effect { call } else { nil }
        }
        #expect(posts.map(\.message.requestID) == ["f"])
        return id
    }

    private static func states(_ script: Script) -> [UnsentState] {
        script.machine.state.outbox.items.map(\.state)
    }

    private static func wait(of id: RequestID, _ script: Script) -> Health.Wait? {
        let state = script.machine.state
        return state.outbox.order[id].flatMap { state.wait(of: $0) }
    }

    @Test func `a file is uploaded and posted without a socket (R144, R146)`() throws {
        var script = Self.disconnected()
        let id = try Self.post(&script)
        let answered = script.answer(id, .message(Self.sent))
        #expect(answered.mutations.first == .liveMessage(Self.sent, predecessor: nil))
        let stored = script.commit(id)
        let (disk, writes) = try #require(stored.writes)
        #expect(writes == [.notes([.removal("f")])])
        let events = script.write(disk, [Self.noted]).events
        #expect(events == ["delivered f"])
    }

    @Test func `without a socket a text waits, and keeps the file behind it waiting (scar 12)`()
        throws
    {
        var script = Self.disconnected()
        script.store("a", 0)
        #expect(Self.wait(of: "a", script) == .connection)
        let written = try Self.writeFile(&script)
        #expect(written.writes == nil)
        #expect(Self.wait(of: "f", script) == .earlier("a"))
    }

    @Test func `each step of a file without a socket is the reason of its wait`() throws {
        var script = Self.disconnected()
        let written = try Self.writeFile(&script)
        #expect(Self.wait(of: "f", script) == .answer)
        let begun = try Self.noteAttempt(written, &script)
        let upload = try #require(begun.upload)
        #expect(Self.wait(of: "f", script) == .upload)
        let refused = script.refuse(upload.id, Script.error(.networkError))
        #expect(refused.events == ["delayed f"])
        #expect(Self.wait(of: "f", script) == .retry(at: script.now + OutboxMachine.rest))
        script.store("b", 2)
        #expect(Self.wait(of: "b", script) == .connection)
        let again = script.give(.fired(.outboxRest(Self.lane)))
        let next = try Self.noteAttempt(again, &script)
        #expect(next.upload != nil)
        script.give(.link(.networkChanged(isUp: false)))
        #expect(Self.wait(of: "f", script) == .upload)
    }

    /// The ends of a connection after which no file may be sent.
    enum Ending: CaseIterable {
        case disconnected, loggedOut, withoutNetwork, unreachable, asleep, refused, keyExpired,
            suspended

        fileprivate func happen(to script: inout Script) {
            switch self {
            case .disconnected: script.give(.disconnect(isLogout: false))
            case .loggedOut: script.give(.disconnect(isLogout: true))
            case .withoutNetwork: script.give(.link(.networkChanged(isUp: false)))
            case .unreachable:
                script.give(.link(.fired(.retry)))
                let epoch = script.machine.state.link.machine.epoch
                script.give(.link(.lost(epoch, .unreachable("no route"))))
            case .asleep:
                script.give(.link(.appMoved(toForeground: false)))
                script.give(.link(.fired(.background)))
            case .refused:
                script.give(.link(.fired(.retry)))
                let error = ServerError(.userNotFound, "gone")
                _ = script.frame(.login(.failure(error, acknowledges: nil)))
            case .keyExpired:
                let epoch = script.machine.state.link.loginEpoch
                script.give(.refusedKey(Script.error(.sessionKeyExpired), epoch))
            case .suspended: script.give(.outbox(.suspended))
            }
        }
    }

    @Test(arguments: Ending.allCases)
    func `no upload begins while the client may not send`(ending: Ending) throws {
        var script = Self.disconnected()
        ending.happen(to: &script)
        #expect(!script.machine.state.link.takesFiles || ending == .suspended)
        let written = try Self.writeFile(&script)
        #expect(written.writes == nil)
        #expect(Self.states(script) == [.pending])
    }

    @Test func `an upload begins when an attempt to connect finds the server again`() throws {
        var script = Self.disconnected()
        Ending.unreachable.happen(to: &script)
        _ = try Self.writeFile(&script)
        script.give(.link(.fired(.retry)))
        let epoch = script.machine.state.link.machine.epoch
        let refused = script.give(.link(.lost(epoch, .notOpened("no upgrade"))))
        let begun = try Self.noteAttempt(refused, &script)
        #expect(begun.upload != nil)
    }

    @Test func `a network that is lost while the attempt is written begins no upload`() throws {
        var script = Self.disconnected()
        let written = try Self.writeFile(&script)
        script.give(.link(.networkChanged(isUp: false)))
        let effects = try Self.noteAttempt(written, &script)
        #expect(effects.upload == nil && effects.events == ["delayed f"])
        #expect(Self.wait(of: "f", script) == .connection)
        let found = script.give(.link(.networkChanged(isUp: true)))
        let again = try Self.noteAttempt(found, &script)
        #expect(again.upload != nil)
    }

    @Test func `a post that fails with a network fails its message (R148)`() throws {
        var script = Self.disconnected()
        let id = try Self.post(&script)
        // A login in between changes nothing: the network was there.
        _ = script.login()
        _ = script.refuse(id, RoostError(.networkError, remedy: .retry, message: ""))
        #expect(Self.states(script) == [.failed(.networkError)])
    }

    @Test func `a message that could not be posted waits for a connection (R147)`() throws {
        var script = Self.disconnected()
        let id = try Self.post(&script)
        let unreachable = RoostError(
            .networkError, remedy: .retry, message: "", cause: .unreachable)
        let refused = script.refuse(id, unreachable)
        #expect(refused.events == ["delayed f"] && refused.writes == nil)
        #expect(Self.states(script) == [.pending])
        #expect(Self.wait(of: "f", script) == .connection)
        let failed = script.give(.link(.fired(.retry)))
        #expect(failed.writes == nil)
    }

    @Test func `an upload that a login overtakes sends its message over the socket`() throws {
        var script = Self.disconnected()
        let id = try Self.upload(&script)
        let login = script.login()
        #expect(login.writes == nil)
        let found = script.answer(id, try OutboxDeliveryTests.uploaded())
        let (disk, _) = try #require(found.writes)
        let sent = script.write(disk, [Self.noted])
        #expect(sent.commands == ["f"])
    }
}
