// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostModel

/// A group channel as the user has seen it last; counts and state are the user's.
public final class SBDGroupChannel: SBDBaseChannel {
    /// The members that the server listed, each an `SBDMember`; all of them unless the channel is a
    /// super channel.
    public var members: NSMutableArray? {
        NSMutableArray(array: value.members.map { SBDMember($0) })
    }
    /// The number of members and invited users.
    public var memberCount: UInt { UInt(clamping: value.memberCount) }
    /// The number of members who have joined.
    public var joinedMemberCount: UInt { UInt(clamping: value.joinedMemberCount) }
    /// The number of the user's unread messages.
    public var unreadMessageCount: UInt { UInt(clamping: value.unreadMessageCount) }
    /// The number of the user's unread mentions.
    public var unreadMentionCount: UInt { UInt(clamping: value.unreadMentionCount) }
    /// The last message; nil without one.
    public var lastMessage: SBDBaseMessage? { value.lastMessage.map { SBDBaseMessage.make($0) } }
    /// Whether the channel is the only one with exactly its members.
    public var isDistinct: Bool { value.isDistinct }
    /// Whether the channel may have more members than the server lists.
    public var isSuper: Bool { value.isSuper }
    /// Whether only operators may write.
    public var isBroadcast: Bool { value.isBroadcast }
    /// Whether any user may join without an invitation.
    public var isPublic: Bool { value.isPublic }
    /// Whether the channel is hidden from the user's lists.
    public var isHidden: Bool { value.hiddenState != .unhidden }
    /// The user's role.
    public var myRole: SBDRole { SBDRole(value.myRole) }
    /// The user's membership.
    public var myMemberState: SBDMemberState { SBDMemberState(value.myState) }
    /// The messages that cause a push to the user.
    public var myPushTriggerOption: SBDGroupChannelPushTriggerOption {
        SBDGroupChannelPushTriggerOption(value.pushTrigger)
    }
    /// The time up to which the user has read, in milliseconds; 0 if unknown.
    public var myLastRead: Int64 { value.myLastRead?.milliseconds ?? 0 }
    /// The creator; nil if the server did not send it.
    public var creator: SBDUser? { value.createdBy.map { SBDUser($0) } }
    /// The user who has invited the current user; nil for none.
    public var inviter: SBDUser? { value.inviter.map { SBDUser($0) } }

    // MARK: Reading and typing

    /// Returns the joined members who have read a message; its sender counts as a reader.
    ///
    /// Empty in super and broadcast channels, which count no receipts, and for a message that is
    /// not delivered.
    ///
    /// - Parameters:
    ///   - message: A message of this channel.
    ///   - includeAllMembers: Whether the sender and the current user may be among them.
    /// - Returns: The members.
    public func getReadMembers(
        with message: SBDBaseMessage, includeAllMembers: Bool
    ) -> [SBDMember] {
        value.joinedMembers(
            whoHaveRead: true, message.value, includesAll: includeAllMembers,
            viewer: SBDMain.door.account
        ).map { SBDMember($0) }
    }

    /// Returns the users who are typing now, without the current user.
    public func getTypingUsers() -> [SBDUser]? {
        typing.map { SBDUser($0) }
    }

    /// Returns the members who are typing now, without the current user.
    @available(*, deprecated, renamed: "getTypingUsers()")
    public func getTypingMembers() -> [SBDMember]? {
        let ids = Set(typing.map(\.id))
        return value.members.filter { ids.contains($0.id) }.map { SBDMember($0) }
    }

    /// Whether anybody but the current user is typing now.
    public func isTyping() -> Bool { !typing.isEmpty }

    private var typing: [User] { SBDMain.door.report.typing[value.url] ?? [] }
}

/// The messages of a channel that cause a push to the user.
public enum SBDGroupChannelPushTriggerOption: Int, Sendable {
    /// As the user's setting for all channels says.
    case `default`
    /// All messages.
    case all
    /// Messages that mention the user.
    case mentionOnly
    /// No messages.
    case off

    init(_ trigger: PushTrigger) {
        switch trigger {
        case .standard: self = .default
        case .all: self = .all
        case .mentions: self = .mentionOnly
        case .off: self = .off
        }
    }

    var value: PushTrigger {
        switch self {
        case .default: .standard
        case .all: .all
        case .mentionOnly: .mentions
        case .off: .off
        }
    }
}
