// SPDX-License-Identifier: Apache-2.0

// The order in which unsent messages leave.
//
// One queue per channel, first in first out, one message of a channel on its way at a time: that is
// what keeps call order equal to server order (scars 12, 13). The request ID is the identity on every
// try. Whatever brings it — an acknowledgement, an echo, a page, a gap answer — settles the item,
// however late (scars 10, 11, 69). A channel whose catch-up runs is held, so that an item whose fate
// is unknown is looked for before it is sent again.

package import RoostModel

/// Decides which unsent message goes out when.
package struct OutboxMachine: Sendable {
    /// How long an unsent message may wait: three days (R151).
    package static let lifetime = Duration.seconds(3 * 24 * 60 * 60)
    /// How long an acknowledgement may take (`protocol.md` 2.3: 5 to 300 s, 10 s by default).
    package static let ackTimeout = Duration.seconds(10)
    /// How long a channel rests after the server asked for less haste.
    package static let rest = Duration.seconds(2)

    /// One unsent message as the machine sees it; what it says is none of its business.
    package struct Item: Hashable, Sendable {
        package let requestID: RequestID
        package let channel: ChannelURL
        /// On the device's clock: the only clock there is for what only the device knows.
        package let createdAt: Timestamp
        package var state: UnsentState

        package init(
            requestID: RequestID, channel: ChannelURL, createdAt: Timestamp, state: UnsentState
        ) {
            self.requestID = requestID
            self.channel = channel
            self.createdAt = createdAt
            self.state = state
        }
    }

    package enum Input: Hashable, Sendable {
        /// Already on disk; takes its place at the end of its channel's queue.
        case queued(Item)
        case wentOnline(now: Timestamp)
        case wentOffline
        /// The channel's catch-up runs: nothing of it leaves until it is released.
        case hold(ChannelURL)
        case release(ChannelURL)
        /// The server has it, whoever said so.
        case delivered(RequestID)
        case failed(RequestID, RoostError.Code)
        case ackTimedOut(RequestID)
        case rested(ChannelURL)
        /// A person wants a failed message to be tried again.
        case retried(RequestID)
        /// A person takes it back.
        case canceled(RequestID)
    }

    package enum Effect: Hashable, Sendable {
        case transmit(RequestID)
        case armAckTimer(RequestID, Duration)
        case disarmAckTimer(RequestID)
        case armRest(ChannelURL, Duration)
        /// The new state must be on disk before anybody is told.
        case store(RequestID, UnsentState)
        case remove(RequestID)
    }

    private struct Lane: Sendable {
        var queue: [RequestID] = []
        var onItsWay: RequestID?
        var isHeld = false
        var rests = false
    }

    private var items: [RequestID: Item] = [:]
    private var lanes: [ChannelURL: Lane] = [:]
    /// Channels in the order their first item came, so that no dictionary order shows.
    private var laneOrder: [ChannelURL] = []
    private var isOnline = false

    package init() {}

    /// Whether something is on its way or could leave at once.
    package var isBusy: Bool {
        isOnline && lanes.values.contains { $0.onItsWay != nil || !$0.queue.isEmpty }
    }

    /// Whether a message is the one of its channel that is being sent.
    ///
    /// The shell asks before it acts: the link may be lost while an earlier effect is awaited.
    package func isOnItsWay(_ requestID: RequestID) -> Bool {
        items[requestID].map { lanes[$0.channel]?.onItsWay == requestID } ?? false
    }

    package func item(_ requestID: RequestID) -> Item? { items[requestID] }

    /// Moves on and returns what the shell must now do, in order.
    package mutating func handle(_ input: Input) -> [Effect] {
        switch input {
        case .queued(let item): queued(item)
        case .wentOnline(let now): wentOnline(now: now)
        case .wentOffline: wentOffline()
        case .hold(let channel): hold(channel)
        case .release(let channel): release(channel)
        case .delivered(let id): settle(id)
        case .failed(let id, let code): failed(id, code)
        case .ackTimedOut(let id): failed(id, .ackTimeout)
        case .rested(let channel): rested(channel)
        case .retried(let id): retried(id)
        case .canceled(let id): settle(id)
        }
    }
}

// MARK: - What each input does

extension OutboxMachine {
    private mutating func queued(_ item: Item) -> [Effect] {
        precondition(items[item.requestID] == nil, "A request ID is queued once.")
        items[item.requestID] = item
        guard item.state == .pending else { return [] }
        withLane(item.channel) { $0.queue.append(item.requestID) }
        return next(in: item.channel)
    }

    private mutating func wentOnline(now: Timestamp) -> [Effect] {
        isOnline = true
        return laneOrder.flatMap { expire(in: $0, now: now) + next(in: $0) }
    }

    private mutating func wentOffline() -> [Effect] {
        isOnline = false
        var effects: [Effect] = []
        for channel in laneOrder {
            withLane(channel) { lane in
                lane.rests = false
                guard let requestID = lane.onItsWay else { return }
                // It may have arrived; the same request ID goes out again, in front of the others.
                lane.onItsWay = nil
                lane.queue.insert(requestID, at: 0)
                effects.append(.disarmAckTimer(requestID))
            }
        }
        return effects
    }

    private mutating func hold(_ channel: ChannelURL) -> [Effect] {
        withLane(channel) { $0.isHeld = true }
        return []
    }

    private mutating func release(_ channel: ChannelURL) -> [Effect] {
        withLane(channel) { $0.isHeld = false }
        return next(in: channel)
    }

    private mutating func rested(_ channel: ChannelURL) -> [Effect] {
        withLane(channel) { $0.rests = false }
        return next(in: channel)
    }

    /// The item is no longer this outbox's business: delivered, or taken back.
    private mutating func settle(_ requestID: RequestID) -> [Effect] {
        guard let item = items.removeValue(forKey: requestID) else { return [] }
        return leaveLane(item) + [.remove(requestID)] + next(in: item.channel)
    }

    private mutating func failed(_ requestID: RequestID, _ code: RoostError.Code) -> [Effect] {
        guard let item = items[requestID], item.state == .pending else { return [] }
        switch SendConsequence(of: code) {
        case .staysPending:
            // Without a connection there is no hurry: `wentOffline` comes, or has come.
            _ = leaveLane(item)
            withLane(item.channel) { $0.queue.insert(requestID, at: 0) }
            return [.disarmAckTimer(requestID)]
        case .waits:
            let effects = leaveLane(item)
            withLane(item.channel) { lane in
                lane.queue.insert(requestID, at: 0)
                lane.rests = true
            }
            return effects + [.armRest(item.channel, Self.rest)]
        case .fails:
            items[requestID]?.state = .failed(code)
            return leaveLane(item) + [.store(requestID, .failed(code))] + next(in: item.channel)
        }
    }

    private mutating func retried(_ requestID: RequestID) -> [Effect] {
        guard let item = items[requestID], case .failed = item.state else { return [] }
        items[requestID]?.state = .pending
        withLane(item.channel) { $0.queue.append(requestID) }
        return [.store(requestID, .pending)] + next(in: item.channel)
    }

    private mutating func expire(in channel: ChannelURL, now: Timestamp) -> [Effect] {
        var effects: [Effect] = []
        for requestID in lanes[channel]?.queue ?? [] {
            guard let item = items[requestID], item.hasExpired(at: now) else { continue }
            items[requestID]?.state = .failed(.pendingError)
            effects += leaveLane(item) + [.store(requestID, .failed(.pendingError))]
        }
        return effects
    }

    private mutating func next(in channel: ChannelURL) -> [Effect] {
        guard isOnline, var lane = lanes[channel], lane.onItsWay == nil, !lane.isHeld, !lane.rests,
            !lane.queue.isEmpty
        else { return [] }
        let requestID = lane.queue.removeFirst()
        lane.onItsWay = requestID
        lanes[channel] = lane
        return [.armAckTimer(requestID, Self.ackTimeout), .transmit(requestID)]
    }

    private mutating func leaveLane(_ item: Item) -> [Effect] {
        var effects: [Effect] = []
        withLane(item.channel) { lane in
            lane.queue.removeAll { $0 == item.requestID }
            if lane.onItsWay == item.requestID {
                lane.onItsWay = nil
                effects.append(.disarmAckTimer(item.requestID))
            }
        }
        return effects
    }

    private mutating func withLane(_ channel: ChannelURL, _ body: (inout Lane) -> Void) {
        if lanes[channel] == nil { laneOrder.append(channel) }
        body(&lanes[channel, default: Lane()])
    }
}

extension OutboxMachine.Item {
    /// Whether it has waited longer than three days; at exactly three days it is still sent.
    func hasExpired(at now: Timestamp) -> Bool {
        let (age, overflow) = now.milliseconds.subtractingReportingOverflow(createdAt.milliseconds)
        guard !overflow else { return now > createdAt }
        return .milliseconds(age) > OutboxMachine.lifetime
    }
}
