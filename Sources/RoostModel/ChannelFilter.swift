// SPDX-License-Identifier: Apache-2.0

/// Which of my channels a list shows (`protocol.md` 3.2); the default shows all but hidden ones.
package struct ChannelFilter: Hashable, Sendable {
    package enum Members: Hashable, Sendable {
        /// These and me, nobody else.
        case exactly(Set<UserID>)
        case allOf(Set<UserID>)
        case anyOf(Set<UserID>)
    }

    /// Whether channels without a last message belong to the list.
    package var includesEmpty = true
    package var includesFrozen = true
    // Nil: no matter.
    package var isSuper: Bool?
    package var isPublic: Bool?
    package var isDistinct: Bool?
    package var isUnread = false
    /// Joined or invited; nil for both.
    package var membership: MembershipState?
    package var customTypes: [String]?
    package var customTypePrefix: String?
    /// A part of the name, in letters of either case.
    package var namePart: String?
    package var urls: Set<ChannelURL>?
    package var members: Members?

    package init() {}

    package func matches(_ channel: GroupChannel, viewer: UserID) -> Bool {
        guard channel.myState != .none, membership ?? channel.myState == channel.myState,
            includesEmpty || channel.lastMessage != nil, includesFrozen || !channel.isFrozen,
            isSuper ?? channel.isSuper == channel.isSuper,
            isPublic ?? channel.isPublic == channel.isPublic,
            isDistinct ?? channel.isDistinct == channel.isDistinct,
            !isUnread || channel.unreadMessageCount > 0,
            customTypes?.contains(channel.customType) ?? true,
            customTypePrefix.map(channel.customType.hasPrefix) ?? true,
            urls?.contains(channel.url) ?? true
        else { return false }
        if let namePart, !namePart.isEmpty {
            guard channel.name.lowercased().contains(namePart.lowercased()) else { return false }
        }
        guard let members else { return true }
        let present = Set(channel.members.map(\.id))
        switch members {
        case .exactly(let users): return present == users.union([viewer])
        case .allOf(let users): return present.isSuperset(of: users)
        case .anyOf(let users): return !present.isDisjoint(with: users)
        }
    }
}
