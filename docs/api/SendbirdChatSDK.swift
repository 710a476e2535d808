// The public declarations of `SendbirdChatSDK`: written by scripts/public-api, not to be edited.

typealias BaseChannelHandler = (_ channel: BaseChannel?, _ error: SBError?) -> Void

typealias BaseMessageHandler = (_ message: BaseMessage?, _ error: SBError?) -> Void

typealias ChannelChangeLogsHandler = (_ updatedChannels: [GroupChannel]?, _ deletedChannelURLs: [String]?, _ hasMore: Bool, _ token: String?, _ error: SBError?) -> Void

typealias CountHandler = (_ count: UInt, _ error: SBError?) -> Void

typealias DistinctGroupChannelHandler = (_ channel: GroupChannel?, _ isCreated: Bool, _ error: SBError?) -> Void

typealias DndSchedule = [DayOfWeek: [DndTimeWindow]]

typealias FileMessageHandler = (_ message: FileMessage?, _ error: SBError?) -> Void

typealias FileUploadHandler = (_ requestId: String, _ index: Int, _ uploadableFileInfo: UploadableFileInfo, _ error: SBError?) -> Void

typealias GetPushTokensHandler = (_ pushTokens: [String], _ pushTokenType: PushTokenType, _ hasMore: Bool, _ token: String?, _ error: SBError?) -> Void

typealias GroupChannelHandler = (_ channel: GroupChannel?, _ error: SBError?) -> Void

typealias GroupChannelListHandler = (_ channels: [GroupChannel]?, _ error: SBError?) -> Void

typealias GroupChannelPushTriggerOptionHandler = (_ pushTriggerOption: GroupChannelPushTriggerOption, _ error: SBError?) -> Void

typealias MemberListHandler = (_ members: [Member]?, _ error: SBError?) -> Void

typealias MessageChangeLogHandler = (_ updatedMessages: [BaseMessage]?, _ deletedMessageIds: [Int64]?, _ hasMore: Bool, _ token: String?, _ error: SBError?) -> Void

typealias MessageListHandler = (_ messages: [BaseMessage]?, _ error: SBError?) -> Void

typealias MessageRequestIdsHandler = (_ requestIds: [String]?, _ error: SBError?) -> Void

typealias MetaCountersHandler = (_ metaCounters: [String: Int]?, _ error: SBError?) -> Void

typealias MetaDataHandler = (_ metaData: [String: String]?, _ error: SBError?) -> Void

typealias MultiProgressHandler = (_ requestId: String?, _ bytesSent: Int64, _ totalBytesSent: Int64, _ totalBytesExpectedToSend: Int64) -> Void

typealias MultipleFilesMessageHandler = (_ message: MultipleFilesMessage?, _ error: SBError?) -> Void

typealias MuteInfoHandler = (_ isMuted: Bool, _ description: String, _ startAt: Int64, _ endAt: Int64, _ remainingDuration: Int64, _ error: SBError?) -> Void

typealias OpenChannelHandler = (_ channel: OpenChannel?, _ error: SBError?) -> Void

typealias OpenChannelListHandler = (_ channels: [OpenChannel]?, _ error: SBError?) -> Void

typealias PollChangeLogsHandler = (_ updatedPolls: [Poll]?, _ deletedPollIds: [Int64]?, _ hasMore: Bool, _ token: String?, _ error: SBError?) -> Void

typealias PollHandler = (_ poll: Poll?, _ error: SBError?) -> Void

typealias PollListHandler = (_ polls: [Poll]?, _ error: SBError?) -> Void

typealias PollOptionHandler = (_ pollOption: PollOption?, _ error: SBError?) -> Void

typealias PollVoteEventHandler = (_ event: PollVoteEvent?, _ error: SBError?) -> Void

typealias ProgressHandler = (_ bytesSent: Int64, _ totalBytesSent: Int64, _ totalBytesExpectedToSend: Int64) -> Void

typealias PushTriggerOptionHandler = (_ pushTriggerOption: PushTriggerOption, _ error: SBError?) -> Void

typealias ReactionEventHandler = (_ reactionEvent: ReactionEvent?, _ error: SBError?) -> Void

typealias ReportCategoryInfoListHandler = (_ categories: [ReportCategoryInfo]?, _ error: SBError?) -> Void

typealias SBErrorHandler = (_ error: SBError?) -> Void

typealias SnoozePeriodHandler = (_ isSnoozed: Bool, _ startTimestamp: Int64, _ endTimestamp: Int64, _ error: SBError?) -> Void

typealias ThreadedMessageListHandler = (_ parentMessage: BaseMessage?, _ threadedMessages: [BaseMessage]?, _ error: SBError?) -> Void

typealias UserHandler = (_ user: User?, _ error: SBError?) -> Void

typealias UserListHandler = (_ users: [User]?, _ error: SBError?) -> Void

typealias UserMessageHandler = (_ message: UserMessage?, _ error: SBError?) -> Void

typealias VoidHandler = () -> Void

open class AdminMessage: BaseMessage {}

final class AppInfo: NSObject {
    let applicationAttributes: [String]?
    let emojiHash: String
    let premiumFeatureList: [String]?
    let uploadSizeLimit: Int64
    let useReaction: Bool
    func isEmojiUpdateNeeded(prevEmojiHash: String) -> Bool
}

final class AppleCriticalAlertOptions: NSObject {
    let name: String
    let volume: Double
    init(name: String = "default", volume: Double = 1.0)
}

final class ApplicationUserListQuery: NSObject {
    let params: ApplicationUserListQueryParams
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    var limit: UInt { get set }
    func loadNextPage(completionHandler: @escaping ([User]?, SBError?) -> Void)
}

final class ApplicationUserListQueryParams: NSObject, NSCopying {
    var limit: UInt { get set }
    var nicknameStartsWithFilter: String? { get set }
    var userIdsFilter: [String]? { get set }
    override init()
    convenience init(builder: (ApplicationUserListQueryParams) -> Void)
    func copy(with zone: NSZone? = nil) -> Any
    func setMetaDataFilter(key: String?, values: [String]?)
}

enum AuthTokenType: Int, Sendable {
    case accessToken
    case sessionToken
}

final class BannedUserListQuery: NSObject {
    let params: BannedUserListQueryParams
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    var limit: UInt { get set }
    func loadNextPage(completionHandler: @escaping ([RestrictedUser]?, SBError?) -> Void)
}

final class BannedUserListQueryParams: NSObject, NSCopying {
    var limit: UInt { get set }
    override init()
    convenience init(builder: (BannedUserListQueryParams) -> Void)
    func copy(with zone: NSZone? = nil) -> Any
}

open class BaseChannel: NSObject, Codable, Identifiable {
    var cachedMetaData: [String: String] { get }
    var channelType: ChannelType { get }
    var channelURL: String { get }
    var coverURL: String? { get }
    var createdAt: Int64 { get }
    var creator: User? { get }
    var customType: String? { get }
    var data: String? { get }
    open override var hash: Int { get }
    var id: String { get }
    var isDirty: Bool { get set }
    var isEphemeral: Bool { get }
    var isFrozen: Bool { get }
    var lastPinnedMessage: BaseMessage? { get }
    var messageDeletionTimestamp: Int64 { get }
    var name: String { get }
    var pinnedMessageIds: [Int64]? { get }
    required init(from decoder: any Decoder) throws
    func addMessageMetaArrayValues(message: BaseMessage, keyValues: [String: [String]], completionHandler: BaseMessageHandler? = nil)
    func addMessageMetaArrayValues(message: BaseMessage, metaArrays: [MessageMetaArray], completionHandler: BaseMessageHandler? = nil)
    func addOperators(userIds: [String], completionHandler: SBErrorHandler? = nil)
    func addPollOption(pollId: Int64, optionText: String, completionHandler: PollHandler? = nil)
    func addReaction(with message: BaseMessage, key: String, completionHandler: ReactionEventHandler? = nil)
    func banUser(_ user: User, seconds: Int, description: String?, completionHandler: SBErrorHandler? = nil)
    func banUser(userId: String, seconds: Int, description: String?, completionHandler: SBErrorHandler? = nil)
    class func build(fromSerializedData data: Data?) -> Self?
    func cancelPendingMessage(requestId: String, completionHandler: SBErrorHandler? = nil)
    class func cancelUploadingFileMessage(requestId: String, completionHandler: ((_ isCanceled: Bool, SBError?) -> Void)? = nil)
    func closePoll(pollId: Int64, completionHandler: PollHandler? = nil)
    @discardableResult func copyFileMessage(_ message: FileMessage, toTargetChannel targetChannel: BaseChannel, completionHandler: FileMessageHandler? = nil) -> FileMessage?
    @discardableResult func copyMultipleFilesMessage(_ message: MultipleFilesMessage, toTargetChannel targetChannel: BaseChannel, completionHandler: MultipleFilesMessageHandler? = nil) -> MultipleFilesMessage?
    @discardableResult func copyUserMessage(_ message: UserMessage, toTargetChannel targetChannel: BaseChannel, completionHandler: UserMessageHandler? = nil) -> UserMessage
    func createBannedUserListQuery() -> BannedUserListQuery?
    class func createBannedUserListQuery(channelType: ChannelType, channelURL: String) -> BannedUserListQuery
    class func createBannedUserListQuery(channelType: ChannelType, channelURL: String, params: BannedUserListQueryParams) -> BannedUserListQuery
    class func createBannedUserListQuery(channelType: ChannelType, channelURL: String, paramsBuilder: (BannedUserListQueryParams) -> Void) -> BannedUserListQuery
    func createBannedUserListQuery(params: BannedUserListQueryParams) -> BannedUserListQuery?
    func createBannedUserListQuery(paramsBuilder: (BannedUserListQueryParams) -> Void) -> BannedUserListQuery?
    func createMessageMetaArrayKeys(message: BaseMessage, keys: [String], completionHandler: BaseMessageHandler? = nil)
    func createMetaCounters(_ metaCounters: [String: Int], completionHandler: (([String: Int]?, SBError?) -> Void)? = nil)
    func createMetaData(_ metaData: [String: String], completionHandler: (([String: String]?, SBError?) -> Void)? = nil)
    func createMutedUserListQuery() -> MutedUserListQuery?
    class func createMutedUserListQuery(channelType: ChannelType, channelURL: String) -> MutedUserListQuery
    class func createMutedUserListQuery(channelType: ChannelType, channelURL: String, params: MutedUserListQueryParams) -> MutedUserListQuery
    class func createMutedUserListQuery(channelType: ChannelType, channelURL: String, paramsBuilder: (MutedUserListQueryParams) -> Void) -> MutedUserListQuery
    func createMutedUserListQuery(params: MutedUserListQueryParams) -> MutedUserListQuery?
    func createMutedUserListQuery(paramsBuilder: (MutedUserListQueryParams) -> Void) -> MutedUserListQuery?
    func createOperatorListQuery() -> OperatorListQuery?
    class func createOperatorListQuery(channelType: ChannelType, channelURL: String) -> OperatorListQuery
    class func createOperatorListQuery(channelType: ChannelType, channelURL: String, params: OperatorListQueryParams) -> OperatorListQuery
    class func createOperatorListQuery(channelType: ChannelType, channelURL: String, paramsBuilder: (OperatorListQueryParams) -> Void) -> OperatorListQuery
    func createOperatorListQuery(params: OperatorListQueryParams) -> OperatorListQuery?
    func createOperatorListQuery(paramsBuilder: (OperatorListQueryParams) -> Void) -> OperatorListQuery?
    func createPinnedMessageListQuery(params: PinnedMessageListQueryParams = PinnedMessageListQueryParams()) -> PinnedMessageListQuery?
    func createPinnedMessageListQuery(paramsBuilder: (PinnedMessageListQueryParams) -> Void) -> PinnedMessageListQuery?
    func createPollListQuery(limit: UInt = 20) -> PollListQuery?
    func createPollVoterListQuery(pollId: Int64, pollOptionId: Int64, limit: UInt = 20) -> PollVoterListQuery?
    func createPreviousMessageListQuery() -> PreviousMessageListQuery?
    func createPreviousMessageListQuery(params: PreviousMessageListQueryParams) -> PreviousMessageListQuery?
    func createPreviousMessageListQuery(paramsBuilder: (PreviousMessageListQueryParams) -> Void) -> PreviousMessageListQuery?
    func decreaseMetaCounters(_ metaCounters: [String: Int], completionHandler: (([String: Int]?, SBError?) -> Void)? = nil)
    func deleteAllMetaCounters(completionHandler: SBErrorHandler? = nil)
    func deleteAllMetaData(completionHandler: SBErrorHandler? = nil)
    func deleteMessage(_ message: BaseMessage, completionHandler: SBErrorHandler? = nil)
    func deleteMessage(messageId: Int64, completionHandler: SBErrorHandler? = nil)
    func deleteMessage(messageId: Int64, hardDelete: Bool, completionHandler: SBErrorHandler? = nil)
    func deleteMessageMetaArrayKeys(message: BaseMessage, keys: [String], completionHandler: BaseMessageHandler? = nil)
    func deleteMetaCounters(key: String, completionHandler: SBErrorHandler? = nil)
    func deleteMetaData(key: String, completionHandler: SBErrorHandler? = nil)
    func deletePoll(pollId: Int64, completionHandler: SBErrorHandler? = nil)
    func deletePollOption(pollId: Int64, pollOptionId: Int64, completionHandler: SBErrorHandler? = nil)
    func deleteReaction(with message: BaseMessage, key: String, completionHandler: ReactionEventHandler? = nil)
    open func encode(to encoder: any Encoder) throws
    func getAllMetaCounters(completionHandler: (([String: Int]?, SBError?) -> Void)? = nil)
    func getAllMetaData(completionHandler: (([String: String]?, SBError?) -> Void)? = nil)
    func getCachedMetaData() -> [String: String]
    func getMessageChangeLogs(timestamp: Int64, params: MessageChangeLogsParams = MessageChangeLogsParams(), completionHandler: MessageChangeLogHandler?)
    func getMessageChangeLogs(token: String?, params: MessageChangeLogsParams = MessageChangeLogsParams(), completionHandler: MessageChangeLogHandler?)
    func getMessagesByMessageId(_ messageId: Int64, params: MessageListParams, completionHandler: MessageListHandler?)
    func getMessagesByTimestamp(_ timestamp: Int64, params: MessageListParams, completionHandler: MessageListHandler?)
    func getMetaCounters(keys: [String]?, completionHandler: (([String: Int]?, SBError?) -> Void)? = nil)
    func getMetaData(keys: [String], completionHandler: (([String: String]?, SBError?) -> Void)? = nil)
    func getMyMutedInfo(completionHandler: ((Bool, String, Int64, Int64, Int64, SBError?) -> Void)? = nil)
    func getPollChangeLogs(timestamp: Int64, completionHandler: PollChangeLogsHandler?)
    func getPollChangeLogs(token: String?, completionHandler: PollChangeLogsHandler?)
    func increaseMetaCounters(_ metaCounters: [String: Int], completionHandler: (([String: Int]?, SBError?) -> Void)? = nil)
    open override func isEqual(_ object: Any?) -> Bool
    func isGroupChannel() -> Bool
    func isOpenChannel() -> Bool
    func muteUser(_ user: User, seconds: Int, description: String?, completionHandler: SBErrorHandler? = nil)
    func muteUser(userId: String, seconds: Int, description: String?, completionHandler: SBErrorHandler? = nil)
    func pinMessage(messageId: Int64, completionHandler: SBErrorHandler? = nil)
    func removeAllOperators(completionHandler: SBErrorHandler? = nil)
    func removeMessageMetaArrayValues(message: BaseMessage, keyValues: [String: [String]], completionHandler: BaseMessageHandler? = nil)
    func removeMessageMetaArrayValues(message: BaseMessage, metaArrays: [MessageMetaArray], completionHandler: BaseMessageHandler? = nil)
    func removeOperators(userIds: [String], completionHandler: SBErrorHandler? = nil)
    func report(category: ReportCategory, reportDescription: String?, completionHandler: SBErrorHandler? = nil)
    func report(message: BaseMessage, reportCategory: ReportCategory, reportDescription: String?, completionHandler: SBErrorHandler? = nil)
    func report(offendingUser: User, reportCategory: ReportCategory, reportDescription: String?, completionHandler: SBErrorHandler? = nil)
    func report(reportCategoryInfo: ReportCategoryInfo, reportDescription: String?, completionHandler: SBErrorHandler? = nil)
    func reportMessage(_ message: BaseMessage, reportCategoryInfo: ReportCategoryInfo, reportDescription: String?, completionHandler: SBErrorHandler? = nil)
    func reportUser(_ offendingUser: User, reportCategoryInfo: ReportCategoryInfo, reportDescription: String?, completionHandler: SBErrorHandler? = nil)
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
    func unbanUser(_ user: User, completionHandler: SBErrorHandler? = nil)
    func unbanUser(userId: String, completionHandler: SBErrorHandler? = nil)
    func unmuteUser(_ user: User, completionHandler: SBErrorHandler? = nil)
    func unmuteUser(userId: String, completionHandler: SBErrorHandler? = nil)
    func unpinMessage(messageId: Int64, completionHandler: SBErrorHandler? = nil)
    func updateFileMessage(messageId: Int64, params: FileMessageUpdateParams, completionHandler: FileMessageHandler? = nil)
    func updateMetaCounters(_ metaCounters: [String: Int], completionHandler: (([String: Int]?, SBError?) -> Void)? = nil)
    func updateMetaData(_ metaData: [String: String], completionHandler: (([String: String]?, SBError?) -> Void)? = nil)
    func updatePoll(pollId: Int64, params: PollUpdateParams, completionHandler: PollHandler? = nil)
    func updatePollOption(pollId: Int64, pollOptionId: Int64, optionText: String, completionHandler: PollHandler? = nil)
    func updateUserMessage(messageId: Int64, params: UserMessageUpdateParams, completionHandler: UserMessageHandler? = nil)
    func votePoll(pollId: Int64, pollOptionIds: [Int64], completionHandler: PollVoteEventHandler? = nil)
}

protocol BaseChannelDelegate: AnyObject {
    func channel(_ channel: BaseChannel, createdMetaCounters: [String: Int]?)  // has a default
    func channel(_ channel: BaseChannel, createdMetaData: [String: String]?)  // has a default
    func channel(_ channel: BaseChannel, deletedMetaCountersKeys: [String]?)  // has a default
    func channel(_ channel: BaseChannel, deletedMetaDataKeys: [String]?)  // has a default
    func channel(_ channel: BaseChannel, didReceive message: BaseMessage)  // has a default
    func channel(_ channel: BaseChannel, didReceiveMention message: BaseMessage)  // has a default
    func channel(_ channel: BaseChannel, didUpdate message: BaseMessage)  // has a default
    func channel(_ channel: BaseChannel, didUpdateThreadInfo threadInfoUpdateEvent: ThreadInfoUpdateEvent)  // has a default
    func channel(_ channel: BaseChannel, messageWasDeleted messageId: Int64)  // has a default
    func channel(_ channel: BaseChannel, updatedMetaCounters: [String: Int]?)  // has a default
    func channel(_ channel: BaseChannel, updatedMetaData: [String: String]?)  // has a default
    func channel(_ channel: BaseChannel, updatedReaction reactionEvent: ReactionEvent)  // has a default
    func channel(_ channel: BaseChannel, userWasBanned user: RestrictedUser)  // has a default
    func channel(_ channel: BaseChannel, userWasMuted user: RestrictedUser)  // has a default
    func channel(_ channel: BaseChannel, userWasUnbanned user: User)  // has a default
    func channel(_ channel: BaseChannel, userWasUnmuted user: User)  // has a default
    func channelDidUpdateOperators(_ channel: BaseChannel)  // has a default
    func channelWasChanged(_ channel: BaseChannel)  // has a default
    func channelWasDeleted(_ channelURL: String, channelType: ChannelType)  // has a default
    func channelWasFrozen(_ channel: BaseChannel)  // has a default
    func channelWasUnfrozen(_ channel: BaseChannel)  // has a default
}

open class BaseCollection: NSObject {}

open class BaseMessage: NSObject, Codable, Identifiable, NSCopying {
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
    var poll: Poll? { get }
    var reactions: [Reaction] { get }
    var requestId: String { get }
    var requestedMentionUserIds: [String]? { get }
    var scheduledInfo: ScheduledInfo? { get }
    var sender: Sender? { get set }
    var sendingStatus: MessageSendingStatus { get }
    var silent: Bool { get }
    var threadInfo: ThreadInfo { get }
    var updatedAt: Int64 { get }
    required init(from decoder: any Decoder) throws
    @discardableResult func apply(_ reactionEvent: ReactionEvent) -> Bool
    @discardableResult func apply(_ threadInfoUpdateEvent: ThreadInfoUpdateEvent) -> Bool
    @discardableResult func apply(poll: Poll) -> Bool
    @discardableResult func apply(pollVoteEvent: PollVoteEvent) -> Bool
    class func build(fromSerializedData data: Data?) -> Self?
    class func build(fromSerializedData data: Data?, desiredState: MessageSendingStatus) -> Self?
    func copy(with zone: NSZone? = nil) -> Any
    open func encode(to encoder: any Encoder) throws
    class func getMessage(params: MessageRetrievalParams, completionHandler: BaseMessageHandler?)
    class func getScheduledMessage(params: ScheduledMessageRetrievalParams, completionHandler: BaseMessageHandler?)
    func getThreadedMessages(timestamp: Int64, params: ThreadedMessageListParams, completionHandler: ThreadedMessageListHandler?)
    override func isEqual(_ object: Any?) -> Bool
    func isGroupChannel() -> Bool
    func isOpenChannel() -> Bool
    func isResendable() -> Bool
    func metaArrays(keys: [String]) -> [MessageMetaArray]
    func serialize() -> Data?
}

open class BaseMessageCreateParams: NSObject, Codable, NSCopying {
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
    override init()
    required init(from decoder: any Decoder) throws
    func addMentionedUserIds(_ userIds: [String])
    func copy(with zone: NSZone? = nil) -> Any
    func encode(to encoder: any Encoder) throws
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

final class BlockedUserListQuery: NSObject {
    let params: BlockedUserListQueryParams
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    var limit: UInt { get set }
    func loadNextPage(completionHandler: @escaping ([User]?, SBError?) -> Void)
}

final class BlockedUserListQueryParams: NSObject, NSCopying {
    var limit: UInt { get set }
    var userIdsFilter: [String] { get set }
    override init()
    convenience init(builder: (BlockedUserListQueryParams) -> Void)
    func copy(with zone: NSZone? = nil) -> Any
}

final class CachedBaseChannelInfo: NSObject {
    let cachedMessageCount: Int64
    let channelURL: String
    let messageCollectionAccessedAt: Int64
}

enum CachedDataClearOrder: Int, Sendable {
    case custom
    case messageCollectionAccessedAt
}

final class ChannelContext: NSObject {
    let eventDetail: EventDetail?
    let source: CollectionEventSource
    var fromEvent: Bool { get }
}

enum ChannelHiddenStateFilter: Codable, Int, Sendable {
    case all
    case hiddenAllowAutoUnhide
    case hiddenOnly
    case hiddenPreventAutoUnhide
    case unhiddenOnly
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
    func didDelayConnection(retryAfter: UInt)  // has a default
    func didDisconnect(userId: String)  // has a default
    func didFailReconnection()  // has a default
    func didStartReconnection()  // has a default
    func didSucceedReconnection()  // has a default
}

enum CountPreference: Int, Sendable {
    case all
    case off
    case unreadMentionCountOnly
    case unreadMessageCountOnly
}

enum DayOfWeek: CaseIterable, Int, Sendable {
    case friday
    case monday
    case saturday
    case sunday
    case thursday
    case tuesday
    case wednesday
}

struct DndTimeWindow: Hashable, Sendable {
    var endHour: Int { get set }
    var endMinute: Int { get set }
    var startHour: Int { get set }
    var startMinute: Int { get set }
    init(startHour: Int, startMinute: Int, endHour: Int, endMinute: Int)
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
    required init(from decoder: any Decoder) throws
    override func copy(with zone: NSZone? = nil) -> Any
}

final class FileMessageUpdateParams: BaseMessageUpdateParams {
    var message: String? { get set }
    override init()
    override func copy(with zone: NSZone? = nil) -> Any
}

open class GroupChannel: BaseChannel {
    var hasAIBot: Bool { get }
    var hasBot: Bool { get }
    var hiddenState: GroupChannelHiddenState { get }
    var invitedAt: Int64 { get }
    var inviter: User? { get }
    var isAIAgent: Bool { get }
    var isAccessCodeRequired: Bool { get }
    var isBroadcast: Bool { get }
    var isChatNotification: Bool { get }
    var isDesk: Bool { get }
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
    var messageSurvivalSeconds: Int { get }
    var myCountPreference: CountPreference { get }
    var myLastRead: Int64 { get }
    var myMemberState: MemberState { get }
    var myMutedState: MutedState { get }
    var myPushTriggerOption: GroupChannelPushTriggerOption { get }
    var myRole: Role { get }
    var unreadMentionCount: UInt { get }
    var unreadMessageCount: UInt { get set }
    func acceptInvitation(accessCode: String?, completionHandler: SBErrorHandler? = nil)
    func acceptInvitation(completionHandler: SBErrorHandler? = nil)
    func cancelScheduledMessage(scheduledMessageId: Int64, completionHandler: SBErrorHandler? = nil)
    class func createChannel(params: GroupChannelCreateParams, completionHandler: GroupChannelHandler?)
    class func createChannel(params: GroupChannelCreateParams, progressHandler: ProgressHandler?, completionHandler: GroupChannelHandler?)
    class func createDistinctChannelIfNotExist(params: GroupChannelCreateParams, completionHandler: ((GroupChannel?, Bool, SBError?) -> Void)?)
    class func createDistinctChannelIfNotExist(params: GroupChannelCreateParams, progressHandler: ProgressHandler?, completionHandler: ((GroupChannel?, Bool, SBError?) -> Void)?)
    func createMemberListQuery() -> MemberListQuery?
    class func createMemberListQuery(channelURL: String) -> MemberListQuery
    class func createMemberListQuery(channelURL: String, params: MemberListQueryParams) -> MemberListQuery
    class func createMemberListQuery(channelURL: String, paramsBuilder: (MemberListQueryParams) -> Void) -> MemberListQuery
    func createMemberListQuery(params: MemberListQueryParams) -> MemberListQuery?
    func createMemberListQuery(paramsBuilder: (MemberListQueryParams) -> Void) -> MemberListQuery?
    class func createMyGroupChannelListQuery() -> GroupChannelListQuery
    class func createMyGroupChannelListQuery(params: GroupChannelListQueryParams) -> GroupChannelListQuery
    class func createMyGroupChannelListQuery(paramsBuilder: ((GroupChannelListQueryParams) -> Void)?) -> GroupChannelListQuery
    class func createPublicGroupChannelListQuery() -> PublicGroupChannelListQuery
    class func createPublicGroupChannelListQuery(params: PublicGroupChannelListQueryParams) -> PublicGroupChannelListQuery
    class func createPublicGroupChannelListQuery(paramsBuilder: (PublicGroupChannelListQueryParams) -> Void) -> PublicGroupChannelListQuery
    func createScheduledFileMessage(params: ScheduledFileMessageCreateParams, completionHandler: FileMessageHandler? = nil)
    func createScheduledUserMessage(params: ScheduledUserMessageCreateParams, completionHandler: UserMessageHandler? = nil)
    func declineInvitation(completionHandler: SBErrorHandler? = nil)
    func delete(completionHandler: SBErrorHandler? = nil)
    func endTyping()
    func freeze(completionHandler: SBErrorHandler? = nil)
    class func getChannel(url: String, completionHandler: GroupChannelHandler?)
    func getDeliveryStatus(includeAllMembers: Bool) -> [String: [String: Any]]
    func getInviter() -> User?
    func getMember(_ userId: String) -> Member?
    func getMyPushTriggerOption(completionHandler: GroupChannelPushTriggerOptionHandler? = nil)
    func getReadMembers(message: BaseMessage, includeAllMembers: Bool) -> [Member]
    func getReadStatus(includeAllMembers: Bool) -> [String: [String: Any]]
    func getTypingUsers() -> [User]?
    func getUndeliveredMemberCount(_ message: BaseMessage) -> Int
    func getUnreadMemberCount(_ message: BaseMessage) -> Int
    func getUnreadMembers(message: BaseMessage, includeAllMembers: Bool) -> [Member]
    func hasMember(_ userId: String) -> Bool
    func hide(hidePreviousMessages: Bool = false, allowAutoUnhide: Bool = true, completionHandler: SBErrorHandler? = nil)
    func inviteUser(_ user: User, completionHandler: SBErrorHandler? = nil)
    func inviteUserId(_ userId: String, completionHandler: SBErrorHandler? = nil)
    func inviteUserIds(_ userIds: [String], completionHandler: SBErrorHandler? = nil)
    func inviteUsers(_ users: [User], completionHandler: SBErrorHandler? = nil)
    func isTyping() -> Bool
    func join(accessCode: String?, completionHandler: SBErrorHandler? = nil)
    func join(completionHandler: SBErrorHandler? = nil)
    func leave(completionHandler: SBErrorHandler? = nil)
    func markAsRead(completionHandler: SBErrorHandler? = nil)
    func markAsUnread(message: BaseMessage, completionHandler: SBErrorHandler? = nil)
    func myDeliveryStatus() -> Int64
    func notifyScreenshotWasTaken(completionHandler: SBErrorHandler? = nil)
    func refresh(completionHandler: SBErrorHandler? = nil)
    @discardableResult func resendMultipleFilesMessage(_ message: MultipleFilesMessage, fileUploadHandler: FileUploadHandler?, completionHandler: MultipleFilesMessageHandler? = nil) -> MultipleFilesMessage?
    func resetMyHistory(completionHandler: SBErrorHandler? = nil)
    @discardableResult func sendMultipleFilesMessage(params: MultipleFilesMessageCreateParams, fileUploadHandler: FileUploadHandler?, completionHandler: MultipleFilesMessageHandler? = nil) -> MultipleFilesMessage?
    func sendScheduledMessageNow(scheduledMessageId: Int64, completionHandler: SBErrorHandler? = nil)
    func setMyCountPreference(_ preference: CountPreference, completionHandler: SBErrorHandler? = nil)
    func setMyPushTriggerOption(_ pushTriggerOption: GroupChannelPushTriggerOption, completionHandler: SBErrorHandler? = nil)
    func startTyping()
    func unfreeze(completionHandler: SBErrorHandler? = nil)
    func unhide(completionHandler: SBErrorHandler? = nil)
    func update(params: GroupChannelUpdateParams, completionHandler: GroupChannelHandler? = nil)
    func update(params: GroupChannelUpdateParams, progressHandler: ProgressHandler?, completionHandler: GroupChannelHandler? = nil)
    func updateScheduledFileMessage(scheduledMessageId: Int64, params: ScheduledFileMessageUpdateParams, completionHandler: FileMessageHandler? = nil)
    func updateScheduledUserMessage(scheduledMessageId: Int64, params: ScheduledUserMessageUpdateParams, completionHandler: UserMessageHandler? = nil)
}

final class GroupChannelChangeLogsParams: NSObject, NSCopying {
    var customTypes: [String] { get set }
    var includeEmptyChannel: Bool { get set }
    var includeFrozenChannel: Bool { get set }
    override init()
    func copy(with zone: NSZone? = nil) -> Any
    class func create(query: GroupChannelListQuery) -> GroupChannelChangeLogsParams
}

open class GroupChannelCollection: BaseCollection {
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

final class GroupChannelCreateParams: NSObject, NSCopying {
    var accessCode: String? { get set }
    var channelURL: String? { get set }
    var coverImage: Data? { get set }
    var coverURL: String? { get set }
    var customType: String? { get set }
    var data: String? { get set }
    var isBroadcast: Bool { get set }
    var isDiscoverable: Bool { get set }
    var isDistinct: Bool { get set }
    var isEphemeral: Bool { get set }
    var isExclusive: Bool { get set }
    var isPublic: Bool { get set }
    var isStrict: Bool { get set }
    var isSuper: Bool { get set }
    var messageSurvivalSeconds: Int { get set }
    var name: String? { get set }
    var operatorUserIds: [String]? { get set }
    var userIds: [String]? { get set }
    override init()
    func addUser(_ user: User)
    func addUserId(_ userId: String)
    func addUserIds(_ userIds: [String])
    func addUsers(_ users: [User])
    func copy(with zone: NSZone? = nil) -> Any
    func setOperators(_ operators: [User])
}

protocol GroupChannelDelegate: BaseChannelDelegate {
    func channel(_ channel: GroupChannel, didDeclineInvitation invitee: User, inviter: User?)  // has a default
    func channel(_ channel: GroupChannel, didReceiveInvitation invitees: [User]?, inviter: User?)  // has a default
    func channel(_ channel: GroupChannel, didUpdatePoll event: PollUpdateEvent)  // has a default
    func channel(_ channel: GroupChannel, didVotePoll event: PollVoteEvent)  // has a default
    func channel(_ channel: GroupChannel, pollWasDeleted pollId: Int64)  // has a default
    func channel(_ channel: GroupChannel, userDidJoin user: User)  // has a default
    func channel(_ channel: GroupChannel, userDidLeave user: User)  // has a default
    func channelDidChangeMemberCount(_ channels: [GroupChannel])  // has a default
    func channelDidMarkAsRead(_ channel: GroupChannel, userIds: [String])  // has a default
    func channelDidMarkAsUnread(_ channel: GroupChannel, userIds: [String])  // has a default
    func channelDidUpdateDeliveryStatus(_ channel: GroupChannel)  // has a default
    func channelDidUpdatePinnedMessages(_ channel: GroupChannel)  // has a default
    func channelDidUpdateReadStatus(_ channel: GroupChannel)  // has a default
    func channelDidUpdateReadStatus(_ channel: GroupChannel, userIds: [String])  // has a default
    func channelDidUpdateTypingStatus(_ channel: GroupChannel)  // has a default
    func channelWasHidden(_ channel: GroupChannel)  // has a default
}

enum GroupChannelHiddenState: Int, Sendable {
    case hiddenAllowAutoUnhide
    case hiddenPreventAutoUnhide
    case unhidden
}

enum GroupChannelListOrder: Codable, Int, Sendable {
    case channelMetaDataValueAlphabetical
    case channelNameAlphabetical
    case chronological
    case latestLastMessage
}

final class GroupChannelListQuery: NSObject, NSCopying {
    let params: GroupChannelListQueryParams
    var hasNext: Bool { get }
    var includeEmptyChannel: Bool { get set }
    var includeFrozenChannel: Bool { get set }
    var includeMemberList: Bool { get set }
    var includeMetaData: Bool { get set }
    var isLoading: Bool { get }
    var limit: UInt { get set }
    var order: GroupChannelListOrder { get set }
    func belongsTo(channel: GroupChannel) -> Bool
    class func build(fromSerializedData data: Data?) -> GroupChannelListQuery?
    func copy(with zone: NSZone? = nil) -> Any
    func loadNextPage(completionHandler: @escaping ([GroupChannel]?, SBError?) -> Void)
    func serialize() -> Data?
}

final class GroupChannelListQueryParams: NSObject, Codable, NSCopying {
    var channelHiddenStateFilter: ChannelHiddenStateFilter { get set }
    var channelNameContainsFilter: String? { get set }
    var channelURLsFilter: [String]? { get set }
    var createdAfter: Int64? { get set }
    var createdBefore: Int64? { get set }
    var customTypeStartsWithFilter: String? { get set }
    var customTypesFilter: [String]? { get set }
    var includeChatNotification: Bool { get set }
    var includeEmptyChannel: Bool { get set }
    var includeFrozenChannel: Bool { get set }
    var includeMemberList: Bool { get set }
    var includeMetaData: Bool { get set }
    var limit: UInt { get set }
    var metaDataKeyFilter: String? { get set }
    var metaDataOrderKeyFilter: String? { get set }
    var metaDataValueStartsWithFilter: String? { get set }
    var metaDataValuesFilter: [String]? { get set }
    var myMemberStateFilter: MyMemberStateFilter { get set }
    var nicknameContainsFilter: String? { get set }
    var nicknameExactMatchFilter: String? { get set }
    var nicknameStartsWithFilter: String? { get set }
    var order: GroupChannelListOrder { get set }
    var publicChannelFilter: GroupChannelPublicChannelFilter { get set }
    var queryType: GroupChannelListQueryType { get set }
    var superChannelFilter: GroupChannelSuperChannelFilter { get set }
    var unreadChannelFilter: UnreadChannelFilter { get set }
    var userIdsExactFilter: [String]? { get set }
    var userIdsIncludeFilter: [String]? { get set }
    override init()
    convenience init(builder: (GroupChannelListQueryParams) -> Void)
    func copy(with zone: NSZone? = nil) -> Any
    func setMetaDataFilter(_ key: String, valueStartsWith: String)
    func setMetaDataFilter(_ key: String, values: [String])
    func setSearchFilter(_ query: String, fields: GroupChannelListQuerySearchField)
    func setUserIdsIncludeFilter(_ userIds: [String], queryType: GroupChannelListQueryType)
}

struct GroupChannelListQuerySearchField: OptionSet, Sendable {
    static let channelName = Self(rawValue: 1)
    static let memberNickname = Self(rawValue: 2)
    let rawValue: Int
    init(rawValue: Int)
}

enum GroupChannelListQueryType: Codable, Int, Sendable {
    case and
    case or
}

enum GroupChannelMutedMemberFilter: Int, Sendable {
    case all
    case muted
    case unmuted
}

enum GroupChannelOperatorFilter: Int, Sendable {
    case all
    case nonOperator
    case `operator`
}

enum GroupChannelPublicChannelFilter: Codable, Int, Sendable {
    case all
    case `private`
    case `public`
}

enum GroupChannelPushTriggerOption: Int, Sendable {
    case all
    case `default`
    case mentionOnly
    case off
}

enum GroupChannelSuperChannelFilter: Codable, Int, Sendable {
    case all
    case broadcastOnly
    case exclusiveOnly
    case nonSuper
    case `super`
}

final class GroupChannelTotalUnreadChannelCountParams: NSObject, NSCopying {
    var channelCustomTypesFilter: [String]? { get set }
    var superChannelFilter: GroupChannelSuperChannelFilter { get set }
    override init()
    func copy(with zone: NSZone? = nil) -> Any
}

final class GroupChannelTotalUnreadMessageCountParams: NSObject, NSCopying {
    var channelCustomTypesFilter: [String]? { get set }
    var superChannelFilter: GroupChannelSuperChannelFilter { get set }
    override init()
    func copy(with zone: NSZone? = nil) -> Any
}

final class GroupChannelUpdateParams: NSObject, NSCopying {
    var accessCode: String? { get set }
    var coverImage: Data? { get set }
    var coverURL: String? { get set }
    var customType: String? { get set }
    var data: String? { get set }
    var isDiscoverable: Bool { get set }
    var isDistinct: Bool { get set }
    var isPublic: Bool { get set }
    var messageSurvivalSeconds: Int { get set }
    var name: String? { get set }
    var operatorUserIds: [String]? { get set }
    override init()
    func copy(with zone: NSZone? = nil) -> Any
    func setOperators(_ operators: [User])
}

final class InitParams: NSObject, NSCopying {
    var apiHost: String? { get set }
    var appVersion: String? { get set }
    var applicationId: String { get set }
    var cacheFolder: String? { get set }
    var isLocalCachingEnabled: Bool { get set }
    var localCacheConfig: LocalCacheConfig? { get set }
    var logLevel: LogLevel { get set }
    var needsSynchronous: Bool { get set }
    var server: String? { get set }
    var wsHost: String? { get set }
    init(applicationId: String, isLocalCachingEnabled: Bool = false, localCacheConfig: LocalCacheConfig? = nil, logLevel: LogLevel = .none, appVersion: String? = nil, needsSynchronous: Bool = false, apiHost: String? = nil, wsHost: String? = nil)
    func copy(with zone: NSZone? = nil) -> Any
}

final class LocalCacheConfig: NSObject {
    let enableAutoResend: Bool
    var clearOrder: CachedDataClearOrder { get set }
    var customClearOrderComparator: ((CachedBaseChannelInfo, CachedBaseChannelInfo) -> ComparisonResult)? { get set }
    var isEncryptionEnabled: Bool { get set }
    var maxSize: Int64 { get set }
    init(isEncryptionEnabled: Bool = false, enableAutoResend: Bool = true, maxSize: Int64 = 256, clearOrder: CachedDataClearOrder = .messageCollectionAccessedAt, customClearOrderComparator: ((CachedBaseChannelInfo, CachedBaseChannelInfo) -> ComparisonResult)? = nil)
}

enum LogLevel: Comparable, Int, Sendable {
    case debug
    case error
    case info
    case none
    case verbose
    case warning
    static func < (left: LogLevel, right: LogLevel) -> Bool
}

final class Member: User {
    var isBlockedByMe: Bool { get }
    var isBlockingMe: Bool { get }
    var isMuted: Bool { get }
    var joinedAt: Int64 { get }
    var restrictionInfo: RestrictionInfo? { get }
    var role: Role { get }
    var state: MemberState { get }
}

enum MemberListOrder: Int, Sendable {
    case nicknameAlphabetical
    case operatorThenMemberNicknameAlphabetical
}

final class MemberListQuery: NSObject {
    let params: MemberListQueryParams
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    var limit: UInt { get set }
    var memberStateFilter: MemberStateFilter { get set }
    var mutedMemberFilter: GroupChannelMutedMemberFilter { get set }
    var nicknameStartsWithFilter: String? { get set }
    var operatorFilter: GroupChannelOperatorFilter { get set }
    var order: MemberListOrder { get set }
    func loadNextPage(completionHandler: @escaping ([Member]?, SBError?) -> Void)
}

final class MemberListQueryParams: NSObject, NSCopying {
    var limit: UInt { get set }
    var memberStateFilter: MemberStateFilter { get set }
    var mutedMemberFilter: GroupChannelMutedMemberFilter { get set }
    var nicknameStartsWithFilter: String? { get set }
    var operatorFilter: GroupChannelOperatorFilter { get set }
    var order: MemberListOrder { get set }
    override init()
    convenience init(builder: (MemberListQueryParams) -> Void)
    func copy(with zone: NSZone? = nil) -> Any
}

enum MemberState: Int, Sendable {
    case invited
    case joined
    case left
    case none
}

enum MemberStateFilter: Int, Sendable {
    case all
    case invitedByFriend
    case invitedByNonFriend
    case invitedOnly
    case joinedOnly
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

open class MessageCollection: BaseCollection {
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
    convenience init(previousResultSize: Int = 0, nextResultSize: Int = 0, isInclusive: Bool = false, reverse: Bool = false, messageTypeFilter: MessageTypeFilter = .all, customType: String? = nil, customTypes: [String]? = nil, senderUserIds: [String]? = nil, replyType: ReplyType = .all, includeMetaArray: Bool = false, includeReactions: Bool = false, includeThreadInfo: Bool = false, includeParentMessageInfo: Bool = false, includePollDetails: Bool = false, showSubChannelMessagesOnly: Bool = false)
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
    convenience init(channelURL: String = "", channelType: ChannelType = .group, messageId: Int64 = 0, includeMetaArray: Bool = false, includeReactions: Bool = false, includeThreadInfo: Bool = false, includeParentMessageInfo: Bool = false, includePollDetails: Bool = false)
    func copy(with zone: NSZone? = nil) -> Any
}

enum MessageSearchOrder: Int, Sendable {
    case score
    case timeStamp
}

final class MessageSearchQuery: NSObject {
    let params: MessageSearchQueryParams
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    func loadNextPage(completionHandler: @escaping MessageListHandler)
}

final class MessageSearchQueryParams: NSObject, NSCopying {
    var advancedQuery: Bool { get set }
    var channelCustomType: String? { get set }
    var channelURL: String? { get set }
    var exactMatch: Bool { get set }
    var keyword: String? { get set }
    var limit: UInt { get set }
    var messageTimestampFrom: Int64 { get set }
    var messageTimestampTo: Int64 { get set }
    var order: MessageSearchOrder { get set }
    var reverse: Bool { get set }
    var targetFields: [String]? { get set }
    override init()
    convenience init(builder: (MessageSearchQueryParams) -> Void)
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
    required init(from decoder: any Decoder) throws
    init(uploadableFileInfoList: [UploadableFileInfo])
    override func copy(with zone: NSZone? = nil) -> Any
}

enum MutedState: Int, Sendable {
    case muted
    case unmuted
}

final class MutedUserListQuery: NSObject {
    let params: MutedUserListQueryParams
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    var limit: UInt { get set }
    func loadNextPage(completionHandler: @escaping ([RestrictedUser]?, SBError?) -> Void)
}

final class MutedUserListQueryParams: NSObject, NSCopying {
    var limit: UInt { get set }
    override init()
    convenience init(builder: (MutedUserListQueryParams) -> Void)
    func copy(with zone: NSZone? = nil) -> Any
}

enum MyMemberStateFilter: Codable, Int, Sendable {
    case all
    case invitedByFriend
    case invitedByNonFriend
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

open class OpenChannel: BaseChannel {
    override var channelType: ChannelType { get }
    var operators: [User]? { get }
    var participantCount: Int { get }
    class func createChannel(completionHandler: ((OpenChannel?, SBError?) -> Void)?)
    class func createChannel(params: OpenChannelCreateParams, completionHandler: ((OpenChannel?, SBError?) -> Void)?)
    class func createChannel(params: OpenChannelCreateParams, progressHandler: ProgressHandler?, completionHandler: ((OpenChannel?, SBError?) -> Void)?)
    class func createOpenChannelListQuery() -> OpenChannelListQuery
    class func createOpenChannelListQuery(params: OpenChannelListQueryParams) -> OpenChannelListQuery
    class func createOpenChannelListQuery(paramsBuilder: (OpenChannelListQueryParams) -> Void) -> OpenChannelListQuery
    func createParticipantListQuery() -> ParticipantListQuery?
    class func createParticipantListQuery(channelURL: String) -> ParticipantListQuery
    class func createParticipantListQuery(channelURL: String, params: ParticipantListQueryParams) -> ParticipantListQuery
    class func createParticipantListQuery(channelURL: String, paramsBuilder: (ParticipantListQueryParams) -> Void) -> ParticipantListQuery
    func createParticipantListQuery(params: ParticipantListQueryParams) -> ParticipantListQuery?
    func createParticipantListQuery(paramsBuilder: (ParticipantListQueryParams) -> Void) -> ParticipantListQuery?
    func delete(completionHandler: SBErrorHandler? = nil)
    func enter(completionHandler: SBErrorHandler? = nil)
    func exit(completionHandler: SBErrorHandler? = nil)
    class func getChannel(url: String, completionHandler: ((OpenChannel?, SBError?) -> Void)?)
    func isOperator(user: User) -> Bool
    func isOperator(userId: String) -> Bool
    func refresh(completionHandler: SBErrorHandler? = nil)
    func update(params: OpenChannelUpdateParams, completionHandler: ((OpenChannel?, SBError?) -> Void)? = nil)
}

final class OpenChannelCreateParams: NSObject, NSCopying {
    var channelURL: String? { get set }
    var coverImage: Data? { get set }
    var coverImageName: String? { get set }
    var coverURL: String? { get set }
    var customType: String? { get set }
    var data: String? { get set }
    var name: String? { get set }
    var operatorUserIds: [String]? { get set }
    init(name: String? = nil, channelURL: String? = nil, coverURL: String? = nil, coverImage: Data? = nil, coverImageName: String? = nil, data: String? = nil, operatorUserIds: [String]? = nil, customType: String? = nil)
    func copy(with zone: NSZone? = nil) -> Any
    func setOperators(_ operators: [User])
}

protocol OpenChannelDelegate: BaseChannelDelegate {
    func channel(_ channel: OpenChannel, didUpdatePoll event: PollUpdateEvent)  // has a default
    func channel(_ channel: OpenChannel, didVotePoll event: PollVoteEvent)  // has a default
    func channel(_ channel: OpenChannel, pollWasDeleted pollId: Int64)  // has a default
    func channel(_ channel: OpenChannel, userDidEnter user: User)  // has a default
    func channel(_ channel: OpenChannel, userDidExit user: User)  // has a default
    func channelDidChangeParticipantCount(_ channels: [OpenChannel])  // has a default
    func channelDidUpdatePinnedMessages(_ channel: OpenChannel)  // has a default
}

final class OpenChannelListQuery: NSObject {
    let params: OpenChannelListQueryParams
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    func loadNextPage(completionHandler: @escaping ([OpenChannel]?, SBError?) -> Void)
}

final class OpenChannelListQueryParams: NSObject, NSCopying {
    var channelNameFilter: String? { get set }
    var channelURLFilter: String? { get set }
    var customTypeFilter: String? { get set }
    var includeFrozenChannel: Bool { get set }
    var includeMetaData: Bool { get set }
    var limit: UInt { get set }
    override init()
    convenience init(builder: (OpenChannelListQueryParams) -> Void)
    func copy(with zone: NSZone? = nil) -> Any
}

final class OpenChannelUpdateParams: NSObject, NSCopying {
    var coverImage: Data? { get set }
    var coverURL: String? { get set }
    var customType: String? { get set }
    var data: String? { get set }
    var name: String? { get set }
    var operatorUserIds: [String]? { get set }
    override init()
    func copy(with zone: NSZone? = nil) -> Any
    func setOperators(_ operators: [User])
}

final class OperatorListQuery: NSObject {
    let params: OperatorListQueryParams
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    var limit: UInt { get set }
    func loadNextPage(completionHandler: @escaping ([User]?, SBError?) -> Void)
}

final class OperatorListQueryParams: NSObject, NSCopying {
    var limit: UInt { get set }
    override init()
    convenience init(builder: (OperatorListQueryParams) -> Void)
    func copy(with zone: NSZone? = nil) -> Any
}

final class Participant: User {
    var isMuted: Bool { get }
}

final class ParticipantListQuery: NSObject {
    let params: ParticipantListQueryParams
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    func loadNextPage(completionHandler: @escaping ([User]?, SBError?) -> Void)
}

final class ParticipantListQueryParams: NSObject, NSCopying {
    var limit: UInt { get set }
    override init()
    convenience init(builder: (ParticipantListQueryParams) -> Void)
    func copy(with zone: NSZone? = nil) -> Any
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

final class PinnedMessageListQueryParams: NSObject, NSCopying {
    var includeMetaArray: Bool { get set }
    var includeParentMessageInfo: Bool { get set }
    var includePollDetails: Bool { get set }
    var includeReactions: Bool { get set }
    var limit: UInt { get set }
    override init()
    convenience init(builder: (PinnedMessageListQueryParams) -> Void)
    func copy(with zone: NSZone? = nil) -> Any
}

final class Poll: NSObject {
    var allowMultipleVotes: Bool { get }
    var allowUserSuggestion: Bool { get }
    var closeAt: Int64 { get }
    var createdAt: Int64 { get }
    var createdBy: String? { get }
    override var hash: Int { get }
    var messageId: Int64 { get }
    var options: [PollOption] { get }
    var pollId: Int64 { get }
    var status: PollStatus { get }
    var title: String { get }
    var updatedAt: Int64 { get }
    var votedPollOptionIds: [Int64] { get }
    var voterCount: Int { get }
    class func build(fromSerializedData data: Data?) -> Poll?
    class func create(params: PollCreateParams, completionHandler: PollHandler?)
    class func get(params: PollRetrievalParams, completionHandler: PollHandler?)
    override func isEqual(_ object: Any?) -> Bool
    func serialize() -> Data?
}

final class PollCreateParams: NSObject, NSCopying {
    var allowMultipleVotes: Bool { get set }
    var allowUserSuggestion: Bool { get set }
    var closeAt: Int64 { get set }
    var optionTexts: [String] { get set }
    var title: String { get set }
    override init()
    convenience init(builder: (PollCreateParams) -> Void)
    func copy(with zone: NSZone? = nil) -> Any
}

final class PollListQuery: NSObject {
    let params: PollListQueryParams
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    var limit: UInt { get }
    func loadNextPage(completionHandler: @escaping PollListHandler)
}

final class PollListQueryParams: NSObject, NSCopying {
    var channelType: ChannelType { get set }
    var channelURL: String { get set }
    var limit: UInt { get set }
    override init()
    convenience init(builder: (PollListQueryParams) -> Void)
    func copy(with zone: NSZone? = nil) -> Any
}

final class PollOption: NSObject {
    let pollId: Int64
    var createdAt: Int64 { get }
    var createdBy: String? { get }
    var pollOptionId: Int64 { get }
    var text: String { get }
    var updatedAt: Int64 { get }
    var voteCount: Int { get }
}

final class PollRetrievalParams: NSObject, NSCopying {
    var channelType: ChannelType { get set }
    var channelURL: String { get set }
    var pollId: Int64 { get set }
    override init()
    convenience init(builder: (PollRetrievalParams) -> Void)
    func copy(with zone: NSZone? = nil) -> Any
}

enum PollStatus: Int, Sendable {
    case closed
    case open
    case removed
}

final class PollUpdateEvent: NSObject {
    let messageId: Int64
    let pollId: Int64
}

final class PollUpdateParams: NSObject, NSCopying {
    var allowMultipleVotes: Bool { get set }
    var allowUserSuggestion: Bool { get set }
    var closeAt: Int64 { get set }
    var title: String? { get set }
    override init()
    convenience init(builder: (PollUpdateParams) -> Void)
    func copy(with zone: NSZone? = nil) -> Any
}

final class PollVoteEvent: NSObject {
    let messageId: Int64
    var pollId: Int64 { get }
}

final class PollVoterListQuery: NSObject {
    let params: PollVoterListQueryParams
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    var limit: UInt { get }
    func loadNextPage(completionHandler: @escaping UserListHandler)
}

final class PollVoterListQueryParams: NSObject, NSCopying {
    var channelType: ChannelType { get set }
    var channelURL: String { get set }
    var limit: UInt { get set }
    var pollId: Int64 { get set }
    var pollOptionId: Int64 { get set }
    override init()
    convenience init(builder: (PollVoterListQueryParams) -> Void)
    func copy(with zone: NSZone? = nil) -> Any
}

final class PreviousMessageListQuery: NSObject {
    let params: PreviousMessageListQueryParams
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    var limit: UInt { get }
    func loadNextPage(completionHandler: MessageListHandler? = nil)
}

final class PreviousMessageListQueryParams: NSObject, NSCopying {
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
    func copy(with zone: NSZone? = nil) -> Any
}

enum PublicGroupChannelListOrder: Int, Sendable {
    case channelMetaDataValueAlphabetical
    case channelNameAlphabetical
    case chronological
}

final class PublicGroupChannelListQuery: NSObject {
    let params: PublicGroupChannelListQueryParams
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    var limit: UInt { get set }
    func loadNextPage(completionHandler: @escaping ([GroupChannel]?, SBError?) -> Void)
}

final class PublicGroupChannelListQueryParams: NSObject, NSCopying {
    var channelNameContainsFilter: String? { get set }
    var channelURLsFilter: [String]? { get set }
    var customTypeStartsWithFilter: String? { get set }
    var customTypesFilter: [String]? { get set }
    var includeEmptyChannel: Bool { get set }
    var includeFrozenChannel: Bool { get set }
    var includeMemberList: Bool { get set }
    var includeMetaData: Bool { get set }
    var limit: UInt { get set }
    var metaDataKeyFilter: String? { get set }
    var metaDataOrderKeyFilter: String? { get set }
    var metaDataValueStartsWithFilter: String? { get set }
    var metaDataValuesFilter: [String]? { get set }
    var order: PublicGroupChannelListOrder { get set }
    var publicMembershipFilter: PublicGroupChannelMembershipFilter { get set }
    var superChannelFilter: GroupChannelSuperChannelFilter { get set }
    override init()
    convenience init(builder: (PublicGroupChannelListQueryParams) -> Void)
    func copy(with zone: NSZone? = nil) -> Any
    func setMetaDataFilter(withKey key: String, values: [String])
}

enum PublicGroupChannelMembershipFilter: Int, Sendable {
    case all
    case joined
}

enum PushNotificationDeliveryOption: Int, Sendable {
    case `default`
    case suppress
}

enum PushTokenRegistrationStatus: Int, Sendable {
    case error
    case pending
    case success
}

enum PushTokenType: Int, Sendable {
    case APNS
    case APNSVoIP
    case GCM
    case none
}

enum PushTriggerOption: Int, Sendable {
    case all
    case mentionOnly
    case off
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

enum ReportCategory: CaseIterable, Int, Sendable {
    case harassing
    case inappropriate
    case spam
    case suspicious
}

final class ReportCategoryInfo: NSObject {
    let name: String
}

final class RestrictedUser: User {
    var restrictionInfo: RestrictionInfo? { get }
}

final class RestrictionInfo: NSObject {
    let desc: String?
    let endAt: Int64
    let restrictionType: RestrictionType
}

enum RestrictionType: Int, Sendable {
    case banned
    case muted
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

final class ScheduledFileMessageCreateParams: BaseMessageCreateParams {
    var file: Data? { get set }
    var fileName: String? { get set }
    var fileSize: UInt { get set }
    var fileURL: String? { get set }
    var message: String? { get set }
    var mimeType: String? { get set }
    var scheduledAt: Int64 { get set }
    var thumbnailSizes: [ThumbnailSize]? { get set }
    required init(from decoder: any Decoder) throws
    init(scheduledAt: Int64, file: Data)
    init(scheduledAt: Int64, fileURL: String)
    override func copy(with zone: NSZone? = nil) -> Any
}

final class ScheduledFileMessageUpdateParams: BaseMessageUpdateParams {
    var message: String? { get set }
    var scheduledAt: Int64 { get set }
    override init()
    override func copy(with zone: NSZone? = nil) -> Any
}

final class ScheduledInfo: NSObject {
    let scheduledAt: Int64
    let scheduledMessageId: Int64
    let scheduledStatus: ScheduledStatus
}

enum ScheduledMessageListOrder: Int, Sendable {
    case createdAt
    case scheduledAt
}

final class ScheduledMessageListQuery: NSObject {
    let params: ScheduledMessageListQueryParams
    var channelURL: String? { get }
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    var limit: UInt { get }
    func loadNextPage(completionHandler: @escaping MessageListHandler)
}

final class ScheduledMessageListQueryParams: NSObject, NSCopying {
    var limit: UInt { get set }
    var messageTypeFilter: MessageTypeFilter { get set }
    var order: ScheduledMessageListOrder { get set }
    var reverse: Bool { get set }
    var scheduledStatusOptions: [ScheduledStatus] { get set }
    override init()
    convenience init(builder: (ScheduledMessageListQueryParams) -> Void)
    func copy(with zone: NSZone? = nil) -> Any
}

final class ScheduledMessageRetrievalParams: NSObject, NSCopying {
    var channelURL: String { get set }
    var scheduledMessageId: Int64 { get set }
    init(channelURL: String, scheduledMessageId: Int64)
    func copy(with zone: NSZone? = nil) -> Any
}

enum ScheduledStatus: Int, Sendable {
    case canceled
    case failed
    case pending
    case sent
}

final class ScheduledUserMessageCreateParams: BaseMessageCreateParams {
    var mentionedMessageTemplate: String? { get set }
    var message: String { get set }
    var scheduledAt: Int64 { get set }
    var translationTargetLanguages: [String]? { get set }
    required init(from decoder: any Decoder) throws
    init(scheduledAt: Int64, message: String)
    override func copy(with zone: NSZone? = nil) -> Any
}

final class ScheduledUserMessageUpdateParams: BaseMessageUpdateParams {
    var mentionedMessageTemplate: String? { get set }
    var message: String? { get set }
    var scheduledAt: Int64 { get set }
    override init()
    override func copy(with zone: NSZone? = nil) -> Any
}

final class SendbirdChat: NSObject {
    class var backgroundSessionCompletionHandler: (() -> Void)? { get set }
    class var currentUser: User? { get }
    class var isInitialized: Bool { get }
    class var isLocalCachingEnabled: Bool { get }
    class func addChannelDelegate(_ delegate: any BaseChannelDelegate, identifier: String)
    class func addConnectionDelegate(_ delegate: any ConnectionDelegate, identifier: String)
    class func addExtension(_ key: String, version: String)
    class func addFriends(userIds: [String], completionHandler: (([User]?, SBError?) -> Void)? = nil)
    class func addUserEventDelegate(_ delegate: any UserEventDelegate, identifier: String)
    class func appMoved(toForeground isForeground: Bool)
    class func authenticate(userId: String, authToken: String? = nil, apiHost: String? = nil, authTokenType: AuthTokenType = .sessionToken, completionHandler: ((User?, SBError?) -> Void)? = nil)
    class func blockUser(_ user: User, completionHandler: ((User?, SBError?) -> Void)? = nil)
    class func blockUserId(_ userId: String, completionHandler: ((User?, SBError?) -> Void)? = nil)
    class func channelDelegate(forIdentifier identifier: String) -> (any BaseChannelDelegate)?
    class func clearCachedData(completionHandler: SBErrorHandler?)
    class func clearCachedMessages(channelURL: String, completionHandler: SBErrorHandler?)
    class func clearWeeklyDoNotDisturb(completionHandler: SBErrorHandler? = nil)
    class func connect(userId: String, authToken: String? = nil, apiHost: String? = nil, wsHost: String? = nil, completionHandler: ((User?, SBError?) -> Void)? = nil)
    class func connectionDelegate(forIdentifier identifier: String) -> (any ConnectionDelegate)?
    class func createApplicationUserListQuery() -> ApplicationUserListQuery
    class func createApplicationUserListQuery(params: ApplicationUserListQueryParams) -> ApplicationUserListQuery
    class func createApplicationUserListQuery(paramsBuilder: (ApplicationUserListQueryParams) -> Void) -> ApplicationUserListQuery
    class func createBlockedUserListQuery() -> BlockedUserListQuery
    class func createBlockedUserListQuery(params: BlockedUserListQueryParams) -> BlockedUserListQuery
    class func createBlockedUserListQuery(paramsBuilder: (BlockedUserListQueryParams) -> Void) -> BlockedUserListQuery
    class func createGroupChannelCollection(query: GroupChannelListQuery) -> GroupChannelCollection?
    class func createMessageCollection(channel: GroupChannel, startingPoint: Int64 = Int64.max, params: MessageListParams = MessageListParams()) -> MessageCollection
    class func createMessageSearchQuery(builder: (MessageSearchQueryParams) -> Void) -> MessageSearchQuery
    class func createMessageSearchQuery(params: MessageSearchQueryParams) -> MessageSearchQuery
    class func createPollListQuery(params: PollListQueryParams) -> PollListQuery
    class func createPollListQuery(paramsBuilder: (PollListQueryParams) -> Void) -> PollListQuery
    class func createPollVoterListQuery(params: PollVoterListQueryParams) -> PollVoterListQuery
    class func createPollVoterListQuery(paramsBuilder: (PollVoterListQueryParams) -> Void) -> PollVoterListQuery
    class func createScheduledMessageListQuery(channelURL: String? = nil) -> ScheduledMessageListQuery
    class func createScheduledMessageListQuery(channelURL: String? = nil, params: ScheduledMessageListQueryParams) -> ScheduledMessageListQuery
    class func createScheduledMessageListQuery(channelURL: String? = nil, paramsBuilder: (ScheduledMessageListQueryParams) -> Void) -> ScheduledMessageListQuery
    class func deleteFriend(userId: String, completionHandler: SBErrorHandler? = nil)
    class func deleteFriends(userIds: [String], completionHandler: SBErrorHandler? = nil)
    class func disconnect(completionHandler: (() -> Void)? = nil)
    class func disconnectWebSocket(completionHandler: (() -> Void)? = nil)
    class func executeOrWaitForInitialization(executeHandler: @escaping () -> Void)
    class func getAppInfo() -> AppInfo?
    class func getApplicationId() -> String?
    class func getCachedDataSize() -> Int
    class func getChannelInvitationPreferenceAutoAccept(completionHandler: ((Bool, SBError?) -> Void)? = nil)
    class func getConnectState() -> WebSocketConnectionState
    class func getCurrentUser() -> User?
    class func getDoNotDisturb(completionHandler: ((Bool, Int, Int, Int, Int, String, SBError?) -> Void)? = nil)
    class func getGroupChannelCount(memberStateFilter: MemberStateFilter, completionHandler: @escaping (UInt, SBError?) -> Void)
    class func getLastConnectedAt() -> Int64
    class func getLogLevel() -> LogLevel
    class func getMultipleFilesMessageFileCountLimit() -> Int
    class func getMyGroupChannelChangeLogs(timestamp: Int64, params: GroupChannelChangeLogsParams = GroupChannelChangeLogsParams(), completionHandler: (([GroupChannel]?, [String]?, Bool, String?, SBError?) -> Void)?)
    class func getMyGroupChannelChangeLogs(token: String?, params: GroupChannelChangeLogsParams = GroupChannelChangeLogsParams(), completionHandler: (([GroupChannel]?, [String]?, Bool, String?, SBError?) -> Void)?)
    class func getMyPushTokens(token: String?, pushTokenType: PushTokenType, completionHandler: @escaping GetPushTokensHandler)
    class func getPendingPushToken() -> Data?
    class func getPushSound(completionHandler: ((String?, SBError?) -> Void)? = nil)
    class func getPushTemplate(completionHandler: ((String?, SBError?) -> Void)? = nil)
    class func getPushTriggerOption(completionHandler: @escaping PushTriggerOptionHandler)
    class func getReportCategoryInfoList(completionHandler: ReportCategoryInfoListHandler? = nil)
    class func getSDKVersion() -> String
    class func getSnoozePeriod(_ completionHandler: @escaping (Bool, Int64, Int64, SBError?) -> Void)
    class func getSubscribedTotalUnreadMessageCount() -> Int
    class func getTotalScheduledMessageCount(params: TotalScheduledMessageCountParams, completionHandler: CountHandler?)
    class func getTotalUnreadChannelCount(completionHandler: @escaping (UInt, SBError?) -> Void)
    class func getTotalUnreadChannelCount(params: GroupChannelTotalUnreadChannelCountParams, completionHandler: @escaping (UInt, SBError?) -> Void)
    class func getTotalUnreadMessageCount(completionHandler: @escaping (UInt, SBError?) -> Void)
    class func getTotalUnreadMessageCount(params: GroupChannelTotalUnreadMessageCountParams, completionHandler: @escaping (UInt, SBError?) -> Void)
    class func getUnreadItemCount(key: UnreadItemKey, completionHandler: @escaping (UnreadItemCount?, SBError?) -> Void)
    class func getWeeklyDoNotDisturb(completionHandler: @escaping (DndSchedule?, TimeZone?, SBError?) -> Void)
    @discardableResult class func initialize(params: InitParams, completionHandler: SBErrorHandler? = nil) -> Bool
    @discardableResult class func initialize(params: InitParams, migrationStartHandler: (() -> Void)?, completionHandler: SBErrorHandler? = nil) -> Bool
    @discardableResult class func initializeSynchronously(params: InitParams) -> Bool
    class func markAsDelivered(remoteNotificationPayload: [AnyHashable: Any], completionHandler: SBErrorHandler? = nil)
    class func markAsRead(channelURLs: [String], completionHandler: SBErrorHandler? = nil)
    class func markAsReadAll(completionHandler: SBErrorHandler? = nil)
    class func markPushNotificationAsClicked(apiHost: String?, remoteNotificationPayload: [AnyHashable: Any], completionHandler: SBErrorHandler? = nil)
    class func markPushNotificationAsClicked(remoteNotificationPayload: [AnyHashable: Any], completionHandler: SBErrorHandler? = nil)
    class func markPushNotificationAsDelivered(apiHost: String?, remoteNotificationPayload: [AnyHashable: Any], completionHandler: SBErrorHandler? = nil)
    class func markPushNotificationAsDelivered(remoteNotificationPayload: [AnyHashable: Any], completionHandler: SBErrorHandler? = nil)
    class func networkChanged(isUp: Bool)
    @discardableResult class func reconnect() -> Bool
    class func registerDevicePushToken(_ devToken: Data, unique: Bool, completionHandler: ((PushTokenRegistrationStatus, SBError?) -> Void)? = nil)
    class func registerDevicePushTokenForMultiDevicePush(_ devToken: Data, completionHandler: ((PushTokenRegistrationStatus, SBError?) -> Void)? = nil)
    class func removeAllChannelDelegates()
    class func removeAllConnectionDelegates()
    class func removeAllUserEventDelegates()
    class func removeChannelDelegate(forIdentifier identifier: String)
    class func removeConnectionDelegate(forIdentifier identifier: String)
    class func removeSessionDelegate()
    class func removeUserEventDelegate(forIdentifier identifier: String)
    class func setAppGroup(_ appGroup: String)
    class func setAppVersion(version: String?)
    class func setChannelInvitationPreference(autoAccept: Bool, completionHandler: SBErrorHandler? = nil)
    class func setCompletionHandlerDelegateQueue(_ queue: DispatchQueue?)
    class func setDoNotDisturb(enable: Bool, startHour: Int32, startMin: Int32, endHour: Int32, endMin: Int32, timezone: String, completionHandler: SBErrorHandler? = nil)
    class func setLogLevel(_ logLevel: LogLevel)
    class func setNetworkAwarenessReconnection(_ isOn: Bool)
    class func setPushSound(_ sound: String, completionHandler: SBErrorHandler? = nil)
    class func setPushTemplate(name: String, completionHandler: SBErrorHandler? = nil)
    class func setPushTriggerOption(_ pushTriggerOption: PushTriggerOption, completionHandler: SBErrorHandler? = nil)
    class func setSessionDelegate(_ delegate: any SessionDelegate)
    class func setSessionTokenRefreshTimeout(_ timeout: Int)
    class func setSharedContainerIdentifier(_ identifier: String)
    class func setSnoozePeriod(enabled: Bool, startTimestamp: Int64, endTimestamp: Int64, completionHandler: SBErrorHandler? = nil)
    class func setWeeklyDoNotDisturb(schedules: DndSchedule, timezone: TimeZone = .current, completionHandler: SBErrorHandler? = nil)
    class func unblockUser(_ user: User, completionHandler: SBErrorHandler? = nil)
    class func unblockUserId(_ userId: String, completionHandler: SBErrorHandler? = nil)
    class func unregisterAllPushToken(completionHandler: SBErrorHandler? = nil)
    class func unregisterPushToken(_ devToken: Data, completionHandler: SBErrorHandler? = nil)
    class func updateCurrentUserInfo(params: UserUpdateParams, progressHandler: ProgressHandler? = nil, completionHandler: SBErrorHandler? = nil)
    class func updateCurrentUserInfo(preferredLanguages: [String], completionHandler: SBErrorHandler? = nil)
    class func userEventDelegate(forIdentifier identifier: String) -> (any UserEventDelegate)?

    enum PushTemplate {
        static let alternative: String
        static let `default`: String
    }
}

final class SendbirdChatOptions: NSObject {
    class func getConnectionTimeout() -> TimeInterval
    class func getFileTransferTimeout() -> TimeInterval
    class func getTypingIndicatorInvalidateTimeout() -> TimeInterval
    class func getTypingIndicatorThrottle() -> TimeInterval
    class func getWebSocketResponseTimeout() -> TimeInterval
    class func includePollDetails() -> Bool
    class func setConnectionTimeout(_ timeout: Int)
    class func setFileTransferTimeout(_ timeout: Int)
    class func setIncludePollDetails(_ isOn: Bool)
    class func setMemberInfoInMessage(_ isOn: Bool)
    class func setSessionTokenRefreshTimeout(_ timeout: Int)
    class func setTypingIndicatorInvalidateTimeout(_ timeout: TimeInterval)
    class func setTypingIndicatorThrottle(_ interval: TimeInterval)
    class func setWebSocketResponseTimeout(_ timeout: Int)
    class func useMemberInfoInMessage() -> Bool
}

final class SendbirdLogger: NSObject {
    class func setLevel(_ level: LogLevel)
    class func setLevel(_ level: LogLevel, for part: Part)

    enum Part: Int, Sendable {
        case chat
    }
}

final class Sender: User {
    var isBlockedByMe: Bool { get }
    var role: Role { get }
}

protocol SessionDelegate: AnyObject {
    func sessionDidHaveError(_ error: SBError)  // has a default
    func sessionTokenDidRequire(successCompletion success: @escaping (String?) -> Void, failCompletion fail: @escaping () -> Void)
    func sessionWasClosed()
    func sessionWasRefreshed()  // has a default
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

final class TotalScheduledMessageCountParams: NSObject, NSCopying {
    var channelURL: String? { get set }
    var scheduledStatusOptions: [ScheduledStatus] { get set }
    override init()
    func copy(with zone: NSZone? = nil) -> Any
}

enum UnreadChannelFilter: Codable, Int, Sendable {
    case all
    case unreadMessage
}

final class UnreadItemCount: NSObject {
    let groupChannelInvitationCount: UInt
    let groupChannelUnreadMentionCount: UInt
    let groupChannelUnreadMessageCount: UInt
}

struct UnreadItemKey: OptionSet, Sendable {
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

final class UnreadMessageCount: NSObject {
    let feedChannelCount: UInt
    let groupChannelCount: UInt
}

final class UploadableFileInfo: NSObject {
    var file: Data? { get }
    var fileName: String? { get set }
    var fileSize: UInt { get set }
    var fileURL: String? { get }
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

open class User: NSObject, Codable, Identifiable {
    var connectionStatus: UserConnectionStatus { get }
    var friendDiscoveryKey: String? { get }
    var friendName: String? { get }
    open override var hash: Int { get }
    var id: String { get }
    var isActive: Bool { get }
    var isBot: Bool { get }
    var lastSeenAt: Int64 { get }
    var metaData: [String: String]? { get }
    var nickname: String { get }
    var originalProfileURL: String? { get }
    var plainProfileImageURL: String? { get }
    var preferredLanguages: [String]? { get }
    var profileURL: String? { get }
    var userId: String { get }
    required init(from decoder: any Decoder) throws
    class func build(fromSerializedData data: Data?) -> Self?
    func createMetaData(_ metaData: [String: String], completionHandler: (([String: String]?, SBError?) -> Void)? = nil)
    func deleteAllMetaData(completionHandler: SBErrorHandler? = nil)
    func deleteMetaData(key: String, completionHandler: SBErrorHandler? = nil)
    open func encode(to encoder: any Encoder) throws
    open override func isEqual(_ object: Any?) -> Bool
    func serialize() -> Data?
    func updateMetaData(_ metaData: [String: String], completionHandler: (([String: String]?, SBError?) -> Void)? = nil)
}

enum UserConnectionStatus: Int, Sendable {
    case nonAvailable
    case offline
    case online
}

protocol UserEventDelegate: AnyObject {
    func didDiscoverFriends(_ friends: [User]?)  // has a default
    func didUpdateTotalUnreadMessageCount(_ totalCount: Int32, totalCountByCustomType: [String: Int]?)  // has a default
    func didUpdateTotalUnreadMessageCount(unreadMessageCount: UnreadMessageCount)  // has a default
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
    required init(from decoder: any Decoder) throws
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

final class UserUpdateParams: NSObject, NSCopying {
    var nickname: String? { get set }
    var profileImageData: Data? { get set }
    var profileImageURL: String? { get set }
    override init()
    func copy(with zone: NSZone? = nil) -> Any
}

enum WebSocketConnectionState: Int, Sendable {
    case closed
    case connecting
    case open
}
