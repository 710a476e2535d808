// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// What the server answered to the question what is missing (`docs/protocol` 3.9).
package struct GapAnswer: Hashable, Codable, Sendable {
    package let isHuge: Bool
    /// Of the messages it brought, from the known end on.
    package let positions: [Position]
    package let isContinuous: Bool
    package let hasMore: Bool

    package init(isHuge: Bool, positions: [Position], isContinuous: Bool, hasMore: Bool) {
        self.isHuge = isHuge
        self.positions = positions
        self.isContinuous = isContinuous
        self.hasMore = hasMore
    }
}

/// What the answer to a gap question lets us do.
package enum GapVerdict: Hashable, Codable, Sendable {
    /// More is missing than is filled silently: more than 300 messages (R113).
    case huge
    /// The answer holds everything from the known end to its own last message.
    case filled(CoveredRange, reachesNewest: Bool)
    /// Nothing is missing.
    case complete
    /// The answer proves nothing: page forward from the known end until the newest is met.
    case pageForward

    /// Judges an answer.
    ///
    /// `isDisturbed` says that counting cannot be trusted: the cache holds messages beyond a hole, or
    /// something was deleted while the question was on its way.
    package init(_ answer: GapAnswer, from known: Position, isDisturbed: Bool) {
        // A message of an absurd time is not stored, so the end of history is not known.
        let stored = answer.positions.filter { $0.createdAt.isOfMessages }
        let hasMore = answer.hasMore || stored.count < answer.positions.count
        if answer.isHuge {
            self = .huge
        } else if !answer.isContinuous {
            self = .pageForward
        } else if let newest = stored.max(), newest > known {
            self = .filled(CoveredRange(lower: known, upper: newest), reachesNewest: !hasMore)
        } else {
            self = isDisturbed || hasMore ? .pageForward : .complete
        }
    }
}
