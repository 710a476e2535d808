// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

extension ChatServer {
    /// Moves a user's read mark and tells everybody; the user's own sessions learn their new count too.
    func markRead(
        _ url: ChannelURL, by id: UserID, in session: SessionID? = nil,
        _ requestID: RequestID? = nil
    ) async throws(ServerError) -> MarkAsRead.Output {
        try await inLane(of: url) { () async throws(ServerError) in
            try await member(id, of: url)
            guard let user = try await ask(try await storage.user(id)),
                let mark = try await ask(
                    try await storage.markRead(url, by: id, now: world.now()))
            else { throw ServerError(.notAMember, "Only members of the channel may do this.") }
            let total = try await ask(try await storage.unreadTotal(of: id))
            var event = ReadEvent(channelURL: url, user: user, timestamp: mark)
            let members = try await ask(try await storage.memberIDs(of: url))
            let except = requestID == nil ? nil : session
            await publish(.read(event), to: members, except: except)
            if let session, let requestID {
                event.acknowledges = requestID
                send(.read(event), to: session)
            }
            let counts = ChannelEvent(
                .propertiesChanged, channelURL: url, timestamp: mark,
                // A mark can lie in the future of the clock; which count is newer cannot depend on it.
                unread: UnreadCount(all: total, timestamp: world.now()))
            await publish(.channel(counts), to: [id])
            return MarkAsRead.Output(
                channelURL: url, timestamp: mark, unreadMessageCount: 0, totalUnreadCount: total)
        }
    }

    /// Takes a user's read mark back before a message and tells their own sessions: what others were told
    /// that somebody has read, they have.
    ///
    /// A mark that stands before the message already stays.
    func markUnread(
        from id: MessageID, in url: ChannelURL, by userID: UserID, _ uniqueID: String?
    ) async throws(ServerError) -> MarkAsRead.Output {
        try await inLane(of: url) { () async throws(ServerError) in
            try await member(userID, of: url)
            // What the user sees lies behind what is hidden from them, and so does the mark before it.
            let first = try await visibleMessage(id, in: url, for: .user(userID))
            let wanted = first.createdAt.advanced(by: -1)
            guard let user = try await ask(try await storage.user(userID)),
                let record = try await ask(
                    try await storage.updateMember(userID, of: url, now: world.now()) {
                        $0.lastRead = $0.lastRead.map { min($0, wanted) }
                    })
            else { throw ServerError(.notAMember, "Only members of the channel may do this.") }
            let mark = record.lastRead ?? wanted
            let total = try await ask(try await storage.unreadTotal(of: userID))
            let state = try await ask(
                try await storage.channelStates([url], viewer: userID)
            ).first
            var event = ReadEvent(channelURL: url, user: user, timestamp: mark)
            event.isExcluded = true
            event.uniqueID = uniqueID
            await publish(.read(event), to: [userID])
            let counts = ChannelEvent(
                .propertiesChanged, channelURL: url, timestamp: world.now(), uniqueID: uniqueID,
                unread: UnreadCount(all: total, timestamp: world.now()))
            await publish(.channel(counts), to: [userID])
            var output = MarkAsRead.Output(
                channelURL: url, timestamp: mark, unreadMessageCount: state?.unreadCount ?? 0,
                totalUnreadCount: total)
            output.isExcluded = true
            output.uniqueID = uniqueID
            return output
        }
    }

    /// Acknowledges that a thread was read; what is unread is counted by channel and not by thread.
    func markRead(
        _ parentID: MessageID, in url: ChannelURL, by id: UserID, in session: SessionID,
        _ requestID: RequestID?
    ) async throws(ServerError) {
        try await member(id, of: url)
        guard let user = try await ask(try await storage.user(id)),
            try await ask(try await storage.message(parentID, in: url)) != nil
        else { throw ServerError(.messageNotFound, "There is no such message.") }
        guard let requestID else { return }
        var event = ReadEvent(
            channelURL: url, user: user, timestamp: world.now(), acknowledges: requestID)
        event.parentID = parentID
        send(.read(event), to: session)
    }
}
