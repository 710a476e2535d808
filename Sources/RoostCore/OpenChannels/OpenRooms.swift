// SPDX-License-Identifier: Apache-2.0

// The events of open channels. They are live only: no event of them reaches the cache, the outbox
// or a change log.

package import RoostModel
import RoostWire

/// The open channels that the app wants to be in: it has entered them, or is about to.
package struct OpenRooms: Equatable, Codable, Sendable {
    struct Room: Equatable, Codable, Sendable {
        /// The channel as of the newest event.
        var channel: OpenChannel
        /// Whether the server has let the user in, on this connection or an earlier one.
        var isInside = false
        /// Whether an entry of the app has succeeded.
        var isEntered = false
        /// The numbers of the running entries.
        var entries: Set<Int> = []
        /// The number of events that have changed the channel, its number of participants aside.
        var changes = 0
        /// Whether a changed property is being looked up.
        var isRefreshing = false
    }

    var rooms: [ChannelURL: Room] = [:]
    /// The open channels that this connection has asked to enter, unless the server has refused.
    ///
    /// Their frames may come until its end, after an exit as well.
    var known: Set<ChannelURL> = []
    private var lastEntry = 0

    /// The entered channels; each connection enters them again.
    package var entered: [ChannelURL: OpenChannel] {
        rooms.filter(\.value.isInside).mapValues(\.channel)
    }

    /// Begins a connection, which is inside no channel yet.
    mutating func beginSession() { known = Set(rooms.keys) }

    /// Begins an entry, before which the app wants nothing of the channel or is inside already.
    ///
    /// - Returns: The number of the entry.
    mutating func beginEntry(of channel: ChannelURL) -> Int {
        known.insert(channel)
        lastEntry += 1
        rooms[channel, default: Room(channel: OpenChannel(url: channel))].entries.insert(lastEntry)
        return lastEntry
    }

    /// Whether an entry has not ended, and the app has not left the channel since its beginning.
    func isUnderWay(_ entry: Int, of channel: ChannelURL) -> Bool {
        rooms[channel]?.entries.contains(entry) ?? false
    }

    /// Ends an entry; the last one ends the app's wish to be inside, unless one has succeeded.
    ///
    /// - Returns: Whether the app no longer wants to be inside.
    mutating func endEntry(_ entry: Int, of channel: ChannelURL, hasSucceeded: Bool) -> Bool {
        guard var room = rooms[channel] else { return true }
        // The app has left, and has begun another entry.
        guard room.entries.remove(entry) != nil else { return false }
        if hasSucceeded { room.isEntered = true }
        let isOver = !room.isEntered && room.entries.isEmpty
        rooms[channel] = isOver ? nil : room
        return isOver
    }
}

extension SyncState {
    /// Takes an event of an open channel.
    ///
    /// - Returns: Whether the event is one; false leaves it to `LiveEvent`.
    mutating func takeRoomEvent(_ event: ServerEvent) -> Bool {
        if case .memberCounts(_, let counts) = event {
            for count in counts { apply(count) }
            return false
        }
        guard concernsOpenChannel(event) else { return false }
        let content = if case .inOpenChannel(let content) = event { content } else { event }
        if let url = event.channelURL, rooms.rooms[url] != nil { apply(content, url) }
        answer(content)
        return true
    }

    private func concernsOpenChannel(_ event: ServerEvent) -> Bool {
        switch event {
        case .room, .inOpenChannel: return true
        case .message(let event) where event.isInOpenChannel: return true
        case .edited(let event) where event.isInOpenChannel: return true
        // Another server may leave the kind of the channel out.
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
        case .poll(let event):
            guard event.acknowledges == nil, let id = event.messageID else { return }
            switch event.change {
            case .voted(let votes): emit(inRoom: .pollVoted(votes, id, url))
            case .edited(let poll): emit(inRoom: .pollChanged(poll, id, url))
            }
        case .login, .pong, .read, .delivered, .user, .error, .busy, .expired, .memberCounts,
            .room, .inOpenChannel, .unknown:
            break
        }
    }

    /// Takes a number of participants that comes without the users who came or left.
    private mutating func apply(_ count: ParticipantCount) {
        let url = count.channelURL
        guard let known = rooms.rooms[url]?.channel.participantCount, known != count.count else {
            return
        }
        rooms.rooms[url]?.channel.participantCount = count.count
        emit(inRoom: .memberCountsChanged(url))
    }

    private mutating func apply(_ event: ChannelEvent, _ url: ChannelURL) {
        switch event.content {
        case .entered(let user, let count):
            emit(inRoom: .entered(user, participants: setCount(count, of: url), url))
        case .exited(let user, let count):
            emit(inRoom: .exited(user, participants: setCount(count, of: url), url))
        case .frozen(let isFrozen): change(url) { $0.isFrozen = isFrozen }
        case .operators(let users): change(url) { $0.operators = users }
        case .metadata(let created, let updated, let deleted):
            change(url) { channel in
                var metadata = channel.metadata ?? [:]
                for (key, value) in created { metadata[key] = value }
                for (key, value) in updated { metadata[key] = value }
                for key in deleted { metadata[key] = nil }
                channel.metadata = metadata
            }
        case .joined, .left, .invited, .declined, .typing, .hidden, .counters, .restricted,
            .other:
            break
        }
        // The event does not contain the new properties.
        if event.category == .propertiesChanged { return refresh(url) }
        if let announcement = event.announcement { emit(inRoom: announcement) }
        if event.endsStay(of: me) { rooms.rooms[url] = nil }
    }

    private mutating func change(_ url: ChannelURL, _ body: (inout OpenChannel) -> Void) {
        guard var room = rooms.rooms[url] else { return }
        body(&room.channel)
        room.changes += 1
        rooms.rooms[url] = room
    }

    /// Looks a channel up; an event during a look-up leads to one more question.
    private mutating func refresh(_ url: ChannelURL) {
        rooms.rooms[url]?.changes += 1
        guard rooms.rooms[url]?.isRefreshing == false else { return }
        rooms.rooms[url]?.isRefreshing = true
        start(.roomRefresh(RoomRefresh(url)))
    }

    /// Takes over the server's number of participants.
    ///
    /// - Returns: The number; the last known one if the server does not send it.
    private mutating func setCount(_ count: Int?, of url: ChannelURL) -> Int {
        if let count { rooms.rooms[url]?.channel.participantCount = count }
        return rooms.rooms[url]?.channel.participantCount ?? 0
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
