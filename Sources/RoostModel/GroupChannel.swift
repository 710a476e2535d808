// SPDX-License-Identifier: Apache-2.0

/// A group channel as one user sees it: counts, role and state are the viewer's (`protocol.md` 4.2).
public struct GroupChannel: Hashable, Sendable, Identifiable {
    public let url: ChannelURL
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
