// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

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
}

/// The replies that are selected besides other messages.
public enum ReplyType: Int, Sendable {
    /// No replies.
    case none
    /// All replies.
    case all
    /// The replies that also stand in the channel.
    case onlyReplyToChannel
}

/// The selection and order of messages.
public class MessageListParams: NSObject {
    /// Whether the newest message comes first.
    public var reverse = false
    /// Whether messages with exactly the named time are included.
    public var isInclusive = false
    /// The kind of message.
    public var messageTypeFilter = MessageTypeFilter.all
    /// The custom types, any of which fits; empty for all.
    public var customTypes: [String] = []
    /// The senders, any of whom fits; empty for all.
    public var senderUserIds: [String] = []
    /// The replies that are selected besides other messages.
    public var replyType = ReplyType.none
    /// The number of messages before the named time; 20 by default.
    public var previousResultSize: Int {
        get { previousSize ?? 20 }
        set { previousSize = newValue }
    }
    /// The number of messages after the named time; 20 by default.
    public var nextResultSize: Int {
        get { nextSize ?? 20 }
        set { nextSize = newValue }
    }
    private var previousSize: Int?
    private var nextSize: Int?
    /// The size of a collection's page: the larger number if one is set.
    var pageSize: Int? { [previousSize, nextSize].compactMap { $0 }.max() }
    /// Without effect: meta arrays come with every message.
    public var includeMetaArray = false
    /// Without effect: reactions come with every message.
    public var includeReactions = false
    /// Without effect: thread information comes with every message.
    public var includeThreadInfo = false
    /// Without effect: the preview of the parent comes with every reply.
    public var includeParentMessageInfo = false

    public override init() {}

    var filter: MessageFilter {
        MessageFilter(
            kind: kind, customTypes: customTypes.isEmpty ? nil : customTypes,
            senderIDs: senderUserIds.isEmpty ? nil : senderUserIds.map { UserID($0) },
            replyType: replies)
    }

    private var kind: MessageFilter.Kind {
        switch messageTypeFilter {
        case .all: .all
        case .user: .user
        case .file: .file
        case .admin: .admin
        }
    }

    private var replies: MessageFilter.ReplyType {
        switch replyType {
        case .none: .none
        case .all: .all
        case .onlyReplyToChannel: .onlyReplyToChannel
        }
    }

    /// Returns objects of the messages, in the order of the parameters.
    func objects(_ messages: [Message]) -> [BaseMessage] {
        let objects = messages.map { BaseMessage.make($0) }
        return reverse ? objects.reversed() : objects
    }
}
