// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

// Queries of the server for apps with a database of their own; each needs a connection.

extension BaseChannel {
    /// Fetches the messages around a time, as the parameters select them.
    public func getMessagesByTimestamp(
        _ timestamp: Int64, params: MessageListParams, completionHandler: MessageListHandler?
    ) {
        let (channel, filter) = (address, params.filter)
        let (older, newer) = (params.previousResultSize, params.nextResultSize)
        let (isInclusive, reverse, parts) = (params.isInclusive, params.reverse, params.parts)
        SendbirdChat.door.perform(
            then: .answer(completionHandler) { $0.objects(reverse: reverse, showing: parts) }
        ) { client throws(RoostError) in
            try await client.fetchMessages(
                of: channel, around: Timestamp(milliseconds: timestamp), older: older, newer: newer,
                includesMoment: isInclusive, filter: filter)
        }
    }

    /// Fetches the messages around a message, as the parameters select them.
    public func getMessagesByMessageId(
        _ messageId: Int64, params: MessageListParams, completionHandler: MessageListHandler?
    ) {
        let (channel, filter) = (address, params.filter)
        let (older, newer) = (params.previousResultSize, params.nextResultSize)
        let (isInclusive, reverse, parts) = (params.isInclusive, params.reverse, params.parts)
        SendbirdChat.door.perform(
            then: .answer(completionHandler) { $0.objects(reverse: reverse, showing: parts) }
        ) { client throws(RoostError) in
            try await client.fetchMessages(
                of: channel, around: MessageID(messageId), older: older, newer: newer,
                includesMessage: isInclusive, filter: filter)
        }
    }

    /// Fetches the edits and deletions since the token of an earlier page; nil begins with the
    /// oldest.
    ///
    /// The error 400111 says that the server does not know the token any more, such as after a
    /// crash or an upgrade. Begin with the `timestamp` of the oldest message that you keep then.
    public func getMessageChangeLogs(
        token: String?, params: MessageChangeLogsParams = MessageChangeLogsParams(),
        completionHandler: MessageChangeLogHandler?
    ) {
        changes(ChangeLogStart(token: token), params, completionHandler)
    }

    /// Fetches the edits and deletions since a time of the server's clock, in milliseconds.
    public func getMessageChangeLogs(
        timestamp: Int64, params: MessageChangeLogsParams = MessageChangeLogsParams(),
        completionHandler: MessageChangeLogHandler?
    ) {
        changes(.moment(Timestamp(milliseconds: timestamp)), params, completionHandler)
    }

    private func changes(
        _ start: ChangeLogStart, _ params: MessageChangeLogsParams,
        _ handler: MessageChangeLogHandler?
    ) {
        let (channel, filter, parts) = (address, params.filter, params.parts)
        SendbirdChat.door.perform(
            then: .changes(
                handler, { BaseMessage.make($0, showing: parts) },
                { (id: MessageID) in id.rawValue },
                orElse: { SBError($0) })
        ) { client throws(RoostError) in
            guard !channel.isOpen else { throw .notForOpenChannels }
            return try await client.fetchMessageChanges(
                of: channel.url, since: start, filter: filter)
        }
    }

    // MARK: Queries

    /// Returns a query of the channel's messages, from the newest back.
    public func createPreviousMessageListQuery() -> PreviousMessageListQuery? {
        createPreviousMessageListQuery(params: PreviousMessageListQueryParams())
    }

    /// Returns a query of the channel's messages, from the newest back.
    public func createPreviousMessageListQuery(
        params: PreviousMessageListQueryParams
    ) -> PreviousMessageListQuery? { PreviousMessageListQuery(address, params) }

    /// Returns a query of the channel's messages with parameters that the closure sets.
    public func createPreviousMessageListQuery(
        paramsBuilder: (PreviousMessageListQueryParams) -> Void
    ) -> PreviousMessageListQuery? {
        let params = PreviousMessageListQueryParams()
        paramsBuilder(params)
        return createPreviousMessageListQuery(params: params)
    }

    /// Returns a query of the channel's pinned messages, newest pin first.
    public func createPinnedMessageListQuery(
        params: PinnedMessageListQueryParams = PinnedMessageListQueryParams()
    ) -> PinnedMessageListQuery? { PinnedMessageListQuery(address, params) }

    /// Returns a query of the channel's pinned messages with parameters that the closure sets.
    public func createPinnedMessageListQuery(
        paramsBuilder: (PinnedMessageListQueryParams) -> Void
    ) -> PinnedMessageListQuery? {
        PinnedMessageListQuery(address, PinnedMessageListQueryParams(builder: paramsBuilder))
    }
}
