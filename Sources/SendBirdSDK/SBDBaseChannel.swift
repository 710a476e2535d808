// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostExecutors
package import RoostModel
import RoostWire

/// The kinds of channels.
public enum SBDChannelType: Int, Sendable {
    /// An open channel.
    case open
    /// A group channel.
    case group
}

/// A channel, as it was when this object was made or last refreshed.
///
/// Two objects are equal if they are of the same channel.
public class SBDBaseChannel: NSObject {
    private let current: Guarded<GroupChannel>

    package required init(_ value: GroupChannel) { current = Guarded(value) }

    package var value: GroupChannel { current.withLock { $0 } }

    /// Shows the channel as it is now; all other objects of the channel stay as they are.
    func show(_ value: GroupChannel) { current.withLock { $0 = value } }

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
    /// Whether the channel is marked as ephemeral; a Roost server treats it as any other.
    public var isEphemeral: Bool { value.isEphemeral }

    /// Whether this is a group channel.
    public func isGroupChannel() -> Bool { self is SBDGroupChannel }
    /// Whether this is an open channel.
    public func isOpenChannel() -> Bool { self is SBDOpenChannel }

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
