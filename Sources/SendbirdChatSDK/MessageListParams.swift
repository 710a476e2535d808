// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostModel

/// The selection and order of messages around a time or a message.
///
/// An empty list of types or senders selects the same as nil. The app sees the parts of delivered
/// messages that the switches `include…` ask for.
public final class MessageListParams: NSObject, NSCopying {
    /// Whether the newest message comes first.
    public var reverse = false
    /// Whether messages with exactly the named time are included.
    ///
    /// If false, a collection that starts at the time of a message does not show that message.
    public var isInclusive = false
    /// The kind of message.
    public var messageTypeFilter = MessageTypeFilter.all
    /// The custom type; without effect if `customTypes` is set.
    public var customType: String?
    /// The custom types, any of which fits; nil for all.
    public var customTypes: [String]?
    /// The senders, any of whom fits; nil for all.
    public var senderUserIds: [String]?
    /// The replies that are selected besides other messages.
    ///
    /// The default of the old SDK is uncertain; this one leaves no message out.
    public var replyType = ReplyType.all
    /// The number of messages before the named time; 20 by default.
    public var previousResultSize: Int {
        get { previousSize ?? 20 }
        set { previousSize = newValue }
    }
    /// The number of messages after the named time; 0 by default.
    public var nextResultSize: Int {
        get { nextSize ?? 0 }
        set { nextSize = newValue }
    }
    private(set) var parts: MessageParts = []
    private var previousSize: Int?
    private var nextSize: Int?
    /// The size of a collection's page: the larger number if one is set.
    var pageSize: Int? {
        [previousSize, nextSize].compactMap { $0 }.max().flatMap { $0 > 0 ? $0 : nil }
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
    /// Whether messages come with their poll.
    public var includePollDetails: Bool {
        get { parts[.poll] }
        set { parts[.poll] = newValue }
    }
    /// Without effect: there are no sub-channels.
    public var showSubChannelMessagesOnly = false

    /// Creates parameters that select all messages.
    public override init() {}

    /// Creates parameters that a closure sets.
    public convenience init(builder: (MessageListParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Creates parameters; both sizes are 0 unless they are named.
    public convenience init(
        previousResultSize: Int = 0, nextResultSize: Int = 0, isInclusive: Bool = false,
        reverse: Bool = false, messageTypeFilter: MessageTypeFilter = .all,
        customType: String? = nil, customTypes: [String]? = nil, senderUserIds: [String]? = nil,
        replyType: ReplyType = .all, includeMetaArray: Bool = false,
        includeReactions: Bool = false, includeThreadInfo: Bool = false,
        includeParentMessageInfo: Bool = false, includePollDetails: Bool = false,
        showSubChannelMessagesOnly: Bool = false
    ) {
        self.init()
        self.previousResultSize = previousResultSize
        self.nextResultSize = nextResultSize
        self.isInclusive = isInclusive
        self.reverse = reverse
        self.messageTypeFilter = messageTypeFilter
        self.customType = customType
        self.customTypes = customTypes
        self.senderUserIds = senderUserIds
        self.replyType = replyType
        self.includeMetaArray = includeMetaArray
        self.includeReactions = includeReactions
        self.includeThreadInfo = includeThreadInfo
        self.includeParentMessageInfo = includeParentMessageInfo
        self.includePollDetails = includePollDetails
        self.showSubChannelMessagesOnly = showSubChannelMessagesOnly
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = MessageListParams()
        copy.reverse = reverse
        copy.isInclusive = isInclusive
        copy.messageTypeFilter = messageTypeFilter
        copy.customType = customType
        copy.customTypes = customTypes
        copy.senderUserIds = senderUserIds
        copy.replyType = replyType
        copy.previousSize = previousSize
        copy.nextSize = nextSize
        copy.parts = parts
        copy.showSubChannelMessagesOnly = showSubChannelMessagesOnly
        return copy
    }

    /// Returns whether the parameters select a message; sizes and order do not matter.
    public func belongsTo(_ message: BaseMessage) -> Bool { filter.matches(message.value) }

    var filter: MessageFilter {
        MessageFilter(
            kind: messageTypeFilter, customType: customType, customTypes: customTypes,
            senderUserIds: senderUserIds, replyType: replyType)
    }

    /// Returns objects of the messages, in the order of the parameters.
    func objects(_ messages: [Message]) -> [BaseMessage] {
        messages.objects(reverse: reverse, showing: parts)
    }
}

extension [Message] {
    /// Returns objects of the messages, in their order or against it.
    func objects(reverse: Bool, showing parts: MessageParts) -> [BaseMessage] {
        let objects = map { BaseMessage.make($0, showing: parts) }
        return reverse ? objects.reversed() : objects
    }
}

extension MessageFilter {
    init(
        kind: MessageTypeFilter, customType: String?, customTypes: [String]?,
        senderUserIds: [String]?, replyType: SendbirdChatSDK.ReplyType
    ) {
        // An empty list selects the same as none, so the single type counts.
        let named = customTypes.flatMap { $0.isEmpty ? nil : $0 }
        let types = named ?? customType.map { [$0] } ?? []
        let senders = senderUserIds ?? []
        self.init(
            kind: kind.kind, customTypes: types.isEmpty ? nil : types,
            senderIDs: senders.isEmpty ? nil : senders.map { UserID($0) },
            replyType: replyType.replies)
    }
}
