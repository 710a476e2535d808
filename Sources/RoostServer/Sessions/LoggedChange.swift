// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostWire

/// A change of a channel's log as the storage has it, for a server that missed its notice.
package struct LoggedChange: Sendable {
    /// The number of the message's last change.
    package let sequence: Int64
    /// Whether the message arrived after the changes that the server knows.
    package let isNew: Bool
    package let message: Message
    /// The live message before it.
    package let previousID: MessageID?
    package let deletedAt: Timestamp?

    package init(
        sequence: Int64, isNew: Bool, message: Message, previousID: MessageID?,
        deletedAt: Timestamp?
    ) {
        self.sequence = sequence
        self.isNew = isNew
        self.message = message
        self.previousID = previousID
        self.deletedAt = deletedAt
    }
}

extension ServerEvent {
    /// The message whose new state the event shows; nil for other events.
    var subject: MessageName? {
        switch self {
        case .message(let event): event.message.name
        case .edited(let event): event.message.name
        case .deleted(let event):
            MessageName(channel: event.channelURL, message: event.messageID)
        case .reaction(let event):
            MessageName(channel: event.channelURL, message: event.messageID)
        case .thread(let event):
            MessageName(channel: event.channelURL, message: event.parentID)
        default: nil
        }
    }
}

extension Notice {
    /// Returns the notice of an event, marked if it shows a thread.
    func named(by event: ServerEvent) -> Notice {
        guard case .thread = event else { return self }
        var notice = self
        notice.isOfThread = true
        return notice
    }
}

extension Message {
    fileprivate var name: MessageName? {
        messageID.map { MessageName(channel: channelURL, message: $0) }
    }
}

extension EventPublisher {
    /// Returns the notices of a logged change, for the sockets of this server.
    ///
    /// An edit, a reaction and a reply to a message all show as an edit of it, with its whole state.
    func notices(of change: LoggedChange, to audience: Audience) -> [Notice] {
        let message = change.message
        guard let name = message.name else { return [] }
        if let deletedAt = change.deletedAt {
            let event = DeletionEvent(
                channelURL: name.channel, messageID: name.message, timestamp: deletedAt,
                messageCreatedAt: message.createdAt, senderID: message.sender?.user.id)
            return [
                notice(
                    .deleted(event), to: audience.readers(of: message.createdAt), audience.room)
            ]
        }
        let event: (Message) -> ServerEvent = { shown in
            change.isNew
                ? .message(MessageEvent(message: shown, previousMessageID: change.previousID))
                : .edited(EditEvent(message: shown))
        }
        let (whole, partial, part) = audience.shares(of: message)
        var notices = [notice(event(message), to: whole, audience.room)]
        if let part { notices.append(notice(event(part), to: partial, nil)) }
        if !change.isNew, let thread = message.details.threadInfo {
            let event = ThreadEvent(
                channelURL: name.channel, parentID: name.message, threadInfo: thread)
            notices.append(
                notice(.thread(event), to: audience.readers(of: message.createdAt), audience.room))
        }
        return notices
    }

    private func notice(
        _ event: ServerEvent, to users: [UserID], _ room: ChannelURL?
    ) -> Notice {
        Notice(
            frame: event.encoded(isOpen: room != nil), recipients: users, room: room,
            subject: event.subject)
    }
}

// MARK: - The calls of a fan-out

extension ChatServer {
    /// Whether a user or a socket of this server gets the events of a channel.
    package func hasAudience(in url: ChannelURL) async throws(ServerError) -> Bool {
        let audience = try await parts.publisher.audience(of: url)
        return parts.sessions.hasAny(of: audience)
    }

    /// Returns the notices of logged changes, each with the number of its change.
    package func notices(
        of changes: [LoggedChange], in url: ChannelURL
    ) async throws(ServerError) -> [(sequence: Int64, notices: [Notice])] {
        let audience = try await parts.publisher.audience(of: url)
        return changes.map { change in
            let notices = parts.publisher.notices(of: change, to: audience)
            // As for any event, a frame that no client can read would close the sockets.
            return (
                change.sequence,
                notices.filter { $0.frame.utf8.count <= WireLimits.frameBytes }
            )
        }
    }

    /// Returns the notice that a channel has changed in any way, for its members and some others;
    /// clients look the channel up then.
    ///
    /// - Returns: The notice; nil if it is for no user of this server.
    package func noticeOfChange(
        in url: ChannelURL, and others: [UserID]
    ) async throws(ServerError) -> Notice? {
        let audience = try await parts.publisher.audience(of: url)
        guard !others.isEmpty || parts.sessions.hasAny(of: audience) else { return nil }
        let event = ServerEvent.channel(
            ChannelEvent(
                .propertiesChanged, channelURL: url, timestamp: world.now(),
                content: .other(data: "{}")))
        let known = Set(audience.members)
        return Notice(
            frame: event.encoded(isOpen: audience.room != nil),
            recipients: audience.members + others.filter { !known.contains($0) },
            room: audience.room)
    }

    /// The numbers of the session keys of this server's open sockets.
    package var openKeys: [Int64] { parts.sessions.keys }

    /// Ends the sockets whose session keys have ended at another server.
    package func end(keys: Set<Int64>) { parts.sessions.end(keys: keys) }
}
