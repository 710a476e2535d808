// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import SendBirdSDK
import SendBirdSyncManager

/// A delegate that implements all methods and records their calls.
final class DelegateObserver: SBDConnectionDelegate, SBDUserEventDelegate {
    let table: CallTable

    init(_ table: CallTable) { self.table = table }

    func didStartReconnection() { table.record(#function) }
    func didSucceedReconnection() { table.record(#function) }
    func didFailReconnection() { table.record(#function) }
    func didUpdateTotalUnreadMessageCount(
        _ totalCount: Int32, totalCountByCustomType: [String: NSNumber]?
    ) { table.record(#function) }
}

extension DelegateObserver: SBDChannelDelegate {
    func channel(_ sender: SBDBaseChannel, didReceive message: SBDBaseMessage) {
        table.record(#function)
    }
    func channel(_ sender: SBDBaseChannel, didUpdate message: SBDBaseMessage) {
        table.record(#function)
    }
    func channel(_ sender: SBDBaseChannel, messageWasDeleted messageId: Int64) {
        table.record(#function)
    }
    func channel(_ sender: SBDBaseChannel, updatedReaction reactionEvent: SBDReactionEvent) {
        table.record(#function)
    }
    func channel(
        _ sender: SBDBaseChannel, didUpdate threadInfoUpdateEvent: SBDThreadInfoUpdateEvent
    ) { table.record("thread") }
    func channelWasChanged(_ sender: SBDBaseChannel) { table.record(#function) }
    func channelWasDeleted(_ channelUrl: String, channelType: SBDChannelType) {
        table.record(#function)
    }
    func channelWasFrozen(_ sender: SBDBaseChannel) { table.record(#function) }
    func channelWasUnfrozen(_ sender: SBDBaseChannel) { table.record(#function) }
    func channelWasHidden(_ sender: SBDGroupChannel) { table.record(#function) }
    func channelDidUpdateOperators(_ sender: SBDBaseChannel) { table.record(#function) }
    func channelDidChangeMemberCount(_ channels: [SBDGroupChannel]) { table.record(#function) }
    func channel(_ sender: SBDGroupChannel, userDidJoin user: SBDUser) { table.record(#function) }
    func channel(_ sender: SBDGroupChannel, userDidLeave user: SBDUser) { table.record(#function) }
    func channel(
        _ sender: SBDGroupChannel, didReceiveInvitation invitees: [SBDUser]?, inviter: SBDUser?
    ) { table.record(#function) }
    func channel(
        _ sender: SBDGroupChannel, didDeclineInvitation invitee: SBDUser?, inviter: SBDUser?
    ) { table.record(#function) }
    func channel(_ sender: SBDBaseChannel, userWasMuted user: SBDUser) { table.record(#function) }
    func channel(_ sender: SBDBaseChannel, userWasUnmuted user: SBDUser) { table.record(#function) }
    func channel(_ sender: SBDBaseChannel, userWasBanned user: SBDUser) { table.record(#function) }
    func channel(_ sender: SBDBaseChannel, userWasUnbanned user: SBDUser) {
        table.record(#function)
    }
    func channelDidUpdateReadReceipt(_ sender: SBDGroupChannel) { table.record(#function) }
    func channelDidUpdateDeliveryReceipt(_ sender: SBDGroupChannel) { table.record(#function) }
    func channelDidUpdateTypingStatus(_ sender: SBDGroupChannel) { table.record(#function) }
    func channel(_ sender: SBDBaseChannel, createdMetaData: [String: String]?) {
        table.record(#function)
    }
    func channel(_ sender: SBDBaseChannel, updatedMetaData: [String: String]?) {
        table.record(#function)
    }
    func channel(_ sender: SBDBaseChannel, deletedMetaDataKeys: [String]?) {
        table.record(#function)
    }
    func channel(_ sender: SBDBaseChannel, createdMetaCounters: [String: NSNumber]?) {
        table.record(#function)
    }
    func channel(_ sender: SBDBaseChannel, updatedMetaCounters: [String: NSNumber]?) {
        table.record(#function)
    }
    func channel(_ sender: SBDBaseChannel, deletedMetaCountersKeys: [String]?) {
        table.record(#function)
    }
}

extension DelegateObserver: SBSMChannelCollectionDelegate, SBSMMessageCollectionDelegate {
    func collection(
        _ collection: SBSMChannelCollection,
        didReceiveEvent action: SBSMChannelEventAction, channels: [SBDGroupChannel]
    ) { table.record(#function) }
    func collection(
        _ collection: SBSMMessageCollection,
        didReceiveEvent action: SBSMMessageEventAction, messages: [SBDBaseMessage]
    ) { table.record(#function) }
    func collection(
        _ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction,
        succeededMessages: [SBDBaseMessage]
    ) { table.record(#function) }
    func collection(
        _ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction,
        pendingMessages: [SBDBaseMessage]
    ) { table.record(#function) }
    func collection(
        _ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction,
        failedMessages: [SBDBaseMessage], reason: SBSMFailedMessageEventActionReason
    ) { table.record(#function) }
    func collection(
        _ collection: SBSMMessageCollection, didReceiveNewMessage message: SBDBaseMessage
    ) { table.record(#function) }
    func collection(_ collection: SBSMMessageCollection, didUpdate channel: SBDGroupChannel) {
        table.record(#function)
    }
    func collection(_ collection: SBSMMessageCollection, didRemove channel: SBDGroupChannel) {
        table.record(#function)
    }
}

extension DelegateObserver: SBDGroupChannelCollectionDelegate, SBDMessageCollectionDelegate {
    func channelCollection(
        _ collection: SBDGroupChannelCollection, context: SBDChannelContext,
        addedChannels channels: [SBDGroupChannel]
    ) { table.record(#function) }
    func channelCollection(
        _ collection: SBDGroupChannelCollection, context: SBDChannelContext,
        updatedChannels channels: [SBDGroupChannel]
    ) { table.record(#function) }
    func channelCollection(
        _ collection: SBDGroupChannelCollection, context: SBDChannelContext,
        deletedChannelUrls: [String]
    ) { table.record(#function) }
    func messageCollection(
        _ collection: SBDMessageCollection, context: SBDMessageContext, channel: SBDGroupChannel,
        addedMessages messages: [SBDBaseMessage]
    ) { table.record(#function) }
    func messageCollection(
        _ collection: SBDMessageCollection, context: SBDMessageContext, channel: SBDGroupChannel,
        updatedMessages messages: [SBDBaseMessage]
    ) { table.record(#function) }
    func messageCollection(
        _ collection: SBDMessageCollection, context: SBDMessageContext, channel: SBDGroupChannel,
        deletedMessages messages: [SBDBaseMessage]
    ) { table.record(#function) }
    func messageCollection(
        _ collection: SBDMessageCollection, context: SBDMessageContext,
        updatedChannel channel: SBDGroupChannel
    ) { table.record(#function) }
    func messageCollection(
        _ collection: SBDMessageCollection, context: SBDMessageContext,
        deletedChannel channelUrl: String
    ) { table.record(#function) }
}
