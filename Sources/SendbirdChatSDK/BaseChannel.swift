// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
import RoostWire

/// The kinds of channels.
public enum ChannelType: Int, Sendable {
    /// An open channel.
    case open
    /// A group channel.
    case group
    /// A channel for notifications.
    case feed
}

/// A channel, as it was when this object was made.
///
/// Two objects are equal if they are of the same channel.
public class BaseChannel: NSObject {
    let value: RoostModel.GroupChannel

    required init(_ value: RoostModel.GroupChannel) { self.value = value }

    /// The channel's identity in the application.
    public var channelURL: String { value.url.rawValue }
    /// The kind of channel.
    public var channelType: ChannelType { .group }
    /// The name; may be empty.
    public var name: String { value.name }
    /// The address of the cover picture.
    public var coverURL: String? { value.coverURL.isEmpty ? nil : value.coverURL }
    /// Text of the app's own; the server does not read it.
    public var data: String? { value.data.isEmpty ? nil : value.data }
    /// A type of the app's own, which lists can filter by.
    public var customType: String? { value.customType.isEmpty ? nil : value.customType }
    /// The time of creation, in milliseconds.
    public var createdAt: Int64 { value.createdAt.milliseconds }
    /// Whether only operators may write for now.
    public var isFrozen: Bool { value.isFrozen }
    /// The mark `is_ephemeral` of the server.
    public var isEphemeral: Bool { value.isEphemeral }

    /// Returns the channel as bytes, for a store of the app's own.
    public func serialize() -> Data? { Data(SerializedObject.channel(value).bytes) }

    /// Returns the channel that was serialised; nil for other bytes.
    public class func build(fromSerializedData data: Data) -> Self? {
        guard case .channel(let channel)? = SerializedObject(Array(data)) else { return nil }
        return GroupChannel(channel) as? Self
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? BaseChannel)?.value.url == value.url
    }

    public override var hash: Int { value.url.hashValue }
}
