// SPDX-License-Identifier: Apache-2.0

/// A person or a bot, as everybody in the application sees them (`docs/protocol` 4.1).
///
/// Copying one costs a reference; the first change of a copy copies all of it.
public struct User: Hashable, Sendable, Identifiable {
    private struct Fields: Hashable, Sendable {
        let id: UserID
        var nickname: String
        var profileURL: String
        var metadata: [String: String]
        var isActive: Bool
        var unknownFields: UnknownFields
        var rare = Rare<UserDetails>()
    }

    private var fields: Shared<Fields>

    public init(
        id: UserID, nickname: String = "", profileURL: String = "",
        metadata: [String: String] = [:], isActive: Bool = true,
        unknownFields: UnknownFields = UnknownFields()
    ) {
        fields = Shared(
            Fields(
                id: id, nickname: nickname, profileURL: profileURL, metadata: metadata,
                isActive: isActive, unknownFields: unknownFields))
    }

    public var id: UserID { fields.value.id }

    public var nickname: String {
        get { fields.value.nickname }
        set { fields.value.nickname = newValue }
    }

    public var profileURL: String {
        get { fields.value.profileURL }
        set { fields.value.profileURL = newValue }
    }

    public var metadata: [String: String] {
        get { fields.value.metadata }
        set { fields.value.metadata = newValue }
    }

    public var isActive: Bool {
        get { fields.value.isActive }
        set { fields.value.isActive = newValue }
    }

    public var unknownFields: UnknownFields {
        get { fields.value.unknownFields }
        set { fields.value.unknownFields = newValue }
    }
}

extension User {
    /// What few copies of a user tell; change several fields of a copy, then set it once.
    public var details: UserDetails {
        get { fields.value.rare.value }
        set { fields.value.rare.value = newValue }
    }

    /// Whether `details` is empty, which costs less to ask than to compare.
    public var hasNoDetails: Bool { fields.value.rare.isEmpty }

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
    /// What a member object has besides; what it tells of the person elsewhere, `User` has.
    public var unknownFields = UnknownFields()

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
    /// One reference either way: pages are full of senders, and nearly none has anything unknown.
    private enum Person: Hashable, Sendable {
        case plain(User)
        /// Never with no fields.
        indirect case telling(User, UnknownFields)

        init(_ user: User, _ fields: UnknownFields) {
            self = fields.isEmpty ? .plain(user) : .telling(user, fields)
        }
    }

    private var person: Person
    public var role: Role
    /// The viewer has blocked them.
    public var isBlockedByMe = false

    public init(user: User, role: Role = .none) {
        person = .plain(user)
        self.role = role
    }

    public var user: User {
        get {
            switch person {
            case .plain(let user), .telling(let user, _): user
            }
        }
        set { person = Person(newValue, unknownFields) }
    }

    public var unknownFields: UnknownFields {
        get {
            switch person {
            case .plain: UnknownFields()
            case .telling(_, let fields): fields
            }
        }
        set { person = Person(user, newValue) }
    }

    /// Whether `unknownFields` is empty, which costs less to ask than to copy them.
    package var hasNoUnknownFields: Bool { if case .plain = person { true } else { false } }
}
