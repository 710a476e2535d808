// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A change of a message that is told without the message, and moves no time of its own.
package enum MessageAmendment: Hashable, Sendable {
    case reaction(ReactionChange)
    case thread(ThreadInfo)
    case poll(PollChange)
}

/// What was edited and deleted in a channel while pages of it were on their way.
///
/// A page is as old as the moment the server wrote it; news that overtook it must not be undone by it.
package struct FetchLedger: Sendable {
    private var fetches = 0
    /// How much has been noted: what a fetch has to make up for is what came after it began.
    private var noteCount = 0
    private var deleted: [MessageID: Int] = [:]
    private var edited: [MessageID: (message: Message, number: Int)] = [:]
    private var amended: [MessageID: [(amendment: MessageAmendment, number: Int)]] = [:]
    private var departure: Int?

    package init() {}

    package var isEmpty: Bool { fetches == 0 }

    /// Whether something was deleted since the fetches began: counts made meanwhile mean nothing.
    package var hasDeletions: Bool { !deleted.isEmpty }

    /// Whether the user has left since the fetches began: the answers tell of what is not theirs any more.
    package var hasDeparture: Bool { departure != nil }

    /// Begins to note.
    ///
    /// - Returns: What to hand to `since` when the answer is there.
    @discardableResult
    package mutating func begin() -> Int {
        fetches += 1
        return noteCount
    }

    /// What was noted after a fetch had begun: its answer knows all that was told before its question.
    package func since(_ beginning: Int) -> FetchLedger {
        var ledger = self
        ledger.deleted = deleted.filter { $0.value > beginning }
        ledger.edited = edited.filter { $0.value.number > beginning }
        ledger.amended = amended.mapValues { $0.filter { $0.number > beginning } }
        ledger.departure = departure.flatMap { $0 > beginning ? $0 : nil }
        return ledger
    }

    package mutating func end() {
        precondition(fetches > 0, "A fetch ended that never began.")
        fetches -= 1
        if fetches == 0 { forget() }
    }

    /// Forgets what was noted.
    ///
    /// Only an answer of this connection can have been overtaken by it, and what the next one brings is
    /// newer. One that outlives its connection, to a message posted by HTTP, has the change logs read again.
    package mutating func forget() {
        deleted = [:]
        edited = [:]
        amended = [:]
        departure = nil
    }

    /// Notes that the channel is not the user's any more.
    package mutating func noteDeparture() { departure = nextNumber() ?? departure }

    package mutating func note(deletionOf id: MessageID) {
        guard let number = nextNumber() else { return }
        deleted[id] = number
    }

    package mutating func note(editOf message: Message) {
        guard let id = message.messageID, let number = nextNumber() else { return }
        edited[id] = (message, number)
    }

    /// Notes an edit of a message that one was noted of: the older one is not news any more.
    package mutating func replace(editOf message: Message) {
        if let id = message.messageID, edited[id] != nil { note(editOf: message) }
    }

    package mutating func note(_ amendment: MessageAmendment, to id: MessageID) {
        guard let number = nextNumber() else { return }
        amended[id, default: []].append((amendment, number))
    }

    /// Nil while nothing is fetched, and so nothing can be overtaken.
    private mutating func nextNumber() -> Int? {
        guard fetches > 0 else { return nil }
        noteCount += 1
        return noteCount
    }

    /// What has to be done once more to messages of a page, after the page: it is older, and may not even
    /// tell what it knows of this.
    package func amendments(to messages: [Message]) -> [(MessageID, MessageAmendment)] {
        messages.compactMap(\.messageID).flatMap { id in
            (amended[id] ?? []).map { (id, $0.amendment) }
        }
    }

    /// Whether the same person's later word on the same emoji has been noted, or this one itself.
    package func overtakes(_ change: ReactionChange, of id: MessageID) -> Bool {
        (amended[id] ?? []).contains { noted in
            guard case .reaction(let other) = noted.amendment else { return false }
            return other.key == change.key && other.userID == change.userID
                && other.updatedAt >= change.updatedAt
        }
    }

    /// The page as it would be had the server written it now.
    package func upToDate(_ messages: [Message]) -> [Message] {
        messages.compactMap { message in
            guard let id = message.messageID else { return message }
            if deleted[id] != nil { return nil }
            return following(edit(of: message, id))
        }
    }

    /// Brings a reply's preview of its parent up to date (scar 116).
    ///
    /// A reply without a preview stays without one: the server shows the user nothing of the parent, as of one
    /// that stands before the user's history.
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
        guard let newer = edited[id]?.message, let editedAt = newer.updatedAt
        else { return message }
        // Of equal times, because a translation or a preview carries no new one (scar 118).
        guard editedAt >= message.updatedAt ?? .distantPast else { return message }
        var edited = newer
        edited.completeDetails(from: message)
        return edited
    }

    /// A page under a filter as it would be had the server written it now, with what an edit brought under
    /// the filter meanwhile.
    package func upToDate(
        _ messages: [Message], under filter: MessageFilter, in range: CoveredRange
    ) -> [Message] {
        let listed = Set(messages.compactMap(\.messageID))
        let entered = edited.values.map(\.message).filter { message in
            guard let id = message.messageID, let position = message.position else { return false }
            return !listed.contains(id) && deleted[id] == nil && range.contains(position)
                && filter.matches(message)
        }
        // In an order of their own, so that no dictionary's shows.
        return upToDate(messages)
            + entered.sorted { ($0.position ?? .distantPast) < ($1.position ?? .distantPast) }
    }
}
