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
/// The first call gets all messages of an event; the others get the same messages by their state of
/// sending.
public protocol SBSMMessageCollectionDelegate: AnyObject {
    /// Messages of the collection have changed in this way.
    func collection(
        _ collection: SBSMMessageCollection, didReceiveEvent action: SBSMMessageEventAction,
        messages: [SBDBaseMessage])
    /// Delivered messages have changed in this way.
    func collection(
        _ collection: SBSMMessageCollection, didReceiveEvent action: SBSMMessageEventAction,
        succeededMessages: [SBDBaseMessage])
    /// Pending messages have changed in this way.
    func collection(
        _ collection: SBSMMessageCollection, didReceiveEvent action: SBSMMessageEventAction,
        pendingMessages: [SBDBaseMessage])
    /// Failed messages have changed in this way, for this reason.
    func collection(
        _ collection: SBSMMessageCollection, didReceiveEvent action: SBSMMessageEventAction,
        failedMessages: [SBDBaseMessage], reason: SBSMFailedMessageEventActionReason)
}

extension SBSMMessageCollectionDelegate {
    public func collection(
        _ collection: SBSMMessageCollection, didReceiveEvent action: SBSMMessageEventAction,
        messages: [SBDBaseMessage]
    ) {}
    public func collection(
        _ collection: SBSMMessageCollection, didReceiveEvent action: SBSMMessageEventAction,
        succeededMessages: [SBDBaseMessage]
    ) {}
    public func collection(
        _ collection: SBSMMessageCollection, didReceiveEvent action: SBSMMessageEventAction,
        pendingMessages: [SBDBaseMessage]
    ) {}
    public func collection(
        _ collection: SBSMMessageCollection, didReceiveEvent action: SBSMMessageEventAction,
        failedMessages: [SBDBaseMessage], reason: SBSMFailedMessageEventActionReason
    ) {}
}
