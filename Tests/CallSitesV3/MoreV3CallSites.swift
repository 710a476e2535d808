// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

import Foundation
import SendBirdSDK
import SendBirdSyncManager

/// Calls that the list of call sites does not have, in the spelling of the same page.
final class MoreV3CallSites {
    var token: Data?
    var users: SBDApplicationUserListQuery?
    var blocked: SBDUserListQuery?
    var muted: SBDUserListQuery?
    var publics: SBDPublicGroupChannelListQuery?
    var preview: SBDFileMessage?
    var collection: SBDGroupChannelCollection?
    var messages: SBDMessageCollection?

    func main(user: SBDUser, data: Data) {
        SBDMain.initWithApplicationId("APP", useCaching: true, migrationStartHandler: {}, completionHandler: { error in print(error as Any) })
        print(SBDMain.getSDKVersion(), SBDMain.getApplicationId() ?? "")
        SBDMain.updateCurrentUserInfo(withNickname: nil, profileImage: data, completionHandler: { error in print(error as Any) })
        token = SBDMain.getPendingPushToken()
        SBDMain.unregisterPushToken(data, completionHandler: { response, error in print(response as Any) })
        SBDMain.unregisterAllPushToken(completionHandler: { response, error in print(error as Any) })
        SBDMain.setDoNotDisturbWithEnable(true, startHour: 22, startMin: 0, endHour: 7, endMin: 30, timezone: "UTC", completionHandler: { error in print(error as Any) })
        SBDMain.getDoNotDisturb { isOn, startHour, startMin, endHour, endMin, timezone, error in print(isOn, timezone) }
        SBDMain.setAppGroup("group.app")
        SBDMain.markAsDelivered(withRemoteNotificationPayload: [:], completionHandler: { error in print(error as Any) })
        users = SBDMain.createApplicationUserListQuery()
        users?.limit = 20
        users?.userIdsFilter = ["a"]
        users?.loadNextPage(completionHandler: { users, error in print(users?.count ?? 0) })
        blocked = SBDMain.createBlockedUserListQuery()
        SBDMain.blockUser(user) { blockedUser, error in print(blockedUser?.userId ?? "") }
        SBDMain.unblockUser(user) { error in print(error as Any) }
        SBDMain.getTotalUnreadMessageCount { count, error in print(count) }
        SBDMain.getUnreadItemCount(withKey: [.groupChannelUnreadMessageCount]) { count, error in print(count?.groupChannelUnreadMessageCount ?? 0) }
        SBDMain.getMyGroupChannelChangeLogs(byToken: nil, params: SBDGroupChannelChangeLogsParams()) { updated, deleted, hasMore, token, error in print(hasMore) }
        SBDMain.reconnect()
        SBDMain.setCompletionHandlerDelegateQueue(DispatchQueue.main)
        SBDMain.getAllEmojis { container, error in print(error as Any) }
    }

    func channels(_ channel: SBDGroupChannel, user: SBDUser, data: Data) {
        let params = SBDGroupChannelParams()
        params.coverImage = nil
        params.isPublic = true
        params.addUserIds(["a"])
        params.operatorUserIds = ["a"]
        channel.update(with: params) { channel, error in print(channel?.name ?? "") }
        channel.invite([user]) { error in print(error as Any) }
        channel.resetMyHistory { error in print(error as Any) }
        channel.setMyPushTriggerOption(.mentionOnly) { error in print(channel.myPushTriggerOption == .off) }
        channel.hideChannel(withHidePreviousMessages: false, allowAutoUnhide: true) { error in print(channel.isHidden) }
        channel.muteUser(withUserId: "a") { error in print(error as Any) }
        channel.unbanUser(user) { error in print(error as Any) }
        channel.getMyMutedInfo { isMuted, description, startAt, endAt, duration, error in print(isMuted, endAt) }
        muted = channel.createMutedUserListQuery()
        publics = SBDGroupChannel.createPublicGroupChannelListQuery()
        publics?.publicMembershipFilter = .all
        let readers: [SBDMember] = channel.getReadMembers(with: SBDUserMessage.build(fromSerializedData: data)!, includeAllMembers: false)
        print(readers, channel.getTypingUsers()?.first?.nickname ?? "", Date(timeIntervalSince1970: TimeInterval(channel.createdAt)))
        let query = SBDGroupChannel.createMyGroupChannelListQuery()
        query?.channelHiddenStateFilter = .hiddenOnly
        query?.setUserIdsIncludeFilter(["a"], queryType: .and)
        collection = SBDGroupChannelCollection(query: query!)
        collection?.loadMore { channels, error in print(self.collection?.channelList.count ?? 0) }
        messages = SBDMessageCollection(channel: channel, startingPoint: LONG_LONG_MAX, params: SBDMessageListParams())
        messages?.start(with: .cacheAndReplaceByApi, cacheResultHandler: { messages, error in print(messages?.count ?? 0) }, apiResultHandler: { messages, error in print(error as Any) })
    }

    func messages(_ channel: SBDBaseChannel, _ message: SBDBaseMessage, _ file: SBDFileMessageParams, data: Data) {
        file.thumbnailSizes = [SBDThumbnailSize.make(withMaxWidth: 320, maxHeight: 320)] as? [SBDThumbnailSize]
        preview = channel.sendFileMessage(with: file, progressHandler: nil, completionHandler: { message, error in print(message?.thumbnails?.first?.url ?? "") })
        if let failed = message as? SBDFileMessage {
            channel.resendFileMessage(with: failed, binaryData: data, progressHandler: { sent, total, expected in print(sent) }, completionHandler: { message, error in print(error as Any) })
        }
        if message.isKind(of: SBDUserMessage.self), message.sender?.connectionStatus == .online { print(message.message.count, message.channelType) }
        channel.addReaction(with: message, key: "smile") { event, error in print(event?.operation == .add) }
        print(SBDError.error(withDictionary: ["code": 800120]).code, message.messageParams?.mentionedUserIds ?? [])
        (channel as? SBDOpenChannel)?.enter { error in print(error as Any) }
        (channel as? SBDOpenChannel)?.exitChannel { error in print(error as Any) }
        SBDOpenChannel.createChannel(withName: "plaza", channelUrl: nil, coverImage: token, coverImageName: nil, data: nil, operatorUserIds: nil, customType: nil, progressHandler: nil, completionHandler: { channel, error in print(channel?.participantCount ?? 0) })
    }
}
