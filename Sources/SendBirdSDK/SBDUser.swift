// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
import RoostWire

/// A person or a bot, as they were when this object was made.
public class SBDUser: NSObject {
    let value: User

    required init(_ value: User) { self.value = value }

    public var userId: String { value.id.rawValue }
    public var nickname: String? { value.nickname }
    public var profileUrl: String? { value.profileURL }
    public var metaData: [String: String]? { value.metadata }
    public var isActive: Bool { value.isActive }

    public func serialize() -> Data? { Data(SerializedObject.user(value).bytes) }

    public class func build(fromSerializedData data: Data) -> Self? {
        guard case .user(let user)? = SerializedObject(Array(data)) else { return nil }
        return Self(user)
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SBDUser)?.value.id == value.id
    }

    public override var hash: Int { value.id.hashValue }
}

/// Who wrote a message.
public final class SBDSender: SBDUser {
    public private(set) var role = SBDRole.none

    convenience init(_ sender: Sender) {
        self.init(sender.user)
        role = SBDRole(sender.role)
    }
}

/// A user as part of a channel.
public final class SBDMember: SBDUser {
    public private(set) var state = SBDMemberState.joined
    public private(set) var role = SBDRole.none
    public private(set) var isMuted = false

    convenience init(_ member: Member) {
        self.init(member.user)
        state = SBDMemberState(member.state)
        role = SBDRole(member.role)
        isMuted = member.isMuted
    }
}

public enum SBDRole: Int, Sendable {
    case none
    case `operator`

    init(_ role: Role) { self = role == .operator ? .operator : .none }
}

public enum SBDMemberState: Int, Sendable {
    case none
    case joined
    case invited

    init(_ state: MembershipState) {
        switch state {
        case .none: self = .none
        case .invited: self = .invited
        case .joined: self = .joined
        }
    }
}
