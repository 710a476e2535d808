// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// What a server says over the socket (`docs/protocol` 2.2-2.10).
///
/// A request ID called `acknowledges` makes the frame an answer to the session that asked; without it
/// the same frame is news (2.3).
package enum ServerEvent: Hashable, Sendable {
    case login(LoginResult)
    case pong
    /// A message that was accepted: MESG, FILE, ADMM, BRDM.
    case message(MessageEvent)
    /// A message that was changed: MEDI, FEDI, AEDI.
    case edited(EditEvent)
    case deleted(DeletionEvent)
    case read(ReadEvent)
    /// Up to when members have received the channel's messages.
    case delivered(ChannelURL, [UserID: Timestamp])
    case channel(ChannelEvent)
    /// News about users, by number; the data as JSON text.
    case user(category: Int, data: String)
    case error(ServerError, acknowledges: RequestID?)
    /// Sent instead of the login's answer: come back later.
    case busy(BusyEvent)
    /// The session key ends; in seconds from now, when the server says so.
    case expired(reason: Int?, expiresIn: Int?)
    case memberCounts([MemberCounts])
    case reaction(ReactionEvent)
    case thread(ThreadEvent)
    case poll(PollEvent)
    /// From a newer server, or for a feature this client does not have.
    case unknown(Frame.Command)

    /// Every event of a text frame, each on its own terms.
    package static func decodeAll(_ text: String) -> [Result<ServerEvent, WireError>] {
        Frame.split(text).map { part in
            part.flatMap { frame in
                Result { () throws(WireError) in try ServerEvent(decoding: frame) }
            }
        }
    }
}

/// An error as the protocol writes it: a number and a sentence (`docs/protocol` 4.9).
package struct ServerError: Error, Hashable, Sendable {
    package var code: RoostError.Code
    package var message: String
    /// When the same may be asked again; REST says it in a header, BUSY in a field.
    package var retryAfter: Duration?

    package init(_ code: RoostError.Code, _ message: String, retryAfter: Duration? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }
}

/// How many messages the user has not read in all channels together.
package struct UnreadCount: Hashable, Sendable {
    package var all: Int
    package var customTypes: [String: Int]
    /// Only a later statement replaces an earlier one.
    package var timestamp: Timestamp

    package init(all: Int, customTypes: [String: Int] = [:], timestamp: Timestamp) {
        self.all = all
        self.customTypes = customTypes
        self.timestamp = timestamp
    }
}

package struct MessageEvent: Hashable, Sendable {
    package var message: Message
    package var acknowledges: RequestID?
    /// The message before it in the channel, under no filter; proves that nothing lies between.
    package var previousMessageID: MessageID?
    /// Shows the message as the channel's last one even though it is silent.
    package var forcesLastMessage: Bool
    package var unread: UnreadCount?

    package init(
        message: Message, acknowledges: RequestID? = nil, previousMessageID: MessageID? = nil,
        forcesLastMessage: Bool = false, unread: UnreadCount? = nil
    ) {
        self.message = message
        self.acknowledges = acknowledges
        self.previousMessageID = previousMessageID
        self.forcesLastMessage = forcesLastMessage
        self.unread = unread
    }
}

package struct EditEvent: Hashable, Sendable {
    package var message: Message
    package var acknowledges: RequestID?
    /// Whom the message called before; changes the count of mentions.
    package var oldMention: Mention?

    package init(message: Message, acknowledges: RequestID? = nil, oldMention: Mention? = nil) {
        self.message = message
        self.acknowledges = acknowledges
        self.oldMention = oldMention
    }
}

package struct DeletionEvent: Hashable, Sendable {
    package var channelURL: ChannelURL
    package var messageID: MessageID
    /// When it was deleted.
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

package struct ReadEvent: Hashable, Sendable {
    package var channelURL: ChannelURL
    package var user: User
    /// Up to when the user has read.
    package var timestamp: Timestamp
    package var acknowledges: RequestID?
    /// Whether the mark has gone back: what follows `timestamp` is unread again.
    package var isExcluded = false
    /// The name by which who acted knows the news of it.
    package var uniqueID: String?
    /// The thread that was read, which leaves the channel's mark where it is.
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

package struct BusyEvent: Hashable, Sendable {
    package var retryAfter: Duration
    package var reason: Int
    package var message: String

    package init(retryAfter: Duration, reason: Int, message: String) {
        self.retryAfter = retryAfter
        self.reason = reason
        self.message = message
    }
}

package struct MemberCounts: Hashable, Sendable {
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

package struct ReactionEvent: Hashable, Sendable {
    package var channelURL: ChannelURL
    package var messageID: MessageID
    /// An addition is `ADD` on the wire, a removal `DELETE`.
    package var change: ReactionChange

    package init(channelURL: ChannelURL, messageID: MessageID, change: ReactionChange) {
        self.channelURL = channelURL
        self.messageID = messageID
        self.change = change
    }
}

package struct ThreadEvent: Hashable, Sendable {
    package var channelURL: ChannelURL
    package var parentID: MessageID
    /// What `thread_info` of the parent is to become.
    package var threadInfo: ThreadInfo

    package init(channelURL: ChannelURL, parentID: MessageID, threadInfo: ThreadInfo) {
        self.channelURL = channelURL
        self.parentID = parentID
        self.threadInfo = threadInfo
    }
}
