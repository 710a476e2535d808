// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

// Queries of the server for apps with a database of their own; each needs a connection.

extension GroupChannel {
    /// Fetches the messages around a time, as the parameters select them.
    public func getMessagesByTimestamp(
        _ timestamp: Int64, params: MessageListParams,
        completionHandler: (([BaseMessage]?, SBError?) -> Void)?
    ) {
        let (url, filter) = (value.url, params.filter)
        let (older, newer) = (params.previousResultSize, params.nextResultSize)
        let isInclusive = params.isInclusive
        SendbirdChat.door.perform(
            then: .answer(completionHandler) { params.objects($0) }
        ) { client throws(RoostError) in
            try await client.fetchMessages(
                of: url, around: Timestamp(milliseconds: timestamp), older: older, newer: newer,
                includesMoment: isInclusive, filter: filter)
        }
    }

    /// The handler of one page of a channel's message change log.
    ///
    /// `token` is the start of the next page, if `hasMore` is true, and of the next query
    /// otherwise.
    public typealias MessageChangeLogsHandler = (
        _ updatedMessages: [BaseMessage]?, _ deletedMessageIds: [Int64]?, _ hasMore: Bool,
        _ token: String?, _ error: SBError?
    ) -> Void

    /// Fetches the edits and deletions since the token of an earlier page.
    public func getMessageChangeLogs(
        sinceToken token: String?, params: MessageChangeLogsParams,
        completionHandler: MessageChangeLogsHandler?
    ) {
        changes(ChangeLogStart(token: token), completionHandler)
    }

    /// Fetches the edits and deletions since a time of the server's clock, in milliseconds.
    public func getMessageChangeLogs(
        sinceTimestamp timestamp: Int64, params: MessageChangeLogsParams,
        completionHandler: MessageChangeLogsHandler?
    ) {
        changes(.moment(Timestamp(milliseconds: timestamp)), completionHandler)
    }

    private func changes(_ start: ChangeLogStart, _ handler: MessageChangeLogsHandler?) {
        let url = value.url
        SendbirdChat.door.perform(
            then: .changes(
                handler, { BaseMessage.make($0) }, { (id: MessageID) in id.rawValue },
                orElse: { SBError($0) })
        ) { client throws(RoostError) in
            try await client.fetchMessageChanges(of: url, since: start)
        }
    }
}

/// The selection of a change log; messages come with all their fields in any case.
public final class MessageChangeLogsParams: NSObject {
    /// The replies that are selected besides other messages.
    public var replyType = ReplyType.all

    public override init() {}
}

extension SendbirdChat {
    /// The handler of one page of the channel change log.
    ///
    /// `token` is the start of the next page, if `hasMore` is true, and of the next query
    /// otherwise.
    public typealias ChannelChangeLogsHandler = (
        _ updatedChannels: [GroupChannel]?, _ deletedChannelURLs: [String]?, _ hasMore: Bool,
        _ token: String?, _ error: SBError?
    ) -> Void

    /// Fetches the changes of the user's channels since the token of an earlier page.
    public class func getMyGroupChannelChangeLogs(
        byToken token: String?, customTypes: [String]?,
        completionHandler: ChannelChangeLogsHandler?
    ) {
        changes(ChangeLogStart(token: token), customTypes, completionHandler)
    }

    /// Fetches the changes of the user's channels since a time of the server's clock, in
    /// milliseconds.
    public class func getMyGroupChannelChangeLogs(
        byTimestamp timestamp: Int64, customTypes: [String]?,
        completionHandler: ChannelChangeLogsHandler?
    ) {
        changes(.moment(Timestamp(milliseconds: timestamp)), customTypes, completionHandler)
    }

    private class func changes(
        _ start: ChangeLogStart, _ customTypes: [String]?, _ handler: ChannelChangeLogsHandler?
    ) {
        door.perform(
            then: .changes(
                handler, { GroupChannel($0) }, { (url: ChannelURL) in url.rawValue },
                orElse: { SBError($0) })
        ) { client throws(RoostError) in
            try await client.fetchChannelChanges(since: start, customTypes: customTypes)
        }
    }
}
