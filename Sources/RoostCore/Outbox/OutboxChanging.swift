// SPDX-License-Identifier: Apache-2.0

// Changes of delivered messages and of unsent ones.

package import RoostModel

/// Queues a change, or applies it on this device if the server does not need it.
///
/// Ends with the request ID of the change. A change merged into an unsent message or edit has the
/// request ID of that item.
package struct OutboxChanging: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        /// An edit is being merged into an item.
        case folding(RequestID, isOfMessage: Bool)
        case takingBack(RequestID, ticket: Int)
        case rereading(RequestID)
        case finding(RequestID)
        case appending
        case canceling
        /// The deleted message may have been delivered meanwhile.
        case findingDeleted(RequestID)
    }

    private let action: PendingChange.Action
    private let channel: ChannelURL
    /// The request ID of the change, once it is queued.
    private var requestID: RequestID = ""
    /// The change as queued; its target may be a message ID by then.
    private var queued: PendingChange.Action
    private var state = State.beginning

    package init(_ action: PendingChange.Action, in channel: ChannelURL) {
        self.action = action
        queued = action
        self.channel = channel
    }

    private var unsent: RequestID? {
        if case .unsent(let id)? = action.target { id } else { nil }
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin): return begin(&sync)
        case (.folding(let id, let isOfMessage), .ended(let outcome)):
            switch outcome {
            case .flag(true): return .end(.request(id))
            case .flag(false): return isOfMessage ? reread(id, &sync) : append()
            case .failed(let error): return .fail(error)
            default: return .fail(.outOfStep)
            }
        case (.takingBack(let id, let ticket), .woken):
            return finishTakingBack(id, sync.outbox.disk.answers.removeValue(forKey: ticket), &sync)
        case (.rereading(let id), .woken): return aim(at: id, &sync)
        case (.finding, .read(.success(.message(let message)))):
            // The message was delivered after the caller's look-up.
            guard let id = message?.messageID else { return .fail(.noSuchMessage) }
            queued = action.aimed(at: id)
            return queue(&sync)
        case (.appending, .ended(let outcome)):
            sync.outbox.endChannelChange(queued, in: channel)
            guard case .item(let item) = outcome else { return .fail(reply) }
            requestID = item.requestID
            return finish(item.sequence, &sync)
        case (.canceling, .woken): return findDeleted(&sync)
        case (.findingDeleted(let id), .read(let result)):
            if case .success(.message(let message?)) = result {
                sync.moveOutbox(.delivered(id, message.messageID))
            }
            return .end(.request(requestID))
        default: return .fail(reply)
        }
    }

    private mutating func begin(_ sync: inout SyncState) -> Step {
        guard let unsent else {
            if case .channel(let change) = action { return begin(change, &sync) }
            return queue(&sync)
        }
        guard sync.outbox.isCertainlyHere(unsent) else { return aim(at: unsent, &sync) }
        switch action {
        case .edit(_, let edit):
            state = .folding(unsent, isOfMessage: true)
            return .need(.run(.outbox(.folding(OutboxFolding(edit, into: unsent)))))
        case .delete:
            sync.moveOutbox(.heldBack(unsent))
            let ticket = sync.enqueue(.takeBack(unsent))
            state = .takingBack(unsent, ticket: ticket)
            return .need(.wait(.outboxDisk(ticket)))
        case .addReaction, .removeReaction, .markAsRead, .channel:
            return aim(at: unsent, &sync)
        }
    }

    private mutating func begin(_ change: ChannelChange, _ sync: inout SyncState) -> Step {
        let items = sync.outbox.channelChanges(in: channel)
        // The user leaves once.
        if change == .leave,
            let waiting = items.first(where: { $0.isDeparture && $0.state == .pending })
        {
            return .end(.request(waiting.requestID))
        }
        let count = items.count + sync.outbox.channelChangeWrites[channel, default: 0]
        guard count < Outbox.mostChannelChanges else { return .fail(.tooManyChanges) }
        sync.outbox.channelChangeWrites[channel, default: 0] += 1
        return queue(&sync)
    }

    private mutating func finishTakingBack(
        _ id: RequestID, _ result: OutboxWritten?, _ sync: inout SyncState
    ) -> Step {
        if case .takenBack(true)? = result {
            // The message may have come from the server meanwhile.
            guard sync.outbox.isCertainlyHere(id) else { return reread(id, &sync) }
            sync.cancelUnsent(id)
            return .end(.request(id))
        }
        sync.moveOutbox(.freed(id))
        switch result {
        // Another process has sent or canceled the message.
        case .takenBack(false)?: return reread(id, &sync)
        case .failed(let error)?: return .fail(error)
        default: return .fail(.outOfStep)
        }
    }

    private mutating func reread(_ id: RequestID, _ sync: inout SyncState) -> Step {
        state = .rereading(id)
        return .need(.wait(.outboxDisk(sync.requestRead())))
    }

    private mutating func aim(at id: RequestID, _ sync: inout SyncState) -> Step {
        if sync.outbox.isUnsentMessage(id) { return queue(&sync) }
        state = .finding(id)
        return .need(.read(.messageOfRequest(id)))
    }

    /// Queues the change; an edit is merged into an unsent edit of the same message if there is
    /// one.
    private mutating func queue(_ sync: inout SyncState) -> Step {
        if case .edit(let target, let edit) = queued,
            let waiting = sync.outbox.waitingEdit(of: target, in: channel)
        {
            state = .folding(waiting, isOfMessage: false)
            return .need(.run(.outbox(.folding(OutboxFolding(edit, into: waiting)))))
        }
        return append()
    }

    private mutating func append() -> Step {
        state = .appending
        return .need(
            .run(.outbox(.sending(OutboxSending(.change(queued), to: channel, as: nil)))))
    }

    /// Drops the changes that this one replaces.
    ///
    /// A later change may have been written with it, and must stay.
    private mutating func finish(_ sequence: Int64, _ sync: inout SyncState) -> Step {
        if case .markAsRead(let moment) = queued {
            sync.dropReadMarks(of: channel, through: moment, before: sequence)
        }
        if case .channel(let change) = queued {
            sync.dropChanges(of: channel, replacedBy: change, before: sequence)
        }
        guard case .unsent? = queued.target else { return .end(.request(requestID)) }
        // The server may already have the message. The queued deletion then follows when the
        // message appears.
        if case .delete = queued, let unsent, let ticket = sync.cancelUnsent(unsent) {
            state = .canceling
            return .need(.wait(.outboxDisk(ticket)))
        }
        return findDeleted(&sync)
    }

    private mutating func findDeleted(_ sync: inout SyncState) -> Step {
        guard let unsent, !sync.outbox.order.contains(unsent) else {
            return .end(.request(requestID))
        }
        state = .findingDeleted(unsent)
        return .need(.read(.messageOfRequest(unsent)))
    }
}

/// Merges an edit into an item that has certainly not been sent; ends with false otherwise.
package struct OutboxFolding: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case writingNotes
        case folding(ticket: Int)
    }

    private let edit: MessageEdit
    private let requestID: RequestID
    private var state = State.beginning

    package init(_ edit: MessageEdit, into requestID: RequestID) {
        self.edit = edit
        self.requestID = requestID
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin), (.writingNotes, .woken(nil)): return fold(&sync)
        case (.folding(let ticket), .woken):
            switch sync.outbox.disk.answers.removeValue(forKey: ticket) {
            case .item(let item)?: return .end(.flag(item != nil))
            case .failed(let error)?: return .fail(error)
            default: return .fail(.outOfStep)
            }
        default: return .fail(reply)
        }
    }

    private mutating func fold(_ sync: inout SyncState) -> Step {
        // A pending note of the item, written later, would undo the edit.
        if let flush = sync.flushNotes() {
            state = .writingNotes
            return flush
        }
        if let error = sync.outbox.disk.refusal(of: requestID) { return .fail(error) }
        // Sending may have begun meanwhile.
        guard let item = sync.outbox.order[requestID],
            sync.outbox.lanes.item(requestID)?.hasLeft == false
        else { return .end(.flag(false)) }
        let after = item.content.applying(edit)
        // Memory changes first, so an attempt during the write sends the new text.
        sync.outbox.order.change(requestID) { $0.content = after }
        let ticket = sync.enqueue(
            .fold(edit, requestID, at: sync.now, before: item.content, after: after))
        state = .folding(ticket: ticket)
        return .need(.wait(.outboxDisk(ticket)))
    }
}

extension Outbox {
    /// Returns the last change of a message, if it is an edit that has certainly not been sent.
    func waitingEdit(of target: MessageTarget, in channel: ChannelURL) -> RequestID? {
        let last = order.marks(of: channel).last { item in
            guard case .change(let action) = item.content, action.target == target else {
                return false
            }
            switch action {
            case .edit, .delete: return true
            case .addReaction, .removeReaction, .markAsRead, .channel: return false
            }
        }
        guard let last, case .change(.edit) = last.content, last.state == .pending,
            lanes.item(last.requestID)?.hasLeft == false
        else { return nil }
        return last.requestID
    }
}

extension SyncState {
    /// Drops older read marks; the newer one includes them.
    fileprivate mutating func dropReadMarks(
        of channel: ChannelURL, through moment: Timestamp, before sequence: Int64
    ) {
        let old = outbox.order.marks(of: channel).filter { item in
            guard item.sequence < sequence,
                case .change(.markAsRead(let earlier)) = item.content
            else { return false }
            return earlier <= moment && !outbox.lanes.isOnItsWay(item.requestID)
        }
        for item in old { cancelUnsent(item.requestID) }
    }
}
