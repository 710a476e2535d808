// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A channel of a group, as the user saw it when this object was made; counts, role and state are theirs.
public final class GroupChannel: BaseChannel {
    public var members: [Member] { value.members.map { Member($0) } }
    public var memberCount: UInt { UInt(clamping: value.memberCount) }
    public var joinedMemberCount: UInt { UInt(clamping: value.joinedMemberCount) }
    public var unreadMessageCount: UInt { UInt(clamping: value.unreadMessageCount) }
    public var unreadMentionCount: UInt { UInt(clamping: value.unreadMentionCount) }
    public var lastMessage: BaseMessage? { value.lastMessage.map { BaseMessage.make($0) } }
    public var isDistinct: Bool { value.isDistinct }
    public var isSuper: Bool { value.isSuper }
    public var isBroadcast: Bool { value.isBroadcast }
    public var isExclusive: Bool { value.isExclusive }
    public var isPublic: Bool { value.isPublic }
    public var isDiscoverable: Bool { value.isDiscoverable }
    public var isAccessCodeRequired: Bool { value.needsAccessCode }
    public var isHidden: Bool { value.hiddenState != .unhidden }
    public var myRole: Role { Role(value.myRole) }
    public var myMemberState: MemberState { MemberState(value.myState) }
    public var isMuted: Bool { value.isMuted }
    /// In milliseconds; 0 when nothing was read.
    public var myLastRead: Int64 { value.myLastRead?.milliseconds ?? 0 }
    public var creator: User? { value.createdBy.map { User($0) } }
    public var inviter: User? { value.inviter.map { User($0) } }
    /// In milliseconds; 0 when not invited.
    public var invitedAt: Int64 { value.invitedAt?.milliseconds ?? 0 }
    /// In milliseconds; 0 when not joined.
    public var joinedAt: Int64 { value.joinedAt?.milliseconds ?? 0 }
    /// Messages at or before this time are invisible to the user.
    public var messageOffsetTimestamp: Int64 { value.messageOffset?.milliseconds ?? 0 }
    /// What the list's query had included; empty otherwise.
    public var cachedMetaData: [String: String] { value.metadata ?? [:] }
}

public typealias GroupChannelHandler = (GroupChannel?, SBError?) -> Void
