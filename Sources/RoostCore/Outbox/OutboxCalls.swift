// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Loads the unsent items of an earlier run.
package struct OutboxLoading: SyncOperation {
    /// The age from which a copy that no item names counts as left by a crash.
    private static let orphanAgeMS: Int64 = 86_400_000

    private enum State: Equatable, Codable, Sendable { case beginning, reading, tidying }

    private let me: User
    private let files: String?
    private var state = State.beginning

    /// - Parameters:
    ///   - me: The user as the sender of unsent messages.
    ///   - files: The folder of the copies of files; nil in memory.
    package init(of me: User, files: String?) {
        self.me = me
        self.files = files
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            sync.outbox.me = me
            sync.outbox.files = files
            state = .reading
            return .need(.outbox(.news(regardless: true)))
        case (.reading, .outbox(.success(.news(let items)))):
            for item in items?.items ?? [] {
                sync.outbox.order.place(item)
                _ = sync.moveLanes(.queued(OutboxMachine.Item(item)))
            }
            state = .tidying
            let past = sync.now.advanced(by: -Self.orphanAgeMS)
            return .need(.outbox(.tidyFiles(madeBefore: past)))
        // A failed deletion is harmless; the next opening tries again.
        case (.tidying, .outbox): return .end(.done)
        default: return .fail(reply)
        }
    }
}

/// Queues a failed item again, at the end of its lane and for another three days.
///
/// Ends with false if the item is gone or has not failed.
package struct OutboxResending: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case writingNotes
        case requeuing(ticket: Int)
        case rereading
        case finding(RequestID)
    }

    private let requestID: RequestID
    private var state = State.beginning

    package init(_ requestID: RequestID) { self.requestID = requestID }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin), (.writingNotes, .woken(nil)): return requeue(&sync)
        case (.writingNotes, .woken(_?)): return requeueInMemory(&sync)
        case (.requeuing(let ticket), .woken):
            switch sync.outbox.disk.answers.removeValue(forKey: ticket) {
            case .item(_?)?, .failed?: return aim(&sync)
            default:
                // Another process has already changed the item.
                state = .rereading
                return .need(.wait(.outboxDisk(sync.requestRead())))
            }
        case (.rereading, .woken): return .end(.flag(false))
        case (.finding(let awaited), .read(let result)):
            if case .success(.message(let message?)) = result {
                sync.moveOutbox(.delivered(awaited, message.messageID))
            }
            return .end(.flag(true))
        default: return .fail(reply)
        }
    }

    private mutating func requeue(_ sync: inout SyncState) -> Step {
        // Checked after each wait, because items may have changed meanwhile.
        if let flush = sync.flushNotes() {
            state = .writingNotes
            return flush
        }
        guard case .failed? = sync.outbox.order[requestID]?.state,
            !sync.outbox.disk.requeuing.contains(requestID)
        else { return .end(.flag(false)) }
        if sync.outbox.disk.refusal(of: requestID) != nil { return requeueInMemory(&sync) }
        sync.outbox.disk.requeuing.insert(requestID)
        let ticket = sync.enqueue(.requeue(requestID, createdAt: sync.now))
        state = .requeuing(ticket: ticket)
        return .need(.wait(.outboxDisk(ticket)))
    }

    /// Queues the item in memory only.
    ///
    /// If the process ends before the write, the item is failed again at the next start.
    private mutating func requeueInMemory(_ sync: inout SyncState) -> Step {
        guard sync.requeueUnwritten(requestID, sync.now) else { return .end(.flag(false)) }
        return aim(&sync)
    }

    /// Points a change at its message, which may have been delivered while the change was failed.
    private mutating func aim(_ sync: inout SyncState) -> Step {
        guard let item = sync.outbox.order[requestID], let awaited = item.content.awaited else {
            return .end(.flag(true))
        }
        state = .finding(awaited)
        return .need(.read(.messageOfRequest(awaited)))
    }
}

/// Cancels an item; an item in flight may arrive nevertheless.
package struct OutboxCanceling: SyncOperation {
    private let requestID: RequestID
    /// The channel whose failed message the item has to be; nil for any item.
    private let channelOfFailed: ChannelURL?

    package init(_ requestID: RequestID, onlyIfFailedIn channel: ChannelURL? = nil) {
        self.requestID = requestID
        channelOfFailed = channel
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch reply {
        case .begin:
            if let channelOfFailed {
                guard let item = sync.outbox.order[requestID], item.channel == channelOfFailed,
                    item.change == nil, case .failed = item.state
                else { return .end(.done) }
            }
            guard let ticket = sync.cancelUnsent(requestID) else { return .end(.done) }
            return .need(.wait(.outboxDisk(ticket)))
        case .woken: return .end(.done)
        default: return .fail(reply)
        }
    }
}

/// Waits for the outcome of an item; throws unless the item is delivered.
package struct OutboxOutcome: SyncOperation {
    private let requestID: RequestID

    package init(_ requestID: RequestID) { self.requestID = requestID }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch reply {
        case .begin:
            if let ending = sync.ending(of: requestID) { return .end(ending) }
            sync.outbox.awaited.insert(requestID)
            return .need(.wait(.outcome(requestID)))
        case .woken(nil): return .end(.done)
        default: return .fail(reply)
        }
    }
}

extension SyncState {
    /// Returns the end of an item for a caller that waits; nil while the item is pending.
    fileprivate func ending(of requestID: RequestID) -> Outcome? {
        guard let item = outbox.order[requestID] else { return .done }
        if case .failed(let code) = item.state {
            // The recorded error may belong to an earlier attempt.
            if let reason = outbox.reasons[requestID], reason.code == code {
                return .failed(reason)
            }
            return .failed(RoostError(refused: code))
        }
        return isClosed ? .failed(.notConnected) : nil
    }
}

/// Publishes the server's refusal of a change, with the message or the channel from the cache.
package struct OutboxRefusal: SyncOperation {
    private enum State: Equatable, Codable, Sendable { case beginning, reading }

    private let change: PendingChange
    private let code: RoostError.Code
    private var state = State.beginning

    init(_ change: PendingChange, _ code: RoostError.Code) {
        self.change = change
        self.code = code
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            guard let question = change.heldQuestion else { return answer(nil, &sync) }
            state = .reading
            return .need(.read(question))
        case (.reading, .read(let result)): return answer(result.value, &sync)
        default: return .fail(reply)
        }
    }

    private func answer(_ held: StoreAnswer?, _ sync: inout SyncState) -> Step {
        sync.publish(.changeRefused(ChangeRefusal(change, code, held)))
        sync.endOutcome(of: change.id, with: sync.failure(of: change.id, code))
        return .end(.done)
    }
}

/// Lists the changes that the server refused, oldest first.
package struct OutboxRefusals: SyncOperation {
    private let channel: ChannelURL?
    /// The refusals, of which the first ones have their messages and channels.
    private var refusals: [ChangeRefusal] = []
    /// The number of those whose messages and channels are looked up.
    private var count = 0

    package init(in channel: ChannelURL?) { self.channel = channel }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch reply {
        case .begin:
            refusals = sync.outbox.items.compactMap { item in
                guard let change = item.change, case .failed(let code) = item.state,
                    channel ?? item.channel == item.channel
                else { return nil }
                return ChangeRefusal(change: change, reason: code)
            }
            return next()
        case .read(let result) where count < refusals.count:
            add(result.value)
            return next()
        default: return .fail(reply)
        }
    }

    private mutating func next() -> Step {
        while count < refusals.count {
            if let question = refusals[count].change.heldQuestion { return .need(.read(question)) }
            add(nil)
        }
        return .end(.refusals(refusals))
    }

    private mutating func add(_ held: StoreAnswer?) {
        let refusal = refusals[count]
        refusals[count] = ChangeRefusal(refusal.change, refusal.reason, held)
        count += 1
    }
}

extension PendingChange {
    /// The question to the cache for the object that a refused change leaves as it is.
    fileprivate var heldQuestion: StoreQuestion? {
        switch action {
        case .channel: .channel(channel)
        default: if case .delivered(let id)? = action.target { .message(id) } else { nil }
        }
    }
}

extension ChangeRefusal {
    fileprivate init(_ change: PendingChange, _ code: RoostError.Code, _ held: StoreAnswer?) {
        switch held {
        case .message(let message)?: self.init(change: change, reason: code, held: message)
        case .channel(let channel)?: self.init(change: change, reason: code, heldChannel: channel)
        default: self.init(change: change, reason: code)
        }
    }
}

extension RoostError {
    static let noSuchMessage = RoostError(
        .messageNotFound, remedy: .correctInput,
        message: "No such message waits in the outbox or stands in the cache.")

    static let takenBack = RoostError(
        .requestCanceled, remedy: .none,
        message: "The message or change was canceled before the server had it.")

    static let nothingToChange = RoostError(
        .requestCanceled, remedy: .none,
        message: "The message was canceled before it was sent, so there was nothing to change.")

    static let nothingToMark = RoostError(
        .requestCanceled, remedy: .none,
        message: "The mark was dropped, because newer messages came: mark the channel again when "
            + "they were shown.")

    init(refused code: Code) {
        self.init(
            code, remedy: Self.remedy(of: code),
            message: "The server refused it, or it was not sent within three days (code "
                + "\(code.rawValue)). `resend(_:)` tries again, `cancel(_:)` drops it.")
    }
}
