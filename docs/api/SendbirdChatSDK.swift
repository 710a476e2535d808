// The public declarations of `SendbirdChatSDK`: written by scripts/public-api, not to be edited.

typealias BaseMessageHandler = (BaseMessage?, SBError?) -> Void

typealias DndSchedule = [DayOfWeek: [DndTimeWindow]]

typealias FileMessageHandler = (FileMessage?, SBError?) -> Void

typealias GroupChannelHandler = (GroupChannel?, SBError?) -> Void

typealias ProgressHandler = (_ bytesSent: Int64, _ totalBytesSent: Int64, _ totalBytesExpectedToSend: Int64) -> Void

typealias SBErrorHandler = (SBError?) -> Void

typealias UserMessageHandler = (UserMessage?, SBError?) -> Void

final class AdminMessage: BaseMessage {}

final class AppInfo: NSObject {
    let applicationAttributes: [String]?
    let emojiHash: String
    let premiumFeatureList: [String]?
    let uploadSizeLimit: Int64
    let useReaction: Bool
    func isEmojiUpdateNeeded(prevEmojiHash: String) -> Bool
}

final class ApplicationUserListQuery: NSObject {
    let params: ApplicationUserListQueryParams
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    var limit: UInt { get set }
    func loadNextPage(completionHandler: @escaping ([User]?, SBError?) -> Void)
}

final class ApplicationUserListQueryParams: NSObject {
    var limit: UInt { get set }
    var nicknameStartsWithFilter: String? { get set }
    var userIdsFilter: [String]? { get set }
    override init()
    convenience init(builder: (ApplicationUserListQueryParams) -> Void)
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

final class BannedUserListQueryParams: NSObject {
    var limit: UInt { get set }
    override init()
    convenience init(builder: (BannedUserListQueryParams) -> Void)
}

open class BaseChannel: NSObject, Identifiable {
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
    func addOperators(userIds: [String], completionHandler: SBErrorHandler? = nil)
    func banUser(_ user: User, seconds: Int, description: String?, completionHandler: SBErrorHandler? = nil)
    func banUser(userId: String, seconds: Int, description: String?, completionHandler: SBErrorHandler? = nil)
    class func build(fromSerializedData data: Data?) -> Self?
    func createBannedUserListQuery() -> BannedUserListQuery?
    class func createBannedUserListQuery(channelType: ChannelType, channelURL: String) -> BannedUserListQuery
    class func createBannedUserListQuery(channelType: ChannelType, channelURL: String, params: BannedUserListQueryParams) -> BannedUserListQuery
    class func createBannedUserListQuery(channelType: ChannelType, channelURL: String, paramsBuilder: (BannedUserListQueryParams) -> Void) -> BannedUserListQuery
    func createBannedUserListQuery(params: BannedUserListQueryParams) -> BannedUserListQuery?
    func createBannedUserListQuery(paramsBuilder: (BannedUserListQueryParams) -> Void) -> BannedUserListQuery?
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
    func decreaseMetaCounters(_ metaCounters: [String: Int], completionHandler: (([String: Int]?, SBError?) -> Void)? = nil)
    func deleteAllMetaCounters(completionHandler: SBErrorHandler? = nil)
    func deleteAllMetaData(completionHandler: SBErrorHandler? = nil)
    func deleteMetaCounters(key: String, completionHandler: SBErrorHandler? = nil)
    func deleteMetaData(key: String, completionHandler: SBErrorHandler? = nil)
    func getAllMetaCounters(completionHandler: (([String: Int]?, SBError?) -> Void)? = nil)
    func getAllMetaData(completionHandler: (([String: String]?, SBError?) -> Void)? = nil)
    func getCachedMetaData() -> [String: String]
    func getMetaCounters(keys: [String]?, completionHandler: (([String: Int]?, SBError?) -> Void)? = nil)
    func getMetaData(keys: [String], completionHandler: (([String: String]?, SBError?) -> Void)? = nil)
    func getMyMutedInfo(completionHandler: ((Bool, String, Int64, Int64, Int64, SBError?) -> Void)? = nil)
    func increaseMetaCounters(_ metaCounters: [String: Int], completionHandler: (([String: Int]?, SBError?) -> Void)? = nil)
    open override func isEqual(_ object: Any?) -> Bool
    func isGroupChannel() -> Bool
    func isOpenChannel() -> Bool
    func muteUser(_ user: User, seconds: Int, description: String?, completionHandler: SBErrorHandler? = nil)
    func muteUser(userId: String, seconds: Int, description: String?, completionHandler: SBErrorHandler? = nil)
    func removeAllOperators(completionHandler: SBErrorHandler? = nil)
    func removeOperators(userIds: [String], completionHandler: SBErrorHandler? = nil)
    func report(category: ReportCategory, reportDescription: String?, completionHandler: SBErrorHandler? = nil)
    func report(message: BaseMessage, reportCategory: ReportCategory, reportDescription: String?, completionHandler: SBErrorHandler? = nil)
    func report(offendingUser: User, reportCategory: ReportCategory, reportDescription: String?, completionHandler: SBErrorHandler? = nil)
    func report(reportCategoryInfo: ReportCategoryInfo, reportDescription: String?, completionHandler: SBErrorHandler? = nil)
    func reportMessage(_ message: BaseMessage, reportCategoryInfo: ReportCategoryInfo, reportDescription: String?, completionHandler: SBErrorHandler? = nil)
    func reportUser(_ offendingUser: User, reportCategoryInfo: ReportCategoryInfo, reportDescription: String?, completionHandler: SBErrorHandler? = nil)
    func serialize() -> Data?
    func unbanUser(_ user: User, completionHandler: SBErrorHandler? = nil)
    func unbanUser(userId: String, completionHandler: SBErrorHandler? = nil)
    func unmuteUser(_ user: User, completionHandler: SBErrorHandler? = nil)
    func unmuteUser(userId: String, completionHandler: SBErrorHandler? = nil)
    func updateMetaCounters(_ metaCounters: [String: Int], completionHandler: (([String: Int]?, SBError?) -> Void)? = nil)
    func updateMetaData(_ metaData: [String: String], completionHandler: (([String: String]?, SBError?) -> Void)? = nil)
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

class BaseMessage: NSObject {
    var channelType: ChannelType { get }
    var channelURL: String { get }
    var createdAt: Int64 { get }
    var customType: String? { get }
    var data: String { get }
    var errorCode: Int { get }
    override var hash: Int { get }
    var isOperatorMessage: Bool { get }
    var isReplyToChannel: Bool { get }
    var isSilent: Bool { get }
    var mentionType: MentionType { get }
    var mentionedUserIds: [String] { get }
    var mentionedUsers: [User] { get }
    var message: String { get }
    var messageId: Int64 { get }
    var messageParams: BaseMessageCreateParams? { get }
    var metaArrays: [MessageMetaArray] { get }
    var parentMessageId: Int64 { get }
    var reactions: [Reaction] { get }
    var requestId: String { get }
    var sender: Sender? { get }
    var sendingStatus: MessageSendingStatus { get }
    var updatedAt: Int64 { get }
    class func build(fromSerializedData data: Data) -> Self?
    override func isEqual(_ object: Any?) -> Bool
    func serialize() -> Data?
}

class BaseMessageCreateParams: NSObject {
    var customType: String? { get set }
    var data: String? { get set }
    var isReplyToChannel: Bool { get set }
    var isSilent: Bool { get set }
    var mentionType: MentionType { get set }
    var mentionedUserIds: [String] { get set }
    var metaArrays: [MessageMetaArray]? { get set }
    var parentMessageId: Int64 { get set }
}

final class BlockedUserListQuery: NSObject {
    let params: BlockedUserListQueryParams
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    var limit: UInt { get set }
    func loadNextPage(completionHandler: @escaping ([User]?, SBError?) -> Void)
}

final class BlockedUserListQueryParams: NSObject {
    var limit: UInt { get set }
    var userIdsFilter: [String] { get set }
    override init()
    convenience init(builder: (BlockedUserListQueryParams) -> Void)
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
    let source: CollectionEventSource
}

enum ChannelHiddenStateFilter: Int, Sendable {
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

enum ChatError: Int, Sendable {
    case ackTimeout = 800180
    case collectionDisposed = 800600
    case connectionCanceled = 800102
    case connectionRequired = 800101
    case fileSizeLimitExceeded = 800260
    case fileUploadCancelFailed = 800230
    case fileUploadCanceled = 800240
    case fileUploadTimeout = 800250
    case invalidInitialization = 800100
    case invalidParameter = 800110
    case localDatabaseError = 800700
    case loginTimeout = 800190
    case malformedData = 800130
    case malformedErrorData = 800140
    case markAsReadRateLimitExceeded = 800160
    case networkError = 800120
    case networkRoutingError = 800121
    case pendingError = 800400
    case queryInProgress = 800170
    case requestFailed = 800220
    case webSocketConnectionClosed = 800200
    case webSocketConnectionFailed = 800210
    case wrongChannelType = 800150
}

enum CollectionEventSource: CaseIterable, Int, Sendable {
    case answer
    case cache
    case catchUp
    case changeLog
    case event
    case localAction
    case otherProcess
    case page
    case upkeep
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

final class FileMessage: BaseMessage {
    override var messageParams: BaseMessageCreateParams? { get }
    var name: String { get }
    var plainURL: String { get }
    var size: UInt { get }
    var type: String { get }
    var url: String { get }
}

final class FileMessageCreateParams: BaseMessageCreateParams {
    var file: Data? { get set }
    var fileName: String? { get set }
    var fileSize: UInt? { get set }
    var fileURL: String? { get set }
    var mimeType: String? { get set }
    init(file: Data)
    init(fileURL: String)
}

open class GroupChannel: BaseChannel {
    typealias MessageChangeLogsHandler = (_ updatedMessages: [BaseMessage]?, _ deletedMessageIds: [Int64]?, _ hasMore: Bool, _ token: String?, _ error: SBError?) -> Void
    var hasAIBot: Bool { get }
    var hasBot: Bool { get }
    var hiddenState: GroupChannelHiddenState { get }
    var invitedAt: Int64 { get }
    var inviter: User? { get }
    var isAccessCodeRequired: Bool { get }
    var isBroadcast: Bool { get }
    var isChatNotification: Bool { get }
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
    var unreadMessageCount: UInt { get }
    func acceptInvitation(accessCode: String?, completionHandler: SBErrorHandler? = nil)
    func acceptInvitation(completionHandler: SBErrorHandler? = nil)
    func addReaction(with message: BaseMessage, key: String, completionHandler: ((ReactionEvent?, SBError?) -> Void)? = nil)
    func cancelPendingMessage(requestId: String, completionHandler: SBErrorHandler? = nil)
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
    func declineInvitation(completionHandler: SBErrorHandler? = nil)
    func delete(completionHandler: SBErrorHandler? = nil)
    func deleteMessage(_ message: BaseMessage, completionHandler: SBErrorHandler? = nil)
    func deleteMessage(messageId: Int64, completionHandler: SBErrorHandler? = nil)
    func deleteReaction(with message: BaseMessage, key: String, completionHandler: ((ReactionEvent?, SBError?) -> Void)? = nil)
    func endTyping()
    func freeze(completionHandler: SBErrorHandler? = nil)
    class func getChannel(url: String, completionHandler: GroupChannelHandler?)
    func getDeliveryStatus(includeAllMembers: Bool) -> [String: [String: Any]]
    func getInviter() -> User?
    func getMember(_ userId: String) -> Member?
    func getMessageChangeLogs(sinceTimestamp timestamp: Int64, params: MessageChangeLogsParams, completionHandler: MessageChangeLogsHandler?)
    func getMessageChangeLogs(sinceToken token: String?, params: MessageChangeLogsParams, completionHandler: MessageChangeLogsHandler?)
    func getMessagesByTimestamp(_ timestamp: Int64, params: MessageListParams, completionHandler: (([BaseMessage]?, SBError?) -> Void)?)
    func getMyPushTriggerOption(completionHandler: ((GroupChannelPushTriggerOption, SBError?) -> Void)? = nil)
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
    @discardableResult func resendFileMessage(_ message: FileMessage, completionHandler: FileMessageHandler? = nil) -> FileMessage
    @discardableResult func resendUserMessage(_ message: UserMessage, completionHandler: UserMessageHandler? = nil) -> UserMessage
    func resetMyHistory(completionHandler: SBErrorHandler? = nil)
    @discardableResult func sendFileMessage(params: FileMessageCreateParams, completionHandler: FileMessageHandler? = nil) -> FileMessage
    @discardableResult func sendFileMessage(params: FileMessageCreateParams, progressHandler: ProgressHandler?, completionHandler: FileMessageHandler? = nil) -> FileMessage
    @discardableResult func sendUserMessage(_ message: String, completionHandler: UserMessageHandler? = nil) -> UserMessage
    @discardableResult func sendUserMessage(params: UserMessageCreateParams, completionHandler: UserMessageHandler? = nil) -> UserMessage
    func setMyCountPreference(_ preference: CountPreference, completionHandler: SBErrorHandler? = nil)
    func setMyPushTriggerOption(_ pushTriggerOption: GroupChannelPushTriggerOption, completionHandler: SBErrorHandler? = nil)
    func startTyping()
    func unfreeze(completionHandler: SBErrorHandler? = nil)
    func unhide(completionHandler: SBErrorHandler? = nil)
    func update(params: GroupChannelUpdateParams, completionHandler: GroupChannelHandler? = nil)
    func update(params: GroupChannelUpdateParams, progressHandler: ProgressHandler?, completionHandler: GroupChannelHandler? = nil)
    func updateUserMessage(messageId: Int64, params: UserMessageUpdateParams, completionHandler: UserMessageHandler? = nil)
}

final class GroupChannelChangeLogsParams: NSObject {
    var customTypes: [String] { get set }
    var includeEmptyChannel: Bool { get set }
    var includeFrozenChannel: Bool { get set }
    override init()
    class func create(query: GroupChannelListQuery) -> GroupChannelChangeLogsParams
}

final class GroupChannelCollection: NSObject {
    let query: GroupChannelListQuery
    var channelList: [GroupChannel] { get }
    weak var delegate: (any GroupChannelCollectionDelegate)? { get set }
    var hasNext: Bool { get }
    func dispose()
    func loadMore(completionHandler: (([GroupChannel]?, SBError?) -> Void)? = nil)
}

protocol GroupChannelCollectionDelegate: AnyObject {
    func channelCollection(_ collection: GroupChannelCollection, context: ChannelContext, addedChannels channels: [GroupChannel])  // has a default
    func channelCollection(_ collection: GroupChannelCollection, context: ChannelContext, deletedChannelURLs: [String])  // has a default
    func channelCollection(_ collection: GroupChannelCollection, context: ChannelContext, updatedChannels channels: [GroupChannel])  // has a default
}

final class GroupChannelCreateParams: NSObject {
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

enum GroupChannelListOrder: Int, Sendable {
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
    func copy(with zone: NSZone? = nil) -> Any
    func loadNextPage(completionHandler: @escaping ([GroupChannel]?, SBError?) -> Void)
}

final class GroupChannelListQueryParams: NSObject, NSCopying {
    var channelHiddenStateFilter: ChannelHiddenStateFilter { get set }
    var channelNameContainsFilter: String? { get set }
    var channelURLsFilter: [String]? { get set }
    var createdAfter: Int64? { get set }
    var createdBefore: Int64? { get set }
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

enum GroupChannelListQueryType: Int, Sendable {
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

enum GroupChannelPublicChannelFilter: Int, Sendable {
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

enum GroupChannelSuperChannelFilter: Int, Sendable {
    case all
    case broadcastOnly
    case exclusiveOnly
    case nonSuper
    case `super`
}

final class GroupChannelTotalUnreadChannelCountParams: NSObject {
    var channelCustomTypesFilter: [String]? { get set }
    var superChannelFilter: GroupChannelSuperChannelFilter { get set }
    override init()
}

final class GroupChannelTotalUnreadMessageCountParams: NSObject {
    var channelCustomTypesFilter: [String]? { get set }
    var superChannelFilter: GroupChannelSuperChannelFilter { get set }
    override init()
}

final class GroupChannelUpdateParams: NSObject {
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
    func setOperators(_ operators: [User])
}

final class InitParams: NSObject {
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
}

final class LocalCacheConfig: NSObject {
    var clearOrder: CachedDataClearOrder { get set }
    var customClearOrderComparator: ((CachedBaseChannelInfo, CachedBaseChannelInfo) -> ComparisonResult)? { get set }
    var enableAutoResend: Bool { get }
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

final class MemberListQueryParams: NSObject {
    var limit: UInt { get set }
    var memberStateFilter: MemberStateFilter { get set }
    var mutedMemberFilter: GroupChannelMutedMemberFilter { get set }
    var nicknameStartsWithFilter: String? { get set }
    var operatorFilter: GroupChannelOperatorFilter { get set }
    var order: MemberListOrder { get set }
    override init()
    convenience init(builder: (MemberListQueryParams) -> Void)
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

final class MessageChangeLogsParams: NSObject {
    var replyType: ReplyType { get set }
    override init()
}

final class MessageCollection: NSObject {
    let startingPoint: Int64
    var channel: GroupChannel { get }
    weak var delegate: (any MessageCollectionDelegate)? { get set }
    var failedMessages: [BaseMessage] { get }
    var hasNext: Bool { get }
    var hasPrevious: Bool { get }
    var pendingMessages: [BaseMessage] { get }
    var succeededMessages: [BaseMessage] { get }
    func dispose()
    func loadNext(completionHandler: (([BaseMessage]?, SBError?) -> Void)? = nil)
    func loadPrevious(completionHandler: (([BaseMessage]?, SBError?) -> Void)? = nil)
    func startCollection(initPolicy: MessageCollectionInitPolicy, cacheResultHandler: (([BaseMessage]?, SBError?) -> Void)? = nil, apiResultHandler: (([BaseMessage]?, SBError?) -> Void)? = nil)
}

protocol MessageCollectionDelegate: AnyObject {
    func didDetectHugeGap(_ collection: MessageCollection)  // has a default
    func didHugeGapDetected(_ collection: MessageCollection)  // has a default
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
}

class MessageListParams: NSObject {
    var customTypes: [String] { get set }
    var includeMetaArray: Bool { get set }
    var includeParentMessageInfo: Bool { get set }
    var includeReactions: Bool { get set }
    var includeThreadInfo: Bool { get set }
    var isInclusive: Bool { get set }
    var messageTypeFilter: MessageTypeFilter { get set }
    var nextResultSize: Int { get set }
    var previousResultSize: Int { get set }
    var replyType: ReplyType { get set }
    var reverse: Bool { get set }
    var senderUserIds: [String] { get set }
    override init()
}

final class MessageMetaArray: NSObject {
    let key: String
    let value: [String]
    init(key: String, value: [String])
}

enum MessageSendingStatus: Int, Sendable {
    case canceled
    case failed
    case none
    case pending
    case succeeded
}

enum MessageTypeFilter: Int, Sendable {
    case admin
    case all
    case file
    case user
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

final class MutedUserListQueryParams: NSObject {
    var limit: UInt { get set }
    override init()
    convenience init(builder: (MutedUserListQueryParams) -> Void)
}

enum MyMemberStateFilter: Int, Sendable {
    case all
    case invitedByFriend
    case invitedByNonFriend
    case invitedOnly
    case joinedOnly
}

open class OpenChannel: BaseChannel {
    override var channelType: ChannelType { get }
    var operators: [User]? { get }
    var participantCount: Int { get }
    open override class func build(fromSerializedData data: Data?) -> Self?
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
    func delete(completionHandler: SBErrorHandler?)
    func enter(completionHandler: SBErrorHandler?)
    func exit(completionHandler: SBErrorHandler?)
    class func getChannel(url: String, completionHandler: ((OpenChannel?, SBError?) -> Void)?)
    func isOperator(user: User) -> Bool
    func isOperator(userId: String) -> Bool
    func refresh(completionHandler: SBErrorHandler?)
    func update(params: OpenChannelUpdateParams, completionHandler: ((OpenChannel?, SBError?) -> Void)?)
}

final class OpenChannelCreateParams: NSObject {
    var channelURL: String? { get set }
    var coverImage: Data? { get set }
    var coverImageName: String? { get set }
    var coverURL: String? { get set }
    var customType: String? { get set }
    var data: String? { get set }
    var name: String? { get set }
    var operatorUserIds: [String]? { get set }
    init(name: String? = nil, channelURL: String? = nil, coverURL: String? = nil, coverImage: Data? = nil, coverImageName: String? = nil, data: String? = nil, operatorUserIds: [String]? = nil, customType: String? = nil)
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
    let hasNext: Bool
    let isLoading: Bool
    let params: OpenChannelListQueryParams
    func loadNextPage(completionHandler: @escaping ([OpenChannel]?, SBError?) -> Void)
}

final class OpenChannelListQueryParams: NSObject {
    var channelNameFilter: String? { get set }
    var channelURLFilter: String? { get set }
    var customTypeFilter: String? { get set }
    var includeFrozenChannel: Bool { get set }
    var includeMetaData: Bool { get set }
    var limit: UInt { get set }
    override init()
    convenience init(builder: (OpenChannelListQueryParams) -> Void)
}

final class OpenChannelUpdateParams: NSObject {
    var coverImage: Data? { get set }
    var coverURL: String? { get set }
    var customType: String? { get set }
    var data: String? { get set }
    var name: String? { get set }
    var operatorUserIds: [String]? { get set }
    override init()
    func setOperators(_ operators: [User])
}

final class OperatorListQuery: NSObject {
    let params: OperatorListQueryParams
    var hasNext: Bool { get }
    var isLoading: Bool { get }
    var limit: UInt { get set }
    func loadNextPage(completionHandler: @escaping ([User]?, SBError?) -> Void)
}

final class OperatorListQueryParams: NSObject {
    var limit: UInt { get set }
    override init()
    convenience init(builder: (OperatorListQueryParams) -> Void)
}

final class Participant: User {
    var isMuted: Bool { get }
}

final class ParticipantListQuery: NSObject {
    let hasNext: Bool
    let isLoading: Bool
    let params: ParticipantListQueryParams
    func loadNextPage(completionHandler: @escaping ([User]?, SBError?) -> Void)
}

final class ParticipantListQueryParams: NSObject {
    var limit: UInt { get set }
    override init()
    convenience init(builder: (ParticipantListQueryParams) -> Void)
}

final class PollUpdateEvent: NSObject {
    let messageId: Int64
    let pollId: Int64
}

final class PollVoteEvent: NSObject {
    let messageId: Int64
    let pollId: Int64
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

final class PublicGroupChannelListQueryParams: NSObject {
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
    func setMetaDataFilter(withKey key: String, values: [String])
}

enum PublicGroupChannelMembershipFilter: Int, Sendable {
    case all
    case joined
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
    let key: String
    let updatedAt: Int64
    let userIds: [String]
}

final class ReactionEvent: NSObject {
    let key: String
    let messageId: Int64
    let operation: Operation
    let userId: String

    enum Operation: Int, Sendable {
        case add
        case delete
    }
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
}

final class SendbirdChat: NSObject {
    typealias ChannelChangeLogsHandler = (_ updatedChannels: [GroupChannel]?, _ deletedChannelURLs: [String]?, _ hasMore: Bool, _ token: String?, _ error: SBError?) -> Void
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
    class func deleteFriend(userId: String, completionHandler: SBErrorHandler? = nil)
    class func deleteFriends(userIds: [String], completionHandler: SBErrorHandler? = nil)
    class func disconnect(completionHandler: (() -> Void)? = nil)
    class func disconnectWebSocket(completionHandler: (() -> Void)? = nil)
    class func executeOrWaitForInitialization(executeHandler: @escaping () -> Void)
    class func getAppInfo() -> AppInfo?
    class func getApplicationId() -> String?
    class func getCachedDataSize() -> Int
    class func getChannelInvitationPreferenceAutoAccept(completionHandler: ((Bool, SBError?) -> Void)?)
    class func getConnectState() -> WebSocketConnectionState
    class func getCurrentUser() -> User?
    class func getDoNotDisturb(completionHandler: ((Bool, Int, Int, Int, Int, String, SBError?) -> Void)?)
    class func getGroupChannelCount(memberStateFilter: MemberStateFilter, completionHandler: @escaping (UInt, SBError?) -> Void)
    class func getLastConnectedAt() -> Int64
    class func getLogLevel() -> LogLevel
    class func getMultipleFilesMessageFileCountLimit() -> Int
    class func getMyGroupChannelChangeLogs(byTimestamp timestamp: Int64, customTypes: [String]?, completionHandler: ChannelChangeLogsHandler?)
    class func getMyGroupChannelChangeLogs(byToken token: String?, customTypes: [String]?, completionHandler: ChannelChangeLogsHandler?)
    class func getMyGroupChannelChangeLogs(timestamp: Int64, params: GroupChannelChangeLogsParams = GroupChannelChangeLogsParams(), completionHandler: (([GroupChannel]?, [String]?, Bool, String?, SBError?) -> Void)?)
    class func getMyGroupChannelChangeLogs(token: String?, params: GroupChannelChangeLogsParams = GroupChannelChangeLogsParams(), completionHandler: (([GroupChannel]?, [String]?, Bool, String?, SBError?) -> Void)?)
    class func getMyPushTokens(token: String?, pushTokenType: PushTokenType, completionHandler: @escaping ([String], PushTokenType, Bool, String?, SBError?) -> Void)
    class func getPendingPushToken() -> Data?
    class func getPushSound(completionHandler: ((String?, SBError?) -> Void)?)
    class func getPushTemplate(completionHandler: ((String?, SBError?) -> Void)?)
    class func getPushTriggerOption(completionHandler: @escaping (PushTriggerOption, SBError?) -> Void)
    class func getReportCategoryInfoList(completionHandler: (([ReportCategoryInfo]?, SBError?) -> Void)? = nil)
    class func getSDKVersion() -> String
    class func getSnoozePeriod(_ completionHandler: @escaping (Bool, Int64, Int64, SBError?) -> Void)
    class func getSubscribedTotalUnreadMessageCount() -> Int
    class func getTotalUnreadChannelCount(completionHandler: @escaping (UInt, SBError?) -> Void)
    class func getTotalUnreadChannelCount(params: GroupChannelTotalUnreadChannelCountParams, completionHandler: @escaping (UInt, SBError?) -> Void)
    class func getTotalUnreadMessageCount(completionHandler: @escaping (UInt, SBError?) -> Void)
    class func getTotalUnreadMessageCount(params: GroupChannelTotalUnreadMessageCountParams, completionHandler: @escaping (UInt, SBError?) -> Void)
    @discardableResult class func initialize(params: InitParams, completionHandler: SBErrorHandler? = nil) -> Bool
    @discardableResult class func initialize(params: InitParams, migrationStartHandler: (() -> Void)?, completionHandler: SBErrorHandler? = nil) -> Bool
    @discardableResult class func initializeSynchronously(params: InitParams) -> Bool
    class func markAsDelivered(remoteNotificationPayload: [AnyHashable: Any], completionHandler: SBErrorHandler? = nil)
    class func markAsRead(channelURLs: [String], completionHandler: SBErrorHandler? = nil)
    class func markAsReadAll(completionHandler: SBErrorHandler? = nil)
    class func markPushNotificationAsClicked(remoteNotificationPayload: [AnyHashable: Any], completionHandler: SBErrorHandler? = nil)
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
    let replyCount: Int
}

final class ThreadInfoUpdateEvent: NSObject {
    let channelType: ChannelType
    let channelURL: String
    let targetMessageId: Int64
    let threadInfo: ThreadInfo
}

enum UnreadChannelFilter: Int, Sendable {
    case all
    case unreadMessage
}

final class UnreadMessageCount: NSObject {
    let feedChannelCount: UInt
    let groupChannelCount: UInt
}

open class User: NSObject, Identifiable {
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
    class func build(fromSerializedData data: Data?) -> Self?
    func createMetaData(_ metaData: [String: String], completionHandler: (([String: String]?, SBError?) -> Void)? = nil)
    func deleteAllMetaData(completionHandler: SBErrorHandler? = nil)
    func deleteMetaData(key: String, completionHandler: SBErrorHandler? = nil)
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

final class UserMessage: BaseMessage {
    override var messageParams: BaseMessageCreateParams? { get }
    var translations: [String: String] { get }
}

final class UserMessageCreateParams: BaseMessageCreateParams {
    var message: String { get set }
    init(message: String)
}

final class UserMessageUpdateParams: NSObject {
    var customType: String? { get set }
    var data: String? { get set }
    var mentionType: MentionType? { get set }
    var mentionedUserIds: [String]? { get set }
    var message: String? { get set }
    override init()
    init(message: String)
}

final class UserUpdateParams: NSObject {
    var nickname: String? { get set }
    var profileImageData: Data? { get set }
    var profileImageURL: String? { get set }
    override init()
}

enum WebSocketConnectionState: Int, Sendable {
    case closed
    case connecting
    case open
}
