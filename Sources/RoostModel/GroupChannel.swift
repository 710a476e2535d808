// SPDX-License-Identifier: Apache-2.0

/// A group channel as one user sees it: counts, role and state are the viewer's (`docs/protocol` 4.2).
public struct GroupChannel: Hashable, Sendable, Identifiable {
    public package(set) var url: ChannelURL
    public var name: String
    public var coverURL: String
    public var data: String
    public var customType: String
    /// When the channel was made; the wire counts it in seconds.
    public var createdAt: Timestamp
    public var createdBy: User?
    public var isDistinct: Bool
    public var isSuper: Bool
    public var isBroadcast: Bool
    public var isPublic: Bool
    public var isFrozen: Bool
    /// The members the server listed; all of them unless the channel is a super channel.
    public var members: [Member]
    public var memberCount: Int
    public var joinedMemberCount: Int
    public var unreadMessageCount: Int
    public var unreadMentionCount: Int
    public var lastMessage: Message?
    public var myState: MembershipState
    public var myRole: Role
    /// Up to when the viewer has read.
    public var myLastRead: Timestamp?
    /// Messages at or before this moment are invisible to the viewer; nil when all are visible.
    public var messageOffset: Timestamp?
    public var unknownFields: UnknownFields

    public var isExclusive = false
    /// Shown in searches; the server means `isPublic` when it does not say.
    public var isDiscoverable = false
    public var isEphemeral = false
    public var needsAccessCode = false
    public var isChatNotification = false
    public var isPushEnabled = true
    public var hasBot = false
    public var hasAIBot = false
    public var ignoresProfanityFilter = false
    /// The viewer may not write.
    public var isMuted = false
    /// Only in answers that name them.
    public var operators: [User] = []
    public var inviter: User?
    public var invitedAt: Timestamp?
    /// When the viewer joined; the wire counts it in seconds.
    public var joinedAt: Timestamp?
    public var hiddenState: HiddenState = .unhidden
    /// The newest message of any visible kind, which `lastMessage` need not be.
    public var latestMessage: Position?
    /// Up to when each member has read; nil when nobody asked.
    public var readReceipts: [UserID: Timestamp]?
    /// Up to when messages reached each member; nil when the channel does not keep count.
    public var deliveryReceipts: [UserID: Timestamp]?
    /// Messages at or before this moment are deleted; nil when none are.
    public var purgeOffset: Timestamp?
    /// Seconds after which messages disappear; nil when they stay.
    public var messageSurvivalSeconds: Int?
    /// The seconds count from the reading, not from the sending.
    public var isSurvivalTriggeredByRead = false
    public var maxMessageLength: Int?
    public var countPreference: CountPreference = .all
    public var pushTrigger: PushTrigger = .standard
    /// Newest first.
    public var pinnedMessageIDs: [MessageID] = []
    public var latestPinnedMessage: Message? {
        get { pinned?.value }
        set { pinned = newValue.map { Indirect($0) } }
    }
    /// Nil when nobody asked.
    public var metadata: [String: String]?
    private var pinned: Indirect<Message>?

    public init(
        url: ChannelURL, name: String = "", coverURL: String = "", data: String = "",
        customType: String = "", createdAt: Timestamp = Timestamp(milliseconds: 0),
        createdBy: User? = nil, isDistinct: Bool = false, isSuper: Bool = false,
        isBroadcast: Bool = false, isPublic: Bool = false, isFrozen: Bool = false,
        members: [Member] = [], memberCount: Int = 0, joinedMemberCount: Int = 0,
        unreadMessageCount: Int = 0, unreadMentionCount: Int = 0, lastMessage: Message? = nil,
        myState: MembershipState = .joined, myRole: Role = .none, myLastRead: Timestamp? = nil,
        messageOffset: Timestamp? = nil, unknownFields: UnknownFields = UnknownFields()
    ) {
        self.url = url
        self.name = name
        self.coverURL = coverURL
        self.data = data
        self.customType = customType
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.isDistinct = isDistinct
        self.isSuper = isSuper
        self.isBroadcast = isBroadcast
        self.isPublic = isPublic
        self.isFrozen = isFrozen
        self.members = members
        self.memberCount = memberCount
        self.joinedMemberCount = joinedMemberCount
        self.unreadMessageCount = unreadMessageCount
        self.unreadMentionCount = unreadMentionCount
        self.lastMessage = lastMessage
        self.myState = myState
        self.myRole = myRole
        self.myLastRead = myLastRead
        self.messageOffset = messageOffset
        self.unknownFields = unknownFields
    }

    public var id: ChannelURL { url }
}

/// Whether a channel stands in the viewer's list.
public enum HiddenState: String, Hashable, Sendable, CaseIterable {
    case unhidden
    /// It comes back with the next message.
    case untilNextMessage = "hidden_allow_auto_unhide"
    case untilShown = "hidden_prevent_auto_unhide"
}

/// What of a channel counts towards the viewer's unread totals.
public enum CountPreference: String, Hashable, Sendable, CaseIterable {
    case all
    case messages = "unread_message_count_only"
    case mentions = "unread_mention_count_only"
    case off
}

/// Which messages of a channel push to the viewer.
public enum PushTrigger: String, Hashable, Sendable, CaseIterable {
    /// As the viewer set it for all channels.
    case standard = "default"
    case all
    case mentions = "mention_only"
    case off
}
