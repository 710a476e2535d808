// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

public enum MessageTypeFilter: Int, Sendable {
    case all
    case user
    case file
    case admin
}

public enum ReplyType: Int, Sendable {
    /// No replies.
    case none
    case all
    case onlyReplyToChannel
}

/// Which messages are meant, and how they are to come.
public class MessageListParams: NSObject {
    /// Whether pages come newest first.
    public var reverse = false
    /// Whether messages with the very time that was named belong to the answer.
    public var isInclusive = false
    public var messageTypeFilter = MessageTypeFilter.all
    public var customTypes: [String] = []
    public var senderUserIds: [String] = []
    public var replyType = ReplyType.none
    /// How many before the named time; 20 unless the app says so.
    public var previousResultSize: Int {
        get { previousSize ?? 20 }
        set { previousSize = newValue }
    }
    /// How many after the named time; 20 unless the app says so.
    public var nextResultSize: Int {
        get { nextSize ?? 20 }
        set { nextSize = newValue }
    }
    private var previousSize: Int?
    private var nextSize: Int?
    /// The larger of both is a page of a collection; 40 unless the app says so.
    var pageSize: Int? { [previousSize, nextSize].compactMap { $0 }.max() }
    /// Meta arrays come with every message, whatever this says.
    public var includeMetaArray = false
    /// Reactions come with every message, whatever this says.
    public var includeReactions = false
    /// Threads come with every message, whatever this says.
    public var includeThreadInfo = false
    /// What a reply replies to comes with it, whatever this says.
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

    /// Messages in the order in which the app wants them.
    func objects(_ messages: [Message]) -> [BaseMessage] {
        let objects = messages.map { BaseMessage.make($0) }
        return reverse ? objects.reversed() : objects
    }
}
