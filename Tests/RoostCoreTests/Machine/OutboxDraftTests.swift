// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

private typealias Script = MachineScript

/// Drafts whose writes overlap, are refused, or come from another process.
struct OutboxDraftTests {
    private static let place = DraftPlace(Script.channel)

    private static func item(_ draft: OutboxDraft, _ sequence: Int64) -> OutboxItem {
        OutboxItem(
            sequence: sequence, requestID: draft.requestID, channel: draft.channel,
            createdAt: draft.createdAt, content: draft.content)
    }

    private static func kept(_ writes: [OutboxWrite]) -> [OutboxDraft] {
        writes.compactMap { if case .keep(let draft) = $0 { draft } else { nil } }
    }

    @Test func `texts of one place are one item, written in the order of calls`() throws {
        var script = Script()
        let first = script.save("one")
        let (disk, writes) = try #require(first.effects.writes)
        let one = try #require(Self.kept(writes).first)
        #expect(!one.leaves && one.content == .draft(DraftContent("one")))
        // The first one is not on disk yet.
        let second = script.save("two")
        let third = script.save("")
        #expect(second.effects.writes == nil && third.effects.writes == nil)
        var effects = script.write(disk, [.item(Self.item(one, 1))])
        #expect(effects.finished == [first.id] && effects.events == ["draft one"])
        let (next, later) = try #require(effects.writes)
        let two = try #require(Self.kept(later).first)
        #expect(two.requestID == one.requestID)
        #expect(later == [.keep(two), .takeBack(one.requestID)])
        effects = script.write(next, [.item(Self.item(two, 2)), .takenBack(true)])
        #expect(Set(effects.finished) == [second.id, third.id])
        #expect(effects.events == ["draft gone"])
        #expect(script.machine.state.outbox.items.isEmpty)
        let none = script.save("")
        #expect(none.effects == [.finish(none.id, .done)])
    }

    @Test func `a text that the disk refuses is an error, and the older one stays`() throws {
        var script = Script()
        let (disk, writes) = try #require(script.save("one").effects.writes)
        let one = try #require(Self.kept(writes).first)
        _ = script.write(disk, [.item(Self.item(one, 1))])
        let second = script.save("two")
        let (next, _) = try #require(second.effects.writes)
        let error = Script.error(.localDatabaseError)
        #expect(
            script.write(next, [.failed(error)]).contains(.finish(second.id, .failed(error))))
        #expect(script.machine.state.outbox.draft(at: Self.place)?.text == "one")
        let third = script.save("")
        let (last, removals) = try #require(third.effects.writes)
        #expect(removals == [.takeBack(one.requestID)])
        #expect(
            script.write(last, [.failed(error)]).contains(.finish(third.id, .failed(error))))
        #expect(script.machine.state.outbox.draft(at: Self.place)?.text == "one")
    }

    @Test func `a sent draft is removed, but no other one that is saved or being written`() throws {
        var script = Script()
        let (disk, writes) = try #require(script.save("one").effects.writes)
        let one = try #require(Self.kept(writes).first)
        _ = script.write(disk, [.item(Self.item(one, 1))])
        let other = script.remove("two")
        #expect(other.effects == [.finish(other.id, .done)])
        let (next, _) = try #require(script.save("two").effects.writes)
        // The disk has the first text still.
        let late = script.remove("one")
        #expect(late.effects == [.finish(late.id, .done)])
        _ = script.write(next, [.failed(Script.error(.localDatabaseError))])
        let (_, removals) = try #require(script.remove("one").effects.writes)
        #expect(removals == [.takeBack(one.requestID)])
        // The removal is on its way, so there is nothing left to remove.
        let again = script.remove("one")
        #expect(again.effects == [.finish(again.id, .done)])
    }

    @Test func `the newer draft of two processes counts, until the next text`() throws {
        var script = Script()
        let (disk, writes) = try #require(script.save("one").effects.writes)
        let one = Self.item(try #require(Self.kept(writes).first), 1)
        _ = script.write(disk, [.item(one)])
        let effects = script.othersWrote()
        guard case .outbox(let read, .news)? = effects.last else { throw Script.Unexpected() }
        let theirs = OutboxItem(
            sequence: 2, requestID: "theirs", channel: Script.channel, createdAt: script.now,
            content: .draft(DraftContent("theirs")))
        #expect(script.news(read, [one, theirs]).events == ["draft theirs"])
        let (_, later) = try #require(script.save("three").effects.writes)
        #expect(later.first == .takeBack(one.requestID))
        #expect(Self.kept(later).map(\.requestID) == ["theirs"])
    }
}

extension MachineScript {
    fileprivate mutating func save(_ text: String) -> (id: ID, effects: [Effect]) {
        let drafting = OutboxDrafting(DraftContent(text), in: Self.channel)
        return start(.outbox(.drafting(drafting)))
    }

    fileprivate mutating func remove(_ sent: String) -> (id: ID, effects: [Effect]) {
        let drafting = OutboxDrafting(removing: DraftContent(sent), in: Self.channel)
        return start(.outbox(.drafting(drafting)))
    }
}
