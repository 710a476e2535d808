// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// The answers to own reactions that came before the events of the same changes.
///
/// The socket delivers the events in order, but an answer may overtake them. The next events of the
/// same emoji are then older than its entry in the cache, and still new (scar 115). The record of an
/// answer ends with its own event.
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

    /// Returns whether an answer has overtaken an event.
    package mutating func hasOvertaken(_ change: ReactionChange, of id: MessageID) -> Bool {
        let place = Place(message: id, key: change.key)
        guard let answer = answers[place] else { return false }
        guard change.updatedAt < answer.moment else {
            answers[place] = nil
            return false
        }
        guard change.userID != answer.userID, change.updatedAt >= answer.known else { return false }
        answers[place]?.known = change.updatedAt
        return true
    }
}

extension SyncState {
    /// Returns the mutation for the event of a reaction, or for an answer equivalent to one.
    mutating func mutation(
        for event: ReactionEvent, from origin: ChangeOrigin
    ) -> Mutation {
        let (change, id) = (event.change, event.messageID)
        var isLate = false
        if origin == .answer {
            session?.answeredReactions.note(change, to: id)
        } else {
            isLate = session?.answeredReactions.hasOvertaken(change, of: id) == true
        }
        ledgers[event.channelURL]?.note(.reaction(change, isLate: isLate), to: id)
        return .reacted(event.channelURL, id, change, isLate: isLate)
    }

    /// Notes the commit of an event.
    mutating func note(_ commit: Commit?, of event: ServerEvent, from origin: ChangeOrigin) {
        guard origin == .answer, let commit, case .reaction(let event) = event else { return }
        session?.answeredReactions.note(commit, of: event.change, to: event.messageID)
    }
}
