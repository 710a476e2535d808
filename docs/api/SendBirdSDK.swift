// The public declarations of `SendBirdSDK`: written by scripts/public-api, not to be edited.

typealias SBDErrorHandler = (SBDError?) -> Void

typealias SBDMessageRequestState = SBDMessageSendingStatus

let LONG_LONG_MAX: Int64

final class SBDAdminMessage: SBDBaseMessage {}

final class SBDAppInfo: NSObject {}

final class SBDApplicationUserListQuery: SBDUserListQuery {
    var nicknameStartsWithFilter: String? { get set }
}

class SBDBaseChannel: NSObject {
    typealias FileMessageHandler = (SBDFileMessage?, SBDError?) -> Void
    typealias MessageChangeLogsHandler = (_ updatedMessages: [SBDBaseMessage]?, _ deletedMessageIds: [NSNumber]?, _ hasMore: Bool, _ token: String?, _ error: SBDError?) -> Void
    typealias MutedInfoHandler = (_ isMuted: Bool, _ description: String?, _ startAt: Int64, _ endAt: Int64, _ remainingDuration: Int64, _ error: SBDError?) -> Void
    typealias ProgressHandler = (_ bytesSent: Int64, _ totalBytesSent: Int64, _ totalBytesExpectedToSend: Int64) -> Void
    typealias UserMessageHandler = (SBDUserMessage?, SBDError?) -> Void
    var channelUrl: String { get }
    var coverUrl: String? { get }
    var createdAt: UInt { get }
    var customType: String? { get }
    var data: String? { get }
    override var hash: Int { get }
    var isEphemeral: Bool { get }
    var isFrozen: Bool { get }
    var name: String { get }
    func addOperators(withUserIds userIds: [String], completionHandler: SBDErrorHandler? = nil)
    func addReaction(with message: SBDBaseMessage, key: String, completionHandler: ((SBDReactionEvent?, SBDError?) -> Void)? = nil)
    func banUser(withUserId userId: String, seconds: Int32, completionHandler: SBDErrorHandler? = nil)
    func banUser(withUserId userId: String, seconds: Int32, description: String?, completionHandler: SBDErrorHandler? = nil)
    class func build(fromSerializedData data: Data) -> Self?
    func createBannedUserListQuery() -> SBDUserListQuery?
    func createMutedUserListQuery() -> SBDUserListQuery?
    func createOperatorListQuery() -> SBDUserListQuery?
    func delete(_ message: SBDBaseMessage, completionHandler: SBDErrorHandler? = nil)
    func deleteReaction(with message: SBDBaseMessage, key: String, completionHandler: ((SBDReactionEvent?, SBDError?) -> Void)? = nil)
    @available( *, deprecated, renamed: "getMessageChangeLogs(sinceTimestamp:params:completionHandler:)" ) func getMessageChangeLogs(byTimestamp timestamp: Int64, completionHandler: MessageChangeLogsHandler?)
    func getMessageChangeLogs(sinceTimestamp timestamp: Int64, params: SBDMessageChangeLogsParams, completionHandler: MessageChangeLogsHandler?)
    func getMessageChangeLogs(sinceToken token: String?, params: SBDMessageChangeLogsParams, completionHandler: MessageChangeLogsHandler?)
    @available(*, deprecated, renamed: "getMessageChangeLogs(sinceToken:params:completionHandler:)") func getMessageChangeLogs(withToken token: String?, completionHandler: MessageChangeLogsHandler?)
    func getMessagesByTimestamp(_ timestamp: Int64, params: SBDMessageListParams, completionHandler: (([SBDBaseMessage]?, SBDError?) -> Void)?)
    func getMyMutedInfo(completionHandler: MutedInfoHandler?)
    override func isEqual(_ object: Any?) -> Bool
    func isGroupChannel() -> Bool
    func isOpenChannel() -> Bool
    func muteUser(withUserId userId: String, completionHandler: SBDErrorHandler? = nil)
    func muteUser(withUserId userId: String, seconds: Int32, description: String?, completionHandler: SBDErrorHandler? = nil)
    func removeAllOperators(completionHandler: SBDErrorHandler? = nil)
    func removeOperators(withUserIds userIds: [String], completionHandler: SBDErrorHandler? = nil)
    @discardableResult func resendFileMessage(with message: SBDFileMessage, binaryData: Data?, progressHandler: ProgressHandler?, completionHandler: FileMessageHandler?) -> SBDFileMessage?
    @discardableResult func resendUserMessage(with message: SBDUserMessage, completionHandler: UserMessageHandler? = nil) -> SBDUserMessage
    @discardableResult func sendFileMessage(with params: SBDFileMessageParams, completionHandler: FileMessageHandler? = nil) -> SBDFileMessage?
    @discardableResult func sendFileMessage(with params: SBDFileMessageParams, progressHandler: ProgressHandler?, completionHandler: FileMessageHandler?) -> SBDFileMessage?
    @discardableResult func sendUserMessage(_ message: String?, completionHandler: UserMessageHandler? = nil) -> SBDUserMessage
    @discardableResult func sendUserMessage(with params: SBDUserMessageParams, completionHandler: UserMessageHandler? = nil) -> SBDUserMessage
    func serialize() -> Data?
    func unbanUser(_ user: SBDUser, completionHandler: SBDErrorHandler? = nil)
    func unbanUser(withUserId userId: String, completionHandler: SBDErrorHandler? = nil)
    func unmuteUser(_ user: SBDUser, completionHandler: SBDErrorHandler? = nil)
    func unmuteUser(withUserId userId: String, completionHandler: SBDErrorHandler? = nil)
    func updateUserMessage(withMessageId messageId: Int64, userMessageParams params: SBDUserMessageParams, completionHandler: UserMessageHandler? = nil)
}

class SBDBaseMessage: NSObject {
    var channelType: String { get }
    var channelUrl: String { get }
    var createdAt: Int64 { get }
    var customType: String? { get }
    var data: String? { get }
    var errorCode: Int { get }
    override var hash: Int { get }
    var isReplyToChannel: Bool { get }
    var isSilent: Bool { get }
    var mentionType: SBDMentionType { get }
    var mentionedUserIds: [String] { get }
    var mentionedUsers: [SBDUser]? { get }
    var message: String { get }
    var messageId: Int64 { get }
    var messageParams: SBDBaseMessageParams? { get }
    var metaArrays: [SBDMessageMetaArray]? { get }
    var ogMetaData: SBDOGMetaData? { get }
    var parentMessage: SBDBaseMessage? { get }
    var parentMessageId: Int64 { get }
    var reactions: [SBDReaction] { get }
    var requestId: String { get }
    var requestState: SBDMessageSendingStatus { get }
    var sender: SBDSender? { get }
    var sendingStatus: SBDMessageSendingStatus { get }
    var threadInfo: SBDThreadInfo? { get }
    var updatedAt: Int64 { get }
    class func build(fromSerializedData data: Data) -> Self?
    class func build(fromSerializedData data: Data, desiredState: SBDMessageSendingStatus) -> Self?
    override func isEqual(_ object: Any?) -> Bool
    func serialize() -> Data?
}

class SBDBaseMessageParams: NSObject {
    var customType: String? { get set }
    var data: String? { get set }
    var isReplyToChannel: Bool { get set }
    var mentionType: SBDMentionType { get set }
    var mentionedUserIds: [String]? { get set }
    var metaArrays: [SBDMessageMetaArray]? { get set }
    var parentMessageId: Int64 { get set }
    var pushNotificationDeliveryOption: SBDPushNotificationDeliveryOption { get set }
}

final class SBDChannelContext: SBDCollectionContext {}

protocol SBDChannelDelegate: AnyObject {
    func channel(_ sender: SBDBaseChannel, createdMetaCounters: [String: NSNumber]?)  // has a default
    func channel(_ sender: SBDBaseChannel, createdMetaData: [String: String]?)  // has a default
    func channel(_ sender: SBDBaseChannel, deletedMetaCountersKeys: [String]?)  // has a default
    func channel(_ sender: SBDBaseChannel, deletedMetaDataKeys: [String]?)  // has a default
    func channel(_ sender: SBDBaseChannel, didReceive message: SBDBaseMessage)  // has a default
    func channel(_ sender: SBDBaseChannel, didUpdate message: SBDBaseMessage)  // has a default
    func channel(_ sender: SBDBaseChannel, didUpdate threadInfoUpdateEvent: SBDThreadInfoUpdateEvent)  // has a default
    func channel(_ sender: SBDBaseChannel, messageWasDeleted messageId: Int64)  // has a default
    func channel(_ sender: SBDBaseChannel, updatedMetaCounters: [String: NSNumber]?)  // has a default
    func channel(_ sender: SBDBaseChannel, updatedMetaData: [String: String]?)  // has a default
    func channel(_ sender: SBDBaseChannel, updatedReaction reactionEvent: SBDReactionEvent)  // has a default
    func channel(_ sender: SBDBaseChannel, userWasBanned user: SBDUser)  // has a default
    func channel(_ sender: SBDBaseChannel, userWasMuted user: SBDUser)  // has a default
    func channel(_ sender: SBDBaseChannel, userWasUnbanned user: SBDUser)  // has a default
    func channel(_ sender: SBDBaseChannel, userWasUnmuted user: SBDUser)  // has a default
    func channel(_ sender: SBDGroupChannel, didDeclineInvitation invitee: SBDUser?, inviter: SBDUser?)  // has a default
    func channel(_ sender: SBDGroupChannel, didReceiveInvitation invitees: [SBDUser]?, inviter: SBDUser?)  // has a default
    func channel(_ sender: SBDGroupChannel, userDidJoin user: SBDUser)  // has a default
    func channel(_ sender: SBDGroupChannel, userDidLeave user: SBDUser)  // has a default
    func channel(_ sender: SBDOpenChannel, userDidEnter user: SBDUser)  // has a default
    func channel(_ sender: SBDOpenChannel, userDidExit user: SBDUser)  // has a default
    func channelDidChangeMemberCount(_ channels: [SBDGroupChannel])  // has a default
    func channelDidChangeParticipantCount(_ channels: [SBDOpenChannel])  // has a default
    func channelDidUpdateDeliveryReceipt(_ sender: SBDGroupChannel)  // has a default
    func channelDidUpdateOperators(_ sender: SBDBaseChannel)  // has a default
    func channelDidUpdateReadReceipt(_ sender: SBDGroupChannel)  // has a default
    func channelDidUpdateTypingStatus(_ sender: SBDGroupChannel)  // has a default
    func channelWasChanged(_ sender: SBDBaseChannel)  // has a default
    func channelWasDeleted(_ channelUrl: String, channelType: SBDChannelType)  // has a default
    func channelWasFrozen(_ sender: SBDBaseChannel)  // has a default
    func channelWasHidden(_ sender: SBDGroupChannel)  // has a default
    func channelWasUnfrozen(_ sender: SBDBaseChannel)  // has a default
}

enum SBDChannelHiddenStateFilter: Int, Sendable {
    case all
    case hiddenAllowAutoUnhide
    case hiddenOnly
    case hiddenPreventAutoUnhide
    case unhiddenOnly
}

enum SBDChannelType: Int, Sendable {
    case group
    case open
}

class SBDCollectionContext: NSObject {
    let source: SBDCollectionEventSource
}

enum SBDCollectionEventSource: Int, Sendable {
    case channelChangelog = 2
    case eventChannelChanged = 107
    case eventChannelDeleted = 112
    case eventChannelFrozen = 109
    case eventChannelHidden = 111
    case eventChannelMemberCountChanged = 108
    case eventChannelOperatorUpdated = 113
    case eventChannelTypingStatusUpdated = 114
    case eventChannelUnfrozen = 110
    case eventDeliveryReceiptUpdated = 115
    case eventMention = 106
    case eventMessageDeleted = 103
    case eventMessageReactionUpdated = 104
    case eventMessageReceived = 101
    case eventMessageSent = 100
    case eventMessageThreadInfoUpdated = 105
    case eventMessageUpdated = 102
    case eventReadReceiptUpdated = 116
    case localMessageCanceled = 5
    case localMessageFailed = 4
    case localMessagePendingCreated = 3
    case localMessageResendStarted = 6
    case messageChangelog = 0
    case messageFill = 1
}

protocol SBDConnectionDelegate: AnyObject {
    func didFailReconnection()  // has a default
    func didStartReconnection()  // has a default
    func didSucceedReconnection()  // has a default
}

final class SBDEmojiContainer: NSObject {}

final class SBDError: NSError, @unchecked Sendable {
    static let domain: String
    class func error(withDictionary dictionary: [AnyHashable: Any]) -> SBDError
    class func error(withNSError error: NSError) -> SBDError
}

enum SBDErrorCode: Int, Sendable {
    case ackTimeout = 800180
    case connectionCanceled = 800102
    case connectionRequired = 800101
    case fileSizeLimitExceeded = 800260
    case fileUploadCanceled = 800240
    case fileUploadTimeout = 800250
    case invalidInitialization = 800100
    case invalidParameter = 800110
    case loginTimeout = 800190
    case malformedData = 800130
    case networkError = 800120
    case networkRoutingError = 800121
    case queryInProgress = 800170
    case requestFailed = 800220
    case webSocketConnectionClosed = 800200
    case webSocketConnectionFailed = 800210
}

final class SBDFileCache: NSObject {
    class func loadChannels() -> [SBDGroupChannel]
    class func loadGroupChannels() -> [SBDGroupChannel]?
    class func loadMessages(channelUrl: String) -> [SBDBaseMessage]
    class func loadMessages(inChannel channelUrl: String) -> [SBDBaseMessage]?
    @discardableResult class func removeAll() -> Bool
    class func save(channels: [SBDGroupChannel]?)
    class func save(message: SBDBaseMessage?)
    class func saveChannels(_ channels: [SBDBaseChannel])
    class func saveMessages(_ messages: [SBDBaseMessage], channelUrl: String)
}

final class SBDFileMessage: SBDBaseMessage {
    var name: String { get }
    var size: UInt { get }
    var thumbnails: [SBDThumbnail]? { get }
    var type: String { get }
    var url: String { get }
}

final class SBDFileMessageParams: SBDBaseMessageParams {
    var file: Data? { get set }
    var fileName: String? { get set }
    var fileSize: UInt { get set }
    var fileUrl: String? { get set }
    var mimeType: String? { get set }
    var thumbnailSizes: [SBDThumbnailSize]? { get set }
    init?(file: Data)
    init?(fileUrl: String)
}

final class SBDGroupChannel: SBDBaseChannel {
    var creator: SBDUser? { get }
    var inviter: SBDUser? { get }
    var isBroadcast: Bool { get }
    var isDistinct: Bool { get }
    var isHidden: Bool { get }
    var isPublic: Bool { get }
    var isSuper: Bool { get }
    var joinedMemberCount: UInt { get }
    var lastMessage: SBDBaseMessage? { get }
    var memberCount: UInt { get }
    var members: NSMutableArray? { get }
    var myLastRead: Int64 { get }
    var myMemberState: SBDMemberState { get }
    var myPushTriggerOption: SBDGroupChannelPushTriggerOption { get }
    var myRole: SBDRole { get }
    var unreadMentionCount: UInt { get }
    var unreadMessageCount: UInt { get }
    func acceptInvitation(completionHandler: SBDErrorHandler? = nil)
    class func createChannel(with params: SBDGroupChannelParams, completionHandler: ((SBDGroupChannel?, SBDError?) -> Void)?)
    class func createChannel(withName name: String?, isDistinct: Bool, userIds: [String], coverUrl: String?, data: String?, completionHandler: ((SBDGroupChannel?, SBDError?) -> Void)?)
    class func createChannel(withUserIds userIds: [String], isDistinct: Bool, completionHandler: ((SBDGroupChannel?, SBDError?) -> Void)?)
    func createMemberListQuery() -> SBDGroupChannelMemberListQuery?
    class func createMyGroupChannelListQuery() -> SBDGroupChannelListQuery?
    class func createPublicGroupChannelListQuery() -> SBDPublicGroupChannelListQuery?
    func declineInvitation(completionHandler: SBDErrorHandler? = nil)
    func delete(completionHandler: SBDErrorHandler? = nil)
    func endTyping()
    func freeze(completionHandler: SBDErrorHandler? = nil)
    func getReadMembers(with message: SBDBaseMessage, includeAllMembers: Bool) -> [SBDMember]
    @available(*, deprecated, renamed: "getTypingUsers()") func getTypingMembers() -> [SBDMember]?
    func getTypingUsers() -> [SBDUser]?
    class func getWithUrl(_ channelUrl: String, completionHandler: ((SBDGroupChannel?, SBDError?) -> Void)?)
    func hideChannel(withHidePreviousMessages hidePreviousMessages: Bool, allowAutoUnhide: Bool, completionHandler: SBDErrorHandler? = nil)
    func hideChannel(withHidePreviousMessages hidePreviousMessages: Bool, completionHandler: SBDErrorHandler? = nil)
    func invite(_ users: [SBDUser], completionHandler: SBDErrorHandler? = nil)
    func inviteUserIds(_ userIds: [String], completionHandler: SBDErrorHandler? = nil)
    func isTyping() -> Bool
    func join(completionHandler: SBDErrorHandler? = nil)
    func join(withAccessCode accessCode: String?, completionHandler: SBDErrorHandler?)
    func leave(completionHandler: SBDErrorHandler? = nil)
    func markAsRead(completionHandler: SBDErrorHandler? = nil)
    func refresh(completionHandler: SBDErrorHandler? = nil)
    func resetMyHistory(completionHandler: SBDErrorHandler? = nil)
    func setMyPushTriggerOption(_ option: SBDGroupChannelPushTriggerOption, completionHandler: SBDErrorHandler? = nil)
    func startTyping()
    func unfreeze(completionHandler: SBDErrorHandler? = nil)
    func unhideChannel(completionHandler: SBDErrorHandler? = nil)
    func update(with params: SBDGroupChannelParams, completionHandler: ((SBDGroupChannel?, SBDError?) -> Void)?)
}

final class SBDGroupChannelChangeLogsParams: NSObject {
    var customTypes: [String]? { get set }
    var includeEmptyChannel: Bool { get set }
    var includeFrozenChannel: Bool { get set }
    override init()
}

final class SBDGroupChannelCollection: NSObject {
    let query: SBDGroupChannelListQuery
    var channelList: [SBDGroupChannel] { get }
    weak var delegate: (any SBDGroupChannelCollectionDelegate)? { get set }
    var hasNext: Bool { get }
    init(query: SBDGroupChannelListQuery)
    func dispose()
    func loadMore(completionHandler: (([SBDGroupChannel]?, SBDError?) -> Void)? = nil)
}

protocol SBDGroupChannelCollectionDelegate: AnyObject {
    func channelCollection(_ collection: SBDGroupChannelCollection, context: SBDChannelContext, addedChannels channels: [SBDGroupChannel])  // has a default
    func channelCollection(_ collection: SBDGroupChannelCollection, context: SBDChannelContext, deletedChannelUrls: [String])  // has a default
    func channelCollection(_ collection: SBDGroupChannelCollection, context: SBDChannelContext, updatedChannels channels: [SBDGroupChannel])  // has a default
}

enum SBDGroupChannelListOrder: Int, Sendable {
    case channelMetaDataValueAlphabetical
    case channelNameAlphabetical
    case chronological
    case latestLastMessage
}

final class SBDGroupChannelListQuery: NSObject {
    var channelHiddenStateFilter: SBDChannelHiddenStateFilter { get set }
    var channelNameContainsFilter: String? { get set }
    var channelUrlsFilter: [String] { get set }
    var customTypeFilter: String? { get set }
    var customTypeStartsWithFilter: String? { get set }
    var customTypesFilter: [String] { get set }
    var hasNext: Bool { get }
    var includeEmptyChannel: Bool { get set }
    var includeFrozenChannel: Bool { get set }
    var includeMemberList: Bool { get set }
    var includeMetaData: Bool { get set }
    var limit: UInt { get set }
    var memberStateFilter: SBDMemberStateFilter { get set }
    var metaDataOrderKeyFilter: String? { get set }
    var nicknameContainsFilter: String? { get set }
    var order: SBDGroupChannelListOrder { get set }
    var publicChannelFilter: SBDGroupChannelPublicChannelFilter { get set }
    var superChannelFilter: SBDGroupChannelSuperChannelFilter { get set }
    var unreadChannelFilter: SBDUnreadChannelFilter { get set }
    func isLoading() -> Bool
    func loadNextPage(completionHandler: (([SBDGroupChannel]?, SBDError?) -> Void)? = nil)
    func setMetaDataFilterWithKey(_ key: String, startsWith value: String)
    func setMetaDataFilterWithKey(_ key: String, values: [String])
    func setUserIdsExactFilter(_ userIds: [String])
    func setUserIdsIncludeFilter(_ userIds: [String], queryType: SBDGroupChannelListQueryType)
}

enum SBDGroupChannelListQueryType: Int, Sendable {
    case and
    case or
}

enum SBDGroupChannelMemberListOrder: Int, Sendable {
    case nicknameAlphabetical
    case operatorThenMemberNicknameAlphabetical
}

final class SBDGroupChannelMemberListQuery: NSObject {
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    var limit: UInt { get set }
    var memberStateFilter: SBDMemberStateFilter { get set }
    var mutedMemberFilter: SBDGroupChannelMutedMemberFilter { get set }
    var nicknameStartsWithFilter: String? { get set }
    var operatorFilter: SBDGroupChannelOperatorFilter { get set }
    var order: SBDGroupChannelMemberListOrder { get set }
    func loadNextPage(completionHandler: (([SBDMember]?, SBDError?) -> Void)? = nil)
}

enum SBDGroupChannelMutedMemberFilter: Int, Sendable {
    case all
    case muted
    case unmuted
}

enum SBDGroupChannelOperatorFilter: Int, Sendable {
    case all
    case nonOperator
    case `operator`
}

final class SBDGroupChannelParams: NSObject {
    var accessCode: String? { get set }
    var channelUrl: String? { get set }
    var coverImage: Data? { get set }
    var coverUrl: String? { get set }
    var customType: String? { get set }
    var data: String? { get set }
    var isBroadcast: Bool { get set }
    var isDiscoverable: Bool { get set }
    var isDistinct: Bool { get set }
    var isEphemeral: Bool { get set }
    var isPublic: Bool { get set }
    var isSuper: Bool { get set }
    var name: String? { get set }
    var operatorUserIds: [String]? { get set }
    override init()
    func add(_ user: SBDUser)
    func add(_ users: [SBDUser])
    func addUserId(_ userId: String)
    func addUserIds(_ userIds: [String])
}

enum SBDGroupChannelPublicChannelFilter: Int, Sendable {
    case all
    case `private`
    case `public`
}

enum SBDGroupChannelPushTriggerOption: Int, Sendable {
    case all
    case `default`
    case mentionOnly
    case off
}

enum SBDGroupChannelSuperChannelFilter: Int, Sendable {
    case all
    case broadcastOnly
    case nonSuper
    case `super`
}

enum SBDLogLevel: Int, Sendable {
    case debug
    case error
    case info
    case none
    case warning
}

final class SBDMain: NSObject {
    typealias ChannelChangeLogsHandler = (_ updatedChannels: [SBDGroupChannel]?, _ deletedChannelUrls: [String]?, _ hasMore: Bool, _ token: String?, _ error: SBDError?) -> Void
    typealias DoNotDisturbHandler = (_ isDoNotDisturbOn: Bool, _ startHour: Int32, _ startMin: Int32, _ endHour: Int32, _ endMin: Int32, _ timezone: String, _ error: SBDError?) -> Void
    typealias PushTokenHandler = (_ response: [AnyHashable: Any]?, _ error: SBDError?) -> Void
    class func add(_ delegate: any SBDChannelDelegate, identifier: String)
    class func add(_ delegate: any SBDConnectionDelegate, identifier: String)
    class func add(_ delegate: any SBDUserEventDelegate, identifier: String)
    class func appMoved(toForeground isForeground: Bool)
    class func blockUser(_ user: SBDUser, completionHandler: ((SBDUser?, SBDError?) -> Void)? = nil)
    class func blockUserId(_ userId: String, completionHandler: ((SBDUser?, SBDError?) -> Void)? = nil)
    class func connect(withUserId userId: String, accessToken: String? = nil, completionHandler: ((SBDUser?, SBDError?) -> Void)? = nil)
    class func createApplicationUserListQuery() -> SBDApplicationUserListQuery?
    class func createBlockedUserListQuery() -> SBDUserListQuery?
    class func createMessageSearchQuery(builderBlock: (SBDMessageSearchQueryBuilder) -> Void) -> SBDMessageSearchQuery?
    class func disconnect(completionHandler: (() -> Void)? = nil)
    class func getAllEmojis(_ completionHandler: ((SBDEmojiContainer?, SBDError?) -> Void)?)
    class func getAppInfo() -> SBDAppInfo?
    class func getApplicationId() -> String?
    class func getConnectState() -> SBDWebSocketConnectionState
    class func getCurrentUser() -> SBDUser?
    class func getDoNotDisturb(completionHandler: DoNotDisturbHandler?)
    class func getMyGroupChannelChangeLogs(byTimestamp timestamp: Int64, customTypes: [String]?, completionHandler: ChannelChangeLogsHandler?)
    class func getMyGroupChannelChangeLogs(byTimestamp timestamp: Int64, params: SBDGroupChannelChangeLogsParams, completionHandler: ChannelChangeLogsHandler?)
    class func getMyGroupChannelChangeLogs(byToken token: String?, customTypes: [String]?, completionHandler: ChannelChangeLogsHandler?)
    class func getMyGroupChannelChangeLogs(byToken token: String?, params: SBDGroupChannelChangeLogsParams, completionHandler: ChannelChangeLogsHandler?)
    class func getPendingPushToken() -> Data?
    class func getSDKVersion() -> String
    class func getTotalUnreadChannelCount(completionHandler: ((UInt, SBDError?) -> Void)? = nil)
    class func getTotalUnreadMessageCount(completionHandler: ((UInt, SBDError?) -> Void)? = nil)
    class func getUnreadItemCount(withKey key: SBDUnreadItemKey, completionHandler: ((SBDUnreadItemCount?, SBDError?) -> Void)?)
    @discardableResult class func initWithApplicationId(_ applicationId: String) -> Bool
    class func initWithApplicationId(_ applicationId: String, useCaching: Bool, migrationStartHandler: (() -> Void)?, completionHandler: SBDErrorHandler?)
    class func markAsDelivered(withRemoteNotificationPayload payload: [AnyHashable: Any], completionHandler: SBDErrorHandler? = nil)
    class func networkChanged(isUp: Bool)
    @discardableResult class func reconnect() -> Bool
    class func registerDevicePushToken(_ deviceToken: Data, unique: Bool, completionHandler: ((SBDPushTokenRegistrationStatus, SBDError?) -> Void)? = nil)
    class func removeAllChannelDelegates()
    class func removeAllConnectionDelegates()
    class func removeAllUserEventDelegates()
    class func removeChannelDelegate(forIdentifier identifier: String)
    class func removeConnectionDelegate(forIdentifier identifier: String)
    class func removeUserEventDelegate(forIdentifier identifier: String)
    class func setAppGroup(_ appGroup: String)
    class func setCacheFolder(_ folder: String)
    class func setCompletionHandlerDelegateQueue(_ queue: DispatchQueue?)
    class func setDoNotDisturbWithEnable(_ enable: Bool, startHour: Int32, startMin: Int32, endHour: Int32, endMin: Int32, timezone: String, completionHandler: SBDErrorHandler? = nil)
    class func setLogLevel(_ level: SBDLogLevel)
    class func setServer(_ server: String)
    class func setSessionDelegate(_ delegate: (any SBDSessionDelegate)?)
    class func unblockUser(_ user: SBDUser, completionHandler: SBDErrorHandler? = nil)
    class func unblockUserId(_ userId: String, completionHandler: SBDErrorHandler? = nil)
    class func unregisterAllPushToken(completionHandler: PushTokenHandler? = nil)
    class func unregisterPushToken(_ deviceToken: Data, completionHandler: PushTokenHandler? = nil)
    class func updateCurrentUserInfo(withNickname nickname: String?, profileImage: Data?, completionHandler: SBDErrorHandler? = nil)
    class func updateCurrentUserInfo(withNickname nickname: String?, profileUrl: String?, completionHandler: SBDErrorHandler? = nil)
    class func updateCurrentUserInfo(withPreferredLanguages preferredLanguages: [String], completionHandler: SBDErrorHandler? = nil)
}

final class SBDMember: SBDUser {
    var isBlockedByMe: Bool { get }
    var isBlockingMe: Bool { get }
    var isMuted: Bool { get }
    var role: SBDRole { get }
    var state: SBDMemberState { get }
}

enum SBDMemberState: Int, Sendable {
    case invited
    case joined
    case none
}

enum SBDMemberStateFilter: Int, Sendable {
    case all
    case invitedOnly
    case joinedOnly
}

enum SBDMentionType: Int, Sendable {
    case channel
    case users
}

final class SBDMessageChangeLogsParams: NSObject {
    var includeMetaArray: Bool { get set }
    var includeParentMessageInfo: Bool { get set }
    var includeReactions: Bool { get set }
    var includeReplies: Bool { get set }
    var includeThreadInfo: Bool { get set }
    override init()
}

final class SBDMessageCollection: NSObject {
    typealias MessagesHandler = ([SBDBaseMessage]?, SBDError?) -> Void
    let params: SBDMessageListParams?
    let startingPoint: Int64
    var channel: SBDGroupChannel { get }
    weak var delegate: (any SBDMessageCollectionDelegate)? { get set }
    var failedMessages: [SBDBaseMessage] { get }
    var hasNext: Bool { get }
    var hasPrevious: Bool { get }
    var pendingMessages: [SBDBaseMessage] { get }
    var succeededMessages: [SBDBaseMessage] { get }
    init(channel: SBDGroupChannel, startingPoint: Int64, params: SBDMessageListParams)
    func dispose()
    func loadNext(completionHandler: MessagesHandler? = nil)
    func loadPrevious(completionHandler: MessagesHandler? = nil)
    func start(with initPolicy: SBDMessageCollectionInitPolicy, cacheResultHandler: MessagesHandler?, apiResultHandler: MessagesHandler?)
}

protocol SBDMessageCollectionDelegate: AnyObject {
    func didDetectHugeGap(_ collection: SBDMessageCollection)  // has a default
    func messageCollection(_ collection: SBDMessageCollection, context: SBDMessageContext, channel: SBDGroupChannel, addedMessages messages: [SBDBaseMessage])  // has a default
    func messageCollection(_ collection: SBDMessageCollection, context: SBDMessageContext, channel: SBDGroupChannel, deletedMessages messages: [SBDBaseMessage])  // has a default
    func messageCollection(_ collection: SBDMessageCollection, context: SBDMessageContext, channel: SBDGroupChannel, updatedMessages messages: [SBDBaseMessage])  // has a default
    func messageCollection(_ collection: SBDMessageCollection, context: SBDMessageContext, deletedChannel channelUrl: String)  // has a default
    func messageCollection(_ collection: SBDMessageCollection, context: SBDMessageContext, updatedChannel channel: SBDGroupChannel)  // has a default
}

enum SBDMessageCollectionInitPolicy: Sendable, UInt {
    case cacheAndReplaceByApi
}

final class SBDMessageContext: SBDCollectionContext {
    let messageSendingStatus: SBDMessageSendingStatus
}

final class SBDMessageListParams: NSObject {
    var customType: String? { get set }
    var customTypes: [String]? { get set }
    var includeMetaArray: Bool { get set }
    var includeParentMessageInfo: Bool { get set }
    var includeReactions: Bool { get set }
    @available(*, deprecated, renamed: "replyType") var includeReplies: Bool { get set }
    var includeThreadInfo: Bool { get set }
    var isInclusive: Bool { get set }
    var messageType: SBDMessageTypeFilter { get set }
    var nextResultSize: Int { get set }
    var previousResultSize: Int { get set }
    var replyType: SBDReplyType { get set }
    var reverse: Bool { get set }
    var senderUserIds: [String]? { get set }
    override init()
}

final class SBDMessageMetaArray: NSObject {
    let key: String
    var value: [String] { get }
    convenience init(key: String)
    init(key: String, value: [String])
    func addValues(_ values: [String])
    func removeValues(_ values: [String])
    func setValue(_ value: [String])
}

final class SBDMessageSearchQuery: NSObject {
    let keyword: String?
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    func loadNextPage(completionHandler: (([SBDBaseMessage]?, SBDError?) -> Void)? = nil)
}

final class SBDMessageSearchQueryBuilder: NSObject {
    var channelCustomType: String? { get set }
    var channelUrl: String? { get set }
    var exactMatch: Bool { get set }
    var keyword: String? { get set }
    var limit: UInt { get set }
    var messageTimestampFrom: Int64 { get set }
    var messageTimestampTo: Int64 { get set }
    var order: SBDMessageSearchQueryOrder { get set }
    var reverse: Bool { get set }
}

enum SBDMessageSearchQueryOrder: Int, Sendable {
    case score
    case timeStamp
}

enum SBDMessageSendingStatus: Int, Sendable {
    case canceled
    case failed
    case none
    case pending
    case succeeded
}

enum SBDMessageTypeFilter: Int, Sendable {
    case admin
    case all
    case file
    case user
}

final class SBDOGImage: NSObject {
    var alt: String? { get }
    var height: Int { get }
    var secureUrl: String? { get }
    var type: String? { get }
    var url: String? { get }
    var width: Int { get }
}

final class SBDOGMetaData: NSObject {
    var defaultImage: SBDOGImage? { get }
    var desc: String? { get }
    var title: String? { get }
    var url: String? { get }
}

final class SBDOpenChannel: SBDBaseChannel {
    typealias ChannelHandler = (SBDOpenChannel?, SBDError?) -> Void
    var operators: NSMutableArray? { get }
    var participantCount: Int { get }
    class func createChannel(withName name: String?, channelUrl: String?, coverImage: Data?, coverImageName: String?, data: String?, operatorUserIds: [String]?, customType: String?, progressHandler: ProgressHandler?, completionHandler: ChannelHandler?)
    class func createOpenChannelListQuery() -> SBDOpenChannelListQuery?
    func createParticipantListQuery() -> SBDParticipantListQuery?
    func enter(completionHandler: SBDErrorHandler? = nil)
    func exitChannel(completionHandler: SBDErrorHandler? = nil)
    class func getWithUrl(_ channelUrl: String, completionHandler: ChannelHandler?)
    func isOperator(with user: SBDUser) -> Bool
    func isOperator(withUserId userId: String) -> Bool
    func refresh(completionHandler: SBDErrorHandler? = nil)
    func update(withName name: String?, coverImage: Data?, coverImageName: String?, data: String?, operatorUserIds: [String]?, customType: String?, progressHandler: ProgressHandler?, completionHandler: ChannelHandler?)
}

final class SBDOpenChannelListQuery: NSObject {
    var channelNameFilter: String? { get set }
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    var limit: UInt { get set }
    func loadNextPage(completionHandler: (([SBDOpenChannel]?, SBDError?) -> Void)? = nil)
}

final class SBDParticipantListQuery: SBDUserListQuery {}

enum SBDPublicGroupChannelListOrder: Int, Sendable {
    case channelNameAlphabetical
    case chronological
}

final class SBDPublicGroupChannelListQuery: NSObject {
    var channelNameContainsFilter: String? { get set }
    var channelUrlsFilter: [String] { get set }
    var customTypeStartsWithFilter: String? { get set }
    var customTypesFilter: [String] { get set }
    var hasNext: Bool { get }
    var includeEmptyChannel: Bool { get set }
    var includeFrozenChannel: Bool { get set }
    var includeMemberList: Bool { get set }
    var includeMetaData: Bool { get set }
    var isLoading: Bool { get }
    var limit: UInt { get set }
    var order: SBDPublicGroupChannelListOrder { get set }
    var publicMembershipFilter: SBDPublicGroupChannelMembershipFilter { get set }
    var superChannelFilter: SBDGroupChannelSuperChannelFilter { get set }
    func loadNextPage(completionHandler: (([SBDGroupChannel]?, SBDError?) -> Void)? = nil)
}

enum SBDPublicGroupChannelMembershipFilter: Int, Sendable {
    case all
    case joined
}

enum SBDPushNotificationDeliveryOption: Int, Sendable {
    case `default`
    case suppress
}

enum SBDPushTokenRegistrationStatus: Sendable, UInt {
    case error
    case pending
    case success
}

final class SBDReaction: NSObject {
    let key: String
    let updatedAt: Int64
    let userIds: [String]
}

final class SBDReactionEvent: NSObject {
    let key: String
    let messageId: Int64
    let operation: SBDReactionEventAction
    let updatedAt: Int64
    let userId: String
}

enum SBDReactionEventAction: Int, Sendable {
    case add
    case delete
}

enum SBDReplyType: Int, Sendable {
    case all
    case none
    case onlyReplyToChannel
}

enum SBDRole: Int, Sendable {
    case none
    case `operator`
}

final class SBDSender: SBDUser {
    var role: SBDRole { get }
}

protocol SBDSessionDelegate: AnyObject {
    func sessionDidHaveError(_ error: SBDError)  // has a default
    func sessionTokenDidRequire(successCompletion success: @escaping (String?) -> Void, failCompletion fail: @escaping () -> Void)
    func sessionWasClosed()
    func sessionWasExpired()  // has a default
    func sessionWasRefreshed()  // has a default
}

final class SBDThreadInfo: NSObject {
    var lastRepliedAt: Int64 { get }
    var mostRepliedUsers: [SBDUser] { get }
    var replyCount: UInt { get }
    var updatedAt: Int64 { get }
}

final class SBDThreadInfoUpdateEvent: NSObject {
    let channelType: SBDChannelType
    let channelUrl: String
    let targetMessageId: Int64
    let threadInfo: SBDThreadInfo
}

final class SBDThumbnail: NSObject {
    var maxSize: CGSize { get }
    var realSize: CGSize { get }
    var url: String { get }
}

final class SBDThumbnailSize: NSObject {
    let maxSize: CGSize
    class func make(withMaxCGSize size: CGSize) -> SBDThumbnailSize?
    class func make(withMaxWidth width: CGFloat, maxHeight: CGFloat) -> SBDThumbnailSize?
}

enum SBDUnreadChannelFilter: Int, Sendable {
    case all
    case unreadMessage
}

final class SBDUnreadItemCount: NSObject {
    let groupChannelInvitationCount: UInt
    let groupChannelUnreadMentionCount: UInt
    let groupChannelUnreadMessageCount: UInt
}

struct SBDUnreadItemKey: OptionSet, Sendable {
    static let groupChannelInvitationCount = Self(rawValue: 4)
    static let groupChannelUnreadMentionCount = Self(rawValue: 2)
    static let groupChannelUnreadMessageCount = Self(rawValue: 1)
    static let nonSuperInvitationCount = Self(rawValue: 128)
    static let nonSuperUnreadMentionCount = Self(rawValue: 32)
    static let nonSuperUnreadMessageCount = Self(rawValue: 8)
    static let superInvitationCount = Self(rawValue: 256)
    static let superUnreadMentionCount = Self(rawValue: 64)
    static let superUnreadMessageCount = Self(rawValue: 16)
    let rawValue: UInt
    init(rawValue: UInt)
}

class SBDUser: NSObject {
    var connectionStatus: SBDUserConnectionStatus { get }
    override var hash: Int { get }
    var isActive: Bool { get }
    var lastSeenAt: Int64 { get }
    var metaData: [String: String]? { get }
    var nickname: String? { get }
    var preferredLanguages: [String]? { get }
    var profileUrl: String? { get }
    var userId: String { get }
    class func build(fromSerializedData data: Data) -> Self?
    override func isEqual(_ object: Any?) -> Bool
    func serialize() -> Data?
}

enum SBDUserConnectionStatus: Int, Sendable {
    case nonAvailable
    case offline
    case online
}

protocol SBDUserEventDelegate: AnyObject {
    func didUpdateTotalUnreadMessageCount(_ totalCount: Int32, totalCountByCustomType: [String: NSNumber]?)  // has a default
}

class SBDUserListQuery: NSObject {
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    var limit: UInt { get set }
    var userIdsFilter: [String] { get set }
    func loadNextPage(completionHandler: (([SBDUser]?, SBDError?) -> Void)? = nil)
}

final class SBDUserMessage: SBDBaseMessage {
    var translations: [String: String] { get }
}

final class SBDUserMessageParams: SBDBaseMessageParams {
    var message: String? { get set }
    init?(message: String)
}

enum SBDWebSocketConnectionState: Int, Sendable {
    case closed
    case connecting
    case open
}
