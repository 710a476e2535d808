// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

struct MutationTests {
    private static let message = Message(
        delivery: .delivered(1, nil), channelURL: "c", createdAt: Timestamp(milliseconds: 1),
        content: .user(text: ""))
    private static let position = Position(createdAt: Timestamp(milliseconds: 1), messageID: 1)
    private static let range = CoveredRange(lower: position, upper: position)
    private static let moment = Timestamp(milliseconds: 1)
    private static let reaction = ReactionChange(
        key: "k", userID: "u", isAdded: true, updatedAt: moment)

    /// Each mutation about channel `c`, and whether it changes its messages.
    private static let table: [(Mutation, ofMessages: Bool)] = [
        (.removeChannel("c"), true), (.messages("c", [], covering: nil), true),
        (.deleted("c", []), true), (.clearMessages("c"), true),
        (.historyCut("c", through: moment), true), (.evicted("c", through: moment), true),
        (.unreadable("c"), true), (.forgotten("c", range), true),
        (.reacted("c", 1, reaction), true), (.replied("c", 1, ThreadInfo(replyCount: 1)), true),
        (.liveMessage(message, predecessor: nil), true), (.edited(message), true),
        (
            .channels([GroupChannel(url: "c", createdAt: moment)]), false
        ), (.channelNews("c", .frozen(true)), false), (.accessed("c", at: moment), false),
        (.pinned("c", true), false), (.cursor(.messageChanges("c"), .token("t")), false),
        (.firstCursor(.messageChanges("c"), .token("t")), false),
        (.removeCursor(.messageChanges("c")), false),
    ]

    @Test(arguments: table.indices)
    func `a mutation names the channel that it concerns`(_ index: Int) {
        let (mutation, isOfMessages) = Self.table[index]
        #expect(mutation.channelOfMessages == (isOfMessages ? "c" : nil))
        #expect(mutation.concerns("c"))
        #expect(!mutation.concerns("d"))
    }

    @Test(arguments: [
        Mutation.clearAll, .users([]), .cursor(.channelFill, .listEnd),
        .removeCursor(.channelChanges),
    ])
    func `a mutation of everything concerns no channel by itself`(_ mutation: Mutation) {
        #expect(mutation.channelOfMessages == nil && !mutation.concerns("c"))
    }
}
