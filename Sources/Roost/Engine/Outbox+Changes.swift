// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore

// What a person asks of messages that exist, and of what waits here.

extension Outbox {
    /// Writes a change down and queues it, or does it here when the server need not know.
    ///
    /// - Returns: The name of the act; that of the message where the change became part of it.
    func change(
        _ action: PendingChange.Action, in channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        guard case .unsent(let requestID)? = action.target else {
            let name = try await append(.change(action), to: channel).requestID
            if case .markAsRead(let moment) = action {
                await dropReadMarks(of: channel, through: moment, before: name)
            }
            return name
        }
        guard let index = index(of: requestID), items[index].change == nil else {
            // It was delivered since the caller looked.
            guard let messageID = await surroundings.find(requestID) else { throw .noSuchMessage }
            return try await append(.change(action.aimed(at: messageID)), to: channel).requestID
        }
        let mayHaveLeft = machine.item(requestID)?.hasLeft ?? true
        switch action {
        case .edit(_, let edit) where !mayHaveLeft:
            try await fold(edit, into: requestID)
            return requestID
        case .delete where !mayHaveLeft:
            await cancel(requestID)
            return requestID
        default:
            let item = try await append(.change(action), to: channel)
            // The server may have it already: then the deletion goes to the server when it shows.
            if case .delete = action { await cancel(requestID) }
            if self.index(of: requestID) == nil, let id = await surroundings.find(requestID) {
                await receive(.delivered(requestID, id))
            }
            return item.requestID
        }
    }

    /// Changes what a message says that certainly never left.
    private func fold(_ edit: MessageEdit, into requestID: RequestID) async throws(RoostError) {
        guard let index = index(of: requestID) else { throw .noSuchMessage }
        let before = items[index].content
        // At once, so that it leaves with the new words even if it leaves during the write.
        items[index].content = before.applying(edit)
        let (channel, content) = (items[index].channel, items[index].content)
        do {
            try await store.note(.content(requestID, channel, content))
        } catch {
            if let index = self.index(of: requestID), machine.item(requestID)?.hasLeft == false {
                items[index].content = before
            }
            throw RoostError(error)
        }
        await surroundings.changed(channel)
    }

    /// A newer read mark says all that an older one does.
    private func dropReadMarks(
        of channel: ChannelURL, through moment: Timestamp, before name: RequestID
    ) async {
        let old = items.filter { item in
            guard item.channel == channel, item.requestID != name,
                case .change(.markAsRead(let earlier)) = item.content
            else { return false }
            return earlier <= moment && !machine.isOnItsWay(item.requestID)
        }
        for item in old { await cancel(item.requestID) }
    }

    // MARK: Again, or never

    /// Queues something failed once more, behind all others and for another three days.
    func resend(_ requestID: RequestID) async -> Bool {
        guard let index = index(of: requestID), case .failed = items[index].state else {
            return false
        }
        let now = world.wallTime()
        // A disk that refuses has it failed again after a relaunch, and no worse.
        let stored = try? await store.requeue(requestID, createdAt: now)
        guard let index = self.index(of: requestID), case .failed = items[index].state else {
            return false
        }
        var item = items.remove(at: index)
        item.state = .pending
        item.createdAt = now
        item.sequence = stored?.sequence ?? item.sequence
        place(item)
        reasons[requestID] = nil
        if let message = message(item) { observers.publish(.retried(message)) }
        if item.change == nil { await surroundings.changed(item.channel) }
        await receive(.retried(requestID, now: now))
        // What it waits for may have been delivered while it did not wait.
        guard case .unsent(let awaited)? = item.change?.action.target,
            let id = await surroundings.find(awaited)
        else { return true }
        await receive(.delivered(awaited, id))
        return true
    }

    /// Takes something back; what is on its way may arrive all the same.
    func cancel(_ requestID: RequestID) async {
        guard let index = index(of: requestID) else { return }
        let item = items[index]
        resumeWaiters(of: requestID, with: .takenBack)
        await receive(.canceled(requestID))
        if let change = item.change { observers.publish(.changeDropped(change)) }
        guard var message = message(item) else { return }
        message.delivery = .unsent(requestID, .canceled)
        observers.publish(.canceled(message))
    }

    // MARK: What there is

    /// The unsent messages of a channel, in the order they were written.
    func unsent(in channel: ChannelURL) -> [Message] {
        items.filter { $0.channel == channel }.compactMap(message)
    }

    /// The changes of a channel that wait, in the order they were asked for.
    func pendingChanges(in channel: ChannelURL) -> [PendingChange] {
        items.filter { $0.channel == channel && $0.state == .pending }.compactMap(\.change)
    }

    /// The changes the server did not make, oldest first.
    func refusals(in channel: ChannelURL?) async -> [ChangeRefusal] {
        var refusals: [ChangeRefusal] = []
        for item in items where channel.map({ $0 == item.channel }) ?? true {
            guard case .failed(let code) = item.state,
                let refusal = await refusal(of: item, code)
            else { continue }
            refusals.append(refusal)
        }
        return refusals
    }

    func refuse(_ item: OutboxItem, _ code: RoostError.Code) async {
        guard let refusal = await refusal(of: item, code) else { return }
        observers.publish(.changeRefused(refusal))
    }

    private func refusal(of item: OutboxItem, _ code: RoostError.Code) async -> ChangeRefusal? {
        guard let change = item.change else { return nil }
        var held: Message?
        if case .delivered(let id)? = change.action.target { held = await surroundings.held(id) }
        return ChangeRefusal(change: change, reason: code, held: held)
    }

    /// Returns when something has come to its end; nil when that was a good one.
    func outcome(of requestID: RequestID) async -> RoostError? {
        guard let index = index(of: requestID) else { return nil }
        if case .failed(let code) = items[index].state {
            // The reason of an earlier try may be another one.
            if let reason = reasons[requestID], reason.code == code { return reason }
            return RoostError(refused: code)
        }
        if isFinished { return .notConnected }
        return await withCheckedContinuation { waiters[requestID, default: []].append($0) }
    }

    func resumeWaiters(of requestID: RequestID, with error: RoostError?) {
        for waiter in waiters.removeValue(forKey: requestID) ?? [] {
            waiter.resume(returning: error)
        }
    }

    /// The client closes: nobody waits any more.
    func finish() {
        isFinished = true
        observers.finish()
        for requestID in waiters.keys.sorted() { resumeWaiters(of: requestID, with: .notConnected) }
    }
}

extension OutboxContent {
    /// The message with an edit of the person who wrote it.
    fileprivate func applying(_ edit: MessageEdit) -> OutboxContent {
        switch self {
        case .userMessage(var params):
            params.text = edit.text ?? params.text
            params.data = edit.data ?? params.data
            params.customType = edit.customType ?? params.customType
            params.mention = edit.mention ?? params.mention
            return .userMessage(params)
        case .fileMessage(var params, let copies):
            params.caption = edit.text ?? params.caption
            params.data = edit.data ?? params.data
            params.customType = edit.customType ?? params.customType
            params.mention = edit.mention ?? params.mention
            return .fileMessage(params, copies: copies)
        case .change: return self
        }
    }
}

extension PendingChange.Action {
    /// The same change of a message that has its ID now.
    func aimed(at id: MessageID) -> Self {
        switch self {
        case .edit(_, let edit): .edit(.delivered(id), edit)
        case .delete: .delete(.delivered(id))
        case .addReaction(let key, _): .addReaction(key, .delivered(id))
        case .removeReaction(let key, _): .removeReaction(key, .delivered(id))
        case .markAsRead: self
        }
    }
}

extension RoostError {
    static let noSuchMessage = RoostError(
        .messageNotFound, remedy: .correctInput,
        message: "No such message waits in the outbox or stands in the cache.")

    static let takenBack = RoostError(
        .requestCanceled, remedy: .none, message: "It was taken back before it was done.")

    static let nothingToChange = RoostError(
        .requestCanceled, remedy: .none,
        message: "The message was taken back before it was sent, so there was nothing to change.")

    init(refused code: Code) {
        self.init(
            code, remedy: Self.remedy(of: code),
            message: "The server did not do it, or could not be asked in time.")
    }
}
