// SPDX-License-Identifier: Apache-2.0

/// A change of the server's data that waits in the outbox.
///
/// The cache never contains it before the server confirms it. Timelines, channel lists, searches and
/// look-ups show a message or a channel with its changes, and mark it with them
/// (`Message.pendingChanges`, `GroupChannel.pendingChanges`).
public struct PendingChange: Hashable, Codable, Sendable, Identifiable {
    /// The kinds of changes.
    public enum Action: Hashable, Codable, Sendable {
        /// Edits the user's own message.
        case edit(MessageTarget, MessageEdit)
        /// Deletes a message for everybody.
        case delete(MessageTarget)
        /// Adds the user's reaction with this key.
        case addReaction(String, MessageTarget)
        /// Removes the user's reaction with this key.
        case removeReaction(String, MessageTarget)
        /// Marks everything up to a moment of the server's clock as read.
        case markAsRead(through: Timestamp)
        /// Changes the channel, or the user's own settings in it.
        case channel(ChannelChange)
    }

    /// The identifier of the call, the same on every retry.
    public let id: RequestID
    /// The channel that is changed.
    public let channel: ChannelURL
    /// The time of the call by the device's clock.
    public let createdAt: Timestamp
    /// The change.
    public let action: Action

    package init(id: RequestID, channel: ChannelURL, createdAt: Timestamp, action: Action) {
        self.id = id
        self.channel = channel
        self.createdAt = createdAt
        self.action = action
    }
}

extension PendingChange.Action {
    /// The kind of change in one word.
    package var kind: String {
        switch self {
        case .edit: "edit"
        case .delete: "deletion"
        case .addReaction, .removeReaction: "reaction"
        case .markAsRead: "read mark"
        case .channel(let change): change.kind
        }
    }

    /// The message that is changed; nil for a change of the channel.
    public var target: MessageTarget? {
        switch self {
        case .edit(let target, _), .delete(let target), .addReaction(_, let target),
            .removeReaction(_, let target):
            target
        case .markAsRead, .channel: nil
        }
    }
}

/// A message as the target of a change.
public enum MessageTarget: Hashable, Codable, Sendable {
    /// A message that the server has.
    case delivered(MessageID)
    /// A message that waits in the outbox, or did at the time of the call; it is sent before the
    /// change.
    case unsent(RequestID)
}

extension Message {
    /// The message as the target of a change.
    public var target: MessageTarget {
        switch delivery {
        case .delivered(let id, _): .delivered(id)
        case .unsent(let id, _): .unsent(id)
        }
    }
}

/// New values for a message's fields; nil leaves a field as it is.
public struct MessageEdit: Hashable, Codable, Sendable {
    /// The new text.
    public var text: String?
    /// The new text of the app's own.
    public var data: String?
    /// The new custom type.
    public var customType: String?
    /// The new mention.
    public var mention: Mention?
    /// The new text with placeholders for the mentioned users' names.
    public var mentionTemplate: String?

    /// Creates an edit of the given fields.
    public init(
        text: String? = nil, data: String? = nil, customType: String? = nil,
        mention: Mention? = nil, mentionTemplate: String? = nil
    ) {
        self.text = text
        self.data = data
        self.customType = customType
        self.mention = mention
        self.mentionTemplate = mentionTemplate
    }
}

/// A change that the server refused.
public struct ChangeRefusal: Hashable, Codable, Sendable {
    /// The refused change.
    public let change: PendingChange
    /// The server's reason.
    public let reason: RoostError.Code
    /// The message as the cache has it, unchanged; nil if it has none.
    public let held: Message?
    /// The channel as the cache has it, for a change of a channel; nil if it has none.
    public let heldChannel: GroupChannel?

    package init(
        change: PendingChange, reason: RoostError.Code, held: Message? = nil,
        heldChannel: GroupChannel? = nil
    ) {
        self.change = change
        self.reason = reason
        self.held = held
        self.heldChannel = heldChannel
    }
}

/// The progress of the upload of a message's files.
public struct UploadProgress: Hashable, Codable, Sendable {
    /// The bytes sent so far.
    public var sent: ByteCount
    /// The bytes of all files of the message.
    public var total: ByteCount

    /// Creates a progress.
    public init(sent: ByteCount, total: ByteCount) {
        self.sent = sent
        self.total = total
    }
}

/// A change in the state of an outbox item.
public enum OutboxEvent: Hashable, Codable, Sendable {
    /// The message is on disk and waits.
    case queued(Message)
    /// The files of the message are being uploaded.
    case uploading(RequestID, UploadProgress)
    /// The server has the file of the message at this index, counted from zero.
    case uploaded(RequestID, file: Int)
    /// An attempt failed for this reason; the message stays pending and is retried.
    case delayed(Message, RoostError.Code)
    /// The server has the message; this is its copy.
    case delivered(Message)
    /// The outbox has given up; `Message.delivery` has the reason.
    case failed(Message)
    /// A failed message waits again.
    case retried(Message)
    /// The message was canceled.
    case canceled(Message)
    /// The change is on disk and waits; repeated when a later edit is merged into it.
    case changeQueued(PendingChange)
    /// The server made the change, perhaps for another process of this device.
    case changeMade(PendingChange)
    /// The server refused the change, and the outbox has given up.
    case changeRefused(ChangeRefusal)
    /// The change is not made: it was canceled or replaced, or its message is gone.
    case changeDropped(PendingChange)
    /// The draft of a place has changed; nil when it is gone.
    case draftChanged(DraftPlace, MessageDraft?)
    /// The state of an item cannot be written, because a part of the file is damaged.
    ///
    /// Memory has the right state. After the process ends, the item may wait once more, in the
    /// state on disk; it is then sent under the same request ID. The event comes once, and the
    /// write is retried.
    case unrecorded(RequestID)
}
