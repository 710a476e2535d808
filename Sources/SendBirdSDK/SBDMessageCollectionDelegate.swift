// SPDX-License-Identifier: Apache-2.0

/// The receiver of a message collection's events.
public protocol SBDMessageCollectionDelegate: AnyObject {
    /// Messages were added.
    func messageCollection(
        _ collection: SBDMessageCollection, context: SBDMessageContext, channel: SBDGroupChannel,
        addedMessages messages: [SBDBaseMessage])
    /// Messages have changed; pending messages that were sent or have failed are among them.
    func messageCollection(
        _ collection: SBDMessageCollection, context: SBDMessageContext, channel: SBDGroupChannel,
        updatedMessages messages: [SBDBaseMessage])
    /// Messages were removed.
    func messageCollection(
        _ collection: SBDMessageCollection, context: SBDMessageContext, channel: SBDGroupChannel,
        deletedMessages messages: [SBDBaseMessage])
    /// The channel has changed.
    func messageCollection(
        _ collection: SBDMessageCollection, context: SBDMessageContext,
        updatedChannel channel: SBDGroupChannel)
    /// The channel was deleted.
    func messageCollection(
        _ collection: SBDMessageCollection, context: SBDMessageContext,
        deletedChannel channelUrl: String)
    /// More than 300 messages are missing: dispose of the collection and make a new one.
    func didDetectHugeGap(_ collection: SBDMessageCollection)
}

extension SBDMessageCollectionDelegate {
    public func messageCollection(
        _ collection: SBDMessageCollection, context: SBDMessageContext, channel: SBDGroupChannel,
        addedMessages messages: [SBDBaseMessage]
    ) {}
    public func messageCollection(
        _ collection: SBDMessageCollection, context: SBDMessageContext, channel: SBDGroupChannel,
        updatedMessages messages: [SBDBaseMessage]
    ) {}
    public func messageCollection(
        _ collection: SBDMessageCollection, context: SBDMessageContext, channel: SBDGroupChannel,
        deletedMessages messages: [SBDBaseMessage]
    ) {}
    public func messageCollection(
        _ collection: SBDMessageCollection, context: SBDMessageContext,
        updatedChannel channel: SBDGroupChannel
    ) {}
    public func messageCollection(
        _ collection: SBDMessageCollection, context: SBDMessageContext,
        deletedChannel channelUrl: String
    ) {}
    public func didDetectHugeGap(_ collection: SBDMessageCollection) {}
}
