// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
import RoostWire

/// A person or a bot, as they were when this object was made.
public class SBDUser: NSObject {
    let value: User

    required init(_ value: User) { self.value = value }

    /// The user's identity in the application.
    public var userId: String { value.id.rawValue }
    /// The name to show; may be empty.
    public var nickname: String? { value.nickname }
    /// The address of the picture.
    public var profileUrl: String? { value.profileURL }
    /// Texts of the app's own, by key.
    public var metaData: [String: String]? { value.metadata }
    /// Whether the user may log in.
    public var isActive: Bool { value.isActive }
    /// Whether the user is online, as far as the server sent it.
    public var connectionStatus: SBDUserConnectionStatus {
        SBDUserConnectionStatus(value.details.isOnline)
    }
    /// The time of the user's last connection, in milliseconds; 0 while online and if unknown.
    public var lastSeenAt: Int64 { value.details.lastSeenAt?.milliseconds ?? 0 }
    /// Language codes, the preferred one first.
    public var preferredLanguages: [String]? { value.details.preferredLanguages }

    /// The user in the form that is stored.
    var object: SerializedObject { .user(value) }

    /// Takes over the user's part in a channel.
    func take(from object: SerializedObject) {}

    /// Returns the user as bytes, for a store of the app's own.
    public func serialize() -> Data? { Data(object.bytes) }

    /// Returns the user that was serialised; nil for other bytes.
    ///
    /// The bytes of a member or a sender tell their part in a channel. Bytes without it make a
    /// joined member and a sender without a role.
    public class func build(fromSerializedData data: Data) -> Self? {
        guard let object = SerializedObject(Array(data)), let user = object.anyUser else {
            return nil
        }
        let made = Self(user)
        made.take(from: object)
        return made
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SBDUser)?.value.id == value.id
    }

    public override var hash: Int { value.id.hashValue }
}

/// The author of a message.
public final class SBDSender: SBDUser {
    /// The sender; nil for a user without a part in a message.
    private var sender: Sender?
    /// The role in the channel when the message was sent.
    public var role: SBDRole { sender.map { SBDRole($0.role) } ?? .none }

    convenience init(_ sender: Sender) {
        self.init(sender.user)
        self.sender = sender
    }

    override var object: SerializedObject { sender.map { .sender($0) } ?? super.object }

    override func take(from object: SerializedObject) {
        if case .sender(let sender) = object { self.sender = sender }
    }
}

/// A user as part of a channel.
public final class SBDMember: SBDUser {
    /// The member; nil for a user without a part in a channel.
    private var member: Member?
    /// Whether the user has joined or is invited.
    public var state: SBDMemberState { member.map { SBDMemberState($0.state) } ?? .joined }
    /// The role in the channel.
    public var role: SBDRole { member.map { SBDRole($0.role) } ?? .none }
    /// Whether the user may not write.
    public var isMuted: Bool { member?.isMuted ?? false }
    /// Whether the current user has blocked this one.
    public var isBlockedByMe: Bool { member?.isBlockedByMe ?? false }
    /// Whether this user has blocked the current one.
    public var isBlockingMe: Bool { member?.isBlockingMe ?? false }

    convenience init(_ member: Member) {
        self.init(member.user)
        self.member = member
    }

    override var object: SerializedObject { member.map { .member($0) } ?? super.object }

    override func take(from object: SerializedObject) {
        if case .member(let member) = object { self.member = member }
    }
}

/// The presence of a user.
public enum SBDUserConnectionStatus: Int, Sendable {
    /// The server did not tell.
    case nonAvailable
    /// The user has a connection.
    case online
    /// The user has no connection.
    case offline

    init(_ isOnline: Bool?) { self = isOnline.map { $0 ? .online : .offline } ?? .nonAvailable }
}

/// The role of a user in a channel.
public enum SBDRole: Int, Sendable {
    /// An ordinary member.
    case none
    /// A user who may moderate the channel.
    case `operator`

    init(_ role: Role) { self = role == .operator ? .operator : .none }
}

/// The relation of a user to a channel.
public enum SBDMemberState: Int, Sendable {
    /// Neither a member nor invited.
    case none
    /// A member.
    case joined
    /// Invited; not yet a member.
    case invited

    init(_ state: MembershipState) {
        switch state {
        case .none: self = .none
        case .invited: self = .invited
        case .joined: self = .joined
        }
    }
}
