// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

/// The author of a message.
public final class Sender: User {
    /// The role in the channel when the message was sent.
    public private(set) var role = Role.none
    /// Whether this user has blocked the sender.
    public private(set) var isBlockedByMe = false

    convenience init(_ sender: RoostModel.Sender) {
        self.init(sender.user)
        role = Role(sender.role)
        isBlockedByMe = sender.isBlockedByMe
    }

    override class func make(_ user: RoostModel.User) -> User { Sender(user) }
}

/// A user as part of a channel.
public final class Member: User {
    /// Whether the user has joined or is invited.
    public private(set) var state = MemberState.joined
    /// The role in the channel.
    public private(set) var role = Role.none
    /// Whether the user may not write.
    public private(set) var isMuted = false
    /// Whether this user has blocked the member.
    public private(set) var isBlockedByMe = false
    /// Whether the member has blocked this user.
    public private(set) var isBlockingMe = false
    /// The end and the reason of the mute; nil for members who may write.
    public private(set) var restrictionInfo: RestrictionInfo?
    /// The time of joining, in seconds; 0 if unknown.
    public private(set) var joinedAt: Int64 = 0

    convenience init(_ member: RoostModel.Member) {
        self.init(member.user)
        state = MemberState(member.state)
        role = Role(member.role)
        isMuted = member.isMuted
        isBlockedByMe = member.isBlockedByMe
        isBlockingMe = member.isBlockingMe
        joinedAt = member.joinedAt?.seconds ?? 0
        if member.isMuted {
            restrictionInfo = RestrictionInfo(
                reason: member.muteReason, until: member.mutedUntil, .muted)
        }
    }

    override class func make(_ user: RoostModel.User) -> User { Member(user) }
}

/// A muted or banned user of a channel.
public final class RestrictedUser: User {
    /// The end and the reason of the restriction.
    public private(set) var restrictionInfo: RestrictionInfo?

    convenience init(_ user: RoostModel.RestrictedUser, _ type: RestrictionType) {
        self.init(user.user)
        restrictionInfo = RestrictionInfo(reason: user.reason, until: user.until, type)
    }

    override class func make(_ user: RoostModel.User) -> User { RestrictedUser(user) }
}

/// A user in an open channel.
public final class Participant: User {
    /// Whether the user may not write.
    public private(set) var isMuted = false

    convenience init(participant: RoostModel.User) {
        self.init(participant)
        // Roost's user has no mute of a channel, so the server's word is among the unknown fields.
        isMuted = participant.unknownFields["is_muted"] == "true"
    }

    override class func make(_ user: RoostModel.User) -> User { Participant(user) }
}

/// The end and the reason of a mute or a ban.
public final class RestrictionInfo: NSObject {
    /// The operator's reason; nil without one.
    public let desc: String?
    /// The end in milliseconds; -1 for none.
    public let endAt: Int64
    /// The kind of restriction.
    public let restrictionType: RestrictionType

    init(reason: String, until: Timestamp?, _ type: RestrictionType) {
        desc = reason.isEmpty ? nil : reason
        endAt = until?.milliseconds ?? -1
        restrictionType = type
    }
}

/// The kinds of restrictions.
public enum RestrictionType: Int, Sendable {
    /// The user may read, not write.
    case muted
    /// The user may not be in the channel.
    case banned
}

/// The role of a user in a channel.
public enum Role: Int, Sendable {
    /// An ordinary member.
    case none
    /// A user who may moderate the channel.
    case `operator`

    init(_ role: RoostModel.Role) { self = role == .operator ? .operator : .none }
}

/// The relation of a user to a channel.
public enum MemberState: Int, Sendable {
    /// Neither a member nor invited.
    case none
    /// Invited; not yet a member.
    case invited
    /// A member.
    case joined
    /// A former member; the client reports `none` instead.
    case left

    init(_ state: MembershipState) {
        switch state {
        case .none: self = .none
        case .invited: self = .invited
        case .joined: self = .joined
        }
    }
}

/// The state of writing of a member.
public enum MutedState: Int, Sendable {
    /// The member may write.
    case unmuted
    /// The member may not write.
    case muted
}
