// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// The selection and order of a query of a channel's messages.
///
/// The app sees the parts of messages that the switches `include…` ask for.
public final class PreviousMessageListQueryParams: NSObject, NSCopying {
    /// The number of messages of a page, 1...200.
    public var limit: UInt = 20
    /// Whether the newest message of a page comes first.
    public var reverse = false
    /// The kind of message.
    public var messageTypeFilter = MessageTypeFilter.all
    /// The replies that are selected besides other messages.
    public var replyType = ReplyType.none
    /// The custom type; without effect if `customTypesFilter` is set.
    public var customTypeFilter: String?
    /// The custom types, any of which fits; nil for all.
    public var customTypesFilter: [String]?
    /// The senders, any of whom fits; nil for all.
    public var senderUserIdsFilter: [String]?
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

    private(set) var parts: MessageParts = []

    /// Creates parameters that select all messages but replies.
    public override init() {}

    /// Creates parameters that a closure sets.
    public convenience init(builder: (PreviousMessageListQueryParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        PreviousMessageListQueryParams().taking(
            \.limit, \.reverse, \.messageTypeFilter, \.replyType, \.customTypeFilter,
            \.customTypesFilter, \.senderUserIdsFilter, \.showSubChannelMessagesOnly, \.parts,
            from: self)
    }
}

/// A query of a channel's messages, from the newest back, with a position for the next page.
///
/// It asks the server, so it needs a connection; the cache neither answers it nor learns from it.
public final class PreviousMessageListQuery: NSObject {
    /// The selection and order of the messages; a copy of the parameters given.
    public let params: PreviousMessageListQueryParams
    private let channel: ChannelAddress
    private let reader = PositionReader<Message, Position>(SendbirdChat.door)

    init(_ channel: ChannelAddress, _ params: PreviousMessageListQueryParams) {
        self.channel = channel
        self.params = params.copied
    }

    /// The number of messages of a page.
    public var limit: UInt { params.limit }
    /// Whether `loadNextPage(completionHandler:)` may find more.
    public var hasNext: Bool { reader.hasNext }
    /// Whether a page is being loaded; another one gives `ChatError.queryInProgress`.
    public var isLoading: Bool { reader.isLoading }

    /// Loads the messages before those of the earlier pages.
    public func loadNextPage(completionHandler: MessageListHandler? = nil) {
        let (channel, reverse, parts) = (channel, params.reverse, params.parts)
        let callback = Callback.answer(completionHandler) { (messages: [Message]) in
            messages.objects(reverse: reverse, showing: parts)
        }
        let limit = min(max(Int(clamping: params.limit), 1), 200)
        let filter = MessageFilter(
            kind: params.messageTypeFilter, customType: params.customTypeFilter,
            customTypes: params.customTypesFilter, senderUserIds: params.senderUserIdsFilter,
            replyType: params.replyType)
        reader.load(then: callback) { client, oldest throws(RoostError) in
            let page = try await client.fetchMessages(
                of: channel, before: oldest, limit: limit, filter: filter)
            return (page, page.count >= limit ? page.first?.position ?? oldest : nil)
        }
    }
}

extension ChatClient {
    /// Returns the messages before a position, or the newest ones, oldest first.
    fileprivate func fetchMessages(
        of channel: ChannelAddress, before position: Position?, limit: Int, filter: MessageFilter
    ) async throws(RoostError) -> [Message] {
        guard let position else {
            return try await fetchMessages(
                of: channel, around: .distantFuture, older: limit, filter: filter)
        }
        do throws(RoostError) {
            return try await fetchMessages(
                of: channel, around: position.messageID, older: limit, filter: filter)
        } catch {
            guard error.code == .messageNotFound || error.code == .notFound else { throw error }
            // The message was deleted or hidden since; its time still divides the history.
            let page = try await fetchMessages(
                of: channel, around: position.createdAt, older: limit, includesMoment: true,
                filter: filter)
            let older = page.filter { message in
                message.position.map { $0 < position } ?? false
            }
            return Array(older.suffix(limit))
        }
    }
}

/// The size of the pages of pinned messages, and the parts of the messages that the app sees.
public final class PinnedMessageListQueryParams: NSObject, NSCopying {
    /// The number of messages of a page.
    public var limit: UInt = 20
    fileprivate var parts: MessageParts = [.threadInfo]
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
    /// Whether messages come with their poll.
    public var includePollDetails: Bool {
        get { parts[.poll] }
        set { parts[.poll] = newValue }
    }

    /// Creates parameters.
    public override init() {}

    /// Creates parameters that a closure sets.
    public convenience init(builder: (PinnedMessageListQueryParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        PinnedMessageListQueryParams().taking(\.limit, \.parts, from: self)
    }
}

/// A pinned message.
public final class PinnedMessage: NSObject {
    /// The message.
    public let message: BaseMessage

    init(_ message: BaseMessage) { self.message = message }
}

/// A query of a channel's pinned messages, newest pin first, with a position for the next page.
public final class PinnedMessageListQuery: NSObject {
    /// The size of the pages; a copy of the parameters given.
    public let params: PinnedMessageListQueryParams
    private let channel: ChannelAddress
    private let reader = PageReader<Message>(SendbirdChat.door)

    init(_ channel: ChannelAddress, _ params: PinnedMessageListQueryParams) {
        self.channel = channel
        self.params = params.copied
    }

    /// Whether `loadNextPage(completionHandler:)` may find more.
    public var hasNext: Bool { reader.hasNext }
    /// Whether a page is being loaded; another one gives `ChatError.queryInProgress`.
    public var isLoading: Bool { reader.isLoading }

    /// Loads the next pinned messages.
    public func loadNextPage(
        completionHandler: ((_ messages: [PinnedMessage]?, _ error: SBError?) -> Void)? = nil
    ) {
        let (channel, limit, parts) = (channel, Int(clamping: params.limit), params.parts)
        let callback = Callback.answer(completionHandler) { (messages: [Message]) in
            messages.map { PinnedMessage(BaseMessage.make($0, showing: parts)) }
        }
        reader.load(then: callback) { client, token throws(RoostError) in
            guard !channel.isOpen else { throw .notForOpenChannels }
            return try await client.pinnedMessages(
                of: channel.url, pageSize: limit, after: token)
        }
    }
}
