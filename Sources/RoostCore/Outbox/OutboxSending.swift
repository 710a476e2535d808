// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Writes a new message or change and queues it; at the end the item survives a crash.
package struct OutboxSending: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case reserving(ticket: Int)
        case copying(sequence: Int64)
        case appending(ticket: Int)
    }

    private var original: OutboxContent
    private let name: RequestID?
    private var draft: OutboxDraft
    private var state = State.beginning

    /// `name` is the caller's request ID; nil makes one.
    package init(_ content: OutboxContent, to channel: ChannelURL, as name: RequestID?) {
        original = content
        self.name = name
        draft = OutboxDraft(
            name ?? "", to: channel, createdAt: .distantPast, content: content)
    }

    private var requestID: RequestID { draft.requestID }

    /// The operation without the bytes of files in memory, for a recording.
    var withoutBytes: OutboxSending {
        var copy = self
        copy.original = original.withoutBytes
        copy.draft.content = draft.content.withoutBytes
        return copy
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin): return begin(&sync)
        case (.reserving(let ticket), .woken):
            switch sync.outbox.disk.answers.removeValue(forKey: ticket) {
            case .place(let sequence)?: return copy(at: sequence)
            // The item is on disk already.
            case .item(_?)?: return append(&sync)
            case .failed(let error)?: return abandon(error, &sync)
            default: return abandon(.outOfStep, &sync)
            }
        case (.copying(let sequence), .outbox(.success(.copied(let content, let copies)))):
            draft.content = content
            draft.sequence = sequence
            draft.copies = copies
            return append(&sync)
        case (.copying, _):
            sync.noteResult(ofUnsent: reply.error)
            return abandon(reply.error, &sync)
        case (.appending(let ticket), .woken):
            switch sync.outbox.disk.answers.removeValue(forKey: ticket) {
            case .item(let item?)?: return .end(.item(sync.outbox.order[requestID] ?? item))
            case .item(nil)?:
                // Another process deleted the copies while this one was suspended.
                guard let sequence = draft.sequence else { return abandon(.outOfStep, &sync) }
                return copy(at: sequence)
            case .failed(let error)?: return .fail(error)
            default: return .fail(.outOfStep)
            }
        default: return .fail(reply)
        }
    }

    private mutating func begin(_ sync: inout SyncState) -> Step {
        if draft.channel.rawValue.isEmpty { return .fail(.noChannel) }
        if let name, let item = sync.outbox.order[name] { return .end(.item(item)) }
        let requestID = name ?? sync.random.requestID()
        // A change that waits for a message has no place in its lane until the message is sent.
        let hasPlace = original.awaited == nil
        // A departure may have to wait for messages that are written later.
        let leaves =
            hasPlace && OutboxMachine.Item.Kind(original) != .departure
            && sync.outbox.lanes.wouldLeaveAtOnce(draft.lane, hasUploads: original.hasUploads)
        // The place is taken before the write, so a later call finds the lane occupied.
        if hasPlace { _ = sync.moveLanes(.announced(requestID, draft.lane)) }
        draft = OutboxDraft(
            requestID, to: draft.channel, createdAt: sync.now, content: original, leaves: leaves)
        guard case .fileMessage = original else { return append(&sync) }
        // The number is reserved before the copying, so items written meanwhile come after the
        // message.
        let ticket = sync.enqueue(.reserve(requestID))
        state = .reserving(ticket: ticket)
        return .need(.wait(.outboxDisk(ticket)))
    }

    private mutating func copy(at sequence: Int64) -> Step {
        guard case .fileMessage(let params, _) = original else { return .fail(.outOfStep) }
        state = .copying(sequence: sequence)
        return .need(.outbox(.copyFiles(params, requestID, sequence: sequence)))
    }

    private mutating func append(_ sync: inout SyncState) -> Step {
        let ticket = sync.enqueue(.append(draft))
        state = .appending(ticket: ticket)
        return .need(.wait(.outboxDisk(ticket)))
    }

    private func abandon(_ error: RoostError, _ sync: inout SyncState) -> Step {
        if original.awaited == nil { sync.moveOutbox(.abandoned(requestID, draft.lane)) }
        return .fail(error)
    }
}

extension RoostError {
    static let noChannel = RoostError(
        .invalidParameter, remedy: .correctInput, message: "The URL of the channel is empty.")
}
