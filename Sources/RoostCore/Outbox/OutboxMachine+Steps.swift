// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension OutboxMachine {
    mutating func queued(_ item: Item) -> [Effect] {
        let known = items.updateValue(item, forKey: item.requestID)
        precondition(known == nil, "A request ID is queued once.")
        // Almost always no item is announced.
        let isAnnounced =
            !announced.isEmpty && announced.removeValue(forKey: item.requestID) != nil
        guard isAnnounced else { return enqueue(item, isFresh: true) }
        guard item.state == .pending, item.awaited == nil else {
            // The item was failed, canceled or made to wait before its place was used, so the place
            // is freed.
            return leaveLane(item) + enqueue(item) + next(in: item.lane)
        }
        return next(in: item.lane, isFresh: true)
    }

    mutating func announced(_ requestID: RequestID, _ lane: Lane) -> [Effect] {
        guard items[requestID] == nil else { return [] }
        announced[requestID, default: 0] += 1
        if announced[requestID] == 1 { withLane(lane) { $0.queue.append(requestID) } }
        return []
    }

    mutating func abandoned(_ requestID: RequestID, _ lane: Lane) -> [Effect] {
        guard let count = announced[requestID] else { return [] }
        announced[requestID] = count > 1 ? count - 1 : nil
        guard count == 1 else { return [] }
        withLane(lane) { lane in lane.queue.removeAll { $0 == requestID } }
        return next(in: lane)
    }

    /// Applies another process's change of an item.
    ///
    /// An item in flight is left as it is, because only this process sends and memory is newer than
    /// the disk.
    mutating func revised(_ item: Item, isMoved: Bool) -> [Effect] {
        guard let known = items[item.requestID] else { return queued(item) }
        guard !isOnItsWay(item.requestID) else { return [] }
        settle(known)
        items[item.requestID] = item
        items[item.requestID]?.failures = isMoved ? 0 : known.failures
        guard isMoved || known.state != item.state || known.awaited != item.awaited else {
            return next(in: item.lane)
        }
        stopWaiting(known)
        return leaveLane(known) + enqueue(item) + next(in: item.lane)
    }

    /// Puts an item to send at the end of its lane, or with the changes that wait for the same
    /// message.
    private mutating func enqueue(_ item: Item, isFresh: Bool = false) -> [Effect] {
        guard item.state == .pending, item.kind != .local else { return [] }
        if let awaited = item.awaited {
            dependents[awaited, default: []].append(item.requestID)
            if items[awaited] == nil { goneMessages.insert(awaited) }
            outdateSearch(of: item.channel)
            return lookUp(item.channel)
        }
        withLane(item.lane) { $0.queue.append(item.requestID) }
        return next(in: item.lane, isFresh: isFresh)
    }

    mutating func wentOnline(now: Timestamp) -> [Effect] {
        if !isOnline { forgetFailuresOfFiles() }
        isOnline = true
        var effects = laneOrder.flatMap { expire(lanes[$0]?.queue ?? [], now: now) }
        let waiting = dependents.sorted { $0.key < $1.key }.flatMap(\.value)
        effects += expire(waiting, now: now)
        effects += laneOrder.flatMap { next(in: $0) }
        return effects + strandedChannels.flatMap { lookUp($0) }
    }

    mutating func wentOffline() -> [Effect] {
        // The items that are in flight without a connection need none.
        guard isOnline else { return [] }
        isOnline = false
        var effects: [Effect] = []
        for lane in laneOrder {
            lanes[lane]?.rests = false
            lanes[lane]?.isWaiting = false
            effects += putBack(in: lane)
        }
        forgetEmptyLanes()
        waiting = []
        effects += unanswered.keys.sorted().map { .disarmAckTimer($0) }
        unanswered = [:]
        (searches, failedSearches) = ([:], [:])
        return effects
    }

    /// Puts the item in flight back in front of its lane, because its way to the server is lost.
    ///
    /// It may have arrived, and is sent again under the same request ID. Files that go by HTTP stay
    /// in flight: their requests outlive the connection, and report their end.
    mutating func putBack(in lane: Lane) -> [Effect] {
        guard let requestID = lanes[lane]?.onItsWay, let item = items[requestID],
            item.kind != .file || item.handedTo == .socket
        else { return [] }
        let effects = leaveLane(item)
        withLane(lane) { $0.queue.insert(requestID, at: 0) }
        return effects
    }

    mutating func hold(_ channel: ChannelURL) -> [Effect] {
        held.insert(channel)
        return []
    }

    mutating func release(_ channel: ChannelURL) -> [Effect] {
        held.remove(channel)
        return next(in: Lane(channel))
    }

    mutating func holdBack(_ requestID: RequestID) -> [Effect] {
        if items[requestID] != nil { heldBack.insert(requestID) }
        return []
    }

    mutating func free(_ requestID: RequestID) -> [Effect] {
        guard heldBack.remove(requestID) != nil, let item = items[requestID] else { return [] }
        return next(in: item.lane)
    }

    mutating func rested(_ lane: Lane) -> [Effect] {
        lanes[lane]?.rests = false
        lanes[lane]?.awaitsLateRequest = false
        return next(in: lane)
    }

    mutating func left(_ requestID: RequestID) -> [Effect] {
        isOnItsWay(requestID) ? [.armAckTimer(requestID, Self.ackTimeout)] : []
    }

    /// Removes an item that the server has; the changes that waited for it can be sent.
    mutating func delivered(_ requestID: RequestID, _ messageID: MessageID?) -> [Effect] {
        var effects: [Effect] = []
        var lanes: [Lane] = []
        heldBack.remove(requestID)
        let answered = unanswered.removeValue(forKey: requestID)
        if let channel = answered {
            effects.append(.disarmAckTimer(requestID))
            lanes.append(Lane(channel, isForChanges: true))
        }
        if let item = items.removeValue(forKey: requestID) {
            effects += leaveLane(item) + [.remove(requestID)]
            settle(item)
            stopWaiting(item)
            lanes.append(item.lane)
        }
        // Changes also wait for messages that are not in the outbox: sent by another process, or
        // canceled.
        for id in removeDependents(of: requestID) {
            guard let item = items[id] else { continue }
            guard let messageID else {
                effects += drop(id)
                continue
            }
            items[id]?.awaited = nil
            effects.append(.aim(id, at: messageID))
            withLane(item.lane) { $0.queue.append(id) }
            lanes.append(item.lane)
        }
        effects += lanes.flatMap { next(in: $0) } + nextWaiting()
        // The search for another message may have waited for this answer.
        return effects + (answered.map { lookUp($0) } ?? [])
    }

    mutating func failed(
        _ requestID: RequestID, _ code: RoostError.Code, _ stage: SendStage
    ) -> [Effect] {
        guard let item = items[requestID], item.state == .pending else { return [] }
        var consequence = SendConsequence(of: code, at: stage)
        if consequence == .waitsAWhile {
            // Without a socket the error may be a gateway's, in the server's place.
            let isOver = isOnline && item.failures + 1 >= Self.patience
            consequence = isOver ? .fails(isResendable: code.mayPass) : .waits
        }
        let effects = leaveLane(item)
        switch consequence {
        case .staysPending where !isOnline && !goesWithoutSocket(item):
            // Without a connection no delay is needed.
            withLane(item.lane) { $0.queue.insert(requestID, at: 0) }
            return effects + nextWaiting()
        case .staysPending, .waits, .waitsAWhile:
            // The failure may belong to the connection before this one, and no other input would
            // continue the lane.
            items[requestID]?.failures += 1
            withLane(item.lane) { lane in
                lane.queue.insert(requestID, at: 0)
                lane.rests = true
            }
            return effects + [.armRest(item.lane, rest(after: item.failures))] + nextWaiting()
        case .fails:
            items[requestID]?.state = .failed(code)
            if code.isRefusal, item.hadLeft == false { items[requestID]?.hasLeft = false }
            withLane(item.lane) { $0.unrecorded = requestID }
            let late = code.isRefusal ? [] : awaitLateRequest(of: item)
            return effects + [.store(requestID, .failed(code))] + late + nextWaiting()
        }
    }

    func rest(after failures: Int) -> Duration {
        min(Self.rest * (1 << min(failures, 10)), Self.longestRest)
    }

    mutating func recorded(_ requestID: RequestID) -> [Effect] {
        guard let item = items[requestID], settle(item) else { return [] }
        return next(in: item.lane)
    }

    /// Ends the lane's wait for the record of an item's failure.
    @discardableResult
    private mutating func settle(_ item: Item) -> Bool {
        guard lanes[item.lane]?.unrecorded == item.requestID else { return false }
        lanes[item.lane]?.unrecorded = nil
        return true
    }

    mutating func retried(_ requestID: RequestID, _ now: Timestamp) -> [Effect] {
        guard let item = items[requestID], case .failed = item.state else { return [] }
        settle(item)
        items[requestID]?.state = .pending
        items[requestID]?.createdAt = now
        items[requestID]?.failures = 0
        return items[requestID].map { enqueue($0) } ?? []
    }

    /// Cancels an item; changes of a message that was certainly never sent are dropped with it.
    mutating func canceled(_ requestID: RequestID) -> [Effect] {
        heldBack.remove(requestID)
        guard let item = items.removeValue(forKey: requestID) else { return [] }
        // The deletion of a message in flight follows its acknowledgement, which may still come.
        let mayBeAnswered =
            lanes[item.lane]?.onItsWay == requestID && dependents[requestID]?.isEmpty == false
        var effects = leaveLane(item) + [.cancel(requestID)] + awaitLateRequest(of: item)
        if mayBeAnswered {
            unanswered[requestID] = item.channel
            effects.append(.armAckTimer(requestID, Self.ackTimeout))
        }
        settle(item)
        stopWaiting(item)
        if !item.hasLeft {
            for id in removeDependents(of: requestID) { effects += drop(id) }
        } else if dependents[requestID] != nil {
            goneMessages.insert(requestID)
        }
        return effects + next(in: item.lane) + nextWaiting() + lookUp(item.channel)
    }

    /// Ends the wait of a change for its message.
    private mutating func stopWaiting(_ item: Item) {
        guard let awaited = item.awaited else { return }
        dependents[awaited]?.removeAll { $0 == item.requestID }
        if dependents[awaited]?.isEmpty == true { _ = removeDependents(of: awaited) }
    }

    /// Takes out the changes that wait for a message.
    private mutating func removeDependents(of requestID: RequestID) -> [RequestID] {
        goneMessages.remove(requestID)
        return dependents.removeValue(forKey: requestID) ?? []
    }

    private mutating func drop(_ requestID: RequestID) -> [Effect] {
        items[requestID] = nil
        return [.drop(requestID)]
    }

    mutating func expire(_ requestIDs: [RequestID], now: Timestamp) -> [Effect] {
        var effects: [Effect] = []
        for requestID in requestIDs {
            guard let item = items[requestID], item.hasExpired(at: now) else { continue }
            items[requestID]?.state = .failed(.pendingError)
            stopWaiting(item)
            effects += leaveLane(item) + [.store(requestID, .failed(.pendingError))]
        }
        return effects
    }
}

// MARK: - Lanes

extension OutboxMachine {
    /// Whether a lane may send its next item, the limits apart.
    func isFree(_ lane: Lane, _ state: LaneState) -> Bool {
        let isHeld = !lane.isForChanges && self.isHeld(lane.channel)
        return state.onItsWay == nil && !isHeld && !state.isPaused
    }

    /// Returns the place in a lane's queue of the item to send next; nil if there is none.
    ///
    /// A departure waits until both lanes of its channel are empty, and until the messages that may
    /// have arrived are looked up.
    func nextPlace(in lane: Lane, _ state: LaneState) -> Int? {
        if let place = state.queue.firstIndex(where: { items[$0]?.kind != .departure }) {
            return heldBack.contains(state.queue[place]) ? nil : place
        }
        return isDepartureNext(in: lane, state) && !awaitsArrival(in: lane.channel) ? 0 : nil
    }

    /// Sends the next item of a lane; the attempt of a fresh item may be on disk already.
    mutating func next(in lane: Lane, isFresh: Bool = false) -> [Effect] {
        guard isOpen, let state = lanes[lane], isFree(lane, state) else { return [] }
        guard let place = nextPlace(in: lane, state) else {
            // A departure may have waited for the last message.
            if lane.isForChanges { return lookUp(lane.channel) }
            guard state.queue.isEmpty else { return [] }
            return next(in: Lane(lane.channel, isForChanges: true))
        }
        let requestID = state.queue[place]
        guard let item = items[requestID], isOnline || goesWithoutSocket(item) else { return [] }
        guard onItsWayCount < Self.concurrency, item.kind != .file || uploadCount < Self.uploads
        else {
            guard !state.isWaiting else { return [] }
            lanes[lane]?.isWaiting = true
            waiting.append(lane)
            return []
        }
        withLane(lane) { state in
            state.queue.remove(at: place)
            state.onItsWay = requestID
        }
        onItsWayCount += 1
        if item.kind == .file { uploadCount += 1 }
        let isNoted = isFresh && item.hasLeft && item.hadLeft == false
        items[requestID]?.hadLeft = item.hasLeft && !isNoted
        items[requestID]?.hasLeft = true
        return (isNoted ? [] : [.noteAttempt(requestID)]) + [.transmit(requestID)]
    }

    /// Continues the lanes that waited for a free place.
    mutating func nextWaiting() -> [Effect] {
        var effects: [Effect] = []
        var index = 0
        while index < waiting.count, onItsWayCount < Self.concurrency {
            let lane = waiting[index]
            lanes[lane]?.isWaiting = false
            let step = next(in: lane)
            effects += step
            // `next` has queued the lane again, because its file finds no free place. The lane
            // keeps its present place in the queue.
            if lanes[lane]?.isWaiting == true {
                waiting.removeLast()
                index += 1
            } else {
                waiting.remove(at: index)
            }
        }
        return effects
    }

    mutating func leaveLane(_ item: Item) -> [Effect] {
        var effects: [Effect] = []
        guard var state = lanes[item.lane] else { return [] }
        if state.onItsWay == item.requestID {
            state.onItsWay = nil
            onItsWayCount -= 1
            if item.kind == .file { uploadCount -= 1 }
            effects.append(.disarmAckTimer(item.requestID))
        } else if state.queue.first == item.requestID {
            state.queue.removeFirst()
        } else {
            state.queue.removeAll { $0 == item.requestID }
        }
        lanes[item.lane] = state
        return effects
    }

    mutating func withLane(_ lane: Lane, _ body: (inout LaneState) -> Void) {
        let count = lanes.count
        body(&lanes[lane, default: LaneState()])
        guard lanes.count > count else { return }
        laneOrder.append(lane)
        if lanes.count > laneLimit { forgetEmptyLanes() }
    }

    /// Forgets the lanes without items, because a bot writes in ever new channels.
    ///
    /// The next item makes its lane again. The limit grows with the lanes in use, so that few of
    /// them are looked at for each new one.
    private mutating func forgetEmptyLanes() {
        laneOrder.removeAll { lanes[$0] == LaneState() }
        lanes = lanes.filter { $0.value != LaneState() }
        laneLimit = max(Self.leastLaneLimit, 2 * lanes.count)
    }
}
