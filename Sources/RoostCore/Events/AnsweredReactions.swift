// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// The answers to own reactions that came before the events of the same changes.
///
/// The socket delivers the events in order, but an answer may overtake them. The next events of the
/// same emoji are then older than its entry in the cache, and those of other users are still new
/// (scar 115). The record of an answer ends with its own event.
package struct AnsweredReactions: Equatable, Codable, Sendable {
    private struct Place: Hashable, Codable {
        let message: MessageID
        let key: String
    }

    private struct Answer: Equatable, Codable {
        let userID: UserID
        let moment: Timestamp
        /// The time of the emoji's entry before the answer, or of the last event since then.
        ///
        /// An event that is older than this is a repeated one.
        var known: Timestamp
    }

    private var answers: [Place: Answer] = [:]

    package init() {}

    package mutating func note(_ change: ReactionChange, to id: MessageID) {
        let place = Place(message: id, key: change.key)
        let earlier = answers[place]
        answers[place] = Answer(
            userID: change.userID, moment: max(change.updatedAt, earlier?.moment ?? .distantPast),
            known: earlier?.known ?? .distantPast)
    }

    /// Notes the commit of an answer, which tells the time of the emoji's entry before.
    package mutating func note(_ commit: Commit, of change: ReactionChange, to id: MessageID) {
        guard let known = answers[Place(message: id, key: change.key)]?.known else { return }
        for case .messages(let messages) in commit.changes {
            for update in messages.updated where update.before.messageID == id {
                let entry = update.before.details.reactions?.first { $0.key == change.key }
                answers[Place(message: id, key: change.key)]?.known = max(
                    known, entry?.updatedAt ?? .distantPast)
            }
        }
    }

    /// The place of an event among the changes of its emoji.
    package enum Turn: Equatable {
        /// The event comes in order, or is a repeated one.
        case next
        /// The event is new, though older than the entry in the cache.
        case late
        /// The cache has a later change of the same user.
        case overtaken
    }

    /// Takes an event, and returns its place.
    package mutating func receive(_ change: ReactionChange, of id: MessageID) -> Turn {
        let place = Place(message: id, key: change.key)
        guard let answer = answers[place] else { return .next }
        guard change.updatedAt < answer.moment else {
            answers[place] = nil
            return .next
        }
        guard change.userID != answer.userID else { return .overtaken }
        guard change.updatedAt >= answer.known else { return .next }
        answers[place]?.known = change.updatedAt
        return .late
    }
}

extension SyncState {
    /// Records the event of a reaction, or an answer equivalent to one, and returns its mutation;
    /// nil for an event that a later change of the same user has overtaken.
    mutating func recordReaction(
        _ event: ReactionEvent, from origin: ChangeOrigin
    ) -> Mutation? {
        let (change, id) = (event.change, event.messageID)
        var turn = AnsweredReactions.Turn.next
        if origin == .answer {
            session?.answeredReactions.note(change, to: id)
        } else {
            turn = session?.answeredReactions.receive(change, of: id) ?? .next
        }
        guard turn != .overtaken else { return nil }
        let isLate = turn == .late
        ledgers[event.channelURL]?.note(.reaction(change, isLate: isLate), to: id)
        return .reacted(event.channelURL, id, change, isLate: isLate)
    }

    /// Notes the commit of an event.
    mutating func note(_ commit: Commit?, of event: ServerEvent, from origin: ChangeOrigin) {
        guard origin == .answer, let commit, case .reaction(let event) = event else { return }
        session?.answeredReactions.note(commit, of: event.change, to: event.messageID)
    }
}
