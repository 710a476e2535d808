// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// Something that happened while the client was connected.
///
/// What an event tells of is on disk when it comes. Events are for the moment, to be announced; what happened
/// while there was no connection comes without them, in lists and timelines.
public enum ChatEvent: Hashable, Sendable {
    /// A message of somebody else, or of the user on another device.
    case messageReceived(Message)
    /// A message that calls the user; comes right after `messageReceived` of it.
    case mentioned(Message)
    case messageUpdated(Message)
    case messageDeleted(MessageID, ChannelURL)
    case reactionChanged(ReactionChange, MessageID, ChannelURL)
    /// A message has more or fewer replies.
    case threadChanged(ThreadInfo, MessageID, ChannelURL)
    /// Name, cover, data or another property; or something about it that only concerns the user.
    case channelChanged(ChannelURL)
    case channelDeleted(ChannelURL)
    case joined([Member], ChannelURL)
    /// Of the user too, whose cache then has nothing of the channel any more.
    case left(User, ChannelURL)
    case invited([Member], by: User?, ChannelURL)
    case declined(User, inviter: User?, ChannelURL)
    /// Only for channels whose members come and go without `joined` and `left`.
    case memberCountsChanged(ChannelURL)
    /// All who type there now, the user left out.
    case typing([User], ChannelURL)
    /// Up to when somebody has read, the user included.
    case read(User, through: Timestamp, ChannelURL)
    /// Up to when messages have reached members.
    case delivered([UserID: Timestamp], ChannelURL)
    case frozen(Bool, ChannelURL)
    case muted(RestrictedUser, ChannelURL)
    case unmuted(User, ChannelURL)
    case banned(RestrictedUser, ChannelURL)
    case unbanned(User, ChannelURL)
    /// All operators there are now.
    case operatorsChanged([User], ChannelURL)
    case metadataChanged(
        created: [String: String], updated: [String: String], deleted: [String], ChannelURL)
    case countersChanged(
        created: [String: Int64], updated: [String: Int64], deleted: [String], ChannelURL)
    case pinsChanged(ChannelURL)
    case hidden(ChannelURL)
    case unhidden(ChannelURL)
    /// How many messages the user has not read, as the server counts.
    case unreadTotalChanged(Int)
    case blocked(User, by: User)
    case unblocked(User, by: User)
    /// A part of the cache could not be read and was repaired, or will be fetched again; a sentence that says
    /// what, to be shown or logged like those of `ChatClient.storageReport`. Comes without a connection too.
    case storageRepaired(String)
    /// So many events are left out here, because the reader was too slow for them.
    case missed(Int)

    /// The channel it is about; nil when it is about no single one.
    public var channel: ChannelURL? {
        switch self {
        case .messageReceived(let message), .mentioned(let message),
            .messageUpdated(let message):
            message.channelURL
        case .messageDeleted(_, let url), .reactionChanged(_, _, let url),
            .threadChanged(_, _, let url), .channelChanged(let url), .channelDeleted(let url),
            .joined(_, let url), .left(_, let url), .invited(_, _, let url),
            .declined(_, _, let url), .memberCountsChanged(let url), .typing(_, let url),
            .read(_, _, let url), .delivered(_, let url), .frozen(_, let url),
            .muted(_, let url), .unmuted(_, let url), .banned(_, let url),
            .unbanned(_, let url), .operatorsChanged(_, let url),
            .metadataChanged(_, _, _, let url), .countersChanged(_, _, _, let url),
            .pinsChanged(let url), .hidden(let url), .unhidden(let url):
            url
        case .unreadTotalChanged, .blocked, .unblocked, .storageRepaired, .missed: nil
        }
    }
}

extension ChatEvent: JoinableStep {
    func followed(by later: ChatEvent) -> ChatEvent { .missed(count + later.count) }

    private var count: Int { if case .missed(let count) = self { count } else { 1 } }
}
