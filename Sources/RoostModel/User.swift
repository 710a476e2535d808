// SPDX-License-Identifier: Apache-2.0

/// A person or a bot, as everybody in the application sees them (`protocol.md` 4.1).
public struct User: Hashable, Sendable, Identifiable {
    public let id: UserID
    public var nickname: String
    public var profileURL: String
    public var metadata: [String: String]
    public var isActive: Bool
    public var unknownFields: UnknownFields

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

    public init(user: User, role: Role = .none) {
        self.user = user
        self.role = role
    }
}
