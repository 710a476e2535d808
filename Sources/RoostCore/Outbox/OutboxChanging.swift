// SPDX-License-Identifier: Apache-2.0

// Changes of messages: of those that the server has, and of those that wait here.

package import RoostModel

/// Queues a change, or makes it here where the server need not know of it.
///
/// Ends with the name of the change: that of the message or of the waiting edit that it became part of, or a new
/// one.
package struct OutboxChanging: SyncOperation {
    private enum State: Hashable, Codable, Sendable {
        case beginning
        /// An edit becomes part of an item.
        case folding(RequestID, isOfMessage: Bool)
        case takingBack(RequestID, ticket: Int)
        case hearing(RequestID)
        case finding(RequestID)
        case appending
        case canceling
        /// The deleted message may have been delivered meanwhile.
        case findingDeleted(RequestID)
    }

    private let action: PendingChange.Action
    private let channel: ChannelURL
    /// The name of the change, once it is queued.
    private var requestID: RequestID = ""
    /// The change as it is queued: its message may have its ID by then.
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
            case .flag(false): return isOfMessage ? hear(id, &sync) : append()
            case .failed(let error): return .fail(error)
            default: return .fail(.outOfStep)
            }
        case (.takingBack(let id, let ticket), .woken):
            return finishTakingBack(id, sync.outbox.disk.answers.removeValue(forKey: ticket), &sync)
        case (.hearing(let id), .woken): return aim(at: id, &sync)
        case (.finding, .read(.success(.message(let message)))):
            // It was delivered since the caller looked.
            guard let id = message?.messageID else { return .fail(.noSuchMessage) }
            queued = action.aimed(at: id)
            return queue(&sync)
        case (.appending, .ended(.item(let item))):
            requestID = item.requestID
            return finish(&sync)
        case (.canceling, .woken): return findDeleted(&sync)
        case (.findingDeleted(let id), .read(let result)):
            if case .success(.message(let message?)) = result {
                sync.moveOutbox(.delivered(id, message.messageID))
            }
            return .end(.request(requestID))
        default: return .fail(reply.failure ?? .outOfStep)
        }
    }

    private mutating func begin(_ sync: inout SyncState) -> Step {
        guard let unsent else { return queue(&sync) }
        guard sync.outbox.isCertainlyHere(unsent) else { return aim(at: unsent, &sync) }
        switch action {
        case .edit(_, let edit):
            state = .folding(unsent, isOfMessage: true)
            return .need(.run(.outbox(.folding(OutboxFolding(edit, into: unsent)))))
        case .delete:
            let ticket = sync.enqueue(.takeBack(unsent))
            state = .takingBack(unsent, ticket: ticket)
            return .need(.wait(.outboxDisk(ticket)))
        case .addReaction, .removeReaction, .markAsRead: return aim(at: unsent, &sync)
        }
    }

    private mutating func finishTakingBack(
        _ id: RequestID, _ result: OutboxWritten?, _ sync: inout SyncState
    ) -> Step {
        switch result {
        case .takenBack(true)?:
            // It may have begun to leave meanwhile; then the server has to delete it.
            guard sync.outbox.isCertainlyHere(id) else { return hear(id, &sync) }
            sync.cancelUnsent(id)
            return .end(.request(id))
        // Another process has sent it or taken it back.
        case .takenBack(false)?: return hear(id, &sync)
        case .failed(let error)?: return .fail(error)
        default: return .fail(.outOfStep)
        }
    }

    private mutating func hear(_ id: RequestID, _ sync: inout SyncState) -> Step {
        state = .hearing(id)
        return .need(.wait(.outboxDisk(sync.hearOthers())))
    }

    private mutating func aim(at id: RequestID, _ sync: inout SyncState) -> Step {
        if sync.outbox.isUnsentMessage(id) { return queue(&sync) }
        state = .finding(id)
        return .need(.read(.messageOfRequest(id)))
    }

    /// Writes the change down, as part of a waiting edit where it can be.
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

    private mutating func finish(_ sync: inout SyncState) -> Step {
        if case .markAsRead(let moment) = queued {
            sync.dropReadMarks(of: channel, through: moment, before: requestID)
        }
        guard case .unsent? = queued.target else { return .end(.request(requestID)) }
        // The server may have it already: then the deletion goes to the server when it shows.
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

/// Makes an edit part of an item that certainly has not left; ends with false where the item may have.
package struct OutboxFolding: SyncOperation {
    private enum State: Hashable, Codable, Sendable {
        case beginning
        case telling
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
        case (.beginning, .begin), (.telling, .woken(nil)): return fold(&sync)
        case (.folding(let ticket), .woken):
            switch sync.outbox.disk.answers.removeValue(forKey: ticket) {
            case .item(let item)?: return .end(.flag(item != nil))
            case .failed(let error)?: return .fail(error)
            default: return .fail(.outOfStep)
            }
        default: return .fail(reply.failure ?? .outOfStep)
        }
    }

    private mutating func fold(_ sync: inout SyncState) -> Step {
        // What is owed to the disk would undo the edit if the disk were told later.
        if sync.outbox.disk.isBehind {
            state = .telling
            return .need(.wait(.outboxDisk(sync.enqueue(sync.outbox.disk.allDebts))))
        }
        if let error = sync.outbox.disk.refusal(of: requestID) { return .fail(error) }
        // It may have begun to leave meanwhile.
        guard let item = sync.outbox.order[requestID],
            sync.outbox.lanes.item(requestID)?.hasLeft == false
        else { return .end(.flag(false)) }
        let after = item.content.applying(edit)
        // At once, so that it leaves with the new words even if it leaves during the write.
        sync.outbox.order.change(requestID) { $0.content = after }
        let ticket = sync.enqueue(.fold(edit, requestID, at: sync.now, item.content, after))
        state = .folding(ticket: ticket)
        return .need(.wait(.outboxDisk(ticket)))
    }
}

extension Outbox {
    /// The last change of a message, if it is an edit that certainly has not left.
    func waitingEdit(of target: MessageTarget, in channel: ChannelURL) -> RequestID? {
        let last = items.last { item in
            guard item.channel == channel, case .change(let action) = item.content,
                action.target == target
            else { return false }
            switch action {
            case .edit, .delete: return true
            case .addReaction, .removeReaction, .markAsRead: return false
            }
        }
        guard let last, case .change(.edit) = last.content, last.state == .pending,
            lanes.item(last.requestID)?.hasLeft == false
        else { return nil }
        return last.requestID
    }
}

extension SyncState {
    /// A newer read mark says all that an older one does.
    fileprivate mutating func dropReadMarks(
        of channel: ChannelURL, through moment: Timestamp, before name: RequestID
    ) {
        let old = outbox.items.filter { item in
            guard item.channel == channel, item.requestID != name,
                case .change(.markAsRead(let earlier)) = item.content
            else { return false }
            return earlier <= moment && !outbox.lanes.isOnItsWay(item.requestID)
        }
        for item in old { cancelUnsent(item.requestID) }
    }
}
