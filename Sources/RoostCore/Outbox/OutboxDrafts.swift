// SPDX-License-Identifier: Apache-2.0

// Drafts lie among the unsent items, so everything that keeps those keeps drafts too: durability,
// sealing, repair, and the changes of other processes. The lanes never send one.

package import RoostModel

/// The content of a draft.
package struct DraftContent: Equatable, Codable, Sendable {
    package let thread: MessageID?
    package let text: String
    package let replyingTo: MessageID?
    package let mention: Mention

    package init(
        _ text: String, replyingTo: MessageID? = nil, mentioning mention: Mention = Mention(),
        in thread: MessageID? = nil
    ) {
        self.text = text
        self.replyingTo = replyingTo
        self.mention = mention
        self.thread = thread
    }
}

/// Saves or removes a draft; at the end the disk has it.
package struct OutboxDrafting: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case writingNotes
        case keeping(ticket: Int)
        case discarding
    }

    private let channel: ChannelURL
    private let content: DraftContent
    private var state = State.beginning

    private var place: DraftPlace { DraftPlace(channel, thread: content.thread) }

    /// An empty text that answers no message removes the draft.
    package init(_ content: DraftContent, in channel: ChannelURL) {
        self.content = content
        self.channel = channel
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin) where channel.rawValue.isEmpty: return .fail(.noChannel)
        case (.beginning, .begin), (.writingNotes, .woken(nil)): return write(&sync)
        case (.keeping(let ticket), .woken):
            switch sync.outbox.disk.answers.removeValue(forKey: ticket) {
            case .item?: return .end(.done)
            case .failed(let error)?: return .fail(error)
            default: return .fail(.outOfStep)
            }
        case (.discarding, .woken(nil)): return .end(.done)
        default: return .fail(reply)
        }
    }

    private mutating func write(_ sync: inout SyncState) -> Step {
        // A pending note of an item, written later, would undo the write.
        if sync.outbox.disk.isBehind {
            state = .writingNotes
            return .need(.wait(.outboxDisk(sync.enqueue(sync.outbox.disk.allNotes))))
        }
        var names = sync.outbox.draftNames(at: place)
        for name in names {
            if let error = sync.outbox.disk.refusal(of: name) { return .fail(error) }
        }
        if content.text.isEmpty && content.replyingTo == nil {
            // The jobs end in their order.
            guard let last = names.map({ sync.enqueue(.discard($0)) }).last else {
                return .end(.done)
            }
            state = .discarding
            return .need(.wait(.outboxDisk(last)))
        }
        if names.isEmpty { sync.makeRoomForDraft() }
        let name = names.popLast() ?? sync.random.requestID()
        // Another process may have saved a draft of the same place at the same time.
        for older in names { sync.enqueue(.discard(older)) }
        sync.outbox.draftNames[place] = name
        let draft = OutboxDraft(
            name, to: channel, createdAt: sync.now, content: .draft(content))
        let ticket = sync.enqueue(.keep(draft))
        state = .keeping(ticket: ticket)
        return .need(.wait(.outboxDisk(ticket)))
    }
}

extension OutboxItem {
    /// Whether the item is to be sent.
    package var isWaiting: Bool { state == .pending && !content.staysHere }

    /// The draft; nil for all other items.
    package var draft: MessageDraft? {
        guard case .draft(let content) = content else { return nil }
        return MessageDraft(
            content.text, replyingTo: content.replyingTo, mentioning: content.mention,
            at: DraftPlace(channel, thread: content.thread), editedAt: createdAt)
    }
}

extension Outbox {
    /// Returns a draft; nil without one.
    package func draft(at place: DraftPlace) -> MessageDraft? {
        items.last { $0.draft?.place == place }?.draft
    }

    /// Returns the request IDs of a place's draft, the newest last; one that is being written
    /// counts.
    fileprivate func draftNames(at place: DraftPlace) -> [RequestID] {
        let names = items.filter { $0.draft?.place == place }.map(\.requestID)
        return names.isEmpty ? draftNames[place].map { [$0] } ?? [] : names
    }

    /// Returns the drafts of a channel, or all; the one that was edited last is first.
    package func drafts(in channel: ChannelURL? = nil) -> [MessageDraft] {
        items.reversed().filter { $0.channel == channel ?? $0.channel }.compactMap(\.draft)
    }
}

extension SyncState {
    /// Removes the oldest draft if there are as many as allowed.
    fileprivate mutating func makeRoomForDraft() {
        let drafts = outbox.items.filter { $0.draft != nil }
        guard drafts.count >= MessageDraft.maxCount, let oldest = drafts.first else { return }
        enqueue(.discard(oldest.requestID))
    }

    /// Removes the drafts of a channel that the user has left or lost.
    mutating func discardDrafts(in channel: ChannelURL) {
        for item in outbox.items where item.channel == channel && item.draft != nil {
            enqueue(.discard(item.requestID))
        }
    }

    /// Takes an item of this device that is on disk, in place of an older one.
    mutating func keepItem(_ item: OutboxItem) {
        outbox.order.takeOut(item.requestID)
        outbox.order.place(item)
        if let place = item.draft?.place { outbox.draftNames[place] = item.requestID }
        moveOutbox(.revised(OutboxMachine.Item(item), isMoved: false))
    }

    /// Forgets an item of this device that is gone from the disk.
    mutating func forgetItem(_ requestID: RequestID) {
        guard let item = outbox.order.takeOut(requestID) else { return }
        if let place = item.draft?.place { outbox.draftNames[place] = nil }
        moveOutbox(.canceled(requestID))
    }
}
