// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// What was asked for in one page of messages, as far as it decides what the answer states.
package struct PageQuestion: Hashable, Sendable {
    /// The moment asked around; messages at it are always part of the answer.
    package let anchor: Timestamp
    package let olderLimit: Int
    package let newerLimit: Int

    package init(anchor: Timestamp, olderLimit: Int, newerLimit: Int) {
        precondition(olderLimit >= 0 && newerLimit >= 0, "A page has no negative size.")
        self.anchor = anchor
        self.olderLimit = olderLimit
        self.newerLimit = newerLimit
    }

    /// The newest messages.
    package static func newest(limit: Int) -> PageQuestion {
        PageQuestion(anchor: .distantFuture, olderLimit: limit, newerLimit: 0)
    }
}

/// What the server's answer to a page lets us know for certain.
package struct PageStatement: Hashable, Sendable {
    /// The stretch without a hole; nil when the answer states none.
    package let range: CoveredRange?
    /// Whether the server said that nothing newer exists.
    package let reachesNewest: Bool

    /// Reads the statement off an answer.
    ///
    /// The positions are those of the returned messages, oldest first; `hasNewer` is the server's
    /// `has_next`, nil when it did not say.
    package init(
        question: PageQuestion, positions: [Position], hasNewer: Bool?, isContinuous: Bool
    ) {
        let olderFound = positions.count { $0.createdAt < question.anchor }
        let newerFound = positions.count { $0.createdAt > question.anchor }
        // Fewer than asked for is the server saying that there are no more; a full page says nothing,
        // and one more probe gives the definite end (scar 28).
        let reachesOldest = question.olderLimit > 0 && olderFound < question.olderLimit
        let asksForNewest = question.anchor == .distantFuture
        reachesNewest =
            asksForNewest
            || (question.newerLimit > 0 && !(hasNewer ?? (newerFound >= question.newerLimit)))
        guard isContinuous else {
            range = nil
            return
        }
        // Messages at the anchor itself come whatever the limits, so a side that was not asked for
        // is complete from the anchor on.
        let atAnchor = Position(createdAt: question.anchor, messageID: MessageID(.min))
        var lower = positions.first
        if question.olderLimit == 0, !asksForNewest { lower = min(lower ?? atAnchor, atAnchor) }
        if reachesOldest { lower = .distantPast }
        guard let lower else {
            range = nil
            return
        }
        range = CoveredRange(lower: lower, upper: max(lower, positions.last ?? lower))
    }
}
