// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The server's answer to the gap question (`docs/protocol` 3.9).
package struct GapAnswer: Equatable, Sendable {
    package let isHuge: Bool
    /// The positions of the messages in the answer, from the covered end on.
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

/// The consequence of an answer to a gap question.
package enum GapVerdict: Equatable, Codable, Sendable {
    /// More messages are missing than are filled in silently: more than 300 (R113).
    case huge
    /// The answer has every message from the covered end to its own last message.
    case filled(CoveredRange, reachesNewest: Bool)
    /// No message is missing.
    case complete
    /// The answer proves nothing: fetch pages from the covered end until the newest message is
    /// reached.
    case pageForward

    /// Judges an answer.
    ///
    /// `hasKnowledgeAbove` is whether the cache has messages beyond a hole, which the server counts
    /// as missing. `hasDeletions` is whether a message was deleted while the question was in
    /// flight. Both make a count worthless.
    package init(
        _ answer: GapAnswer, above range: CoveredRange, hasKnowledgeAbove: Bool,
        hasDeletions: Bool
    ) {
        // A message of an impossible time is not stored, so the end of history is unknown.
        let stored = answer.positions.filter { $0.createdAt.isOfMessages }
        let hasMore = answer.hasMore || stored.count < answer.positions.count
        let known = range.upper
        if answer.isHuge {
            // The server subtracts the cached messages of the covered end's moment. If the range
            // begins within that moment, it counts the earlier ones of the moment as missing.
            let moment = Position(createdAt: known.createdAt, messageID: MessageID(.min))
            self = range.lower <= moment && !hasKnowledgeAbove ? .huge : .pageForward
        } else if !answer.isContinuous {
            self = .pageForward
        } else if let newest = stored.max(), newest > known {
            self = .filled(CoveredRange(lower: known, upper: newest), reachesNewest: !hasMore)
        } else {
            let isDisturbed = hasKnowledgeAbove || hasDeletions
            self = isDisturbed || hasMore ? .pageForward : .complete
        }
    }
}
