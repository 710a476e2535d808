// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

// For a database of the app's own; each call needs a connection.

extension SBDBaseChannel {
    /// Fetches the messages around a time, as the parameters select them.
    public func getMessagesByTimestamp(
        _ timestamp: Int64, params: SBDMessageListParams,
        completionHandler: (([SBDBaseMessage]?, SBDError?) -> Void)?
    ) {
        let filter = params.filter
        let (older, newer) = (params.previousResultSize, params.nextResultSize)
        let (isInclusive, isReversed, parts) = (params.isInclusive, params.reverse, params.parts)
        let callback = Callback.answer(completionHandler) { (messages: [Message]) in
            messages.objects(isReversed: isReversed, showing: parts)
        }
        performEither(then: callback) { client, channel throws(RoostError) in
            try await client.fetchMessages(
                of: channel, around: Timestamp(milliseconds: timestamp), older: older, newer: newer,
                includesMoment: isInclusive, filter: filter)
        }
    }

    /// The handler of one page of a channel's message change log.
    ///
    /// `token` is the start of the next page, if `hasMore` is true, and of the next query
    /// otherwise.
    public typealias MessageChangeLogsHandler = (
        _ updatedMessages: [SBDBaseMessage]?, _ deletedMessageIds: [NSNumber]?,
        _ hasMore: Bool, _ token: String?, _ error: SBDError?
    ) -> Void

    /// Fetches the edits and deletions since the token of an earlier page.
    public func getMessageChangeLogs(
        sinceToken token: String?, params: SBDMessageChangeLogsParams,
        completionHandler: MessageChangeLogsHandler?
    ) {
        changes(ChangeLogStart(token: token), params.parts, completionHandler)
    }

    /// Fetches the edits and deletions since a time of the server's clock, in milliseconds.
    public func getMessageChangeLogs(
        sinceTimestamp timestamp: Int64, params: SBDMessageChangeLogsParams,
        completionHandler: MessageChangeLogsHandler?
    ) {
        changes(.moment(Timestamp(milliseconds: timestamp)), params.parts, completionHandler)
    }

    /// Fetches the edits and deletions since the token of an earlier page.
    @available(*, deprecated, renamed: "getMessageChangeLogs(sinceToken:params:completionHandler:)")
    public func getMessageChangeLogs(
        withToken token: String?, completionHandler: MessageChangeLogsHandler?
    ) {
        changes(ChangeLogStart(token: token), .all, completionHandler)
    }

    /// Fetches the edits and deletions since a time of the server's clock, in milliseconds.
    @available(
        *, deprecated, renamed: "getMessageChangeLogs(sinceTimestamp:params:completionHandler:)"
    )
    public func getMessageChangeLogs(
        byTimestamp timestamp: Int64, completionHandler: MessageChangeLogsHandler?
    ) {
        changes(.moment(Timestamp(milliseconds: timestamp)), .all, completionHandler)
    }

    private func changes(
        _ start: ChangeLogStart, _ parts: MessageParts, _ handler: MessageChangeLogsHandler?
    ) {
        perform(
            then: .changes(
                handler, { SBDBaseMessage.make($0, showing: parts) },
                { (id: MessageID) in NSNumber(value: id.rawValue) },
                orElse: { SBDError($0) })
        ) { client, url throws(RoostError) in
            try await client.fetchMessageChanges(of: url, since: start)
        }
    }
}
