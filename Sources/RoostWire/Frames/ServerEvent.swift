// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// An event of the server over the socket (`docs/protocol` 2.2 to 2.10).
///
/// With a request ID in `acknowledges` the frame is the answer to the session that asked; without
/// one it is an event (2.3).
package enum ServerEvent: Equatable, Codable, Sendable {
    case login(LoginResult)
    case pong
    /// A message was accepted: MESG, FILE, ADMM, BRDM.
    case message(MessageEvent)
    /// A message was changed: MEDI, FEDI, AEDI.
    case edited(EditEvent)
    case deleted(DeletionEvent)
    case read(ReadEvent)
    /// The times up to which members have received the channel's messages.
    case delivered(ChannelURL, [UserID: Timestamp])
    case channel(ChannelEvent)
    /// An event of users, by category, with its data as JSON text.
    case user(category: Int, data: String)
    case error(ServerError, acknowledges: RequestID?)
    /// The refusal of a login by an overloaded server, with the time to come back.
    case busy(BusyEvent)
    /// The end of the session key, in seconds from now if the server sends it.
    case expired(reason: Int?, expiresIn: Int?)
    /// The numbers of members of group channels, and of users inside open channels.
    case memberCounts([MemberCounts], [ParticipantCount])
    case reaction(ReactionEvent)
    case thread(ThreadEvent)
    case poll(PollEvent)
    /// The answer to an entry into an open channel, or to an exit: ENTR, EXIT.
    case room(RoomAnswer)
    /// An event of an open channel, among those that tell it by a field of their frame only.
    indirect case inOpenChannel(ServerEvent)
    /// An event of a newer server, or of a feature that this client lacks.
    case unknown(Frame.Command)

    /// Decodes every event of a text frame; an error affects its own event only.
    package static func decodeAll(_ text: String) -> [Result<ServerEvent, WireError>] {
        Frame.split(text).map { part in
            part.flatMap { frame in
                Result { () throws(WireError) in try ServerEvent(decoding: frame) }
            }
        }
    }
}

/// An error of the protocol: a number and a sentence (`docs/protocol` 4.9).
package struct ServerError: Error, Hashable, Codable, Sendable {
    package var code: RoostError.Code
    package var message: String
    /// The wait before a retry; a header in REST, a field in BUSY.
    package var retryAfter: Duration?

    package init(_ code: RoostError.Code, _ message: String, retryAfter: Duration? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }
}

/// The number of the user's unread messages in all channels together.
package struct UnreadCount: Equatable, Codable, Sendable {
    package var all: Int
    package var customTypes: [String: Int]
    /// The time of the count; a later one replaces an earlier one.
    package var timestamp: Timestamp

    package init(all: Int, customTypes: [String: Int] = [:], timestamp: Timestamp) {
        self.all = all
        self.customTypes = customTypes
        self.timestamp = timestamp
    }
}

package struct MessageEvent: Equatable, Codable, Sendable {
    package var message: Message
    package var acknowledges: RequestID?
    /// The previous message in the channel, under no filter; proves that no message lies between.
    package var previousMessageID: MessageID?
    /// Whether the message becomes the channel's last one although it is silent.
    package var forcesLastMessage: Bool
    package var unread: UnreadCount?
    /// Whether the message is in an open channel; a fact of its own, because a journal has no texts.
    package let isInOpenChannel: Bool

    package init(
        message: Message, acknowledges: RequestID? = nil, previousMessageID: MessageID? = nil,
        forcesLastMessage: Bool = false, unread: UnreadCount? = nil
    ) {
        self.message = message
        self.acknowledges = acknowledges
        self.previousMessageID = previousMessageID
        self.forcesLastMessage = forcesLastMessage
        self.unread = unread
        isInOpenChannel = message.isInOpenChannel
    }
}

package struct EditEvent: Equatable, Codable, Sendable {
    package var message: Message
    package var acknowledges: RequestID?
    /// The earlier mention; a difference changes the count of mentions.
    package var oldMention: Mention?
    /// Whether the message is in an open channel.
    package let isInOpenChannel: Bool

    package init(message: Message, acknowledges: RequestID? = nil, oldMention: Mention? = nil) {
        self.message = message
        self.acknowledges = acknowledges
        self.oldMention = oldMention
        isInOpenChannel = message.isInOpenChannel
    }
}

package struct DeletionEvent: Equatable, Codable, Sendable {
    package var channelURL: ChannelURL
    package var messageID: MessageID
    /// The time of the deletion.
    package var timestamp: Timestamp?
    package var messageCreatedAt: Timestamp?
    package var senderID: UserID?

    package init(
        channelURL: ChannelURL, messageID: MessageID, timestamp: Timestamp? = nil,
        messageCreatedAt: Timestamp? = nil, senderID: UserID? = nil
    ) {
        self.channelURL = channelURL
        self.messageID = messageID
        self.timestamp = timestamp
        self.messageCreatedAt = messageCreatedAt
        self.senderID = senderID
    }
}

package struct ReadEvent: Equatable, Codable, Sendable {
    package var channelURL: ChannelURL
    package var user: User
    /// The time up to which the user has read.
    package var timestamp: Timestamp
    package var acknowledges: RequestID?
    /// Whether the mark has moved back, so that messages behind `timestamp` are unread again.
    package var isExcluded = false
    /// The name that the acting client chose, by which it recognises its own event.
    package var uniqueID: String?
    /// The thread that was read; the channel's own mark stays.
    package var parentID: MessageID?

    package init(
        channelURL: ChannelURL, user: User, timestamp: Timestamp, acknowledges: RequestID? = nil
    ) {
        self.channelURL = channelURL
        self.user = user
        self.timestamp = timestamp
        self.acknowledges = acknowledges
    }
}

package struct BusyEvent: Equatable, Codable, Sendable {
    package var retryAfter: Duration
    package var reason: Int
    package var message: String

    package init(retryAfter: Duration, reason: Int, message: String) {
        self.retryAfter = retryAfter
        self.reason = reason
        self.message = message
    }
}

package struct MemberCounts: Equatable, Codable, Sendable {
    package var channelURL: ChannelURL
    package var memberCount: Int
    package var joinedMemberCount: Int
    package var timestamp: Timestamp?

    package init(
        channelURL: ChannelURL, memberCount: Int, joinedMemberCount: Int, timestamp: Timestamp?
    ) {
        self.channelURL = channelURL
        self.memberCount = memberCount
        self.joinedMemberCount = joinedMemberCount
        self.timestamp = timestamp
    }
}

/// The number of users inside an open channel.
package struct ParticipantCount: Equatable, Codable, Sendable {
    package var channelURL: ChannelURL
    package var count: Int

    package init(channelURL: ChannelURL, count: Int) {
        self.channelURL = channelURL
        self.count = count
    }
}

package struct ReactionEvent: Equatable, Codable, Sendable {
    package var channelURL: ChannelURL
    package var messageID: MessageID
    /// The change: an addition is `ADD` on the wire, a removal `DELETE`.
    package var change: ReactionChange

    package init(channelURL: ChannelURL, messageID: MessageID, change: ReactionChange) {
        self.channelURL = channelURL
        self.messageID = messageID
        self.change = change
    }
}

package struct ThreadEvent: Equatable, Codable, Sendable {
    package var channelURL: ChannelURL
    package var parentID: MessageID
    /// The new `thread_info` of the parent.
    package var threadInfo: ThreadInfo

    package init(channelURL: ChannelURL, parentID: MessageID, threadInfo: ThreadInfo) {
        self.channelURL = channelURL
        self.parentID = parentID
        self.threadInfo = threadInfo
    }
}
