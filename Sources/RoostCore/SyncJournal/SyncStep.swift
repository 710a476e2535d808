// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// One input of a client, with all data for the decision; no content, no names.
///
/// Channels have numbers that mean nothing outside the journal.
package enum SyncStep: Hashable, Codable, Sendable {
    /// A call of the app.
    case asked(String, channel: Int?)
    case link(LinkMachine.Input, entropy: UInt64)
    /// A received frame.
    case frame(String, channel: Int?)
    /// The answer to a call or the code of its failure, and its duration.
    case call(String, failure: RoostError.Code?, milliseconds: Int64)
    /// A timeline decides on its next request.
    case sync(channel: Int, SyncQuestion)
    /// The answer to a request for a page.
    case page(channel: Int, PageAnswer)
    /// The answer to a gap question.
    case gap(channel: Int, GapAnswer, from: Position, isDisturbed: Bool)
    case outbox(OutboxMachine.Input)
    case commit(sequence: Int64, ChangeOrigin, CommitSize)
}

/// The inputs of a decision of `TimelineSync`.
package struct SyncQuestion: Hashable, Codable, Sendable {
    package let occasion: TimelineSync.Occasion
    package let wasLoaded: Bool
    package let opening: PageQuestion
    package let followsNewest: Bool
    package let knownEnd: Position?

    package init(
        _ occasion: TimelineSync.Occasion, wasLoaded: Bool, opening: PageQuestion,
        followsNewest: Bool, knownEnd: Position?
    ) {
        self.occasion = occasion
        self.wasLoaded = wasLoaded
        self.opening = opening
        self.followsNewest = followsNewest
        self.knownEnd = knownEnd
    }
}

/// The inputs of a `PageStatement`.
package struct PageAnswer: Hashable, Codable, Sendable {
    package let question: PageQuestion
    /// The positions of the received messages, oldest first.
    package let positions: [Position]
    package let hasNewer: Bool?
    package let isContinuous: Bool
    package let newestKnown: Position?

    package init(
        _ question: PageQuestion, positions: [Position], hasNewer: Bool?, isContinuous: Bool,
        newestKnown: Position? = nil
    ) {
        self.question = question
        self.positions = positions
        self.hasNewer = hasNewer
        self.isContinuous = isContinuous
        self.newestKnown = newestKnown
    }
}

/// The number of changes of one transaction.
package struct CommitSize: Hashable, Codable, Sendable {
    package private(set) var inserted = 0
    package private(set) var updated = 0
    package private(set) var deleted = 0
    package private(set) var channels = 0
    package private(set) var users = 0

    package init(_ commit: Commit) {
        for change in commit.changes {
            switch change {
            case .messages(let change):
                inserted += change.inserted.count
                updated += change.updated.count
                deleted += change.deleted.count
            case .channels(let change):
                channels += change.inserted.count + change.updated.count + change.deleted.count
            case .users(let updates): users += updates.count
            }
        }
    }
}

/// The outcome of a step; the same step in the same state has the same outcome.
package enum SyncOutcome: Hashable, Codable, Sendable {
    /// A step without a decision.
    case none
    case link(LinkMachine.State, [LinkMachine.Effect])
    case sync(TimelineSync)
    case page(PageStatement)
    case gap(GapVerdict)
    case outbox([OutboxMachine.Effect])
}

/// A step with its outcome, as the journal contains it.
package struct SyncEntry: Hashable, Codable, Sendable {
    /// The number of the step in this client's run, from 1.
    package let number: Int
    /// The time on the device's clock.
    package let at: Timestamp
    package let step: SyncStep
    package let outcome: SyncOutcome

    package init(number: Int, at: Timestamp, step: SyncStep, outcome: SyncOutcome) {
        self.number = number
        self.at = at
        self.step = step
        self.outcome = outcome
    }
}
