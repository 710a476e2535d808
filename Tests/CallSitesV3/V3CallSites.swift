// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Calls of the old SDK and its sync manager as apps write them. All of them are compiled, as in an
// app in Swift 5 mode that sees public declarations only; `CallSiteTests` runs more than half of
// them.

import CallSiteSupport
import Foundation
import SendBirdSDK
import SendBirdSyncManager

/// Notes the value that a call site prints.
private func print(_ value: Any, file: String = #filePath, line: Int = #line) {
    V3CallSites.log.note(V3CallSites.text(value), file, line)
}

/// The call sites by number.
final class V3CallSites: SBDChannelDelegate, SBDConnectionDelegate, SBSMChannelCollectionDelegate,
    SBSMMessageCollectionDelegate
{
    static let log = CallSiteLog()

    let userId = "alice", text = "text", requestId = ""
    var url = ""
    let data = Data("picture".utf8)
    /// The texts of the messages that the collection has reported as sent.
    var sent: [String] = []

    /// Returns the part of a value that a test looks at.
    static func text(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            return mirror.children.first.map { text($0.value) } ?? "nil"
        }
        switch value {
        case let error as SBDError: return "error \(error.code)"
        case let list as [SBDUser]: return list.map(\.userId).sorted().joined(separator: ", ")
        default: return "\(value)"
        }
    }

    func launch() {
        SBDMain.initWithApplicationId("APP")  // 1
        SBDMain.setLogLevel(.info)  // 2
        SBSMSyncManager.setup(withUserId: userId, options: SBSMSyncManagerOptions())  // 3
    }

    func login() {
        SBDMain.add(self as SBDChannelDelegate, identifier: "list")  // 4
        SBDMain.add(self as SBDConnectionDelegate, identifier: "list")  // 5
        SBDMain.connect(withUserId: userId) { user, error in SBSMSyncManager.resumeSynchronize() }  // 6
    }

    func profile() {
        SBDMain.updateCurrentUserInfo(withNickname: text, profileUrl: nil, completionHandler: { error in print(error as Any) })  // 7
        SBDMain.registerDevicePushToken(data, unique: true) { status, error in print(status == .pending) }  // 8
        if SBDMain.getConnectState() == .open { print(SBDMain.getCurrentUser()?.nickname ?? "") }  // 9
    }

    func channels() -> SBSMChannelCollection {
        let query = SBDGroupChannel.createMyGroupChannelListQuery()!  // 10
        query.limit = 20; query.order = .latestLastMessage; query.includeEmptyChannel = true  // 11
        query.loadNextPage { channels, error in print(channels?.first?.lastMessage?.createdAt ?? 0) }  // 12
        let list = SBSMChannelCollection(query: query)!  // 13
        list.delegate = self; list.fetch { error in print(list.channels.count) }  // 14
        return list
    }

    func channel(users: [SBDUser]) {
        let params = SBDGroupChannelParams(); params.name = text; params.add(users)  // 15
        SBDGroupChannel.createChannel(with: params) { channel, error in print(channel?.channelUrl ?? "") }  // 16
        SBDGroupChannel.getWithUrl(url) { channel, error in print(channel?.members as? [SBDMember] ?? []) }  // 17
    }

    func messages(_ channel: SBDGroupChannel) -> SBSMMessageCollection {
        let collection = SBSMMessageCollection(channel: channel, filter: SBSMMessageFilter(), viewpointTimestamp: Int64.max)  // 18
        collection.delegate = self  // 19
        collection.fetch(in: .previous) { hasMore, error in collection.fetch(in: .next) { hasMore, error in print(hasMore) } }  // 20
        collection.fetchFailedMessages({ error in print(error as Any) })  // 21
        let preview = channel.sendUserMessage(text) { message, error in collection.handleSendMessageResponse(message, error) }  // 22
        collection.appendMessage(preview)  // 23
        print(preview.requestId.isEmpty)  // 22
        return collection
    }

    func file(_ channel: SBDGroupChannel) {
        guard let file = SBDFileMessageParams(file: data) else { return }  // 24
        file.fileName = "a.jpg"; file.mimeType = "image/jpeg"; file.fileSize = UInt(data.count)  // 25
        channel.sendFileMessage(with: file, progressHandler: { sent, total, expected in print(total) }, completionHandler: { message, error in print(message?.url ?? "") })  // 26
    }

    func message(_ channel: SBDGroupChannel, _ message: SBDBaseMessage) {
        if message.requestId.isEmpty { print("from the server") }  // 27
        channel.delete(message, completionHandler: { error in print(error as Any) })  // 28
        channel.markAsRead(); channel.startTyping(); channel.endTyping()  // 29
    }

    func history(_ channel: SBDGroupChannel) {
        let list2 = SBDMessageListParams(); list2.previousResultSize = 30; list2.reverse = true; list2.messageType = .all  // 30
        channel.getMessagesByTimestamp(Int64.max, params: list2) { messages, error in print(messages?.count ?? 0) }  // 31
    }

    func moderation(_ channel: SBDGroupChannel, user: SBDUser) {
        channel.banUser(withUserId: user.userId, seconds: 600, completionHandler: { error in print(error as Any) })  // 32
        channel.refresh(completionHandler: nil)  // 33
    }

    func logout() {
        SBDMain.removeChannelDelegate(forIdentifier: "list")  // 35
        SBDMain.disconnect { SBSMSyncManager.clearCache() }  // 36
    }

    func collection(_ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction, succeededMessages: [SBDBaseMessage]) { sent += succeededMessages.map(\.message) }  // 34
}

