// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import RoostModel
import RoostWire

/// The kinds of channels.
public enum SBDChannelType: Int, Sendable {
    /// An open channel.
    case open
    /// A group channel.
    case group
}

/// A channel, as it was when this object was made.
///
/// Two objects are equal if they are of the same channel.
public class SBDBaseChannel: NSObject {
    package let value: GroupChannel

    package required init(_ value: GroupChannel) { self.value = value }

    /// The channel's identity in the application.
    public var channelUrl: String { value.url.rawValue }
    /// The name; may be empty.
    public var name: String { value.name }
    /// The address of the cover picture.
    public var coverUrl: String? { value.coverURL }
    /// Text of the app's own; the server does not read it.
    public var data: String? { value.data }
    /// A type of the app's own, which lists can filter by.
    public var customType: String? { value.customType }
    /// The time of creation, in seconds, as in the old library.
    public var createdAt: UInt { UInt(clamping: value.createdAt.seconds) }
    /// Whether only operators may write for now.
    public var isFrozen: Bool { value.isFrozen }

    /// Returns the channel as bytes, for a store of the app's own.
    public func serialize() -> Data? { Data(SerializedObject.channel(value).bytes) }

    /// Returns the channel that was serialised; nil for other bytes.
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

/// A group channel as the user saw it when this object was made; counts and state are the user's.
public final class SBDGroupChannel: SBDBaseChannel {
    /// The members that the server listed, each an `SBDMember`; all of them unless the channel is a
    /// super channel.
    public var members: NSMutableArray? {
        NSMutableArray(array: value.members.map { SBDMember($0) })
    }
    /// The number of members and invited users.
    public var memberCount: UInt { UInt(clamping: value.memberCount) }
    /// The number of the user's unread messages.
    public var unreadMessageCount: UInt { UInt(clamping: value.unreadMessageCount) }
    /// The last message; nil without one.
    public var lastMessage: SBDBaseMessage? { value.lastMessage.map { SBDBaseMessage.make($0) } }
    /// Whether the channel is the only one with exactly its members.
    public var isDistinct: Bool { value.isDistinct }
    /// Whether the channel may have more members than the server lists.
    public var isSuper: Bool { value.isSuper }
    /// Whether any user may join without an invitation.
    public var isPublic: Bool { value.isPublic }
    /// Whether the channel is hidden from the user's lists.
    public var isHidden: Bool { value.hiddenState != .unhidden }
    /// The user's role.
    public var myRole: SBDRole { SBDRole(value.myRole) }
    /// The user's membership.
    public var myMemberState: SBDMemberState { SBDMemberState(value.myState) }
    /// The time up to which the user has read, in milliseconds; 0 if unknown.
    public var myLastRead: Int64 { value.myLastRead?.milliseconds ?? 0 }
    /// The creator; nil if the server did not tell.
    public var creator: SBDUser? { value.createdBy.map { SBDUser($0) } }
}
