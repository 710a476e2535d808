// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import RoostModel
import RoostWire

public enum SBDChannelType: Int, Sendable {
    case open
    case group
}

/// A channel, as it was when this object was made.
///
/// Two objects are equal when they are of one channel.
public class SBDBaseChannel: NSObject {
    package let value: GroupChannel

    package required init(_ value: GroupChannel) { self.value = value }

    public var channelUrl: String { value.url.rawValue }
    public var name: String { value.name }
    public var coverUrl: String? { value.coverURL }
    public var data: String? { value.data }
    public var customType: String? { value.customType }
    /// In seconds, as the old library counted it here.
    public var createdAt: UInt { UInt(clamping: value.createdAt.seconds) }
    public var isFrozen: Bool { value.isFrozen }

    /// The channel as bytes, for a store of the app's own.
    public func serialize() -> Data? { Data(SerializedObject.channel(value).bytes) }

    /// The channel that was serialised; nil for other bytes.
    public class func build(fromSerializedData data: Data) -> Self? {
        switch SerializedObject(Array(data)) {
        case .channel(let channel)?: SBDGroupChannel(channel) as? Self
        case .openChannel(let channel)?: SBDOpenChannel(channel) as? Self
        case .message?, .user?, nil: nil
        }
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SBDBaseChannel)?.value.url == value.url
    }

    public override var hash: Int { value.url.hashValue }
}

/// A channel of a group, as the user saw it when this object was made; counts and state are theirs.
public final class SBDGroupChannel: SBDBaseChannel {
    public var members: NSMutableArray? {
        NSMutableArray(array: value.members.map { SBDMember($0) })
    }
    public var memberCount: UInt { UInt(clamping: value.memberCount) }
    public var unreadMessageCount: UInt { UInt(clamping: value.unreadMessageCount) }
    public var lastMessage: SBDBaseMessage? { value.lastMessage.map { SBDBaseMessage.make($0) } }
    public var isDistinct: Bool { value.isDistinct }
    public var isSuper: Bool { value.isSuper }
    public var isPublic: Bool { value.isPublic }
    public var isHidden: Bool { value.hiddenState != .unhidden }
    public var myRole: SBDRole { SBDRole(value.myRole) }
    public var myMemberState: SBDMemberState { SBDMemberState(value.myState) }
    /// In milliseconds; 0 when nothing was read.
    public var myLastRead: Int64 { value.myLastRead?.milliseconds ?? 0 }
    public var creator: SBDUser? { value.createdBy.map { SBDUser($0) } }
}
