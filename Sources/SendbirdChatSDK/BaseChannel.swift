// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
import RoostWire

public enum ChannelType: Int, Sendable {
    case open
    case group
    case feed
}

/// A channel, as it was when this object was made.
///
/// Two objects are equal when they are of one channel.
public class BaseChannel: NSObject {
    let value: RoostModel.GroupChannel

    required init(_ value: RoostModel.GroupChannel) { self.value = value }

    public var channelURL: String { value.url.rawValue }
    public var channelType: ChannelType { .group }
    public var name: String { value.name }
    public var coverURL: String? { value.coverURL.isEmpty ? nil : value.coverURL }
    public var data: String? { value.data.isEmpty ? nil : value.data }
    public var customType: String? { value.customType.isEmpty ? nil : value.customType }
    /// In milliseconds.
    public var createdAt: Int64 { value.createdAt.milliseconds }
    public var isFrozen: Bool { value.isFrozen }
    public var isEphemeral: Bool { value.isEphemeral }

    /// The channel as bytes, for a store of the app's own.
    public func serialize() -> Data? { Data(SerializedObject.channel(value).bytes) }

    /// The channel that was serialised; nil for other bytes.
    public class func build(fromSerializedData data: Data) -> Self? {
        guard case .channel(let channel)? = SerializedObject(Array(data)) else { return nil }
        return GroupChannel(channel) as? Self
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? BaseChannel)?.value.url == value.url
    }

    public override var hash: Int { value.url.hashValue }
}
