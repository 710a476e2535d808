// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The state of sending of a message.
public enum MessageSendingStatus: Int, Sendable {
    /// No state: in the contexts of events without messages.
    case none
    /// The message waits or is being sent.
    case pending
    /// The outbox has given up.
    case failed
    /// The server has the message.
    case succeeded
    /// The user canceled the message.
    case canceled
    /// The message is sent by the server at a later time.
    case scheduled

    init(_ message: Message) {
        if !message.hasNoDetails, let schedule = message.details.schedule,
            ScheduledStatus(schedule.status) == .pending
        {
            self = .scheduled
        } else {
            self.init(message.status)
        }
    }

    init(_ status: SendingStatus) {
        switch status {
        case .pending: self = .pending
        case .failed: self = .failed
        case .succeeded: self = .succeeded
        case .canceled: self = .canceled
        }
    }
}

/// The kinds of mentions.
public enum MentionType: Int, Sendable {
    /// Single users.
    case users
    /// Everybody in the channel.
    case channel
}

/// The kinds of messages.
public enum MessageTypeFilter: Int, Sendable {
    /// All kinds.
    case all
    /// Texts of users.
    case user
    /// Files of users.
    case file
    /// Texts of administrators and the server.
    case admin

    var kind: MessageFilter.Kind {
        switch self {
        case .all: .all
        case .user: .user
        case .file: .file
        case .admin: .admin
        }
    }
}

/// The replies that are selected besides other messages.
public enum ReplyType: Int, Sendable {
    /// No replies.
    case none
    /// All replies.
    case all
    /// The replies that also stand in the channel.
    case onlyReplyToChannel

    var replies: MessageFilter.ReplyType {
        switch self {
        case .none: .none
        case .all: .all
        case .onlyReplyToChannel: .onlyReplyToChannel
        }
    }
}

/// The kinds of changes of reactions.
public enum ReactionEventAction: Int, Sendable {
    /// The reaction was added.
    case add
    /// The reaction was removed.
    case delete
}

/// The pushes that a message causes.
public enum PushNotificationDeliveryOption: Int, Sendable {
    /// Pushes as the receivers have chosen.
    case `default`
    /// No pushes.
    case suppress
}

/// The state of a scheduled message.
public enum ScheduledStatus: Int, Sendable {
    /// The message waits for its time.
    case pending
    /// The message was sent.
    case sent
    /// The message could not be sent.
    case failed
    /// The user canceled the message.
    case canceled

    init(_ word: String) {
        switch word {
        case "sent": self = .sent
        case "failed": self = .failed
        case "canceled", "removed": self = .canceled
        default: self = .pending
        }
    }
}
