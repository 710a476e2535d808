// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

struct DetailMergingTests {
    private func change(
        _ user: UserID, _ isAdded: Bool, at moment: Int64, key: String = "k"
    ) -> ReactionChange {
        ReactionChange(
            key: key, userID: user, isAdded: isAdded, updatedAt: Timestamp(milliseconds: moment))
    }

    private func thread(_ count: Int, at moment: Int64?) -> ThreadInfo {
        var thread = ThreadInfo(replyCount: count)
        thread.updatedAt = moment.map { Timestamp(milliseconds: $0) }
        return thread
    }

    @Test
    func `reactions are added and removed, and an unused emoji goes with the last of them`() {
        var reactions: [Reaction] = []
        reactions = reactions.applying(change("a", true, at: 1))
        reactions = reactions.applying(change("b", true, at: 2))
        reactions = reactions.applying(change("b", true, at: 2))
        #expect(reactions.map(\.userIDs) == [["a", "b"]])
        #expect(reactions[0].updatedAt == Timestamp(milliseconds: 2))
        reactions = reactions.applying(change("a", false, at: 1))
        #expect(reactions.map(\.userIDs) == [["a", "b"]])
        reactions = reactions.applying(change("a", false, at: 3))
        reactions = reactions.applying(change("b", false, at: 3))
        #expect(reactions.isEmpty)
    }

    @Test func `an event that an own answer has overtaken is applied (scar 115)`() {
        let known = [Reaction(key: "k", userIDs: ["b"], updatedAt: Timestamp(milliseconds: 4))]
        let answered = known.applying(change("a", true, at: 6))
        var answers = AnsweredReactions()
        func turn(_ change: ReactionChange, of id: MessageID) -> AnsweredReactions.Turn {
            answers.receive(change, of: id)
        }
        answers.note(change("a", true, at: 6), to: 1)
        answers.note(Self.commit(from: known, to: answered), of: change("a", true, at: 6), to: 1)

        let removal = change("b", false, at: 5)
        #expect(answered.applying(removal).map(\.userIDs) == [["b", "a"]])
        #expect(turn(removal, of: 1) == .late)
        #expect(answered.applying(removal, isLate: true).map(\.userIDs) == [["a"]])

        // Repeated events, and those of other messages and emojis, are not late.
        #expect(turn(change("b", true, at: 3), of: 1) == .next)
        // A later change of the user is known.
        #expect(turn(change("a", false, at: 5), of: 1) == .overtaken)
        #expect(turn(removal, of: 2) == .next)
        #expect(turn(change("b", false, at: 5, key: "l"), of: 1) == .next)
        // The event of the answered reaction ends the record.
        #expect(turn(change("a", true, at: 6), of: 1) == .next)
        #expect(turn(removal, of: 1) == .next)
        #expect(answers == AnsweredReactions())
    }

    @Test func `an event from before the known state of an emoji is a repeated one`() {
        let known = [Reaction(key: "k", userIDs: ["b"], updatedAt: Timestamp(milliseconds: 4))]
        let own = change("a", true, at: 6)
        var answers = AnsweredReactions()
        func turn(_ change: ReactionChange, of id: MessageID) -> AnsweredReactions.Turn {
            answers.receive(change, of: id)
        }
        answers.note(own, to: 1)
        answers.note(Self.commit(from: known, to: known.applying(own)), of: own, to: 1)
        #expect(turn(change("b", false, at: 3), of: 1) == .next)
        #expect(turn(change("b", false, at: 4), of: 1) == .late)
    }

    private static func commit(from before: [Reaction], to after: [Reaction]) -> Commit {
        func message(_ reactions: [Reaction]) -> Message {
            var message = MachineScript.message(1)
            message.details.reactions = reactions
            return message
        }
        let change = MessagesChange(
            channel: MachineScript.channel,
            updated: [Update(before: message(before), after: message(after))],
            coverageBefore: Coverage(), coverageAfter: Coverage())
        return Commit(sequence: 1, changes: [.messages(change)])
    }

    @Test
    func `a late event does not undo a newer one of the same user and emoji`() {
        var times = ReactionTimes()
        let isNews = [
            times.admits(change("a", false, at: 5)), times.admits(change("a", true, at: 4)),
            times.admits(change("a", true, at: 5)), times.admits(change("b", true, at: 1)),
            times.admits(change("a", true, at: 1, key: "other")),
        ]
        #expect(isNews == [true, false, true, true, true])
    }

    @Test
    func `thread info gives way to one that is as new or newer`() {
        #expect(thread(1, at: 5).merged(with: thread(2, at: 5)).replyCount == 2)
        #expect(thread(1, at: 5).merged(with: thread(2, at: 4)).replyCount == 1)
        #expect(thread(1, at: 5).merged(with: thread(2, at: nil)).replyCount == 1)
    }

    @Test
    func `a copy without reactions keeps them, one with an empty list removes them (scar 78)`() {
        var known = MessageDetails()
        known.reactions = [
            Reaction(key: "k", userIDs: ["a"], updatedAt: Timestamp(milliseconds: 1))
        ]
        known.threadInfo = thread(3, at: 9)
        var silent = MessageDetails()
        silent.threadInfo = thread(2, at: 8)
        silent.complete(from: known)
        #expect(silent == known)
        var none = MessageDetails()
        none.reactions = []
        none.complete(from: known)
        #expect(none.reactions == [])
        #expect(none.threadInfo == known.threadInfo)
    }

    @Test(arguments: [false, true])
    func `the copy edited later wins, whichever came first (scar 119)`(_ comesLast: Bool) {
        func copy(_ text: String, at moment: Int64?, _ request: RequestID?) -> Message {
            var message = Message(
                delivery: .delivered(7, request), channelURL: "c",
                createdAt: Timestamp(milliseconds: 1), content: .user(text: text))
            message.updatedAt = moment.map { Timestamp(milliseconds: $0) }
            return message
        }
        var first = copy("first", at: nil, "r")
        first.sender = Sender(user: User(id: "bob"))
        let edited = copy("edited", at: 5, nil)
        let merged = comesLast ? first.merged(with: edited) : edited.merged(with: first)
        #expect(merged.content == .user(text: "edited"))
        // The newer copy keeps the properties that it lacks.
        #expect(merged.requestID == "r" && merged.sender == first.sender)
        // A translation has no time of its own, so the copy that came last wins (scar 118).
        let translated = copy("translated", at: 5, nil)
        #expect(edited.merged(with: translated).content == translated.content)
    }
}
