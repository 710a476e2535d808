// SPDX-License-Identifier: Apache-2.0

/// The receiver of live events in channels; changes during an absence go to collections only.
public protocol BaseChannelDelegate: AnyObject {
    /// A message of another user, or of this user on another device, has arrived.
    func channel(_ channel: BaseChannel, didReceive message: BaseMessage)
    /// A message was edited.
    func channel(_ channel: BaseChannel, didUpdate message: BaseMessage)
    /// A message was deleted.
    func channel(_ channel: BaseChannel, messageWasDeleted messageId: Int64)
    /// A message mentions the user; follows the call about its arrival.
    func channel(_ channel: BaseChannel, didReceiveMention message: BaseMessage)
    /// A reaction was added or removed.
    func channel(_ channel: BaseChannel, updatedReaction reactionEvent: ReactionEvent)
    /// The number of replies to a message has changed.
    func channel(
        _ channel: BaseChannel, didUpdateThreadInfo threadInfoUpdateEvent: ThreadInfoUpdateEvent)
    /// A property of the channel has changed.
    func channelWasChanged(_ channel: BaseChannel)
    /// The channel was deleted.
    func channelWasDeleted(_ channelURL: String, channelType: ChannelType)
    /// The channel was frozen.
    func channelWasFrozen(_ channel: BaseChannel)
    /// The channel is no longer frozen.
    func channelWasUnfrozen(_ channel: BaseChannel)
    /// The operators have changed.
    func channelDidUpdateOperators(_ channel: BaseChannel)
    /// A member was muted.
    func channel(_ channel: BaseChannel, userWasMuted user: RestrictedUser)
    /// A member's mute has ended.
    func channel(_ channel: BaseChannel, userWasUnmuted user: User)
    /// A user was banned from the channel.
    func channel(_ channel: BaseChannel, userWasBanned user: RestrictedUser)
    /// A user's ban has ended.
    func channel(_ channel: BaseChannel, userWasUnbanned user: User)
    /// Metadata were added.
    func channel(_ channel: BaseChannel, createdMetaData: [String: String]?)
    /// Metadata were changed.
    func channel(_ channel: BaseChannel, updatedMetaData: [String: String]?)
    /// Metadata were deleted.
    func channel(_ channel: BaseChannel, deletedMetaDataKeys: [String]?)
    /// Counters were added.
    func channel(_ channel: BaseChannel, createdMetaCounters: [String: Int]?)
    /// Counters were changed.
    func channel(_ channel: BaseChannel, updatedMetaCounters: [String: Int]?)
    /// Counters were deleted.
    func channel(_ channel: BaseChannel, deletedMetaCountersKeys: [String]?)
}

extension BaseChannelDelegate {
    public func channel(_ channel: BaseChannel, didReceive message: BaseMessage) {}
    public func channel(_ channel: BaseChannel, didUpdate message: BaseMessage) {}
    public func channel(_ channel: BaseChannel, messageWasDeleted messageId: Int64) {}
    public func channel(_ channel: BaseChannel, didReceiveMention message: BaseMessage) {}
    public func channel(_ channel: BaseChannel, updatedReaction reactionEvent: ReactionEvent) {}
    public func channel(
        _ channel: BaseChannel, didUpdateThreadInfo threadInfoUpdateEvent: ThreadInfoUpdateEvent
    ) {}
    public func channelWasChanged(_ channel: BaseChannel) {}
    public func channelWasDeleted(_ channelURL: String, channelType: ChannelType) {}
    public func channelWasFrozen(_ channel: BaseChannel) {}
    public func channelWasUnfrozen(_ channel: BaseChannel) {}
    public func channelDidUpdateOperators(_ channel: BaseChannel) {}
    public func channel(_ channel: BaseChannel, userWasMuted user: RestrictedUser) {}
    public func channel(_ channel: BaseChannel, userWasUnmuted user: User) {}
    public func channel(_ channel: BaseChannel, userWasBanned user: RestrictedUser) {}
    public func channel(_ channel: BaseChannel, userWasUnbanned user: User) {}
    public func channel(_ channel: BaseChannel, createdMetaData: [String: String]?) {}
    public func channel(_ channel: BaseChannel, updatedMetaData: [String: String]?) {}
    public func channel(_ channel: BaseChannel, deletedMetaDataKeys: [String]?) {}
    public func channel(_ channel: BaseChannel, createdMetaCounters: [String: Int]?) {}
    public func channel(_ channel: BaseChannel, updatedMetaCounters: [String: Int]?) {}
    public func channel(_ channel: BaseChannel, deletedMetaCountersKeys: [String]?) {}
}

/// The receiver of live events in group channels.
public protocol GroupChannelDelegate: BaseChannelDelegate {
    /// A user has joined the channel.
    func channel(_ channel: GroupChannel, userDidJoin user: User)
    /// A user has left the channel.
    func channel(_ channel: GroupChannel, userDidLeave user: User)
    /// Users were invited to the channel.
    func channel(_ channel: GroupChannel, didReceiveInvitation invitees: [User]?, inviter: User?)
    /// A user has declined the invitation.
    func channel(_ channel: GroupChannel, didDeclineInvitation invitee: User, inviter: User?)
    /// The member counts have changed, in channels without calls about each member.
    func channelDidChangeMemberCount(_ channels: [GroupChannel])
    /// A member has begun or stopped typing.
    func channelDidUpdateTypingStatus(_ channel: GroupChannel)
    /// A member has read messages; called with both methods that name the members.
    func channelDidUpdateReadStatus(_ channel: GroupChannel)
    /// Members have read messages.
    func channelDidUpdateReadStatus(_ channel: GroupChannel, userIds: [String])
    /// Members have read messages.
    func channelDidMarkAsRead(_ channel: GroupChannel, userIds: [String])
    /// Members have moved their read marks back; never called, as the server announces it to the
    /// user's own devices only.
    func channelDidMarkAsUnread(_ channel: GroupChannel, userIds: [String])
    /// Messages have reached members.
    func channelDidUpdateDeliveryStatus(_ channel: GroupChannel)
    /// The pinned messages have changed; called with `channelWasChanged(_:)`.
    func channelDidUpdatePinnedMessages(_ channel: GroupChannel)
    /// The user has hidden the channel, possibly on another device.
    func channelWasHidden(_ channel: GroupChannel)
    /// Another user, or this one on another device, has voted in a poll.
    func channel(_ channel: GroupChannel, didVotePoll event: PollVoteEvent)
    /// A poll was changed or closed.
    func channel(_ channel: GroupChannel, didUpdatePoll event: PollUpdateEvent)
    /// A poll was deleted.
    func channel(_ channel: GroupChannel, pollWasDeleted pollId: Int64)
}

extension GroupChannelDelegate {
    public func channel(_ channel: GroupChannel, userDidJoin user: User) {}
    public func channel(_ channel: GroupChannel, userDidLeave user: User) {}
    public func channel(
        _ channel: GroupChannel, didReceiveInvitation invitees: [User]?, inviter: User?
    ) {}
    public func channel(
        _ channel: GroupChannel, didDeclineInvitation invitee: User, inviter: User?
    ) {}
    public func channelDidChangeMemberCount(_ channels: [GroupChannel]) {}
    public func channelDidUpdateTypingStatus(_ channel: GroupChannel) {}
    public func channelDidUpdateReadStatus(_ channel: GroupChannel) {}
    public func channelDidUpdateReadStatus(_ channel: GroupChannel, userIds: [String]) {}
    public func channelDidMarkAsRead(_ channel: GroupChannel, userIds: [String]) {}
    public func channelDidMarkAsUnread(_ channel: GroupChannel, userIds: [String]) {}
    public func channelDidUpdateDeliveryStatus(_ channel: GroupChannel) {}
    public func channelDidUpdatePinnedMessages(_ channel: GroupChannel) {}
    public func channelWasHidden(_ channel: GroupChannel) {}
    public func channel(_ channel: GroupChannel, didVotePoll event: PollVoteEvent) {}
    public func channel(_ channel: GroupChannel, didUpdatePoll event: PollUpdateEvent) {}
    public func channel(_ channel: GroupChannel, pollWasDeleted pollId: Int64) {}
}

/// The receiver of live events in open channels that the user has entered.
public protocol OpenChannelDelegate: BaseChannelDelegate {
    /// A user has entered the channel.
    func channel(_ channel: OpenChannel, userDidEnter user: User)
    /// A user has left the channel.
    func channel(_ channel: OpenChannel, userDidExit user: User)
    /// The participant counts have changed.
    func channelDidChangeParticipantCount(_ channels: [OpenChannel])
    /// The pinned messages have changed; a Roost server has no pins in open channels.
    func channelDidUpdatePinnedMessages(_ channel: OpenChannel)
    /// A user has voted in a poll.
    func channel(_ channel: OpenChannel, didVotePoll event: PollVoteEvent)
    /// A poll has changed.
    func channel(_ channel: OpenChannel, didUpdatePoll event: PollUpdateEvent)
    /// A poll was deleted.
    func channel(_ channel: OpenChannel, pollWasDeleted pollId: Int64)
}

extension OpenChannelDelegate {
    public func channel(_ channel: OpenChannel, userDidEnter user: User) {}
    public func channel(_ channel: OpenChannel, userDidExit user: User) {}
    public func channelDidChangeParticipantCount(_ channels: [OpenChannel]) {}
    public func channelDidUpdatePinnedMessages(_ channel: OpenChannel) {}
    public func channel(_ channel: OpenChannel, didVotePoll event: PollVoteEvent) {}
    public func channel(_ channel: OpenChannel, didUpdatePoll event: PollUpdateEvent) {}
    public func channel(_ channel: OpenChannel, pollWasDeleted pollId: Int64) {}
}
