// SPDX-License-Identifier: Apache-2.0

/// A change of what the server holds that was asked for and waits in the outbox.
///
/// It is never written into the cache as if the server had said it; `Message.applying(_:)` shows a
/// message as it will be.
public struct PendingChange: Hashable, Sendable, Identifiable {
    public enum Action: Hashable, Sendable {
        case edit(MessageTarget, MessageEdit)
        case delete(MessageTarget)
        case addReaction(String, MessageTarget)
        case removeReaction(String, MessageTarget)
        /// Everything written until a moment of the server's clock was read.
        case markAsRead(through: Timestamp)
    }

    /// The name of the act, the same on every try.
    public let id: RequestID
    public let channel: ChannelURL
    /// On the device's clock.
    public let createdAt: Timestamp
    public let action: Action

    package init(id: RequestID, channel: ChannelURL, createdAt: Timestamp, action: Action) {
        self.id = id
        self.channel = channel
        self.createdAt = createdAt
        self.action = action
    }
}

extension PendingChange.Action {
    /// What it is, in one word.
    package var kind: String {
        switch self {
        case .edit: "edit"
        case .delete: "deletion"
        case .addReaction, .removeReaction: "reaction"
        case .markAsRead: "read mark"
        }
    }

    /// The message it is about; nil when it is about the channel.
    public var target: MessageTarget? {
        switch self {
        case .edit(let target, _), .delete(let target), .addReaction(_, let target),
            .removeReaction(_, let target):
            target
        case .markAsRead: nil
        }
    }
}

/// The message a change is about.
public enum MessageTarget: Hashable, Sendable {
    case delivered(MessageID)
    /// One that waits in the outbox, or did when the change was asked for: it goes first.
    case unsent(RequestID)
}

/// A change of a message; what is nil stays as it is.
public struct MessageEdit: Hashable, Sendable {
    public var text: String?
    public var data: String?
    public var customType: String?
    public var mention: Mention?

    public init(
        text: String? = nil, data: String? = nil, customType: String? = nil,
        mention: Mention? = nil
    ) {
        self.text = text
        self.data = data
        self.customType = customType
        self.mention = mention
    }
}

/// A change that the server did not make.
public struct ChangeRefusal: Hashable, Sendable {
    /// What was asked.
    public let change: PendingChange
    /// Why it was not done.
    public let reason: RoostError.Code
    /// What the server holds instead, as far as the cache knows.
    public let held: Message?

    package init(change: PendingChange, reason: RoostError.Code, held: Message?) {
        self.change = change
        self.reason = reason
        self.held = held
    }
}

/// How much of a message's files has been uploaded.
public struct UploadProgress: Hashable, Sendable {
    public var sent: ByteCount
    public var total: ByteCount

    public init(sent: ByteCount, total: ByteCount) {
        self.sent = sent
        self.total = total
    }
}

/// What becomes of what a user wrote or changed.
public enum OutboxEvent: Hashable, Sendable {
    /// It is on disk and waits.
    case queued(Message)
    case uploading(RequestID, UploadProgress)
    /// A try came to nothing for this reason; the message stays pending and goes out again.
    case delayed(Message, RoostError.Code)
    /// The server has it, as it is here.
    case delivered(Message)
    /// The outbox has given up; `Message.delivery` says why.
    case failed(Message)
    /// A failed message waits again.
    case retried(Message)
    /// Taken back.
    case canceled(Message)
    /// It is on disk and waits; told again of an edit that a later one became part of.
    case changeQueued(PendingChange)
    case changeMade(PendingChange)
    case changeRefused(ChangeRefusal)
    /// There is nothing left to change: the message was taken back, or is gone.
    case changeDropped(PendingChange)
    /// The disk refuses all news of it, though of others it takes them: a part of the file is damaged.
    ///
    /// What is shown and done is as it should be; when the process ends it may wait once more, as it stands on
    /// the disk. It is sent under the same name then. Told once; the disk is asked again.
    case unrecorded(RequestID)
}
