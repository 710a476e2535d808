// SPDX-License-Identifier: Apache-2.0

/// A person or a bot, as everybody in the application sees them (`docs/protocol` 4.1).
///
/// A copy costs one reference; the first change of a copy copies all fields.
public struct User: Hashable, Codable, Sendable, Identifiable {
    private struct Fields: Hashable, Codable, Sendable {
        let id: UserID
        var nickname: String
        var profileURL: String
        var metadata: [String: String]
        var isActive: Bool
        var unknownFields: UnknownFields
        var rare = Rare<UserDetails>()
    }

    private var fields: Shared<Fields>

    /// Creates a user; details can be set afterwards.
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

    /// The user's identity in the application.
    public var id: UserID { fields.value.id }

    /// The name to show; may be empty.
    public var nickname: String {
        get { fields.value.nickname }
        set { fields.value.nickname = newValue }
    }

    /// The address of the picture, or "".
    public var profileURL: String {
        get { fields.value.profileURL }
        set { fields.value.profileURL = newValue }
    }

    /// Texts of the app's own, by key.
    public var metadata: [String: String] {
        get { fields.value.metadata }
        set { fields.value.metadata = newValue }
    }

    /// Whether the user may log in; false after a deactivation.
    public var isActive: Bool {
        get { fields.value.isActive }
        set { fields.value.isActive = newValue }
    }

    /// Fields of a newer server without a name in this release.
    public var unknownFields: UnknownFields {
        get { fields.value.unknownFields }
        set { fields.value.unknownFields = newValue }
    }
}

extension User {
    /// Fields that few copies of a user have.
    ///
    /// To change several fields, change a copy and set it once.
    public var details: UserDetails {
        get { fields.value.rare.value }
        set { fields.value.rare.value = newValue }
    }

    /// Whether `details` is empty; cheaper than a comparison.
    package var hasNoDetails: Bool { fields.value.rare.isEmpty }

    /// Takes over the details of another copy; fields that the copy lacks stay as they are.
    package mutating func learnDetails(of other: User) {
        guard !other.hasNoDetails else { return }
        var details = details
        let newer = other.details
        if newer.isOnline != nil {
            details.isOnline = newer.isOnline
            details.lastSeenAt = newer.lastSeenAt ?? details.lastSeenAt
        }
        if !newer.preferredLanguages.isEmpty {
            details.preferredLanguages = newer.preferredLanguages
        }
        details.friendDiscoveryKey = newer.friendDiscoveryKey ?? details.friendDiscoveryKey
        details.friendName = newer.friendName ?? details.friendName
        if newer.requiresAuthForProfileImage { details.requiresAuthForProfileImage = true }
        self.details = details
    }
}

/// Fields that few copies of a user have.
public struct UserDetails: Hashable, Codable, Sendable, RareValue {
    /// Whether the user is online; nil if the server did not send it.
    public var isOnline: Bool?
    /// The time of the user's last connection; nil while online, and if they were never online.
    public var lastSeenAt: Timestamp?
    /// Language codes, the preferred one first.
    public var preferredLanguages: [String] = []
    /// The server's key for finding this user in contacts; nil if it did not send it.
    public var friendDiscoveryKey: String?
    /// The name of the user in the viewer's contacts.
    public var friendName: String?
    /// Whether the picture can be fetched with the file key only.
    public var requiresAuthForProfileImage = false

    /// Creates empty details.
    public init() {}
}

/// The role of a user in a channel.
public enum Role: String, Hashable, Codable, Sendable, CaseIterable {
    /// An ordinary member.
    case none
    /// A user who may moderate the channel and change its settings.
    case `operator`
}

/// The relation of a user to a channel.
public enum MembershipState: String, Hashable, Codable, Sendable, CaseIterable {
    /// Neither a member nor invited.
    case none
    /// Invited; not yet a member.
    case invited
    /// A member.
    case joined
}

/// A user as part of a channel.
public struct Member: Hashable, Codable, Sendable, Identifiable {
    /// The person.
    public var user: User
    /// Whether the user has joined or is invited.
    public var state: MembershipState
    /// The role in the channel.
    public var role: Role
    /// Whether the user may not write.
    public var isMuted: Bool
    /// The time of joining; nil before it.
    ///
    /// The wire counts it in seconds.
    public var joinedAt: Timestamp?
    /// The end of the mute; nil if the user is not muted, or muted without an end.
    public var mutedUntil: Timestamp?
    /// The operator's reason for the mute, or "".
    public var muteReason = ""
    /// Whether the viewer has blocked the user.
    public var isBlockedByMe = false
    /// Whether the user has blocked the viewer.
    public var isBlockingMe = false
    /// The time up to which the user has read; nil if unknown.
    public var readAt: Timestamp?
    /// The time up to which messages have reached the user; nil if unknown.
    public var deliveredAt: Timestamp?
    /// Other fields of the member object; fields of the person are in `user`.
    public var unknownFields = UnknownFields()

    /// Creates a member; all other fields have their defaults and can be set afterwards.
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

    /// The user's ID.
    public var id: UserID { user.id }
}

/// The author of a message, with their role when it was sent.
public struct Sender: Hashable, Codable, Sendable {
    /// A single reference in both cases: pages are full of senders, and nearly none has unknown
    /// fields.
    private enum Person: Hashable, Codable, Sendable {
        case plain(User)
        /// A user with at least one unknown field.
        indirect case extended(User, UnknownFields)

        init(_ user: User, _ fields: UnknownFields) {
            self = fields.isEmpty ? .plain(user) : .extended(user, fields)
        }
    }

    private var person: Person
    /// The role in the channel when the message was sent.
    public var role: Role
    /// Whether the viewer has blocked the sender.
    public var isBlockedByMe = false

    /// Creates a sender.
    public init(user: User, role: Role = .none) {
        person = .plain(user)
        self.role = role
    }

    /// The person.
    public var user: User {
        get {
            switch person {
            case .plain(let user), .extended(let user, _): user
            }
        }
        set { person = Person(newValue, unknownFields) }
    }

    /// Fields of a newer server without a name in this release.
    public var unknownFields: UnknownFields {
        get {
            switch person {
            case .plain: UnknownFields()
            case .extended(_, let fields): fields
            }
        }
        set { person = Person(user, newValue) }
    }

    /// Whether `unknownFields` is empty; cheaper than a copy.
    package var hasNoUnknownFields: Bool { if case .plain = person { true } else { false } }
}
