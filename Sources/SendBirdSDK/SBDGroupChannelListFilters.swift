// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The order of a channel list.
public enum SBDGroupChannelListOrder: Int, Sendable {
    /// Newest channel first.
    case chronological
    /// Newest last message first.
    case latestLastMessage
    /// By name, upper and lower case being equal.
    case channelNameAlphabetical
    /// By the metadata value under `metaDataOrderKeyFilter`.
    case channelMetaDataValueAlphabetical
}

/// A condition on membership.
public enum SBDMemberStateFilter: Int, Sendable {
    /// Joined or invited.
    case all
    /// Joined.
    case joinedOnly
    /// Invited.
    case invitedOnly

    var value: MembershipState? {
        switch self {
        case .all: nil
        case .joinedOnly: .joined
        case .invitedOnly: .invited
        }
    }
}

/// A condition on the channel's being hidden.
public enum SBDChannelHiddenStateFilter: Int, Sendable {
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
public enum SBDGroupChannelSuperChannelFilter: Int, Sendable {
    /// All kinds.
    case all
    /// Super channels.
    case `super`
    /// Channels that are not super channels.
    case nonSuper
    /// Broadcast channels.
    case broadcastOnly

    var value: ChannelFilter.Kind? {
        switch self {
        case .all: nil
        case .super: .super
        case .nonSuper: .nonSuper
        case .broadcastOnly: .broadcast
        }
    }
}

/// A condition on publicity.
public enum SBDGroupChannelPublicChannelFilter: Int, Sendable {
    /// Public and private channels.
    case all
    /// Public channels.
    case `public`
    /// Private channels.
    case `private`

    var value: Bool? { self == .all ? nil : self == .public }
}

/// A condition on unread messages.
public enum SBDUnreadChannelFilter: Int, Sendable {
    /// All channels.
    case all
    /// Channels with unread messages.
    case unreadMessage
}

/// The way in which several users of a filter are joined.
public enum SBDGroupChannelListQueryType: Int, Sendable {
    /// Channels with all of the users.
    case and
    /// Channels with any of the users.
    case or
}

/// The order of a list of public channels.
public enum SBDPublicGroupChannelListOrder: Int, Sendable {
    /// Newest channel first.
    case chronological
    /// By name, upper and lower case being equal.
    case channelNameAlphabetical
}

/// A condition on the user's membership of public channels.
public enum SBDPublicGroupChannelMembershipFilter: Int, Sendable {
    /// All public channels.
    case all
    /// Public channels of which the user is a member.
    case joined
}
