// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The question whether messages are missing after what a timeline shows (`protocol.md` 3.9).
package struct GapQuestion: Hashable, Sendable {
    package let start: Timestamp
    package let end: Timestamp
    /// Messages the cache holds from `start` to `end`, both included.
    package let cachedCount: Int

    package init(start: Timestamp, end: Timestamp, cachedCount: Int) {
        self.start = start
        self.end = end
        self.cachedCount = cachedCount
    }
}

/// How a timeline gets from what it knows to the newest message.
package enum CatchUpStep: Hashable, Sendable {
    /// Nothing is known yet: ask for the newest messages.
    case loadNewest
    /// Ask what is missing from the end of what is known.
    case checkGap(from: Position)

    /// The step for a timeline that follows the newest end.
    package init(extent: CacheWindow.Extent?) {
        // The start of an empty history is a place without a moment: there is nothing to count from.
        guard let extent, extent.upper != .distantPast else {
            self = .loadNewest
            return
        }
        self = .checkGap(from: extent.upper)
    }
}

/// What the answer to a gap question lets us do.
package enum GapVerdict: Hashable, Sendable {
    /// More is missing than is filled silently: more than 300 messages (R113).
    case huge
    /// The answer holds everything from the known end to the newest message.
    case filled(CoveredRange)
    /// Nothing is missing.
    case complete
    /// The counts agree, yet the cache holds messages beyond a hole: page forward until they meet.
    case pageForward

    package init(
        from known: Position, isHuge: Bool, positions: [Position], hasKnowledgeAbove: Bool
    ) {
        if isHuge {
            self = .huge
        } else if let newest = positions.last, newest > known {
            self = .filled(CoveredRange(lower: known, upper: newest))
        } else {
            self = hasKnowledgeAbove ? .pageForward : .complete
        }
    }
}
