// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostModel

/// The name of one message, and the parts of it that the app sees.
public final class MessageRetrievalParams: NSObject, NSCopying {
    /// The channel of the message.
    public var channelURL = ""
    /// The kind of that channel.
    public var channelType = ChannelType.group
    /// The server's ID of the message.
    public var messageId: Int64 = 0
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
    /// Whether messages come with their poll.
    public var includePollDetails: Bool {
        get { parts[.poll] }
        set { parts[.poll] = newValue }
    }

    private(set) var parts: MessageParts = []

    /// Creates parameters that name no message yet.
    public override init() {}

    /// Creates parameters that name a message.
    public convenience init(
        channelURL: String = "", channelType: ChannelType = .group, messageId: Int64 = 0,
        includeMetaArray: Bool = false, includeReactions: Bool = false,
        includeThreadInfo: Bool = false, includeParentMessageInfo: Bool = false,
        includePollDetails: Bool = false
    ) {
        self.init()
        self.channelURL = channelURL
        self.channelType = channelType
        self.messageId = messageId
        self.includeMetaArray = includeMetaArray
        self.includeReactions = includeReactions
        self.includeThreadInfo = includeThreadInfo
        self.includeParentMessageInfo = includeParentMessageInfo
        self.includePollDetails = includePollDetails
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = MessageRetrievalParams(
            channelURL: channelURL, channelType: channelType, messageId: messageId)
        copy.parts = parts
        return copy
    }
}

/// The selection and order of the replies in a thread around a time.
///
/// An empty list of types or senders selects the same as nil. The app sees the parts of messages
/// that the switches `include…` ask for.
public final class ThreadedMessageListParams: NSObject, NSCopying {
    /// The number of replies before the named time.
    public var previousResultSize = 0
    /// The number of replies after the named time.
    public var nextResultSize = 0
    /// Whether replies with exactly the named time are included.
    public var isInclusive = false
    /// Whether the newest reply comes first.
    public var reverse = false
    /// The kind of message.
    public var messageTypeFilter = MessageTypeFilter.all
    /// The custom type; without effect if `customTypes` is set.
    public var customType: String?
    /// The custom types, any of which fits; nil for all.
    public var customTypes: [String]?
    /// The senders, any of whom fits; nil for all.
    public var senderUserIds: [String]?
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
    /// Whether replies come with the message that they reply to.
    public var includeParentMessageInfo: Bool {
        get { parts[.parent] }
        set { parts[.parent] = newValue }
    }

    private(set) var parts: MessageParts = [.threadInfo, .poll]

    /// Creates parameters that select no reply until a size is set.
    public override init() {}

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = ThreadedMessageListParams()
        copy.previousResultSize = previousResultSize
        copy.nextResultSize = nextResultSize
        copy.isInclusive = isInclusive
        copy.reverse = reverse
        copy.messageTypeFilter = messageTypeFilter
        copy.customType = customType
        copy.customTypes = customTypes
        copy.senderUserIds = senderUserIds
        copy.parts = parts
        return copy
    }

    func filter(of parent: MessageID) -> MessageFilter {
        var filter = MessageFilter(
            kind: messageTypeFilter, customType: customType, customTypes: customTypes,
            senderUserIds: senderUserIds, replyType: .all)
        filter.parentID = parent
        return filter
    }
}

/// The selection of a message change log.
///
/// The app sees the parts of messages that the switches `include…` ask for.
public final class MessageChangeLogsParams: NSObject, NSCopying {
    /// The replies that are selected besides other messages.
    public var replyType = ReplyType.none
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
    /// Whether messages come with their poll.
    public var includePollDetails: Bool {
        get { parts[.poll] }
        set { parts[.poll] = newValue }
    }

    private(set) var parts: MessageParts = []

    /// Creates parameters that select all messages but replies.
    public override init() {}

    /// Returns parameters with the replies that a list selects; nil for the defaults.
    public class func create(with params: MessageListParams?) -> MessageChangeLogsParams {
        let made = MessageChangeLogsParams()
        guard let params else { return made }
        made.replyType = params.replyType
        made.parts = params.parts
        return made
    }

    /// Returns parameters with the replies that a query selects; nil for the defaults.
    public class func create(with query: PreviousMessageListQuery?) -> MessageChangeLogsParams {
        let made = MessageChangeLogsParams()
        guard let params = query?.params else { return made }
        made.replyType = params.replyType
        made.parts = params.parts
        return made
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = MessageChangeLogsParams()
        copy.replyType = replyType
        copy.parts = parts
        return copy
    }

    var filter: MessageFilter { MessageFilter(replyType: replyType.replies) }
}
