// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

private typealias Script = MachineScript

/// Changes that meet another process, a refusing disk, or the end of their message.
struct OutboxEditingTests {
    private static let noted = OutboxWritten.noted(hasNews: false, refused: [:])
    private static let full = Script.error(.localDatabaseError)

    // MARK: Edits

    private static let edit = MessageEdit(
        text: "t", data: "d", customType: "k", mention: Mention(kind: .channel))

    private static let texts = UserMessageParams(text: "t", data: "d", customType: "k")

    /// The content, an edit, and the content with the edit.
    private static let merges: [(OutboxContent, MessageEdit, OutboxContent)] = [
        (
            .userMessage(UserMessageParams(text: "a", data: "b")), edit,
            .userMessage(with(texts) { $0.mention = Mention(kind: .channel) })
        ),
        (
            .userMessage(UserMessageParams(text: "a", data: "b")), MessageEdit(customType: "k"),
            .userMessage(UserMessageParams(text: "a", data: "b", customType: "k"))
        ),
        (
            .fileMessage(FileMessageParams(files: [], caption: "a"), copies: []), edit,
            .fileMessage(
                with(FileMessageParams(files: [], caption: "t", data: "d", customType: "k")) {
                    $0.mention = Mention(kind: .channel)
                }, copies: [])
        ),
        (
            .fileMessage(FileMessageParams(files: [], caption: "a"), copies: []), MessageEdit(),
            .fileMessage(FileMessageParams(files: [], caption: "a"), copies: [])
        ),
        (
            .change(.edit(.delivered(5), MessageEdit(text: "a", data: "b"))),
            MessageEdit(text: "t"),
            .change(.edit(.delivered(5), MessageEdit(text: "t", data: "b")))
        ),
        (.change(.delete(.delivered(5))), edit, .change(.delete(.delivered(5)))),
    ]

    private static func with<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
        var value = value
        change(&value)
        return value
    }

    @Test(arguments: merges.indices)
    func `an edit replaces the parts that it has and leaves the others`(_ index: Int) {
        let (before, edit, after) = Self.merges[index]
        #expect(before.applying(edit) == after)
    }

    @Test func `an edit after a refused one of the same message is a change of its own`() throws {
        var script = Script()
        let first = try script.queue(.edit(.delivered(5), MessageEdit(text: "one")), 1)
        try script.fail(first)
        let (_, effects) = script.edit("two", .delivered(5))
        guard case .append(let draft)? = effects.writes?.1.first else {
            Issue.record("nothing is queued: \(effects)")
            return
        }
        #expect(draft.content == .change(.edit(.delivered(5), MessageEdit(text: "two"))))
    }

    @Test func `an edit waits for the notes of its message, so that none undoes it`() throws {
        var script = Script()
        script.store("a", 1)
        let (id, disk) = try script.editBehindNotes("a")
        let (notes, _) = try #require(script.write(disk, [Self.noted]).writes)
        let (fold, writes) = try #require(script.write(notes, [Self.noted]).writes)
        #expect(writes == [.fold(MessageEdit(text: "better"), into: "a", at: script.now)])
        var stored = script.item("a", 1)
        stored.content = .userMessage(UserMessageParams(text: "better"))
        #expect(script.write(fold, [.item(stored)]).finished == [id])
    }

    @Test func `an edit fails if the disk refuses the notes before it`() throws {
        var script = Script()
        script.store("a", 1)
        let (id, disk) = try script.editBehindNotes("a")
        let (notes, _) = try #require(script.write(disk, [.failed(Self.full)]).writes)
        let effects = script.write(notes, [.failed(Self.full)])
        #expect(effects.contains(.finish(id, .failed(Self.full))))
        #expect(script.texts == ["a", "y"])
    }

    @Test func `an edit of a message with a damaged row fails`() throws {
        var script = Script()
        script.store("a", 1)
        try script.refuse("a")
        let (id, effects) = script.edit("better", .unsent("a"))
        #expect(effects.last == .finish(id, .failed(Self.full)))
        #expect(script.texts == ["a"])
    }

    @Test func `an edit of a message that leaves before the write is queued behind it`() throws {
        var script = Script.connected()
        let catchUp = try WalkScript.catchUp(&script, of: Script.channel)
        script.store("a", 1)
        let (_, disk) = try script.editBehindNotes("a")
        // The message leaves at the end of the catch-up, before the edit could be merged.
        _ = script.read(catchUp, .cursor(nil))
        let effects = script.hearNothing(script.write(disk, [Self.noted]))
        let targets = effects.drafts.map(\.content)
        #expect(targets == [.change(.edit(.unsent("a"), MessageEdit(text: "better")))])
    }

    @Test func `a second edit is queued by itself if another process has sent the first`() throws {
        var script = Script()
        _ = try script.queue(.edit(.delivered(5), MessageEdit(text: "one")), 1)
        let (_, effects) = script.act(.edit(.delivered(5), MessageEdit(text: "two")))
        let (disk, writes) = try #require(effects.writes)
        #expect(writes.map(\.name) == ["fold"])
        let next = script.write(disk, [.item(nil)])
        #expect(
            next.drafts.map(\.content)
                == [.change(.edit(.delivered(5), MessageEdit(text: "two")))])
    }

    @Test func `a reaction between two edits of a message does not keep them apart`() throws {
        var script = Script()
        _ = try script.queue(.edit(.delivered(5), MessageEdit(text: "one")), 1)
        _ = try script.queue(.addReaction("wave", .delivered(5)), 2)
        _ = try script.queue(.edit(.delivered(6), MessageEdit(text: "other")), 3)
        let (_, effects) = script.act(.edit(.delivered(5), MessageEdit(text: "two")))
        #expect(effects.writes?.1.map(\.name) == ["fold"])
    }

    @Test func `a result that fits no write ends the call`() throws {
        for action in [
            PendingChange.Action.edit(.unsent("a"), MessageEdit(text: "b")), .delete(.unsent("a")),
        ] {
            var script = Script()
            script.store("a", 1)
            let (id, effects) = script.act(action)
            let (disk, _) = try #require(effects.writes)
            let end = script.write(disk, [.place(3)])
            #expect(end.last == .finish(id, .failed(.outOfStep)))
            #expect(script.texts.count == 1)
        }
    }

    // MARK: Deletions

    @Test func `an unsent message that another process has sent is deleted at the server`() throws {
        var script = Script()
        script.store("a", 1)
        let (id, effects) = script.act(.delete(.unsent("a")))
        let (disk, _) = try #require(effects.writes)
        let read = try #require(script.write(disk, [.takenBack(false)]).newsRead)
        _ = script.news(read, [])
        let next = script.hearNothing(script.read(read, .message(Script.message(7, request: "a"))))
        #expect(next.needs.contains(.read(id, .messageOfRequest("a"))))
        let queued = script.read(id, .message(Script.message(7, request: "a")))
        #expect(queued.drafts.map(\.content) == [.change(.delete(.delivered(7)))])
    }

    @Test func `a message whose catch-up ends while it is being deleted does not leave`() throws {
        var script = Script.connected()
        let catchUp = try WalkScript.catchUp(&script, of: Script.channel)
        script.store("a", 1)
        let (_, effects) = script.act(.delete(.unsent("a")))
        let (disk, _) = try #require(effects.writes)
        _ = script.read(catchUp, .cursor(nil))
        let heard = script.hearNothing(script.write(disk, [.takenBack(true)]))
        #expect(heard.drafts.isEmpty && heard.commands.isEmpty && script.texts.isEmpty)
    }

    /// Deletes a message in flight until the deletion is queued.
    private static func deleteInFlight(_ script: inout Script) throws -> (
        id: Script.ID, effects: [Script.Effect]
    ) {
        let leaving = try #require(try script.leave("a", 1))
        script.give(.reply(leaving, .sent(nil)))
        let (id, effects) = script.act(.delete(.unsent("a")))
        let (disk, _) = try #require(effects.writes)
        let draft = try #require(effects.drafts.first)
        var item = script.item(draft.requestID, 2)
        item.content = draft.content
        return (id, script.write(disk, [.item(item)]))
    }

    @Test(arguments: [true, false])
    func `a message in flight leaves the screen when it is deleted, and is deleted at the server`(
        isDelivered: Bool
    ) throws {
        var script = Script.connected()
        let (id, effects) = try Self.deleteInFlight(&script)
        let name = try #require(script.machine.state.outbox.items.last?.requestID)
        #expect(script.texts == [])
        let (disk, writes) = try #require(effects.writes)
        #expect(writes == [.notes([.removal("a")])])
        let finding = script.write(disk, [Self.noted])
        #expect(finding.events == ["canceled a"])
        // The message may have been delivered during the write.
        #expect(finding.needs == [.read(id, .messageOfRequest("a"))])
        let found = isDelivered ? Script.message(7, request: "a") : nil
        let end = script.read(id, .message(found))
        #expect(end.contains(.finish(id, .request(name))))
        let aimed = OutboxContent.change(.delete(.delivered(7)))
        #expect(
            (script.machine.state.outbox.items.map(\.content) == [aimed]) == isDelivered)
    }

    @Test func `a change of an unsent message waits for it, and goes to it with its ID`() throws {
        let actions: [(PendingChange.Action, PendingChange.Action)] = [
            (.addReaction("wave", .unsent("a")), .addReaction("wave", .delivered(7))),
            (.removeReaction("wave", .unsent("a")), .removeReaction("wave", .delivered(7))),
            (.delete(.unsent("a")), .delete(.delivered(7))),
            (
                .edit(.unsent("a"), MessageEdit(text: "b")),
                .edit(.delivered(7), MessageEdit(text: "b"))
            ),
        ]
        for (action, aimed) in actions {
            var script = Script()
            let opening = script.start(
                .outbox(.loading(OutboxLoading(of: User(id: "me"), files: nil)))
            ).id
            var change = script.item("x", 2)
            change.content = .change(action)
            _ = script.news(opening, [script.item("a", 1, hasLeft: true), change])
            _ = script.give(.reply(opening, .outbox(.success(.done))))
            let read = try #require(script.othersWrote().newsRead)
            _ = script.news(read, [change])
            let effects = script.read(read, .message(Script.message(7, request: "a")))
            let (_, writes) = try #require(effects.writes)
            #expect(
                writes == [
                    .notes([
                        .removal("a"), .content("x", Script.channel, .change(aimed)),
                    ])
                ])
        }
        let mark = PendingChange.Action.markAsRead(through: Script.loginAt)
        #expect(mark.target == nil)
    }

    @Test func `a reaction to an unsent message is queued behind it`() throws {
        var script = Script()
        script.store("a", 1)
        let (_, effects) = script.act(.addReaction("wave", .unsent("a")))
        #expect(effects.drafts.map(\.content) == [.change(.addReaction("wave", .unsent("a")))])
        #expect(effects.drafts.map(\.leaves) == [false])
    }

    @Test(arguments: [false, true])
    func `a failed message is removed, and one that was sent again is not`(
        isFailed: Bool
    ) throws {
        var script = Script()
        script.store("a", 1)
        if isFailed {
            let (disk, _) = try #require(script.give(.outbox(.gaveUp("a"))).writes)
            _ = script.write(disk, [Self.noted])
        }
        let channels: [ChannelURL] = ["elsewhere", Script.channel]
        for channel in channels {
            let canceling = OutboxCanceling("a", onlyIfFailedIn: channel)
            let (id, effects) = script.start(.outbox(.canceling(canceling)))
            let removes = isFailed && channel == Script.channel
            #expect(effects.writes?.1 == (removes ? [.notes([.removal("a")])] : nil))
            #expect(effects.finished.contains(id) == !removes)
        }
    }

    @Test func `changes of a message that is cancelled before it leaves are dropped with it`()
        throws
    {
        var script = Script()
        script.store("a", 1)
        let (disk, _) = try #require(script.act(.addReaction("wave", .unsent("a"))).effects.writes)
        var item = script.item("r", 2)
        item.content = .change(.addReaction("wave", .unsent("a")))
        _ = script.write(disk, [.item(item)])
        let (wait, _) = script.start(.outbox(.outcome(OutboxOutcome("r"))))
        let effects = script.start(.outbox(.canceling(OutboxCanceling("a")))).effects
        let (removal, writes) = try #require(effects.writes)
        #expect(writes == [.notes([.removal("a"), .dropped("r")])])
        let end = script.write(removal, [Self.noted])
        #expect(end.events == ["change dropped", "canceled a"])
        #expect(end.finished.contains(wait))
        #expect(script.machine.state.outbox.items == [])
    }
}

extension MachineScript {
    /// Edits an unsent message while the notes of another item are being written.
    ///
    /// - Returns: The call, and the write of the notes.
    fileprivate mutating func editBehindNotes(_ id: RequestID) throws -> (call: ID, disk: ID) {
        store("y", 90)
        let (disk, _) = try #require(give(.outbox(.gaveUp("y"))).writes)
        let (call, effects) = edit("better", .unsent(id))
        #expect(effects.needs == [])
        return (call, disk)
    }

    /// Has the disk refuse the notes of an item, and of no other.
    fileprivate mutating func refuse(_ id: RequestID) throws {
        let (disk, _) = try #require(give(.outbox(.gaveUp(id))).writes)
        let refused = OutboxWritten.noted(
            hasNews: false, refused: [0: Self.error(.localDatabaseError)])
        _ = write(disk, [refused])
    }

    /// Answers all reads and notes among the effects; no other process has written.
    ///
    /// - Returns: These effects and the ones that followed.
    mutating func hearNothing(_ effects: [Effect]) -> [Effect] {
        var (all, last) = (effects, effects)
        for _ in 1...10 {
            if let read = last.newsRead {
                last = news(read, nil)
            } else if let (disk, writes) = last.writes, case .notes? = writes.first,
                writes.count == 1
            {
                last = write(disk, [.noted(hasNews: false, refused: [:])])
            } else {
                return all
            }
            all += last
        }
        return all
    }
}
