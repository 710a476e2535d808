// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A change of a message that is reported without the message, and does not change its time.
package enum MessageAmendment: Equatable, Codable, Sendable {
    case reaction(ReactionChange, isLate: Bool = false)
    case thread(ThreadInfo)
    case poll(PollChange)
}

/// The record of a channel's edits and deletions that arrive while pages of it are in flight.
///
/// A page has the state of the moment when the server wrote it, and must not undo later events.
package struct FetchLedger: Codable, Sendable {
    private var fetches = 0
    /// The number of records: a fetch is updated by those after its beginning.
    private var noteCount = 0
    private var deleted: [MessageID: Int] = [:]
    private var edited: [MessageID: Edit] = [:]
    private var amended: [MessageID: [Amended]] = [:]
    private var departure: Int?
    private var loss: Int?
    private var removal: Int?

    private struct Edit: Codable, Sendable {
        let message: Message
        let number: Int
    }

    private struct Amended: Codable, Sendable {
        let amendment: MessageAmendment
        let number: Int
    }

    package init() {}

    /// Whether no fetch is in flight.
    package var isIdle: Bool { fetches == 0 }

    /// Whether a message was deleted since the fetches began, at the server or on disk, which makes
    /// counts worthless.
    package var hasDeletions: Bool { !deleted.isEmpty || removal != nil }

    package var deletionCount: Int { deleted.count }

    /// Whether an edit or the deletion of a message is recorded.
    package func hasNote(of id: MessageID) -> Bool { deleted[id] != nil || edited[id] != nil }

    /// Whether the user has left since the fetches began: the answers are about a channel that is
    /// no longer the user's.
    package var hasDeparture: Bool { departure != nil }

    /// Whether the cache has lost messages of the channel since the fetches began.
    ///
    /// Live messages behind the end of an answer may be among them.
    package var hasLoss: Bool { loss != nil }

    /// Begins a fetch.
    ///
    /// - Returns: The number for `since` when the answer arrives.
    @discardableResult
    package mutating func begin() -> Int {
        fetches += 1
        return noteCount
    }

    /// Returns the records after the beginning of a fetch: its answer contains the earlier ones.
    package func since(_ beginning: Int) -> FetchLedger {
        var ledger = self
        ledger.deleted = deleted.filter { $0.value > beginning }
        ledger.edited = edited.filter { $0.value.number > beginning }
        ledger.amended = amended.mapValues { $0.filter { $0.number > beginning } }
        ledger.departure = departure.flatMap { $0 > beginning ? $0 : nil }
        ledger.loss = loss.flatMap { $0 > beginning ? $0 : nil }
        ledger.removal = removal.flatMap { $0 > beginning ? $0 : nil }
        return ledger
    }

    package mutating func end() {
        precondition(fetches > 0, "A fetch ended that never began.")
        fetches -= 1
        if fetches == 0 { forget() }
    }

    /// Removes all records.
    ///
    /// Only an answer of this connection can have been overtaken by them, and answers of the next
    /// one are newer. An answer that outlives its connection, to a message posted by HTTP, makes
    /// the change logs be read again.
    package mutating func forget() {
        deleted = [:]
        edited = [:]
        amended = [:]
        departure = nil
        loss = nil
        removal = nil
    }

    /// Removes the records of edits.
    package mutating func forgetEdits() { edited = [:] }

    /// Notes that the user has left or lost the channel.
    package mutating func noteDeparture() { departure = nextNumber() ?? departure }

    /// Notes that messages of the channel were removed from the cache, for instance to make room.
    package mutating func noteLoss() { loss = nextNumber() ?? loss }

    /// Notes that a commit has deleted messages.
    ///
    /// Their deletion may have been reported before a fetch began, and stored after it counted
    /// them.
    package mutating func noteRemoval() { removal = nextNumber() ?? removal }

    package mutating func note(deletionOf id: MessageID) {
        guard let number = nextNumber() else { return }
        deleted[id] = number
    }

    package mutating func note(editOf message: Message) {
        guard let id = message.messageID, let number = nextNumber() else { return }
        edited[id] = Edit(message: message, number: number)
    }

    /// Replaces the recorded edit of a message: the older one is out of date.
    package mutating func replace(editOf message: Message) {
        if let id = message.messageID, edited[id] != nil { note(editOf: message) }
    }

    package mutating func note(_ amendment: MessageAmendment, to id: MessageID) {
        guard let number = nextNumber() else { return }
        amended[id, default: []].append(Amended(amendment: amendment, number: number))
    }

    /// Notes the messages of an answer, which may be newer than another answer in flight.
    ///
    /// `news` are the changes that have overtaken the answer.
    package mutating func note(answer messages: [Message], overtakenBy news: FetchLedger) {
        for message in messages { note(editOf: message.withoutReactions) }
        note(reactionsIn: messages, overtakenBy: news)
    }

    /// Notes the reactions of an answer one by one, and the changes that have overtaken it behind
    /// them.
    ///
    /// Reactions do not change a message's time, so another answer in flight may be the newer one,
    /// and have more of them.
    package mutating func note(reactionsIn messages: [Message], overtakenBy news: FetchLedger) {
        guard fetches > 0 else { return }
        for message in messages where !message.hasNoDetails {
            guard let id = message.messageID else { continue }
            for reaction in message.details.reactions ?? [] {
                for user in reaction.userIDs {
                    let change = ReactionChange(
                        key: reaction.key, userID: user, isAdded: true,
                        updatedAt: reaction.updatedAt)
                    note(.reaction(change), to: id)
                }
            }
        }
        for (id, amendment) in news.amendments(to: messages) { note(amendment, to: id) }
    }

    /// Returns the next number; nil without a fetch that can be overtaken.
    private mutating func nextNumber() -> Int? {
        guard fetches > 0 else { return nil }
        noteCount += 1
        return noteCount
    }

    /// Returns the changes to repeat on messages of a page, after the page: the page is older, and
    /// may not even have the fields.
    package func amendments(to messages: [Message]) -> [(MessageID, MessageAmendment)] {
        messages.compactMap(\.messageID).flatMap { id in
            (amended[id] ?? []).map { (id, $0.amendment) }
        }
    }

    /// Returns whether a later reaction of the same user with the same emoji is recorded, or this
    /// one itself.
    package func overtakes(_ change: ReactionChange, of id: MessageID) -> Bool {
        (amended[id] ?? []).contains { noted in
            guard case .reaction(let other, _) = noted.amendment else { return false }
            return other.key == change.key && other.userID == change.userID
                && other.updatedAt >= change.updatedAt
        }
    }

    /// Returns the page with the recorded changes.
    package func upToDate(_ messages: [Message]) -> [Message] {
        messages.compactMap { message in
            guard let id = message.messageID else { return message }
            if deleted[id] != nil { return nil }
            return following(edit(of: message, id))
        }
    }

    /// Updates a reply's preview of its parent (scar 116).
    private func following(_ reply: Message) -> Message {
        guard let parent = reply.parentID, reply.details.parentPreview != nil else {
            return reply
        }
        var reply = reply
        if deleted[parent] != nil {
            reply.details.parentPreview = nil
        } else if let edit = edited[parent]?.message {
            reply.details.follow(edit.preview)
        }
        return reply
    }

    private func edit(of message: Message, _ id: MessageID) -> Message {
        guard let newer = edited[id]?.message else { return message }
        // Also with equal times or none, because a reaction, a translation or a preview does not
        // change the time (scar 118).
        guard newer.updatedAt ?? .distantPast >= message.updatedAt ?? .distantPast else {
            return message
        }
        var edited = newer
        edited.completeDetails(from: message)
        // The recorded copy may be of an answer that is older than this one.
        if let other = message.details.parentPreview,
            edited.details.parentPreview?.lacksEdit(of: other) ?? false
        {
            edited.details.parentPreview = other
        }
        return edited
    }

    /// Returns a page under a filter with the recorded changes, and with messages that an edit made
    /// match the filter.
    package func upToDate(
        _ messages: [Message], under filter: MessageFilter, in range: CoveredRange
    ) -> [Message] {
        let listed = Set(messages.compactMap(\.messageID))
        let entered = edited.values.map(\.message).filter { message in
            guard let id = message.messageID, let position = message.position else { return false }
            return !listed.contains(id) && deleted[id] == nil && range.contains(position)
                && filter.matches(message)
        }
        // Sorted, so that the order of a dictionary does not matter.
        return upToDate(messages)
            + entered.sorted { ($0.position ?? .distantPast) < ($1.position ?? .distantPast) }
    }
}
