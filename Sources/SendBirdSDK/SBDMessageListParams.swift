// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
package import RoostModel

/// The kinds of messages.
public enum SBDMessageTypeFilter: Int, Sendable {
    /// All kinds.
    case all
    /// Texts of users.
    case user
    /// Files of users.
    case file
    /// Texts of administrators and the server.
    case admin

    package var kind: MessageFilter.Kind {
        switch self {
        case .all: .all
        case .user: .user
        case .file: .file
        case .admin: .admin
        }
    }
}

/// The replies among the messages of a list.
public enum SBDReplyType: Int, Sendable {
    /// No replies.
    case none
    /// All replies.
    case all
    /// Replies that are shown outside of their threads too.
    case onlyReplyToChannel
}

/// The selection and order of messages.
///
/// The app sees the parts of delivered messages that the switches `include…` ask for.
public final class SBDMessageListParams: NSObject {
    /// Whether messages with exactly the named time are included.
    ///
    /// If false, a collection that starts at the time of a message does not show that message.
    public var isInclusive = false
    /// The number of messages before the named time.
    public var previousResultSize = 0
    /// The number of messages after the named time.
    public var nextResultSize = 0
    /// Whether the newest message comes first.
    public var reverse = false
    /// The kind of message.
    public var messageType = SBDMessageTypeFilter.all
    /// The custom type; nil for all.
    public var customType: String?
    /// The custom types, any of which fits; nil for all.
    public var customTypes: [String]?
    /// The senders, any of whom fits; nil for all.
    public var senderUserIds: [String]?
    /// The replies that are included.
    public var replyType = SBDReplyType.none
    /// Whether replies are included, under the older name of `replyType`.
    @available(*, deprecated, renamed: "replyType")
    public var includeReplies: Bool {
        get { replyType != .none }
        set { replyType = newValue ? .all : .none }
    }
    /// Whether messages come with their meta arrays.
    public var includeMetaArray: Bool {
        get { parts[.metaArrays] }
        set { parts[.metaArrays] = newValue }
    }
    /// Whether messages come with their reactions.
    public var includeReactions: Bool {
        get { parts[.reactions] }
        set { parts[.reactions] = newValue }
    }
    /// Whether messages come with the state of their thread.
    public var includeThreadInfo: Bool {
        get { parts[.threadInfo] }
        set { parts[.threadInfo] = newValue }
    }
    /// Whether replies come with the message that they reply to.
    public var includeParentMessageInfo: Bool {
        get { parts[.parent] }
        set { parts[.parent] = newValue }
    }

    // Polls are not part of the old library.
    private(set) var parts: MessageParts = [.poll]

    public override init() {}

    package var filter: MessageFilter {
        let types = (customTypes ?? []) + (customType.map { [$0] } ?? [])
        let replies: MessageFilter.ReplyType =
            switch replyType {
            case .none: .none
            case .all: .all
            case .onlyReplyToChannel: .onlyReplyToChannel
            }
        let senders = senderUserIds ?? []
        return MessageFilter(
            kind: messageType.kind, customTypes: types.isEmpty ? nil : types,
            senderIDs: senders.isEmpty ? nil : senders.map { UserID($0) }, replyType: replies)
    }
}

/// The selection of a change log.
///
/// The app sees the parts of messages that the switches `include…` ask for.
public final class SBDMessageChangeLogsParams: NSObject {
    /// Whether messages come with their meta arrays.
    public var includeMetaArray: Bool {
        get { parts[.metaArrays] }
        set { parts[.metaArrays] = newValue }
    }
    /// Whether messages come with their reactions.
    public var includeReactions: Bool {
        get { parts[.reactions] }
        set { parts[.reactions] = newValue }
    }
    /// Without effect: the change log covers replies.
    public var includeReplies = false
    /// Whether messages come with the state of their thread.
    public var includeThreadInfo: Bool {
        get { parts[.threadInfo] }
        set { parts[.threadInfo] = newValue }
    }
    /// Whether replies come with the message that they reply to.
    public var includeParentMessageInfo: Bool {
        get { parts[.parent] }
        set { parts[.parent] = newValue }
    }

    private(set) var parts: MessageParts = [.poll]

    public override init() {}
}

/// The selection of a change log of channels.
///
/// Empty and frozen channels are in it in any case, so that no change is lost.
public final class SBDGroupChannelChangeLogsParams: NSObject {
    /// The custom types, any of which fits; nil for all.
    public var customTypes: [String]?
    /// Without effect: empty channels are in the change log.
    public var includeEmptyChannel = true
    /// Without effect: frozen channels are in the change log.
    public var includeFrozenChannel = true

    public override init() {}
}
