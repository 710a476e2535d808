// SPDX-License-Identifier: Apache-2.0

/// A person or a bot, as everybody in the application sees them (`protocol.md` 4.1).
public struct User: Hashable, Sendable, Identifiable {
    public let id: UserID
    public var nickname: String
    public var profileURL: String
    public var metadata: [String: String]
    public var isActive: Bool
    public var unknownFields: UnknownFields
    private var rare = Rare<UserDetails>()

    public init(
        id: UserID, nickname: String = "", profileURL: String = "",
        metadata: [String: String] = [:], isActive: Bool = true,
        unknownFields: UnknownFields = UnknownFields()
    ) {
        self.id = id
        self.nickname = nickname
        self.profileURL = profileURL
        self.metadata = metadata
        self.isActive = isActive
        self.unknownFields = unknownFields
    }
}

extension User {
    /// What few copies of a user tell; change several fields of a copy, then set it once.
    public var details: UserDetails {
        get { rare.value }
        set { rare.value = newValue }
    }

    /// Whether `details` is empty, which costs less to ask than to compare.
    public var hasNoDetails: Bool { rare.isEmpty }

    /// Takes over what another source says in passing; what it leaves out it does not deny.
    public mutating func learnDetails(of other: User) {
        guard !other.hasNoDetails else { return }
        var details = details
        let news = other.details
        if news.isOnline != nil {
            details.isOnline = news.isOnline
            details.lastSeenAt = news.lastSeenAt ?? details.lastSeenAt
        }
        if !news.preferredLanguages.isEmpty {
            details.preferredLanguages = news.preferredLanguages
        }
        details.friendDiscoveryKey = news.friendDiscoveryKey ?? details.friendDiscoveryKey
        details.friendName = news.friendName ?? details.friendName
        if news.requiresAuthForProfileImage { details.requiresAuthForProfileImage = true }
        self.details = details
    }
}

/// What few copies of a user tell.
public struct UserDetails: Hashable, Sendable, RareValue {
    /// Nil when the server did not say.
    public var isOnline: Bool?
    /// Nil while online, and when never seen.
    public var lastSeenAt: Timestamp?
    /// Language codes, the most liked first.
    public var preferredLanguages: [String] = []
    public var friendDiscoveryKey: String?
    /// How the viewer's contacts call them.
    public var friendName: String?
    /// The server gives the picture only with the file key.
    public var requiresAuthForProfileImage = false

    public init() {}
}

/// What a user may do in a channel.
public enum Role: String, Hashable, Sendable, CaseIterable {
    case none
    case `operator`
}

/// How a user stands to a channel.
public enum MembershipState: String, Hashable, Sendable, CaseIterable {
    case none
    case invited
    case joined
}

/// A user as part of a channel.
public struct Member: Hashable, Sendable, Identifiable {
    public var user: User
    public var state: MembershipState
    public var role: Role
    public var isMuted: Bool
    /// When they joined; nil while they have not.
    ///
    /// The wire counts it in seconds.
    public var joinedAt: Timestamp?
    /// When they may write again; nil when not muted, or for ever.
    public var mutedUntil: Timestamp?
    public var muteReason = ""
    /// The viewer has blocked them.
    public var isBlockedByMe = false
    /// They have blocked the viewer.
    public var isBlockingMe = false
    /// Up to when they have read; nil when unknown.
    public var readAt: Timestamp?
    /// Up to when messages have reached them; nil when unknown.
    public var deliveredAt: Timestamp?

    public init(
        user: User, state: MembershipState = .joined, role: Role = .none, isMuted: Bool = false,
        joinedAt: Timestamp? = nil
    ) {
        self.user = user
        self.state = state
        self.role = role
        self.isMuted = isMuted
        self.joinedAt = joinedAt
    }

    public var id: UserID { user.id }
}

/// Who wrote a message, and as what.
public struct Sender: Hashable, Sendable {
    public var user: User
    public var role: Role
    /// The viewer has blocked them.
    public var isBlockedByMe = false

    public init(user: User, role: Role = .none) {
        self.user = user
        self.role = role
    }
}
