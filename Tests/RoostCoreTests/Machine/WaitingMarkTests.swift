// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

private typealias Script = MachineScript

/// Waiting changes on the messages of an open timeline.
struct WaitingMarkTests {
    private static let timeline = TimelineID(1)

    private static func window(_ messages: [Message], sequence: Int64) -> CacheWindow {
        let range = CoveredRange(lower: Script.position(1), upper: Script.position(5))
        return CacheWindow(
            extent: .init(lower: range.lower, upper: range.upper), messages: messages,
            coverage: Coverage([range]), sequence: sequence)
    }

    private static func shown(_ script: MachineScript) -> [Message] {
        script.machine.state.timelines[timeline]?.messages ?? []
    }

    private static func diffs(_ effects: [Script.Effect]) -> [ListDiff<Message>] {
        effects.notices.compactMap { notice in
            if case .timelineChanged(timeline, let diff) = notice { diff } else { nil }
        }
    }

    @Test func `a waiting reaction is shown, with its mark`() throws {
        var script = Script.connected()
        script.showTimeline(of: 1...5)
        _ = try #require(try script.leave(.addReaction("wave", .delivered(5)), 1))
        let last = try #require(Self.shown(script).last)
        #expect(last.isReactionPending("wave") && !last.isReactionPending("ok"))
        #expect(last.details.reactions?.map(\.userIDs) == [["me"]])
        // The window of the cache has no mark.
        let list = script.machine.state.timelines[Self.timeline]?.list
        #expect(list?.messages.last == Script.message(5))
    }

    @Test func `a mark that goes during a read waits for the commit with its effect`() throws {
        var script = Script.connected()
        script.showTimeline(of: 1...5)
        let id = try #require(try script.leave(.addReaction("wave", .delivered(5)), 1))
        let reread = script.change { $0.satisfy(.reread, of: Self.timeline) }
        let read = try #require(reread.reader)
        let change = ReactionChange(
            key: "wave", userID: "me", isAdded: true, updatedAt: script.now)
        var effects = script.answer(id, .reaction(change))
        #expect(!effects.mutations.isEmpty)
        var after = Script.message(5)
        after.details.reactions = [
            Reaction(key: "wave", userIDs: ["me"], updatedAt: script.now)
        ]
        let range = Coverage([CoveredRange(lower: Script.position(1), upper: Script.position(5))])
        let commit = Commit(
            sequence: 8,
            changes: [
                .messages(
                    MessagesChange(
                        channel: Script.channel,
                        updated: [Update(before: Script.message(5), after: after)],
                        coverageBefore: range, coverageAfter: range))
            ])
        effects = script.give(.reply(id, .committed(.success(commit))))
        // The change is made, and the commit waits for the read.
        #expect(script.machine.state.outbox.pendingChanges(in: Script.channel).isEmpty)
        #expect(Self.diffs(effects).isEmpty)
        #expect(Self.shown(script).last?.isReactionPending("wave") == true)
        effects = script.read(
            read, .window(Self.window((1...5).map { Script.message($0) }, sequence: 7)))
        #expect(Self.shown(script).last == after)
        let states = Self.diffs(effects).flatMap(\.updated).map(\.after)
        #expect(!states.isEmpty)
        #expect(states.allSatisfy { $0.details.reactions?.map(\.key) == ["wave"] })
    }

    @Test func `a deletion that waits takes the message out, and its refusal brings it back`()
        throws
    {
        var script = Script.connected()
        script.showTimeline(of: 1...5)
        let id = try #require(try script.leave(.delete(.delivered(3)), 1))
        #expect(script.shown() == ["1", "2", "4", "5"])
        let refused = script.refuse(id, Script.error(.notAuthorized, .correctInput))
        #expect(script.shown() == ["1", "2", "3", "4", "5"])
        #expect(Self.diffs(refused).flatMap(\.inserted).map(\.messageID) == [3])
    }

    @Test func `an edit of the type takes a message out of a filter at once`() {
        let edit = PendingChange(
            id: "e", channel: Script.channel, createdAt: Timestamp(milliseconds: 1),
            action: .edit(.delivered(2), MessageEdit(customType: "other")))
        let marks = MessageMarks([edit], by: "me")
        var filter = MessageFilter()
        filter.customTypes = [""]
        let messages = [Script.message(1), Script.message(2)]
        #expect(marks.shown(messages, under: filter).map(\.messageID) == [1])
        #expect(marks.shown(messages).map(\.customType) == ["", "other"])
        let gone = MessageMarks().replaced(by: marks, in: messages, under: filter)
        #expect(gone.deleted == [messages[1]] && gone.updated.isEmpty)
        let back = marks.replaced(by: MessageMarks(), in: messages, under: filter)
        #expect(back.inserted == [messages[1]])
    }
}
