// SPDX-License-Identifier: Apache-2.0

/// A live event while the client is connected.
///
/// The effect of an event is on disk when the event arrives. Events are for announcements; changes
/// during an absence come without them, in lists and timelines.
public enum ChatEvent: Hashable, Codable, Sendable {
    /// A message of another user, or of this user on another device.
    case messageReceived(Message)
    /// A message that mentions the user; follows the `messageReceived` of the same message.
    case mentioned(Message)
    /// A message was edited; this is the new version.
    case messageUpdated(Message)
    /// A message was deleted.
    case messageDeleted(MessageID, ChannelURL)
    /// A reaction was added to a message or removed from it.
    case reactionChanged(ReactionChange, MessageID, ChannelURL)
    /// The number of replies to a message has changed.
    case threadChanged(ThreadInfo, MessageID, ChannelURL)
    /// Another user, or this one on another device, has voted in the poll of a message.
    case pollVoted(PollVotes, MessageID, ChannelURL)
    /// The poll of a message was changed, closed or removed; this is the new version.
    case pollChanged(Poll, MessageID, ChannelURL)
    /// A property of the channel has changed, or a setting of the user for it.
    case channelChanged(ChannelURL)
    /// The channel was deleted; nothing of it is in the cache any more.
    case channelDeleted(ChannelURL)
    /// Users have joined the channel.
    case joined([Member], ChannelURL)
    /// A user has left the channel; if it is this user, nothing of the channel is in the cache any
    /// more.
    case left(User, ChannelURL)
    /// Users were invited to the channel.
    case invited([Member], by: User?, ChannelURL)
    /// A user has declined the invitation to the channel.
    case declined(User, inviter: User?, ChannelURL)
    /// The member counts have changed, in channels without `joined` and `left` events.
    case memberCountsChanged(ChannelURL)
    /// All users who are typing in the channel now, without this user.
    case typing([User], ChannelURL)
    /// A user, possibly this one, has read up to this moment.
    case read(User, through: Timestamp, ChannelURL)
    /// Messages up to these moments have reached the members.
    case delivered([UserID: Timestamp], ChannelURL)
    /// The channel was frozen (true) or unfrozen (false).
    case frozen(Bool, ChannelURL)
    /// A member was muted.
    case muted(RestrictedUser, ChannelURL)
    /// A member's mute has ended.
    case unmuted(User, ChannelURL)
    /// A user was banned from the channel.
    case banned(RestrictedUser, ChannelURL)
    /// A user's ban has ended.
    case unbanned(User, ChannelURL)
    /// The complete new list of operators.
    case operatorsChanged([User], ChannelURL)
    /// Metadata of the channel have changed.
    case metadataChanged(
        created: [String: String], updated: [String: String], deleted: [String], ChannelURL)
    /// Counters of the channel have changed; they are not cached.
    case countersChanged(
        created: [String: Int64], updated: [String: Int64], deleted: [String], ChannelURL)
    /// The pinned messages of the channel have changed.
    case pinsChanged(ChannelURL)
    /// The user has hidden the channel, possibly on another device.
    case hidden(ChannelURL)
    /// The channel is no longer hidden.
    case unhidden(ChannelURL)
    /// The number of the user's unread messages, as the server counts them.
    case unreadTotalChanged(Int)
    /// A user was blocked by another; one of the two is this user.
    case blocked(User, by: User)
    /// A block between two users has ended; one of the two is this user.
    case unblocked(User, by: User)
    /// A user has entered an open channel; the number of users who are inside now.
    case entered(User, participants: Int, ChannelURL)
    /// A user has left an open channel; the number of users who are still inside.
    ///
    /// If it is this user, the server has refused the return after a reconnection.
    case exited(User, participants: Int, ChannelURL)
    /// An event of an open channel that the user has entered; nothing of it is in the cache.
    indirect case openChannel(ChatEvent)
    /// A damaged part of the cache was repaired or will be fetched again; the sentence says which.
    ///
    /// Show or log it like `ChatClient.storageReport`. The event does not need a connection.
    case storageRepaired(String)
    /// This many events were dropped here, because the reader was too slow.
    case missed(Int)

    /// The channel of the event; nil if it concerns no single channel.
    public var channel: ChannelURL? {
        switch self {
        case .messageReceived(let message), .mentioned(let message),
            .messageUpdated(let message):
            message.channelURL
        case .messageDeleted(_, let url), .reactionChanged(_, _, let url),
            .threadChanged(_, _, let url), .pollVoted(_, _, let url),
            .pollChanged(_, _, let url), .channelChanged(let url), .channelDeleted(let url),
            .joined(_, let url), .left(_, let url), .invited(_, _, let url),
            .declined(_, _, let url), .memberCountsChanged(let url), .typing(_, let url),
            .read(_, _, let url), .delivered(_, let url), .frozen(_, let url),
            .muted(_, let url), .unmuted(_, let url), .banned(_, let url),
            .unbanned(_, let url), .operatorsChanged(_, let url),
            .metadataChanged(_, _, _, let url), .countersChanged(_, _, _, let url),
            .pinsChanged(let url), .hidden(let url), .unhidden(let url),
            .entered(_, _, let url), .exited(_, _, let url):
            url
        case .openChannel(let event): event.channel
        case .unreadTotalChanged, .blocked, .unblocked, .storageRepaired, .missed: nil
        }
    }
}
