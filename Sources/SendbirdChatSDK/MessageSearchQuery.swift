// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// The order of a search's results.
public enum MessageSearchOrder: Int, Sendable {
    /// The best match first.
    case score
    /// The newest message first.
    case timeStamp
}

/// The settings of a search for messages.
///
/// The client searches the cache, which has the messages that were shown or downloaded.
public final class MessageSearchQueryParams: NSObject, NSCopying {
    /// The number of messages of a page.
    public var limit: UInt = 20
    /// The words that messages must have.
    public var keyword: String?
    /// The channel that is searched; nil for all.
    public var channelURL: String?
    /// The custom type of the channels that are searched; refused, because the client cannot ask
    /// for it.
    public var channelCustomType: String?
    /// The order of the results.
    public var order = MessageSearchOrder.score
    /// Whether the last result of a page comes first.
    public var reverse = false
    /// Whether the words must stand together; refused, because the client cannot ask for it.
    public var exactMatch = false
    /// Whether the words are an expression; refused, because the client cannot ask for it.
    public var advancedQuery = false
    /// The fields of messages that are searched; refused, because the client searches the text.
    public var targetFields: [String]?
    /// The earliest time of a message, in milliseconds.
    public var messageTimestampFrom: Int64 = 0
    /// The latest time of a message, in milliseconds; 0 for now.
    public var messageTimestampTo: Int64 = 0

    /// Creates the settings of a search for nothing.
    public override init() {}

    /// Creates settings that a closure sets.
    public convenience init(builder: (MessageSearchQueryParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        MessageSearchQueryParams().taking(
            \.limit, \.keyword, \.channelURL, \.channelCustomType, \.order, \.reverse, \.exactMatch,
            \.advancedQuery, \.targetFields, \.messageTimestampFrom, \.messageTimestampTo,
            from: self)
    }

    fileprivate var search: MessageSearch {
        let from = Timestamp(milliseconds: messageTimestampFrom)
        let through: Timestamp =
            messageTimestampTo == 0
            ? .distantFuture : max(from, Timestamp(milliseconds: messageTimestampTo))
        return MessageSearch(
            keyword ?? "", in: channelURL.map { [ChannelURL($0)] }, period: from...through,
            order: order == .score ? .relevance : .newest, limit: Int(clamping: limit))
    }

    fileprivate var refusal: RoostError? {
        if channelCustomType != nil {
            return .notSupported("The client searches channels of all custom types.")
        }
        if exactMatch || advancedQuery {
            return .notSupported("The client searches for words in any order.")
        }
        return targetFields == nil ? nil : .notSupported("The client searches the text only.")
    }
}

/// A search for messages in the cache, page by page.
public final class MessageSearchQuery: NSObject {
    /// The settings of the search, a copy of those given; changes have no effect.
    public let params: MessageSearchQueryParams
    private let reader = PositionReader<Message, MessageSearch>(SendbirdChat.door)
    private let search: MessageSearch
    private let refusal: RoostError?
    private let isReversed: Bool

    fileprivate init(_ params: MessageSearchQueryParams) {
        self.params = params.copied
        (search, refusal, isReversed) = (params.search, params.refusal, params.reverse)
    }

    /// Whether `loadNextPage(completionHandler:)` may find more.
    public var hasNext: Bool { reader.hasNext }
    /// Whether a page is being loaded; another one gives `ChatError.queryInProgress`.
    public var isLoading: Bool { reader.isLoading }

    /// Finds the next messages.
    public func loadNextPage(completionHandler: @escaping MessageListHandler) {
        let callback = Callback.answer(completionHandler) { [isReversed] (messages: [Message]) in
            let objects = messages.map { BaseMessage.make($0) }
            return isReversed ? objects.reversed() : objects
        }
        reader.load(then: callback) { [search, refusal] client, next throws(RoostError) in
            if let refusal { throw refusal }
            let page = try await client.search(next ?? search)
            return (page.matches.map(\.message), page.next)
        }
    }
}

extension SendbirdChat {
    /// Returns a search for messages in the cache.
    public class func createMessageSearchQuery(
        params: MessageSearchQueryParams
    ) -> MessageSearchQuery { MessageSearchQuery(params) }

    /// Returns a search for messages in the cache with the settings that a closure sets.
    public class func createMessageSearchQuery(
        builder: (MessageSearchQueryParams) -> Void
    ) -> MessageSearchQuery { MessageSearchQuery(MessageSearchQueryParams(builder: builder)) }
}
