// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A request for one page of messages.
package struct PageQuestion: Equatable, Codable, Sendable {
    /// The moment around which the page is requested; messages of this moment are always in the
    /// answer.
    package let anchor: Timestamp
    package let olderLimit: Int
    package let newerLimit: Int
    /// The end of a covered range that the page continues; its moment is the anchor.
    package let continues: Position?

    private init(anchor: Timestamp, olderLimit: Int, newerLimit: Int, continues: Position?) {
        precondition(olderLimit >= 0 && newerLimit >= 0, "A page has no negative size.")
        self.anchor = anchor
        self.olderLimit = olderLimit
        self.newerLimit = newerLimit
        self.continues = continues
    }

    /// Returns the request for the messages around a moment; `.distantFuture` requests the newest.
    package static func around(_ moment: Timestamp, older: Int, newer: Int) -> Self {
        Self(
            anchor: moment, olderLimit: older, newerLimit: moment == .distantFuture ? 0 : newer,
            continues: nil)
    }

    /// Returns the request for the newest messages.
    package static func newest(_ limit: Int) -> Self {
        .around(.distantFuture, older: limit, newer: 0)
    }

    /// Returns the request for the messages right before the older end of a covered range.
    package static func older(than position: Position, limit: Int) -> Self {
        Self(anchor: position.createdAt, olderLimit: limit, newerLimit: 0, continues: position)
    }

    /// Returns the request for the messages right after the newer end of a covered range.
    package static func newer(than position: Position, limit: Int) -> Self {
        Self(anchor: position.createdAt, olderLimit: 0, newerLimit: limit, continues: position)
    }
}

extension PageQuestion {
    /// Returns whether an answer states more than the range that this question continues.
    ///
    /// An app that pages to the end asks again as long as there is more. Without progress it would
    /// ask for ever.
    package func isAdvanced(by statement: PageStatement) -> Bool {
        guard let continues, let range = statement.range else { return true }
        guard newerLimit > 0 else { return range.lower < continues }
        return statement.reachesNewest || range.upper > continues
    }
}

/// The knowledge that a page gives for certain.
package struct PageStatement: Equatable, Codable, Sendable {
    /// The stretch without a hole; nil if the answer states none.
    package let range: CoveredRange?
    /// Whether the server stated that no newer message exists.
    package let reachesNewest: Bool

    /// Derives the statement of an answer.
    ///
    /// The positions are those of the returned messages, oldest first. `hasNewer` is the server's
    /// `has_next`, nil if it is absent. `newestKnown` is a covered position at the request: an
    /// answer that reaches the newest message reaches over it. The message there does not match the
    /// filter, or has been deleted.
    ///
    /// Messages of an impossible time are not stored. One before the epoch leaves the start of
    /// history unknown, one beyond the latest valid time the end of it.
    package init(
        question: PageQuestion, positions: [Position], hasNewer: Bool?, isContinuous: Bool,
        newestKnown: Position? = nil
    ) {
        let olderFound = positions.count { $0.createdAt < question.anchor }
        let newerFound = positions.count { $0.createdAt > question.anchor }
        // With fewer messages than requested the server states that there are no more. A full page
        // states nothing, and one more probe gives the definite end (scar 28).
        let isStartKnown = !positions.contains { $0.createdAt < .earliestOfMessages }
        let isEndKnown = !positions.contains { $0.createdAt > .latestOfMessages }
        let reachesOldest =
            question.olderLimit > 0 && olderFound < question.olderLimit && isStartKnown
        let saysNewest =
            question.anchor == .distantFuture
            || (question.newerLimit > 0 && !(hasNewer ?? (newerFound >= question.newerLimit)))
        reachesNewest = saysNewest && isEndKnown
        let positions = positions.filter { $0.createdAt.isOfMessages }
        // Messages at the anchor come with any limits, so the page meets the range it continues.
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
