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

    /// Returns the user as bytes, for a store of the app's own.
    public func serialize() -> Data? { Data(SerializedObject.user(value).bytes) }

    /// Returns the user that was serialised; nil for other bytes.
    public class func build(fromSerializedData data: Data) -> Self? {
        guard let user = SerializedObject(Array(data))?.anyUser else { return nil }
        return Self(user)
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SBDUser)?.value.id == value.id
    }

    public override var hash: Int { value.id.hashValue }
}

/// The author of a message.
public final class SBDSender: SBDUser {
    /// The role in the channel when the message was sent.
    public private(set) var role = SBDRole.none

    convenience init(_ sender: Sender) {
        self.init(sender.user)
        role = SBDRole(sender.role)
    }
}

/// A user as part of a channel.
public final class SBDMember: SBDUser {
    /// Whether the user has joined or is invited.
    public private(set) var state = SBDMemberState.joined
    /// The role in the channel.
    public private(set) var role = SBDRole.none
    /// Whether the user may not write.
    public private(set) var isMuted = false
    /// Whether the current user has blocked this one.
    public private(set) var isBlockedByMe = false
    /// Whether this user has blocked the current one.
    public private(set) var isBlockingMe = false

    convenience init(_ member: Member) {
        self.init(member.user)
        state = SBDMemberState(member.state)
        role = SBDRole(member.role)
        isMuted = member.isMuted
        isBlockedByMe = member.isBlockedByMe
        isBlockingMe = member.isBlockingMe
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
