// SPDX-License-Identifier: Apache-2.0

// Marks lie among the unsent items, as drafts do, so everything that keeps those keeps marks too:
// durability, sealing, repair, and a file that no clearing of the cache touches. The lanes never
// send one. The mark with an empty channel URL is the inbox itself: its position is where channels
// without a mark begin.

package import RoostModel

/// The place through which the app has acknowledged the messages of one channel.
package struct InboxMark: Equatable, Codable, Sendable {
    /// The name of the inbox.
    package let inbox: String
    package let position: Position

    package init(_ inbox: String, _ position: Position) {
        self.inbox = inbox
        self.position = position
    }
}

/// The key of a mark.
package struct InboxPlace: Hashable, Codable, Sendable {
    package let inbox: String
    package let channel: ChannelURL

    /// The channel of the mark at which an inbox begins.
    package static let noChannel: ChannelURL = ""

    package init(_ inbox: String, _ channel: ChannelURL = noChannel) {
        self.inbox = inbox
        self.channel = channel
    }
}

/// The mark that was requested last, until it is on disk.
package struct InboxClaim: Equatable, Codable, Sendable {
    /// The request ID of the mark, which every later mark of the place has too.
    let name: RequestID
    var position: Position
}

extension OutboxItem {
    /// The mark of an inbox; nil for all other items.
    package var inboxMark: InboxMark? {
        guard case .inbox(let mark) = content else { return nil }
        return mark
    }

    /// The key of the item's mark; nil for an item without one.
    var inboxPlace: InboxPlace? { inboxMark.map { InboxPlace($0.inbox, channel) } }
}

extension Outbox {
    /// Returns the marks of an inbox by channel; empty if there is no such inbox.
    package func marks(of inbox: String) -> [ChannelURL: Position] {
        var marks: [ChannelURL: Position] = [:]
        for item in items {
            guard let mark = item.inboxMark, mark.inbox == inbox else { continue }
            // Two processes may have made one each.
            marks[item.channel] = max(mark.position, marks[item.channel] ?? .distantPast)
        }
        return marks
    }

    /// Whether there is an inbox with a name.
    package func hasInbox(_ name: String) -> Bool { order.mark(at: InboxPlace(name)) != nil }
}

/// Writes marks of an inbox; at the end the disk has them, or later ones.
///
/// A mark never moves back: acknowledging an earlier message changes nothing.
package struct InboxMarking: SyncOperation {
    /// A mark to write.
    package struct Mark: Equatable, Codable, Sendable {
        let channel: ChannelURL
        let position: Position

        package init(_ channel: ChannelURL, _ position: Position) {
            self.channel = channel
            self.position = position
        }
    }

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case writingNotes
        case writing(tickets: [Int])
    }

    private let inbox: String
    private let marks: [Mark]
    private var state = State.beginning

    /// The marks are written in their order.
    package init(_ marks: [Mark], in inbox: String) {
        self.inbox = inbox
        self.marks = marks
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            // An acknowledgement of an inbox that was removed would bring a part of it back.
            let isBeginning = marks.contains { $0.channel == InboxPlace.noChannel }
            guard isBeginning || sync.outbox.hasInbox(inbox) else { return .fail(.noSuchInbox) }
            return write(&sync)
        case (.writingNotes, .woken(nil)): return write(&sync)
        case (.writing(let tickets), .woken(nil)): return end(tickets, &sync)
        default: return .fail(reply)
        }
    }

    private mutating func write(_ sync: inout SyncState) -> Step {
        let places = marks.map { InboxPlace(inbox, $0.channel) }
        // A pending note of a mark, written later, would undo the write.
        if places.contains(where: { sync.outbox.hasNote(of: $0) }) {
            // A note that the disk has refused alone is not tried again at once.
            for place in places {
                if let name = sync.outbox.order.mark(at: place)?.name,
                    let refusal = sync.outbox.disk.refusal(of: name)
                {
                    return .fail(refusal)
                }
            }
            state = .writingNotes
            return .need(.wait(.outboxDisk(sync.enqueue(sync.outbox.disk.allNotes))))
        }
        var tickets: [Int] = []
        for (place, mark) in zip(places, marks) {
            let known = sync.outbox.order.mark(at: place)
            if let known, known.position >= mark.position { continue }
            let claim = sync.claim(mark.position, at: place, known?.name)
            let draft = OutboxDraft(
                claim.name, to: place.channel, createdAt: sync.now,
                content: .inbox(InboxMark(inbox, claim.position)))
            tickets.append(sync.enqueue(.keep(draft)))
        }
        // The jobs end in their order.
        guard let last = tickets.last else { return .end(.done) }
        state = .writing(tickets: tickets)
        return .need(.wait(.outboxDisk(last)))
    }

    private func end(_ tickets: [Int], _ sync: inout SyncState) -> Step {
        var failure: RoostError?
        for ticket in tickets {
            switch sync.outbox.disk.answers.removeValue(forKey: ticket) {
            case .item(_?)?: break
            case .failed(let error)?: failure = error
            default: failure = failure ?? .outOfStep
            }
        }
        guard let failure else {
            for mark in marks { sync.endClaim(at: InboxPlace(inbox, mark.channel)) }
            return .end(.done)
        }
        for mark in marks {
            sync.lowerClaim(at: InboxPlace(inbox, mark.channel), from: mark.position)
        }
        return .fail(failure)
    }
}

/// Removes an inbox with all its marks; at the end the disk has none of them.
package struct InboxRemoval: SyncOperation {
    private let inbox: String
    private var state: Int?

    package init(of inbox: String) { self.inbox = inbox }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (nil, .begin):
            for id in sync.inboxes.ids where sync.inboxes[id]?.name == inbox { sync.close(id) }
            // The beginning goes first: without it the inbox is gone, whatever is left of it.
            let beginnings = names(sync) { $0 == InboxPlace.noChannel }
            let marks = names(sync) { $0 != InboxPlace.noChannel }
            sync.outbox.inboxClaims = sync.outbox.inboxClaims.filter { $0.key.inbox != inbox }
            guard let last = (beginnings + marks).map({ sync.enqueue(.discard($0)) }).last else {
                return .end(.done)
            }
            state = last
            return .need(.wait(.outboxDisk(last)))
        case (.some, .woken(nil)):
            // The disk may have refused an earlier part.
            return sync.outbox.marks(of: inbox).isEmpty ? .end(.done) : .fail(.inboxPartsLeft)
        default: return .fail(reply)
        }
    }
}

extension InboxRemoval {
    /// Returns the request IDs of the marks in some places, also of those that are being written.
    private func names(
        _ sync: SyncState, where isWanted: (ChannelURL) -> Bool
    ) -> [RequestID] {
        var names: Set<RequestID> = []
        for item in sync.outbox.items where isWanted(item.channel) {
            if item.inboxMark?.inbox == inbox { names.insert(item.requestID) }
        }
        for (place, claim) in sync.outbox.inboxClaims where isWanted(place.channel) {
            if place.inbox == inbox { names.insert(claim.name) }
        }
        return names.sorted()
    }
}

extension RoostError {
    fileprivate static let inboxPartsLeft = RoostError(
        .localDatabaseError, remedy: .retry,
        message: "The disk refused to remove some places of the inbox. Repeat the call.")
}

extension Outbox {
    /// Whether marks without an inbox are left of a creation or a removal that was cut off.
    func hasRemains(of inbox: String) -> Bool {
        !hasInbox(inbox) && !inboxClaims.contains { $0.key.inbox == inbox }
            && !marks(of: inbox).isEmpty
    }

    fileprivate func hasNote(of place: InboxPlace) -> Bool {
        guard !disk.unwritten.isEmpty, let name = order.mark(at: place)?.name else { return false }
        return disk.unwritten.contains { $0.note.requestID == name }
    }
}

extension SyncState {
    /// Notes a requested mark, so that an earlier one cannot overwrite it.
    fileprivate mutating func claim(
        _ position: Position, at place: InboxPlace, _ name: RequestID?
    ) -> InboxClaim {
        let known = outbox.inboxClaims[place]
        let claim = InboxClaim(
            name: name ?? known?.name ?? random.requestID(),
            position: max(position, known?.position ?? .distantPast))
        outbox.inboxClaims[place] = claim
        return claim
    }

    /// Takes a claim back whose write the disk has refused, unless a later one is being written.
    fileprivate mutating func lowerClaim(at place: InboxPlace, from position: Position) {
        guard outbox.inboxClaims[place]?.position == position else { return }
        if outbox.order.mark(at: place) == nil {
            outbox.inboxClaims[place]?.position = .distantPast
        } else {
            outbox.inboxClaims[place] = nil
        }
    }

    /// Forgets a claim whose mark is on disk, unless a later one is being written.
    fileprivate mutating func endClaim(at place: InboxPlace) {
        guard let claim = outbox.inboxClaims[place], let known = outbox.order.mark(at: place),
            known.position >= claim.position
        else { return }
        outbox.inboxClaims[place] = nil
    }

    /// Removes the marks of a channel that the user has left or lost; a return begins anew.
    mutating func discardMarks(in channel: ChannelURL) {
        let known = outbox.order.localItems(of: channel).filter { $0.inboxMark != nil }
        // A mark that is being written has no item yet.
        let claims = outbox.inboxClaims.filter { $0.key.channel == channel }
        for place in claims.keys { outbox.inboxClaims[place] = nil }
        let names = known.map(\.requestID)
        let claimed = Set(claims.values.map(\.name)).subtracting(names).sorted()
        for name in names + claimed { enqueue(.discard(name)) }
    }
}

extension OutboxOrder {
    /// The item of a mark, and the marked position.
    func mark(at place: InboxPlace) -> (name: RequestID, position: Position)? {
        guard let name = markNames[place], let mark = self[name]?.inboxMark else { return nil }
        return (name, mark.position)
    }
}

extension RoostError {
    package static let noSuchInbox = RoostError(
        .invalidParameter, remedy: .correctInput,
        message: "There is no such inbox on this device; “inbox(_:from:)” makes it.")
}
