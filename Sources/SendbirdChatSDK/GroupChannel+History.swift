// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

// Questions to the server for whoever keeps a database of their own; each needs a connection.

extension GroupChannel {
    /// The messages around a time, as the params want them.
    public func getMessagesByTimestamp(
        _ timestamp: Int64, params: MessageListParams,
        completionHandler: (([BaseMessage]?, SBError?) -> Void)?
    ) {
        let (url, filter) = (value.url, params.filter)
        let (older, newer) = (params.previousResultSize, params.nextResultSize)
        let isInclusive = params.isInclusive
        let callback = Callback<Result<[Message], RoostError>>(
            completionHandler.map { handler in
                { result in
                    switch result {
                    case .success(let messages): handler(params.objects(messages), nil)
                    case .failure(let error): handler(nil, SBError(error))
                    }
                }
            })
        SendbirdChat.door.perform(then: callback) { client throws(RoostError) in
            try await client.fetchMessages(
                of: url, around: Timestamp(milliseconds: timestamp), older: older, newer: newer,
                includesMoment: isInclusive, filter: filter)
        }
    }

    public typealias MessageChangeLogsHandler = (
        _ updatedMessages: [BaseMessage]?, _ deletedMessageIds: [Int64]?, _ hasMore: Bool,
        _ token: String?, _ error: SBError?
    ) -> Void

    /// What was edited and deleted since a token that an earlier answer gave.
    public func getMessageChangeLogs(
        sinceToken token: String?, params: MessageChangeLogsParams,
        completionHandler: MessageChangeLogsHandler?
    ) {
        changes(token.map { .token($0) } ?? .moment(.init(milliseconds: 1)), completionHandler)
    }

    /// What was edited and deleted since a time of the server's.
    public func getMessageChangeLogs(
        sinceTimestamp timestamp: Int64, params: MessageChangeLogsParams,
        completionHandler: MessageChangeLogsHandler?
    ) {
        changes(.moment(Timestamp(milliseconds: timestamp)), completionHandler)
    }

    private func changes(_ start: ChangeLogStart, _ handler: MessageChangeLogsHandler?) {
        let url = value.url
        let callback = Callback<Result<ChangeLog<Message, MessageID>, RoostError>>(
            handler.map { handler in
                { result in
                    switch result {
                    case .success(let log):
                        handler(
                            log.updated.map { BaseMessage.make($0) }, log.deleted.map(\.rawValue),
                            log.hasMore, log.token, nil)
                    case .failure(let error): handler(nil, nil, false, nil, SBError(error))
                    }
                }
            })
        SendbirdChat.door.perform(then: callback) { client throws(RoostError) in
            try await client.fetchMessageChanges(of: url, since: start)
        }
    }
}

/// What a change log is to tell; everything a message carries comes, whatever this says.
public final class MessageChangeLogsParams: NSObject {
    public var replyType = ReplyType.all

    public override init() {}
}

extension SendbirdChat {
    public typealias ChannelChangeLogsHandler = (
        _ updatedChannels: [GroupChannel]?, _ deletedChannelURLs: [String]?, _ hasMore: Bool,
        _ token: String?, _ error: SBError?
    ) -> Void

    /// What became of the user's channels since a token that an earlier answer gave.
    public class func getMyGroupChannelChangeLogs(
        byToken token: String?, customTypes: [String]?,
        completionHandler: ChannelChangeLogsHandler?
    ) {
        changes(
            token.map { .token($0) } ?? .moment(.init(milliseconds: 1)), customTypes,
            completionHandler)
    }

    /// What became of the user's channels since a time of the server's.
    public class func getMyGroupChannelChangeLogs(
        byTimestamp timestamp: Int64, customTypes: [String]?,
        completionHandler: ChannelChangeLogsHandler?
    ) {
        changes(.moment(Timestamp(milliseconds: timestamp)), customTypes, completionHandler)
    }

    private class func changes(
        _ start: ChangeLogStart, _ customTypes: [String]?, _ handler: ChannelChangeLogsHandler?
    ) {
        let callback = Callback<Result<ChangeLog<RoostModel.GroupChannel, ChannelURL>, RoostError>>(
            handler.map { handler in
                { result in
                    switch result {
                    case .success(let log):
                        handler(
                            log.updated.map { GroupChannel($0) }, log.deleted.map(\.rawValue),
                            log.hasMore, log.token, nil)
                    case .failure(let error): handler(nil, nil, false, nil, SBError(error))
                    }
                }
            })
        door.perform(then: callback) { client throws(RoostError) in
            try await client.fetchChannelChanges(since: start, customTypes: customTypes)
        }
    }
}
