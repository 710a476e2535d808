// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import RoostDoors
package import RoostModel
import RoostWire

/// The kinds of channels.
public enum SBDChannelType: Int, Sendable {
    /// An open channel.
    case open
    /// A group channel.
    case group
}

/// A channel, as the app has seen it last.
///
/// All objects of a channel show the newest state that a call, a collection or an event has
/// brought, until another user logs in. Two objects are equal if they are of the same channel.
public class SBDBaseChannel: NSObject {
    private let state: KeptChannels.State

    init(_ state: KeptChannels.State) { self.state = state }

    /// An object of a channel in the answer to a question.
    ///
    /// All objects of the channel show the value, unless news have come since the question; of an
    /// open channel the answer counts as news.
    convenience init(_ value: GroupChannel, answering question: ChannelQuestion) {
        self.init(question.state(of: value, isOpen: Self.isOpen))
    }

    /// An object of the channel, which shows the value unless another object of it is kept.
    package convenience init(
        kept value: GroupChannel, askedAt moment: KeptChannels.Moment = .first
    ) {
        self.init(SBDMain.door.kept.state(isOpen: Self.isOpen, keptOr: value, askedAt: moment))
    }

    class var isOpen: Bool { false }

    package var value: GroupChannel { state.value }

    /// Shows the answer to a question in all objects of the channel, unless news have come since;
    /// of an open channel the answer counts as news.
    func show(_ value: GroupChannel, answering question: ChannelQuestion) {
        state.show(value, askedAt: question.momentOfAnswer(isOpen: Self.isOpen))
    }

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
    public func serialize() -> Data? {
        let object: SerializedObject = Self.isOpen ? .openChannel(value) : .channel(value)
        return Data(object.bytes)
    }

    /// Returns the channel that was serialised; nil for other bytes.
    public class func build(fromSerializedData data: Data) -> Self? {
        switch SerializedObject(Array(data)) {
        case .channel(let channel)?: SBDGroupChannel(KeptChannels.State(channel)) as? Self
        case .openChannel(let channel)?: SBDOpenChannel(KeptChannels.State(channel)) as? Self
        case .message?, .user?, .member?, .sender?, nil: nil
        }
    }

    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SBDBaseChannel)?.value.url == value.url
    }

    public override var hash: Int { value.url.hashValue }
}
