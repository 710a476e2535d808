// SPDX-License-Identifier: Apache-2.0

import Foundation
import SendbirdChatSDK

/// The page's second sample has a class of the same name as the first.
enum ChatView {
    class CustomViewController: UIViewController {
        var collection: MessageCollection?
        var channel: GroupChannel?
        var startingPoint: Int64 = Int64.max

        // ...
        var shown: [String] = []
        var calls: [String] = []
        var gaps = 0

        required init?(coder: NSCoder) {
            super.init(coder: coder)
        }

        // Create a MessageCollection instance.
        func createMessageCollection() {
            guard let channel = self.channel else {
                return
            }

            // You can use a MessageListParams instance for MessageCollection.
            let params = MessageListParams()
            params.reverse = false
            params.isInclusive = false
            params.messageTypeFilter = .all
            params.includeMetaArray = false
            params.includeReactions = false
            // ...

            self.collection = SendbirdChat.createMessageCollection(
                channel: channel, startingPoint: self.startingPoint, params: params)
            self.collection?.delegate = self
        }

        // Initialize messages from startingPoint.
        func initialize() {
            guard let collection = self.collection else {
                return
            }

            collection.startCollection(
                initPolicy: .cacheAndReplaceByApi,
                cacheResultHandler: { messages, error in
                    // Messages are retrieved from the local cache.
                    self.calls.append("cache \(messages?.count ?? -1)")
                    self.shown = (messages ?? []).map(\.message)
                },
                apiResultHandler: { messages, error in
                    // Messages are retrieved from the Sendbird server through the API.
                    // According to MessageCollectionInitPolicy.cacheAndReplaceByApi,
                    // the existing data source needs to be cleared
                    // before adding retrieved messages to the local cache.
                    self.calls.append("api \(messages?.count ?? -1)")
                    guard let messages else { return }
                    self.shown = messages.map(\.message)
                })
        }

        // Load the next set of messages.
        func loadNext() {
            guard let collection = self.collection else {
                return
            }

            if collection.hasNext {
                collection.loadNext { messages, error in
                    guard error == nil else {
                        return  // Handle error.
                    }
                    self.shown += (messages ?? []).map(\.message)
                }
            }
        }

        // Load previous messages.
        func loadPrevious() {
            guard let collection = self.collection else {
                return
            }

            if collection.hasPrevious {
                collection.loadPrevious { messages, error in
                    guard error == nil else {
                        return  // Handle error.
                    }
                    self.shown = (messages ?? []).map(\.message) + self.shown
                }
            }
        }

        // Clear the collection.
        func dispose() {
            self.collection?.dispose()
        }
    }
}

extension ChatView.CustomViewController: MessageCollectionDelegate {
    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        addedMessages messages: [BaseMessage]
    ) {
        switch context.sendingStatus {
        case .succeeded:
            calls.append("added succeeded")
        case .pending:
            calls.append("added pending")
        default:
            calls.append("added otherwise")
        }
        shown += messages.map(\.message)
    }

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        updatedMessages messages: [BaseMessage]
    ) {
        switch context.sendingStatus {
        case .succeeded:
            calls.append("updated succeeded")
        case .pending:
            calls.append("updated pending")
        case .failed:
            calls.append("updated failed")
        case .canceled:
            calls.append("updated canceled")
        default:
            calls.append("updated otherwise")
        }
    }

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext, channel: GroupChannel,
        deletedMessages messages: [BaseMessage]
    ) {
        switch context.sendingStatus {
        case .succeeded:
            calls.append("deleted succeeded")
        case .failed:
            calls.append("deleted failed")
        default:
            calls.append("deleted otherwise")
        }
        let gone = messages.map(\.message)
        shown.removeAll { gone.contains($0) }
    }

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext,
        updatedChannel channel: GroupChannel
    ) {
        calls.append("channel \(channel.name)")
    }

    func messageCollection(
        _ collection: MessageCollection, context: MessageContext,
        deletedChannel channelURL: String
    ) {
        calls.append("channel gone")
    }

    func didDetectHugeGap(_ collection: MessageCollection) {
        gaps += 1
        // This is called when there are more than 300 messages missing
        // in the local cache compared to the Sendbird server.

        // Clear the collection.
        collection.dispose()

        // Create a new message collection object.
        self.createMessageCollection()

        // An additional implementation is required for initialization.
        self.initialize()
    }
}
