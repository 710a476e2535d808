// SPDX-License-Identifier: Apache-2.0

package import RoostModel

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
