// SPDX-License-Identifier: Apache-2.0

// The search for messages that may have arrived.
//
// The deletion of a message that was canceled in flight waits until the message appears. Its
// acknowledgement may be lost, and no page may show it, because the timelines are elsewhere. So the
// newest messages of the channel are searched, once for each connection and each further message,
// after the time in which the acknowledgement is due. The user's departure waits for the search,
// because nothing can delete a message afterwards. A search that fails is repeated after a rest of
// its own; the other changes of the channel are sent meanwhile.

import RoostModel

extension OutboxMachine {
    /// Whether only the user's departure waits in a channel.
    func isDepartureNext(in lane: Lane, _ state: LaneState) -> Bool {
        guard lane.isForChanges, !state.queue.isEmpty,
            state.queue.allSatisfy({ items[$0]?.kind == .departure })
        else { return false }
        return lanes[Lane(lane.channel)].map { $0.queue.isEmpty && $0.onItsWay == nil } ?? true
    }

    /// Whether a message of a channel may still appear and be deleted.
    func awaitsArrival(in channel: ChannelURL) -> Bool {
        unanswered.values.contains(channel)
            || (searches[channel] != .done && unsettledChange(in: channel) != nil)
    }

    /// Whether a departure waits for an acknowledgement or for a search.
    func isSearching(in lane: Lane, _ state: LaneState) -> Bool {
        isDepartureNext(in: lane, state) && awaitsArrival(in: lane.channel)
            && searches[lane.channel] != .resting
    }

    /// Whether a change or a departure of a channel waits for a search.
    func needsSearch(in channel: ChannelURL) -> Bool {
        let lane = Lane(channel, isForChanges: true)
        let isDeparting = lanes[lane].map { isDepartureNext(in: lane, $0) } == true
        return isDeparting && unsettledChange(in: channel) != nil
            || stranded.contains { items[$0]?.channel == channel }
    }

    /// Whether a canceled message may still be acknowledged on this connection.
    func isUnanswered(_ requestID: RequestID) -> Bool { unanswered[requestID] != nil }

    /// Returns a change of a channel that waits for a message that may have arrived; nil without
    /// any.
    func unsettledChange(in channel: ChannelURL) -> RequestID? {
        var first: RequestID?
        for (awaited, changes) in dependents where items[awaited]?.hasLeft ?? true {
            for id in changes where items[id]?.channel == channel { first = min(first ?? id, id) }
        }
        return first
    }

    /// Returns the item that a departure waits for; nil without any.
    func firstBeforeDeparture(from channel: ChannelURL) -> RequestID? {
        let messages = lanes[Lane(channel)]
        return messages?.onItsWay ?? messages?.queue.first ?? unsettledChange(in: channel)
    }

    /// Returns the changes that wait for messages outside of the outbox: canceled ones, and those
    /// that another process has sent.
    private var stranded: [RequestID] {
        goneMessages.filter { items[$0] == nil }.flatMap { dependents[$0] ?? [] }
    }

    /// Returns the channels in which changes wait for messages outside of the outbox, in order.
    var strandedChannels: [ChannelURL] {
        Set(stranded.compactMap { items[$0]?.channel }).sorted()
    }

    /// Begins the search in a channel if a change or a departure waits for it, unless it has begun
    /// or an acknowledgement is due.
    mutating func lookUp(_ channel: ChannelURL) -> [Effect] {
        guard isOnline, searches[channel] == nil, needsSearch(in: channel),
            !unanswered.values.contains(channel)
        else { return [] }
        searches[channel] = .running
        return [.lookUp(channel)]
    }

    /// Ends the search in a channel; one that could not be made is repeated after a rest.
    mutating func lookedUp(_ channel: ChannelURL, isKnown: Bool) -> [Effect] {
        let lane = Lane(channel, isForChanges: true)
        guard let search = searches.removeValue(forKey: channel) else { return [] }
        if isKnown {
            failedSearches[channel] = nil
            if search == .running { searches[channel] = .done }
            return next(in: lane) + lookUp(channel)
        }
        guard needsSearch(in: channel) else { return next(in: lane) }
        let failures = failedSearches[channel, default: 0]
        failedSearches[channel] = failures + 1
        searches[channel] = .resting
        return [.armSearchRest(channel, rest(after: failures))]
    }

    mutating func searchRested(in channel: ChannelURL) -> [Effect] {
        guard searches[channel] == .resting else { return [] }
        searches[channel] = nil
        return lookUp(channel)
    }

    /// Makes the search before a departure begin again, because another message may have arrived.
    mutating func outdateSearch(of channel: ChannelURL) {
        switch searches[channel] {
        case .running: searches[channel] = .outdated
        case .done: searches[channel] = nil
        case .outdated, .resting, nil: break
        }
    }

    /// Ends the wait for the acknowledgement of a canceled message.
    mutating func missed(_ requestID: RequestID) -> [Effect] {
        guard let channel = unanswered.removeValue(forKey: requestID) else { return [] }
        return next(in: Lane(channel, isForChanges: true)) + lookUp(channel)
    }
}
