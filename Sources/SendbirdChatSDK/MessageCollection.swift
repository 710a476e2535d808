// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

/// The first contents of a collection.
public enum MessageCollectionInitPolicy: Int, Sendable {
    /// The messages of the cache, then in their place those of the server.
    case cacheAndReplaceByApi
}

/// The messages of one channel around a starting point, kept in step with the server.
open class MessageCollection: BaseCollection {
    /// The receiver of events, held weakly.
    public weak var delegate: (any MessageCollectionDelegate)?
    /// The time to begin around, in milliseconds; `Int64.max` for the newest messages.
    public let startingPoint: Int64

    private let params: MessageListParams
    private let url: ChannelURL
    private let core: MessageCollectionCore<MessageCollection, BaseMessage>

    init(_ channel: GroupChannel, _ startingPoint: Int64, _ params: MessageListParams) {
        self.startingPoint = startingPoint
        // A copy: the app may use its object for other calls.
        let params = params.copied
        self.params = params
        url = channel.value.url
        core = MessageCollectionCore(
            SendbirdChat.door, channel.value,
            startingAt: Timestamp(milliseconds: startingPoint),
            isInclusive: params.isInclusive, filter: params.filter, pageSize: params.pageSize)
        super.init()
        core.attach(self) { collection, event in collection.notify(event) }
    }

    deinit { dispose() }

    /// The channel as it is now.
    public var channel: GroupChannel {
        let (value, moment) = core.channel
        return GroupChannel(kept: value, askedAt: moment)
    }

    /// Whether `loadPrevious(completionHandler:)` may find more.
    public var hasPrevious: Bool { core.view.hasOlder }
    /// Whether `loadNext(completionHandler:)` may find more; false while the newest messages are
    /// followed.
    public var hasNext: Bool { core.view.hasNewer }

    /// The delivered messages, in the order of the parameters.
    public var succeededMessages: [BaseMessage] { list(.succeeded) }
    /// The messages that wait or are being sent, in the order of the parameters.
    public var pendingMessages: [BaseMessage] { list(.pending) }
    /// The failed messages, in the order of the parameters.
    public var failedMessages: [BaseMessage] { list(.failed) }

    private func list(_ group: MessageGroup) -> [BaseMessage] {
        core.objects(group) { params.objects($0) }
    }

    /// Loads the messages of the cache, then those of the server, which replace them.
    ///
    /// Each handler is called once. The second gets an error if the server does not answer; a later
    /// answer goes to the delegate. If the collection was started before, the first handler gets
    /// `ChatError.queryInProgress`, and the second the messages.
    public func startCollection(
        initPolicy: MessageCollectionInitPolicy,
        cacheResultHandler: MessageListHandler? = nil,
        apiResultHandler: MessageListHandler? = nil
    ) {
        core.start(cache: messages(cacheResultHandler), server: messages(apiResultHandler))
    }

    /// Loads a page of newer messages.
    public func loadNext(completionHandler: MessageListHandler? = nil) {
        core.load(.newer, then: messages(completionHandler))
    }

    /// Loads a page of older messages.
    public func loadPrevious(completionHandler: MessageListHandler? = nil) {
        core.load(.older, then: messages(completionHandler))
    }

    /// Deletes failed messages from the outbox.
    ///
    /// The handler gets the request IDs of the messages that had failed; all others stay.
    public func removeFailed(
        messages: [BaseMessage], completionHandler: MessageRequestIdsHandler? = nil
    ) {
        remove(messages.map(\.requestId), then: .answer(completionHandler) { $0 })
    }

    /// Deletes all failed messages of the channel from the outbox.
    public func removeAllFailed(completionHandler: SBErrorHandler? = nil) {
        remove(
            nil,
            then: .answer(
                completionHandler.map { handler in { (_: [String]?, error) in handler(error) } }
            ) { $0 })
    }

    private func remove(
        _ requestIds: [String]?, then callback: Callback<Result<[String], RoostError>>
    ) {
        let url = url
        SendbirdChat.door.perform(then: callback) { client throws(RoostError) in
            let failed = await client.failedMessages(in: url).compactMap { $0.requestID }
            let removed = failed.filter { requestIds?.contains($0.rawValue) ?? true }
            for id in removed { await client.removeFailed(id, in: url) }
            return removed.map(\.rawValue)
        }
    }

    /// Closes the collection; the delegate gets no more events.
    public func dispose() { core.close() }

    private func messages(
        _ handler: MessageListHandler?
    ) -> Callback<Result<[Message], RoostError>> {
        .answer(handler) { [params] in params.objects($0) }
    }

    /// The receiver of the next call; nil once the collection is closed.
    private var receiver: (any MessageCollectionDelegate)? {
        core.isOpen ? delegate : nil
    }

    private func notify(_ event: MessageCollectionEvent) {
        switch event {
        case .messages(.hugeGap):
            receiver?.didDetectHugeGap(self)
        case .messages(.changed(let change)):
            for step in change.withCancellations { notify(step) }
        case .channel(let event):
            for channel in event.change.inserted {
                notify(channel, event.moment, ChannelContext(channel, in: event))
            }
            for update in event.change.updated {
                notify(update.after, event.moment, ChannelContext(update, in: event))
            }
            for channel in event.change.deleted {
                receiver?.messageCollection(
                    self, channelContext: ChannelContext(removed: channel, in: event),
                    deletedChannel: channel.url.rawValue)
            }
        }
    }

    private func notify(
        _ channel: RoostModel.GroupChannel, _ moment: KeptChannels.Moment,
        _ context: ChannelContext
    ) {
        receiver?.messageCollection(
            self, channelContext: context,
            updatedChannel: GroupChannel(kept: channel, askedAt: moment))
    }

    /// Calls the delegate once for each context, because a call has one context only.
    private func notify(_ change: ListDiff<Message>) {
        let channel = channel
        for run in change.deleted.runs({ MessageContext(removed: $0, in: change) }) {
            receiver?.messageCollection(
                self, context: run.context, channel: channel,
                deletedMessages: params.objects(run.elements))
        }
        for run in change.updated.runs({ MessageContext($0, in: change) }) {
            receiver?.messageCollection(
                self, context: run.context, channel: channel,
                updatedMessages: params.objects(run.elements.map(\.after)))
        }
        for run in change.inserted.runs({ MessageContext($0, in: change) }) {
            receiver?.messageCollection(
                self, context: run.context, channel: channel,
                addedMessages: params.objects(run.elements))
        }
    }
}
