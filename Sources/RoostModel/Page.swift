// SPDX-License-Identifier: Apache-2.0

/// One page of a list that only the server holds.
public struct Page<Element: Hashable & Sendable>: Hashable, Sendable {
    /// The elements, in the order of the list.
    public let elements: [Element]
    /// The token for the next page; nil at the end of the list.
    public let next: String?

    package init(_ elements: [Element], next: String?) {
        self.elements = elements
        self.next = next
    }
}

/// A muted or banned user of a channel.
public struct RestrictedUser: Hashable, Codable, Sendable, Identifiable {
    /// The person.
    public var user: User
    /// The end of the restriction; nil for none.
    public var until: Timestamp?
    /// The operator's reason, or "".
    public var reason: String

    /// Creates a restricted user.
    public init(user: User, until: Timestamp? = nil, reason: String = "") {
        self.user = user
        self.until = until
        self.reason = reason
    }

    /// The user's ID.
    public var id: UserID { user.id }
}

/// A selection and order of a channel's members (`docs/protocol` 3.3).
public struct MemberQuery: Hashable, Sendable {
    /// The orders of a member list.
    public enum Order: String, Hashable, Sendable, CaseIterable {
        /// By nickname.
        case nickname = "member_nickname_alphabetical"
        /// Operators first, each group by nickname.
        case operatorsFirst = "operator_then_member_alphabetical"
    }

    /// The order of the list.
    public var order = Order.nickname
    // In the fields below nil means that the query does not ask.
    /// Whether members are operators.
    public var isOperator: Bool?
    /// Whether members are muted.
    public var isMuted: Bool?
    /// The membership, joined or invited; nil for both.
    public var membership: MembershipState?
    /// The beginning of the nickname; upper and lower case are equal.
    public var nicknamePrefix: String?
    /// The size of a page, 1...100.
    public var pageSize = 20

    /// Creates a query for all members by nickname.
    public init() {}
}

/// The viewer's unread counts, summed over all channels that count.
public struct UnreadTotals: Hashable, Sendable {
    /// The number of unread messages.
    public var messages = 0
    /// The number of unread mentions.
    public var mentions = 0
    /// The number of channels with unread messages.
    public var channels = 0
    /// The number of invitations that the viewer has not answered.
    public var invitations = 0

    /// Creates totals of zero.
    public init() {}
}
