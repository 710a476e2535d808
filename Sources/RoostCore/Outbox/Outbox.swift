// SPDX-License-Identifier: Apache-2.0

// Keeps the user's messages and changes until the server has them, in the order that the lanes
// decide.
//
// An effect of the lanes changes memory in the step that decides it. The write to disk follows, and
// the app's event follows the write. Two conditions precede sending: the attempt is on disk, and
// the writes of other processes are read. Until the attempt is on disk, another process may change
// the item.

package import RoostModel

/// The unsent messages and changes.
package struct Outbox: Codable, Sendable {
    /// The user as the sender of unsent messages.
    var me: User
    /// The folder of the copies of files; nil in memory.
    var files: String?
    package internal(set) var lanes = OutboxMachine()
    package internal(set) var order = OutboxOrder()
    package internal(set) var disk = OutboxDisk()
    /// The server's errors by item; memory only.
    var reasons: [RequestID: RoostError] = [:]
    /// The uploads in flight; they outlive the connection.
    var uploads: Set<RequestID> = []
    /// The request ID of each draft that this process has written.
    var draftNames: [DraftPlace: RequestID] = [:]
    /// The last write of each draft that this process has requested and that may not be done.
    var draftWrites: [DraftPlace: DraftWrite] = [:]
    /// The number of changes of each channel as a whole that are being written.
    var channelChangeWrites: [ChannelURL: Int] = [:]
    /// The last mark of an inbox that this process has requested for each place, until it is on
    /// disk.
    var inboxClaims: [InboxPlace: InboxClaim] = [:]
    /// The number of pings for each item in flight whose acknowledgement is overdue.
    var overdue: [RequestID: Int] = [:]
    /// The items with a caller that waits for the outcome.
    var awaited: Set<RequestID> = []
    /// The number of this process's turn to send; nil while another process has the turn.
    package internal(set) var turn: Int?
    /// The number of suspensions so far; a turn requested before a suspension is void after it.
    package internal(set) var suspensions = 0

    package init(me: User) { self.me = me }

    package var items: [OutboxItem] { order.items }

    /// Whether an item is in flight or could be sent at once.
    package var isBusy: Bool { lanes.isBusy }
    /// Whether an item waits for its next attempt.
    package var isResting: Bool { lanes.isResting }

    /// An item as a timeline shows it; nil for a change.
    package func message(_ item: OutboxItem) -> Message? {
        item.message(from: Sender(user: me), files: files)
    }

    /// Returns the unsent messages of a channel, in the order of their writing.
    package func unsent(in channel: ChannelURL) -> [Message] {
        items.filter { $0.channel == channel }.compactMap(message)
    }

    /// The unsent messages of all channels with their numbers in the order of writing.
    package var unsentInOrder: [(sequence: Int64, message: Message)] {
        items.compactMap { item in message(item).map { (item.sequence, $0) } }
    }

    /// Returns the unsent changes of a channel, in the order of their calls.
    package func pendingChanges(in channel: ChannelURL) -> [PendingChange] {
        order.marks(of: channel).filter { $0.state == .pending }.compactMap(\.change)
    }

    /// Whether a message with files waits or is being uploaded.
    package func isUploading(_ requestID: RequestID) -> Bool {
        order[requestID]?.hasUploads ?? false
    }

    /// Whether an item is a message that is not delivered.
    func isUnsentMessage(_ requestID: RequestID) -> Bool {
        order[requestID].map { $0.change == nil && !$0.content.staysHere } ?? false
    }

    /// Whether a message has certainly not reached the server.
    func isCertainlyHere(_ requestID: RequestID) -> Bool {
        isUnsentMessage(requestID) && lanes.item(requestID)?.hasLeft == false
    }

    /// The messages that the server may or may not have, waiting and failed ones.
    var unsureMessages: [OutboxItem] {
        items.filter { $0.mayHaveArrived && $0.change == nil && !lanes.isOnItsWay($0.requestID) }
    }

    /// The channels with waiting messages that the server may or may not have.
    var unsureChannels: [ChannelURL] {
        var seen: Set<ChannelURL> = []
        return unsureMessages.filter { $0.state == .pending }.map(\.channel)
            .filter { seen.insert($0).inserted }
    }
}

// MARK: - Inputs of the lanes

extension SyncState {
    /// Feeds an input to the lanes and carries out the effects.
    ///
    /// - Returns: The number of the write to disk; nil if nothing is to be written, or writes are
    ///   paused after a refusal.
    @discardableResult
    mutating func moveOutbox(
        _ input: OutboxMachine.Input, then followUps: [OutboxFollowUp] = []
    ) -> Int? {
        carryOut(moveLanes(input), then: followUps)
    }

    /// Moves the lanes; the caller carries the effects out.
    mutating func moveLanes(_ input: OutboxMachine.Input) -> [OutboxMachine.Effect] {
        outbox.lanes.handle(input)
    }

    @discardableResult
    mutating func carryOut(
        _ effects: [OutboxMachine.Effect], then followUps: [OutboxFollowUp] = []
    ) -> Int? {
        let count = outbox.disk.unwritten.count
        var due: [OutboxFollowUp] = []
        var leaving: [OutboxFollowUp] = []
        for effect in effects { take(effect, &due, &leaving) }
        due += followUps + leaving
        guard outbox.disk.unwritten.count > count else {
            follow(due)
            return nil
        }
        guard let ticket = writeNotes() else {
            follow(due)
            return nil
        }
        outbox.disk.follow(ticket, due)
        return ticket
    }

    /// Applies an effect to memory and notes the write that it needs.
    private mutating func take(
        _ effect: OutboxMachine.Effect, _ due: inout [OutboxFollowUp],
        _ leaving: inout [OutboxFollowUp]
    ) {
        switch effect {
        case .noteAttempt(let id):
            let item = outbox.order.change(id) { item in
                item.hasLeft = true
                item.attemptCount += 1
            }
            if item != nil { outbox.disk.note(.attempt(id)) }
        case .store(let id, let state):
            guard let item = outbox.order.change(id, { $0.state = state }) else { return }
            outbox.disk.note(.state(id, state))
            if case .failed(let code) = state { due.append(.failed(item, code)) }
        case .aim(let id, let messageID):
            guard let item = outbox.order[id], case .change(let action) = item.content else {
                return
            }
            let content = OutboxContent.change(action.aimed(at: messageID))
            outbox.order.change(id) { $0.content = content }
            outbox.disk.note(.content(id, item.channel, content))
        case .remove(let id), .cancel(let id), .drop(let id):
            guard let item = outbox.order.takeOut(id) else { return }
            var note = OutboxNote.removal(id)
            if item.change != nil, effect != .remove(id) { note = .dropped(id) }
            outbox.disk.note(note, item.copies)
            if case .drop = effect {
                due.append(.dropped(item))
            } else {
                due.append(.removed(item))
            }
        case .transmit(let id): leaving.append(.leave(id))
        case .armAckTimer(let id, let duration): arm(.outboxAnswer(id), for: duration)
        case .disarmAckTimer(let id):
            disarm(.outboxAnswer(id))
            outbox.overdue[id] = nil
        case .armRest(let lane, let duration): arm(.outboxRest(lane), for: duration)
        case .lookUp(let channel):
            start(.outbox(.arrivalSearch(OutboxArrivalSearch(channel))))
        case .armSearchRest(let channel, let duration):
            arm(.outboxSearch(channel), for: duration)
        }
    }

    // MARK: Follow-ups

    mutating func follow(_ followUps: [OutboxFollowUp]) {
        for followUp in followUps {
            switch followUp {
            case .failed(let item, let code): publishFailure(of: item, code)
            case .removed(let item):
                outbox.reasons[item.requestID] = nil
                endOutcome(of: item.requestID, with: nil)
                if outbox.uploads.contains(item.requestID) {
                    step.notices.append(.cancelUpload(item.requestID))
                }
                if item.change == nil { takeOff(item) }
            case .dropped(let item):
                endOutcome(of: item.requestID, with: .nothingToChange)
                if let change = item.change { publish(.changeDropped(change)) }
            case .event(let event):
                publish(event)
                if case .canceled(let message) = event { takeOff(message) }
            case .leave(let id): leave(id)
            }
        }
    }

    private mutating func publishFailure(of item: OutboxItem, _ code: RoostError.Code) {
        if let message = outbox.message(item) {
            publish(.failed(message))
            endOutcome(of: item.requestID, with: failure(of: item.requestID, code))
            showUnsent(of: item.channel)
        } else if let change = item.change {
            start(.outbox(.refusal(OutboxRefusal(change, code))))
        }
    }

    func failure(of requestID: RequestID, _ code: RoostError.Code) -> RoostError {
        outbox.reasons[requestID] ?? RoostError(refused: code)
    }

    /// Sends an item, once the writes of other processes are read.
    mutating func leave(_ requestID: RequestID) {
        guard outbox.disk.mayHaveNews else {
            return start(.outbox(.delivery(OutboxDelivery(requestID))))
        }
        outbox.disk.leaving.append(requestID)
        requestRead()
    }

    mutating func publish(_ event: OutboxEvent) { step.notices.append(.outbox(event)) }

    /// Updates the unsent messages of a channel in its timelines.
    mutating func showUnsent(of channel: ChannelURL) {
        let ids = timelines.ids(of: channel)
        // A channel without a timeline may have ten thousand unsent messages; they are not listed.
        guard !ids.isEmpty else { return }
        let messages = outbox.unsent(in: channel)
        for id in ids { timelines[id]?.setUnsent(messages) }
    }

    /// Shows a new unsent message in the timelines of its channel.
    ///
    /// One that was written behind all others is added: listing all of them for each would be
    /// quadratic.
    mutating func show(_ message: Message, of item: OutboxItem) {
        let isLast = outbox.order.items.last?.requestID == item.requestID
        var isBehind = false
        for id in timelines.ids(of: item.channel)
        where !isLast || timelines[id]?.addUnsent(message) == false {
            isBehind = true
        }
        if isBehind { showUnsent(of: item.channel) }
    }

    /// Takes a canceled message off its timelines, also of those that wait for a read.
    private mutating func takeOff(_ message: Message) {
        guard let requestID = message.requestID else { return }
        for id in timelines.ids(of: message.channelURL) { timelines[id]?.removeUnsent(requestID) }
    }

    /// Takes a delivered or removed item off its timelines.
    ///
    /// The other items stay as they are: listing all items for each delivery would be quadratic.
    private mutating func takeOff(_ item: OutboxItem) {
        var isBehind = false
        for id in timelines.ids(of: item.channel)
        where timelines[id]?.dropUnsent(item.requestID) == false {
            isBehind = true
        }
        if isBehind { showUnsent(of: item.channel) }
    }

    mutating func endOutcome(of requestID: RequestID, with error: RoostError?) {
        guard outbox.awaited.remove(requestID) != nil else { return }
        wakeAll(.outcome(requestID), error)
    }

    /// Ends every wait; the client is closing.
    mutating func finishOutbox() {
        for requestID in outbox.awaited.sorted() { endOutcome(of: requestID, with: .notConnected) }
    }

    // MARK: Reports of the server

    /// Settles the item of a message that the server has.
    mutating func noteDelivery(_ message: Message) {
        guard let requestID = message.requestID else { return }
        let item = outbox.order[requestID]
        // An equal request ID of another channel names another message.
        guard item == nil || item?.channel == message.channelURL else { return }
        let isOurs = item != nil
        moveOutbox(
            .delivered(requestID, message.messageID),
            then: isOurs ? [.event(.delivered(message))] : [])
    }

    /// Settles a change that the server has made.
    mutating func noteMade(_ requestID: RequestID) {
        guard let change = outbox.order[requestID]?.change else { return }
        moveOutbox(.delivered(requestID, nil), then: [.event(.changeMade(change))])
    }

    /// Records the server's refusal of an item sent over the socket.
    mutating func noteRefusal(of requestID: RequestID, _ error: RoostError) {
        guard let item = outbox.order[requestID] else { return }
        failAttempt(requestID, error, item.content.isChange ? .change : .socket)
    }

    mutating func failAttempt(_ requestID: RequestID, _ error: RoostError, _ stage: SendStage) {
        guard outbox.order.contains(requestID) else { return }
        outbox.reasons[requestID] = error
        moveOutbox(.failed(requestID, error.code, stage))
        guard let item = outbox.order[requestID], item.state == .pending,
            let message = outbox.message(item)
        else { return }
        publish(.delayed(message, error.code))
    }

    /// Drops a change that cannot be made any more, for a reason.
    mutating func dropChange(_ requestID: RequestID, _ reason: RoostError) {
        guard let change = outbox.order[requestID]?.change else { return }
        endOutcome(of: requestID, with: reason)
        moveOutbox(.canceled(requestID), then: [.event(.changeDropped(change))])
    }

    /// Cancels an item; an item in flight may arrive nevertheless.
    @discardableResult
    mutating func cancelUnsent(_ requestID: RequestID) -> Int? {
        guard let item = outbox.order[requestID] else { return nil }
        endOutcome(of: requestID, with: .takenBack)
        var followUps: [OutboxFollowUp] = []
        if let change = item.change { followUps.append(.event(.changeDropped(change))) }
        if var message = outbox.message(item) {
            message.delivery = .unsent(requestID, .canceled)
            followUps.append(.event(.canceled(message)))
        }
        return moveOutbox(.canceled(requestID), then: followUps)
    }
}

extension PendingChange.Action {
    /// Returns the change with the message's ID as its target.
    func aimed(at id: MessageID) -> Self {
        switch self {
        case .edit(_, let edit): .edit(.delivered(id), edit)
        case .delete: .delete(.delivered(id))
        case .addReaction(let key, _): .addReaction(key, .delivered(id))
        case .removeReaction(let key, _): .removeReaction(key, .delivered(id))
        case .markAsRead, .channel: self
        }
    }
}
