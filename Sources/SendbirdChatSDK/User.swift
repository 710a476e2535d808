// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
import RoostWire

/// A person or a bot, as they were when this object was made.
public class User: NSObject {
    let value: RoostModel.User

    required init(_ value: RoostModel.User) { self.value = value }

    /// The user's identity in the application.
    public var userId: String { value.id.rawValue }
    /// The name to show; may be empty.
    public var nickname: String { value.nickname }
    /// The address of the picture.
    public var profileURL: String? { value.profileURL.isEmpty ? nil : value.profileURL }
    /// Texts of the app's own, by key.
    public var metaData: [String: String] { value.metadata }
    /// Whether the user may log in.
    public var isActive: Bool { value.isActive }
    /// Whether the user is online, as far as the server reported.
    public var connectionStatus: UserConnectionStatus {
        switch value.details.isOnline {
        case true?: .online
        case false?: .offline
        case nil: .notAvailable
        }
    }
    /// The time of the user's last connection, in milliseconds; 0 if unknown.
    public var lastSeenAt: Int64 { value.details.lastSeenAt?.milliseconds ?? 0 }

    /// Returns the user as bytes, for a store of the app's own.
    public func serialize() -> Data? { Data(SerializedObject.user(value).bytes) }

    /// Returns the user that was serialised; nil for other bytes.
    public class func build(fromSerializedData data: Data) -> Self? {
        guard case .user(let user)? = SerializedObject(Array(data)) else { return nil }
        return Self(user)
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? User)?.value.id == value.id
    }

    public override var hash: Int { value.id.hashValue }
}

/// The online state of a user.
public enum UserConnectionStatus: Int, Sendable {
    /// The server did not tell.
    case notAvailable
    /// The user is online.
    case online
    /// The user is offline.
    case offline
}

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

    convenience init(_ member: RoostModel.Member) {
        self.init(member.user)
        state = MemberState(member.state)
        role = Role(member.role)
        isMuted = member.isMuted
        isBlockedByMe = member.isBlockedByMe
        isBlockingMe = member.isBlockingMe
    }
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

    init(_ state: MembershipState) {
        switch state {
        case .none: self = .none
        case .invited: self = .invited
        case .joined: self = .joined
        }
    }
}
