// The public declarations of `SendBirdSDK`: written by scripts/public-api, not to be edited.

typealias SBDErrorHandler = (SBDError?) -> Void

final class SBDAdminMessage: SBDBaseMessage {}

class SBDBaseChannel: NSObject {
    var channelUrl: String { get }
    var coverUrl: String? { get }
    var createdAt: UInt { get }
    var customType: String? { get }
    var data: String? { get }
    override var hash: Int { get }
    var isFrozen: Bool { get }
    var name: String { get }
    class func build(fromSerializedData data: Data) -> Self?
    override func isEqual(_ object: Any?) -> Bool
    func serialize() -> Data?
}

class SBDBaseMessage: NSObject {
    var channelUrl: String? { get }
    var createdAt: Int64 { get }
    var customType: String? { get }
    var data: String? { get }
    var errorCode: Int { get }
    override var hash: Int { get }
    var isSilent: Bool { get }
    var mentionedUserIds: [String] { get }
    var message: String? { get }
    var messageId: Int64 { get }
    var parentMessageId: Int64 { get }
    var reactions: [SBDReaction] { get }
    var requestId: String? { get }
    var sender: SBDSender? { get }
    var sendingStatus: SBDMessageSendingStatus { get }
    var updatedAt: Int64 { get }
    class func build(fromSerializedData data: Data) -> Self?
    override func isEqual(_ object: Any?) -> Bool
    func serialize() -> Data?
}

class SBDBaseMessageParams: NSObject {
    var customType: String? { get set }
    var data: String? { get set }
    var mentionedUserIds: [String] { get set }
    var parentMessageId: Int64 { get set }
}

protocol SBDChannelDelegate: AnyObject {
    func channel(_ sender: SBDBaseChannel, didReceive message: SBDBaseMessage)  // has a default
    func channel(_ sender: SBDBaseChannel, didUpdate message: SBDBaseMessage)  // has a default
    func channel(_ sender: SBDBaseChannel, messageWasDeleted messageId: Int64)  // has a default
    func channel(_ sender: SBDGroupChannel, userDidJoin user: SBDUser)  // has a default
    func channel(_ sender: SBDGroupChannel, userDidLeave user: SBDUser)  // has a default
    func channelDidUpdateReadReceipt(_ sender: SBDGroupChannel)  // has a default
    func channelDidUpdateTypingStatus(_ sender: SBDGroupChannel)  // has a default
    func channelWasChanged(_ sender: SBDBaseChannel)  // has a default
    func channelWasDeleted(_ channelUrl: String, channelType: SBDChannelType)  // has a default
}

enum SBDChannelType: Int, Sendable {
    case group
    case open
}

protocol SBDConnectionDelegate: AnyObject {
    func didFailReconnection()  // has a default
    func didStartReconnection()  // has a default
    func didSucceedReconnection()  // has a default
}

final class SBDError: NSError, @unchecked Sendable {
    static let domain: String
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
    class func save(channels: [SBDGroupChannel]?)
    class func save(message: SBDBaseMessage?)
    class func saveChannels(_ channels: [SBDBaseChannel])
    class func saveMessages(_ messages: [SBDBaseMessage], channelUrl: String)
}

final class SBDFileMessage: SBDBaseMessage {
    var name: String { get }
    var size: UInt { get }
    var type: String { get }
    var url: String { get }
}

final class SBDFileMessageParams: SBDBaseMessageParams {
    var file: Data? { get set }
    var fileName: String? { get set }
    var fileSize: UInt { get set }
    var fileUrl: String? { get set }
    var mimeType: String? { get set }
    init?(file: Data)
    init?(fileUrl: String)
}

final class SBDGroupChannel: SBDBaseChannel {
    typealias MessageChangeLogsHandler = (_ updatedMessages: [SBDBaseMessage]?, _ deletedMessageIds: [NSNumber]?, _ hasMore: Bool, _ token: String?, _ error: SBDError?) -> Void
    var creator: SBDUser? { get }
    var isDistinct: Bool { get }
    var isHidden: Bool { get }
    var isPublic: Bool { get }
    var isSuper: Bool { get }
    var lastMessage: SBDBaseMessage? { get }
    var memberCount: UInt { get }
    var members: NSMutableArray? { get }
    var myLastRead: Int64 { get }
    var myMemberState: SBDMemberState { get }
    var myRole: SBDRole { get }
    var unreadMessageCount: UInt { get }
    class func createChannel(withName name: String?, isDistinct: Bool, userIds: [String], coverUrl: String?, data: String?, completionHandler: ((SBDGroupChannel?, SBDError?) -> Void)?)
    class func createChannel(withUserIds userIds: [String], isDistinct: Bool, completionHandler: ((SBDGroupChannel?, SBDError?) -> Void)?)
    class func createMyGroupChannelListQuery() -> SBDGroupChannelListQuery?
    func delete(_ message: SBDBaseMessage, completionHandler: SBDErrorHandler? = nil)
    func endTyping()
    @available( *, deprecated, renamed: "getMessageChangeLogs(sinceTimestamp:params:completionHandler:)" ) func getMessageChangeLogs(byTimestamp timestamp: Int64, completionHandler: MessageChangeLogsHandler?)
    func getMessageChangeLogs(sinceTimestamp timestamp: Int64, params: SBDMessageChangeLogsParams, completionHandler: MessageChangeLogsHandler?)
    func getMessageChangeLogs(sinceToken token: String?, params: SBDMessageChangeLogsParams, completionHandler: MessageChangeLogsHandler?)
    @available(*, deprecated, renamed: "getMessageChangeLogs(sinceToken:params:completionHandler:)") func getMessageChangeLogs(withToken token: String?, completionHandler: MessageChangeLogsHandler?)
    func getMessagesByTimestamp(_ timestamp: Int64, params: SBDMessageListParams, completionHandler: (([SBDBaseMessage]?, SBDError?) -> Void)?)
    class func getWithUrl(_ channelUrl: String, completionHandler: ((SBDGroupChannel?, SBDError?) -> Void)?)
    func inviteUserIds(_ userIds: [String], completionHandler: SBDErrorHandler? = nil)
    func join(completionHandler: SBDErrorHandler? = nil)
    func leave(completionHandler: SBDErrorHandler? = nil)
    func markAsRead(completionHandler: SBDErrorHandler? = nil)
    @discardableResult func resendUserMessage(with message: SBDUserMessage, completionHandler: ((SBDUserMessage?, SBDError?) -> Void)? = nil) -> SBDUserMessage
    @discardableResult func sendFileMessage(with params: SBDFileMessageParams, completionHandler: ((SBDFileMessage?, SBDError?) -> Void)? = nil) -> SBDFileMessage
    @discardableResult func sendUserMessage(with params: SBDUserMessageParams, completionHandler: ((SBDUserMessage?, SBDError?) -> Void)? = nil) -> SBDUserMessage
    func startTyping()
    func updateUserMessage(withMessageId messageId: Int64, userMessageParams params: SBDUserMessageParams, completionHandler: ((SBDUserMessage?, SBDError?) -> Void)? = nil)
}

enum SBDGroupChannelListOrder: Int, Sendable {
    case channelNameAlphabetical
    case chronological
    case latestLastMessage
}

final class SBDGroupChannelListQuery: NSObject {
    var channelNameContainsFilter: String? { get set }
    var channelUrlsFilter: [String] { get set }
    var customTypesFilter: [String] { get set }
    var hasNext: Bool { get }
    var includeEmptyChannel: Bool { get set }
    var includeFrozenChannel: Bool { get set }
    var includeMemberList: Bool { get set }
    var limit: UInt { get set }
    var order: SBDGroupChannelListOrder { get set }
    func loadNextPage(completionHandler: (([SBDGroupChannel]?, SBDError?) -> Void)? = nil)
}

final class SBDMain: NSObject {
    typealias ChannelChangeLogsHandler = (_ updatedChannels: [SBDGroupChannel]?, _ deletedChannelUrls: [String]?, _ hasMore: Bool, _ token: String?, _ error: SBDError?) -> Void
    class func add(_ delegate: any SBDChannelDelegate, identifier: String)
    class func add(_ delegate: any SBDConnectionDelegate, identifier: String)
    class func connect(withUserId userId: String, accessToken: String? = nil, completionHandler: ((SBDUser?, SBDError?) -> Void)? = nil)
    class func disconnect(completionHandler: (() -> Void)? = nil)
    class func getApplicationId() -> String?
    class func getCurrentUser() -> SBDUser?
    class func getMyGroupChannelChangeLogs(byTimestamp timestamp: Int64, customTypes: [String]?, completionHandler: ChannelChangeLogsHandler?)
    class func getMyGroupChannelChangeLogs(byToken token: String?, customTypes: [String]?, completionHandler: ChannelChangeLogsHandler?)
    @discardableResult class func initWithApplicationId(_ applicationId: String) -> Bool
    class func removeAllChannelDelegates()
    class func removeAllConnectionDelegates()
    class func removeChannelDelegate(forIdentifier identifier: String)
    class func removeConnectionDelegate(forIdentifier identifier: String)
    class func setCacheFolder(_ folder: String)
    class func setCompletionHandlerDelegateQueue(_ queue: DispatchQueue?)
    class func setServer(_ server: String)
}

final class SBDMember: SBDUser {
    var isMuted: Bool { get }
    var role: SBDRole { get }
    var state: SBDMemberState { get }
}

enum SBDMemberState: Int, Sendable {
    case invited
    case joined
    case none
}

final class SBDMessageChangeLogsParams: NSObject {
    override init()
}

final class SBDMessageListParams: NSObject {
    var customType: String? { get set }
    var isInclusive: Bool { get set }
    var messageType: SBDMessageTypeFilter { get set }
    var nextResultSize: Int { get set }
    var previousResultSize: Int { get set }
    var reverse: Bool { get set }
    var senderUserIds: [String]? { get set }
    override init()
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

final class SBDOpenChannel: SBDBaseChannel {
    class func createOpenChannelListQuery() -> SBDOpenChannelListQuery?
    override func serialize() -> Data?
}

final class SBDOpenChannelListQuery: NSObject {
    var hasNext: Bool { get }
    var limit: UInt { get set }
    func loadNextPage(completionHandler: (([SBDOpenChannel]?, SBDError?) -> Void)? = nil)
}

final class SBDReaction: NSObject {
    let key: String
    let userIds: [String]
}

enum SBDRole: Int, Sendable {
    case none
    case `operator`
}

final class SBDSender: SBDUser {
    var role: SBDRole { get }
}

class SBDUser: NSObject {
    override var hash: Int { get }
    var isActive: Bool { get }
    var metaData: [String: String]? { get }
    var nickname: String? { get }
    var profileUrl: String? { get }
    var userId: String { get }
    class func build(fromSerializedData data: Data) -> Self?
    override func isEqual(_ object: Any?) -> Bool
    func serialize() -> Data?
}

final class SBDUserMessage: SBDBaseMessage {
    var translations: [String: String] { get }
}

final class SBDUserMessageParams: SBDBaseMessageParams {
    var message: String? { get set }
    init?(message: String)
}
