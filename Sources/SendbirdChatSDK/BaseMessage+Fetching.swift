// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

// Queries of the server; each needs a connection.

extension BaseMessage {
    /// Fetches a message.
    ///
    /// A feed channel gives `ChatError.notSupported`.
    public class func getMessage(
        params: MessageRetrievalParams, completionHandler: BaseMessageHandler?
    ) {
        let parts = params.parts
        let callback = Callback.answer(completionHandler) { (message: Message) in
            BaseMessage.make(message, showing: parts)
        }
        guard params.channelType != .feed else {
            return SendbirdChat.door.notify(
                callback,
                .failure(.unsupported("The client knows no feed channels.")))
        }
        let id = MessageID(params.messageId)
        let channel = ChannelAddress(
            ChannelURL(params.channelURL), isOpen: params.channelType == .open)
        SendbirdChat.door.perform(then: callback) { client throws(RoostError) in
            try await client.fetchMessage(id, in: channel)
        }
    }

    /// Fetches the replies to this message around a time, as the parameters select them, and the
    /// message itself as it is now.
    public func getThreadedMessages(
        timestamp: Int64, params: ThreadedMessageListParams,
        completionHandler: ThreadedMessageListHandler?
    ) {
        let parent = value.messageID
        let channel = ChannelAddress(value.channelURL, isOpen: isOpenChannel())
        let (older, newer) = (params.previousResultSize, params.nextResultSize)
        let (isInclusive, reverse, parts) = (params.isInclusive, params.reverse, params.parts)
        let filter = params.filter(of: parent ?? 0)
        let callback = Callback<Result<(Message, [Message]), RoostError>>(
            completionHandler.map { handler in
                { result in
                    switch result {
                    case .success(let (parent, replies)):
                        handler(
                            BaseMessage.make(parent, showing: parts),
                            replies.objects(reverse: reverse, showing: parts), nil)
                    case .failure(let error): handler(nil, nil, SBError(error))
                    }
                }
            })
        SendbirdChat.door.perform(then: callback) { client throws(RoostError) in
            guard let parent else { throw .notSent }
            let replies = try await client.fetchMessages(
                of: channel, around: Timestamp(milliseconds: timestamp), older: older, newer: newer,
                includesMoment: isInclusive, filter: filter)
            // The server counts the head of a thread among its replies.
            return (
                try await client.fetchMessage(parent, in: channel),
                replies.filter { $0.messageID != parent }
            )
        }
    }
}
