// SPDX-License-Identifier: Apache-2.0

/// The receiver of a message collection's events.
public protocol MessageCollectionDelegate: AnyObject {
    /// Messages were added.
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        addedMessages messages: [BaseMessage])
    /// Messages have changed; pending messages that were sent, have failed or were canceled are
    /// among them.
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        updatedMessages messages: [BaseMessage])
    /// Messages were removed; a canceled one was updated to `.canceled` before.
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        deletedMessages messages: [BaseMessage])
    /// The channel has changed.
    func messageCollection(
        _ collection: MessageCollection, channelContext: ChannelContext,
        updatedChannel channel: GroupChannel)
    /// The channel was deleted.
    func messageCollection(
        _ collection: MessageCollection, channelContext: ChannelContext,
        deletedChannel channelURL: String)
    /// The channel has changed; called only without an implementation of the form with a
    /// `channelContext`.
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext,
        updatedChannel channel: GroupChannel)
    /// The channel was deleted; called only without an implementation of the form with a
    /// `channelContext`.
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext,
        deletedChannel channelURL: String)
    /// More than 300 messages are missing: dispose of the collection and make a new one.
    func didDetectHugeGap(_ collection: MessageCollection)
    /// The same event under the name in the old guide's text; implement `didDetectHugeGap(_:)`
    /// instead.
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
        _ collection: MessageCollection, channelContext: ChannelContext,
        updatedChannel channel: GroupChannel
    ) {
        messageCollection(
            collection, context: MessageContext(channelContext), updatedChannel: channel)
    }
    public func messageCollection(
        _ collection: MessageCollection, channelContext: ChannelContext,
        deletedChannel channelURL: String
    ) {
        messageCollection(
            collection, context: MessageContext(channelContext), deletedChannel: channelURL)
    }
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
