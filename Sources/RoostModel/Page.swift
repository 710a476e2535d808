// SPDX-License-Identifier: Apache-2.0

/// One page of a list that only the server holds.
public struct Page<Element: Hashable & Sendable>: Hashable, Sendable {
    public let elements: [Element]
    /// What to ask the next page with; nil at the end.
    public let next: String?

    package init(_ elements: [Element], next: String?) {
        self.elements = elements
        self.next = next
    }
}

/// Somebody who may not write in a channel, or not come in.
public struct RestrictedUser: Hashable, Sendable, Identifiable {
    public var user: User
    /// When it ends; nil for ever.
    public var until: Timestamp?
    public var reason: String

    public init(user: User, until: Timestamp? = nil, reason: String = "") {
        self.user = user
        self.until = until
        self.reason = reason
    }

    public var id: UserID { user.id }
}

/// Which members of a channel are asked for (`docs/protocol` 3.3).
public struct MemberQuery: Hashable, Sendable {
    public enum Order: String, Hashable, Sendable, CaseIterable {
        case nickname = "member_nickname_alphabetical"
        case operatorsFirst = "operator_then_member_alphabetical"
    }

    public var order = Order.nickname
    // Nil: no matter.
    public var isOperator: Bool?
    public var isMuted: Bool?
    /// Joined or invited.
    public var membership: MembershipState?
    /// In letters of either case.
    public var nicknamePrefix: String?
    /// 1...100.
    public var pageSize = 20

    public init() {}
}

/// How much a user has not read, in all channels that count.
public struct UnreadTotals: Hashable, Sendable {
    public var messages = 0
    public var mentions = 0
    /// In which there is something unread.
    public var channels = 0
    public var invitations = 0

    public init() {}
}
