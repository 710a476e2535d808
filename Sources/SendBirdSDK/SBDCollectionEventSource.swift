// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

/// The source of a collection's event, under the old library's numbers.
///
/// The client does not tell all of them apart: a reaction or a thread counts as an edit of its
/// message, and each change of a channel as one of its properties.
public enum SBDCollectionEventSource: Int, Sendable {
    /// A change log of messages was applied.
    case messageChangelog = 0
    /// Missing messages were filled in from the server or the cache, or the cache has changed.
    case messageFill = 1
    /// A change log of channels was applied, or the list was filled in.
    case channelChangelog = 2
    /// The user has written a message, or a file of a waiting one was uploaded.
    case localMessagePendingCreated = 3
    /// A message of the user has failed.
    case localMessageFailed = 4
    /// The user has canceled a message.
    case localMessageCanceled = 5
    /// The user sends a failed message again.
    case localMessageResendStarted = 6
    /// The server has a message of the user.
    case eventMessageSent = 100
    /// A message has arrived live.
    case eventMessageReceived = 101
    /// A message was edited.
    case eventMessageUpdated = 102
    /// A message was deleted.
    case eventMessageDeleted = 103
    /// A reaction has changed.
    case eventMessageReactionUpdated = 104
    /// A thread has changed.
    case eventMessageThreadInfoUpdated = 105
    /// The user was mentioned.
    case eventMention = 106
    /// A property of a channel has changed.
    case eventChannelChanged = 107
    /// The member count of a channel has changed.
    case eventChannelMemberCountChanged = 108
    /// A channel was frozen.
    case eventChannelFrozen = 109
    /// A channel was unfrozen.
    case eventChannelUnfrozen = 110
    /// A channel was hidden.
    case eventChannelHidden = 111
    /// A channel was deleted.
    case eventChannelDeleted = 112
    /// The operators of a channel have changed.
    case eventChannelOperatorUpdated = 113
    /// A member of a channel has begun or stopped typing.
    case eventChannelTypingStatusUpdated = 114
    /// Messages have arrived at a member's device.
    case eventDeliveryReceiptUpdated = 115
    /// A member has read messages.
    case eventReadReceiptUpdated = 116
}

/// The kinds of changes of a collection's messages.
enum MessageChangeKind {
    case added
    /// The message has its state of sending for the first time.
    case settled
    case updated
    case deleted
}

extension SBDCollectionEventSource {
    /// The source of a changed channel.
    init(ofChannels origins: Set<ChangeOrigin>) {
        let isLive = !origins.isDisjoint(with: [.answer, .local, .event])
        self = isLive ? .eventChannelChanged : .channelChangelog
    }

    /// The source of an added channel; one that was merely read fills the list.
    init(added channel: GroupChannel, in change: ListDiff<GroupChannel>) {
        let isRead = change.counterpart(of: channel) == channel
        self = isRead ? .channelChangelog : Self(ofChannels: change.origins)
    }

    /// The source of a removed channel; the old library has no number for leaving one.
    init(removed channel: GroupChannel, in change: ListDiff<GroupChannel>) {
        self.init(ofChannels: change.origins)
        guard self == .eventChannelChanged else { return }
        // Another channel has taken its place.
        if change.counterpart(of: channel) == channel {
            self = .channelChangelog
            return
        }
        guard let after = change.counterpart(of: channel), after.myState != .none else {
            self = .eventChannelDeleted
            return
        }
        if after.isFrozen != channel.isFrozen {
            self = after.isFrozen ? .eventChannelFrozen : .eventChannelUnfrozen
        } else if after.hiddenState != .unhidden, channel.hiddenState == .unhidden {
            self = .eventChannelHidden
        }
    }

    /// The source of a change of messages with one state of sending.
    init(_ origins: Set<ChangeOrigin>, _ kind: MessageChangeKind, _ status: SendingStatus) {
        switch (status, kind) {
        // A waiting message is updated by an edit, and when its file is uploaded.
        case (.pending, .added), (.pending, .updated): self = .localMessagePendingCreated
        case (.pending, .settled): self = .localMessageResendStarted
        case (.pending, .deleted), (.failed, .deleted), (.canceled, _): self = .localMessageCanceled
        case (.failed, _): self = .localMessageFailed
        case (.succeeded, .settled): self = .eventMessageSent
        case (.succeeded, _):
            if !origins.isDisjoint(with: [.answer, .local, .event]) {
                self = kind.source
            } else if origins.contains(.changeLog) {
                self = .messageChangelog
            } else {
                self = .messageFill
            }
        }
    }
}

extension MessageChangeKind {
    /// The source of a live change of a delivered message.
    fileprivate var source: SBDCollectionEventSource {
        switch self {
        case .added: .eventMessageReceived
        case .settled: .eventMessageSent
        case .updated: .eventMessageUpdated
        case .deleted: .eventMessageDeleted
        }
    }
}

/// The circumstances of a collection's event.
public class SBDCollectionContext: NSObject {
    /// The source of the event.
    public let source: SBDCollectionEventSource

    fileprivate init(of source: SBDCollectionEventSource) { self.source = source }
}

/// The circumstances of an event of a channel collection.
public final class SBDChannelContext: SBDCollectionContext {
    init(_ source: SBDCollectionEventSource) { super.init(of: source) }
}

/// The circumstances of an event of a message collection.
public final class SBDMessageContext: SBDCollectionContext {
    /// The state of sending, the same for all messages of the event.
    public let messageSendingStatus: SBDMessageSendingStatus

    init(_ source: SBDCollectionEventSource, _ status: SBDMessageSendingStatus) {
        messageSendingStatus = status
        super.init(of: source)
    }
}
