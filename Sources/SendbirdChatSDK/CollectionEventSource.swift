// SPDX-License-Identifier: Apache-2.0

/// The source of a collection's event.
///
/// The numbers up to 110 and the order of the first groups are those of the old SDK.
public enum CollectionEventSource: Int, Codable, CaseIterable, Sendable {
    /// The server's change log of an absence was applied to messages.
    case messageChangelog = 0
    /// Missing messages were filled in, by a page, by the catch-up or from the cache.
    case messageFill
    /// The server's change log of an absence was applied to channels.
    case channelChangelog
    /// The user has written a message, which waits or is being sent.
    case localMessagePendingCreated
    /// The outbox has given up on a message.
    case localMessageFailed
    /// The user has canceled or removed an unsent message.
    case localMessageCanceled
    /// A failed message waits again.
    case localMessageResendStarted
    /// A channel was looked up, by a page or from the cache.
    case channelRefresh

    /// The server has the user's message.
    case eventMessageSent = 100
    /// A message has arrived.
    case eventMessageReceived
    /// A message was edited.
    case eventMessageUpdated
    /// A message was deleted.
    case eventMessageDeleted
    /// A reaction was added or removed.
    case eventReactionUpdated
    /// The thread below a message has changed.
    case eventThreadInfoUpdated
    /// A message that mentions the user has arrived.
    case eventMention
    /// A property of the channel has changed.
    case eventChannelChanged
    /// The number of members has changed.
    case eventChannelMemberCountChanged
    /// The channel was frozen.
    case eventChannelFrozen
    /// The channel is no longer frozen.
    case eventChannelUnfrozen
    /// The user has hidden the channel.
    case eventChannelHidden
    /// The channel is gone.
    case eventChannelDeleted
    /// The operators have changed.
    case eventOperatorUpdated
    /// Without use here: channels of collections do not have the state of typing.
    case eventTypingStatusUpdated
    /// Messages have reached members.
    case eventDeliveryStatusUpdated
    /// A member has read messages, for callers who know this name only; see
    /// `eventUserDidMarkAsRead`.
    case eventReadStatusUpdated
    /// Users were invited.
    case eventUserReceivedInvitation
    /// A user has declined the invitation.
    case eventUserDeclinedInvitation
    /// A user has joined.
    case eventUserJoined
    /// A user has left.
    case eventUserLeft
    /// A member was muted.
    case eventUserMuted
    /// A member is no longer muted.
    case eventUserUnmuted
    /// Without use here: a ban is seen as a member's leaving.
    case eventUserBanned
    /// Without use here: the end of a ban changes nothing in the channel.
    case eventUserUnbanned
    /// Metadata were added.
    case eventMetaDataCreated
    /// Metadata have changed.
    case eventMetaDataUpdated
    /// Metadata were deleted.
    case eventMetaDataDeleted
    /// Without use here: counters are not part of channels.
    case eventMetaCounterCreated
    /// Without use here: counters are not part of channels.
    case eventMetaCounterUpdated
    /// Without use here: counters are not part of channels.
    case eventMetaCounterDeleted
    /// A poll has changed.
    case eventPollUpdated
    /// A user has voted in a poll.
    case eventPollVoted
    /// Without use here: changes of polls come with the change log of messages.
    case eventPollChangeLog
    /// Without use here: there is no feedback on messages.
    case eventFeedbackMessageUpdated
    /// The pinned messages have changed.
    case eventPinnedMessageUpdated
    /// A user has read messages.
    case eventUserDidMarkAsRead
    /// The user has marked messages as unread.
    case eventUserDidMarkAsUnread

    /// Whether a live event is the source, of another user or of this one.
    var isEvent: Bool { rawValue >= Self.eventMessageSent.rawValue }
}
