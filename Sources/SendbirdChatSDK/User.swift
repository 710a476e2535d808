// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
import RoostWire

/// A person or a bot, as they were when this object was made.
public class User: NSObject {
    let value: RoostModel.User

    required init(_ value: RoostModel.User) { self.value = value }

    public var userId: String { value.id.rawValue }
    public var nickname: String { value.nickname }
    public var profileURL: String? { value.profileURL.isEmpty ? nil : value.profileURL }
    public var metaData: [String: String] { value.metadata }
    public var isActive: Bool { value.isActive }
    public var connectionStatus: UserConnectionStatus {
        switch value.details.isOnline {
        case true?: .online
        case false?: .offline
        case nil: .notAvailable
        }
    }
    /// In milliseconds; 0 when unknown.
    public var lastSeenAt: Int64 { value.details.lastSeenAt?.milliseconds ?? 0 }

    public func serialize() -> Data? { Data(SerializedObject.user(value).bytes) }

    public class func build(fromSerializedData data: Data) -> Self? {
        guard case .user(let user)? = SerializedObject(Array(data)) else { return nil }
        return Self(user)
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? User)?.value.id == value.id
    }

    public override var hash: Int { value.id.hashValue }
}

public enum UserConnectionStatus: Int, Sendable {
    case notAvailable
    case online
    case offline
}

/// Who wrote a message.
public final class Sender: User {
    public private(set) var role = Role.none
    public private(set) var isBlockedByMe = false

    convenience init(_ sender: RoostModel.Sender) {
        self.init(sender.user)
        role = Role(sender.role)
        isBlockedByMe = sender.isBlockedByMe
    }
}

/// A user as part of a channel.
public final class Member: User {
    public private(set) var state = MemberState.joined
    public private(set) var role = Role.none
    public private(set) var isMuted = false
    public private(set) var isBlockedByMe = false
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

public enum Role: Int, Sendable {
    case none
    case `operator`

    init(_ role: RoostModel.Role) { self = role == .operator ? .operator : .none }
}

public enum MemberState: Int, Sendable {
    case none
    case invited
    case joined

    init(_ state: MembershipState) {
        switch state {
        case .none: self = .none
        case .invited: self = .invited
        case .joined: self = .joined
        }
    }
}
