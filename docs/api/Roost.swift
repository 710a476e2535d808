// The public declarations of `Roost`: written by scripts/public-api, not to be edited.

struct ByteCount: Codable, Comparable, Hashable, Sendable {
    let bytes: Int64
    init(bytes: Int64)
    init(mebibytes: Int64)
    static func < (left: Self, right: Self) -> Bool
}

struct CacheComparison: Codable, Hashable, Sendable {
    var comparedMessages: Int { get }
    var differingStretches: Int { get }
    var fetchedMessages: Int { get }
}

struct CacheLimit: Sendable {
    typealias Comparator = @Sendable (_ left: CachedChannel, _ right: CachedChannel) -> Bool
    var keptMessages: Int { get set }
    var maxSize: ByteCount { get set }
    var order: Order { get set }
    init(maxSize: ByteCount = ByteCount(mebibytes: 256), order: Order = .lastOpened, keptMessages: Int = 0)

    enum Order: Sendable {
        case custom(Comparator?)
        case lastOpened
    }
}

struct CacheMigration: Hashable, Sendable {
    let done: Int
    let total: Int
}

struct CacheTrim: Hashable, Sendable {
    let channels: [CachedChannel]
    let sizeAfter: ByteCount
    let sizeBefore: ByteCount
}

struct CachedChannel: Codable, Hashable, Sendable {
    let cachedMessageCount: Int64
    let isOpen: Bool
    let isPinned: Bool
    let lastMessageAt: Timestamp?
    let openedAt: Timestamp?
    let size: ByteCount
    let url: ChannelURL
}

struct ChangeLog<Item: Hashable & Sendable, ID: Hashable & Sendable>: Hashable, Sendable {
    let deleted: [ID]
    let hasMore: Bool
    let token: String
    let updated: [Item]
}

enum ChangeLogStart: Hashable, Sendable {
    case moment(Timestamp)
    case token(String)
}

enum ChangeOrigin: CaseIterable, Codable, Sendable, String {
    case answer
    case catchUp
    case changeLog
    case disk
    case event
    case local
    case otherProcess
    case page
    case upkeep
}

struct ChangeRefusal: Codable, Hashable, Sendable {
    let change: PendingChange
    let held: Message?
    let heldChannel: GroupChannel?
    let reason: RoostError.Code
}

enum ChannelChange: Codable, Hashable, Sendable {
    case hide(allowsAutoUnhide: Bool)
    case invite([UserID])
    case leave
    case mute(UserID, for: Duration?, reason: String)
    case pin(MessageID)
    case setCountPreference(CountPreference)
    case setPushTrigger(PushTrigger)
    case unhide
    case unmute(UserID)
    case unpin(MessageID)
    case update(ChannelUpdateParams)
}

struct ChannelCreateParams: Codable, Hashable, Sendable {
    var accessCode: String? { get set }
    var coverURL: String { get set }
    var customType: String { get set }
    var data: String { get set }
    var isBroadcast: Bool { get set }
    var isDiscoverable: Bool? { get set }
    var isDistinct: Bool { get set }
    var isEphemeral: Bool { get set }
    var isExclusive: Bool { get set }
    var isPublic: Bool { get set }
    var isSuper: Bool { get set }
    var memberIDs: [UserID] { get set }
    var messageSurvival: Duration? { get set }
    var name: String { get set }
    var operatorIDs: [UserID] { get set }
    var url: ChannelURL? { get set }
    init(memberIDs: [UserID], name: String = "", coverURL: String = "", data: String = "", customType: String = "", isDistinct: Bool = false)
}

enum ChannelExplanation: CustomStringConvertible, Hashable, Sendable {
    case leftOut([ChannelFilter.Criterion])
    case shown
    case unknown(isListWhole: Bool)
    var description: String { get }
}

struct ChannelFilter: Codable, Hashable, Sendable {
    var createdAfter: Timestamp? { get set }
    var createdBefore: Timestamp? { get set }
    var customTypePrefix: String? { get set }
    var customTypes: Set<String> { get set }
    var hidden: Hidden { get set }
    var includesEmpty: Bool { get set }
    var includesFrozen: Bool { get set }
    var isDistinct: Bool? { get set }
    var isPublic: Bool? { get set }
    var isUnread: Bool { get set }
    var kind: Kind? { get set }
    var memberNickname: Text? { get set }
    var members: Members? { get set }
    var membership: MembershipState? { get set }
    var metadata: Metadata? { get set }
    var name: Text? { get set }
    var search: Search? { get set }
    var urls: Set<ChannelURL> { get set }
    init()
    func matches(_ channel: GroupChannel, viewer: UserID) -> Bool

    enum Criterion: CaseIterable, Codable, Hashable, Sendable, String {
        case membership, messages, frozen, hidden, unread, kind, publicity, distinctness, customType
        case name, url, members, memberNickname, search, metadata, age
    }

    enum Hidden: CaseIterable, Codable, Hashable, Sendable, String {
        case all
        case none = "unhidden_only"
        case only = "hidden_only"
        case onlyUntilNextMessage = "hidden_allow_auto_unhide"
        case onlyUntilShown = "hidden_prevent_auto_unhide"
    }

    enum Kind: CaseIterable, Codable, Hashable, Sendable, String {
        case broadcast = "broadcast_only"
        case exclusive = "exclusive_only"
        case nonSuper = "nonsuper"
        case `super` = "super"
    }

    enum Members: Codable, Hashable, Sendable {
        case allOf(Set<UserID>)
        case anyOf(Set<UserID>)
        case exactly(Set<UserID>)
    }

    struct Metadata: Codable, Hashable, Sendable {
        var key: String { get set }
        var value: Value { get set }
        init(key: String, value: Value = .any)

        enum Value: Codable, Hashable, Sendable {
            case any
            case hasPrefix(String)
            case oneOf(Set<String>)
        }
    }

    struct Search: Codable, Hashable, Sendable {
        var inChannelName: Bool { get set }
        var inMemberNicknames: Bool { get set }
        var text: String { get set }
        init(_ text: String, inChannelName: Bool = true, inMemberNicknames: Bool = true)
    }

    enum Text: Codable, Hashable, Sendable {
        case contains(String)
        case equals(String)
        case hasPrefix(String)
    }
}

final class ChannelList: Sendable {
    let query: ChannelListQuery
    var snapshot: Snapshot { get async }
    func changes() async -> AsyncStream<ListDiff<GroupChannel>>
    func close() async
    @discardableResult func loadMore() async throws(RoostError) -> Int
    func snapshots() async -> AsyncStream<Snapshot>

    struct Snapshot: Hashable, Sendable {
        let channels: [GroupChannel]
        let hasMore: Bool
    }
}

@MainActor @Observable final class ChannelListModel {
    var channels: [GroupChannel] { get }
    var connection: ConnectionState? { get }
    var error: RoostError? { get }
    var hasMore: Bool { get }
    var isLoading: Bool { get }
    var isOpening: Bool { get }
    init(_ client: ChatClient, _ query: ChannelListQuery = ChannelListQuery())
    func loadMore() async
    func run() async
}

struct ChannelListQuery: Codable, Hashable, Sendable {
    var filter: ChannelFilter { get set }
    var order: ChannelOrder { get set }
    var pageSize: Int { get set }
    init(_ filter: ChannelFilter = ChannelFilter(), order: ChannelOrder = .latestLastMessage, pageSize: Int = 20)
}

enum ChannelOrder: Codable, Hashable, Sendable {
    case chronological
    case latestLastMessage
    case metadataValue(key: String)
    case name
}

struct ChannelURL: Identifier {
    let rawValue: String
    init(_ rawValue: String)
}

struct ChannelUpdateParams: Codable, Hashable, Sendable {
    var accessCode: String? { get set }
    var coverURL: String? { get set }
    var customType: String? { get set }
    var data: String? { get set }
    var isDiscoverable: Bool? { get set }
    var isPublic: Bool? { get set }
    var messageSurvival: Duration? { get set }
    var name: String? { get set }
    var operatorIDs: [UserID]? { get set }
    init(name: String? = nil, coverURL: String? = nil, data: String? = nil, customType: String? = nil)
}

final class ChatClient: Sendable {
    let configuration: Configuration
    let storageReport: [String]
    var connectionState: ConnectionState { get async }
    var health: Health { get async }
    var me: User { get async throws(RoostError) }
    static func open(_ configuration: Configuration) async throws(RoostError) -> ChatClient
    @discardableResult func acceptInvitation(to channel: ChannelURL, accessCode: String? = nil) async throws(RoostError) -> GroupChannel
    func acceptsInvitations() async throws(RoostError) -> Bool
    @discardableResult func addMetaArrays(_ arrays: [MetaArray], to message: MessageID, in channel: ChannelURL) async throws(RoostError) -> Message
    func addOperators(_ users: [UserID], to channel: ChannelURL) async throws(RoostError)
    func addOperators(_ users: [UserID], toOpenChannel channel: ChannelURL) async throws(RoostError)
    @discardableResult func addPollOption(_ text: String, to poll: PollID) async throws(RoostError) -> Poll
    @discardableResult func addReaction(_ key: String, to target: MessageTarget, in channel: ChannelURL) async throws(RoostError) -> RequestID
    func appMoved(toForeground: Bool) async
    func ban(_ user: UserID, from channel: ChannelURL, for duration: Duration? = nil, reason: String = "") async throws(RoostError)
    func ban(_ user: UserID, fromOpenChannel channel: ChannelURL, for duration: Duration? = nil, reason: String = "") async throws(RoostError)
    func bannedUsers(of channel: ChannelURL, pageSize: Int = 20, after token: String? = nil) async throws(RoostError) -> Page<RestrictedUser>
    func bannedUsers(ofOpenChannel channel: ChannelURL, pageSize: Int = 20, after token: String? = nil) async throws(RoostError) -> Page<RestrictedUser>
    func block(_ user: UserID) async throws(RoostError)
    func blockedUsers(pageSize: Int = 20, after token: String? = nil) async throws(RoostError) -> Page<User>
    func cacheSize() async throws(RoostError) -> ByteCount
    func cachedChannel(_ url: ChannelURL) async throws(RoostError) -> GroupChannel?
    func cachedEdits(in channel: ChannelURL, since moment: Timestamp, after place: Position = .distantPast, limit: Int = 100) async throws(RoostError) -> [Message]
    func cachedMentions(before place: Position = .distantFuture, limit: Int = 100) async throws(RoostError) -> [Message]
    func cachedMessage(_ id: MessageID) async throws(RoostError) -> Message?
    func cachedMessages(of channel: ChannelURL, matching filter: MessageFilter = .everything, after lower: Position = .distantPast, before upper: Position = .distantFuture, newestFirst: Bool = true, limit: Int = 100) async throws(RoostError) -> [Message]
    func cancel(_ requestID: RequestID) async
    func cancelScheduledMessage(_ id: ScheduledMessageID, in channel: ChannelURL) async throws(RoostError)
    @discardableResult func cancelUpload(_ requestID: RequestID) async -> Bool
    @discardableResult func changeCounters(_ counters: [String: Int64], of channel: ChannelURL, _ change: CounterChange, addsMissing: Bool = false) async throws(RoostError) -> [String: Int64]
    @discardableResult func changeCounters(_ counters: [String: Int64], ofOpenChannel channel: ChannelURL, _ change: CounterChange, addsMissing: Bool = false) async throws(RoostError) -> [String: Int64]
    func channel(_ url: ChannelURL) async throws(RoostError) -> GroupChannel
    func channelCount(_ membership: MembershipState? = nil) async throws(RoostError) -> Int
    func channelList(_ query: ChannelListQuery = ChannelListQuery()) async throws(RoostError) -> ChannelList
    func clearCache(includingUnsent: Bool) async throws(RoostError)
    func clearCache(of channel: ChannelURL) async throws(RoostError)
    func clearDownloads() async throws(RoostError)
    func close() async
    @discardableResult func closePoll(_ poll: PollID) async throws(RoostError) -> Poll
    @discardableResult func compareCache(of channel: ChannelURL) async throws(RoostError) -> CacheComparison
    func connect() async throws(RoostError)
    func connectionStates() async -> AsyncStream<ConnectionState>
    func contents(of file: DownloadedFile) async throws(RoostError) -> [UInt8]
    func contents(of file: OutgoingFile) async throws(RoostError) -> [UInt8]
    func copy(_ file: DownloadedFile, to target: URL) async throws(RoostError)
    func countedHoles(in channel: ChannelURL) async throws(RoostError) -> [HistoryHole]
    func counters(of channel: ChannelURL, keys: [String]? = nil) async throws(RoostError) -> [String: Int64]
    func counters(ofOpenChannel channel: ChannelURL, keys: [String]? = nil) async throws(RoostError) -> [String: Int64]
    func createChannel(_ params: ChannelCreateParams) async throws(RoostError) -> GroupChannel
    @discardableResult func createCounters(_ counters: [String: Int64], of channel: ChannelURL) async throws(RoostError) -> [String: Int64]
    @discardableResult func createCounters(_ counters: [String: Int64], ofOpenChannel channel: ChannelURL) async throws(RoostError) -> [String: Int64]
    @discardableResult func createMetadata(_ metadata: [String: String], of channel: ChannelURL) async throws(RoostError) -> [String: String]
    @discardableResult func createMetadata(_ metadata: [String: String], ofOpenChannel channel: ChannelURL) async throws(RoostError) -> [String: String]
    func createOpenChannel(_ params: OpenChannelCreateParams = OpenChannelCreateParams()) async throws(RoostError) -> OpenChannel
    func createPoll(_ params: PollCreateParams) async throws(RoostError) -> Poll
    @discardableResult func createUserMetadata(_ metadata: [String: String]) async throws(RoostError) -> [String: String]
    func declineInvitation(to channel: ChannelURL) async throws(RoostError)
    @discardableResult func delete(_ messageID: MessageID, in channel: ChannelURL) async throws(RoostError) -> RequestID
    @discardableResult func delete(_ target: MessageTarget, in channel: ChannelURL) async throws(RoostError) -> RequestID
    func deleteChannel(_ channel: ChannelURL) async throws(RoostError)
    func deleteCounters(_ key: String? = nil, of channel: ChannelURL) async throws(RoostError)
    func deleteCounters(_ key: String? = nil, ofOpenChannel channel: ChannelURL) async throws(RoostError)
    func deleteMetadata(_ key: String? = nil, of channel: ChannelURL) async throws(RoostError)
    func deleteMetadata(_ key: String? = nil, ofOpenChannel channel: ChannelURL) async throws(RoostError)
    func deleteNow(_ message: MessageID, inOpenChannel channel: ChannelURL) async throws(RoostError)
    func deleteOpenChannel(_ channel: ChannelURL) async throws(RoostError)
    func deletePoll(_ poll: PollID) async throws(RoostError)
    func deletePollOption(_ option: PollOptionID, of poll: PollID) async throws(RoostError)
    func deleteUserMetadata(_ key: String? = nil) async throws(RoostError)
    func disconnect() async
    func download(_ file: FileContent) -> FileDownload
    func download(_ request: DownloadRequest = DownloadRequest()) async -> HistoryDownload
    func download(fileAt address: String) -> FileDownload
    func downloadEstimate(of channel: ChannelURL) async throws(RoostError) -> DownloadEstimate
    func downloadedFile(at address: String) async throws(RoostError) -> DownloadedFile?
    func downloadsSize() async throws(RoostError) -> ByteCount
    func draft(at place: DraftPlace) async -> MessageDraft?
    func drafts(in channel: ChannelURL? = nil) async -> [MessageDraft]
    @discardableResult func edit(_ messageID: MessageID, in channel: ChannelURL, text: String) async throws(RoostError) -> RequestID
    @discardableResult func edit(_ target: MessageTarget, in channel: ChannelURL, _ edit: MessageEdit) async throws(RoostError) -> RequestID
    @discardableResult func editNow(_ message: MessageID, inOpenChannel channel: ChannelURL, _ edit: MessageEdit) async throws(RoostError) -> Message
    func endTyping(in channel: ChannelURL) async
    @discardableResult func enter(_ channel: ChannelURL) async throws(RoostError) -> OpenChannel
    func enteredOpenChannels() async -> [OpenChannel]
    @discardableResult func eraseCache(of channel: ChannelURL) async throws(RoostError) -> Bool
    func events() async -> AsyncStream<ChatEvent>
    func evictionPlan(downTo size: ByteCount? = nil) async throws(RoostError) -> CacheTrim
    func exit(_ channel: ChannelURL) async throws(RoostError)
    func explain(_ channel: ChannelURL, in query: ChannelListQuery = ChannelListQuery()) async throws(RoostError) -> ChannelExplanation
    func explain(_ message: MessageID, in channel: ChannelURL, under filter: MessageFilter = .everything) async throws(RoostError) -> MessageExplanation
    func explain(_ message: RequestID, in channel: ChannelURL, under filter: MessageFilter = .everything) async throws(RoostError) -> MessageExplanation
    func failedMessages(in channel: ChannelURL) async -> [Message]
    func fetchChannelChanges(since start: ChangeLogStart, customTypes: [String]? = nil) async throws(RoostError) -> ChangeLog<GroupChannel, ChannelURL>
    func fetchMessage(_ id: MessageID, in channel: ChannelURL) async throws(RoostError) -> Message
    func fetchMessage(_ id: MessageID, inOpenChannel channel: ChannelURL) async throws(RoostError) -> Message
    func fetchMessageChanges(of channel: ChannelURL, since start: ChangeLogStart, filter: MessageFilter = .everything) async throws(RoostError) -> ChangeLog<Message, MessageID>
    func fetchMessages(of channel: ChannelURL, around message: MessageID, older: Int = 0, newer: Int = 0, includesMessage: Bool = false, filter: MessageFilter = MessageFilter()) async throws(RoostError) -> [Message]
    func fetchMessages(of channel: ChannelURL, around moment: Timestamp, older: Int = 0, newer: Int = 0, includesMoment: Bool = false, filter: MessageFilter = MessageFilter()) async throws(RoostError) -> [Message]
    func fetchMessages(ofOpenChannel channel: ChannelURL, around message: MessageID, older: Int = 0, newer: Int = 0, includesMessage: Bool = false, filter: MessageFilter = MessageFilter()) async throws(RoostError) -> [Message]
    func fetchMessages(ofOpenChannel channel: ChannelURL, around moment: Timestamp, older: Int = 0, newer: Int = 0, includesMoment: Bool = false, filter: MessageFilter = MessageFilter()) async throws(RoostError) -> [Message]
    func fetchPoll(_ poll: PollID) async throws(RoostError) -> Poll
    func fetchPollChanges(of channel: ChannelURL, since start: ChangeLogStart) async throws(RoostError) -> ChangeLog<Poll, PollID>
    func fetchPollChanges(ofOpenChannel channel: ChannelURL, since start: ChangeLogStart) async throws(RoostError) -> ChangeLog<Poll, PollID>
    func fetchUnreadTotals(customTypes: Set<String> = []) async throws(RoostError) -> UnreadTotals
    func healthStates() async -> AsyncStream<Health>
    @discardableResult func hide(_ channel: ChannelURL, allowsAutoUnhide: Bool = true) async throws(RoostError) -> RequestID
    func hideNow(_ channel: ChannelURL, hidesPrevious: Bool, allowsAutoUnhide: Bool = true) async throws(RoostError)
    func holes(in channel: ChannelURL) async throws(RoostError) -> [HistoryHole]
    func inbox(_ name: String, from start: Inbox.Start = .now) async throws(RoostError) -> Inbox
    @discardableResult func invite(_ users: [UserID], to channel: ChannelURL) async throws(RoostError) -> RequestID
    @discardableResult func join(_ channel: ChannelURL, accessCode: String? = nil) async throws(RoostError) -> GroupChannel
    func journal() -> ClientJournal
    @discardableResult func leave(_ channel: ChannelURL) async throws(RoostError) -> RequestID
    func markAllAsRead(_ channels: [ChannelURL]? = nil) async throws(RoostError)
    func markAsDelivered(_ channel: ChannelURL) async throws(RoostError)
    @discardableResult func markAsRead(_ channel: ChannelURL, through moment: Timestamp) async throws(RoostError) -> RequestID
    func markAsReadNow(_ channel: ChannelURL, awaitingServer awaitsServer: Bool = false) async throws(RoostError)
    func markAsUnread(_ channel: ChannelURL, from message: MessageID) async throws(RoostError)
    func members(of channel: ChannelURL, _ query: MemberQuery = MemberQuery(), after token: String? = nil) async throws(RoostError) -> Page<Member>
    func metadata(of channel: ChannelURL, keys: [String]? = nil) async throws(RoostError) -> [String: String]
    func metadata(ofOpenChannel channel: ChannelURL, keys: [String]? = nil) async throws(RoostError) -> [String: String]
    @discardableResult func mute(_ user: UserID, in channel: ChannelURL, for duration: Duration? = nil, reason: String = "") async throws(RoostError) -> RequestID
    func muteInfo(in channel: ChannelURL) async throws(RoostError) -> MuteInfo
    func muteInfo(inOpenChannel channel: ChannelURL) async throws(RoostError) -> MuteInfo
    func muteNow(_ user: UserID, inOpenChannel channel: ChannelURL, for duration: Duration? = nil, reason: String = "") async throws(RoostError)
    func mutedUsers(of channel: ChannelURL, pageSize: Int = 20, after token: String? = nil) async throws(RoostError) -> Page<RestrictedUser>
    func mutedUsers(ofOpenChannel channel: ChannelURL, pageSize: Int = 20, after token: String? = nil) async throws(RoostError) -> Page<RestrictedUser>
    func networkChanged(isUp: Bool) async
    func openChannel(_ channel: ChannelURL) async throws(RoostError) -> OpenChannel
    func openChannels(_ query: OpenChannelQuery = OpenChannelQuery(), pageSize: Int = 20, after token: String? = nil) async throws(RoostError) -> Page<OpenChannel>
    func operators(of channel: ChannelURL, pageSize: Int = 20, after token: String? = nil) async throws(RoostError) -> Page<User>
    func operators(ofOpenChannel channel: ChannelURL, pageSize: Int = 20, after token: String? = nil) async throws(RoostError) -> Page<User>
    func outboxEvents() async -> AsyncStream<OutboxEvent>
    func outcome(of requestID: RequestID) async throws(RoostError)
    func participants(ofOpenChannel channel: ChannelURL, pageSize: Int = 20, after token: String? = nil) async throws(RoostError) -> Page<User>
    func pendingChanges(in channel: ChannelURL) async -> [PendingChange]
    func pinCache(of channel: ChannelURL) async throws(RoostError)
    @discardableResult func pinMessage(_ message: MessageID, in channel: ChannelURL) async throws(RoostError) -> RequestID
    func pinnedMessages(of channel: ChannelURL, pageSize: Int = 20, after token: String? = nil) async throws(RoostError) -> Page<Message>
    func polls(of channel: ChannelURL? = nil, pageSize: Int = 20, after token: String? = nil) async throws(RoostError) -> Page<Poll>
    func publicChannels(_ filter: ChannelFilter = ChannelFilter(), pageSize: Int = 20, after token: String? = nil) async throws(RoostError) -> Page<GroupChannel>
    func pushPreferences() async throws(RoostError) -> PushPreferences
    func pushTemplate() async throws(RoostError) -> String
    func pushTokens(of kind: PushTokenKind, after token: String? = nil) async throws(RoostError) -> Page<String>
    @discardableResult func queue(_ change: ChannelChange, in channel: ChannelURL) async throws(RoostError) -> RequestID
    func refusals(in channel: ChannelURL? = nil) async -> [ChangeRefusal]
    func registerPushToken(_ token: String, of kind: PushTokenKind, replacingOthers: Bool = false) async throws(RoostError)
    func removeAllOperators(from channel: ChannelURL) async throws(RoostError)
    func removeAllOperators(fromOpenChannel channel: ChannelURL) async throws(RoostError)
    func removeDraft(at place: DraftPlace) async throws(RoostError)
    func removeFailed(_ requestID: RequestID, in channel: ChannelURL) async
    func removeInbox(_ name: String) async throws(RoostError)
    @discardableResult func removeMetaArrayTexts(_ arrays: [MetaArray], from message: MessageID, in channel: ChannelURL) async throws(RoostError) -> Message
    @discardableResult func removeMetaArrays(_ keys: [String], from message: MessageID, in channel: ChannelURL) async throws(RoostError) -> Message
    func removeOperators(_ users: [UserID], from channel: ChannelURL) async throws(RoostError)
    func removeOperators(_ users: [UserID], fromOpenChannel channel: ChannelURL) async throws(RoostError)
    @discardableResult func removeReaction(_ key: String, from target: MessageTarget, in channel: ChannelURL) async throws(RoostError) -> RequestID
    func report(_ subject: ReportSubject, category: ReportCategory, description: String = "") async throws(RoostError)
    @discardableResult func resend(_ requestID: RequestID) async -> Bool
    func resetHistory(of channel: ChannelURL, forEverybody: Bool = false) async throws(RoostError)
    @discardableResult func resume() async throws(RoostError) -> [String]
    func saveDraft(_ text: String, mentioning mention: Mention = Mention(), replyingTo message: MessageID? = nil, at place: DraftPlace) async throws(RoostError)
    func schedule(_ params: FileMessageParams, to channel: ChannelURL, at moment: Timestamp) async throws(RoostError) -> ScheduledMessage
    func schedule(_ params: UserMessageParams, to channel: ChannelURL, at moment: Timestamp) async throws(RoostError) -> ScheduledMessage
    func scheduledMessage(_ id: ScheduledMessageID, in channel: ChannelURL) async throws(RoostError) -> ScheduledMessage
    func scheduledMessageCount(_ query: ScheduledMessageQuery = ScheduledMessageQuery()) async throws(RoostError) -> Int
    func scheduledMessages(_ query: ScheduledMessageQuery = ScheduledMessageQuery(), pageSize: Int = 20, after token: String? = nil) async throws(RoostError) -> Page<ScheduledMessage>
    func search(_ search: MessageSearch) async throws(RoostError) -> MessageSearchPage
    @discardableResult func send(_ draft: MessageDraft) async throws(RoostError) -> Message
    @discardableResult func send(_ params: FileMessageParams, to channel: ChannelURL) async throws(RoostError) -> Message
    @discardableResult func send(_ params: MessageParams, to channel: ChannelURL) async throws(RoostError) -> Message
    @discardableResult func send(_ params: UserMessageParams, to channel: ChannelURL) async throws(RoostError) -> Message
    @discardableResult func send(_ text: String, to channel: ChannelURL) async throws(RoostError) -> Message
    @discardableResult func sendNow(_ params: UserMessageParams, toOpenChannel channel: ChannelURL, as requestID: RequestID? = nil) async throws(RoostError) -> Message
    @discardableResult func sendScheduledMessage(_ id: ScheduledMessageID, in channel: ChannelURL) async throws(RoostError) -> ScheduledMessage
    func setAcceptsInvitations(_ accepts: Bool) async throws(RoostError)
    @discardableResult func setCountPreference(_ preference: CountPreference, of channel: ChannelURL) async throws(RoostError) -> RequestID
    func setFrozen(_ isFrozen: Bool, _ channel: ChannelURL) async throws(RoostError)
    func setFrozen(_ isFrozen: Bool, openChannel channel: ChannelURL) async throws(RoostError)
    func setPushTemplate(_ name: String) async throws(RoostError)
    @discardableResult func setPushTrigger(_ trigger: PushTrigger, of channel: ChannelURL) async throws(RoostError) -> RequestID
    @discardableResult func signOut(unregistering token: (token: String, kind: PushTokenKind)? = nil) async throws(RoostError) -> Bool
    func startTyping(in channel: ChannelURL) async
    func suspend() async
    func timeline(of channel: ChannelURL, startingAt start: Timestamp = .distantFuture, filter: MessageFilter = .everything, pageSize: Int? = nil, capacity: Int = 1_000) async throws(RoostError) -> Timeline
    @discardableResult func trimCache(downTo size: ByteCount? = nil) async throws(RoostError) -> CacheTrim
    func typingUsers(in channel: ChannelURL) async -> [User]
    func unban(_ user: UserID, from channel: ChannelURL) async throws(RoostError)
    func unban(_ user: UserID, fromOpenChannel channel: ChannelURL) async throws(RoostError)
    func unblock(_ user: UserID) async throws(RoostError)
    @discardableResult func unhide(_ channel: ChannelURL) async throws(RoostError) -> RequestID
    @discardableResult func unmute(_ user: UserID, in channel: ChannelURL) async throws(RoostError) -> RequestID
    func unmuteNow(_ user: UserID, inOpenChannel channel: ChannelURL) async throws(RoostError)
    func unpinCache(of channel: ChannelURL) async throws(RoostError)
    @discardableResult func unpinMessage(_ message: MessageID, in channel: ChannelURL) async throws(RoostError) -> RequestID
    func unreadTotalStates(customTypes: Set<String> = []) async -> AsyncStream<UnreadTotals>
    func unreadTotals(customTypes: Set<String> = []) async throws(RoostError) -> UnreadTotals
    func unregisterAllPushTokens() async throws(RoostError)
    func unregisterPushToken(_ token: String, of kind: PushTokenKind) async throws(RoostError)
    func unsentMessages() async -> [Message]
    func unsentMessages(in channel: ChannelURL) async -> [Message]
    @discardableResult func update(_ change: PushPreferencesChange) async throws(RoostError) -> PushPreferences
    @discardableResult func update(_ channel: ChannelURL, _ params: ChannelUpdateParams) async throws(RoostError) -> RequestID
    @discardableResult func updateMetadata(_ metadata: [String: String], of channel: ChannelURL, addsMissing: Bool = false) async throws(RoostError) -> [String: String]
    @discardableResult func updateMetadata(_ metadata: [String: String], ofOpenChannel channel: ChannelURL, addsMissing: Bool = false) async throws(RoostError) -> [String: String]
    @discardableResult func updateOpenChannel(_ channel: ChannelURL, _ params: OpenChannelUpdateParams) async throws(RoostError) -> OpenChannel
    @discardableResult func updatePoll(_ poll: PollID, _ params: PollUpdateParams) async throws(RoostError) -> Poll
    @discardableResult func updatePollOption(_ option: PollOptionID, of poll: PollID, text: String) async throws(RoostError) -> Poll
    @discardableResult func updateProfile(_ params: ProfileUpdateParams) async throws(RoostError) -> User
    @discardableResult func updateScheduledMessage(_ id: ScheduledMessageID, in channel: ChannelURL, _ params: ScheduledMessageUpdateParams) async throws(RoostError) -> ScheduledMessage
    @discardableResult func updateUserMetadata(_ metadata: [String: String], addsMissing: Bool = false) async throws(RoostError) -> [String: String]
    func uploadPicture(_ bytes: [UInt8], type: String = "image/jpeg") async throws(RoostError) -> String
    func uploadProgress(of requestID: RequestID) async -> AsyncStream<UploadProgress>
    func use(token: String?) async
    func users(_ query: UserQuery = UserQuery(), pageSize: Int = 20, after token: String? = nil) async throws(RoostError) -> Page<User>
    @discardableResult func vote(for options: [PollOptionID], in poll: PollID, of channel: ChannelURL) async throws(RoostError) -> PollVotes
    func voters(for option: PollOptionID, in poll: PollID, pageSize: Int = 20, after token: String? = nil) async throws(RoostError) -> Page<User>
    @discardableResult func waitUntilIdle(atMost limit: Duration? = nil) async -> Bool

    enum CounterChange: Hashable, Sendable {
        case decrease
        case increase
        case set
    }
}

enum ChatEvent: Codable, Hashable, Sendable {
    case banned(RestrictedUser, ChannelURL)
    case blocked(User, by: User)
    case channelChanged(ChannelURL)
    case channelDeleted(ChannelURL)
    case countersChanged(created: [String: Int64], updated: [String: Int64], deleted: [String], ChannelURL)
    case declined(User, inviter: User?, ChannelURL)
    case delivered([UserID: Timestamp], ChannelURL)
    case entered(User, participants: Int, ChannelURL)
    case exited(User, participants: Int, ChannelURL)
    case frozen(Bool, ChannelURL)
    case hidden(ChannelURL)
    case invited([Member], by: User?, ChannelURL)
    case joined([Member], ChannelURL)
    case left(User, ChannelURL)
    case memberCountsChanged(ChannelURL)
    case mentioned(Message)
    case messageDeleted(MessageID, ChannelURL)
    case messageReceived(Message)
    case messageUpdated(Message)
    case metadataChanged(created: [String: String], updated: [String: String], deleted: [String], ChannelURL)
    case missed(Int)
    case muted(RestrictedUser, ChannelURL)
    indirect case openChannel(ChatEvent)
    case operatorsChanged([User], ChannelURL)
    case pinsChanged(ChannelURL)
    case pollChanged(Poll, MessageID, ChannelURL)
    case pollVoted(PollVotes, MessageID, ChannelURL)
    case reactionChanged(ReactionChange, MessageID, ChannelURL)
    case read(User, through: Timestamp, ChannelURL)
    case storageRepaired(String)
    case threadChanged(ThreadInfo, MessageID, ChannelURL)
    case typing([User], ChannelURL)
    case unbanned(User, ChannelURL)
    case unblocked(User, by: User)
    case unhidden(ChannelURL)
    case unmuted(User, ChannelURL)
    case unreadTotalChanged(Int)
    var channel: ChannelURL? { get }
}

struct ClientJournal: Sendable {
    let text: String
    func name(of channel: ChannelURL) -> String?
}

struct Configuration: Sendable {
    var allowsPlainTransport: Bool { get set }
    var applicationID: String { get set }
    var cache: Cache { get set }
    var cacheLimit: CacheLimit { get set }
    var downloadsLimit: ByteCount { get set }
    var locksFilesWithDevice: Bool { get set }
    var migrating: @Sendable (CacheMigration) -> Void { get set }
    var pageSize: Int { get set }
    var protection: Protection { get set }
    var server: String { get set }
    var token: String? { get set }
    var tokenProvider: (@Sendable () async throws -> String?)? { get set }
    var userID: UserID { get set }
    init(applicationID: String, server: String, userID: UserID, token: String? = nil, cache: Cache, cacheLimit: CacheLimit = CacheLimit(), protection: Protection = .none, allowsPlainTransport: Bool = false, pageSize: Int = 40)

    enum Cache: Hashable, Sendable {
        case folder(String)
        case memory
        static func folder(at url: URL) -> Configuration.Cache
    }
}

enum ConnectionState: Equatable, Sendable {
    case connected
    case connecting
    case disconnected
    case reconnecting(RoostError?)
    case refused(RoostError)
    var name: String { get }
}

enum CountPreference: CaseIterable, Codable, Hashable, Sendable, String {
    case all
    case mentions = "unread_mention_count_only"
    case messages = "unread_message_count_only"
    case off
}

struct CriticalAlert: Codable, Hashable, Sendable {
    var sound: String { get set }
    var unknownFields: UnknownFields { get set }
    var volume: Double { get set }
    init()
}

extension Date {
    init(_ moment: Timestamp)
}

struct DoNotDisturb: Codable, Hashable, Sendable {
    var endHour: Int { get set }
    var endMinute: Int { get set }
    var isOn: Bool { get set }
    var startHour: Int { get set }
    var startMinute: Int { get set }
    var timeZone: String { get set }
    init(isOn: Bool, startHour: Int = 0, startMinute: Int = 0, endHour: Int = 0, endMinute: Int = 0, timeZone: String = "UTC")
}

struct DownloadEstimate: Codable, Hashable, Sendable {
    let missingMessages: Int?
    let size: ByteCount?
}

struct DownloadProgress: Codable, Hashable, Sendable {
    var channel: ChannelURL? { get }
    var channelCount: Int? { get }
    var finishedChannels: Int { get }
    var messages: Int { get }
    var reached: Timestamp? { get }
    var refused: [ChannelURL: RoostError.Code] { get }
    var state: State { get }

    enum State: Codable, Hashable, Sendable {
        case canceled
        case finished
        case paused
        case running
        case waitingForConnection
    }
}

struct DownloadRequest: Codable, Hashable, Sendable {
    var channels: [ChannelURL]? { get set }
    var pause: Duration { get set }
    var since: Timestamp { get set }
    var start: Timestamp { get set }
    init(channels: [ChannelURL]? = nil, since: Timestamp = .distantPast, startingAt start: Timestamp = .distantFuture, pause: Duration = .milliseconds(100))
}

struct DownloadedFile: Hashable, Sendable {
    let address: String
    let size: ByteCount
    let url: URL?
}

struct DraftPlace: Codable, Hashable, Sendable {
    let channel: ChannelURL
    let thread: MessageID?
    init(_ channel: ChannelURL, thread: MessageID? = nil)
}

struct FileContent: Codable, Hashable, Sendable {
    var caption: String { get set }
    var data: String { get set }
    var files: [FileContent] { get set }
    var name: String { get set }
    var requiresAuth: Bool { get set }
    var size: ByteCount { get set }
    var thumbnails: [Thumbnail] { get set }
    var type: String { get set }
    var unknownFields: UnknownFields { get set }
    var url: String { get set }
    init(url: String, name: String, type: String, size: ByteCount, caption: String = "")
}

struct FileDownload: AsyncSequence, Sendable {
    let address: String
    func file() async throws(RoostError) -> DownloadedFile
    func makeAsyncIterator() -> AsyncIterator

    struct AsyncIterator: AsyncIteratorProtocol {
        mutating func next() async throws(RoostError) -> Element?
        mutating func next(isolation actor: isolated (any Actor)?) async throws(RoostError) -> Element?
    }

    enum Element: Hashable, Sendable {
        case finished(DownloadedFile)
        case progress(received: ByteCount, total: ByteCount?)
    }
}

struct FileMessageParams: Codable, Hashable, Sendable {
    var caption: String { get set }
    var customType: String { get set }
    var data: String { get set }
    var extraFields: UnknownFields { get set }
    var files: [OutgoingFile] { get set }
    var isReplyToChannel: Bool { get set }
    var isSilent: Bool { get set }
    var mention: Mention { get set }
    var mentionTemplate: String? { get set }
    var metaArrays: [MetaArray] { get set }
    var parentID: MessageID? { get set }
    var pollID: PollID? { get set }
    init(files: [OutgoingFile], caption: String = "", data: String = "", customType: String = "", mention: Mention = Mention(), metaArrays: [MetaArray] = [], parentID: MessageID? = nil, isReplyToChannel: Bool = false, isSilent: Bool = false)
}

struct GroupChannel: Codable, CustomStringConvertible, Hashable, Identifiable, ListElement, Sendable {
    var countPreference: CountPreference { get set }
    var coverURL: String { get set }
    var createdAt: Timestamp { get set }
    var createdBy: User? { get set }
    var customType: String { get set }
    var data: String { get set }
    var deliveryReceipts: [UserID: Timestamp]? { get set }
    var description: String { get }
    var draft: MessageDraft? { get }
    var hasAIBot: Bool { get set }
    var hasBot: Bool { get set }
    var hiddenState: HiddenState { get set }
    var id: ChannelURL { get }
    var identities: [ChannelURL] { get }
    var ignoresProfanityFilter: Bool { get set }
    var invitedAt: Timestamp? { get set }
    var inviter: User? { get set }
    var isBroadcast: Bool { get set }
    var isChatNotification: Bool { get set }
    var isDiscoverable: Bool { get set }
    var isDistinct: Bool { get set }
    var isEphemeral: Bool { get set }
    var isExclusive: Bool { get set }
    var isFrozen: Bool { get set }
    var isMuted: Bool { get set }
    var isPublic: Bool { get set }
    var isPushEnabled: Bool { get set }
    var isSuper: Bool { get set }
    var isSurvivalTriggeredByRead: Bool { get set }
    var joinedAt: Timestamp? { get set }
    var joinedMemberCount: Int { get set }
    var lastMessage: Message? { get set }
    var latestMessage: Position? { get set }
    var latestPinnedMessage: Message? { get set }
    var maxMessageLength: Int? { get set }
    var memberCount: Int { get set }
    var members: [Member] { get set }
    var messageOffset: Timestamp? { get set }
    var messageSurvival: Duration? { get set }
    var metadata: [String: String]? { get set }
    var myLastRead: Timestamp? { get set }
    var myRole: Role { get set }
    var myState: MembershipState { get set }
    var name: String { get set }
    var needsAccessCode: Bool { get set }
    var operators: [User] { get set }
    var pendingChanges: [PendingChange] { get }
    var pinnedMessageIDs: [MessageID] { get set }
    var purgeOffset: Timestamp? { get set }
    var pushTrigger: PushTrigger { get set }
    var readReceipts: [UserID: Timestamp]? { get set }
    var unknownFields: UnknownFields { get set }
    var unreadMentionCount: Int { get set }
    var unreadMessageCount: Int { get set }
    var url: ChannelURL { get }
    init(url: ChannelURL, name: String = "", coverURL: String = "", data: String = "", customType: String = "", createdAt: Timestamp = Timestamp(milliseconds: 0), createdBy: User? = nil, isDistinct: Bool = false, isSuper: Bool = false, isBroadcast: Bool = false, isPublic: Bool = false, isFrozen: Bool = false, members: [Member] = [], memberCount: Int = 0, joinedMemberCount: Int = 0, unreadMessageCount: Int = 0, unreadMentionCount: Int = 0, lastMessage: Message? = nil, myState: MembershipState = .joined, myRole: Role = .none, myLastRead: Timestamp? = nil, messageOffset: Timestamp? = nil, unknownFields: UnknownFields = UnknownFields())
    func undeliveredMembers(of message: Message) -> [Member]
    func unreadMembers(of message: Message) -> [Member]
}

struct Health: Hashable, Sendable {
    var cache: Cache { get set }
    var catchUp: CatchUp { get set }
    var connection: Connection { get set }
    var damage: Damage { get set }
    var isSettled: Bool { get }
    var isSuspended: Bool { get set }
    var outbox: Outbox { get set }
    init()
    func metrics(at now: Timestamp) -> [Metric]
    func summary(at now: Timestamp) -> String

    struct Cache: Hashable, Sendable {
        var channelsWithHoles: Int? { get set }
        var limit: ByteCount? { get set }
        var pagesFromDisk: Int { get set }
        var pagesFromServer: Int { get set }
        var refusal: RoostError? { get set }
        var size: ByteCount? { get set }
        init()
    }

    struct CatchUp: Hashable, Sendable {
        var channelList: ChannelList { get set }
        var downloads: Int { get set }
        var fetchedChannels: Int { get set }
        var finished: Int { get set }
        var isSettled: Bool { get }
        var lookUps: Int { get set }
        var nextAttempt: Timestamp? { get set }
        var running: Int { get set }
        var waiting: Int { get set }
        init()

        enum ChannelList: CaseIterable, Hashable, Sendable, String {
            case behind
            case current
            case fetching
            case offline
            case reading
            case waiting
        }
    }

    struct Connection: Hashable, Sendable {
        var attempt: Int { get set }
        var failure: RoostError? { get set }
        var nextAttempt: Timestamp? { get set }
        var since: Timestamp? { get set }
        var state: State { get set }
        init()

        enum State: CaseIterable, Hashable, Sendable, String {
            case asleep
            case awaitingNetwork = "awaiting_network"
            case awaitingToken = "awaiting_token"
            case connected
            case connecting
            case disconnected
            case refused
            case waiting
        }
    }

    struct Damage: Hashable, Sendable {
        var isBeingRepaired: Bool { get set }
        var lostMessages: Int { get set }
        var repairs: Int { get set }
        init()
    }

    struct Metric: Hashable, Sendable {
        let name: String
        let value: Double
    }

    struct Outbox: Hashable, Sendable {
        var failed: Int { get set }
        var oldest: Unsent? { get set }
        var pending: Int { get set }
        init()
    }

    struct Unsent: Hashable, Sendable {
        var channel: ChannelURL { get set }
        var createdAt: Timestamp { get set }
        var id: RequestID { get set }
        var isChange: Bool { get set }
        var wait: Wait? { get set }
        init(id: RequestID, channel: ChannelURL, isChange: Bool, createdAt: Timestamp, wait: Wait?)
    }

    enum Wait: Hashable, Sendable {
        case answer
        case arrival(RequestID)
        case catchUp
        case connection
        case disk
        case earlier(RequestID)
        case place
        case rateLimit(until: Timestamp)
        case retry(at: Timestamp)
        case suspension
        case turn
        case upload
        case user
        var name: String { get }
        var nextAttempt: Timestamp? { get }
    }
}

enum HiddenState: CaseIterable, Codable, Hashable, Sendable, String {
    case unhidden
    case untilNextMessage = "hidden_allow_auto_unhide"
    case untilShown = "hidden_prevent_auto_unhide"
}

final class HistoryDownload: Sendable {
    let request: DownloadRequest
    var progress: DownloadProgress { get async }
    func cancel() async
    func pause() async
    func progressUpdates() async -> AsyncStream<DownloadProgress>
    func resume() async
}

struct HistoryHole: Hashable, Sendable {
    let channel: ChannelURL
    let from: Timestamp
    let lastAttempt: Attempt?
    let reason: Reason
    let size: Size
    let through: Timestamp
    var requests: Int? { get }

    struct Attempt: Hashable, Sendable {
        let at: Timestamp
        let failure: RoostError.Code?
    }

    enum Reason: Hashable, Sendable {
        case betweenVisits
        case neverFetched
        case notCaughtUp
        case notPagedTo
    }

    enum Size: CustomStringConvertible, Hashable, Sendable {
        case atLeast(Int)
        case atMost(Int)
        case exactly(Int)
        case unknown
        var description: String { get }
    }
}

protocol Identifier: Codable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral, Hashable, RawRepresentable<String>, Sendable {
    var description: String { get }
    init(_ rawValue: String)
    init(rawValue: String)
    init(stringLiteral value: String)
    static func < (left: Self, right: Self) -> Bool
    static func == (left: Self, right: Self) -> Bool
    func hash(into hasher: inout Hasher)
}

struct Inbox: AsyncSequence, Sendable {
    let name: String
    func makeAsyncIterator() -> AsyncIterator

    struct AsyncIterator: AsyncIteratorProtocol {
        mutating func next() async throws(RoostError) -> InboxItem?
        mutating func next(isolation actor: isolated (any Actor)?) async throws(RoostError) -> InboxItem?
    }

    enum Start: Hashable, Sendable {
        case beginning
        case now
    }
}

struct InboxItem: Sendable {
    let message: Message
    var channel: ChannelURL { get }
    func acknowledge() async throws(RoostError)
    @discardableResult func answer(_ params: UserMessageParams, number: Int = 1) async throws(RoostError) -> Message
    @discardableResult func answer(_ text: String, number: Int = 1) async throws(RoostError) -> Message
}

struct LinkPreview: Codable, Hashable, Sendable {
    var image: Image? { get set }
    var summary: String { get set }
    var title: String { get set }
    var unknownFields: UnknownFields { get set }
    var url: String { get set }
    init()

    struct Image: Codable, Hashable, Sendable {
        var alternativeText: String { get set }
        var height: Int { get set }
        var secureURL: String { get set }
        var type: String { get set }
        var unknownFields: UnknownFields { get set }
        var url: String { get set }
        var width: Int { get set }
        init()
    }
}

struct ListDiff<Element: ListElement>: Hashable, Sendable {
    var deleted: [Element] { get }
    var inserted: [Element] { get }
    var isEmpty: Bool { get }
    var origins: Set<ChangeOrigin> { get }
    var updated: [Update<Element>] { get }
}

protocol ListElement: Hashable, Sendable {
    associatedtype Identity: Hashable & Sendable
    var identities: [Identity] { get }
}

struct Member: Codable, Hashable, Identifiable, Sendable {
    var deliveredAt: Timestamp? { get set }
    var id: UserID { get }
    var isBlockedByMe: Bool { get set }
    var isBlockingMe: Bool { get set }
    var isMuted: Bool { get set }
    var joinedAt: Timestamp? { get set }
    var muteReason: String { get set }
    var mutedUntil: Timestamp? { get set }
    var readAt: Timestamp? { get set }
    var role: Role { get set }
    var state: MembershipState { get set }
    var unknownFields: UnknownFields { get set }
    var user: User { get set }
    init(user: User, state: MembershipState = .joined, role: Role = .none, isMuted: Bool = false, joinedAt: Timestamp? = nil)
}

struct MemberQuery: Hashable, Sendable {
    var isMuted: Bool? { get set }
    var isOperator: Bool? { get set }
    var membership: MembershipState? { get set }
    var nicknamePrefix: String? { get set }
    var order: Order { get set }
    var pageSize: Int { get set }
    init()

    enum Order: CaseIterable, Hashable, Sendable, String {
        case nickname = "member_nickname_alphabetical"
        case operatorsFirst = "operator_then_member_alphabetical"
    }
}

enum MembershipState: CaseIterable, Codable, Hashable, Sendable, String {
    case invited
    case joined
    case none
}

struct Mention: Codable, Hashable, Sendable {
    var kind: Kind { get set }
    var userIDs: [UserID] { get set }
    init(kind: Kind = .users, userIDs: [UserID] = [])

    enum Kind: Codable, Hashable, Sendable, String {
        case channel
        case users
    }
}

struct Message: Codable, Hashable, Identifiable, ListElement, Sendable {
    var channelURL: ChannelURL { get set }
    var content: MessageContent { get set }
    var createdAt: Timestamp { get set }
    var customType: String { get set }
    var data: String { get set }
    var delivery: Delivery { get set }
    var details: MessageDetails { get set }
    var id: Identity { get }
    var identities: [Identity] { get }
    var isInOpenChannel: Bool { get }
    var isReplyToChannel: Bool { get set }
    var isResendable: Bool { get }
    var isSilent: Bool { get set }
    var mention: Mention { get set }
    @inline(never) var messageID: MessageID? { get }
    var metaArrays: [MetaArray] { get set }
    var params: MessageParams? { get }
    var parentID: MessageID? { get set }
    var pendingChanges: [PendingChange] { get }
    var position: Position? { get }
    var requestID: RequestID? { get }
    var sender: Sender? { get set }
    var status: SendingStatus { get }
    var target: MessageTarget { get }
    var text: String { get }
    var unknownFields: UnknownFields { get set }
    var updatedAt: Timestamp? { get set }
    init(delivery: Delivery, channelURL: ChannelURL, createdAt: Timestamp, updatedAt: Timestamp? = nil, sender: Sender? = nil, content: MessageContent, data: String = "", customType: String = "", mention: Mention = Mention(), metaArrays: [MetaArray] = [], parentID: MessageID? = nil, isReplyToChannel: Bool = false, isSilent: Bool = false, unknownFields: UnknownFields = UnknownFields())
    func applying(_ changes: [PendingChange], by me: UserID) -> Message?
    func isReactionPending(_ key: String) -> Bool

    enum Delivery: Codable, Hashable, Sendable {
        case delivered(MessageID, RequestID?)
        case unsent(RequestID, UnsentState)
    }

    enum Identity: Hashable, Sendable {
        case message(MessageID)
        case request(RequestID)
    }
}

enum MessageContent: Codable, Hashable, Sendable {
    case admin(text: String)
    indirect case file(FileContent)
    case unknown(kind: String)
    case user(text: String)
}

struct MessageDetails: Codable, Hashable, Sendable {
    var criticalAlert: CriticalAlert? { get set }
    var effects: MessageEffects? { get set }
    var extendedMessage: String? { get set }
    var extendedMessagePayload: String? { get set }
    var isRemoved: Bool { get set }
    var linkPreview: LinkPreview? { get set }
    var mentionTemplate: String { get set }
    var mentionedUsers: [User] { get set }
    var notification: NotificationInfo? { get set }
    var parentPreview: ParentPreview? { get set }
    var plugins: String? { get set }
    var poll: Poll? { get set }
    var reactions: [Reaction]? { get set }
    var retentionHours: Int? { get set }
    var schedule: Schedule? { get set }
    var survival: Duration? { get set }
    var threadInfo: ThreadInfo? { get set }
    var translations: [String: String] { get set }
    init()
}

struct MessageDraft: Codable, Hashable, Sendable {
    static let maxByteCount: Int
    static let maxCount: Int
    let editedAt: Timestamp
    let mention: Mention
    let place: DraftPlace
    let replyingTo: MessageID?
    let text: String
    var params: UserMessageParams { get }
}

struct MessageEdit: Codable, Hashable, Sendable {
    var customType: String? { get set }
    var data: String? { get set }
    var mention: Mention? { get set }
    var mentionTemplate: String? { get set }
    var text: String? { get set }
    init(text: String? = nil, data: String? = nil, customType: String? = nil, mention: Mention? = nil, mentionTemplate: String? = nil)
}

struct MessageEffects: Codable, Hashable, Sendable {
    var push: String { get set }
    var unknownFields: UnknownFields { get set }
    var updatesLastMessage: Bool { get set }
    var updatesMentionCount: Bool { get set }
    var updatesUnreadCount: Bool { get set }
    init()
}

enum MessageExplanation: CustomStringConvertible, Hashable, Sendable {
    case cached(Message, passes: Bool)
    case deleting(Message)
    case failed(Message)
    case notInChannel
    case pending(Message, ahead: Int, Waiting)
    case perhapsIn([HistoryHole])
    var description: String { get }

    enum Waiting: Hashable, Sendable {
        case connection
        case server
    }
}

struct MessageFilter: Codable, Hashable, Sendable {
    static let everything: MessageFilter
    var customTypes: [String]? { get set }
    var kind: Kind { get set }
    var parentID: MessageID? { get set }
    var replyType: ReplyType { get set }
    var senderIDs: [UserID]? { get set }
    init(kind: Kind = .all, customTypes: [String]? = nil, senderIDs: [UserID]? = nil, replyType: ReplyType = .none, parentID: MessageID? = nil)
    func matches(_ message: Message) -> Bool

    enum Kind: Codable, Hashable, Sendable, String {
        case admin = "ADMM"
        case all = ""
        case file = "FILE"
        case user = "MESG"
    }

    enum ReplyType: Codable, Hashable, Sendable, String {
        case all
        case none
        case onlyReplyToChannel = "only_reply_to_channel"
    }
}

struct MessageID: NumberIdentifier {
    let rawValue: Int64
    init(_ rawValue: Int64)
}

enum MessageParams: Codable, Hashable, Sendable {
    case file(FileMessageParams)
    case user(UserMessageParams)
}

struct MessageSearch: Hashable, Sendable {
    var channels: [ChannelURL]? { get set }
    var limit: Int { get set }
    var order: Order { get set }
    var period: ClosedRange<Timestamp> { get set }
    var senders: [UserID]? { get set }
    var snippetLength: Int { get set }
    var words: String { get set }
    init(_ words: String, in channels: [ChannelURL]? = nil, by senders: [UserID]? = nil, period: ClosedRange<Timestamp> = .distantPast ... .distantFuture, order: Order = .newest, limit: Int = 20, snippetLength: Int = 120)

    enum Order: Hashable, Sendable {
        case newest
        case relevance
    }
}

struct MessageSearchPage: Hashable, Sendable {
    let matches: [Match]
    let next: MessageSearch?
    let unseen: [UnseenPeriod]

    struct Match: Hashable, Sendable {
        let highlights: [Range<String.Index>]
        let isCutAfter: Bool
        let isCutBefore: Bool
        let message: Message
        let snippet: String
    }

    struct UnseenPeriod: Hashable, Sendable {
        let channel: ChannelURL
        let from: Timestamp
        let reason: Reason
        let through: Timestamp

        enum Reason: Hashable, Sendable {
            case notCached
            case notIndexed
        }
    }
}

enum MessageTarget: Codable, Hashable, Sendable {
    case delivered(MessageID)
    case unsent(RequestID)
}

struct MetaArray: Codable, Hashable, Sendable {
    var key: String { get set }
    var unknownFields: UnknownFields { get set }
    var values: [String] { get set }
    init(key: String, values: [String])
}

struct MuteInfo: Codable, Hashable, Sendable {
    var end: Timestamp? { get set }
    var isMuted: Bool { get set }
    var reason: String { get set }
    var remaining: Duration? { get set }
    var start: Timestamp? { get set }
    init(isMuted: Bool = false, reason: String = "", start: Timestamp? = nil, end: Timestamp? = nil, remaining: Duration? = nil)
}

struct NotificationInfo: Codable, Hashable, Sendable {
    var data: String? { get set }
    var id: String { get set }
    var status: String { get set }
    init(id: String)
}

protocol NumberIdentifier: Codable, Comparable, CustomStringConvertible, ExpressibleByIntegerLiteral, Hashable, RawRepresentable<Int64>, Sendable {
    var description: String { get }
    init(_ rawValue: Int64)
    init(integerLiteral value: Int64)
    init(rawValue: Int64)
    static func < (left: Self, right: Self) -> Bool
}

struct OpenChannel: Codable, Hashable, Identifiable, Sendable {
    var coverURL: String { get set }
    var createdAt: Timestamp { get set }
    var customType: String { get set }
    var data: String { get set }
    var id: ChannelURL { get }
    var isEphemeral: Bool { get set }
    var isFrozen: Bool { get set }
    var messageSurvival: Duration? { get set }
    var metadata: [String: String]? { get set }
    var name: String { get set }
    var operators: [User] { get set }
    var participantCount: Int { get set }
    var unknownFields: UnknownFields { get set }
    var url: ChannelURL { get }
    init(url: ChannelURL, name: String = "")
}

struct OpenChannelCreateParams: Codable, Hashable, Sendable {
    var coverURL: String { get set }
    var customType: String { get set }
    var data: String { get set }
    var isEphemeral: Bool { get set }
    var name: String { get set }
    var operatorIDs: [UserID] { get set }
    var url: ChannelURL? { get set }
    init(name: String = "", url: ChannelURL? = nil, coverURL: String = "", data: String = "", customType: String = "", operatorIDs: [UserID] = [])
}

struct OpenChannelQuery: Codable, Hashable, Sendable {
    var customTypes: [String]? { get set }
    var includesFrozen: Bool { get set }
    var nameContains: String? { get set }
    var urlContains: String? { get set }
    init(nameContains: String? = nil, urlContains: String? = nil, customTypes: [String]? = nil, includesFrozen: Bool = true)
}

struct OpenChannelUpdateParams: Codable, Hashable, Sendable {
    var coverURL: String? { get set }
    var customType: String? { get set }
    var data: String? { get set }
    var name: String? { get set }
    var operatorIDs: [UserID]? { get set }
    init(name: String? = nil, coverURL: String? = nil, data: String? = nil, customType: String? = nil, operatorIDs: [UserID]? = nil)
}

enum OutboxEvent: Codable, Hashable, Sendable {
    case canceled(Message)
    case changeDropped(PendingChange)
    case changeMade(PendingChange)
    case changeQueued(PendingChange)
    case changeRefused(ChangeRefusal)
    case delayed(Message, RoostError.Code)
    case delivered(Message)
    case draftChanged(DraftPlace, MessageDraft?)
    case failed(Message)
    case queued(Message)
    case retried(Message)
    case unrecorded(RequestID)
    case uploaded(RequestID, file: Int)
    case uploading(RequestID, UploadProgress)
}

struct OutgoingFile: Codable, Hashable, Sendable {
    var name: String { get set }
    var requiresAuth: Bool { get set }
    var size: ByteCount? { get set }
    var source: Source { get set }
    var thumbnailSizes: [ThumbnailSize] { get set }
    var thumbnails: [Thumbnail] { get set }
    var type: String { get set }
    init(_ source: Source, name: String, type: String = "application/octet-stream", size: ByteCount? = nil, thumbnailSizes: [ThumbnailSize] = [])

    enum Source: Codable, Hashable, Sendable {
        case bytes([UInt8])
        case copy(of: String)
        case reference(to: String)
        case url(String)
        static func copy(ofFileAt url: URL) -> OutgoingFile.Source
        static func reference(toFileAt url: URL) -> OutgoingFile.Source
    }

    struct ThumbnailSize: Codable, Hashable, Sendable {
        var height: Int { get set }
        var width: Int { get set }
        init(width: Int, height: Int)
    }
}

struct Page<Element: Hashable & Sendable>: Hashable, Sendable {
    let elements: [Element]
    let next: String?
}

struct ParentPreview: Codable, Hashable, Sendable {
    var content: MessageContent { get set }
    var createdAt: Timestamp? { get set }
    var customType: String { get set }
    var data: String { get set }
    var sender: User? { get set }
    var translations: [String: String] { get set }
    var unknownFields: UnknownFields { get set }
    var updatedAt: Timestamp? { get set }
    init(content: MessageContent)
}

struct PendingChange: Codable, Hashable, Identifiable, Sendable {
    let action: Action
    let channel: ChannelURL
    let createdAt: Timestamp
    let id: RequestID

    enum Action: Codable, Hashable, Sendable {
        case addReaction(String, MessageTarget)
        case channel(ChannelChange)
        case delete(MessageTarget)
        case edit(MessageTarget, MessageEdit)
        case markAsRead(through: Timestamp)
        case removeReaction(String, MessageTarget)
        var target: MessageTarget? { get }
    }
}

struct Poll: Codable, Hashable, Identifiable, Sendable {
    var allowsMultipleVotes: Bool { get set }
    var allowsSuggestions: Bool { get set }
    var closesAt: Timestamp? { get set }
    var createdAt: Timestamp? { get set }
    var createdBy: UserID? { get set }
    var dataText: String { get set }
    var dataType: String { get set }
    var id: PollID { get }
    var messageID: MessageID? { get set }
    var options: [Option] { get set }
    var status: Status { get set }
    var title: String { get set }
    var unknownFields: UnknownFields { get set }
    var updatedAt: Timestamp? { get set }
    var votedOptionIDs: [PollOptionID]? { get set }
    var voterCount: Int { get set }
    init(id: PollID)

    struct Option: Codable, Hashable, Identifiable, Sendable {
        var createdAt: Timestamp? { get set }
        var createdBy: UserID? { get set }
        var id: PollOptionID { get }
        var text: String { get set }
        var unknownFields: UnknownFields { get set }
        var updatedAt: Timestamp? { get set }
        var voteCount: Int { get set }
        var voters: [User] { get set }
        init(id: PollOptionID)
    }

    enum Status: Codable, Hashable, Sendable, String {
        case closed
        case open
        case removed
    }
}

struct PollCreateParams: Codable, Hashable, Sendable {
    var allowsMultipleVotes: Bool { get set }
    var allowsSuggestions: Bool { get set }
    var closesAt: Timestamp? { get set }
    var dataText: String { get set }
    var dataType: String { get set }
    var options: [String] { get set }
    var title: String { get set }
    init(title: String, options: [String], closesAt: Timestamp? = nil, allowsSuggestions: Bool = false, allowsMultipleVotes: Bool = false)
}

struct PollID: NumberIdentifier {
    let rawValue: Int64
    init(_ rawValue: Int64)
}

struct PollOptionID: NumberIdentifier {
    let rawValue: Int64
    init(_ rawValue: Int64)
}

struct PollUpdateParams: Codable, Hashable, Sendable {
    var allowsMultipleVotes: Bool? { get set }
    var allowsSuggestions: Bool? { get set }
    var closesAt: Timestamp? { get set }
    var dataText: String? { get set }
    var dataType: String? { get set }
    var title: String? { get set }
    init(title: String? = nil, closesAt: Timestamp? = nil, allowsSuggestions: Bool? = nil, allowsMultipleVotes: Bool? = nil, dataType: String? = nil, dataText: String? = nil)
}

struct PollVotes: Codable, Hashable, Sendable {
    var at: Timestamp { get }
    var counts: [Count] { get }
    var pollID: PollID { get }
    var votedOptionIDs: [PollOptionID]? { get }
    var voterCount: Int { get }

    struct Count: Codable, Hashable, Sendable {
        let optionID: PollOptionID
        let voteCount: Int
    }
}

struct Position: Codable, Comparable, CustomStringConvertible, Hashable, Sendable {
    static let distantFuture: Position
    static let distantPast: Position
    let createdAt: Timestamp
    let messageID: MessageID
    var description: String { get }
    init(createdAt: Timestamp, messageID: MessageID)
    static func < (left: Self, right: Self) -> Bool
}

struct ProfileUpdateParams: Codable, Hashable, Sendable {
    var nickname: String? { get set }
    var picture: [UInt8]? { get set }
    var pictureURL: String? { get set }
    var preferredLanguages: [String]? { get set }
    init(nickname: String? = nil, pictureURL: String? = nil, picture: [UInt8]? = nil, preferredLanguages: [String]? = nil)
}

struct Protection: Sendable {
    static let none: Protection
    static func key(_ key: [UInt8], replacing old: [UInt8]? = nil) throws(RoostError) -> Protection
    static func keyFile(in folder: String, replacesKey: Bool = false) -> Protection
    static func keyFile(inFolderAt url: URL, replacesKey: Bool = false) -> Protection
    func takenOff() -> Protection
}

struct PushPreferences: Codable, Hashable, Sendable {
    var doNotDisturb: DoNotDisturb? { get set }
    var snooze: Snooze? { get set }
    var sound: String { get set }
    var trigger: PushTrigger { get set }
    var weeklyDoNotDisturb: WeeklyDoNotDisturb? { get set }
    init(trigger: PushTrigger = .all, doNotDisturb: DoNotDisturb? = nil, snooze: Snooze? = nil, sound: String = "default", weeklyDoNotDisturb: WeeklyDoNotDisturb? = nil)
}

struct PushPreferencesChange: Codable, Hashable, Sendable {
    var doNotDisturb: DoNotDisturb? { get set }
    var snooze: Snooze? { get set }
    var sound: String? { get set }
    var trigger: PushTrigger? { get set }
    var weeklyDoNotDisturb: WeeklyDoNotDisturb? { get set }
    init(trigger: PushTrigger? = nil, doNotDisturb: DoNotDisturb? = nil, snooze: Snooze? = nil, sound: String? = nil, weeklyDoNotDisturb: WeeklyDoNotDisturb? = nil)
}

enum PushTokenKind: CaseIterable, Codable, Hashable, Sendable, String {
    case apns
    case gcm
    case huawei
}

enum PushTrigger: CaseIterable, Codable, Hashable, Sendable, String {
    case all
    case mentions = "mention_only"
    case off
    case standard = "default"
}

struct Reaction: Codable, Hashable, Sendable {
    var count: Int { get set }
    var key: String { get set }
    var unknownFields: UnknownFields { get set }
    var updatedAt: Timestamp { get set }
    var userIDs: [UserID] { get set }
    init(key: String, userIDs: [UserID], updatedAt: Timestamp)
}

struct ReactionChange: Codable, Hashable, Sendable {
    var isAdded: Bool { get set }
    var key: String { get set }
    var updatedAt: Timestamp { get set }
    var userID: UserID { get set }
    init(key: String, userID: UserID, isAdded: Bool, updatedAt: Timestamp)
}

struct ReactionTimes: Codable, Hashable, Sendable {
    init()
    mutating func admits(_ change: ReactionChange) -> Bool
}

enum ReportCategory: CaseIterable, Codable, Hashable, Sendable, String {
    case harassing
    case inappropriate
    case spam
    case suspicious
}

enum ReportSubject: Codable, Hashable, Sendable {
    case channel(ChannelURL)
    case message(MessageID, in: ChannelURL)
    case user(UserID, in: ChannelURL?)
}

struct RequestID: Identifier {
    let rawValue: String
    init(_ rawValue: String)
}

struct RestrictedUser: Codable, Hashable, Identifiable, Sendable {
    var id: UserID { get }
    var reason: String { get set }
    var until: Timestamp? { get set }
    var user: User { get set }
    init(user: User, until: Timestamp? = nil, reason: String = "")
}

enum Role: CaseIterable, Codable, Hashable, Sendable, String {
    case none
    case `operator`
}

struct RoostError: Codable, CustomStringConvertible, Error, Hashable, Sendable {
    let code: Code
    let message: String
    let remedy: Remedy
    let underlying: (any Error)?
    var description: String { get }
    init(_ code: Code, remedy: Remedy, message: String, underlying: (any Error)? = nil)
    init(from decoder: any Decoder) throws
    static func == (left: RoostError, right: RoostError) -> Bool
    func encode(to encoder: any Encoder) throws
    func hash(into hasher: inout Hasher)

    struct Code: Codable, CustomStringConvertible, Hashable, RawRepresentable, Sendable {
        static let ackTimeout = Self(800_180)
        static let apiTokenInvalid = Self(400_401)
        static let applicationNotFound = Self(400_304)
        static let banned = Self(900_100)
        static let bannedFromChannel = Self(400_750)
        static let blockedByReceiver = Self(900_080)
        static let channelFrozen = Self(900_050)
        static let channelNotFound = Self(900_500)
        static let collectionDisposed = Self(800_600)
        static let connectionCanceled = Self(800_102)
        static let connectionRequired = Self(800_101)
        static let delayedConnecting = Self(800_221)
        static let domainFiltered = Self(900_065)
        static let duplicate = Self(400_202)
        static let featureUnavailable = Self(400_920)
        static let fileRefused = Self(900_066)
        static let fileTooLarge = Self(800_260)
        static let internalServerError = Self(500_901)
        static let invalidEndpoint = Self(400_930)
        static let invalidInitialization = Self(800_100)
        static let invalidParameter = Self(800_110)
        static let invalidURL = Self(400_404)
        static let invalidValue = Self(400_111)
        static let localDatabaseError = Self(800_700)
        static let loginRequired = Self(900_010)
        static let loginTimeout = Self(800_190)
        static let malformedData = Self(800_130)
        static let malformedJSON = Self(400_403)
        static let messageNotFound = Self(900_300)
        static let mutedInApplication = Self(900_040)
        static let mutedInChannel = Self(900_041)
        static let networkError = Self(800_120)
        static let notAMember = Self(900_020)
        static let notAuthorized = Self(400_108)
        static let notFound = Self(400_201)
        static let notTheOwner = Self(900_022)
        static let parameterMissing = Self(400_105)
        static let pendingError = Self(800_400)
        static let queryInProgress = Self(800_170)
        static let rateLimited = Self(500_910)
        static let requestCanceled = Self(800_240)
        static let requestFailed = Self(800_220)
        static let routingError = Self(800_121)
        static let senderDeactivated = Self(900_021)
        static let sendingBlocked = Self(400_700)
        static let sessionKeyExpired = Self(400_309)
        static let sessionKeyNotFound = Self(400_303)
        static let sessionRevoked = Self(400_310)
        static let socketClosed = Self(800_200)
        static let socketFailed = Self(800_210)
        static let tokenInvalid = Self(400_302)
        static let tooManyItems = Self(400_203)
        static let tooManyMessages = Self(900_200)
        static let untrustedServer = Self(800_122)
        static let uploadCancelFailed = Self(800_230)
        static let uploadTimeout = Self(800_250)
        static let urlFiltered = Self(900_061)
        static let userDeactivated = Self(400_300)
        static let userNotFound = Self(400_301)
        static let valueLength = Self(400_110)
        static let wordsFiltered = Self(900_060)
        static let wrongTypeNumber = Self(400_101)
        static let wrongTypeString = Self(400_100)
        let rawValue: Int
        var description: String { get }
        init(_ rawValue: Int)
        init(rawValue: Int)
    }

    enum Remedy: Codable, Hashable, Sendable {
        case correctInput
        case none
        case repairStorage
        case retry
        case signIn
    }
}

struct Schedule: Codable, Hashable, Sendable {
    var id: ScheduledMessageID { get set }
    var sendsAt: Timestamp? { get set }
    var status: String { get set }
    init(id: ScheduledMessageID)
}

struct ScheduledMessage: Codable, Hashable, Identifiable, Sendable {
    let id: ScheduledMessageID
    var channelURL: ChannelURL { get }
    var failureCode: RoostError.Code? { get set }
    var message: Message { get set }
    var sendsAt: Timestamp { get set }
    var status: Status { get set }

    enum Status: CaseIterable, Codable, Hashable, Sendable, String {
        case canceled
        case failed
        case pending
        case sent
    }
}

struct ScheduledMessageID: NumberIdentifier {
    let rawValue: Int64
    init(_ rawValue: Int64)
}

struct ScheduledMessageQuery: Codable, Hashable, Sendable {
    var channel: ChannelURL? { get set }
    var isReversed: Bool { get set }
    var kind: MessageFilter.Kind { get set }
    var order: Order { get set }
    var statuses: Set<ScheduledMessage.Status> { get set }
    init(channel: ChannelURL? = nil, statuses: Set<ScheduledMessage.Status> = [])

    enum Order: Codable, Hashable, Sendable {
        case creation
        case sending
    }
}

struct ScheduledMessageUpdateParams: Codable, Hashable, Sendable {
    var customType: String? { get set }
    var data: String? { get set }
    var extraFields: UnknownFields { get set }
    var mention: Mention? { get set }
    var metaArrays: [MetaArray]? { get set }
    var sendsAt: Timestamp? { get set }
    var text: String? { get set }
    init(sendsAt: Timestamp? = nil, text: String? = nil, data: String? = nil, customType: String? = nil, mention: Mention? = nil, metaArrays: [MetaArray]? = nil)
}

struct Sender: Codable, Hashable, Sendable {
    var isBlockedByMe: Bool { get set }
    var role: Role { get set }
    var unknownFields: UnknownFields { get set }
    var user: User { get set }
    init(user: User, role: Role = .none)
}

enum SendingStatus: CaseIterable, Codable, Hashable, Sendable, String {
    case canceled
    case failed
    case pending
    case succeeded
}

struct Snooze: Codable, Hashable, Sendable {
    var end: Timestamp { get set }
    var isOn: Bool { get set }
    var start: Timestamp { get set }
    init(isOn: Bool, start: Timestamp, end: Timestamp)
}

struct ThreadInfo: Codable, Hashable, Sendable {
    var isPushEnabled: Bool? { get set }
    var lastRepliedAt: Timestamp? { get set }
    var memberCount: Int? { get set }
    var mostReplies: [User] { get set }
    var replyCount: Int { get set }
    var unknownFields: UnknownFields { get set }
    var unreadMessageCount: Int? { get set }
    var updatedAt: Timestamp? { get set }
    init(replyCount: Int)
    func merged(with other: ThreadInfo) -> ThreadInfo
}

struct Thumbnail: Codable, Hashable, Sendable {
    var height: Int { get set }
    var plainURL: String { get set }
    var realHeight: Int { get set }
    var realWidth: Int { get set }
    var unknownFields: UnknownFields { get set }
    var url: String { get set }
    var width: Int { get set }
    init(url: String)
}

final class Timeline: Sendable {
    let channel: ChannelURL
    let filter: MessageFilter
    var snapshot: Snapshot { get async }
    func changes() async -> AsyncStream<ListDiff<Message>>
    func close() async
    func jump(to moment: Timestamp) async throws(RoostError)
    @discardableResult func loadNewer() async throws(RoostError) -> Int
    @discardableResult func loadOlder() async throws(RoostError) -> Int
    func reachServer() async throws(RoostError)
    func serverRefusals() async -> AsyncStream<RoostError>
    func snapshots() async -> AsyncStream<Snapshot>

    struct Snapshot: Hashable, Sendable {
        let hasHugeGap: Bool
        let hasNewer: Bool
        let hasOlder: Bool
        let messages: [Message]
        let sentBeyondGap: Int
    }
}

@MainActor @Observable final class TimelineModel {
    var connection: ConnectionState? { get }
    var error: RoostError? { get }
    var hasHugeGap: Bool { get }
    var hasNewer: Bool { get }
    var hasOlder: Bool { get }
    var isLoading: Bool { get }
    var isOpening: Bool { get }
    var messages: [Message] { get }
    var sentBeyondGap: Int { get }
    init(_ client: ChatClient, channel: ChannelURL, startingAt start: Timestamp = .distantFuture, filter: MessageFilter = .everything)
    func jump(to moment: Timestamp) async
    func loadNewer() async
    func loadOlder() async
    func run() async
    @discardableResult func send(_ params: UserMessageParams) async -> Bool
    @discardableResult func send(_ text: String) async -> Bool
}

struct Timestamp: Codable, Comparable, CustomStringConvertible, Hashable, Sendable {
    static let distantFuture: Timestamp
    static let distantPast: Timestamp
    let milliseconds: Int64
    var date: Date { get }
    var description: String { get }
    var seconds: Int64 { get }
    init(_ date: Date)
    init(milliseconds: Int64)
    init(seconds: Int64)
    static func < (left: Self, right: Self) -> Bool
}

struct UnknownFields: Codable, Hashable, Sendable {
    var fields: [Field] { get }
    var isEmpty: Bool { get }
    init()
    subscript(name: String) -> String? { get }
    mutating func keep(_ field: Field)

    struct Field: Codable, Hashable, Sendable {
        let json: String
        let name: String
        init(name: String, json: String)
    }
}

struct UnreadTotals: Hashable, Sendable {
    var channels: Int { get set }
    var invitations: Int { get set }
    var mentions: Int { get set }
    var messages: Int { get set }
    init()
}

enum UnsentState: Codable, Hashable, Sendable {
    case canceled
    case failed(RoostError.Code)
    case pending
}

struct Update<Value: Hashable & Sendable>: Hashable, Sendable {
    let after: Value
    let before: Value
    init(before: Value, after: Value)
}

struct UploadProgress: Codable, Hashable, Sendable {
    var sent: ByteCount { get set }
    var total: ByteCount { get set }
    init(sent: ByteCount, total: ByteCount)
}

struct User: Codable, Hashable, Identifiable, Sendable {
    var details: UserDetails { get set }
    var id: UserID { get }
    var isActive: Bool { get set }
    var metadata: [String: String] { get set }
    var nickname: String { get set }
    var profileURL: String { get set }
    var unknownFields: UnknownFields { get set }
    init(id: UserID, nickname: String = "", profileURL: String = "", metadata: [String: String] = [:], isActive: Bool = true, unknownFields: UnknownFields = UnknownFields())
}

struct UserDetails: Codable, Hashable, Sendable {
    var friendDiscoveryKey: String? { get set }
    var friendName: String? { get set }
    var isOnline: Bool? { get set }
    var lastSeenAt: Timestamp? { get set }
    var preferredLanguages: [String] { get set }
    var requiresAuthForProfileImage: Bool { get set }
    init()
}

struct UserID: Identifier {
    let rawValue: String
    init(_ rawValue: String)
}

struct UserMessageParams: Codable, Hashable, Sendable {
    var customType: String { get set }
    var data: String { get set }
    var extraFields: UnknownFields { get set }
    var isReplyToChannel: Bool { get set }
    var isSilent: Bool { get set }
    var mention: Mention { get set }
    var mentionTemplate: String? { get set }
    var metaArrays: [MetaArray] { get set }
    var parentID: MessageID? { get set }
    var pollID: PollID? { get set }
    var text: String { get set }
    init(text: String, data: String = "", customType: String = "", mention: Mention = Mention(), metaArrays: [MetaArray] = [], parentID: MessageID? = nil, isReplyToChannel: Bool = false, isSilent: Bool = false)
}

struct UserQuery: Codable, Hashable, Sendable {
    var ids: [UserID]? { get set }
    var metadataKey: String? { get set }
    var metadataValues: [String]? { get set }
    var nicknamePrefix: String? { get set }
    init(ids: [UserID]? = nil, nicknamePrefix: String? = nil, metadataKey: String? = nil, metadataValues: [String]? = nil)
}

struct WeeklyDoNotDisturb: Codable, Hashable, Sendable {
    var timeZone: String { get set }
    var windows: [Day: [Window]] { get set }
    init(windows: [Day: [Window]] = [:], timeZone: String = "UTC")

    enum Day: CaseIterable, Codable, Hashable, Sendable, String {
        case friday
        case monday
        case saturday
        case sunday
        case thursday
        case tuesday
        case wednesday
    }

    struct Window: Codable, Hashable, Sendable {
        var endHour: Int { get set }
        var endMinute: Int { get set }
        var startHour: Int { get set }
        var startMinute: Int { get set }
        init(startHour: Int, startMinute: Int = 0, endHour: Int, endMinute: Int = 0)
    }
}

extension [Reaction] {
    func applying(_ change: ReactionChange) -> [Reaction]
}
