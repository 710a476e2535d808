// SPDX-License-Identifier: Apache-2.0

/// The channels of the user that a list shows (`docs/protocol` 3.2); by default all but hidden
/// ones.
///
/// The server and the cache apply a filter alike. A channel must meet every condition that is set.
/// An empty set of names or types excludes nothing.
public struct ChannelFilter: Hashable, Codable, Sendable {
    /// The kinds of group channels that a list can be limited to.
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        /// Channels with more members than the server lists.
        case `super` = "super"
        /// Channels that are not super channels.
        case nonSuper = "nonsuper"
        /// Super channels in which only operators write.
        case broadcast = "broadcast_only"
        /// Channels with the server's mark `is_exclusive`.
        case exclusive = "exclusive_only"
    }

    /// The hidden channels that a list shows.
    public enum Hidden: String, Hashable, Codable, Sendable, CaseIterable {
        /// No hidden channels.
        case none = "unhidden_only"
        /// Hidden channels only.
        case only = "hidden_only"
        /// Channels that are hidden until their next message.
        case onlyUntilNextMessage = "hidden_allow_auto_unhide"
        /// Channels that are hidden until `ChatClient.unhide(_:)` is called.
        case onlyUntilShown = "hidden_prevent_auto_unhide"
        /// Hidden channels and all others.
        case all
    }

    /// The members that a channel must have; of a super channel only the members in the server's
    /// list are known.
    public enum Members: Hashable, Codable, Sendable {
        /// Exactly these users and the viewer.
        case exactly(Set<UserID>)
        /// All of these users, and possibly more.
        case allOf(Set<UserID>)
        /// At least one of these users.
        case anyOf(Set<UserID>)
    }

    /// A comparison of a text with a pattern; an empty pattern matches every text.
    public enum Text: Hashable, Codable, Sendable {
        /// Contains the pattern; upper and lower case are equal.
        case contains(String)
        /// Begins with the pattern; upper and lower case differ.
        case hasPrefix(String)
        /// Is the pattern; upper and lower case differ.
        case equals(String)
    }

    /// A search for words in names; a match in one of the places is enough.
    public struct Search: Hashable, Codable, Sendable {
        /// The words; upper and lower case are equal.
        public var text: String
        /// Whether the channel's name is searched.
        public var inChannelName: Bool
        /// Whether the nicknames of the known members are searched.
        public var inMemberNicknames: Bool

        /// Creates a search; both places are searched by default.
        public init(_ text: String, inChannelName: Bool = true, inMemberNicknames: Bool = true) {
            self.text = text
            self.inChannelName = inChannelName
            self.inMemberNicknames = inMemberNicknames
        }
    }

    /// A condition on one key of a channel's metadata.
    public struct Metadata: Hashable, Codable, Sendable {
        /// A condition on the value of the key; a channel without the key meets none.
        public enum Value: Hashable, Codable, Sendable {
            /// Any value.
            case any
            /// One of these values, compared byte by byte.
            case oneOf(Set<String>)
            /// A value that begins with this text; upper and lower case differ.
            case hasPrefix(String)
        }

        /// The metadata key.
        public var key: String
        /// The condition on its value.
        public var value: Value

        /// Creates a condition; by default any value meets it.
        public init(key: String, value: Value = .any) {
            self.key = key
            self.value = value
        }
    }

    /// Whether the list shows channels without a last message.
    public var includesEmpty = true
    /// Whether the list shows frozen channels.
    public var includesFrozen = true
    /// The hidden channels that the list shows; none by default.
    public var hidden = Hidden.none
    // In the fields below nil means that the list does not ask.
    /// The kind of channel.
    public var kind: Kind?
    /// Whether the channels are public.
    public var isPublic: Bool?
    /// Whether the channels are the only ones of their members.
    public var isDistinct: Bool?
    /// Whether only channels with unread messages are shown.
    public var isUnread = false
    /// The viewer's state in the channel, joined or invited; nil for both.
    public var membership: MembershipState?
    /// The custom types, any of which fits; empty for all.
    public var customTypes: Set<String> = []
    /// The beginning of the custom type; upper and lower case differ.
    public var customTypePrefix: String?
    /// The condition on the channel's name.
    public var name: Text?
    /// The channels, any of which fits; empty for all.
    public var urls: Set<ChannelURL> = []
    /// The members that the channels must have.
    public var members: Members?
    /// The condition on the nickname of at least one member.
    public var memberNickname: Text?
    /// The words to search for in names.
    public var search: Search?
    /// The condition on the metadata; only channels whose metadata are cached can meet it.
    public var metadata: Metadata?
    /// The lower bound of the time of creation, excluded; the wire counts whole seconds.
    public var createdAfter: Timestamp?
    /// The upper bound of the time of creation, excluded; the wire counts whole seconds.
    public var createdBefore: Timestamp?

    /// Creates a filter that shows all channels of the user but hidden ones.
    public init() {}

    /// The filter for all channels, hidden ones included.
    package static var everything: ChannelFilter {
        var filter = ChannelFilter()
        filter.hidden = .all
        return filter
    }
}

extension ChannelFilter {
    /// Returns whether a list with this filter shows a channel.
    ///
    /// - Parameters:
    ///   - channel: The channel as the cache has it.
    ///   - viewer: The user whose list it is.
    /// - Returns: Whether every condition is met.
    public func matches(_ channel: GroupChannel, viewer: UserID) -> Bool {
        matchesState(channel) && matchesKind(channel) && matchesTexts(channel)
            && matchesMembers(channel, viewer: viewer) && matchesMetadata(channel)
    }

    /// Whether a new nickname of a member can change which channels match.
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
    /// Returns whether a text matches the pattern; an empty pattern matches every text.
    package func matches(_ text: String) -> Bool {
        switch self {
        case .contains(let part): part.isEmpty || text.lowercased().contains(part.lowercased())
        case .hasPrefix(let start): text.hasPrefix(start)
        case .equals(let whole): whole.isEmpty || text == whole
        }
    }
}
