// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

private typealias Script = MachineScript

/// The writes of another process with the same outbox, and damage to its file.
struct OutboxNewsTests {
    private static let noted = OutboxWritten.noted(hasNews: false, refused: [:])
    private static let full = Script.error(.localDatabaseError)

    private static func reaction(_ id: RequestID, _ sequence: Int64, _ target: MessageTarget)
        -> OutboxItem
    {
        var item = Script().item(id, sequence)
        item.content = .change(.addReaction("wave", target))
        return item
    }

    // MARK: Items of others

    @Test func `a message that another process wrote is shown and sent by this one`() throws {
        var script = Script.connected()
        script.showTimeline(of: 1...3)
        let read = try #require(script.othersWrote().newsRead)
        let effects = script.news(read, [script.item("b", 4)])
        #expect(script.shown() == ["1", "2", "3", "b"])
        // The app of the process that wrote it has the event.
        #expect(effects.events == [])
        let (disk, writes) = try #require(effects.writes)
        #expect(writes == [.notes([.attempt("b")])])
        #expect(script.hearNothing(script.write(disk, [Self.noted])).commands == ["b"])
    }

    @Test func `an item without changes is left alone`() throws {
        var script = Script()
        script.store("a", 1)
        let before = script.machine.state.outbox.items
        let read = try #require(script.othersWrote().newsRead)
        let effects = script.news(read, before)
        #expect(effects.needs == [] && effects.events == [])
        #expect(script.machine.state.outbox.items == before)
    }

    @Test func `a failure and a resend by another process are events here too`() throws {
        var script = Script()
        script.store("a", 1)
        var failed = script.item("a", 1)
        failed.state = .failed(.pendingError)
        let read = try #require(script.othersWrote().newsRead)
        #expect(script.news(read, [failed]).events == ["failed a"])
        let second = try #require(script.othersWrote().newsRead)
        let resent = script.item("a", 2)
        #expect(script.news(second, [resent]).events == ["retried a"])
        #expect(script.machine.state.outbox.items == [resent])
    }

    @Test(arguments: [false, true])
    func `a change that another process has made or dropped is made or dropped here too`(
        isDropped: Bool
    ) throws {
        var script = Script()
        let name = try script.queue(.addReaction("wave", .delivered(5)), 1)
        let (wait, _) = script.start(.outbox(.outcome(OutboxOutcome(name))))
        let read = try #require(script.othersWrote().newsRead)
        #expect(script.news(read, []).needs == [.outbox(read, .dropped([name]))])
        let effects = script.give(
            .reply(read, .outbox(.success(.dropped(isDropped ? [name] : [])))))
        let (disk, writes) = try #require(effects.writes)
        #expect(writes == [.notes([isDropped ? .dropped(name) : .removal(name)])])
        let end = effects + script.write(disk, [Self.noted])
        #expect(end.events == [isDropped ? "change dropped" : "change made"])
        let failure = end.lazy.compactMap { effect -> RoostError.Code? in
            guard case .finish(wait, .failed(let error)) = effect else { return nil }
            return error.code
        }.first
        #expect(failure == (isDropped ? .requestCanceled : nil))
        #expect(end.finished.contains(wait))
    }

    @Test func `a change made elsewhere during a read of the timeline needs one more read`()
        throws
    {
        var script = Script()
        script.showTimeline(of: 1...5)
        let name = try script.queue(.addReaction("wave", .delivered(5)), 1)
        // This read may be older than the other process's commit with the change.
        let missed = script.give(.missedCommits)
        let first = try #require(missed.reader)
        let written = script.othersWrote()
        let read = try #require(written.newsRead)
        let news = script.news(read, [])
        #expect(news.needs == [.outbox(read, .dropped([name]))])
        let made = script.give(.reply(read, .outbox(.success(.dropped([])))))
        #expect(made.reader == nil)
        let window = CacheWindow(
            extent: .init(lower: Script.position(1), upper: Script.position(5)),
            messages: (1...5).map { Script.message($0) },
            coverage: Coverage([
                CoveredRange(lower: Script.position(1), upper: Script.position(5))
            ]), sequence: 7)
        let shown = script.read(first, .window(window))
        #expect(shown.reader != nil)
    }

    @Test func `a change stays if the disk cannot say whether it was dropped`() throws {
        var script = Script()
        let name = try script.queue(.addReaction("wave", .delivered(5)), 1)
        let read = try #require(script.othersWrote().newsRead)
        _ = script.news(read, [])
        let effects = script.give(.reply(read, .outbox(.failure(Self.full))))
        #expect(effects.writes == nil && effects.events == [])
        #expect(script.machine.state.outbox.items.map(\.requestID) == [name])
    }

    @Test func `a refused change that another process has given up is not told as made`() throws {
        var script = Script()
        let name = try script.queue(.addReaction("wave", .delivered(5)), 1)
        var failed = try #require(script.machine.state.outbox.items.first)
        failed.state = .failed(.notAuthorized)
        let refused = try #require(script.othersWrote().newsRead)
        _ = script.news(refused, [failed])
        let read = try #require(script.othersWrote().newsRead)
        let effects = script.news(read, [])
        let (disk, writes) = try #require(effects.writes)
        #expect(writes == [.notes([.dropped(name)])])
        #expect(script.write(disk, [Self.noted]).events == ["change dropped"])
    }

    @Test func `a change that was made for its waiting message is not sent again with it`() throws {
        var script = Script()
        let opening = script.start(
            .outbox(.loading(OutboxLoading(of: User(id: "me"), files: nil)))
        ).id
        let change = Self.reaction("r", 2, .unsent("a"))
        _ = script.news(opening, [script.item("a", 1), change])
        _ = script.give(.reply(opening, .outbox(.success(.done))))
        // Another process has sent both; this one learns of the change first.
        let read = try #require(script.othersWrote().newsRead)
        _ = script.news(read, [script.item("a", 1)])
        _ = script.hearNothing(script.give(.reply(read, .outbox(.success(.dropped([]))))))
        let second = try #require(script.othersWrote().newsRead)
        _ = script.news(second, [])
        let effects = script.read(second, .message(Script.message(7, request: "a")))
        #expect(script.machine.state.outbox.items == [])
        #expect(!"\(effects)".contains("content("))
    }

    @Test(arguments: [nil, MessageID(7)])
    func `a change whose message another process has sent goes to it, if the cache has it`(
        id: MessageID?
    ) throws {
        var script = Script()
        let read = try #require(script.othersWrote().newsRead)
        let effects = script.news(read, [Self.reaction("r", 2, .unsent("a"))])
        let matching = try #require(effects.reader)
        #expect(effects.needs.contains(.read(matching, .messageOfRequest("a"))))
        let found = id.map { Script.message($0.rawValue, request: "a") }
        let end = script.read(matching, .message(found))
        let target = id.map { MessageTarget.delivered($0) } ?? .unsent("a")
        let change = OutboxContent.change(.addReaction("wave", target))
        #expect(script.machine.state.outbox.items.map(\.content) == [change])
        #expect((end.writes != nil) == (id != nil))
    }

    @Test(arguments: [UnsentState.pending, .failed(.ackTimeout)])
    func `a message that the cache has is settled, although its removal was never written`(
        state: UnsentState
    ) throws {
        var script = Script()
        let read = try #require(script.othersWrote().newsRead)
        var item = script.item("a", 1, hasLeft: true)
        item.state = state
        let effects = script.news(read, [item, script.item("b", 2)])
        let matching = try #require(effects.reader)
        #expect(effects.needs.contains(.read(matching, .messageOfRequest("a"))))
        let found = script.read(matching, .message(Script.message(7, request: "a")))
        let (disk, writes) = try #require(found.writes)
        #expect(writes == [.notes([.removal("a")])])
        #expect(script.write(disk, [Self.noted]).events == ["delivered a"])
        // The other one has never left this device, so nothing can have it.
        #expect(!found.needs.contains(.read(matching, .messageOfRequest("b"))))
        #expect(script.machine.state.outbox.items.map(\.requestID) == ["b"])
    }

    // MARK: Unreadable items

    @Test(arguments: [[], ["a"]] as [[RequestID]])
    func `an item with an unreadable row is not missing; one without a row is`(
        absent: [RequestID]
    ) throws {
        var script = Script()
        script.store("a", 1)
        let read = try #require(script.othersWrote().newsRead)
        let stored = OutboxItems(items: [], damaged: ["a"])
        let asked = script.give(.reply(read, .outbox(.success(.news(stored)))))
        #expect(asked.needs == [.outbox(read, .absent(["a"]))])
        let effects = script.give(.reply(read, .outbox(.success(.absent(absent)))))
        #expect((effects.reader != nil) == !absent.isEmpty)
        #expect(script.machine.state.outbox.items.map(\.requestID) == ["a"])
    }

    @Test func `items stay if the disk cannot say which of them have no row`() throws {
        var script = Script()
        script.store("a", 1)
        let read = try #require(script.othersWrote().newsRead)
        let stored = OutboxItems(items: [], newer: ["a"])
        _ = script.give(.reply(read, .outbox(.success(.news(stored)))))
        let effects = script.give(.reply(read, .outbox(.failure(Self.full))))
        #expect(effects.needs == [])
        #expect(script.machine.state.outbox.items.map(\.requestID) == ["a"])
        // The next report requests all items again.
        let again = script.othersWrote().needs
        #expect(again.contains { if case .outbox(_, .news(true)) = $0 { true } else { false } })
    }

    @Test func `a failed read of all items is repeated with the next reason`() throws {
        var script = Script()
        script.store("a", 1)
        let read = try #require(script.othersWrote().newsRead)
        _ = script.news(read, [])
        _ = script.give(.reply(read, .read(.failure(Self.full))))
        let second = try #require(script.othersWrote().newsRead)
        #expect(script.give(.reply(second, .outbox(.failure(Self.full)))).needs == [])
        let third = script.othersWrote().needs
        #expect(third.contains { if case .outbox(_, .news(true)) = $0 { true } else { false } })
    }

    @Test func `a missing item that is cancelled during the look-up of another is forgotten`()
        throws
    {
        var script = Script()
        script.store("a", 1)
        script.store("b", 2)
        let read = try #require(script.othersWrote().newsRead)
        #expect(script.news(read, []).needs == [.read(read, .messageOfRequest("a"))])
        _ = script.start(.outbox(.canceling(OutboxCanceling("b"))))
        let effects = script.read(read, .message(nil))
        #expect(!effects.needs.contains(.read(read, .messageOfRequest("b"))))
        #expect(script.machine.state.outbox.items == [])
    }

    @Test func `a missing item with a write behind the read is looked at again later`() throws {
        var script = Script()
        script.store("a", 1)
        let read = try #require(script.othersWrote().newsRead)
        let (_, queued) = script.edit("better", .unsent("a"))
        #expect(queued.needs == [])
        let effects = script.news(read, [])
        // The edit comes first; it shows whether the item is there.
        let (disk, writes) = try #require(effects.writes)
        #expect(writes.map(\.name) == ["fold"])
        #expect(script.texts == ["better"])
        let again = script.write(disk, [.item(nil)])
        #expect(again.newsRead != nil)
    }

    @Test func `an item that is cancelled while its delivery elsewhere is looked up is gone once`()
        throws
    {
        var script = Script()
        script.store("a", 1)
        let read = try #require(script.othersWrote().newsRead)
        _ = script.news(read, [])
        _ = script.start(.outbox(.canceling(OutboxCanceling("a"))))
        let effects = script.read(read, .message(Script.message(7, request: "a")))
        #expect(effects.events == [] && script.machine.state.outbox.items == [])
    }

    // MARK: Damage

    /// Reports a change elsewhere with a loss of items; none of them is on disk.
    private static func lose(_ script: inout Script, keeping: Set<Int64>) throws -> Script.ID {
        let read = try #require(script.othersWrote().newsRead)
        var stored = OutboxItems(items: [])
        stored.loss = OutboxLoss(number: 1, savedItems: keeping)
        _ = script.give(.reply(read, .outbox(.success(.news(stored)))))
        return read
    }

    @Test func `a message that was delivered is not written again after damage`() throws {
        var script = Script()
        script.store("a", 1)
        script.store("b", 2)
        let read = try Self.lose(&script, keeping: [])
        _ = script.read(read, .message(Script.message(7, request: "a")))
        let mending = script.read(read, .message(Script.message(8, request: "b")))
        #expect(script.machine.state.outbox.items == [])
        #expect(
            mending.needs.contains {
                if case .outbox(read, .mend) = $0 { true } else { false }
            })
    }

    @Test func `a change that the repair saved and that is missing was made elsewhere`() throws {
        var script = Script()
        let name = try script.queue(.addReaction("wave", .delivered(5)), 1)
        let read = try Self.lose(&script, keeping: [1])
        script.give(.reply(read, .outbox(.success(.dropped([])))))
        let mending = script.read(read, .message(nil))
        #expect(mending.needs.contains(.outbox(read, .mend(.init(number: 1, savedItems: [1])))))
        let (disk, writes) = try #require(
            script.give(.reply(read, .outbox(.success(.done)))).writes)
        #expect(writes == [.notes([.removal(name)])])
        #expect(script.write(disk, [Self.noted]).events == ["change made"])
    }

    @Test(arguments: [Set<Int64>(), [1]])
    func `damage is not marked as repaired while a write of a lost item waits`(
        keeping: Set<Int64>
    ) throws {
        var script = Script()
        script.store("a", 1)
        let read = try Self.lose(&script, keeping: keeping)
        _ = script.edit("better", .unsent("a"))
        let effects = script.read(read, .message(nil))
        let mends = effects.contains { if case .outbox(_, .mend) = $0 { true } else { false } }
        // An item that the repair saved has a row, so nothing is lost with it.
        #expect(mends == !keeping.isEmpty)
        #expect(script.texts == ["better"])
    }

    @Test func `after damage nothing is decided while the cache gives no answer`() throws {
        var script = Script()
        script.store("a", 1)
        let read = try Self.lose(&script, keeping: [])
        let effects = script.give(.reply(read, .read(.failure(Self.full))))
        #expect(effects.needs == [])
        #expect(script.machine.state.outbox.items.map(\.requestID) == ["a"])
    }

    @Test func `a lost item that is cancelled during the look-up is not written again`() throws {
        var script = Script()
        script.store("a", 1)
        let read = try Self.lose(&script, keeping: [])
        _ = script.start(.outbox(.canceling(OutboxCanceling("a"))))
        _ = script.read(read, .message(nil))
        let (_, writes) = try #require(
            script.give(.reply(read, .outbox(.success(.done)))).writes)
        #expect(writes == [.notes([.removal("a")])])
    }

    // MARK: The queue

    @Test func `a refused transaction fails every write in it, and the queue goes on`() throws {
        var script = Script()
        let (first, effects) = script.send("a", as: "a")
        let (second, _) = script.send("b", as: "b")
        let (disk, _) = try #require(effects.writes)
        let next = script.give(.reply(disk, .outbox(.failure(Self.full))))
        #expect(next.contains(.finish(first, .failed(Self.full))))
        let (again, writes) = try #require(next.writes)
        #expect(writes.map(\.name) == ["append b"])
        #expect(script.write(again, [.item(script.item("b", 1))]).finished == [second])
    }

    @Test func `writes behind a read wait for it, and follow in one transaction`() throws {
        var script = Script()
        let (_, effects) = script.send("a", as: "a")
        let (disk, _) = try #require(effects.writes)
        _ = script.send("b", as: "b")
        _ = script.othersWrote()
        _ = script.send("c", as: "c")
        let (second, writes) = try #require(script.write(disk, [.item(script.item("a", 1))]).writes)
        #expect(writes.map(\.name) == ["append b"])
        let reading = script.write(second, [.item(script.item("b", 2))])
        let read = try #require(reading.newsRead)
        let last = script.news(read, nil)
        #expect(last.writes?.1.map(\.name) == ["append c"])
    }

    @Test func `each transaction writes the unwritten notes at most once`() throws {
        var script = Script()
        script.store("a", 1)
        script.store("b", 2)
        let (disk, _) = try #require(script.give(.outbox(.gaveUp("a"))).writes)
        _ = script.send("c", as: "c")
        _ = script.give(.outbox(.gaveUp("b")))
        _ = script.send("d", as: "d")
        _ = script.start(.outbox(.canceling(OutboxCanceling("a"))))
        let (next, writes) = try #require(script.write(disk, [Self.noted]).writes)
        #expect(writes.map(\.name) == ["append c", "notes", "append d"])
        let results: [OutboxWritten] = [
            .item(script.item("c", 3)), Self.noted, .item(script.item("d", 4)),
        ]
        let rest = script.write(next, results)
        #expect(rest.writes?.1 == [.notes([.removal("a")])])
    }

    @Test func `a result that fits no write ends the work on the file`() throws {
        var script = Script()
        let (disk, _) = try #require(script.send("a", as: "a").effects.writes)
        _ = script.write(disk, [])
        #expect(script.machine.state.outbox.items == [])
        // The next write begins the work anew.
        #expect(script.send("b", as: "b").effects.writes?.1.map(\.name) == ["append b"])
    }
}
