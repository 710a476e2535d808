// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
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

/// A channel, as the app has seen it last.
///
/// All objects of a channel show the newest state that a call, a collection or an event has
/// brought, until another user logs in. Two objects are equal if they are of the same channel.
open class BaseChannel: NSObject, Codable {
    private let state: KeptChannels.State

    var value: RoostModel.GroupChannel { state.value }

    init(_ state: KeptChannels.State) { self.state = state }

    /// An object of a channel in the answer to a question.
    ///
    /// All objects of the channel show the value, unless news have come since the question; of an
    /// open channel the answer counts as news.
    convenience init(
        _ value: RoostModel.GroupChannel, answering question: ChannelQuestion
    ) { self.init(question.state(of: value, isOpen: Self.isOpen)) }

    /// An object of the channel, which shows the value unless another object of it is kept.
    convenience init(
        kept value: RoostModel.GroupChannel, askedAt moment: KeptChannels.Moment = .first
    ) {
        self.init(
            SendbirdChat.door.kept.state(isOpen: Self.isOpen, keptOr: value, askedAt: moment))
    }

    /// Decodes a channel as it was when it was encoded; one of the other kind is an error.
    public required init(from decoder: any Decoder) throws {
        switch try SerializedObject(from: decoder) {
        case .channel(let channel) where !Self.isOpen: state = KeptChannels.State(channel)
        case .openChannel(let channel) where Self.isOpen: state = KeptChannels.State(channel)
        case .channel, .openChannel, .message, .user, .member, .sender:
            throw SerializedObject.mismatch(decoder)
        }
    }

    /// Encodes the bytes of `serialize()`.
    open func encode(to encoder: any Encoder) throws { try object.encode(to: encoder) }

    /// The channel in the form that is stored.
    private var object: SerializedObject { Self.isOpen ? .openChannel(value) : .channel(value) }

    class var isOpen: Bool { false }

    /// Changes the value that all objects of the channel show until its next one.
    func changeValue(_ change: (inout RoostModel.GroupChannel) -> Void) { state.change(change) }

    /// Shows the answer to a question in all objects of the channel, unless news have come since;
    /// of an open channel the answer counts as news.
    func update(to value: RoostModel.GroupChannel, answering question: ChannelQuestion) {
        state.show(value, askedAt: question.momentOfAnswer(isOpen: Self.isOpen))
    }

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
    /// The creator; nil if the server did not send it.
    public var creator: User? { value.createdBy.map { User($0) } }
    /// Whether only operators may write for now.
    public var isFrozen: Bool { value.isFrozen }
    /// The mark `is_ephemeral` of the server.
    public var isEphemeral: Bool { value.isEphemeral }
    /// A mark of the app's own; false at first, and never set by the client, which keeps its cache
    /// in step.
    public var isDirty = false
    /// The pinned messages' IDs; nil without one.
    public var pinnedMessageIds: [Int64]? {
        value.pinnedMessageIDs.isEmpty ? nil : value.pinnedMessageIDs.map(\.rawValue)
    }
    /// The message pinned last; nil without one.
    public var lastPinnedMessage: BaseMessage? {
        value.latestPinnedMessage.map { BaseMessage.make($0) }
    }
    /// The time up to which the server has removed messages, in milliseconds; 0 for never.
    public var messageDeletionTimestamp: Int64 { value.purgeOffset?.milliseconds ?? 0 }
    /// The metadata in the cache; empty before the server sent them.
    public var cachedMetaData: [String: String] { value.metadata ?? [:] }

    /// Returns the metadata in the cache; empty before the server sent them.
    public func getCachedMetaData() -> [String: String] { cachedMetaData }

    /// Returns whether the channel is a group channel.
    public func isGroupChannel() -> Bool { channelType == .group }

    /// Returns whether the channel is an open channel.
    public func isOpenChannel() -> Bool { channelType == .open }

    /// Returns the channel as bytes, for a store of the app's own.
    public func serialize() -> Data? { Data(object.bytes) }

    /// Returns the channel as it was when it was serialised; nil for other bytes.
    public class func build(fromSerializedData data: Data?) -> Self? {
        switch data.flatMap({ SerializedObject(Array($0)) }) {
        case .channel(let channel)?: GroupChannel(KeptChannels.State(channel)) as? Self
        case .openChannel(let channel)?: OpenChannel(KeptChannels.State(channel)) as? Self
        case .message?, .user?, .member?, .sender?, nil: nil
        }
    }

    open override func isEqual(_ object: Any?) -> Bool {
        (object as? BaseChannel)?.value.url == value.url
    }

    open override var hash: Int { value.url.hashValue }
}

extension BaseChannel: Identifiable {
    /// The channel's identity; the same as `channelURL`.
    public var id: String { channelURL }
}
