// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

import CallSiteSupport
import Foundation
import SendbirdChatSDK

/// Calls as apps for the v4 SDK write them: launch, login, channel list, moderation, push, logout.
///
/// All of them are compiled, as in an app in Swift 5 mode that sees public declarations only;
/// `CallSiteTests` runs more than half of them. The numbers are those of the reference.
enum AppCallSites {
    final class Screen {
        var token = ""
    }

    static let log = CallSiteLog()
}

/// Notes a value for the call site in whose line it is used.
func use<T>(_ value: T, file: String = #filePath, line: Int = #line) {
    AppCallSites.log.note(AppCallSites.text(value), file, line)
}

extension AppCallSites {
    /// Returns the part of a value that a test looks at.
    static func text(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            return mirror.children.first.map { text($0.value) } ?? "nil"
        }
        switch value {
        case let error as SBError: return "error \(error.code)"
        case let message as BaseMessage: return message.message
        case let channel as BaseChannel: return channel.name
        case let user as User: return user.userId
        case let list as [Any]: return list.map { text($0) }.joined(separator: ", ")
        default: return "\(value)"
        }
    }
}

extension AppCallSites.Screen {
    func launch() {
let initParams = InitParams(applicationId: "APP", isLocalCachingEnabled: true, logLevel: .error, appVersion: "1.0.0")  // 1
let config = LocalCacheConfig(isEncryptionEnabled: true)  // 2
config.maxSize = 512; config.clearOrder = .messageCollectionAccessedAt  // 3
let full = InitParams(applicationId: "APP", isLocalCachingEnabled: true, localCacheConfig: config, logLevel: .info)  // 4
full.localCacheConfig?.customClearOrderComparator = { a, b in a.cachedMessageCount < b.cachedMessageCount ? .orderedAscending : .orderedDescending }  // 5
let order: CachedDataClearOrder = .custom  // 6
let waiting = InitParams(applicationId: "APP", isLocalCachingEnabled: true, logLevel: .none, needsSynchronous: true)  // 7
SendbirdChat.initialize(params: initParams)  // 8
SendbirdChat.initialize(params: full, migrationStartHandler: { use("moving") }, completionHandler: { error in use(error) })  // 9
SendbirdChatOptions.setMemberInfoInMessage(true)  // 10
        use(order)
        use(waiting)
    }

    func login(userId: String) {
SendbirdChat.setSessionDelegate(self)  // 11
SendbirdChat.addConnectionDelegate(self, identifier: "login")  // 12
SendbirdChat.connect(userId: userId) { user, error in use(user?.nickname); use(error?.code) }  // 13
    }

    func otherLogins(userId: String, token: String, host: String) {
SendbirdChat.connect(userId: userId, authToken: token) { user, error in use(error == nil) }  // 14
SendbirdChat.connect(userId: userId, authToken: token, apiHost: host, wsHost: nil) { user, error in use(user) }  // 15
SendbirdChat.authenticate(userId: userId, authToken: token, apiHost: nil) { user, error in use(user) }  // 16
    }

    func profile(text: String, data: Data) {
if SendbirdChat.getConnectState() == .open { use("online") }  // 17
guard let me = SendbirdChat.getCurrentUser() else { return }  // 18
let profile = UserUpdateParams(); profile.nickname = text; profile.profileImageData = data  // 19
SendbirdChat.updateCurrentUserInfo(params: profile, completionHandler: { error in use(error) })  // 20
        use(me)  // 18
    }

    func channelList() -> GroupChannelCollection? {
let query = GroupChannel.createMyGroupChannelListQuery { $0.order = .latestLastMessage; $0.limit = 20; $0.includeEmptyChannel = true }  // 21
let archive = GroupChannel.createMyGroupChannelListQuery { $0.channelHiddenStateFilter = .hiddenOnly }  // 22
let narrow = GroupChannelListQueryParams(); narrow.superChannelFilter = .nonSuper; narrow.customTypesFilter = nil  // 23
let list = SendbirdChat.createGroupChannelCollection(query: query)  // 24
list?.delegate = self  // 25
list?.loadMore { channels, error in use(channels?.first?.lastMessage?.message) }  // 26
        archive.loadNextPage { channels, error in use(channels) }  // 22
        return list
    }

    func channel(_ channel: GroupChannel) {
channel.hide(hidePreviousMessages: false, allowAutoUnhide: false) { error in use(error) }  // 28
channel.setMyPushTriggerOption(.off) { error in use(error) }  // 29
    }

    func leave(_ channel: GroupChannel) {
channel.leave { error in use(error) }  // 27
    }

    func create(userId: String, users: [User], data: Data) {
let create = GroupChannelCreateParams(); create.addUsers(users); create.operatorUserIds = [userId]; create.coverImage = data  // 30
GroupChannel.createChannel(params: create) { channel, error in use(channel?.channelURL) }  // 31
    }

    func people() {
let people = SendbirdChat.createApplicationUserListQuery { $0.limit = 20 }  // 32
SendbirdChat.getTotalUnreadMessageCount { count, error in use(count) }  // 33
        people.loadNextPage { users, error in use(users) }  // 32
    }

    func mute(_ channel: GroupChannel, _ user: User) {
channel.muteUser(userId: user.userId, seconds: 120, description: nil, completionHandler: { error in use(error) })  // 71
    }

    func moderation(_ channel: GroupChannel, _ user: User, _ message: BaseMessage) {
channel.banUser(userId: user.userId, seconds: 120, description: nil, completionHandler: { error in use(error) })  // 72
let members = channel.createMemberListQuery { $0.limit = 10; $0.order = .nicknameAlphabetical }  // 73
members?.loadNextPage { members, error in use(members?.filter { $0.role == .operator }) }  // 74
channel.freeze { error in use(error) }  // 75
channel.report(message: message, reportCategory: .spam, reportDescription: nil) { error in use(error) }  // 76
if channel.myRole == .operator || channel.isFrozen { use(channel.name) }  // 77
    }

    func push(_ data: Data, _ payload: [AnyHashable: Any]) {
SendbirdChat.registerDevicePushToken(data, unique: true) { status, error in use(status == .pending) }  // 78
SendbirdChat.registerDevicePushTokenForMultiDevicePush(data) { status, error in use(status) }  // 79
if let kept = SendbirdChat.getPendingPushToken() { SendbirdChat.unregisterPushToken(kept, completionHandler: { error in use(error) }) }  // 80
SendbirdChat.markPushNotificationAsDelivered(remoteNotificationPayload: payload)  // 81
    }

    func close(_ list: GroupChannelCollection?, _ collection: MessageCollection) {
list?.dispose(); collection.dispose()  // 82
SendbirdChat.removeChannelDelegate(forIdentifier: "screen"); SendbirdChat.removeConnectionDelegate(forIdentifier: "login")  // 83
    }

    func logout() {
SendbirdChat.disconnectWebSocket { use("socket") }  // 84
    }

    func end() {
SendbirdChat.disconnect { use("bye") }  // 85
    }
}

extension AppCallSites.Screen: MessageCollectionDelegate {
    func messageCollection(_ collection: MessageCollection, context: MessageContext, channel: GroupChannel, addedMessages: [BaseMessage]) {}  // 86
    func messageCollection(_ collection: MessageCollection, channelContext: ChannelContext, updatedChannel channel: GroupChannel) {}  // 87
    func messageCollection(_ collection: MessageCollection, channelContext: ChannelContext, deletedChannel channelURL: String) {}  // 88
    func didDetectHugeGap(_ collection: MessageCollection) { collection.dispose() }  // 89
}
extension AppCallSites.Screen: GroupChannelDelegate {
    func channel(_ channel: BaseChannel, userWasMuted user: RestrictedUser) {}  // 90
    func channelDidMarkAsRead(_ channel: GroupChannel, userIds: [String]) {}  // 91
}
extension AppCallSites.Screen: SessionDelegate {
    func sessionTokenDidRequire(successCompletion success: @escaping (String?) -> Void, failCompletion fail: @escaping () -> Void) { success(token) }  // 92
    func sessionWasClosed() {}  // 93
}
extension AppCallSites.Screen: ConnectionDelegate, GroupChannelCollectionDelegate {}  // 94
