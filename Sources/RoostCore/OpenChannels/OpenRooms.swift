// SPDX-License-Identifier: Apache-2.0

// The events of open channels. They are live only: no event of them reaches the cache, the outbox
// or a change log.

package import RoostModel
import RoostWire

/// The open channels that the user has entered.
package struct OpenRooms: Equatable, Codable, Sendable {
    /// The entered channels, as of the newest event; each connection enters them again.
    package internal(set) var entered: [ChannelURL: OpenChannel] = [:]
    /// The open channels that this connection has asked to enter.
    ///
    /// Their frames may come until its end, after an exit as well.
    var known: Set<ChannelURL> = []

    /// Begins a connection, which is inside no channel yet.
    mutating func beginSession() { known = Set(entered.keys) }
}

extension SyncState {
    /// Takes an event of an open channel.
    ///
    /// - Returns: Whether the event is one; false leaves it to `LiveEvent`.
    mutating func takeRoomEvent(_ event: ServerEvent) -> Bool {
        guard concernsOpenChannel(event) else { return false }
        if let url = event.channelURL, rooms.entered[url] != nil { apply(event, url) }
        answer(event)
        return true
    }

    private func concernsOpenChannel(_ event: ServerEvent) -> Bool {
        switch event {
        case .room: return true
        case .message(let event) where event.isInOpenChannel: return true
        case .edited(let event) where event.isInOpenChannel: return true
        // The other frames are decoded without the kind of their channel.
        default: return event.channelURL.map(rooms.known.contains) ?? false
        }
    }

    private mutating func emit(inRoom event: ChatEvent) { emit(.openChannel(event)) }

    private mutating func apply(_ event: ServerEvent, _ url: ChannelURL) {
        switch event {
        case .message(let event):
            let message = event.message
            guard event.acknowledges == nil, message.hasPossibleTimes else { return }
            emit(inRoom: .messageReceived(message))
            guard message.sender?.user.id != me, message.mention.calls(me) else { return }
            emit(inRoom: .mentioned(message))
        case .edited(let event):
            guard event.acknowledges == nil, event.message.hasPossibleTimes else { return }
            emit(inRoom: .messageUpdated(event.message))
        case .deleted(let event): emit(inRoom: .messageDeleted(event.messageID, url))
        case .reaction(let event):
            emit(inRoom: .reactionChanged(event.change, event.messageID, url))
        case .thread(let event):
            emit(inRoom: .threadChanged(event.threadInfo, event.parentID, url))
        case .channel(let event): apply(event, url)
        case .login, .pong, .read, .delivered, .user, .error, .busy, .expired, .memberCounts,
            .poll, .room, .unknown:
            break
        }
    }

    private mutating func apply(_ event: ChannelEvent, _ url: ChannelURL) {
        switch event.content {
        case .entered(let user, let count):
            emit(inRoom: .entered(user, participants: setCount(count, of: url), url))
        case .exited(let user, let count):
            emit(inRoom: .exited(user, participants: setCount(count, of: url), url))
        case .frozen(let isFrozen): rooms.entered[url]?.isFrozen = isFrozen
        case .operators(let users): rooms.entered[url]?.operators = users
        case .metadata(let created, let updated, let deleted):
            var metadata = rooms.entered[url]?.metadata ?? [:]
            for (key, value) in created { metadata[key] = value }
            for (key, value) in updated { metadata[key] = value }
            for key in deleted { metadata[key] = nil }
            rooms.entered[url]?.metadata = metadata
        case .joined, .left, .invited, .declined, .typing, .hidden, .counters, .restricted,
            .other:
            break
        }
        // The event does not contain the new properties.
        if event.category == .propertiesChanged { return start(.roomRefresh(RoomRefresh(url))) }
        if let announcement = event.announcement { emit(inRoom: announcement) }
        if event.endsStay(of: me) { rooms.entered[url] = nil }
    }

    /// Takes over the server's number of participants.
    ///
    /// - Returns: The number; the last known one if the server does not tell.
    private mutating func setCount(_ count: Int?, of url: ChannelURL) -> Int {
        if let count { rooms.entered[url]?.participantCount = count }
        return rooms.entered[url]?.participantCount ?? 0
    }

    /// Enters the channels of the last connection again.
    mutating func returnToRooms() {
        rooms.beginSession()
        for url in rooms.entered.keys.sorted() { start(.roomReturn(RoomReturn(to: url))) }
    }
}

extension ChannelEvent {
    /// Whether the user is outside of the open channel after the event.
    fileprivate func endsStay(of me: UserID) -> Bool {
        if case .restricted(let user, _) = content {
            return category == .banned && user.user.id == me
        }
        return category == .deleted
    }
}
