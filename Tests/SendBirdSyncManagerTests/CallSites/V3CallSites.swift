// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Calls of the old SDK and its sync manager as apps write them; compiling is the test. Apps write
// `as SBDChannelDelegate`; the settings of this package ask for `any`.

import Foundation
import SendBirdSDK
import SendBirdSyncManager

/// The call sites by number.
final class V3CallSites: SBDChannelDelegate, SBDConnectionDelegate, SBSMChannelCollectionDelegate,
    SBSMMessageCollectionDelegate
{
    let userId = "", text = "", url = "", requestId = ""
    let data = Data()

    func sites(user: SBDUser, users: [SBDUser], channel: SBDGroupChannel, message: SBDBaseMessage) {
        SBDMain.initWithApplicationId("APP")  // 1
        SBDMain.setLogLevel(.info)  // 2
        SBSMSyncManager.setup(withUserId: userId, options: SBSMSyncManagerOptions())  // 3
        SBDMain.add(self as any SBDChannelDelegate, identifier: "list")  // 4
        SBDMain.add(self as any SBDConnectionDelegate, identifier: "list")  // 5
        SBDMain.connect(withUserId: userId) { user, error in SBSMSyncManager.resumeSynchronize() }  // 6
        SBDMain.updateCurrentUserInfo(withNickname: text, profileUrl: nil, completionHandler: { error in print(error as Any) })  // 7
        SBDMain.registerDevicePushToken(data, unique: true) { status, error in print(status == .pending) }  // 8
        if SBDMain.getConnectState() == .open { print(SBDMain.getCurrentUser()?.nickname ?? "") }  // 9
        let query = SBDGroupChannel.createMyGroupChannelListQuery()!  // 10
        query.limit = 20; query.order = .latestLastMessage; query.includeEmptyChannel = true  // 11
        query.loadNextPage { channels, error in print(channels?.first?.lastMessage?.createdAt ?? 0) }  // 12
        let list = SBSMChannelCollection(query: query)!  // 13
        list.delegate = self; list.fetch { error in print(list.channels.count) }  // 14
        let params = SBDGroupChannelParams(); params.name = text; params.add(users)  // 15
        SBDGroupChannel.createChannel(with: params) { channel, error in print(channel?.channelUrl ?? "") }  // 16
        SBDGroupChannel.getWithUrl(url) { channel, error in print(channel?.members as? [SBDMember] ?? []) }  // 17
        let collection = SBSMMessageCollection(channel: channel, filter: SBSMMessageFilter(), viewpointTimestamp: Int64.max)  // 18
        collection.delegate = self  // 19
        collection.fetch(in: .previous) { hasMore, error in collection.fetch(in: .next) { hasMore, error in print(hasMore) } }  // 20
        collection.fetchFailedMessages({ error in print(error as Any) })  // 21
        let preview = channel.sendUserMessage(text) { message, error in collection.handleSendMessageResponse(message, error) }  // 22
        collection.appendMessage(preview)  // 23
        guard let file = SBDFileMessageParams(file: data) else { return }  // 24
        file.fileName = "a.jpg"; file.mimeType = "image/jpeg"; file.fileSize = UInt(data.count)  // 25
        channel.sendFileMessage(with: file, progressHandler: { sent, total, expected in print(total) }, completionHandler: { message, error in print(message?.url ?? "") })  // 26
        if message.requestId.isEmpty { print("from the server") }  // 27
        channel.delete(message, completionHandler: { error in print(error as Any) })  // 28
        channel.markAsRead(); channel.startTyping(); channel.endTyping()  // 29
        let list2 = SBDMessageListParams(); list2.previousResultSize = 30; list2.reverse = true; list2.messageType = .all  // 30
        channel.getMessagesByTimestamp(Int64.max, params: list2) { messages, error in print(messages?.count ?? 0) }  // 31
        channel.banUser(withUserId: user.userId, seconds: 600, completionHandler: { error in print(error as Any) })  // 32
        channel.refresh(completionHandler: nil)  // 33
        SBDMain.removeChannelDelegate(forIdentifier: "list")  // 35
        SBDMain.disconnect { SBSMSyncManager.clearCache() }  // 36
    }

    func collection(_ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction, succeededMessages: [SBDBaseMessage]) {}  // 34
}

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
    }
}
