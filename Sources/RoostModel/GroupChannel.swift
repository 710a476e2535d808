// SPDX-License-Identifier: Apache-2.0

/// A group channel as one user, the viewer, sees it: counts, role and state are the viewer's
/// (`docs/protocol` 4.2).
public struct GroupChannel: Hashable, Codable, Sendable, Identifiable {
    /// The channel's identity in the application.
    public package(set) var url: ChannelURL
    /// The name; may be empty.
    public var name: String
    /// The address of the cover picture, or "".
    public var coverURL: String
    /// Text of the app's own; the server does not read it.
    public var data: String
    /// A type of the app's own, which lists can filter by; "" for none.
    public var customType: String
    /// The time of creation by the server's clock; the wire counts it in seconds.
    public var createdAt: Timestamp
    /// The creator; nil if the server did not send it.
    public var createdBy: User?
    /// Whether the channel is the only one with exactly its members.
    public var isDistinct: Bool
    /// Whether the channel may have more members than the server lists.
    public var isSuper: Bool
    /// Whether only operators write.
    public var isBroadcast: Bool
    /// Whether any user may join without an invitation.
    public var isPublic: Bool
    /// Whether only operators may write for now.
    public var isFrozen: Bool
    /// The members that the server listed; all of them unless the channel is a super channel.
    public var members: [Member]
    /// The number of members and invited users, as the server counts them.
    public var memberCount: Int
    /// The number of users who have joined, as the server counts them.
    public var joinedMemberCount: Int
    /// The viewer's unread messages; the server's number, kept up to date by live messages.
    public var unreadMessageCount: Int
    /// The viewer's unread mentions, counted like `unreadMessageCount`.
    public var unreadMentionCount: Int
    /// The last message, silent ones left out; nil without one or if the viewer cannot see it.
    public var lastMessage: Message?
    /// The viewer's membership.
    public var myState: MembershipState
    /// The viewer's role.
    public var myRole: Role
    /// The time up to which the viewer has read; nil if unknown.
    public var myLastRead: Timestamp?
    /// The time up to which messages, that moment included, are invisible to the viewer; nil if all
    /// are visible.
    public var messageOffset: Timestamp?
    /// Fields of a newer server without a name in this release.
    public var unknownFields: UnknownFields

    /// The mark `is_exclusive`; a Roost server stores it and treats the channel as any other.
    public var isExclusive = false
    /// Whether searches find the channel; the value of `isPublic` if the server does not send it.
    public var isDiscoverable = false
    /// The mark `is_ephemeral`; a Roost server stores it and treats the channel as any other.
    public var isEphemeral = false
    /// Whether a user must give a code to join.
    public var needsAccessCode = false
    /// Whether the channel is one for notifications.
    public var isChatNotification = false
    /// Whether messages push to the viewer's devices.
    public var isPushEnabled = true
    /// Whether a bot is a member.
    public var hasBot = false
    /// Whether an AI bot is a member.
    public var hasAIBot = false
    /// Whether the server's word filter is off here.
    public var ignoresProfanityFilter = false
    /// Whether the viewer may not write.
    public var isMuted = false
    /// The operators; only in answers that name them, otherwise empty.
    public var operators: [User] = []
    /// The user who invited the viewer; nil if unknown.
    public var inviter: User?
    /// The time of the viewer's invitation; nil if unknown.
    public var invitedAt: Timestamp?
    /// The time at which the viewer joined; nil if unknown.
    ///
    /// The wire counts it in seconds.
    public var joinedAt: Timestamp?
    /// Whether and how the channel is hidden from the viewer's lists.
    public var hiddenState: HiddenState = .unhidden
    /// The newest message of any visible kind; `lastMessage` may be older.
    public var latestMessage: Position?
    /// The time up to which each member has read; nil if receipts were not asked for.
    ///
    /// Super and broadcast channels count no receipts: their times are those of the last look-up.
    public var readReceipts: [UserID: Timestamp]?
    /// The time up to which messages have reached each member; nil if the channel counts no
    /// deliveries.
    ///
    /// In super and broadcast channels these are the times of the last look-up.
    public var deliveryReceipts: [UserID: Timestamp]?
    /// The time up to which messages, that moment included, are deleted; nil if none are.
    public var purgeOffset: Timestamp?
    /// `messageSurvival` as the protocol counts.
    package var messageSurvivalSeconds: Int?
    /// The time after which messages disappear, in whole seconds; nil if they stay.
    public var messageSurvival: Duration? {
        get { messageSurvivalSeconds.map { .seconds($0) } }
        set { messageSurvivalSeconds = newValue?.wholeSeconds }
    }
    /// Whether `messageSurvival` counts from reading instead of sending.
    public var isSurvivalTriggeredByRead = false
    /// The longest text the server accepts, in characters; nil if it does not send it.
    public var maxMessageLength: Int?
    /// The counts that go into the viewer's unread totals.
    public var countPreference: CountPreference = .all
    /// The messages that push to the viewer's devices.
    public var pushTrigger: PushTrigger = .standard
    /// The pinned messages, newest first.
    public var pinnedMessageIDs: [MessageID] = []
    /// The message that was pinned last; nil if none is.
    public var latestPinnedMessage: Message? {
        get { pinned?.value }
        set { pinned = newValue.map { Indirect($0) } }
    }
    /// The metadata; nil if they were not asked for.
    public var metadata: [String: String]?
    package var pinned: Indirect<Message>?
    /// The contents of the outbox that the properties show; neither stored nor sent.
    package var marks: Indirect<ChannelMarks>?

    /// Creates a channel; all other fields have their defaults and can be set afterwards.
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

    /// The channel's URL.
    public var id: ChannelURL { url }
}

/// Whether a channel stands in the viewer's lists.
public enum HiddenState: String, Hashable, Codable, Sendable, CaseIterable {
    /// The channel is not hidden.
    case unhidden
    /// The channel is hidden until its next message.
    case untilNextMessage = "hidden_allow_auto_unhide"
    /// The channel is hidden until `ChatClient.unhide(_:)` is called.
    case untilShown = "hidden_prevent_auto_unhide"
}

/// The counts of a channel that go into the viewer's unread totals.
public enum CountPreference: String, Hashable, Codable, Sendable, CaseIterable {
    /// Messages and mentions.
    case all
    /// Messages only.
    case messages = "unread_message_count_only"
    /// Mentions only.
    case mentions = "unread_mention_count_only"
    /// Neither.
    case off
}

/// The messages of a channel that push to the viewer's devices.
public enum PushTrigger: String, Hashable, Codable, Sendable, CaseIterable {
    /// The viewer's setting for all channels.
    case standard = "default"
    /// All messages.
    case all
    /// Messages that mention the viewer.
    case mentions = "mention_only"
    /// No messages.
    case off
}
