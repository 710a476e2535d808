// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// What is asked for in one page of messages.
package struct PageQuestion: Hashable, Codable, Sendable {
    /// The moment asked around; messages at it are always part of the answer.
    package let anchor: Timestamp
    package let olderLimit: Int
    package let newerLimit: Int
    /// The end of a known range that the page continues; its moment is the anchor.
    package let continues: Position?

    private init(anchor: Timestamp, olderLimit: Int, newerLimit: Int, continues: Position?) {
        precondition(olderLimit >= 0 && newerLimit >= 0, "A page has no negative size.")
        self.anchor = anchor
        self.olderLimit = olderLimit
        self.newerLimit = newerLimit
        self.continues = continues
    }

    /// The messages around a moment; `.distantFuture` asks for the newest.
    package static func around(_ moment: Timestamp, older: Int, newer: Int) -> Self {
        Self(
            anchor: moment, olderLimit: older, newerLimit: moment == .distantFuture ? 0 : newer,
            continues: nil)
    }

    /// The messages right before the older end of a known range.
    package static func older(than position: Position, limit: Int) -> Self {
        Self(anchor: position.createdAt, olderLimit: limit, newerLimit: 0, continues: position)
    }

    /// The messages right after the newer end of a known range.
    package static func newer(than position: Position, limit: Int) -> Self {
        Self(anchor: position.createdAt, olderLimit: 0, newerLimit: limit, continues: position)
    }
}

/// What the server's answer to a page lets us know for certain.
package struct PageStatement: Hashable, Codable, Sendable {
    /// The stretch without a hole; nil when the answer states none.
    package let range: CoveredRange?
    /// Whether the server said that nothing newer exists.
    package let reachesNewest: Bool

    /// Reads the statement off an answer.
    ///
    /// The positions are those of the returned messages, oldest first; `hasNewer` is the server's
    /// `has_next`, nil when it did not say. `newestKnown` is the newest place that was known to hold a message
    /// when a page under a filter was asked for: an answer that reaches the newest message reaches over it,
    /// whether or not the message there matches.
    ///
    /// Messages of an absurd time are not stored. One before the epoch leaves the start of history unknown, one
    /// beyond the latest possible time the end of it.
    package init(
        question: PageQuestion, positions: [Position], hasNewer: Bool?, isContinuous: Bool,
        newestKnown: Position? = nil
    ) {
        let olderFound = positions.count { $0.createdAt < question.anchor }
        let newerFound = positions.count { $0.createdAt > question.anchor }
        // Fewer than asked for is the server saying that there are no more; a full page says nothing,
        // and one more probe gives the definite end (scar 28).
        let isStartKnown = !positions.contains { $0.createdAt < .earliestOfMessages }
        let isEndKnown = !positions.contains { $0.createdAt > .latestOfMessages }
        let reachesOldest =
            question.olderLimit > 0 && olderFound < question.olderLimit && isStartKnown
        let saysNewest =
            question.anchor == .distantFuture
            || (question.newerLimit > 0 && !(hasNewer ?? (newerFound >= question.newerLimit)))
        reachesNewest = saysNewest && isEndKnown
        let positions = positions.filter { $0.createdAt.isOfMessages }
        // Messages at the anchor come whatever the limits, so the page meets the range it continues.
        let known = question.continues.map { [$0] } ?? []
        var lower = (positions + known).min()
        if reachesOldest { lower = .distantPast }
        guard isContinuous, let lower else {
            range = nil
            return
        }
        var upper = (positions + known).max() ?? lower
        if reachesNewest, let newestKnown { upper = max(upper, newestKnown) }
        range = CoveredRange(lower: lower, upper: max(lower, upper))
    }
}
