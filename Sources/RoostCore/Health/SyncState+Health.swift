// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// The health of a client, as a function of its state. The cost does not depend on the number of
// channels, of unsent items or of open collections.

extension SyncState {
    /// The health of the client after the last step.
    package var health: Health {
        var health = Health()
        health.connection = Health.Connection(link, notes)
        health.catchUp = catchUpHealth
        health.outbox.pending = outbox.order.pendingCount
        health.outbox.failed = outbox.order.failedCount
        health.outbox.oldest = outbox.order.oldestPending.map { item in
            Health.Unsent(
                id: item.requestID, channel: item.channel, isChange: item.content.isChange,
                createdAt: item.createdAt, wait: wait(of: item))
        }
        health.cache.size = notes.figures.last.map { ByteCount(bytes: $0.bytes) }
        health.cache.channelsWithHoles = notes.figures.last?.channelsWithHoles
        health.cache.limit = cacheLimit.map { ByteCount(bytes: $0) }
        health.cache.pagesFromDisk = notes.pagesFromDisk
        health.cache.pagesFromServer = notes.pagesFromServer
        health.cache.refusal = notes.refusal ?? notes.unsentRefusal ?? outbox.disk.refusal
        health.damage.isBeingRepaired = notes.checks > 0
        health.damage.repairs = notes.repairs
        health.damage.lostMessages = notes.lostMessages
        health.isSuspended = notes.isSuspended
        return health
    }

    private var catchUpHealth: Health.CatchUp {
        var health = Health.CatchUp()
        health.waiting = restingCatchUps.count
        health.running = catchUps.count - health.waiting
        health.lookUps = lookUps.count
        health.downloads = downloads.count
        guard let session else { return health }
        health.finished = session.finishedCatchUps
        health.fetchedChannels = session.fetchedChannels
        if session.isFilling {
            health.channelList = .fetching
        } else if channelListUpdates.retry != nil {
            health.channelList = .waiting
        } else if !channelListUpdates.isEmpty {
            health.channelList = .reading
        } else {
            let isCurrent = session.isChannelLogRead && session.isFilled
            health.channelList = isCurrent ? .current : .behind
        }
        let moments = [restingCatchUps.earliest, channelListUpdates.retry]
        health.nextAttempt = moments.compactMap { $0 }.min()
        return health
    }

    /// Returns the reason why a pending item is not sent yet; nil if it is about to be sent.
    package func wait(of item: OutboxItem) -> Health.Wait? {
        let (id, lanes) = (item.requestID, outbox.lanes)
        let entry = lanes.item(id)
        if notes.isSuspended { return .suspension }
        // An upload outlives its connection.
        if outbox.uploads.contains(id) { return .upload }
        if let awaited = entry?.awaited {
            guard let message = outbox.order[awaited] else { return .arrival(awaited) }
            return message.state == .pending ? .earlier(awaited) : .user
        }
        // Files need no socket.
        if session == nil, lanes.waitsForSocket(id) || outbox.turn == nil { return .connection }
        guard outbox.turn != nil else { return .turn }
        guard let key = entry?.lane, let lane = lanes.lanes[key] else { return nil }
        if let sent = lane.onItsWay { return sent == id ? .answer : .earlier(sent) }
        if let place = lanes.nextPlace(in: key, lane) {
            if lane.queue[place] != id { return .earlier(lane.queue[place]) }
        } else if key.isForChanges, let first = lanes.firstBeforeDeparture(from: key.channel) {
            return .earlier(first)
        }
        if !key.isForChanges, lanes.isHeld(key.channel) { return .catchUp }
        if lane.unrecorded != nil { return .disk }
        if lane.rests || lane.awaitsLateRequest, let moment = notes.moment(of: .outboxRest(key)) {
            return outbox.reasons[id]?.code.limitsRate == true
                ? .rateLimit(until: moment) : .retry(at: moment)
        }
        return lane.isWaiting ? .place : nil
    }
}

extension Health.Connection {
    fileprivate init(_ link: Link, _ notes: HealthNotes) {
        self.init()
        since = notes.connectionSince
        failure = link.lastFailure
        switch link.state {
        case .idle: state = .disconnected
        case .opening(let attempt), .authenticating(let attempt):
            (state, self.attempt) = (.connecting, attempt)
        case .awaitingToken(let attempt, let refusal):
            (state, self.attempt) = (.awaitingToken, attempt)
            failure = RoostError(refusal)
        case .online: state = .connected
        case .backingOff(let attempt):
            (state, self.attempt) = (.waiting, attempt)
            nextAttempt = notes.moment(of: .link(.retry))
        case .awaitingNetwork(let attempt): (state, self.attempt) = (.awaitingNetwork, attempt)
        case .asleep: state = .asleep
        case .refused(let refusal):
            state = .refused
            failure = RoostError(refusal)
        }
    }
}

extension RoostError.Code {
    /// Whether the server limits the rate of requests.
    fileprivate var limitsRate: Bool { self == .rateLimited || self == .tooManyMessages }
}
