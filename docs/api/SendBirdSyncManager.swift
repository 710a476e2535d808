// The public declarations of `SendBirdSyncManager`: written by scripts/public-api, not to be edited.

final class SBSMChannelCollection: NSObject {
    let query: SBDGroupChannelListQuery
    var channels: [SBDGroupChannel] { get }
    weak var delegate: (any SBSMChannelCollectionDelegate)? { get set }
    var hasMore: Bool { get }
    init?(query: SBDGroupChannelListQuery?)
    func fetch(completionHandler: ((SBDError?) -> Void)? = nil)
    func remove()
}

protocol SBSMChannelCollectionDelegate: AnyObject {
    func collection(_ collection: SBSMChannelCollection, didReceiveEvent action: SBSMChannelEventAction, channels: [SBDGroupChannel])  // has a default
}

enum SBSMChannelEventAction: Int, Sendable {
    case clear
    case insert
    case move
    case none
    case remove
    case update
}

enum SBSMErrorCode: Int, Sendable {
    case databaseError = 810001
    case duplicatedFetch = 810200
    case invalidParameter = 810300
    case invalidTimeRange = 810305
    case setupRequired = 810100
}

enum SBSMFailedMessageEventActionReason: Int, Sendable {
    case none
    case other
    case updateResendFailed
}

final class SBSMMessageCollection: NSObject {
    let filter: SBSMMessageFilter
    var channel: SBDGroupChannel { get }
    weak var delegate: (any SBSMMessageCollectionDelegate)? { get set }
    var failedMessages: [SBDBaseMessage] { get }
    var pendingMessages: [SBDBaseMessage] { get }
    var succeededMessages: [SBDBaseMessage] { get }
    var viewpointTimestamp: Int64 { get }
    init(channel: SBDGroupChannel, filter: SBSMMessageFilter?, viewpointTimestamp: Int64)
    func appendMessage(_ message: SBDBaseMessage?)
    func deleteFailedMessage(withRequestId requestId: String)
    func deleteMessage(_ message: SBDBaseMessage?)
    func deleteMessage(withRequestId requestId: String)
    func deletePendingMessage(withRequestId requestId: String)
    func deleteSucceededMessage(withMessageId messageId: Int64)
    func fetch(in direction: SBSMMessageDirection, completionHandler: ((Bool, SBDError?) -> Void)? = nil)
    @_disfavoredOverload func fetch(in direction: SBSMMessageDirection, completionHandler: ((SBDError?) -> Void)?)
    func fetchAllNextMessages(_ completionHandler: ((Bool, SBDError?) -> Void)? = nil)
    func fetchFailedMessages(_ completionHandler: ((SBDError?) -> Void)? = nil)
    func fetchPendingMessages(_ completionHandler: ((SBDError?) -> Void)? = nil)
    func handleSendMessageResponse(_ message: SBDBaseMessage?, _ error: SBDError?)
    func remove()
    func resetViewpointTimestamp(_ timestamp: Int64)
    func updateMessage(_ message: SBDBaseMessage?)
}

protocol SBSMMessageCollectionDelegate: AnyObject {
    func collection(_ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction, failedMessages: [SBDBaseMessage], reason: SBSMFailedMessageEventActionReason)  // has a default
    func collection(_ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction, pendingMessages: [SBDBaseMessage])  // has a default
    func collection(_ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction, succeededMessages: [SBDBaseMessage])  // has a default
    func collection(_ collection: SBSMMessageCollection, didReceiveEvent action: SBSMMessageEventAction, messages: [SBDBaseMessage])  // has a default
    func collection(_ collection: SBSMMessageCollection, didReceiveNewMessage message: SBDBaseMessage)  // has a default
    func collection(_ collection: SBSMMessageCollection, didRemove channel: SBDGroupChannel)  // has a default
    func collection(_ collection: SBSMMessageCollection, didUpdate channel: SBDGroupChannel)  // has a default
}

enum SBSMMessageDirection: Int, Sendable {
    case next
    case previous
}

enum SBSMMessageEventAction: Int, Sendable {
    case clear
    case insert
    case none
    case remove
    case update
}

final class SBSMMessageFilter: NSObject {
    let customType: String?
    let messageType: SBDMessageTypeFilter
    let senderUserIds: [String]?
    override convenience init()
    init(messageType: SBDMessageTypeFilter, customType: String?, senderUserIds: [String]?)
    func isSubFilter(of other: SBSMMessageFilter) -> Bool
}

enum SBSMMessageResendPolicy: Int, Sendable {
    case automatic
    case manual
    case none
}

final class SBSMSyncManager: NSObject {
    override var hash: Int { get }
    override init()
    class func clearCache()
    func clearCache()
    class func forceResumeSync()
    override func isEqual(_ object: Any?) -> Bool
    class func manager() -> SBSMSyncManager
    func pauseSynchronization()
    class func pauseSynchronization()
    class func pauseSynchronize()
    func pauseSynchronize()
    func resumeSynchronization()
    class func resumeSynchronization()
    class func resumeSynchronize()
    func resumeSynchronize()
    class func setCompletionQueue(_ queue: DispatchQueue?)
    class func setDelegateQueue(_ queue: DispatchQueue?)
    class func setup(withUserId userId: String)
    class func setup(withUserId userId: String, options: SBSMSyncManagerOptions)
}

final class SBSMSyncManagerOptions: NSObject {
    var automaticMessageResendRetryCount: UInt { get set }
    var automaticResendMessageRetryCount: UInt { get set }
    var failedMessageRetentionDays: UInt { get set }
    var maxFailedMessageCountPerChannel: UInt { get set }
    var messageCollectionCapacity: UInt { get set }
    var messageResendPolicy: SBSMMessageResendPolicy { get set }
    override init()
}
