// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

/// What is known of an event of a message collection.
public final class MessageContext: NSObject {
    public let source: CollectionEventSource
    /// Of all messages of the event.
    public let sendingStatus: MessageSendingStatus

    init(_ source: CollectionEventSource, _ status: MessageSendingStatus) {
        self.source = source
        sendingStatus = status
    }
}

/// What a message collection tells.
public protocol MessageCollectionDelegate: AnyObject {
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        addedMessages messages: [BaseMessage])
    /// A pending message that was sent or has failed is among them.
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        updatedMessages messages: [BaseMessage])
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        deletedMessages messages: [BaseMessage])
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext,
        updatedChannel channel: GroupChannel)
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext,
        deletedChannel channelURL: String)
    /// More than 300 messages are missing: dispose of the collection and make a new one.
    func didDetectHugeGap(_ collection: MessageCollection)
    /// The same under the name of the old guide's prose; implement `didDetectHugeGap(_:)` instead.
    func didHugeGapDetected(_ collection: MessageCollection)
}

extension MessageCollectionDelegate {
    public func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        addedMessages messages: [BaseMessage]
    ) {}
    public func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        updatedMessages messages: [BaseMessage]
    ) {}
    public func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        deletedMessages messages: [BaseMessage]
    ) {}
    public func messageCollection(
        _ collection: MessageCollection, context: MessageContext,
        updatedChannel channel: GroupChannel
    ) {}
    public func messageCollection(
        _ collection: MessageCollection, context: MessageContext,
        deletedChannel channelURL: String
    ) {}
    public func didDetectHugeGap(_ collection: MessageCollection) {
        didHugeGapDetected(collection)
    }
    public func didHugeGapDetected(_ collection: MessageCollection) {}
}
