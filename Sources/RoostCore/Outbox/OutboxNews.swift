// SPDX-License-Identifier: Apache-2.0

// An app and its extension may share one outbox. Both write to it; one of them sends.

import RoostModel

extension SyncState {
    /// Applies the items on disk as another process left them.
    ///
    /// - Returns: The items that are in memory and not on disk.
    mutating func adopt(_ stored: OutboxItems) -> [RequestID] {
        let names = Set(stored.items.map(\.requestID))
        let missing = outbox.items.map(\.requestID).filter { !names.contains($0) }
        var channels: Set<ChannelURL> = []
        var effects: [OutboxMachine.Effect] = []
        var followUps: [OutboxFollowUp] = []
        for item in stored.items {
            let old = outbox.order[item.requestID]
            guard old != item else { continue }
            guard outbox.disk.isSettled(item.requestID) else {
                outbox.disk.missNews(of: item.requestID)
                continue
            }
            if item.change == nil { channels.insert(item.channel) }
            guard let old else {
                outbox.order.place(item)
                effects += moveLanes(.queued(OutboxMachine.Item(item)))
                continue
            }
            outbox.order.takeOut(item.requestID)
            outbox.order.place(item)
            let isMoved = item.sequence != old.sequence
            effects += moveLanes(.revised(OutboxMachine.Item(item), isMoved: isMoved))
            if old.state != item.state, case .failed(let code) = item.state {
                followUps.append(.failed(item, code))
            }
            if case .failed = old.state, item.state == .pending, let message = outbox.message(item)
            {
                outbox.reasons[item.requestID] = nil
                publish(.retried(message))
            }
        }
        for channel in channels.sorted() { showUnsent(of: channel) }
        carryOut(effects, then: followUps)
        return missing
    }

    /// Removes an item that another process delivered, or canceled if the cache has no message of
    /// it.
    fileprivate mutating func forget(_ requestID: RequestID, _ found: Message?) {
        if let found {
            arrive(requestID, as: found)
        } else {
            // The other process has removed the mark's inbox, which begins anew then.
            if let place = outbox.order[requestID]?.inboxPlace { outbox.inboxClaims[place] = nil }
            cancelUnsent(requestID)
        }
    }

    /// Settles an item whose message is delivered in the cache.
    fileprivate mutating func arrive(_ requestID: RequestID, as message: Message) {
        guard outbox.order.contains(requestID) else { return }
        // The timelines may not have the other process's commit yet.
        readAgain(message.channelURL)
        moveOutbox(
            .delivered(requestID, message.messageID), then: [.event(.delivered(message))])
    }
}

/// Settles the items that are in memory and not on disk.
///
/// Another process has delivered or canceled such items. After damage to the file they are written
/// again unless the cache has their messages. Items that the repair saved are missing because of
/// another process.
package struct OutboxMissingItems: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case askingDisk
        /// The disk is asked which of the changes were dropped; the rest of `absent` is looked up.
        case askingDropped
        /// The place in `absent` whose look-up is in flight.
        case lookingUp(Int)
        case mending
    }

    private let missing: [RequestID]
    /// The missing items that the disk does not have.
    private var absent: [RequestID] = []
    private let isReadable: Bool
    private let loss: OutboxLoss?
    private var found: [RequestID: Message] = [:]
    private var dropped: Set<RequestID> = []
    private var isCertain = true
    private var state = State.beginning

    init(_ missing: [RequestID], in stored: OutboxItems) {
        self.missing = missing
        isReadable = stored.unreadable.isEmpty
        loss = stored.loss
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            // An item whose row is unreadable is not missing.
            guard loss == nil, !isReadable, !missing.isEmpty else {
                return askForDropped(missing, &sync)
            }
            state = .askingDisk
            return .need(.outbox(.absent(missing)))
        case (.askingDisk, .outbox(.success(.absent(let absent)))):
            return askForDropped(absent, &sync)
        case (.askingDropped, .outbox(.success(.dropped(let names)))):
            dropped = Set(names)
            return lookUp(from: 0, &sync)
        case (.lookingUp(let place), .read(.success(.message(let message)))):
            if loss == nil {
                sync.forget(absent[place], message)
            } else {
                found[absent[place]] = message
            }
            return lookUp(from: place + 1, &sync)
        case (.lookingUp(let place), .read(.failure(let error))):
            // The item stays; after damage the cache has to answer before anything is decided.
            if loss != nil { return .fail(error) }
            isCertain = false
            return lookUp(from: place + 1, &sync)
        case (.mending, .outbox(.success)): return end(&sync)
        default: return .fail(reply)
        }
    }

    /// Asks which of the waiting changes were dropped; the rest of them is made.
    private mutating func askForDropped(_ ids: [RequestID], _ sync: inout SyncState) -> Step {
        absent = ids
        let changes = ids.filter { id in
            sync.outbox.order[id].map { $0.change != nil && $0.state == .pending } ?? false
        }
        guard !changes.isEmpty else { return lookUp(from: 0, &sync) }
        state = .askingDropped
        return .need(.outbox(.dropped(changes)))
    }

    private mutating func lookUp(from start: Int, _ sync: inout SyncState) -> Step {
        for place in absent.indices.dropFirst(start) {
            let requestID = absent[place]
            guard let item = sync.outbox.order[requestID] else { continue }
            if loss == nil {
                guard sync.outbox.disk.isSettled(requestID) else {
                    sync.outbox.disk.missNews(of: requestID)
                    continue
                }
                if item.change != nil {
                    sync.endChange(item, isDropped: dropped.contains(requestID))
                    continue
                }
            }
            state = .lookingUp(place)
            return .need(.read(.messageOfRequest(requestID)))
        }
        guard let loss else { return end(&sync) }
        return restore(after: loss, &sync)
    }

    /// Writes lost items again.
    private mutating func restore(after loss: OutboxLoss, _ sync: inout SyncState) -> Step {
        var isWhole = true
        var lost: [OutboxItem] = []
        var gone: [RequestID] = []
        for requestID in missing where found[requestID] == nil {
            guard let item = sync.outbox.order[requestID] else { continue }
            if loss.savedItems.contains(item.sequence) {
                gone.append(requestID)
            } else if sync.outbox.disk.isSettled(requestID) {
                lost.append(item)
            } else {
                isWhole = false
                sync.outbox.disk.missNews(of: requestID)
            }
        }
        for item in lost { sync.outbox.disk.note(.restored(item)) }
        if !lost.isEmpty { _ = sync.writeNotes() }
        for (requestID, message) in found.sorted(by: { $0.key < $1.key }) {
            sync.arrive(requestID, as: message)
        }
        for requestID in gone {
            if sync.outbox.disk.isSettled(requestID) {
                if let item = sync.outbox.order[requestID], item.change != nil {
                    sync.endChange(item, isDropped: dropped.contains(requestID))
                } else {
                    sync.forget(requestID, nil)
                }
            } else {
                sync.outbox.disk.missNews(of: requestID)
            }
        }
        guard isWhole else { return end(&sync) }
        state = .mending
        return .need(.outbox(.mend(loss)))
    }

    private func end(_ sync: inout SyncState) -> Step {
        isCertain ? .end(.done) : .fail(.outOfStep)
    }
}

extension SyncState {
    /// Ends a change that another process has removed: one that waited was made there, unless the
    /// disk says that it was dropped; a refused one was given up.
    fileprivate mutating func endChange(_ item: OutboxItem, isDropped: Bool) {
        guard item.state == .pending, !isDropped else {
            cancelUnsent(item.requestID)
            return
        }
        readAgain(item.channel)
        noteMade(item.requestID)
    }
}

/// Settles messages of unknown outcome that the cache has, before they are sent again.
///
/// Also points waiting changes at messages that another process has delivered. A process may end
/// between the commit of a delivered message and its removal from the outbox. Pages of the server
/// show the message only while it is among the newest ones.
package struct OutboxUnsureMessages: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        /// The place in `ids` whose look-up is in flight.
        case lookingUp(Int)
    }

    private var ids: [RequestID] = []
    private var state = State.beginning

    package init() {}

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            let awaited = sync.outbox.items.compactMap(\.content.awaited)
            let stranded = Set(awaited.filter { !sync.outbox.order.contains($0) })
            let unsure = sync.outbox.unsureMessages.map(\.requestID)
            ids = unsure + stranded.sorted()
            return lookUp(0)
        case (.lookingUp(let place), .read(let result)):
            if case .success(.message(let message?)) = result {
                // The timelines may not have the commit of another process yet.
                sync.readAgain(message.channelURL)
                sync.noteDelivery(message)
            }
            return lookUp(place + 1)
        default: return .fail(reply)
        }
    }

    private mutating func lookUp(_ place: Int) -> Step {
        guard place < ids.count else { return .end(.done) }
        state = .lookingUp(place)
        return .need(.read(.messageOfRequest(ids[place])))
    }
}
