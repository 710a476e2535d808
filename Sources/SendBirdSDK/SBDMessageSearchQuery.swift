// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// The order of a search's results.
public enum SBDMessageSearchQueryOrder: Int, Sendable {
    /// The best match first.
    case score
    /// The newest message first.
    case timeStamp
}

/// The settings of a search for messages.
///
/// The client searches the cache, which has the messages that were shown or downloaded.
public final class SBDMessageSearchQueryBuilder: NSObject {
    /// The words that messages must have.
    public var keyword: String?
    /// The channel that is searched; nil for all.
    public var channelUrl: String?
    /// The custom type of the channels that are searched; refused, because the client cannot ask
    /// for it.
    public var channelCustomType: String?
    /// Whether the last result comes first.
    public var reverse = false
    /// Whether the words must stand together; refused, because the client cannot ask for it.
    public var exactMatch = false
    /// The number of results of a page.
    public var limit: UInt = 20
    /// The earliest time of a message, in milliseconds.
    public var messageTimestampFrom: Int64 = 0
    /// The latest time of a message, in milliseconds; 0 for now.
    public var messageTimestampTo: Int64 = 0
    /// The order of the results.
    public var order = SBDMessageSearchQueryOrder.score

    fileprivate var search: MessageSearch {
        let from = Timestamp(milliseconds: messageTimestampFrom)
        let through: Timestamp =
            messageTimestampTo == 0
            ? .distantFuture : max(from, Timestamp(milliseconds: messageTimestampTo))
        return MessageSearch(
            keyword ?? "", in: channelUrl.map { [ChannelURL($0)] }, period: from...through,
            order: order == .score ? .relevance : .newest, limit: Int(clamping: limit))
    }

    fileprivate var obstacle: RoostError? {
        channelCustomType != nil || exactMatch
            ? .missing("searches by custom type or for a whole phrase") : nil
    }
}

/// A search for messages in the cache, page by page.
public final class SBDMessageSearchQuery: NSObject {
    /// The words that messages must have.
    public let keyword: String?

    private let reader = PositionReader<Message, MessageSearch>(SBDMain.door)
    private let search: MessageSearch
    private let obstacle: RoostError?
    private let isReversed: Bool

    fileprivate init(_ builder: SBDMessageSearchQueryBuilder) {
        keyword = builder.keyword
        (search, obstacle, isReversed) = (builder.search, builder.obstacle, builder.reverse)
    }

    /// Whether there may be more.
    public var hasNext: Bool { reader.hasNext }
    /// Whether a page is being loaded.
    public var isLoading: Bool { reader.isLoading }

    /// Finds the next messages.
    public func loadNextPage(completionHandler: (([SBDBaseMessage]?, SBDError?) -> Void)? = nil) {
        let callback = Callback.answer(completionHandler) { [isReversed] (messages: [Message]) in
            let objects = messages.map { SBDBaseMessage.make($0) }
            return isReversed ? objects.reversed() : objects
        }
        reader.load(then: callback) { [search, obstacle] client, next throws(RoostError) in
            if let obstacle { throw obstacle }
            let page = try await client.search(next ?? search)
            return (page.matches.map(\.message), page.next)
        }
    }
}

extension SBDMain {
    /// Returns a search for messages in the cache with the settings that a closure makes.
    public class func createMessageSearchQuery(
        builderBlock: (SBDMessageSearchQueryBuilder) -> Void
    ) -> SBDMessageSearchQuery? {
        let builder = SBDMessageSearchQueryBuilder()
        builderBlock(builder)
        return SBDMessageSearchQuery(builder)
    }

    // MARK: Facts about the application that the client does not have

    /// Calls back with an error: the client has no call for the application's emojis.
    public class func getAllEmojis(
        _ completionHandler: ((SBDEmojiContainer?, SBDError?) -> Void)?
    ) {
        let callback = Callback.answer(completionHandler) { (_: Void) in SBDEmojiContainer() }
        door.notify(callback, .failure(.missing("the application's emojis")))
    }

    /// Returns nil: the client has no call for the application's settings.
    public class func getAppInfo() -> SBDAppInfo? { nil }
}

/// The emojis of an application, which the client does not fetch.
public final class SBDEmojiContainer: NSObject {
    override init() {}
}

/// The settings of an application, which the client does not fetch.
public final class SBDAppInfo: NSObject {
    override init() {}
}
