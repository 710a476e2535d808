// SPDX-License-Identifier: Apache-2.0

public import Foundation
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
/// Messages come with all their fields in any case; the `include…` properties have no effect except
/// for `includeReplies`.
public final class SBDMessageListParams: NSObject {
    /// Whether messages with exactly the named time are included.
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
    /// Without effect: messages come with their meta arrays.
    public var includeMetaArray = false
    /// Without effect: messages come with their reactions.
    public var includeReactions = false
    /// Without effect: messages come with their threads.
    public var includeThreadInfo = false
    /// Without effect: replies come with their parent messages.
    public var includeParentMessageInfo = false

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
/// Messages come with all their fields in any case.
public final class SBDMessageChangeLogsParams: NSObject {
    /// Without effect: messages come with their meta arrays.
    public var includeMetaArray = false
    /// Without effect: messages come with their reactions.
    public var includeReactions = false
    /// Without effect: the change log covers replies.
    public var includeReplies = false
    /// Without effect: messages come with their threads.
    public var includeThreadInfo = false
    /// Without effect: replies come with their parent messages.
    public var includeParentMessageInfo = false

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
