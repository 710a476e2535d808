// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostExecutors
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
    private let feed = Feed<MessageCollection, Event>()
    private let driver: TimelineDriver
    private let watch: ChannelListDriver
    private let current: Guarded<RoostModel.GroupChannel>

    enum Event: Sendable {
        case messages(TimelineDriver.Event)
        case channel(ChannelListDriver.Event)
    }

    init(_ channel: GroupChannel, _ startingPoint: Int64, _ params: MessageListParams) {
        self.startingPoint = startingPoint
        // A copy: the app may use its object for other calls.
        let params = params.copied
        self.params = params
        url = channel.value.url
        current = Guarded(channel.value)
        let door = SendbirdChat.door
        driver = TimelineDriver(
            door, channel: url, startingAt: Timestamp(milliseconds: startingPoint),
            isInclusive: params.isInclusive, filter: params.filter, pageSize: params.pageSize
        ) { [feed] event in feed.post(.messages(event), on: door) }
        watch = ChannelListDriver(door, .only(url)) { [feed] event in
            feed.post(.channel(event), on: door)
        }
        super.init()
        feed.attach(self, while: driver.isForPresentUser) { collection, event in
            collection.notify(event)
        }
    }

    deinit { dispose() }

    /// The channel as it is now.
    public var channel: GroupChannel { GroupChannel(kept: current.withLock { $0 }) }

    /// Whether `loadPrevious(completionHandler:)` may find more.
    public var hasPrevious: Bool { driver.view.hasOlder }
    /// Whether `loadNext(completionHandler:)` may find more; false while the newest messages are
    /// followed.
    public var hasNext: Bool { driver.view.hasNewer }

    /// The delivered messages, in the order of the parameters.
    public var succeededMessages: [BaseMessage] { messages { $0 == .succeeded } }
    /// The messages that wait or are being sent, in the order of the parameters.
    public var pendingMessages: [BaseMessage] { messages { $0 == .pending } }
    /// The failed messages, in the order of the parameters.
    public var failedMessages: [BaseMessage] { messages { $0 == .failed || $0 == .canceled } }

    private func messages(_ belongs: (SendingStatus) -> Bool) -> [BaseMessage] {
        params.objects(driver.messages.filter { belongs($0.status) })
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
        let door = SendbirdChat.door
        let (cache, api) = (messages(cacheResultHandler), messages(apiResultHandler))
        door.start { [driver, watch] in
            await driver.load(.opening) { door.notify(cache, $0) }
            // The channel is watched beside the messages, which arrive even without it.
            door.start { await watch.load { _ in } }
            await driver.load(.server) { door.notify(api, $0) }
        }
    }

    /// Loads a page of newer messages.
    public func loadNext(completionHandler: MessageListHandler? = nil) {
        load(.newer, completionHandler)
    }

    /// Loads a page of older messages.
    public func loadPrevious(completionHandler: MessageListHandler? = nil) {
        load(.older, completionHandler)
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
    public func dispose() {
        feed.close()
        SendbirdChat.door.start { [driver, watch] in
            await driver.close()
            await watch.close()
        }
    }

    private func load(
        _ direction: TimelineDriver.Direction,
        _ handler: MessageListHandler?
    ) {
        let (door, callback) = (SendbirdChat.door, messages(handler))
        door.start { [driver] in
            await driver.load(.page(direction)) { door.notify(callback, $0) }
        }
    }

    private func messages(
        _ handler: MessageListHandler?
    ) -> Callback<Result<[Message], RoostError>> {
        .answer(handler) { [params] in params.objects($0) }
    }

    /// The receiver of the next call; nil once the collection is closed.
    private var receiver: (any MessageCollectionDelegate)? {
        feed.isOpen ? delegate : nil
    }

    private func notify(_ event: Event) {
        switch event {
        case .messages(.hugeGap):
            receiver?.didDetectHugeGap(self)
        case .messages(.changed(let change)):
            for step in change.withCancellations { notify(step) }
        case .channel(let event):
            let change = event.change
            for channel in change.inserted {
                note(channel, ChannelContext(channel, in: change))
            }
            for update in change.updated {
                note(update.after, ChannelContext(update, in: change))
            }
            for channel in change.deleted {
                receiver?.messageCollection(
                    self, channelContext: ChannelContext(removed: channel, in: change),
                    deletedChannel: channel.url.rawValue)
            }
        }
    }

    private func note(_ channel: RoostModel.GroupChannel, _ context: ChannelContext) {
        current.withLock { $0 = channel }
        // Without a delegate too: kept objects of the channel change with this one.
        let object = GroupChannel(channel)
        receiver?.messageCollection(self, channelContext: context, updatedChannel: object)
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
