// SPDX-License-Identifier: Apache-2.0

/// Which of my channels a list shows (`docs/protocol` 3.2); the default shows all but hidden ones.
///
/// The server and the cache judge alike. An empty list of names or types excludes nothing.
public struct ChannelFilter: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case `super` = "super"
        case nonSuper = "nonsuper"
        case broadcast = "broadcast_only"
        case exclusive = "exclusive_only"
    }

    /// Which channels a list shows of those that the viewer has hidden.
    public enum Hidden: String, Hashable, Sendable, CaseIterable {
        case none = "unhidden_only"
        case only = "hidden_only"
        case onlyUntilNextMessage = "hidden_allow_auto_unhide"
        case onlyUntilShown = "hidden_prevent_auto_unhide"
        /// Hidden ones among the others.
        case all
    }

    /// The members a channel must have; of a super channel only those are known that the server lists.
    public enum Members: Hashable, Sendable {
        /// These and me, nobody else.
        case exactly(Set<UserID>)
        case allOf(Set<UserID>)
        case anyOf(Set<UserID>)
    }

    /// How a text must agree.
    public enum Text: Hashable, Sendable {
        /// In letters of either case.
        case contains(String)
        /// Letter by letter.
        case hasPrefix(String)
    }

    /// Where to look for words; one place with them is enough.
    public struct Search: Hashable, Sendable {
        /// Found in letters of either case.
        public var text: String
        public var inChannelName: Bool
        public var inMemberNicknames: Bool

        public init(_ text: String, inChannelName: Bool = true, inMemberNicknames: Bool = true) {
            self.text = text
            self.inChannelName = inChannelName
            self.inMemberNicknames = inMemberNicknames
        }
    }

    /// What a channel's metadata must say under a key.
    public struct Metadata: Hashable, Sendable {
        public enum Value: Hashable, Sendable {
            case any
            case oneOf(Set<String>)
            case hasPrefix(String)
        }

        public var key: String
        public var value: Value

        public init(key: String, value: Value = .any) {
            self.key = key
            self.value = value
        }
    }

    /// Whether channels without a last message belong to the list.
    public var includesEmpty = true
    public var includesFrozen = true
    public var hidden = Hidden.none
    // Nil: no matter.
    public var kind: Kind?
    public var isPublic: Bool?
    public var isDistinct: Bool?
    public var isUnread = false
    /// Joined or invited; nil for both.
    public var membership: MembershipState?
    public var customTypes: Set<String> = []
    public var customTypePrefix: String?
    public var name: Text?
    public var urls: Set<ChannelURL> = []
    public var members: Members?
    public var memberNickname: Text?
    public var search: Search?
    public var metadata: Metadata?
    /// Made after this second; the wire counts no milliseconds.
    public var createdAfter: Timestamp?
    /// Made before this second.
    public var createdBefore: Timestamp?

    public init() {}

    /// All channels, hidden ones too.
    package static var everything: ChannelFilter {
        var filter = ChannelFilter()
        filter.hidden = .all
        return filter
    }
}

extension ChannelFilter {
    /// Whether a list shows a channel; `viewer` is whose list it is.
    public func matches(_ channel: GroupChannel, viewer: UserID) -> Bool {
        matchesState(channel) && matchesKind(channel) && matchesTexts(channel)
            && matchesMembers(channel, viewer: viewer) && matchesMetadata(channel)
    }

    /// Whether a member's new name can change the answer.
    package var dependsOnNicknames: Bool {
        memberNickname != nil || search?.inMemberNicknames ?? false
    }

    private func matchesState(_ channel: GroupChannel) -> Bool {
        guard channel.myState != .none, membership ?? channel.myState == channel.myState,
            includesEmpty || channel.lastMessage != nil, includesFrozen || !channel.isFrozen,
            !isUnread || channel.unreadMessageCount > 0
        else { return false }
        return switch hidden {
        case .none: channel.hiddenState == .unhidden
        case .only: channel.hiddenState != .unhidden
        case .onlyUntilNextMessage: channel.hiddenState == .untilNextMessage
        case .onlyUntilShown: channel.hiddenState == .untilShown
        case .all: true
        }
    }

    private func matchesKind(_ channel: GroupChannel) -> Bool {
        let isKindWanted =
            switch kind {
            case .super?: channel.isSuper
            case .nonSuper?: !channel.isSuper
            case .broadcast?: channel.isBroadcast
            case .exclusive?: channel.isExclusive
            case nil: true
            }
        return isKindWanted && isPublic ?? channel.isPublic == channel.isPublic
            && isDistinct ?? channel.isDistinct == channel.isDistinct
            && (urls.isEmpty || urls.contains(channel.url))
            && createdAfter.map { channel.createdAt.seconds > $0.seconds } ?? true
            && createdBefore.map { channel.createdAt.seconds < $0.seconds } ?? true
    }

    private func matchesTexts(_ channel: GroupChannel) -> Bool {
        guard customTypes.isEmpty || customTypes.contains(channel.customType),
            customTypePrefix.map(channel.customType.hasPrefix) ?? true,
            name?.matches(channel.name) ?? true,
            memberNickname.map({ text in
                channel.members.contains { text.matches($0.user.nickname) }
            }) ?? true
        else { return false }
        guard let search, search.inChannelName || search.inMemberNicknames else { return true }
        let words = Text.contains(search.text)
        return (search.inChannelName && words.matches(channel.name))
            || (search.inMemberNicknames
                && channel.members.contains { words.matches($0.user.nickname) })
    }

    private func matchesMembers(_ channel: GroupChannel, viewer: UserID) -> Bool {
        guard let members else { return true }
        let present = Set(channel.members.map(\.id))
        return switch members {
        case .exactly(let users): present == users.union([viewer])
        case .allOf(let users): present.isSuperset(of: users)
        case .anyOf(let users): users.isEmpty || !present.isDisjoint(with: users)
        }
    }

    private func matchesMetadata(_ channel: GroupChannel) -> Bool {
        guard let metadata else { return true }
        guard let value = channel.metadata?[metadata.key] else { return false }
        return switch metadata.value {
        case .any: true
        case .oneOf(let values): values.isEmpty || values.contains(value)
        case .hasPrefix(let start): value.hasPrefix(start)
        }
    }
}

extension ChannelFilter.Text {
    /// Whether a text agrees; an empty pattern agrees with every text.
    package func matches(_ text: String) -> Bool {
        switch self {
        case .contains(let part): part.isEmpty || text.lowercased().contains(part.lowercased())
        case .hasPrefix(let start): text.hasPrefix(start)
        }
    }
}
