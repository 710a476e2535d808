// SPDX-License-Identifier: Apache-2.0

public import SendBirdSDK

/// What happened to messages of a collection.
public enum SBSMMessageEventAction: Int, Sendable {
    case none
    case insert
    case update
    case remove
    case clear
}

/// Which way to fetch.
public enum SBSMMessageDirection: Int, Sendable {
    case previous
    case next
}

/// Why a message has failed.
public enum SBSMFailedMessageEventActionReason: Int, Sendable {
    case none
    /// It waited too long.
    case updateResendFailed
    case other

    init(_ code: Int) {
        switch code {
        case 0: self = .none
        case 800400: self = .updateResendFailed
        default: self = .other
        }
    }
}

/// What a message collection tells; the first call tells everything, the others the same by status.
public protocol SBSMMessageCollectionDelegate: AnyObject {
    func collection(
        _ collection: SBSMMessageCollection, didReceiveEvent action: SBSMMessageEventAction,
        messages: [SBDBaseMessage])
    func collection(
        _ collection: SBSMMessageCollection, didReceiveEvent action: SBSMMessageEventAction,
        succeededMessages: [SBDBaseMessage])
    func collection(
        _ collection: SBSMMessageCollection, didReceiveEvent action: SBSMMessageEventAction,
        pendingMessages: [SBDBaseMessage])
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
