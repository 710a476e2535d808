// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A group channel as the user saw it when this object was made; counts, role and state are the
/// user's.
public final class GroupChannel: BaseChannel {
    /// The members that the server listed; all of them unless the channel is a super channel.
    public var members: [Member] { value.members.map { Member($0) } }
    /// The number of members and invited users.
    public var memberCount: UInt { UInt(clamping: value.memberCount) }
    /// The number of users who have joined.
    public var joinedMemberCount: UInt { UInt(clamping: value.joinedMemberCount) }
    /// The number of the user's unread messages.
    public var unreadMessageCount: UInt { UInt(clamping: value.unreadMessageCount) }
    /// The number of the user's unread mentions.
    public var unreadMentionCount: UInt { UInt(clamping: value.unreadMentionCount) }
    /// The last message; nil without one.
    public var lastMessage: BaseMessage? { value.lastMessage.map { BaseMessage.make($0) } }
    /// Whether the channel is the only one with exactly its members.
    public var isDistinct: Bool { value.isDistinct }
    /// Whether the channel may have more members than the server lists.
    public var isSuper: Bool { value.isSuper }
    /// Whether only operators write.
    public var isBroadcast: Bool { value.isBroadcast }
    /// The mark `is_exclusive` of the server.
    public var isExclusive: Bool { value.isExclusive }
    /// Whether any user may join without an invitation.
    public var isPublic: Bool { value.isPublic }
    /// Whether searches find the channel.
    public var isDiscoverable: Bool { value.isDiscoverable }
    /// Whether a user must give a code to join.
    public var isAccessCodeRequired: Bool { value.needsAccessCode }
    /// Whether the channel is hidden from the user's lists.
    public var isHidden: Bool { value.hiddenState != .unhidden }
    /// The user's role.
    public var myRole: Role { Role(value.myRole) }
    /// The user's membership.
    public var myMemberState: MemberState { MemberState(value.myState) }
    /// Whether the user may not write.
    public var isMuted: Bool { value.isMuted }
    /// The time up to which the user has read, in milliseconds; 0 if unknown.
    public var myLastRead: Int64 { value.myLastRead?.milliseconds ?? 0 }
    /// The creator; nil if the server did not tell.
    public var creator: User? { value.createdBy.map { User($0) } }
    /// The user who invited this user; nil if unknown.
    public var inviter: User? { value.inviter.map { User($0) } }
    /// The time of the invitation, in milliseconds; 0 without one.
    public var invitedAt: Int64 { value.invitedAt?.milliseconds ?? 0 }
    /// The time of joining, in milliseconds; 0 before it.
    public var joinedAt: Int64 { value.joinedAt?.milliseconds ?? 0 }
    /// The time up to which messages, that moment included, are invisible to the user, in
    /// milliseconds.
    public var messageOffsetTimestamp: Int64 { value.messageOffset?.milliseconds ?? 0 }
    /// The metadata, if the list's query included them; empty otherwise.
    public var cachedMetaData: [String: String] { value.metadata ?? [:] }
}
