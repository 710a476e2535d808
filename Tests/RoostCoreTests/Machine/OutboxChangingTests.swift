// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

private typealias Script = MachineScript

/// Changes of messages, delivered and unsent, and calls about items.
struct OutboxChangingTests {
    // MARK: Unsent messages

    @Test func `an edit of an unsent message becomes part of the message`() throws {
        var script = Script()
        script.store("a", 1)
        let (id, effects) = script.edit("better", .unsent("a"))
        let (disk, writes) = try #require(effects.writes)
        #expect(writes == [.fold(MessageEdit(text: "better"), into: "a", at: script.now)])
        // A message that leaves during the write leaves with the new text.
        #expect(script.texts == ["better"])
        var stored = script.item("a", 1)
        stored.content = .userMessage(UserMessageParams(text: "better"))
        let end = script.write(disk, [.item(stored)])
        #expect(end.last == .finish(id, .request("a")))
    }

    @Test func `a refused edit of an unsent message leaves the old text`() throws {
        var script = Script()
        script.store("a", 1)
        let (id, effects) = script.edit("better", .unsent("a"))
        let (disk, _) = try #require(effects.writes)
        let error = Script.error(.localDatabaseError)
        #expect(script.write(disk, [.failed(error)]).last == .finish(id, .failed(error)))
        #expect(script.texts == ["a"])
    }

    @Test func `a timeline that opens during a refused edit shows the old text after it`() throws {
        var script = Script()
        script.store("a", 1)
        let (_, effects) = script.edit("better", .unsent("a"))
        let (disk, _) = try #require(effects.writes)
        script.showTimeline(of: 1...5)
        func text() -> String? {
            script.machine.state.timelines[TimelineID(1)]?.messages.last?.text
        }
        #expect(text() == "better")
        _ = script.write(disk, [.failed(Script.error(.localDatabaseError))])
        #expect(text() == "a")
    }

    @Test func `an edit of a message that another process has sent is queued for its ID`() throws {
        var script = Script()
        script.store("a", 1)
        let (id, effects) = script.edit("better", .unsent("a"))
        let (disk, _) = try #require(effects.writes)
        var next = script.write(disk, [.item(nil)])
        let read = try #require(next.newsRead)
        next = script.news(read, [])
        #expect(next.needs == [.read(read, .messageOfRequest("a"))])
        next = script.read(read, .message(Script.message(7, request: "a")))
        // The item is gone; the disk is told, and the edit looks for its message.
        let removal = try #require(next.writes)
        #expect(removal.1 == [.notes([.removal("a")])])
        next += script.write(removal.0, [.noted(hasNews: false, refused: [:])])
        #expect(next.needs.contains(.read(id, .messageOfRequest("a"))))
        let queued = script.read(id, .message(Script.message(7, request: "a")))
        guard case .append(let draft)? = queued.writes?.1.first else {
            Issue.record("nothing is queued: \(queued)")
            return
        }
        #expect(draft.content == .change(.edit(.delivered(7), MessageEdit(text: "better"))))
    }

    @Test func `a deleted unsent message is cancelled on disk first`() throws {
        var script = Script()
        script.store("a", 1)
        let (id, effects) = script.act(.delete(.unsent("a")))
        let (disk, writes) = try #require(effects.writes)
        #expect(writes == [.takeBack("a")])
        #expect(script.texts == ["a"])
        let end = script.write(disk, [.takenBack(true)])
        #expect(script.texts == [])
        #expect(end.finished.contains(id))
    }

    /// Acknowledges a message, up to its removal from the outbox.
    private static func acknowledge(
        _ name: RequestID, _ script: inout Script
    ) -> [Script.Effect] {
        let message = Script.message(2_000_000, request: name)
        let stored = script.frame(
            .message(MessageEvent(message: message, acknowledges: name)))
        guard case .commit(let id, _, _, _)? = stored.needs.first else { return stored }
        _ = script.commit(id)
        return script.read(id, .channel(Script.channel(Script.channel)))
    }

    @Test func `a message that is being deleted does not leave when its turn comes`() throws {
        var script = Script.connected()
        let (first, _) = try #require(script.send("b", as: "b").effects.writes)
        _ = script.write(first, [.item(script.item("b", 1, hasLeft: true))])
        script.store("a", 2)
        script.store("c", 3)
        let (id, effects) = script.act(.delete(.unsent("a")))
        let (disk, writes) = try #require(effects.writes)
        #expect(writes == [.takeBack("a")])
        #expect(Self.acknowledge("b", &script).commands == [])
        let end = script.write(disk, [.takenBack(true)])
        #expect(end.contains(.finish(id, .request("a"))) && script.texts == ["c"])
    }

    @Test func `a message that the disk refuses to delete leaves after all`() throws {
        var script = Script.connected()
        let (first, _) = try #require(script.send("b", as: "b").effects.writes)
        _ = script.write(first, [.item(script.item("b", 1, hasLeft: true))])
        script.store("a", 2)
        let (_, effects) = script.act(.delete(.unsent("a")))
        let (disk, _) = try #require(effects.writes)
        _ = Self.acknowledge("b", &script)
        let refused = script.write(disk, [.failed(Script.error(.localDatabaseError))])
        let (removal, _) = try #require(refused.writes)
        let attempt = script.write(removal, [.noted(hasNews: false, refused: [:])])
        #expect(attempt.writes?.1 == [.notes([.attempt("a")])])
    }

    @Test func `a message stays if the disk refuses to delete it`() throws {
        var script = Script()
        script.store("a", 1)
        let (id, effects) = script.act(.delete(.unsent("a")))
        let (disk, _) = try #require(effects.writes)
        let error = Script.error(.localDatabaseError)
        #expect(script.write(disk, [.failed(error)]).last == .finish(id, .failed(error)))
        #expect(script.texts == ["a"])
    }

    @Test func `the deletion of a message in flight waits for the message`() throws {
        var script = Script.connected()
        let (disk, _) = try #require(script.send("a", as: "a").effects.writes)
        _ = script.write(disk, [.item(script.item("a", 1, hasLeft: true))])
        let (_, effects) = script.act(.delete(.unsent("a")))
        guard case .append(let draft)? = effects.writes?.1.first else {
            Issue.record("nothing is queued: \(effects)")
            return
        }
        #expect(draft.content == .change(.delete(.unsent("a"))))
        #expect(!draft.leaves)
    }

    @Test func `a change of an unknown message is an error`() throws {
        var script = Script()
        let (id, effects) = script.act(.addReaction("wave", .unsent("never")))
        #expect(effects.needs == [.read(id, .messageOfRequest("never"))])
        guard case .finish(id, .failed(let error))? = script.read(id, .message(nil)).last else {
            Issue.record("no error")
            return
        }
        #expect(error.code == .messageNotFound)
    }

    // MARK: Delivered messages

    @Test func `a second edit of a delivered message becomes part of the waiting one`() throws {
        var script = Script()
        let first = try script.queue(.edit(.delivered(5), MessageEdit(text: "one")), 1)
        let (id, effects) = script.act(.edit(.delivered(5), MessageEdit(data: "two")))
        let (disk, writes) = try #require(effects.writes)
        #expect(writes == [.fold(MessageEdit(data: "two"), into: first, at: script.now)])
        var stored = try #require(script.machine.state.outbox.items.first)
        stored.content = .change(.edit(.delivered(5), MessageEdit(text: "one", data: "two")))
        let end = script.write(disk, [.item(stored)])
        #expect(end.events == ["change queued"])
        #expect(end.last == .finish(id, .request(first)))
    }

    @Test func `an edit behind a deletion stays an edit of its own`() throws {
        var script = Script()
        _ = try script.queue(.edit(.delivered(5), MessageEdit(text: "one")), 1)
        _ = try script.queue(.delete(.delivered(5)), 2)
        let (_, effects) = script.act(.edit(.delivered(5), MessageEdit(text: "two")))
        #expect(effects.writes?.1.map(\.name).first?.hasPrefix("append") == true)
    }

    @Test(
        arguments: [
            [
                .markAsRead(through: Timestamp(milliseconds: 10)),
                .markAsRead(through: Timestamp(milliseconds: 10)),
            ],
            [.channel(.hide(allowsAutoUnhide: true)), .channel(.unhide)],
        ] as [[PendingChange.Action]])
    func `of two changes that are written together the later one stays (scar 15)`(
        actions: [PendingChange.Action]
    ) throws {
        var script = Script()
        let (disk, _) = try #require(script.send("a", as: "a").effects.writes)
        for action in actions { _ = script.act(action) }
        let (next, writes) = try #require(script.write(disk, [.item(script.item("a", 1))]).writes)
        let drafts = writes.compactMap { if case .append(let draft) = $0 { draft } else { nil } }
        try #require(drafts.count == 2)
        let items = drafts.enumerated().map { number, draft in
            OutboxItem(
                sequence: Int64(number + 2), requestID: draft.requestID, channel: draft.channel,
                createdAt: draft.createdAt, content: draft.content)
        }
        _ = script.write(next, items.map { .item($0) })
        let changes = script.machine.state.outbox.items.filter { $0.change != nil }
        #expect(changes.map(\.requestID) == [drafts[1].requestID])
    }

    @Test func `a read mark replaces the older ones of its channel that wait`() throws {
        var script = Script()
        let old = try script.queue(.markAsRead(through: Timestamp(milliseconds: 10)), 1)
        let new = try script.queue(.markAsRead(through: Timestamp(milliseconds: 20)), 2)
        #expect(script.machine.state.outbox.items.map(\.requestID) == [new])
        #expect(old != new)
    }

    // MARK: Calls

    @Test func `the outcome of an item is awaited until the item ends`() throws {
        var script = Script()
        script.store("a", 1)
        let (id, effects) = script.start(.outbox(.outcome(OutboxOutcome("a"))))
        #expect(effects == [])
        let cancelled = script.start(.outbox(.canceling(OutboxCanceling("a")))).effects
        guard
            case .finish(id, .failed(let error))? = cancelled.first(where: {
                if case .finish(id, _) = $0 { true } else { false }
            })
        else {
            Issue.record("no end: \(cancelled)")
            return
        }
        #expect(error.code == .requestCanceled)
        // An item that is gone has ended well.
        #expect(script.start(.outbox(.outcome(OutboxOutcome("b")))).effects.last?.isDone == true)
    }

    @Test func `the end of the client ends every wait for an outcome`() {
        var script = Script()
        script.store("a", 1)
        let (id, _) = script.start(.outbox(.outcome(OutboxOutcome("a"))))
        #expect(script.give(.close).needs == [.finish(id, .failed(.notConnected))])
        let (next, effects) = script.start(.outbox(.outcome(OutboxOutcome("a"))))
        #expect(effects == [.finish(next, .failed(.notConnected))])
    }

    @Test func `a failed item is queued again behind the others, on disk first`() throws {
        var script = Script()
        script.store("a", 1)
        try script.fail("a")
        script.store("b", 2)
        let (id, effects) = script.start(.outbox(.resending(OutboxResending("a"))))
        let (disk, writes) = try #require(effects.writes)
        #expect(writes == [.requeue("a", createdAt: script.now)])
        let end = script.write(disk, [.item(script.item("a", 3))])
        #expect(end.events == ["retried a"])
        #expect(end.last == .finish(id, .flag(true)))
        #expect(script.machine.state.outbox.items.map(\.requestID) == ["b", "a"])
    }

    @Test func `a failed item is sent again although the disk refuses to note it`() throws {
        var script = Script()
        script.store("a", 1)
        try script.fail("a")
        let (id, effects) = script.start(.outbox(.resending(OutboxResending("a"))))
        let (disk, _) = try #require(effects.writes)
        let end = script.write(disk, [.failed(Script.error(.localDatabaseError))])
        #expect(end.events == ["retried a"])
        #expect(end.finished == [id])
        #expect(
            script.machine.state.outbox.disk.unwritten.map(\.note)
                == [.requeued("a", createdAt: script.now)])
    }

    @Test func `an item that has not failed is not queued again`() {
        var script = Script()
        script.store("a", 1)
        for name: RequestID in ["a", "never"] {
            let (id, effects) = script.start(.outbox(.resending(OutboxResending(name))))
            #expect(effects == [.finish(id, .flag(false))])
        }
    }

    @Test func `refused changes are listed with the message that the cache has`() throws {
        var script = Script()
        let name = try script.queue(.edit(.delivered(5), MessageEdit(text: "one")), 1)
        try script.fail(name)
        let (id, effects) = script.start(.outbox(.refusals(OutboxRefusals(in: nil))))
        #expect(effects == [.read(id, .message(5))])
        let end = script.read(id, .message(Script.message(5)))
        guard case .finish(id, .refusals(let refusals))? = end.last else {
            Issue.record("no list: \(end)")
            return
        }
        #expect(refusals.map(\.held) == [Script.message(5)])
        #expect(refusals.map(\.reason) == [.pendingError])
        let other = script.start(.outbox(.refusals(OutboxRefusals(in: "other"))))
        #expect(other.effects == [.finish(other.id, .refusals([]))])
    }
}

// MARK: - Changes by hand

extension MachineScript {
    mutating func act(_ action: PendingChange.Action) -> (id: ID, effects: [Effect]) {
        start(.outbox(.changing(OutboxChanging(action, in: Self.channel))))
    }

    mutating func edit(_ text: String, _ target: MessageTarget) -> (id: ID, effects: [Effect]) {
        act(.edit(target, MessageEdit(text: text)))
    }

    /// Queues a change and stores it; returns its name.
    mutating func queue(
        _ action: PendingChange.Action, _ sequence: Int64
    ) throws -> RequestID {
        let (disk, writes) = try #require(act(action).effects.writes)
        guard case .append(let draft)? = writes.first else { throw Unexpected() }
        let item = OutboxItem(
            sequence: sequence, requestID: draft.requestID, channel: Self.channel, createdAt: now,
            content: draft.content, attemptCount: draft.leaves ? 1 : 0, hasLeft: draft.leaves)
        let effects = write(disk, [.item(item)])
        if let (next, _) = effects.writes {
            _ = write(next, [.noted(hasNews: false, refused: [:])])
        }
        return draft.requestID
    }

    struct Unexpected: Error {}

    /// Has the app give an item up.
    mutating func fail(_ id: RequestID) throws {
        let effects = give(.outbox(.gaveUp(id)))
        let (disk, _) = try #require(effects.writes)
        let next = write(disk, [.noted(hasNews: false, refused: [:])])
        for case .read(let read, .message) in next {
            _ = self.read(read, .message(nil))
        }
    }

    /// The texts of the unsent messages.
    var texts: [String] {
        machine.state.outbox.items.compactMap { item in
            if case .userMessage(let params) = item.content { params.text } else { nil }
        }
    }
}

extension SyncMachine.Effect {
    fileprivate var isDone: Bool { if case .finish(_, .done) = self { true } else { false } }
}

extension [SyncMachine.Effect] {
    /// The operation of the last read of the outbox's file among the effects.
    var newsRead: SyncMachine.OperationID? {
        for effect in reversed() { if case .outbox(let id, .news) = effect { return id } }
        return nil
    }
}
