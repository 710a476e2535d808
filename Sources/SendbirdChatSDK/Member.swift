// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
import RoostWire

/// The author of a message.
public final class Sender: User {
    /// The sender; nil for a user without a part in a message.
    private var sender: RoostModel.Sender?
    /// The role in the channel when the message was sent.
    public var role: Role { sender.map { Role($0.role) } ?? .none }
    /// Whether this user has blocked the sender.
    public var isBlockedByMe: Bool { sender?.isBlockedByMe ?? false }

    convenience init(_ sender: RoostModel.Sender) {
        self.init(sender.user)
        self.sender = sender
    }

    override var object: SerializedObject { sender.map { .sender($0) } ?? super.object }

    override func take(from object: SerializedObject) {
        if case .sender(let sender) = object { self.sender = sender }
    }

    override class func make(_ user: RoostModel.User) -> User { Sender(user) }
}

/// A user as part of a channel.
public final class Member: User {
    /// The member; nil for a user without a part in a channel.
    private var member: RoostModel.Member?
    /// Whether the user has joined or is invited.
    public var state: MemberState { member.map { MemberState($0.state) } ?? .joined }
    /// The role in the channel.
    public var role: Role { member.map { Role($0.role) } ?? .none }
    /// Whether the user may not write.
    public var isMuted: Bool { member?.isMuted ?? false }
    /// Whether this user has blocked the member.
    public var isBlockedByMe: Bool { member?.isBlockedByMe ?? false }
    /// Whether the member has blocked this user.
    public var isBlockingMe: Bool { member?.isBlockingMe ?? false }
    /// The end and the reason of the mute; nil for members who may write.
    public private(set) var restrictionInfo: RestrictionInfo?
    /// The time of joining, in seconds; 0 if unknown.
    public var joinedAt: Int64 { member?.joinedAt?.seconds ?? 0 }

    convenience init(_ member: RoostModel.Member) {
        self.init(member.user)
        take(from: .member(member))
    }

    override var object: SerializedObject { member.map { .member($0) } ?? super.object }

    override func take(from object: SerializedObject) {
        guard case .member(let member) = object else { return }
        self.member = member
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
    ///
    /// Roost's user has no mute of a channel, so the server's word is among the unknown fields.
    public var isMuted: Bool { value.unknownFields["is_muted"] == "true" }

    convenience init(participant: RoostModel.User) { self.init(participant) }

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
