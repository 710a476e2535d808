// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// One thing a client took in, with what there is to know for deciding on it; no content, no names.
///
/// Channels are told apart by numbers that mean nothing outside the journal.
package enum SyncStep: Hashable, Codable, Sendable {
    /// The app asked for something.
    case asked(String, channel: Int?)
    case link(LinkMachine.Input, entropy: UInt64)
    /// A frame came in.
    case frame(String, channel: Int?)
    /// A call was answered, or failed with a code, after so many milliseconds.
    case call(String, failure: RoostError.Code?, milliseconds: Int64)
    /// A timeline looks what to ask for.
    case sync(channel: Int, SyncQuestion)
    /// The answer to a page question.
    case page(channel: Int, PageAnswer)
    /// The answer to a gap question.
    case gap(channel: Int, GapAnswer, from: Position, isDisturbed: Bool)
    case outbox(OutboxMachine.Input)
    case commit(sequence: Int64, ChangeOrigin, CommitSize)
}

/// What `TimelineSync` decides by.
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

/// What `PageStatement` is read off.
package struct PageAnswer: Hashable, Codable, Sendable {
    package let question: PageQuestion
    /// Of the messages that came, oldest first.
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

/// How much one transaction changed.
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

/// What came of a step; the same step in the same state decides the same.
package enum SyncOutcome: Hashable, Codable, Sendable {
    /// A fact: there was nothing to decide.
    case none
    case link(LinkMachine.State, [LinkMachine.Effect])
    case sync(TimelineSync)
    case page(PageStatement)
    case gap(GapVerdict)
    case outbox([OutboxMachine.Effect])
}

/// A step with its outcome, as it stands in the journal.
package struct SyncEntry: Hashable, Codable, Sendable {
    /// Counts from 1, of this client's life.
    package let number: Int
    /// On the device's clock.
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
