// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// The read marks, delivery receipts and typing of members.
struct Receipts: ServerPart {
    let context: ServerContext
    let publisher: EventPublisher
    let sessions: Sessions
    let lanes: ChannelLanes
    let history: History
    let deliveries: DeliveryMarks

    /// Moves a user's read mark and publishes it; the user's own sockets also get the new count.
    func markRead(
        _ url: ChannelURL, by id: UserID, in session: SessionID? = nil,
        _ requestID: RequestID? = nil
    ) async throws(ServerError) -> MarkAsRead.Output {
        guard let user = try await ask(try await storage.user(id)),
            let mark = try await ask(
                try await storage.markRead(url, by: id, now: world.now()))
        else { throw ServerError(.notAMember, "Only members of the channel may do this.") }
        var event = ReadEvent(channelURL: url, user: user, timestamp: mark)
        let readers = try await publisher.audience(of: url).readers
        let except = requestID == nil ? nil : session
        await publisher.publish(.read(event), to: readers, except: except)
        if let session, let requestID {
            event.acknowledges = requestID
            sessions.send(.read(event), to: session)
        }
        // The mark is stored, so members receive the event even if the count that follows fails.
        let total = try await unreadTotal(of: id)
        let counts = ChannelEvent(
            .propertiesChanged, channelURL: url, timestamp: mark,
            // A mark can lie after the clock's time, so the order of counts has a time of its own.
            unread: total)
        await publisher.publish(.channel(counts), to: [id])
        return MarkAsRead.Output(
            channelURL: url, timestamp: mark, unreadMessageCount: 0, totalUnreadCount: total.all)
    }

    /// Answers with the number of unread messages of each joined member among the users of a call.
    func unreadCounts(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        guard let ids = try call.fields.list("user_ids"), !ids.isEmpty else {
            throw ServerError(.parameterMissing, "The parameter user_ids is missing.")
        }
        try limits.check(count: ids.count, "users in one call", atMost: limits.users)
        let counts = try await ask(
            try await storage.unreadCounts(
                in: call.channelURL, of: Set(ids.map { UserID($0) })))
        return APIResponse { writer in
            writer.object("unread") { writer in
                for (id, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                    writer.field(id.rawValue, count)
                }
            }
        }
    }

    /// Moves a user's read mark back before a message and publishes that to the user's own sockets
    /// only.
    ///
    /// Other members keep the receipt that they have. A mark before the message stays.
    func markUnread(
        from first: Message, in url: ChannelURL, by userID: UserID, _ uniqueID: String?
    ) async throws(ServerError) -> MarkAsRead.Output {
        // A visible message lies after all hidden ones, and so does the new mark.
        let wanted = first.createdAt.advanced(by: -1)
        guard let user = try await ask(try await storage.user(userID)),
            let record = try await ask(
                try await storage.updateMember(userID, of: url, now: world.now()) {
                    $0.lastRead = $0.lastRead.map { min($0, wanted) }
                })
        else { throw ServerError(.notAMember, "Only members of the channel may do this.") }
        let mark = record.lastRead ?? wanted
        var event = ReadEvent(channelURL: url, user: user, timestamp: mark)
        event.isExcluded = true
        event.uniqueID = uniqueID
        await publisher.publish(.read(event), to: [userID])
        let total = try await unreadTotal(of: userID)
        let state = try await ask(
            try await storage.channelStates([url], viewer: userID, withMembers: false)
        ).first
        let counts = ChannelEvent(
            .propertiesChanged, channelURL: url, timestamp: world.now(), uniqueID: uniqueID,
            unread: total)
        await publisher.publish(.channel(counts), to: [userID])
        var output = MarkAsRead.Output(
            channelURL: url, timestamp: mark, unreadMessageCount: state?.unreadCount ?? 0,
            totalUnreadCount: total.all)
        output.isExcluded = true
        output.uniqueID = uniqueID
        return output
    }

    /// Acknowledges that a thread was read; unread counts are per channel, not per thread.
    func markRead(
        _ parentID: MessageID, in url: ChannelURL, by id: UserID, in session: SessionID,
        _ requestID: RequestID?
    ) async throws(ServerError) {
        guard let requestID, let user = try await ask(try await storage.user(id)) else { return }
        var event = ReadEvent(
            channelURL: url, user: user, timestamp: world.now(), acknowledges: requestID)
        event.parentID = parentID
        sessions.send(.read(event), to: session)
    }

    /// Marks the channels of a user with unread messages as read, or those of them that the call
    /// names, each in its lane.
    func readEverything(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let wanted = try call.fields.list("channel_urls").map { Set($0.map { ChannelURL($0) }) }
        for listing in try await ask(try await storage.presentListings(of: call.subject))
        where listing.state == .joined && (wanted?.contains(listing.record.url) ?? true) {
            try stopIfCancelled()
            let (url, id) = (listing.record.url, call.subject)
            let unread = try await ask(try await storage.unreadCounts(in: url, of: [id]))
            guard unread[id] ?? 0 > 0 else { continue }
            do throws(ServerError) {
                _ = try await lanes.inLane(of: url) { () async throws(ServerError) in
                    try await markRead(url, by: id)
                }
            } catch {
                // The user may have left this channel meanwhile; the others are to be marked.
                guard error.code == .notAMember else { throw error }
            }
        }
        return .empty
    }

    // MARK: Deliveries

    /// Moves a user's delivery receipt to a message, and publishes it with others of the channel.
    ///
    /// Super and broadcast channels count no receipts, so an acknowledgement changes nothing there.
    func noteDelivery(
        of id: MessageID, in url: ChannelURL, to user: UserID, _ standing: Standing
    ) async throws(ServerError) {
        guard standing.access?.record.countsReceipts == true,
            let position = try await ask(try await storage.position(of: id, in: url)),
            standing.sight.shows(position.createdAt)
        else { return }
        await deliveries.note(
            DeliveryMark(
                channel: url, user: user, moment: max(world.now(), position.createdAt),
                place: position.createdAt))
    }

    /// Moves a user's delivery receipt to the newest message, and publishes it with others.
    func markDelivered(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        let (url, id) = (call.channelURL, try call.actor())
        let moment = max(world.now(), try await history.endOfLog(of: url) ?? .distantPast)
        if call.standing.access?.record.countsReceipts == true {
            let mark = DeliveryMark(channel: url, user: id, moment: moment, place: moment)
            _ = try await ask(try await storage.markDelivered([mark]))
            await deliveries.announce(mark)
        }
        return APIResponse { writer in writer.field("ts", moment.milliseconds) }
    }

    // MARK: Typing

    /// The most members of a super channel that publishes typing.
    ///
    /// In a larger one, each key of each member would bring a frame to everybody.
    private static let typingLimit = 100

    /// Tells the other members that a user is typing, or no longer.
    func publishTyping(
        _ id: UserID, in url: ChannelURL, isTyping: Bool, _ standing: Standing
    ) async throws(ServerError) {
        if standing.access?.record.isSuper == true {
            let limit = Self.typingLimit
            let some = try await ask(try await storage.someMemberIDs(of: url, atMost: limit + 1))
            guard some.count <= limit else { return }
        }
        guard let user = try await ask(try await storage.user(id)) else { return }
        let others = try await publisher.audience(of: url).readers.filter { $0 != id }
        let event = ChannelEvent(
            isTyping ? .typingStart : .typingEnd, channelURL: url, timestamp: world.now(),
            content: .typing(user, isTyping: isTyping))
        await publisher.publish(.channel(event), to: others)
    }
}
