// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore

// What a person asks of messages that exist, and of what waits here.

extension Outbox {
    /// Writes a change down and queues it, or does it here when the server need not know.
    ///
    /// - Returns: The name of the act; that of the message or of the waiting edit it became part of.
    func change(
        _ action: PendingChange.Action, in channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        guard case .unsent(let requestID)? = action.target else {
            return try await queue(action, in: channel)
        }
        if certainlyHere(requestID), try await isDoneHere(action, to: requestID) {
            return requestID
        }
        guard isUnsentMessage(requestID) else {
            // It was delivered since the caller looked.
            guard let messageID = try await surroundings.find(requestID) else {
                throw .noSuchMessage
            }
            return try await queue(action.aimed(at: messageID), in: channel)
        }
        let name = try await queue(action, in: channel)
        // The server may have it already: then the deletion goes to the server when it shows.
        if case .delete = action { await cancel(requestID) }
        if index(of: requestID) == nil, let id = try? await surroundings.find(requestID) {
            await receive(.delivered(requestID, id))
        }
        return name
    }

    private func isUnsentMessage(_ requestID: RequestID) -> Bool {
        index(of: requestID).map { items[$0].change == nil } ?? false
    }

    private func certainlyHere(_ requestID: RequestID) -> Bool {
        isUnsentMessage(requestID) && machine.item(requestID)?.hasLeft == false
    }

    /// Edits or deletes a message that has not left; false when it turns out that it may have.
    private func isDoneHere(
        _ action: PendingChange.Action, to requestID: RequestID
    ) async throws(RoostError) -> Bool {
        let isDone: Bool
        switch action {
        case .edit(_, let edit): isDone = try await fold(edit, into: requestID)
        case .delete:
            do {
                isDone = try await store.takeBack(requestID)
            } catch {
                throw RoostError(error)
            }
            // It may have begun to leave meanwhile; then the server has to delete it.
            if isDone, !certainlyHere(requestID) { return false }
            if isDone { await cancel(requestID) }
        case .addReaction, .removeReaction, .markAsRead: return false
        }
        // Another process has sent it or taken it back.
        if !isDone { await hearOthers() }
        return isDone
    }

    /// Writes a change down, as part of an edit that waits where it can be.
    private func queue(
        _ action: PendingChange.Action, in channel: ChannelURL
    ) async throws(RoostError) -> RequestID {
        if case .edit(let target, let edit) = action,
            let waiting = waitingEdit(of: target, in: channel), try await fold(edit, into: waiting)
        {
            return waiting
        }
        let name = try await append(.change(action), to: channel).requestID
        if case .markAsRead(let moment) = action {
            await dropReadMarks(of: channel, through: moment, before: name)
        }
        return name
    }

    /// The last word on a message, if it is an edit that certainly has not left.
    private func waitingEdit(of target: MessageTarget, in channel: ChannelURL) -> RequestID? {
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
            machine.item(last.requestID)?.hasLeft == false
        else { return nil }
        return last.requestID
    }

    /// Changes what waits and certainly never left; false when it may have.
    private func fold(
        _ edit: MessageEdit, into requestID: RequestID
    ) async throws(RoostError) -> Bool {
        while isDiskBehind {
            if let error = await repair() { throw RoostError(error) }
        }
        if let error = refusal(of: requestID) { throw RoostError(error) }
        // It may have begun to leave meanwhile.
        guard let index = index(of: requestID), machine.item(requestID)?.hasLeft == false else {
            return false
        }
        let before = items[index].content
        let after = before.applying(edit)
        // At once, so that it leaves with the new words even if it leaves during the write.
        items[index].content = after
        unsettle([requestID])
        defer { settle([requestID]) }
        var stored: OutboxItem?
        var failure: StoreError?
        do throws(StoreError) {
            stored = try await store.fold(edit, into: requestID, at: world.wallTime())
        } catch {
            failure = error
        }
        if let index = self.index(of: requestID), items[index].content == after {
            // Another process may have put in words of its own.
            items[index].content = stored?.content ?? before
        }
        if let failure { throw RoostError(failure) }
        guard let stored else { return false }
        guard let change = stored.change else {
            await surroundings.changed(stored.channel)
            return true
        }
        if let index = self.index(of: requestID) { items[index].createdAt = stored.createdAt }
        observers.publish(.changeQueued(change))
        await receive(.revised(OutboxMachine.Item(stored), isMoved: false))
        return true
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
        var refusal: StoreError?
        // Asked again each time: something may have become of items on the way back.
        while refusal == nil, isDiskBehind { refusal = await repair() }
        refusal = refusal ?? self.refusal(of: requestID)
        guard let index = index(of: requestID), case .failed = items[index].state else {
            return false
        }
        let now = world.wallTime()
        unsettle([requestID])
        var requeued: OutboxItem?
        if refusal == nil {
            do throws(StoreError) {
                guard let stored = try await store.requeue(requestID, createdAt: now) else {
                    // Another process has seen to it, which may have been heard during this.
                    settle([requestID])
                    hasMissedNews = true
                    await hearOthers()
                    return false
                }
                requeued = stored
            } catch {
                refusal = error
            }
        }
        // It is sent all the same; should the process end before the disk is told, it has failed again.
        if refusal != nil {
            owe([Debt(note: .requeued(requestID, createdAt: now))])
            await payDebts()
        }
        defer { settle([requestID]) }
        guard let index = self.index(of: requestID), case .failed = items[index].state else {
            return false
        }
        var item = takeOut(at: index)
        item.state = .pending
        item.createdAt = now
        if let requeued {
            item.sequence = requeued.sequence
            // Another process may have given it other words meanwhile.
            item.content = requeued.content
        }
        place(item)
        reasons[requestID] = nil
        if let message = message(item) { observers.publish(.retried(message)) }
        if item.change == nil { await surroundings.changed(item.channel) }
        await receive(.retried(requestID, now: now))
        // What it waits for may have been delivered while it did not wait.
        guard case .unsent(let awaited)? = item.change?.action.target,
            let id = try? await surroundings.find(awaited)
        else { return true }
        await receive(.delivered(awaited, id))
        return true
    }

    /// Takes something back; what is on its way may arrive all the same.
    func cancel(_ requestID: RequestID) async {
        guard let index = index(of: requestID) else { return }
        let item = items[index]
        let effects = step(.canceled(requestID))
        // Somebody else has just taken it back, and tells of it.
        guard !effects.isEmpty else { return }
        resumeWaiters(of: requestID, with: .takenBack)
        await carryOut(effects)
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
        await withCheckedContinuation { continuation in
            // Asked in here, because to come here may let others in, as any `await` may.
            switch ending(of: requestID) {
            case .some(let error): continuation.resume(returning: error)
            case nil: waiters[requestID, default: []].append(continuation)
            }
        }
    }

    /// How something has ended, nil inside for a good end; nil when it has not.
    private func ending(of requestID: RequestID) -> RoostError?? {
        guard let index = index(of: requestID) else { return .some(nil) }
        if case .failed(let code) = items[index].state {
            // The reason of an earlier try may be another one.
            if let reason = reasons[requestID], reason.code == code { return reason }
            return RoostError(refused: code)
        }
        return isFinished ? .some(.notConnected) : nil
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

    static let nothingToMark = RoostError(
        .requestCanceled, remedy: .none,
        message: "More has come meanwhile, and the server can only mark everything as read.")

    init(refused code: Code) {
        self.init(
            code, remedy: Self.remedy(of: code),
            message: "The server did not do it, or could not be asked in time.")
    }
}
