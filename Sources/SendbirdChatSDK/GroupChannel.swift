// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

/// A group channel as the user has seen it last; counts, role and state are the user's.
open class GroupChannel: BaseChannel {
    /// The members that the server listed; all of them unless the channel is a super channel.
    public var members: [Member] { value.members.map { Member($0) } }
    /// The number of members and invited users.
    public var memberCount: UInt { UInt(clamping: value.memberCount) }
    /// The number of users who have joined.
    public var joinedMemberCount: UInt { UInt(clamping: value.joinedMemberCount) }
    /// The number of the user's unread messages.
    ///
    /// A number that the app sets is shown by all objects of the channel until its next news;
    /// neither the cache nor the server has it.
    public var unreadMessageCount: UInt {
        get { UInt(clamping: value.unreadMessageCount) }
        set { changeValue { $0.unreadMessageCount = Int(clamping: newValue) } }
    }
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
    /// Whether the channel carries notifications.
    public var isChatNotification: Bool { value.isChatNotification }
    /// Whether a bot is among the members.
    public var hasBot: Bool { value.hasBot }
    /// Whether a bot with a language model is among the members.
    public var hasAIBot: Bool { value.hasAIBot }
    /// Always false: the server has no channels of AI agents.
    public var isAIAgent: Bool { false }
    /// Always false: the server has no desk.
    public var isDesk: Bool { false }
    /// Whether the channel is hidden from the user's lists.
    public var isHidden: Bool { value.hiddenState != .unhidden }
    /// Whether the channel is hidden, and until when.
    public var hiddenState: GroupChannelHiddenState { GroupChannelHiddenState(value.hiddenState) }
    /// The user's role.
    public var myRole: Role { Role(value.myRole) }
    /// The user's membership.
    public var myMemberState: MemberState { MemberState(value.myState) }
    /// Whether the user may write.
    public var myMutedState: MutedState { value.isMuted ? .muted : .unmuted }
    /// Whether the user may not write.
    public var isMuted: Bool { value.isMuted }
    /// The messages of the channel that cause a push to the user.
    public var myPushTriggerOption: GroupChannelPushTriggerOption {
        GroupChannelPushTriggerOption(value.pushTrigger)
    }
    /// The unread counts that include the channel.
    public var myCountPreference: CountPreference { CountPreference(value.countPreference) }
    /// The time up to which the user has read, in milliseconds; 0 if unknown.
    public var myLastRead: Int64 { value.myLastRead?.milliseconds ?? 0 }
    /// The user who invited this user; nil if unknown.
    public var inviter: User? { value.inviter.map { User($0) } }
    /// The time of the invitation, in milliseconds; 0 without one.
    public var invitedAt: Int64 { value.invitedAt?.milliseconds ?? 0 }
    /// The time of joining, in milliseconds; 0 before it.
    public var joinedAt: Int64 { value.joinedAt?.milliseconds ?? 0 }
    /// The time up to which messages, that moment included, are invisible to the user, in
    /// milliseconds.
    public var messageOffsetTimestamp: Int64 { value.messageOffset?.milliseconds ?? 0 }
    /// The seconds after which messages vanish; -1 for never.
    public var messageSurvivalSeconds: Int { value.messageSurvivalSeconds ?? -1 }

    /// Returns the user who invited this user; nil if unknown.
    public func getInviter() -> User? { inviter }

    /// Returns the time up to which messages have reached the user, in milliseconds.
    ///
    /// The time is 0 if unknown, and in super and broadcast channels, which count no receipts.
    public func myDeliveryStatus() -> Int64 {
        let receipts = value.countedDeliveryReceipts
        return SendbirdChat.door.account.flatMap { receipts?[$0] }?.milliseconds ?? 0
    }
}

/// The state of being hidden of a channel.
public enum GroupChannelHiddenState: Int, Sendable {
    /// In the user's lists.
    case unhidden
    /// Hidden until the next message.
    case hiddenAllowAutoUnhide
    /// Hidden until the user shows it again.
    case hiddenPreventAutoUnhide

    init(_ state: HiddenState) {
        switch state {
        case .unhidden: self = .unhidden
        case .untilNextMessage: self = .hiddenAllowAutoUnhide
        case .untilShown: self = .hiddenPreventAutoUnhide
        }
    }
}

/// The messages of one channel that cause a push.
public enum GroupChannelPushTriggerOption: Int, Sendable {
    /// As `SendbirdChat.setPushTriggerOption(_:)` says.
    case `default`
    /// All messages.
    case all
    /// Messages that mention the user.
    case mentionOnly
    /// None.
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

/// The unread counts that include a channel.
public enum CountPreference: Int, Sendable {
    /// Messages and mentions.
    case all
    /// Messages.
    case unreadMessageCountOnly
    /// Mentions.
    case unreadMentionCountOnly
    /// Neither.
    case off

    init(_ preference: RoostModel.CountPreference) {
        switch preference {
        case .all: self = .all
        case .messages: self = .unreadMessageCountOnly
        case .mentions: self = .unreadMentionCountOnly
        case .off: self = .off
        }
    }

    var value: RoostModel.CountPreference {
        switch self {
        case .all: .all
        case .unreadMessageCountOnly: .messages
        case .unreadMentionCountOnly: .mentions
        case .off: .off
        }
    }
}
