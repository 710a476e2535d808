// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The receiver of changes of the connection.
public protocol SBDConnectionDelegate: AnyObject {
    /// The connection was lost or the first attempt failed, and reconnecting has begun.
    func didStartReconnection()
    /// The client is connected again, or at last.
    func didSucceedReconnection()
    /// Reconnecting has ended without success, because the server refused for good.
    ///
    /// The refusal of a first attempt goes to the handler of the call only.
    func didFailReconnection()
}

extension SBDConnectionDelegate {
    public func didStartReconnection() {}
    public func didSucceedReconnection() {}
    public func didFailReconnection() {}
}

/// The receiver of changes about the current user.
public protocol SBDUserEventDelegate: AnyObject {
    /// The number of the user's unread messages has changed; no numbers by custom type come.
    func didUpdateTotalUnreadMessageCount(
        _ totalCount: Int32, totalCountByCustomType: [String: NSNumber]?)
}

extension SBDUserEventDelegate {
    public func didUpdateTotalUnreadMessageCount(
        _ totalCount: Int32, totalCountByCustomType: [String: NSNumber]?
    ) {}
}

/// The receiver of live events in channels; messages that this device has sent are not among them.
///
/// `channelWasChanged(_:)` is called after the method of its own of each change but the arrival,
/// edit and deletion of a message, read marks, typing, members and mutes.
public protocol SBDChannelDelegate: AnyObject {
    /// A message has arrived that this device has not sent.
    func channel(_ sender: SBDBaseChannel, didReceive message: SBDBaseMessage)
    /// A message was edited.
    func channel(_ sender: SBDBaseChannel, didUpdate message: SBDBaseMessage)
    /// A message was deleted.
    func channel(_ sender: SBDBaseChannel, messageWasDeleted messageId: Int64)
    /// A user has added or removed a reaction.
    func channel(_ sender: SBDBaseChannel, updatedReaction reactionEvent: SBDReactionEvent)
    /// The replies to a message have changed.
    func channel(
        _ sender: SBDBaseChannel, didUpdate threadInfoUpdateEvent: SBDThreadInfoUpdateEvent)
    /// A property of the channel has changed.
    func channelWasChanged(_ sender: SBDBaseChannel)
    /// The channel was deleted.
    func channelWasDeleted(_ channelUrl: String, channelType: SBDChannelType)
    /// Only operators may write now.
    func channelWasFrozen(_ sender: SBDBaseChannel)
    /// All members may write again.
    func channelWasUnfrozen(_ sender: SBDBaseChannel)
    /// The user has hidden the channel.
    func channelWasHidden(_ sender: SBDGroupChannel)
    /// The operators have changed.
    func channelDidUpdateOperators(_ sender: SBDBaseChannel)
    /// The member counts have changed, in channels without events about each member.
    func channelDidChangeMemberCount(_ channels: [SBDGroupChannel])
    /// The number of users inside open channels has changed.
    func channelDidChangeParticipantCount(_ channels: [SBDOpenChannel])
    /// A user has joined the channel.
    func channel(_ sender: SBDGroupChannel, userDidJoin user: SBDUser)
    /// A user has left the channel.
    func channel(_ sender: SBDGroupChannel, userDidLeave user: SBDUser)
    /// Users were invited to the channel.
    func channel(
        _ sender: SBDGroupChannel, didReceiveInvitation invitees: [SBDUser]?, inviter: SBDUser?)
    /// A user has declined the invitation to the channel.
    func channel(
        _ sender: SBDGroupChannel, didDeclineInvitation invitee: SBDUser?, inviter: SBDUser?)
    /// A user has entered an open channel in which the current user is.
    func channel(_ sender: SBDOpenChannel, userDidEnter user: SBDUser)
    /// A user has left an open channel in which the current user is.
    func channel(_ sender: SBDOpenChannel, userDidExit user: SBDUser)
    /// A user was muted.
    func channel(_ sender: SBDBaseChannel, userWasMuted user: SBDUser)
    /// The mute of a user has ended.
    func channel(_ sender: SBDBaseChannel, userWasUnmuted user: SBDUser)
    /// A user was banned.
    func channel(_ sender: SBDBaseChannel, userWasBanned user: SBDUser)
    /// The ban of a user has ended.
    func channel(_ sender: SBDBaseChannel, userWasUnbanned user: SBDUser)
    /// A member has read messages.
    func channelDidUpdateReadReceipt(_ sender: SBDGroupChannel)
    /// Messages have arrived at a member's device.
    func channelDidUpdateDeliveryReceipt(_ sender: SBDGroupChannel)
    /// A member has begun or stopped typing.
    func channelDidUpdateTypingStatus(_ sender: SBDGroupChannel)
    /// Metadata were created.
    func channel(_ sender: SBDBaseChannel, createdMetaData: [String: String]?)
    /// Metadata were changed.
    func channel(_ sender: SBDBaseChannel, updatedMetaData: [String: String]?)
    /// Metadata were deleted.
    func channel(_ sender: SBDBaseChannel, deletedMetaDataKeys: [String]?)
    /// Counters were created.
    func channel(_ sender: SBDBaseChannel, createdMetaCounters: [String: NSNumber]?)
    /// Counters were changed.
    func channel(_ sender: SBDBaseChannel, updatedMetaCounters: [String: NSNumber]?)
    /// Counters were deleted.
    func channel(_ sender: SBDBaseChannel, deletedMetaCountersKeys: [String]?)
}

extension SBDChannelDelegate {
    public func channel(_ sender: SBDBaseChannel, didReceive message: SBDBaseMessage) {}
    public func channel(_ sender: SBDBaseChannel, didUpdate message: SBDBaseMessage) {}
    public func channel(_ sender: SBDBaseChannel, messageWasDeleted messageId: Int64) {}
    public func channel(
        _ sender: SBDBaseChannel, updatedReaction reactionEvent: SBDReactionEvent
    ) {}
    public func channel(
        _ sender: SBDBaseChannel, didUpdate threadInfoUpdateEvent: SBDThreadInfoUpdateEvent
    ) {}
    public func channelWasChanged(_ sender: SBDBaseChannel) {}
    public func channelWasDeleted(_ channelUrl: String, channelType: SBDChannelType) {}
    public func channelWasFrozen(_ sender: SBDBaseChannel) {}
    public func channelWasUnfrozen(_ sender: SBDBaseChannel) {}
    public func channelWasHidden(_ sender: SBDGroupChannel) {}
    public func channelDidUpdateOperators(_ sender: SBDBaseChannel) {}
    public func channelDidChangeMemberCount(_ channels: [SBDGroupChannel]) {}
    public func channelDidChangeParticipantCount(_ channels: [SBDOpenChannel]) {}
    public func channel(_ sender: SBDGroupChannel, userDidJoin user: SBDUser) {}
    public func channel(_ sender: SBDGroupChannel, userDidLeave user: SBDUser) {}
    public func channel(
        _ sender: SBDGroupChannel, didReceiveInvitation invitees: [SBDUser]?, inviter: SBDUser?
    ) {}
    public func channel(
        _ sender: SBDGroupChannel, didDeclineInvitation invitee: SBDUser?, inviter: SBDUser?
    ) {}
    public func channel(_ sender: SBDOpenChannel, userDidEnter user: SBDUser) {}
    public func channel(_ sender: SBDOpenChannel, userDidExit user: SBDUser) {}
    public func channel(_ sender: SBDBaseChannel, userWasMuted user: SBDUser) {}
    public func channel(_ sender: SBDBaseChannel, userWasUnmuted user: SBDUser) {}
    public func channel(_ sender: SBDBaseChannel, userWasBanned user: SBDUser) {}
    public func channel(_ sender: SBDBaseChannel, userWasUnbanned user: SBDUser) {}
    public func channelDidUpdateReadReceipt(_ sender: SBDGroupChannel) {}
    public func channelDidUpdateDeliveryReceipt(_ sender: SBDGroupChannel) {}
    public func channelDidUpdateTypingStatus(_ sender: SBDGroupChannel) {}
    public func channel(_ sender: SBDBaseChannel, createdMetaData: [String: String]?) {}
    public func channel(_ sender: SBDBaseChannel, updatedMetaData: [String: String]?) {}
    public func channel(_ sender: SBDBaseChannel, deletedMetaDataKeys: [String]?) {}
    public func channel(_ sender: SBDBaseChannel, createdMetaCounters: [String: NSNumber]?) {}
    public func channel(_ sender: SBDBaseChannel, updatedMetaCounters: [String: NSNumber]?) {}
    public func channel(_ sender: SBDBaseChannel, deletedMetaCountersKeys: [String]?) {}
}
