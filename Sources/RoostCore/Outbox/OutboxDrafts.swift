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

/// A requested write of a draft.
struct DraftWrite: Equatable, Codable, Sendable {
    /// The number of the write in the queue.
    let ticket: Int
    /// The new content; nil for a removal.
    let content: DraftContent?
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
    /// The only content that is removed; nil for any.
    private let sent: DraftContent?
    private var state = State.beginning

    private var place: DraftPlace { DraftPlace(channel, thread: content.thread) }

    /// An empty text that answers no message removes the draft.
    package init(_ content: DraftContent, in channel: ChannelURL) {
        self.content = content
        self.channel = channel
        sent = nil
    }

    /// Removes a draft that was sent, unless another one is saved in its place by now.
    package init(removing sent: DraftContent, in channel: ChannelURL) {
        content = DraftContent("", in: sent.thread)
        self.channel = channel
        self.sent = sent
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
        if let flush = sync.flushNotes() {
            state = .writingNotes
            return flush
        }
        if let sent, sync.outbox.newestDraft(at: place) != sent { return .end(.done) }
        var names = sync.outbox.draftNames(at: place)
        for name in names {
            if let error = sync.outbox.disk.refusal(of: name) { return .fail(error) }
        }
        if content.text.isEmpty && content.replyingTo == nil {
            // The jobs end in their order.
            guard let last = names.map({ sync.enqueue(.discard($0)) }).last else {
                return .end(.done)
            }
            sync.outbox.noteDraftWrite(at: place, last, nil)
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
        sync.outbox.noteDraftWrite(at: place, ticket, content)
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
        draftItems(at: place).last?.draft
    }

    private func draftItems(at place: DraftPlace) -> [OutboxItem] {
        order.localItems(of: place.channel).filter { $0.draft?.place == place }
    }

    /// Returns the request IDs of a place's draft, the newest last; one that is being written
    /// counts.
    fileprivate func draftNames(at place: DraftPlace) -> [RequestID] {
        let names = draftItems(at: place).map(\.requestID)
        return names.isEmpty ? draftNames[place].map { [$0] } ?? [] : names
    }

    /// Notes a requested write; those that are done say nothing more.
    fileprivate mutating func noteDraftWrite(
        at place: DraftPlace, _ ticket: Int, _ content: DraftContent?
    ) {
        draftWrites = draftWrites.filter { $0.value.ticket > disk.lastDone }
        draftWrites[place] = DraftWrite(ticket: ticket, content: content)
    }

    /// Returns the write of a place's draft that is not done; nil without one.
    private func draftWrite(at place: DraftPlace) -> DraftWrite? {
        draftWrites[place].flatMap { $0.ticket > disk.lastDone ? $0 : nil }
    }

    /// Returns the draft that a place will have when all requested writes are done.
    fileprivate func newestDraft(at place: DraftPlace) -> DraftContent? {
        if let write = draftWrite(at: place) { return write.content }
        guard case .draft(let content)? = draftItems(at: place).last?.content else { return nil }
        return content
    }

    /// The drafts that there will be when all requested writes are done, the oldest first.
    fileprivate var futureDrafts: [(place: DraftPlace, name: RequestID)] {
        var places: Set<DraftPlace> = []
        var drafts: [(place: DraftPlace, name: RequestID)] = []
        for item in items {
            guard let place = item.draft?.place else { continue }
            places.insert(place)
            if let write = draftWrite(at: place), write.content == nil { continue }
            drafts.append((place, item.requestID))
        }
        let writes = draftWrites.sorted { $0.value.ticket < $1.value.ticket }
        for (place, write) in writes where write.ticket > disk.lastDone {
            guard write.content != nil, !places.contains(place), let name = draftNames[place]
            else { continue }
            drafts.append((place, name))
        }
        return drafts
    }

    /// Returns the drafts of a channel, or all; the one that was edited last is first.
    package func drafts(in channel: ChannelURL? = nil) -> [MessageDraft] {
        items.reversed().filter { $0.channel == channel ?? $0.channel }.compactMap(\.draft)
    }
}

extension SyncState {
    /// Removes the oldest drafts if there are as many as allowed, those being written included.
    fileprivate mutating func makeRoomForDraft() {
        let drafts = outbox.futureDrafts
        for draft in drafts.prefix(max(0, drafts.count + 1 - MessageDraft.maxCount)) {
            outbox.noteDraftWrite(at: draft.place, enqueue(.discard(draft.name)), nil)
        }
    }

    /// Removes the drafts of a channel that the user has left or lost.
    mutating func discardDrafts(in channel: ChannelURL) {
        for item in outbox.order.localItems(of: channel) {
            guard let place = item.draft?.place else { continue }
            outbox.noteDraftWrite(at: place, enqueue(.discard(item.requestID)), nil)
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
