// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire

// The calls over HTTP that change one message.

extension ModelServer {
    mutating func delete(
        _ call: DeleteMessage, _ desk: Desk, on storage: isolated MemoryStorage
    ) throws(ServerError) {
        let url = call.channelURL
        _ = try desk.admit(
            AccessRule(.user, in: .reader, on: .moderatedMessage), url, call.messageID,
            on: storage)
        guard
            case .deleted(let message, let parent) = storage.delete(
                call.messageID, in: url, now: desk.now)
        else { throw ServerError(.messageNotFound, "There is no such message.") }
        let event = DeletionEvent(
            channelURL: url, messageID: call.messageID, timestamp: desk.now,
            messageCreatedAt: message.createdAt, senderID: message.sender?.user.id)
        let audience = Audience(audienceMembers: storage.audienceMembers(of: url))
        publish(.deleted(event), to: audience.readers(of: message.createdAt))
        publishThread(of: parent, in: url, to: audience)
    }

    mutating func react(
        _ call: ReactToMessage, _ desk: Desk, on storage: isolated MemoryStorage
    ) throws(ServerError) -> ReactionChange {
        let url = call.channelURL
        let standing = try desk.admit(.reaction, url, call.messageID, on: storage)
        let message = try standing.namedMessage()
        let change = message.reactionChange(
            call.key, by: desk.user, isAdded: call.isAdded, at: desk.now)
        if message.isIdle(change) { return change }
        _ = storage.updateMessage(call.messageID, in: url, now: change.updatedAt) {
            $0.apply(change)
        }
        let event = ReactionEvent(channelURL: url, messageID: call.messageID, change: change)
        let audience = Audience(audienceMembers: storage.audienceMembers(of: url))
        publish(.reaction(event), to: audience.readers(of: message.createdAt))
        return change
    }

    /// Moves the user's read mark back before a message.
    mutating func markUnread(
        from first: MessageID, _ call: MarkAsRead, by desk: Desk,
        on storage: isolated MemoryStorage
    ) throws(ServerError) {
        let url = call.channelURL
        let standing = try desk.admit(.own(.member, on: .message), url, first, on: storage)
        let wanted = try standing.namedMessage().createdAt.advanced(by: -1)
        let record = storage.updateMember(desk.user, of: url, now: desk.now) {
            $0.lastRead = $0.lastRead.map { min($0, wanted) }
        }
        guard let record, let user = storage.user(desk.user) else {
            throw ServerError(.notAMember, "Only members of the channel may do this.")
        }
        var event = ReadEvent(
            channelURL: url, user: user, timestamp: record.lastRead ?? wanted)
        event.isExcluded = true
        event.uniqueID = call.uniqueID
        publish(.read(event), to: [desk.user])
        let counts = ChannelEvent(
            .propertiesChanged, channelURL: url, timestamp: desk.now, uniqueID: call.uniqueID,
            unread: UnreadCount(all: storage.unreadTotal(of: desk.user), timestamp: desk.now))
        publish(.channel(counts), to: [desk.user])
    }
}
