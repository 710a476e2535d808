// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

private typealias Script = MachineScript

/// The calls of an app about its unsent items, while the disk or another process interferes.
struct OutboxCallTests {
    private static let noted = OutboxWritten.noted(hasNews: false, refused: [:])
    private static let full = Script.error(.localDatabaseError)

    // MARK: The opening

    private static func opening(_ script: inout Script) -> Script.ID {
        let me = User(id: "me", nickname: "Ann")
        let (id, effects) = script.start(.outbox(.loading(OutboxLoading(of: me, files: "/files"))))
        #expect(effects == [.outbox(id, .news(regardless: true))])
        return id
    }

    @Test func `the unsent items of the last run are shown and sent after the next login`() throws {
        var script = Script()
        let id = Self.opening(&script)
        var edit = script.item("e", 2)
        edit.content = .change(.edit(.unsent("a"), MessageEdit(text: "b")))
        let tidying = script.news(id, [script.item("a", 1), edit])
        // Copies that a crash has left are older than a day.
        let yesterday = Timestamp(milliseconds: script.now.milliseconds - 86_400_000)
        #expect(tidying == [.outbox(id, .tidyFiles(madeBefore: yesterday))])
        #expect(
            script.give(.reply(id, .outbox(.failure(Self.full)))) == [.finish(id, .done)])
        let outbox = script.machine.state.outbox
        #expect(outbox.unsent(in: Script.channel).map(\.requestID) == ["a"])
        #expect(outbox.unsent(in: Script.channel).map(\.sender?.user.nickname) == ["Ann"])
        #expect(outbox.pendingChanges(in: Script.channel).map(\.id) == ["e"])
        #expect(outbox.unsent(in: "other") == [] && outbox.pendingChanges(in: "other") == [])
        #expect(script.login().writes?.1 == [.notes([.attempt("a")])])
    }

    @Test func `an empty outbox opens; an unreadable one is an error`() {
        var script = Script()
        let id = Self.opening(&script)
        let tidying = script.news(id, nil)
        #expect(tidying.count == 1)
        #expect(script.give(.reply(id, .outbox(.success(.done)))) == [.finish(id, .done)])
        let other = Self.opening(&script)
        #expect(
            script.give(.reply(other, .outbox(.failure(Self.full))))
                == [.finish(other, .failed(Self.full))])
    }

    // MARK: Sending

    @Test func `a second send with the same request ID returns the first item`() throws {
        var script = Script()
        script.store("a", 1)
        let (id, effects) = script.send("again", as: "a")
        #expect(effects == [.finish(id, .item(script.item("a", 1)))])
    }

    /// Sends a file until its place is to be reserved.
    private static func sendFile(_ script: inout Script) throws -> (id: Script.ID, disk: Script.ID)
    {
        let params = FileMessageParams(files: [OutgoingFile(.copy(of: "/f"), name: "f")])
        let (id, effects) = script.start(
            .outbox(
                .sending(
                    OutboxSending(
                        .fileMessage(params, copies: []), to: Script.channel, as: "f"))))
        return (id, try #require(effects.writes).0)
    }

    private static let copy = CopiedFile(name: "f1", size: 3, key: nil)

    /// Reserves a place for a file, and copies it until the item is to be written.
    private static func copyFile(_ script: inout Script) throws -> (id: Script.ID, disk: Script.ID)
    {
        let (id, disk) = try sendFile(&script)
        let copying = script.write(disk, [.place(1)])
        return (id, try copied(&script, id, copying))
    }

    /// Answers a request to copy a file; returns the write that follows.
    private static func copied(
        _ script: inout Script, _ id: Script.ID, _ copying: [Script.Effect]
    ) throws -> Script.ID {
        guard case .outbox(id, .copyFiles(let params, "f", sequence: _))? = copying.needs.last
        else { throw Script.Unexpected() }
        let content = OutboxContent.fileMessage(params, copies: [copy])
        let effects = script.give(.reply(id, .outbox(.success(.copied(content, [copy])))))
        return try #require(effects.writes).0
    }

    @Test func `a file whose place the disk refuses is not sent, and holds up nothing`() throws {
        var script = Script.connected()
        let (id, disk) = try Self.sendFile(&script)
        #expect(script.write(disk, [.failed(Self.full)]).last == .finish(id, .failed(Self.full)))
        #expect(try script.leave("a", 2) != nil)
    }

    @Test func `a file that cannot be copied is not sent, and holds up nothing`() throws {
        var script = Script.connected()
        let (id, disk) = try Self.sendFile(&script)
        _ = script.write(disk, [.place(1)])
        let effects = script.give(.reply(id, .outbox(.failure(Self.full))))
        #expect(effects.last == .finish(id, .failed(Self.full)))
        #expect(try script.leave("a", 2) != nil)
    }

    @Test func `the copies of a file whose item the disk refuses are deleted`() throws {
        var script = Script.connected()
        let (id, disk) = try Self.copyFile(&script)
        let effects = script.write(disk, [.failed(Self.full)])
        #expect(effects.notices.contains(.deleteFiles([Self.copy])))
        #expect(effects.last == .finish(id, .failed(Self.full)))
        #expect(try script.leave("a", 2) != nil)
    }

    @Test func `a file whose copies another process deleted is copied again`() throws {
        var script = Script.connected()
        let (id, disk) = try Self.copyFile(&script)
        let again = script.write(disk, [.item(nil)])
        let second = try Self.copied(&script, id, again)
        let item = script.item("f", 1)
        #expect(script.write(second, [.item(item)]).finished == [id])
    }

    @Test func `a file that an overlapping call has sent keeps that call's copies`() throws {
        var script = Script.connected()
        let (id, disk) = try Self.copyFile(&script)
        // The other call was first, at another place.
        let effects = script.write(disk, [.item(script.item("f", 7))])
        #expect(effects.notices.contains(.deleteFiles([Self.copy])))
        #expect(effects.finished == [id])
        #expect(script.machine.state.outbox.items.map(\.sequence) == [7])
    }

    @Test func `a file that is already on disk is not copied again`() throws {
        var script = Script.connected()
        let (id, disk) = try Self.sendFile(&script)
        let append = try #require(script.write(disk, [.item(script.item("f", 1))]).writes)
        #expect(append.1.map(\.name).first?.hasPrefix("append f") == true)
        #expect(script.write(append.0, [.item(script.item("f", 1))]).finished == [id])
    }

    @Test func `two overlapping sends of one request ID end with one item`() throws {
        var script = Script()
        let (first, effects) = script.send("one", as: "a")
        let (second, _) = script.send("one", as: "a")
        let (disk, _) = try #require(effects.writes)
        let (next, _) = try #require(script.write(disk, [.item(script.item("a", 1))]).writes)
        let end = script.write(next, [.item(script.item("a", 1))])
        #expect(end == [.finish(second, .item(script.item("a", 1)))] && first != second)
        #expect(script.machine.state.outbox.items.count == 1)
    }

    // MARK: Sending again

    @Test func `a failed item waits for the notes of its failure before it is queued again`()
        throws
    {
        var script = Script()
        script.store("a", 1)
        let failing = script.give(.outbox(.gaveUp("a")))
        let (disk, _) = try #require(failing.writes)
        let (id, effects) = script.start(.outbox(.resending(OutboxResending("a"))))
        #expect(effects.needs == [])
        let (notes, _) = try #require(script.write(disk, [Self.noted]).writes)
        let (requeue, writes) = try #require(script.write(notes, [Self.noted]).writes)
        #expect(writes == [.requeue("a", createdAt: script.now)])
        #expect(script.write(requeue, [.item(script.item("a", 2))]).finished == [id])
    }

    @Test func `a failed item is sent again although the disk refuses the notes before it`()
        throws
    {
        var script = Script()
        script.store("a", 1)
        let (disk, _) = try #require(script.give(.outbox(.gaveUp("a"))).writes)
        let (id, _) = script.start(.outbox(.resending(OutboxResending("a"))))
        let (notes, _) = try #require(script.write(disk, [.failed(Self.full)]).writes)
        let effects = script.write(notes, [.failed(Self.full)])
        #expect(effects.events.contains("retried a") && effects.finished == [id])
        #expect(script.machine.state.outbox.items.map(\.state) == [.pending])
    }

    @Test func `an item with a damaged row is sent again from memory`() throws {
        var script = Script()
        script.store("a", 1)
        let (disk, _) = try #require(script.give(.outbox(.gaveUp("a"))).writes)
        let refused = OutboxWritten.noted(hasNews: false, refused: [0: Self.full])
        #expect(script.write(disk, [refused]).events.contains("unrecorded a"))
        let (id, effects) = script.start(.outbox(.resending(OutboxResending("a"))))
        #expect(effects.finished == [id] && effects.events == ["retried a"])
        #expect(script.machine.state.outbox.items.map(\.state) == [.pending])
    }

    @Test func `a failed item that another process has changed is not queued again here`() throws {
        var script = Script()
        script.store("a", 1)
        try script.fail("a")
        let (id, effects) = script.start(.outbox(.resending(OutboxResending("a"))))
        let (disk, _) = try #require(effects.writes)
        let next = script.write(disk, [.item(nil)])
        let read = try #require(next.newsRead)
        let heard = script.news(read, nil)
        let again = try #require(heard.newsRead)
        #expect(script.news(again, nil).contains(.finish(id, .flag(false))))
    }

    @Test func `a failed item that is cancelled before it is queued again stays cancelled`() throws
    {
        var script = Script()
        script.store("a", 1)
        try script.fail("a")
        let (id, effects) = script.start(.outbox(.resending(OutboxResending("a"))))
        let (disk, _) = try #require(effects.writes)
        _ = script.start(.outbox(.canceling(OutboxCanceling("a"))))
        let end = script.write(disk, [.failed(Self.full)])
        #expect(end.contains(.finish(id, .flag(true))) && !end.events.contains("retried a"))
        #expect(script.machine.state.outbox.items == [])
    }

    @Test(arguments: [true, false])
    func `a change sent again goes to its message, which may have been delivered meanwhile`(
        isDelivered: Bool
    ) throws {
        var script = Script()
        var edit = script.item("e", 2)
        edit.content = .change(.edit(.unsent("a"), MessageEdit(text: "b")))
        edit.state = .failed(.pendingError)
        let opening = Self.opening(&script)
        _ = script.news(opening, [edit])
        let (id, effects) = script.start(.outbox(.resending(OutboxResending("e"))))
        let (disk, _) = try #require(effects.writes)
        var requeued = edit
        (requeued.state, requeued.sequence) = (.pending, 3)
        let finding = script.write(disk, [.item(requeued)])
        #expect(finding.needs == [.read(id, .messageOfRequest("a"))])
        let found = isDelivered ? Script.message(7, request: "a") : nil
        let end = script.read(id, .message(found))
        #expect(end.contains(.finish(id, .flag(true))))
        let content = script.machine.state.outbox.items.first?.content
        let target: MessageTarget = isDelivered ? .delivered(7) : .unsent("a")
        #expect(content == .change(.edit(target, MessageEdit(text: "b"))))
    }

    // MARK: Ends

    @Test func `cancelling an unknown item ends at once`() {
        var script = Script()
        let (id, effects) = script.start(.outbox(.canceling(OutboxCanceling("never"))))
        #expect(effects == [.finish(id, .done)])
    }

    @Test func `a caller learns why its message failed, now and later`() throws {
        var script = Script.connected()
        let leaving = try #require(try script.leave("a", 1))
        script.give(.reply(leaving, .sent(nil)))
        let (id, _) = script.start(.outbox(.outcome(OutboxOutcome("a"))))
        let refused = script.frame(.error(ServerError(.notAMember, "no"), acknowledges: "a"))
        let told = script.write(try #require(refused.writes).0, [Self.noted])
        let error = RoostError(ServerError(.notAMember, "no"))
        #expect(told.contains(.finish(id, .failed(error))))
        // A caller that comes later gets the same error.
        let (later, effects) = script.start(.outbox(.outcome(OutboxOutcome("a"))))
        #expect(effects == [.finish(later, .failed(error))])
    }

    @Test func `a message that the app gave up has failed without a sentence of the server`() throws
    {
        var script = Script()
        script.store("b", 2)
        try script.fail("b")
        let (id, effects) = script.start(.outbox(.outcome(OutboxOutcome("b"))))
        guard case .finish(id, .failed(let error))? = effects.last else {
            Issue.record("no error: \(effects)")
            return
        }
        #expect(error.code == .pendingError)
    }

    @Test func `a wait for an outcome ends when the message is delivered`() throws {
        var script = Script.connected()
        let leaving = try #require(try script.leave("a", 1))
        script.give(.reply(leaving, .sent(nil)))
        let (id, _) = script.start(.outbox(.outcome(OutboxOutcome("a"))))
        let echo = MessageEvent(message: Script.message(2_000_000, request: "a"))
        let frame = script.frame(.message(echo))
        _ = script.commit(try #require(frame.committer))
        let read = try #require(script.machine.state.outbox.items.isEmpty ? nil : frame.committer)
        let settled = script.read(read, .channel(Script.channel(Script.channel)))
        let end = script.write(try #require(settled.writes).0, [Self.noted])
        #expect(end.contains(.finish(id, .done)) && end.events == ["delivered a"])
    }

    // MARK: Refused changes

    @Test func `the refused changes are listed without the other items`() throws {
        var script = Script()
        script.store("a", 1)
        try script.fail("a")
        _ = try script.queue(.delete(.delivered(6)), 2)
        let mark = try script.queue(.markAsRead(through: Timestamp(milliseconds: 10)), 3)
        try script.fail(mark)
        let edit = try script.queue(.edit(.delivered(5), MessageEdit(text: "one")), 4)
        try script.fail(edit)
        let (id, effects) = script.start(.outbox(.refusals(OutboxRefusals(in: Script.channel))))
        // A read mark has no message.
        #expect(effects == [.read(id, .message(5))])
        let end = script.give(.reply(id, .read(.failure(Self.full))))
        guard case .finish(id, .refusals(let refusals))? = end.last else {
            Issue.record("no list: \(end)")
            return
        }
        #expect(refusals.map(\.change.id) == [mark, edit])
        #expect(refusals.map(\.held) == [nil, nil])
    }
}
