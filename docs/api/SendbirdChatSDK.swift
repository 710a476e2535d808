// The public declarations of `SendbirdChatSDK`: written by scripts/public-api, not to be edited.

typealias BaseMessageHandler = (BaseMessage?, SBError?) -> Void

typealias FileMessageHandler = (FileMessage?, SBError?) -> Void

typealias GroupChannelHandler = (GroupChannel?, SBError?) -> Void

typealias ProgressHandler = (_ bytesSent: Int64, _ totalBytesSent: Int64, _ totalBytesExpectedToSend: Int64) -> Void

typealias SBErrorHandler = (SBError?) -> Void

typealias UserMessageHandler = (UserMessage?, SBError?) -> Void

final class AdminMessage: BaseMessage {}

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
    class func build(fromSerializedData data: Data) -> Self?
    override func isEqual(_ object: Any?) -> Bool
    func serialize() -> Data?
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

final class CachedBaseChannelInfo: NSObject {
    let cachedMessageCount: Int64
    let channelURL: String
    let messageCollectionAccessedAt: Int64
}

final class ChannelContext: NSObject {
    let source: CollectionEventSource
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
    func didDisconnect(userId: String)  // has a default
    func didFailReconnection()  // has a default
    func didStartReconnection()  // has a default
    func didSucceedReconnection()  // has a default
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

final class GroupChannel: BaseChannel {
    typealias MessageChangeLogsHandler = (_ updatedMessages: [BaseMessage]?, _ deletedMessageIds: [Int64]?, _ hasMore: Bool, _ token: String?, _ error: SBError?) -> Void
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
    func addReaction(with message: BaseMessage, key: String, completionHandler: ((ReactionEvent?, SBError?) -> Void)? = nil)
    func cancelPendingMessage(requestId: String, completionHandler: SBErrorHandler? = nil)
    class func createChannel(params: GroupChannelCreateParams, completionHandler: GroupChannelHandler?)
    class func createMyGroupChannelListQuery(params: GroupChannelListQueryParams) -> GroupChannelListQuery
    class func createMyGroupChannelListQuery(paramsBuilder: ((GroupChannelListQueryParams) -> Void)? = nil) -> GroupChannelListQuery
    func declineInvitation(completionHandler: SBErrorHandler? = nil)
    func delete(completionHandler: SBErrorHandler? = nil)
    func deleteMessage(_ message: BaseMessage, completionHandler: SBErrorHandler? = nil)
    func deleteMessage(messageId: Int64, completionHandler: SBErrorHandler? = nil)
    func deleteReaction(with message: BaseMessage, key: String, completionHandler: ((ReactionEvent?, SBError?) -> Void)? = nil)
    func endTyping()
    func freeze(completionHandler: SBErrorHandler? = nil)
    class func getChannel(url: String, completionHandler: GroupChannelHandler?)
    func getMessageChangeLogs(sinceTimestamp timestamp: Int64, params: MessageChangeLogsParams, completionHandler: MessageChangeLogsHandler?)
    func getMessageChangeLogs(sinceToken token: String?, params: MessageChangeLogsParams, completionHandler: MessageChangeLogsHandler?)
    func getMessagesByTimestamp(_ timestamp: Int64, params: MessageListParams, completionHandler: (([BaseMessage]?, SBError?) -> Void)?)
    func hide(hidePreviousMessages: Bool = false, allowAutoUnhide: Bool = true, completionHandler: SBErrorHandler? = nil)
    func inviteUserIds(_ userIds: [String], completionHandler: SBErrorHandler? = nil)
    func join(completionHandler: SBErrorHandler? = nil)
    func leave(completionHandler: SBErrorHandler? = nil)
    func markAsRead(completionHandler: SBErrorHandler? = nil)
    func refresh(completionHandler: GroupChannelHandler? = nil)
    @discardableResult func resendFileMessage(_ message: FileMessage, completionHandler: FileMessageHandler? = nil) -> FileMessage
    @discardableResult func resendUserMessage(_ message: UserMessage, completionHandler: UserMessageHandler? = nil) -> UserMessage
    func resetMyHistory(completionHandler: SBErrorHandler? = nil)
    @discardableResult func sendFileMessage(params: FileMessageCreateParams, completionHandler: FileMessageHandler? = nil) -> FileMessage
    @discardableResult func sendFileMessage(params: FileMessageCreateParams, progressHandler: ProgressHandler?, completionHandler: FileMessageHandler? = nil) -> FileMessage
    @discardableResult func sendUserMessage(_ message: String, completionHandler: UserMessageHandler? = nil) -> UserMessage
    @discardableResult func sendUserMessage(params: UserMessageCreateParams, completionHandler: UserMessageHandler? = nil) -> UserMessage
    func startTyping()
    func unfreeze(completionHandler: SBErrorHandler? = nil)
    func unhide(completionHandler: SBErrorHandler? = nil)
    func update(params: GroupChannelUpdateParams, completionHandler: GroupChannelHandler? = nil)
    func updateUserMessage(messageId: Int64, params: UserMessageUpdateParams, completionHandler: UserMessageHandler? = nil)
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

enum MyMemberStateFilter: Int, Sendable {
    case all
    case invitedOnly
    case joinedOnly
}

enum PublicGroupChannelFilter: Int, Sendable {
    case all
    case privateChannelOnly
    case publicChannelOnly
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

enum Role: Int, Sendable {
    case none
    case `operator`
}

final class SBError: NSError, @unchecked Sendable {
    static let domain: String
}

final class SendbirdChat: NSObject {
    typealias ChannelChangeLogsHandler = (_ updatedChannels: [GroupChannel]?, _ deletedChannelURLs: [String]?, _ hasMore: Bool, _ token: String?, _ error: SBError?) -> Void
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
    class func getMyGroupChannelChangeLogs(byTimestamp timestamp: Int64, customTypes: [String]?, completionHandler: ChannelChangeLogsHandler?)
    class func getMyGroupChannelChangeLogs(byToken token: String?, customTypes: [String]?, completionHandler: ChannelChangeLogsHandler?)
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

enum UnreadChannelFilter: Int, Sendable {
    case all
    case unreadMessage
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
