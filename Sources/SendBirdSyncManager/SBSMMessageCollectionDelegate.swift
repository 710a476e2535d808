// SPDX-License-Identifier: Apache-2.0

public import SendBirdSDK

/// The kind of change in a message collection.
public enum SBSMMessageEventAction: Int, Sendable {
    /// No change.
    case none
    /// Messages were added.
    case insert
    /// Messages have changed.
    case update
    /// Messages were removed.
    case remove
    /// All messages were removed.
    case clear
}

/// The direction of a fetch.
public enum SBSMMessageDirection: Int, Sendable {
    /// Older messages.
    case previous
    /// Newer messages.
    case next
}

/// The reason for an event with failed messages.
public enum SBSMFailedMessageEventActionReason: Int, Sendable {
    /// No reason is given.
    case none
    /// The messages waited too long.
    case updateResendFailed
    /// Another failure.
    case other

    init(_ code: Int) {
        switch code {
        case 0: self = .none
        case 800400: self = .updateResendFailed
        default: self = .other
        }
    }
}

/// The receiver of a message collection's events.
///
/// The first call gets all messages of an event. The three behind it get the same messages by their
/// state of sending: implement that one or those three. Mind the labels: `didReceiveEvent` is the
/// older one.
public protocol SBSMMessageCollectionDelegate: AnyObject {
    /// Messages of the collection have changed in this way.
    func collection(
        _ collection: SBSMMessageCollection, didReceiveEvent action: SBSMMessageEventAction,
        messages: [SBDBaseMessage])
    /// Delivered messages have changed in this way.
    func collection(
        _ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction,
        succeededMessages: [SBDBaseMessage])
    /// Pending messages have changed in this way.
    func collection(
        _ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction,
        pendingMessages: [SBDBaseMessage])
    /// Failed messages have changed in this way, for this reason.
    func collection(
        _ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction,
        failedMessages: [SBDBaseMessage], reason: SBSMFailedMessageEventActionReason)
    /// A message of another user has arrived behind all others; its `.insert` was called before.
    ///
    /// Messages that were missed without a connection are among them.
    func collection(
        _ collection: SBSMMessageCollection, didReceiveNewMessage message: SBDBaseMessage)
    /// The collection's channel has changed; `SBSMMessageCollection.channel` is the new one.
    func collection(_ collection: SBSMMessageCollection, didUpdate channel: SBDGroupChannel)
    /// The collection's channel was deleted, or the user has left it.
    func collection(_ collection: SBSMMessageCollection, didRemove channel: SBDGroupChannel)
}

extension SBSMMessageCollectionDelegate {
    public func collection(
        _ collection: SBSMMessageCollection, didReceiveEvent action: SBSMMessageEventAction,
        messages: [SBDBaseMessage]
    ) {}
    public func collection(
        _ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction,
        succeededMessages: [SBDBaseMessage]
    ) {}
    public func collection(
        _ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction,
        pendingMessages: [SBDBaseMessage]
    ) {}
    public func collection(
        _ collection: SBSMMessageCollection, didReceive action: SBSMMessageEventAction,
        failedMessages: [SBDBaseMessage], reason: SBSMFailedMessageEventActionReason
    ) {}
    public func collection(
        _ collection: SBSMMessageCollection, didReceiveNewMessage message: SBDBaseMessage
    ) {}
    public func collection(_ collection: SBSMMessageCollection, didUpdate channel: SBDGroupChannel)
    {}
    public func collection(_ collection: SBSMMessageCollection, didRemove channel: SBDGroupChannel)
    {}
}
