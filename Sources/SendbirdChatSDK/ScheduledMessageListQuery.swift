// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// The order of a list of scheduled messages.
public enum ScheduledMessageListOrder: Int, Sendable {
    /// By the time of creation.
    case createdAt
    /// By the planned time.
    case scheduledAt
}

/// The selection of a list of the user's scheduled messages.
public final class ScheduledMessageListQueryParams: NSObject, NSCopying {
    /// The number of messages of a page, 1...100.
    public var limit: UInt = 20
    /// The order.
    public var order = ScheduledMessageListOrder.createdAt
    /// Whether the latest message comes first.
    public var reverse = false
    /// The states, any of which fits; empty for all.
    public var scheduledStatusOptions: [ScheduledStatus] = []
    /// The kind of message.
    public var messageTypeFilter = MessageTypeFilter.all

    public override init() {}

    /// Creates parameters that the closure sets.
    public convenience init(builder: (ScheduledMessageListQueryParams) -> Void) {
        self.init()
        builder(self)
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        ScheduledMessageListQueryParams().taking(
            \.limit, \.order, \.reverse, \.scheduledStatusOptions, \.messageTypeFilter, from: self)
    }
}

/// A query of the user's scheduled messages with a position for the next page; needs a connection.
public final class ScheduledMessageListQuery: NSObject {
    /// The selection of the list; a copy of the parameters given.
    public let params: ScheduledMessageListQueryParams
    private let channel: ChannelURL?
    private let reader = PageReader<ScheduledMessage>(SendbirdChat.door)

    init(_ channel: String?, _ params: ScheduledMessageListQueryParams) {
        self.channel = channel.map { ChannelURL($0) }
        self.params = params.copied
    }

    /// The channel; nil for all.
    public var channelURL: String? { channel?.rawValue }
    /// The number of messages of a page, 1...100.
    public var limit: UInt { params.limit }
    /// Whether `loadNextPage(completionHandler:)` may find more.
    public var hasNext: Bool { reader.hasNext }
    /// Whether a page is being loaded.
    public var isLoading: Bool { reader.isLoading }

    /// Loads the next page; an empty one behind the last.
    public func loadNextPage(completionHandler: @escaping MessageListHandler) {
        var query = ScheduledMessageQuery(
            channel: channel, statuses: Set(params.scheduledStatusOptions.map(\.value)))
        query.kind = params.messageTypeFilter.kind
        query.order = params.order == .scheduledAt ? .sending : .creation
        query.isReversed = params.reverse
        let limit = Int(clamping: params.limit)
        let callback = Callback.answer(completionHandler) { (found: [ScheduledMessage]) in
            found.map { BaseMessage.make($0.message) }
        }
        reader.load(then: callback) { [query] client, token throws(RoostError) in
            try await client.scheduledMessages(query, pageSize: limit, after: token)
        }
    }
}

extension SendbirdChat {
    // MARK: Scheduled messages

    /// Returns a query of the user's scheduled messages with the defaults of its parameters; a
    /// channel of nil selects all channels.
    public class func createScheduledMessageListQuery(
        channelURL: String? = nil
    ) -> ScheduledMessageListQuery {
        ScheduledMessageListQuery(channelURL, ScheduledMessageListQueryParams())
    }

    /// Returns a query of the user's scheduled messages; a channel of nil selects all channels.
    public class func createScheduledMessageListQuery(
        channelURL: String? = nil, params: ScheduledMessageListQueryParams
    ) -> ScheduledMessageListQuery { ScheduledMessageListQuery(channelURL, params) }

    /// Returns a query of the user's scheduled messages with parameters that the closure sets; a
    /// channel of nil selects all channels.
    public class func createScheduledMessageListQuery(
        channelURL: String? = nil, paramsBuilder: (ScheduledMessageListQueryParams) -> Void
    ) -> ScheduledMessageListQuery {
        ScheduledMessageListQuery(
            channelURL, ScheduledMessageListQueryParams(builder: paramsBuilder))
    }

    /// Returns the number of the user's scheduled messages.
    public class func getTotalScheduledMessageCount(
        params: TotalScheduledMessageCountParams, completionHandler: CountHandler?
    ) {
        let query = params.value
        door.perform(then: .count(completionHandler)) { client throws(RoostError) in
            try await client.scheduledMessageCount(query)
        }
    }
}

extension BaseMessage {
    // MARK: Scheduled messages

    /// Returns a scheduled message of the user, waiting or not.
    public class func getScheduledMessage(
        params: ScheduledMessageRetrievalParams, completionHandler: BaseMessageHandler?
    ) {
        let (id, url) = (
            ScheduledMessageID(params.scheduledMessageId), ChannelURL(params.channelURL)
        )
        let callback = Callback.answer(completionHandler) { (found: ScheduledMessage) in
            BaseMessage.make(found.message)
        }
        SendbirdChat.door.perform(then: callback) { client throws(RoostError) in
            try await client.scheduledMessage(id, in: url)
        }
    }
}
