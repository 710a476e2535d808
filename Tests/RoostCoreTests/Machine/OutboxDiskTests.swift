// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

private typealias Script = MachineScript

/// The queue to the outbox's file, with other processes' writes and refusals.
struct OutboxDiskTests {
    @Test func `a send ends with the item on disk, and the app learns of it in the same step`()
        throws
    {
        var script = Script()
        let (id, effects) = script.send("one", as: "a")
        let (disk, writes) = try #require(effects.writes)
        #expect(writes.map(\.name) == ["append a"])
        #expect(script.machine.state.outbox.items == [])
        let item = script.item("a", 1)
        let stored = script.write(disk, [.item(item)])
        #expect(stored.last == .finish(id, .item(item)))
        #expect(stored.events == ["queued a"])
        #expect(script.machine.state.outbox.items == [item])
        #expect(!script.machine.isBusy)
    }

    @Test func `sends during a write go to the disk together, in order`() throws {
        var script = Script()
        let (disk, _) = try #require(script.send("one", as: "a").effects.writes)
        #expect(script.send("two", as: "b").effects.needs == [])
        #expect(script.send("three", as: "c").effects.needs == [])
        let next = try #require(script.write(disk, [.item(script.item("a", 1))]).writes)
        #expect(next.1.map(\.name) == ["append b", "append c"])
        let effects = script.write(
            next.0, [.item(script.item("b", 2)), .failed(Script.error(.localDatabaseError))])
        #expect(effects.finished.count == 2)
        #expect(script.machine.state.outbox.items.map(\.requestID) == ["a", "b"])
    }

    @Test func `a refused send leaves no place in its lane`() throws {
        var script = Script.connected()
        let (id, effects) = script.send("one", as: "a")
        let (disk, _) = try #require(effects.writes)
        let error = Script.error(.localDatabaseError)
        let refused = script.write(disk, [.failed(error)])
        #expect(refused.last == .finish(id, .failed(error)))
        let (next, writes) = try #require(script.send("two", as: "b").effects.writes)
        #expect(writes.map(\.name) == ["append b, leaves"])
        let sent = script.write(next, [.item(script.item("b", 1, hasLeft: true))])
        #expect(sent.commands == ["b"])
    }

    @Test func `a message leaves once its attempt is on the disk`() throws {
        var script = Script()
        script.store("a", 1)
        let (disk, writes) = try #require(script.login().writes)
        #expect(writes == [.notes([.attempt("a")])])
        let sent = script.write(disk, [.noted(hasNews: false, refused: [:])])
        #expect(sent.commands == ["a"])
    }

    @Test func `changes of other processes are known before a message leaves`() throws {
        var script = Script()
        script.store("a", 1)
        let (disk, _) = try #require(script.login().writes)
        let told = script.write(disk, [.noted(hasNews: true, refused: [:])])
        #expect(told.commands == [])
        guard case .outbox(let read, .news(regardless: false))? = told.needs.last else {
            Issue.record("no read: \(told)")
            return
        }
        var item = script.item("a", 1, hasLeft: true)
        item.content = .userMessage(UserMessageParams(text: "theirs"))
        var effects = script.news(read, [item])
        for case .outbox(let child, _) in effects { effects += script.news(child, nil) }
        #expect(effects.commands == ["a"])
        #expect(script.machine.state.outbox.items.map(\.content) == [item.content])
    }

    @Test func `changes of an item with a write behind the read are read again`() throws {
        var script = Script()
        script.store("a", 1)
        guard case .outbox(let read, .news(regardless: false))? = script.othersWrote().needs.first
        else {
            Issue.record("no read")
            return
        }
        _ = script.start(.outbox(.canceling(OutboxCanceling("a"))))
        var theirs = script.item("a", 1)
        theirs.content = .userMessage(UserMessageParams(text: "theirs"))
        let effects = script.news(read, [theirs])
        #expect(script.machine.state.outbox.items == [])
        let (disk, writes) = try #require(effects.writes)
        #expect(writes == [.notes([.removal("a")])])
        let again = script.write(disk, [.noted(hasNews: false, refused: [:])])
        #expect(
            again.needs.contains { if case .outbox(_, .news(true)) = $0 { true } else { false } })
    }

    @Test func `a disk that refuses all writes gets a pause, and then a retry (scar 65)`() throws {
        var script = Script()
        script.store("a", 1)
        let (id, effects) = script.start(.outbox(.canceling(OutboxCanceling("a"))))
        let (disk, _) = try #require(effects.writes)
        let full = Script.error(.localDatabaseError)
        let refused = script.write(disk, [.failed(full)])
        #expect(refused.finished == [id])
        #expect(refused.notices.contains(.arm(.outboxDisk, .seconds(5))))
        #expect(refused.events == ["canceled a"])
        let fired = script.give(.fired(.outboxDisk))
        let (again, writes) = try #require(fired.writes)
        #expect(writes == [.notes([.removal("a")])])
        _ = script.write(again, [.noted(hasNews: false, refused: [:])])
        #expect(script.machine.state.outbox.disk.unwritten.isEmpty)
        #expect(script.give(.fired(.outboxDisk)).needs == [])
    }

    @Test func `a refusing row holds up its own notes only, and is reported once (scar 65)`()
        throws
    {
        var script = Script()
        script.store("a", 1)
        script.store("b", 2)
        let error = Script.error(.localDatabaseError)
        let (disk, _) = try #require(
            script.start(.outbox(.canceling(OutboxCanceling("a")))).effects.writes)
        let told = script.write(disk, [.noted(hasNews: false, refused: [0: error])])
        #expect(told.events == ["unrecorded a", "canceled a"])
        let (second, writes) = try #require(
            script.start(.outbox(.canceling(OutboxCanceling("b")))).effects.writes)
        #expect(writes == [.notes([.removal("a"), .removal("b")])])
        let next = script.write(second, [.noted(hasNews: false, refused: [0: error])])
        #expect(next.events == ["canceled b"])
        #expect(script.machine.state.outbox.disk.unwritten.map(\.note) == [.removal("a")])
    }

    /// The cache's answer about a missing item, and the consequence.
    @Test(arguments: [true, false])
    func `a missing item was delivered or cancelled by another process (scar 11)`(
        isDelivered: Bool
    ) throws {
        var script = Script()
        script.store("a", 1)
        guard case .outbox(let read, .news)? = script.othersWrote().needs.first else {
            Issue.record("no read")
            return
        }
        let asked = script.news(read, [])
        #expect(asked.needs == [.read(read, .messageOfRequest("a"))])
        let found = isDelivered ? Script.message(10, request: "a") : nil
        var effects = script.read(read, .message(found))
        let (disk, writes) = try #require(effects.writes)
        #expect(writes == [.notes([.removal("a")])])
        effects = script.write(disk, [.noted(hasNews: false, refused: [:])])
        #expect(effects.events == [isDelivered ? "delivered a" : "canceled a"])
    }

    @Test func `an item stays if the cache does not know its outcome`() {
        var script = Script()
        script.store("a", 1)
        guard case .outbox(let read, .news)? = script.othersWrote().needs.first else {
            Issue.record("no read")
            return
        }
        _ = script.news(read, [])
        let effects = script.give(.reply(read, .read(.failure(Script.error(.localDatabaseError)))))
        #expect(effects.needs == [])
        #expect(script.machine.state.outbox.items.map(\.requestID) == ["a"])
        // The next report requests all items again.
        guard case .outbox(_, .news(regardless: true))? = script.othersWrote().needs.first else {
            Issue.record("no second read")
            return
        }
    }

    @Test func `items lost by damage of the file are written again`() throws {
        var script = Script()
        script.store("a", 1)
        script.store("b", 2)
        guard case .outbox(let read, .news)? = script.othersWrote().needs.first else {
            Issue.record("no read")
            return
        }
        let kept = script.item("b", 2)
        var stored = OutboxItems(items: [])
        let loss = OutboxLoss(number: 1, savedItems: [2])
        stored.loss = loss
        _ = script.give(.reply(read, .outbox(.success(.news(stored)))))
        _ = script.read(read, .message(nil))
        let mending = script.read(read, .message(nil))
        #expect(mending.needs == [.outbox(read, .mend(loss))])
        let (disk, writes) = try #require(
            script.give(.reply(read, .outbox(.success(.done)))).writes)
        // The repair had saved the second one, and another process has cancelled it since.
        #expect(writes == [.notes([.restored(script.item("a", 1)), .removal(kept.requestID)])])
        _ = script.write(disk, [.noted(hasNews: false, refused: [:])])
        #expect(script.machine.state.outbox.items.map(\.requestID) == ["a"])
    }
}

// MARK: - The outbox by hand

extension MachineScript {
    func item(_ id: RequestID, _ sequence: Int64, hasLeft: Bool = false) -> OutboxItem {
        OutboxItem(
            sequence: sequence, requestID: id, channel: Self.channel, createdAt: now,
            content: .userMessage(UserMessageParams(text: id.rawValue)),
            attemptCount: hasLeft ? 1 : 0, hasLeft: hasLeft)
    }

    mutating func send(_ text: String, as id: RequestID) -> (id: ID, effects: [Effect]) {
        let content = OutboxContent.userMessage(UserMessageParams(text: text))
        return start(.outbox(.sending(OutboxSending(content, to: Self.channel, as: id))))
    }

    /// Sends an item and stores it.
    mutating func store(_ id: RequestID, _ sequence: Int64) {
        guard let (disk, _) = send(id.rawValue, as: id).effects.writes else {
            Issue.record("no write")
            return
        }
        _ = write(disk, [.item(item(id, sequence))])
    }

    mutating func write(_ id: ID, _ results: [OutboxWritten]) -> [Effect] {
        give(.reply(id, .outbox(.success(.written(results)))))
    }

    mutating func news(_ id: ID, _ items: [OutboxItem]?) -> [Effect] {
        give(.reply(id, .outbox(.success(.news(items.map { OutboxItems(items: $0) })))))
    }

    /// Reports that another process may have written to the outbox's file.
    mutating func othersWrote() -> [Effect] { give(.outbox(.changedElsewhere)) }
}

extension [SyncMachine.Effect] {
    /// The last writes to the outbox's file among the effects.
    var writes: (SyncMachine.OperationID, [OutboxWrite])? {
        for effect in reversed() {
            if case .outbox(let id, .write(let writes)) = effect { return (id, writes) }
        }
        return nil
    }

    /// The events of the outbox in short form.
    var events: [String] {
        notices.compactMap { notice in
            guard case .outbox(let event) = notice else { return nil }
            return switch event {
            case .queued(let message): "queued \(message.requestID?.rawValue ?? "")"
            case .delivered(let message): "delivered \(message.requestID?.rawValue ?? "")"
            case .failed(let message): "failed \(message.requestID?.rawValue ?? "")"
            case .canceled(let message): "canceled \(message.requestID?.rawValue ?? "")"
            case .retried(let message): "retried \(message.requestID?.rawValue ?? "")"
            case .delayed(let message, _): "delayed \(message.requestID?.rawValue ?? "")"
            case .unrecorded(let id): "unrecorded \(id.rawValue)"
            case .changeQueued: "change queued"
            case .changeMade: "change made"
            case .changeRefused: "change refused"
            case .changeDropped: "change dropped"
            case .draftChanged(_, let draft): "draft \(draft?.text ?? "gone")"
            case .uploading: "uploading"
            case .uploaded(let id, let file): "uploaded \(file) of \(id.rawValue)"
            }
        }
    }

    /// The messages that go to the socket.
    var commands: [RequestID] {
        compactMap { effect in
            if case .send(_, .message(let command)) = effect { command.requestID } else { nil }
        }
    }

    var finished: [SyncMachine.OperationID] {
        compactMap { if case .finish(let id, _) = $0 { id } else { nil } }
    }
}

extension OutboxWrite {
    var name: String {
        switch self {
        case .append(let draft):
            "append \(draft.requestID.rawValue)\(draft.leaves ? ", leaves" : "")"
        case .keep(let draft): "keep \(draft.requestID.rawValue)"
        case .notes: "notes"
        case .reserve: "reserve"
        case .fold: "fold"
        case .requeue: "requeue"
        case .takeBack: "take back"
        }
    }
}
