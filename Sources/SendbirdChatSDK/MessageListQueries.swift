// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostExecutors
import RoostModel

/// The selection and order of a query of a channel's messages.
///
/// The switches `include…` have no effect: messages come with all their parts.
public final class PreviousMessageListQueryParams: NSObject {
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
    /// Without effect: meta arrays come with every message.
    public var includeMetaArray = false
    /// Without effect: reactions come with every message.
    public var includeReactions = false
    /// Without effect: thread information comes with every message.
    public var includeThreadInfo = false
    /// Without effect: the preview of the parent comes with every reply.
    public var includeParentMessageInfo = false
    /// Without effect: a message that carries a poll comes with the poll.
    public var includePollDetails = false
    /// Without effect: there are no sub-channels.
    public var showSubChannelMessagesOnly = false

    /// Creates parameters that select all messages but replies.
    public override init() {}

    /// Creates parameters that a closure sets.
    public convenience init(builder: (PreviousMessageListQueryParams) -> Void) {
        self.init()
        builder(self)
    }
}

/// A query of a channel's messages, from the newest back, with a position for the next page.
///
/// It asks the server, so it needs a connection; the cache neither answers it nor learns from it.
public final class PreviousMessageListQuery: NSObject {
    private struct State {
        var isLoading = false
        var hasNext = true
        /// The oldest message of the pages so far.
        var oldest: MessageID?
    }

    /// The selection and order of the messages.
    public let params: PreviousMessageListQueryParams
    private let channel: ChannelAddress
    private let state = Guarded(State())

    init(_ channel: ChannelAddress, _ params: PreviousMessageListQueryParams) {
        self.channel = channel
        self.params = params
    }

    /// The number of messages of a page.
    public var limit: UInt { params.limit }
    /// Whether `loadNextPage(completionHandler:)` may find more.
    public var hasNext: Bool { state.withLock { $0.hasNext } }
    /// Whether a page is being loaded; another one gives `ChatError.queryInProgress`.
    public var isLoading: Bool { state.withLock { $0.isLoading } }

    /// Loads the messages before those of the earlier pages.
    public func loadNextPage(completionHandler: MessageListHandler? = nil) {
        let (door, channel, state, reverse) = (SendbirdChat.door, channel, state, params.reverse)
        let callback = Callback.answer(completionHandler) { (messages: [Message]) in
            messages.objects(reverse: reverse)
        }
        let before = state.withLock { state -> State? in
            guard !state.isLoading else { return nil }
            state.isLoading = state.hasNext
            return state
        }
        guard let before else { return door.notify(callback, .failure(.underWay)) }
        guard before.hasNext else { return door.notify(callback, .success([])) }
        let oldest = before.oldest
        let limit = min(max(Int(clamping: params.limit), 1), 200)
        let filter = MessageFilter(
            kind: params.messageTypeFilter, customType: params.customTypeFilter,
            customTypes: params.customTypesFilter, senderUserIds: params.senderUserIdsFilter,
            replyType: params.replyType)
        door.perform(then: callback) { client throws(RoostError) in
            do throws(RoostError) {
                let page =
                    if let oldest {
                        try await client.fetchMessages(
                            of: channel, around: oldest, older: limit, filter: filter)
                    } else {
                        try await client.fetchMessages(
                            of: channel, around: .distantFuture, older: limit, filter: filter)
                    }
                state.withLock { state in
                    state.isLoading = false
                    state.hasNext = page.count >= limit
                    state.oldest = page.first?.messageID ?? state.oldest
                }
                return page
            } catch {
                state.withLock { $0.isLoading = false }
                throw error
            }
        }
    }
}

/// The size of the pages of pinned messages.
///
/// The switches `include…` have no effect: messages come with all their parts.
public final class PinnedMessageListQueryParams: NSObject {
    /// The number of messages of a page.
    public var limit: UInt = 20
    /// Without effect: meta arrays come with every message.
    public var includeMetaArray = false
    /// Without effect: reactions come with every message.
    public var includeReactions = false
    /// Without effect: the preview of the parent comes with every reply.
    public var includeParentMessageInfo = false
    /// Without effect: a message that carries a poll comes with the poll.
    public var includePollDetails = false

    /// Creates parameters.
    public override init() {}

    /// Creates parameters that a closure sets.
    public convenience init(builder: (PinnedMessageListQueryParams) -> Void) {
        self.init()
        builder(self)
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
    private struct State {
        var isLoading = false
        var hasNext = true
        var token: String?
    }

    /// The size of the pages.
    public let params: PinnedMessageListQueryParams
    private let channel: ChannelAddress
    private let state = Guarded(State())

    init(_ channel: ChannelAddress, _ params: PinnedMessageListQueryParams) {
        self.channel = channel
        self.params = params
    }

    /// Whether `loadNextPage(completionHandler:)` may find more.
    public var hasNext: Bool { state.withLock { $0.hasNext } }
    /// Whether a page is being loaded; another one gives `ChatError.queryInProgress`.
    public var isLoading: Bool { state.withLock { $0.isLoading } }

    /// Loads the next pinned messages.
    public func loadNextPage(
        completionHandler: ((_ messages: [PinnedMessage]?, _ error: SBError?) -> Void)? = nil
    ) {
        let (door, url, state) = (SendbirdChat.door, channel.url, state)
        let callback = Callback.answer(completionHandler) { (messages: [Message]) in
            messages.map { PinnedMessage(BaseMessage.make($0)) }
        }
        guard !channel.isOpen else { return door.notify(callback, .failure(.notForOpenChannels)) }
        let before = state.withLock { state -> State? in
            guard !state.isLoading else { return nil }
            state.isLoading = state.hasNext
            return state
        }
        guard let before else { return door.notify(callback, .failure(.underWay)) }
        guard before.hasNext else { return door.notify(callback, .success([])) }
        let (limit, token) = (Int(clamping: params.limit), before.token)
        door.perform(then: callback) { client throws(RoostError) in
            do throws(RoostError) {
                let page = try await client.pinnedMessages(
                    of: url, pageSize: limit, after: token)
                state.withLock { $0 = State(hasNext: page.next != nil, token: page.next) }
                return page.elements
            } catch {
                state.withLock { $0.isLoading = false }
                throw error
            }
        }
    }
}
