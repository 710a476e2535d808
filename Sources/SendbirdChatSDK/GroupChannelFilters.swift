// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The order of a channel list.
public enum GroupChannelListOrder: Int, Codable, Sendable {
    /// Newest channel first.
    case chronological
    /// Newest last message first.
    case latestLastMessage
    /// By name, upper and lower case being equal.
    case channelNameAlphabetical
    /// By the metadata value under `metaDataOrderKeyFilter`.
    case channelMetaDataValueAlphabetical
}

/// The order of a list of public channels.
public enum PublicGroupChannelListOrder: Int, Sendable {
    /// Newest channel first.
    case chronological
    /// By name; refused, as the server has one order.
    case channelNameAlphabetical
    /// By metadata; refused, as the server has one order.
    case channelMetaDataValueAlphabetical
}

/// The number of named users that a channel needs as members.
public enum GroupChannelListQueryType: Int, Codable, Sendable {
    /// All of them.
    case and
    /// At least one.
    case or
}

/// The texts that a search looks at.
public struct GroupChannelListQuerySearchField: OptionSet, Sendable {
    /// The fields as bits.
    public let rawValue: Int
    /// The channel's name.
    public static let channelName = Self(rawValue: 1)
    /// The nicknames of the members.
    public static let memberNickname = Self(rawValue: 2)

    /// Creates a set of fields from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
}

/// A condition on the user's membership.
public enum MyMemberStateFilter: Int, Codable, Sendable {
    /// Joined or invited.
    case all
    /// Invited.
    case invitedOnly
    /// Joined.
    case joinedOnly
    /// Invited by a friend; refused, as the client knows no friends.
    case invitedByFriend
    /// Invited by a user who is no friend; refused, as the client knows no friends.
    case invitedByNonFriend
}

/// A condition on unread messages.
public enum UnreadChannelFilter: Int, Codable, Sendable {
    /// All channels.
    case all
    /// Channels with unread messages.
    case unreadMessage
}

/// A condition on the channel's being hidden.
public enum ChannelHiddenStateFilter: Int, Codable, Sendable {
    /// No hidden channels.
    case unhiddenOnly
    /// Hidden channels only.
    case hiddenOnly
    /// Channels hidden until their next message.
    case hiddenAllowAutoUnhide
    /// Channels hidden until the user shows them again.
    case hiddenPreventAutoUnhide
    /// All channels, hidden or not.
    case all

    var value: ChannelFilter.Hidden {
        switch self {
        case .unhiddenOnly: .none
        case .hiddenOnly: .only
        case .hiddenAllowAutoUnhide: .onlyUntilNextMessage
        case .hiddenPreventAutoUnhide: .onlyUntilShown
        case .all: .all
        }
    }
}

/// A condition on the kind of channel.
public enum GroupChannelSuperChannelFilter: Int, Codable, Sendable {
    /// All kinds.
    case all
    /// Super channels.
    case `super`
    /// Channels that are not super channels.
    case nonSuper
    /// Broadcast channels.
    case broadcastOnly
    /// Exclusive channels.
    case exclusiveOnly

    var value: ChannelFilter.Kind? {
        switch self {
        case .all: nil
        case .super: .super
        case .nonSuper: .nonSuper
        case .broadcastOnly: .broadcast
        case .exclusiveOnly: .exclusive
        }
    }
}

/// A condition on publicity.
public enum GroupChannelPublicChannelFilter: Int, Codable, Sendable {
    /// All channels.
    case all
    /// Public channels.
    case `public`
    /// Private channels.
    case `private`
}

/// A condition on the user's membership of public channels.
public enum PublicGroupChannelMembershipFilter: Int, Sendable {
    /// All channels.
    case all
    /// Channels that the user has joined.
    case joined
}
