// The public declarations of `SendbirdChatSDK`: written by scripts/public-api, not to be edited.

typealias BaseChannelHandler = (_ channel: BaseChannel?, _ error: SBError?) -> Void

typealias BaseMessageHandler = (_ message: BaseMessage?, _ error: SBError?) -> Void

typealias ChannelChangeLogsHandler = (_ updatedChannels: [GroupChannel]?, _ deletedChannelURLs: [String]?, _ hasMore: Bool, _ token: String?, _ error: SBError?) -> Void

typealias CountHandler = (_ count: UInt, _ error: SBError?) -> Void

typealias DistinctGroupChannelHandler = (_ channel: GroupChannel?, _ isCreated: Bool, _ error: SBError?) -> Void

typealias FileMessageHandler = (_ message: FileMessage?, _ error: SBError?) -> Void

typealias FileUploadHandler = (_ requestId: String, _ index: Int, _ uploadableFileInfo: UploadableFileInfo, _ error: SBError?) -> Void

typealias GroupChannelHandler = (_ channel: GroupChannel?, _ error: SBError?) -> Void

typealias GroupChannelListHandler = (_ channels: [GroupChannel]?, _ error: SBError?) -> Void

typealias MemberListHandler = (_ members: [Member]?, _ error: SBError?) -> Void

typealias MessageChangeLogHandler = (_ updatedMessages: [BaseMessage]?, _ deletedMessageIds: [Int64]?, _ hasMore: Bool, _ token: String?, _ error: SBError?) -> Void

typealias MessageListHandler = (_ messages: [BaseMessage]?, _ error: SBError?) -> Void

typealias MessageRequestIdsHandler = (_ requestIds: [String]?, _ error: SBError?) -> Void

typealias MetaCountersHandler = (_ metaCounters: [String: Int]?, _ error: SBError?) -> Void

typealias MetaDataHandler = (_ metaData: [String: String]?, _ error: SBError?) -> Void

typealias MultiProgressHandler = (_ requestId: String?, _ bytesSent: Int64, _ totalBytesSent: Int64, _ totalBytesExpectedToSend: Int64) -> Void

typealias MultipleFilesMessageHandler = (_ message: MultipleFilesMessage?, _ error: SBError?) -> Void

typealias MuteInfoHandler = (_ isMuted: Bool, _ description: String, _ startAt: Int64, _ endAt: Int64, _ remainingDuration: Int64, _ error: SBError?) -> Void

typealias ProgressHandler = (_ bytesSent: Int64, _ totalBytesSent: Int64, _ totalBytesExpectedToSend: Int64) -> Void

typealias ReactionEventHandler = (_ reactionEvent: ReactionEvent?, _ error: SBError?) -> Void

typealias SBErrorHandler = (_ error: SBError?) -> Void

typealias SnoozePeriodHandler = (_ isSnoozed: Bool, _ startTimestamp: Int64, _ endTimestamp: Int64, _ error: SBError?) -> Void

typealias ThreadedMessageListHandler = (_ parentMessage: BaseMessage?, _ threadedMessages: [BaseMessage]?, _ error: SBError?) -> Void

typealias UserHandler = (_ user: User?, _ error: SBError?) -> Void

typealias UserListHandler = (_ users: [User]?, _ error: SBError?) -> Void

typealias UserMessageHandler = (_ message: UserMessage?, _ error: SBError?) -> Void

typealias VoidHandler = () -> Void

open class AdminMessage: BaseMessage {}

final class AppleCriticalAlertOptions: NSObject {
    let name: String
    let volume: Double
    init(name: String = "default", volume: Double = 1.0)
}

class BaseChannel: NSObject {
    var channelType: ChannelType { get }
    var channelURL: String { get }
    var coverURL: String? { get }
    var createdAt: Int64 { get }
    var customType: String? { get }
    var data: String? { get }
    override var hash: Int { get }
    var isEphemeral: Bool { get }
    var isFrozen: Bool { get }
    var name: String { get }
    func addMessageMetaArrayValues(message: BaseMessage, keyValues: [String: [String]], completionHandler: BaseMessageHandler? = nil)
    func addMessageMetaArrayValues(message: BaseMessage, metaArrays: [MessageMetaArray], completionHandler: BaseMessageHandler? = nil)
    func addReaction(with message: BaseMessage, key: String, completionHandler: ReactionEventHandler? = nil)
    class func build(fromSerializedData data: Data) -> Self?
    func cancelPendingMessage(requestId: String, completionHandler: SBErrorHandler? = nil)
    class func cancelUploadingFileMessage(requestId: String, completionHandler: ((_ isCanceled: Bool, SBError?) -> Void)? = nil)
    @discardableResult func copyFileMessage(_ message: FileMessage, toTargetChannel targetChannel: BaseChannel, completionHandler: FileMessageHandler? = nil) -> FileMessage?
    @discardableResult func copyMultipleFilesMessage(_ message: MultipleFilesMessage, toTargetChannel targetChannel: BaseChannel, completionHandler: MultipleFilesMessageHandler? = nil) -> MultipleFilesMessage?
    @discardableResult func copyUserMessage(_ message: UserMessage, toTargetChannel targetChannel: BaseChannel, completionHandler: UserMessageHandler? = nil) -> UserMessage
    func createMessageMetaArrayKeys(message: BaseMessage, keys: [String], completionHandler: BaseMessageHandler? = nil)
    func createPinnedMessageListQuery(params: PinnedMessageListQueryParams = PinnedMessageListQueryParams()) -> PinnedMessageListQuery?
    func createPreviousMessageListQuery() -> PreviousMessageListQuery?
    func createPreviousMessageListQuery(params: PreviousMessageListQueryParams) -> PreviousMessageListQuery?
    func createPreviousMessageListQuery(paramsBuilder: (PreviousMessageListQueryParams) -> Void) -> PreviousMessageListQuery?
    func deleteMessage(_ message: BaseMessage, completionHandler: SBErrorHandler? = nil)
    func deleteMessage(messageId: Int64, completionHandler: SBErrorHandler? = nil)
    func deleteMessage(messageId: Int64, hardDelete: Bool, completionHandler: SBErrorHandler? = nil)
    func deleteMessageMetaArrayKeys(message: BaseMessage, keys: [String], completionHandler: BaseMessageHandler? = nil)
    func deleteReaction(with message: BaseMessage, key: String, completionHandler: ReactionEventHandler? = nil)
    func getMessageChangeLogs(timestamp: Int64, params: MessageChangeLogsParams = MessageChangeLogsParams(), completionHandler: MessageChangeLogHandler?)
    func getMessageChangeLogs(token: String?, params: MessageChangeLogsParams = MessageChangeLogsParams(), completionHandler: MessageChangeLogHandler?)
    func getMessagesByMessageId(_ messageId: Int64, params: MessageListParams, completionHandler: MessageListHandler?)
    func getMessagesByTimestamp(_ timestamp: Int64, params: MessageListParams, completionHandler: MessageListHandler?)
    override func isEqual(_ object: Any?) -> Bool
    func pinMessage(messageId: Int64, completionHandler: SBErrorHandler? = nil)
    func removeMessageMetaArrayValues(message: BaseMessage, keyValues: [String: [String]], completionHandler: BaseMessageHandler? = nil)
    func removeMessageMetaArrayValues(message: BaseMessage, metaArrays: [MessageMetaArray], completionHandler: BaseMessageHandler? = nil)
    @discardableResult func resendFileMessage(_ message: FileMessage, binaryData: Data? = nil, completionHandler: FileMessageHandler? = nil) -> FileMessage?
    @discardableResult func resendFileMessage(_ message: FileMessage, binaryData: Data? = nil, progressHandler: MultiProgressHandler?, completionHandler: FileMessageHandler? = nil) -> FileMessage?
    @discardableResult func resendUserMessage(_ message: UserMessage, completionHandler: UserMessageHandler? = nil) -> UserMessage
    @discardableResult func sendFileMessage(params: FileMessageCreateParams, completionHandler: FileMessageHandler? = nil) -> FileMessage?
    @discardableResult func sendFileMessage(params: FileMessageCreateParams, progressHandler: MultiProgressHandler?, completionHandler: FileMessageHandler? = nil) -> FileMessage?
    @discardableResult func sendFileMessages(params: [FileMessageCreateParams], progressHandler: MultiProgressHandler? = nil, sentMessageHandler: FileMessageHandler? = nil, completionHandler: SBErrorHandler? = nil) -> [FileMessage]
    @discardableResult func sendUserMessage(_ message: String, completionHandler: UserMessageHandler? = nil) -> UserMessage
    @discardableResult func sendUserMessage(params: UserMessageCreateParams, completionHandler: UserMessageHandler? = nil) -> UserMessage
    func serialize() -> Data?
    func translateUserMessage(_ message: UserMessage, targetLanguages: [String], completionHandler: UserMessageHandler? = nil)
    func unpinMessage(messageId: Int64, completionHandler: SBErrorHandler? = nil)
    func updateFileMessage(messageId: Int64, params: FileMessageUpdateParams, completionHandler: FileMessageHandler? = nil)
    func updateUserMessage(messageId: Int64, params: UserMessageUpdateParams, completionHandler: UserMessageHandler? = nil)
}

protocol BaseChannelDelegate: AnyObject {
    func channel(_ channel: BaseChannel, didReceive message: BaseMessage)  // has a default
    func channel(_ channel: BaseChannel, didUpdate message: BaseMessage)  // has a default
    func channel(_ channel: BaseChannel, messageWasDeleted messageId: Int64)  // has a default
    func channel(_ channel: BaseChannel, updatedReaction reactionEvent: ReactionEvent)  // has a default
    func channelWasChanged(_ channel: BaseChannel)  // has a default
    func channelWasDeleted(_ channelURL: String, channelType: ChannelType)  // has a default
    func channelWasFrozen(_ channel: BaseChannel)  // has a default
    func channelWasUnfrozen(_ channel: BaseChannel)  // has a default
}

open class BaseMessage: NSObject, Identifiable, NSCopying {
    var channelType: ChannelType { get }
    var channelURL: String { get }
    var createdAt: Int64 { get }
    var customType: String? { get }
    var data: String { get }
    var errorCode: Int { get }
    override var hash: Int { get }
    var id: AnyHashable { get }
    var isOperatorMessage: Bool { get }
    var isReplyToChannel: Bool { get }
    var isSilent: Bool { get }
    var mentionType: MentionType { get }
    var mentionedMessageTemplate: String? { get }
    var mentionedUserIds: [String] { get }
    var mentionedUsers: [User] { get }
    var message: String { get }
    var messageId: Int64 { get }
    var messageParams: BaseMessageCreateParams? { get }
    var messageSurvivalSeconds: Int { get }
    var metaArrays: [MessageMetaArray]? { get }
    var ogMetaData: OGMetaData? { get }
    var parentMessage: BaseMessage? { get set }
    var parentMessageId: Int64 { get }
    var reactions: [Reaction] { get }
    var requestId: String { get }
    var requestedMentionUserIds: [String]? { get }
    var scheduledInfo: ScheduledInfo? { get }
    var sender: Sender? { get }
    var sendingStatus: MessageSendingStatus { get }
    var silent: Bool { get }
    var threadInfo: ThreadInfo { get }
    var updatedAt: Int64 { get }
    @discardableResult func apply(_ reactionEvent: ReactionEvent) -> Bool
    @discardableResult func apply(_ threadInfoUpdateEvent: ThreadInfoUpdateEvent) -> Bool
    class func build(fromSerializedData data: Data?) -> Self?
    class func build(fromSerializedData data: Data?, desiredState: MessageSendingStatus) -> Self?
    func copy(with zone: NSZone? = nil) -> Any
    class func getMessage(params: MessageRetrievalParams, completionHandler: BaseMessageHandler?)
    func getThreadedMessages(timestamp: Int64, params: ThreadedMessageListParams, completionHandler: ThreadedMessageListHandler?)
    override func isEqual(_ object: Any?) -> Bool
    func isGroupChannel() -> Bool
    func isOpenChannel() -> Bool
    func isResendable() -> Bool
    func metaArrays(keys: [String]) -> [MessageMetaArray]
    func serialize() -> Data?
}

open class BaseMessageCreateParams: NSObject, NSCopying {
    var appleCriticalAlertOptions: AppleCriticalAlertOptions? { get set }
    var customType: String? { get set }
    var data: String? { get set }
    var isPinnedMessage: Bool { get set }
    var isReplyToChannel: Bool { get set }
    var isSilent: Bool { get set }
    var mentionType: MentionType { get set }
    var mentionedUserIds: [String]? { get set }
    var mentionedUsers: [User]? { get set }
    var metaArrays: [MessageMetaArray]? { get set }
    var parentMessageId: Int64 { get set }
    var pushNotificationDeliveryOption: PushNotificationDeliveryOption { get set }
    func addMentionedUserIds(_ userIds: [String])
    func copy(with zone: NSZone? = nil) -> Any
}

open class BaseMessageUpdateParams: NSObject, NSCopying {
    var customType: String? { get set }
    var data: String? { get set }
    var mentionType: MentionType { get set }
    var mentionedUserIds: [String]? { get set }
    override init()
    func addMentionedUserIds(_ userIds: [String])
    func copy(with zone: NSZone? = nil) -> Any
    func setMentionedUsers(_ users: [User]?)
}

final class CachedBaseChannelInfo: NSObject {
    let cachedMessageCount: Int64
    let channelURL: String
    let messageCollectionAccessedAt: Int64
}

final class ChannelContext: NSObject {
    let eventDetail: EventDetail?
    let source: CollectionEventSource
    var fromEvent: Bool { get }
}

enum ChannelType: Int, Sendable {
    case feed
    case group
    case open
}

enum ChatError: CaseIterable, Int, SBErrorCode, Sendable {
    case accessTokenNotValid = 400302
    case ackTimeout = 800180
    case appIdNotValid = 400304
    case authPlanQuotaExceeded = 400306
    case authUnknownError = 400303
    case authUserIdTooLong = 400305
    case collectionDisposed = 800600
    case connectionCanceled = 800102
    case connectionRequired = 800101
    case duplicatedData = 400202
    case fileSizeLimitExceeded = 800260
    case fileUploadCancelFailed = 800230
    case fileUploadCanceled = 800240
    case fileUploadTimeout = 800250
    case internalServerError = 500901
    case invalidApiToken = 400401
    case invalidChannelURL = 400110
    case invalidInitialization = 800100
    case invalidJsonBody = 400403
    case invalidParameter = 800110
    case invalidParameterValue = 400111
    case invalidParameterValueBoolean = 400104
    case invalidParameterValueJson = 400103
    case invalidParameterValueList = 400102
    case invalidParameterValueNegative = 400107
    case invalidParameterValueNumber = 400101
    case invalidParameterValuePositive = 400106
    case invalidParameterValueRequired = 400105
    case invalidParameterValueString = 400100
    case localDatabaseError = 800700
    case loginTimeout = 800190
    case malformedData = 800130
    case malformedErrorData = 800140
    case markAsReadRateLimitExceeded = 800160
    case networkError = 800120
    case networkRoutingError = 800121
    case nonAuthorized = 400108
    case notFoundInDatabase = 400201
    case notSupported = 800111
    case parameterMissing = 400402
    case passedInvalidAccessToken = 800500
    case pendingError = 800400
    case queryInProgress = 800170
    case rateLimitExceeded = 500910
    case reachedMaxCount = 400203
    case requestFailed = 800220
    case serverOverloaded = 800221
    case sessionKeyExpired = 400309
    case sessionKeyRefreshFailed = 800502
    case sessionKeyRefreshSucceeded = 800501
    case sessionTokenRevoked = 400310
    case socketBannedUserSendMessageNotAllowed = 900100
    case socketChannelFrozen = 900050
    case socketChannelNotFound = 900500
    case socketDeactivatedUser = 900021
    case socketLoginRequired = 900010
    case socketMessageNotFound = 900300
    case socketMutedUserInApplicationSendMessageNotAllowed = 900040
    case socketMutedUserInChannelSendMessageNotAllowed = 900041
    case socketProfanityMessageBlocked = 900060
    case socketTooManyMessages = 900200
    case socketUserNotMember = 900020
    case socketUserNotOwnerOfMessage = 900022
    case timerWasAlreadyDone = 800302
    case timerWasExpired = 800301
    case tokenExpired = 400109
    case unknownError = 800000
    case unusableCharacterIncluded = 400151
    case userDeactivated = 400300
    case userNotExist = 400301
    case webSocketConnectionClosed = 800200
    case webSocketConnectionFailed = 800210
    case wrongChannelType = 800150
    var asSBError: SBError { get }
    var code: Int { get }
    var message: String { get }
    func asSBError(message: String?) -> SBError
}

enum CollectionEventSource: CaseIterable, Codable, Int, Sendable {
    case channelChangelog
    case channelRefresh
    case eventChannelChanged
    case eventChannelDeleted
    case eventChannelFrozen
    case eventChannelHidden
    case eventChannelMemberCountChanged
    case eventChannelUnfrozen
    case eventDeliveryStatusUpdated
    case eventFeedbackMessageUpdated
    case eventMention
    case eventMessageDeleted
    case eventMessageReceived
    case eventMessageSent = 100
    case eventMessageUpdated
    case eventMetaCounterCreated
    case eventMetaCounterDeleted
    case eventMetaCounterUpdated
    case eventMetaDataCreated
    case eventMetaDataDeleted
    case eventMetaDataUpdated
    case eventOperatorUpdated
    case eventPinnedMessageUpdated
    case eventPollChangeLog
    case eventPollUpdated
    case eventPollVoted
    case eventReactionUpdated
    case eventReadStatusUpdated
    case eventThreadInfoUpdated
    case eventTypingStatusUpdated
    case eventUserBanned
    case eventUserDeclinedInvitation
    case eventUserDidMarkAsRead
    case eventUserDidMarkAsUnread
    case eventUserJoined
    case eventUserLeft
    case eventUserMuted
    case eventUserReceivedInvitation
    case eventUserUnbanned
    case eventUserUnmuted
    case localMessageCanceled
    case localMessageFailed
    case localMessagePendingCreated
    case localMessageResendStarted
    case messageChangelog = 0
    case messageFill
}

protocol ConnectionDelegate: AnyObject {
    func didConnect(userId: String)  // has a default
    func didDisconnect(userId: String)  // has a default
    func didFailReconnection()  // has a default
    func didStartReconnection()  // has a default
    func didSucceedReconnection()  // has a default
}

open class EventDetail: NSObject {
    final class UserReceivedInvitation: EventDetail {
        let invitees: [User]
        let inviter: User?
    }
}

open class FileMessage: BaseMessage {
    var name: String { get }
    var plainURL: String? { get }
    var size: UInt { get }
    var thumbnails: [Thumbnail]? { get }
    var type: String { get }
    var url: String { get }
}

final class FileMessageCreateParams: BaseMessageCreateParams {
    var file: Data? { get set }
    var fileName: String? { get set }
    var fileSize: UInt { get set }
    var fileURL: String? { get set }
    var message: String? { get set }
    var mimeType: String? { get set }
    var pollId: Int64 { get set }
    var thumbnailSizes: [ThumbnailSize]? { get set }
    override init()
    init(file: Data)
    init(fileURL: String)
    override func copy(with zone: NSZone? = nil) -> Any
}

final class FileMessageUpdateParams: BaseMessageUpdateParams {
    var message: String? { get set }
    override init()
    override func copy(with zone: NSZone? = nil) -> Any
}

final class GroupChannel: BaseChannel {
    var cachedMetaData: [String: String] { get }
    var creator: User? { get }
    var invitedAt: Int64 { get }
    var inviter: User? { get }
    var isAccessCodeRequired: Bool { get }
    var isBroadcast: Bool { get }
    var isDiscoverable: Bool { get }
    var isDistinct: Bool { get }
    var isExclusive: Bool { get }
    var isHidden: Bool { get }
    var isMuted: Bool { get }
    var isPublic: Bool { get }
    var isSuper: Bool { get }
    var joinedAt: Int64 { get }
    var joinedMemberCount: UInt { get }
    var lastMessage: BaseMessage? { get }
    var memberCount: UInt { get }
    var members: [Member] { get }
    var messageOffsetTimestamp: Int64 { get }
    var myLastRead: Int64 { get }
    var myMemberState: MemberState { get }
    var myRole: Role { get }
    var unreadMentionCount: UInt { get }
    var unreadMessageCount: UInt { get }
    func acceptInvitation(completionHandler: SBErrorHandler? = nil)
    class func createChannel(params: GroupChannelCreateParams, completionHandler: GroupChannelHandler?)
    class func createMyGroupChannelListQuery(params: GroupChannelListQueryParams) -> GroupChannelListQuery
    class func createMyGroupChannelListQuery(paramsBuilder: ((GroupChannelListQueryParams) -> Void)? = nil) -> GroupChannelListQuery
    func declineInvitation(completionHandler: SBErrorHandler? = nil)
    func delete(completionHandler: SBErrorHandler? = nil)
    func endTyping()
    func freeze(completionHandler: SBErrorHandler? = nil)
    class func getChannel(url: String, completionHandler: GroupChannelHandler?)
    func hide(hidePreviousMessages: Bool = false, allowAutoUnhide: Bool = true, completionHandler: SBErrorHandler? = nil)
    func inviteUserIds(_ userIds: [String], completionHandler: SBErrorHandler? = nil)
    func join(completionHandler: SBErrorHandler? = nil)
    func leave(completionHandler: SBErrorHandler? = nil)
    func markAsRead(completionHandler: SBErrorHandler? = nil)
    func refresh(completionHandler: GroupChannelHandler? = nil)
    @discardableResult func resendMultipleFilesMessage(_ message: MultipleFilesMessage, fileUploadHandler: FileUploadHandler?, completionHandler: MultipleFilesMessageHandler? = nil) -> MultipleFilesMessage?
    func resetMyHistory(completionHandler: SBErrorHandler? = nil)
    @discardableResult func sendMultipleFilesMessage(params: MultipleFilesMessageCreateParams, fileUploadHandler: FileUploadHandler?, completionHandler: MultipleFilesMessageHandler? = nil) -> MultipleFilesMessage?
    func startTyping()
    func unfreeze(completionHandler: SBErrorHandler? = nil)
    func unhide(completionHandler: SBErrorHandler? = nil)
    func update(params: GroupChannelUpdateParams, completionHandler: GroupChannelHandler? = nil)
}

open class GroupChannelCollection: NSObject {
    let query: GroupChannelListQuery
    var channelList: [GroupChannel] { get }
    weak var delegate: (any GroupChannelCollectionDelegate)? { get set }
    var hasNext: Bool { get }
    func dispose()
    func loadMore(completionHandler: GroupChannelListHandler? = nil)
}

protocol GroupChannelCollectionDelegate: AnyObject {
    func channelCollection(_ collection: GroupChannelCollection, context: ChannelContext, addedChannels channels: [GroupChannel])  // has a default
    func channelCollection(_ collection: GroupChannelCollection, context: ChannelContext, deletedChannelURLs: [String])  // has a default
    func channelCollection(_ collection: GroupChannelCollection, context: ChannelContext, updatedChannels channels: [GroupChannel])  // has a default
}

final class GroupChannelCreateParams: NSObject {
    var coverURL: String? { get set }
    var customType: String? { get set }
    var data: String? { get set }
    var isDistinct: Bool { get set }
    var name: String? { get set }
    var userIds: [String] { get set }
    override init()
}

protocol GroupChannelDelegate: BaseChannelDelegate {
    func channel(_ channel: GroupChannel, didReceiveInvitation invitees: [User]?, inviter: User?)  // has a default
    func channel(_ channel: GroupChannel, userDidJoin user: User)  // has a default
    func channel(_ channel: GroupChannel, userDidLeave user: User)  // has a default
    func channelDidUpdateDeliveryStatus(_ channel: GroupChannel)  // has a default
    func channelDidUpdateReadStatus(_ channel: GroupChannel)  // has a default
    func channelDidUpdateTypingStatus(_ channel: GroupChannel)  // has a default
}

enum GroupChannelListOrder: Int, Sendable {
    case channelMetaDataValueAlphabetical
    case channelNameAlphabetical
    case chronological
    case latestLastMessage
}

final class GroupChannelListQuery: NSObject {
    let includeEmptyChannel: Bool
    let includeFrozenChannel: Bool
    let includeMemberList: Bool
    let includeMetaData: Bool
    let limit: UInt
    let order: GroupChannelListOrder
    var hasNext: Bool { get }
    func loadNextPage(completionHandler: (([GroupChannel]?, SBError?) -> Void)? = nil)
}

final class GroupChannelListQueryParams: NSObject {
    var channelNameContainsFilter: String? { get set }
    var channelURLsFilter: [String] { get set }
    var customTypeStartsWithFilter: String? { get set }
    var customTypesFilter: [String] { get set }
    var hiddenChannelFilter: HiddenChannelFilter { get set }
    var includeEmptyChannel: Bool { get set }
    var includeFrozenChannel: Bool { get set }
    var includeMemberList: Bool { get set }
    var includeMetaData: Bool { get set }
    var limit: UInt { get set }
    var metaDataKey: String? { get set }
    var metaDataOrderKeyFilter: String? { get set }
    var metaDataValueStartsWith: String? { get set }
    var metaDataValues: [String] { get set }
    var myMemberStateFilter: MyMemberStateFilter { get set }
    var nicknameContainsFilter: String? { get set }
    var order: GroupChannelListOrder { get set }
    var publicChannelFilter: PublicGroupChannelFilter { get set }
    var superChannelFilter: SuperChannelFilter { get set }
    var unreadChannelFilter: UnreadChannelFilter { get set }
    var userIdsExactFilter: [String] { get set }
    var userIdsIncludeFilter: [String] { get set }
    override init()
}

final class GroupChannelUpdateParams: NSObject {
    var coverURL: String? { get set }
    var customType: String? { get set }
    var data: String? { get set }
    var name: String? { get set }
    override init()
}

enum HiddenChannelFilter: Int, Sendable {
    case all
    case hiddenAllowAutoUnhide
    case hiddenOnly
    case hiddenPreventAutoUnhide
    case unhiddenOnly
}

final class InitParams: NSObject {
    let applicationId: String
    var appVersion: String? { get set }
    var cacheFolder: String? { get set }
    var isLocalCachingEnabled: Bool { get set }
    var localCacheConfig: LocalCacheConfig { get set }
    var logLevel: LogLevel { get set }
    var server: String? { get set }
    init(applicationId: String, isLocalCachingEnabled: Bool = false, logLevel: LogLevel = .none, appVersion: String? = nil, localCacheConfig: LocalCacheConfig = LocalCacheConfig())
}

final class LocalCacheConfig: NSObject {
    var clearOrder: ClearOrder { get set }
    var customClearOrderComparator: ((CachedBaseChannelInfo, CachedBaseChannelInfo) -> ComparisonResult)? { get set }
    var isEncryptionEnabled: Bool { get set }
    var maxSize: Int64 { get set }
    init(isEncryptionEnabled: Bool = false, maxSize: Int64 = 256, clearOrder: ClearOrder = .messageCollectionAccessedAt, customClearOrderComparator: ((CachedBaseChannelInfo, CachedBaseChannelInfo) -> ComparisonResult)? = nil)

    enum ClearOrder: Int, Sendable {
        case custom
        case messageCollectionAccessedAt
    }
}

enum LogLevel: Int, Sendable {
    case debug
    case error
    case info
    case none
    case verbose
    case warning
}

final class Member: User {
    var isBlockedByMe: Bool { get }
    var isBlockingMe: Bool { get }
    var isMuted: Bool { get }
    var role: Role { get }
    var state: MemberState { get }
}

enum MemberState: Int, Sendable {
    case invited
    case joined
    case none
}

enum MentionType: Int, Sendable {
    case channel
    case users
}

final class MessageChangeLogsParams: NSObject, NSCopying {
    var includeMetaArray: Bool { get set }
    var includeParentMessageInfo: Bool { get set }
    var includePollDetails: Bool { get set }
    var includeReactions: Bool { get set }
    var includeThreadInfo: Bool { get set }
    var replyType: ReplyType { get set }
    override init()
    func copy(with zone: NSZone? = nil) -> Any
    class func create(with params: MessageListParams?) -> MessageChangeLogsParams
    class func create(with query: PreviousMessageListQuery?) -> MessageChangeLogsParams
}

open class MessageCollection: NSObject {
    let startingPoint: Int64
    var channel: GroupChannel { get }
    weak var delegate: (any MessageCollectionDelegate)? { get set }
    var failedMessages: [BaseMessage] { get }
    var hasNext: Bool { get }
    var hasPrevious: Bool { get }
    var pendingMessages: [BaseMessage] { get }
    var succeededMessages: [BaseMessage] { get }
    func dispose()
    func loadNext(completionHandler: MessageListHandler? = nil)
    func loadPrevious(completionHandler: MessageListHandler? = nil)
    func removeAllFailed(completionHandler: SBErrorHandler? = nil)
    func removeFailed(messages: [BaseMessage], completionHandler: MessageRequestIdsHandler? = nil)
    func startCollection(initPolicy: MessageCollectionInitPolicy, cacheResultHandler: MessageListHandler? = nil, apiResultHandler: MessageListHandler? = nil)
}

protocol MessageCollectionDelegate: AnyObject {
    func didDetectHugeGap(_ collection: MessageCollection)  // has a default
    func didHugeGapDetected(_ collection: MessageCollection)  // has a default
    func messageCollection(_ collection: MessageCollection, channelContext: ChannelContext, deletedChannel channelURL: String)  // has a default
    func messageCollection(_ collection: MessageCollection, channelContext: ChannelContext, updatedChannel channel: GroupChannel)  // has a default
    func messageCollection(_ collection: MessageCollection, context: MessageContext, channel: GroupChannel, addedMessages messages: [BaseMessage])  // has a default
    func messageCollection(_ collection: MessageCollection, context: MessageContext, channel: GroupChannel, deletedMessages messages: [BaseMessage])  // has a default
    func messageCollection(_ collection: MessageCollection, context: MessageContext, channel: GroupChannel, updatedMessages messages: [BaseMessage])  // has a default
    func messageCollection(_ collection: MessageCollection, context: MessageContext, deletedChannel channelURL: String)  // has a default
    func messageCollection(_ collection: MessageCollection, context: MessageContext, updatedChannel channel: GroupChannel)  // has a default
}

enum MessageCollectionInitPolicy: Int, Sendable {
    case cacheAndReplaceByApi
}

final class MessageContext: NSObject {
    let sendingStatus: MessageSendingStatus
    let source: CollectionEventSource
    var fromEvent: Bool { get }
    init(source: CollectionEventSource, sendingStatus: MessageSendingStatus)
}

final class MessageListParams: NSObject, NSCopying {
    var customType: String? { get set }
    var customTypes: [String]? { get set }
    var includeMetaArray: Bool { get set }
    var includeParentMessageInfo: Bool { get set }
    var includePollDetails: Bool { get set }
    var includeReactions: Bool { get set }
    var includeThreadInfo: Bool { get set }
    var isInclusive: Bool { get set }
    var messageTypeFilter: MessageTypeFilter { get set }
    var nextResultSize: Int { get set }
    var previousResultSize: Int { get set }
    var replyType: ReplyType { get set }
    var reverse: Bool { get set }
    var senderUserIds: [String]? { get set }
    var showSubChannelMessagesOnly: Bool { get set }
    override init()
    convenience init(builder: (MessageListParams) -> Void)
    convenience init(previousResultSize: Int = 0, nextResultSize: Int = 0, isInclusive: Bool = false, reverse: Bool = false, messageTypeFilter: MessageTypeFilter = .all, customType: String? = nil, customTypes: [String]? = nil, senderUserIds: [String]? = nil, replyType: ReplyType = .all, includeMetaArray: Bool = false, includeReactions: Bool = false, includeThreadInfo: Bool = false, includeParentMessageInfo: Bool = false)
    func belongsTo(_ message: BaseMessage) -> Bool
    func copy(with zone: NSZone? = nil) -> Any
}

final class MessageMetaArray: NSObject {
    let key: String
    var value: [String] { get }
    convenience init(key: String)
    init(key: String, value: [String]?)
    func addValue(_ value: Set<String>)
    func addValue(with value: [String])
    class func build(fromSerializedData data: Data?) -> MessageMetaArray?
    func removeValue(_ value: Set<String>)
    func removeValue(with value: [String])
    func serialize() -> Data?
}

final class MessageRetrievalParams: NSObject, NSCopying {
    var channelType: ChannelType { get set }
    var channelURL: String { get set }
    var includeMetaArray: Bool { get set }
    var includeParentMessageInfo: Bool { get set }
    var includePollDetails: Bool { get set }
    var includeReactions: Bool { get set }
    var includeThreadInfo: Bool { get set }
    var messageId: Int64 { get set }
    override init()
    convenience init(channelURL: String, channelType: ChannelType = .group, messageId: Int64, includeMetaArray: Bool = false, includeReactions: Bool = false, includeThreadInfo: Bool = false, includeParentMessageInfo: Bool = false)
    func copy(with zone: NSZone? = nil) -> Any
}

enum MessageSendingStatus: Int, Sendable {
    case canceled
    case failed
    case none
    case pending
    case scheduled
    case succeeded
}

enum MessageTypeFilter: Int, Sendable {
    case admin
    case all
    case file
    case user
}

open class MultipleFilesMessage: BaseMessage {
    var files: [UploadedFileInfo] { get }
    func getMultipleFilesMessageParams() -> MultipleFilesMessageCreateParams?
}

final class MultipleFilesMessageCreateParams: BaseMessageCreateParams {
    var message: String? { get set }
    var pollId: Int64 { get set }
    var uploadableFileInfoList: [UploadableFileInfo] { get set }
    init(uploadableFileInfoList: [UploadableFileInfo])
    override func copy(with zone: NSZone? = nil) -> Any
}

enum MyMemberStateFilter: Int, Sendable {
    case all
    case invitedOnly
    case joinedOnly
}

final class OGImage: NSObject {
    let alt: String?
    let height: Int
    let secureURL: String?
    let type: String?
    let url: String?
    let width: Int
}

final class OGMetaData: NSObject {
    let defaultImage: OGImage?
    let desc: String?
    let title: String?
    let url: String?
}

final class PinnedMessage: NSObject {
    let message: BaseMessage
}

final class PinnedMessageListQuery: NSObject {
    let params: PinnedMessageListQueryParams
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    func loadNextPage(completionHandler: ((_ messages: [PinnedMessage]?, _ error: SBError?) -> Void)? = nil)
}

final class PinnedMessageListQueryParams: NSObject {
    var includeMetaArray: Bool { get set }
    var includeParentMessageInfo: Bool { get set }
    var includePollDetails: Bool { get set }
    var includeReactions: Bool { get set }
    var limit: UInt { get set }
    override init()
    convenience init(builder: (PinnedMessageListQueryParams) -> Void)
}

final class PreviousMessageListQuery: NSObject {
    let params: PreviousMessageListQueryParams
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    var limit: UInt { get }
    func loadNextPage(completionHandler: MessageListHandler? = nil)
}

final class PreviousMessageListQueryParams: NSObject {
    var customTypeFilter: String? { get set }
    var customTypesFilter: [String]? { get set }
    var includeMetaArray: Bool { get set }
    var includeParentMessageInfo: Bool { get set }
    var includePollDetails: Bool { get set }
    var includeReactions: Bool { get set }
    var includeThreadInfo: Bool { get set }
    var limit: UInt { get set }
    var messageTypeFilter: MessageTypeFilter { get set }
    var replyType: ReplyType { get set }
    var reverse: Bool { get set }
    var senderUserIdsFilter: [String]? { get set }
    var showSubChannelMessagesOnly: Bool { get set }
    override init()
    convenience init(builder: (PreviousMessageListQueryParams) -> Void)
}

enum PublicGroupChannelFilter: Int, Sendable {
    case all
    case privateChannelOnly
    case publicChannelOnly
}

enum PushNotificationDeliveryOption: Int, Sendable {
    case `default`
    case suppress
}

final class Reaction: NSObject {
    let count: UInt
    let hasCurrentUserReacted: Bool
    let key: String
    let updatedAt: Int64
    let userIds: [String]
    var sampledUserIds: [String] { get }
}

final class ReactionEvent: NSObject {
    let messageId: Int64
    var key: String { get }
    var operation: ReactionEventAction { get }
    var updatedAt: Int64 { get }
    var userId: String { get }
}

enum ReactionEventAction: Int, Sendable {
    case add
    case delete
}

enum ReplyType: Int, Sendable {
    case all
    case none
    case onlyReplyToChannel
}

enum Role: Int, Sendable {
    case none
    case `operator`
}

final class SBError: NSError, @unchecked Sendable {
    static let domain: String
    var errorCode: ChatError { get }
    class func error(withDictionary dictionary: [String: Any]) -> SBError?
    class func error(withNSError error: NSError?) -> SBError?
}

protocol SBErrorCode {
    var asSBError: SBError { get }
    var code: Int { get }
    var message: String { get }
    func asSBError(message: String?) -> SBError
}

final class ScheduledInfo: NSObject {
    let scheduledAt: Int64
    let scheduledMessageId: Int64
    let scheduledStatus: ScheduledStatus
}

enum ScheduledStatus: Int, Sendable {
    case canceled
    case failed
    case pending
    case sent
}

final class SendbirdChat: NSObject {
    class var currentUser: User? { get }
    class func addChannelDelegate(_ delegate: any BaseChannelDelegate, identifier: String)
    class func addConnectionDelegate(_ delegate: any ConnectionDelegate, identifier: String)
    class func clearCachedData(completionHandler: SBErrorHandler?)
    class func clearCachedMessages(channelURL: String, completionHandler: SBErrorHandler?)
    class func connect(userId: String, authToken: String? = nil, apiHost: String? = nil, wsHost: String? = nil, completionHandler: ((User?, SBError?) -> Void)? = nil)
    class func createGroupChannelCollection(query: GroupChannelListQuery) -> GroupChannelCollection?
    class func createMessageCollection(channel: GroupChannel, startingPoint: Int64 = Int64.max, params: MessageListParams = MessageListParams()) -> MessageCollection
    class func disconnect(completionHandler: (() -> Void)? = nil)
    class func getApplicationId() -> String?
    class func getCachedDataSize() -> Int
    class func getCurrentUser() -> User?
    class func initialize(params: InitParams, completionHandler: SBErrorHandler? = nil)
    class func initialize(params: InitParams, migrationStartHandler: (() -> Void)?, completionHandler: SBErrorHandler?)
    class func removeAllChannelDelegates()
    class func removeAllConnectionDelegates()
    class func removeChannelDelegate(forIdentifier identifier: String)
    class func removeConnectionDelegate(forIdentifier identifier: String)
    class func setCompletionHandlerDelegateQueue(_ queue: DispatchQueue?)
}

final class Sender: User {
    var isBlockedByMe: Bool { get }
    var role: Role { get }
}

enum SuperChannelFilter: Int, Sendable {
    case all
    case broadcastChannelOnly
    case exclusiveChannelOnly
    case nonsuperChannelOnly
    case superChannelOnly
}

final class ThreadInfo: NSObject {
    var lastRepliedAt: Int64 { get }
    var mostRepliedUsers: [User] { get }
    var replyCount: Int { get }
    var updatedAt: Int64 { get }
}

final class ThreadInfoUpdateEvent: NSObject {
    let channelType: ChannelType
    let channelURL: String
    let targetMessageId: Int64
    let threadInfo: ThreadInfo
}

final class ThreadedMessageListParams: NSObject, NSCopying {
    var customType: String? { get set }
    var customTypes: [String]? { get set }
    var includeMetaArray: Bool { get set }
    var includeParentMessageInfo: Bool { get set }
    var includeReactions: Bool { get set }
    var isInclusive: Bool { get set }
    var messageTypeFilter: MessageTypeFilter { get set }
    var nextResultSize: Int { get set }
    var previousResultSize: Int { get set }
    var reverse: Bool { get set }
    var senderUserIds: [String]? { get set }
    override init()
    func copy(with zone: NSZone? = nil) -> Any
}

final class Thumbnail: NSObject {
    let maxSize: CGSize
    let plainURL: String?
    let realSize: CGSize
    let url: String
}

final class ThumbnailSize: NSObject {
    let maxSize: CGSize
    class func make(maxSize: CGSize) -> ThumbnailSize
    class func make(maxWidth: CGFloat, maxHeight: CGFloat) -> ThumbnailSize
    class func make(thumbnail: Thumbnail) -> ThumbnailSize
}

enum UnreadChannelFilter: Int, Sendable {
    case all
    case unreadMessage
}

final class UploadableFileInfo: NSObject {
    let file: Data?
    let fileURL: String?
    var fileName: String? { get set }
    var fileSize: UInt { get set }
    var mimeType: String? { get set }
    var thumbnailSizes: [ThumbnailSize]? { get set }
    init(file: Data)
    init(fileURL: String)
}

final class UploadedFileInfo: NSObject {
    let fileName: String?
    let fileSize: UInt
    let mimeType: String?
    let plainURL: String
    let thumbnails: [Thumbnail]?
    let url: String
}

class User: NSObject {
    var connectionStatus: UserConnectionStatus { get }
    override var hash: Int { get }
    var isActive: Bool { get }
    var lastSeenAt: Int64 { get }
    var metaData: [String: String] { get }
    var nickname: String { get }
    var profileURL: String? { get }
    var userId: String { get }
    class func build(fromSerializedData data: Data) -> Self?
    override func isEqual(_ object: Any?) -> Bool
    func serialize() -> Data?
}

enum UserConnectionStatus: Int, Sendable {
    case notAvailable
    case offline
    case online
}

open class UserMessage: BaseMessage {
    var translationTargetLanguages: [String] { get }
    var translations: [String: String] { get }
}

final class UserMessageCreateParams: BaseMessageCreateParams {
    var mentionedMessageTemplate: String? { get set }
    var message: String { get set }
    var pollId: Int64 { get set }
    var translationTargetLanguages: [String]? { get set }
    init(message: String)
    override func copy(with zone: NSZone? = nil) -> Any
}

final class UserMessageUpdateParams: BaseMessageUpdateParams {
    var mentionedMessageTemplate: String? { get set }
    var message: String? { get set }
    var pollId: Int64 { get set }
    override init()
    init(message: String?)
    override func copy(with zone: NSZone? = nil) -> Any
}
