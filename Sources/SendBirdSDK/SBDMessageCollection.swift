// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostExecutors
import RoostModel

/// The first contents of a collection.
public enum SBDMessageCollectionInitPolicy: UInt, Sendable {
    /// The messages of the cache, then in their place those of the server.
    case cacheAndReplaceByApi
}

/// The messages of one channel around a starting point, kept in step with the server.
public final class SBDMessageCollection: NSObject {
    /// The receiver of events, held weakly.
    public weak var delegate: (any SBDMessageCollectionDelegate)?
    /// The time to begin around, in milliseconds; `LONG_LONG_MAX` for the newest messages.
    public let startingPoint: Int64
    /// The selection and order of messages.
    public let params: SBDMessageListParams?

    private let isReversed: Bool
    private let parts: MessageParts
    private let feed = Feed<SBDMessageCollection, Event>()
    private let driver: TimelineDriver
    private let watch: ChannelListDriver
    private let current: Guarded<GroupChannel>

    private enum Event: Sendable {
        case messages(TimelineDriver.Event)
        case channel(ListDiff<GroupChannel>)
    }

    /// Creates a collection; the parameters' settings count as they are now.
    public init(channel: SBDGroupChannel, startingPoint: Int64, params: SBDMessageListParams) {
        self.startingPoint = startingPoint
        self.params = params
        (isReversed, parts) = (params.reverse, params.parts)
        let (door, value) = (SBDMain.door, channel.value)
        current = Guarded(value)
        let size = max(params.previousResultSize, params.nextResultSize)
        driver = TimelineDriver(
            door, channel: value.url, startingAt: Timestamp(milliseconds: startingPoint),
            isInclusive: params.isInclusive, filter: params.filter,
            pageSize: size > 0 ? size : nil
        ) { [feed] event in feed.post(.messages(event), on: door) }
        watch = ChannelListDriver(door, .only(value.url)) { [feed] event in
            feed.post(.channel(event.change), on: door)
        }
        super.init()
        feed.attach(self, while: driver.isForPresentUser) { collection, event in
            collection.notify(event)
        }
    }

    deinit { dispose() }

    /// The channel as it is now.
    public var channel: SBDGroupChannel { SBDGroupChannel(kept: current.withLock { $0 }) }

    /// Whether `loadPrevious(completionHandler:)` may find more.
    public var hasPrevious: Bool { driver.view.hasOlder }
    /// Whether `loadNext(completionHandler:)` may find more; false while the newest messages are
    /// followed.
    public var hasNext: Bool { driver.view.hasNewer }

    /// The delivered messages.
    public var succeededMessages: [SBDBaseMessage] { messages { $0 == .succeeded } }
    /// The messages that wait or are being sent.
    public var pendingMessages: [SBDBaseMessage] { messages { $0 == .pending } }
    /// The failed messages.
    public var failedMessages: [SBDBaseMessage] { messages { $0 == .failed || $0 == .canceled } }

    private func messages(_ belongs: (SendingStatus) -> Bool) -> [SBDBaseMessage] {
        objects(driver.messages.filter { belongs($0.status) })
    }

    private func objects(_ messages: [Message]) -> [SBDBaseMessage] {
        messages.objects(isReversed: isReversed, showing: parts)
    }

    /// The handler of a page of messages.
    public typealias MessagesHandler = ([SBDBaseMessage]?, SBDError?) -> Void

    /// Loads the messages of the cache, then those of the server, which replace them.
    ///
    /// Each handler is called once. The second gets an error if the server does not answer; a later
    /// answer goes to the delegate. If the collection was started before, the first handler gets
    /// `SBDErrorCode.queryInProgress`, and the second the messages.
    public func start(
        with initPolicy: SBDMessageCollectionInitPolicy, cacheResultHandler: MessagesHandler?,
        apiResultHandler: MessagesHandler?
    ) {
        let door = SBDMain.door
        let (cache, api) = (page(cacheResultHandler), page(apiResultHandler))
        door.start { [driver, watch] in
            await driver.load(.opening) { door.notify(cache, $0) }
            // The channel is watched beside the messages, which arrive even without it.
            door.start { await watch.load { _ in } }
            await driver.load(.server) { door.notify(api, $0) }
        }
    }

    /// Loads a page of newer messages.
    public func loadNext(completionHandler: MessagesHandler? = nil) {
        load(.newer, completionHandler)
    }

    /// Loads a page of older messages.
    public func loadPrevious(completionHandler: MessagesHandler? = nil) {
        load(.older, completionHandler)
    }

    /// Closes the collection; the delegate gets no more events.
    public func dispose() {
        feed.close()
        SBDMain.door.start { [driver, watch] in
            await driver.close()
            await watch.close()
        }
    }

    private func load(_ direction: TimelineDriver.Direction, _ handler: MessagesHandler?) {
        let (door, callback) = (SBDMain.door, page(handler))
        door.start { [driver] in
            await driver.load(.page(direction)) { door.notify(callback, $0) }
        }
    }

    private func page(
        _ handler: MessagesHandler?
    ) -> Callback<Result<[Message], RoostError>> {
        .answer(handler) { [isReversed, parts] (messages: [Message]) in
            messages.objects(isReversed: isReversed, showing: parts)
        }
    }

    // MARK: Events

    /// The receiver of the next call; nil once the collection is closed.
    private var receiver: (any SBDMessageCollectionDelegate)? {
        feed.isOpen ? delegate : nil
    }

    private func notify(_ event: Event) {
        switch event {
        case .messages(.hugeGap): receiver?.didDetectHugeGap(self)
        case .messages(.changed(let change)):
            for step in change.withCancellations { notify(step) }
        case .channel(let change):
            for channel in change.inserted {
                note(channel, SBDCollectionEventSource(added: channel, in: change))
            }
            for update in change.updated {
                note(update.after, SBDCollectionEventSource(ofChannels: change.origins))
            }
            for channel in change.deleted {
                let source = SBDCollectionEventSource(removed: channel, in: change)
                receiver?.messageCollection(
                    self, context: SBDMessageContext(source, .none),
                    deletedChannel: channel.url.rawValue)
            }
        }
    }

    private func note(_ channel: GroupChannel, _ source: SBDCollectionEventSource) {
        current.withLock { $0 = channel }
        receiver?.messageCollection(
            self, context: SBDMessageContext(source, .none),
            updatedChannel: SBDGroupChannel(channel))
    }

    /// Calls the delegate once for each status, because a call has one status only.
    private func notify(_ change: ListDiff<Message>) {
        let channel = channel
        func context(_ kind: MessageChangeKind, _ status: SendingStatus) -> SBDMessageContext {
            SBDMessageContext(
                SBDCollectionEventSource(change.origins, kind, status),
                SBDMessageSendingStatus(status))
        }
        for (status, messages) in change.deleted.runs(\.status) {
            receiver?.messageCollection(
                self, context: context(.deleted, status), channel: channel,
                deletedMessages: objects(messages))
        }
        let settled = change.updated.filter { $0.before.status != $0.after.status }
        let updated = change.updated.filter { $0.before.status == $0.after.status }
        for (kind, updates) in [(MessageChangeKind.settled, settled), (.updated, updated)] {
            for (status, messages) in updates.map(\.after).runs(\.status) {
                receiver?.messageCollection(
                    self, context: context(kind, status), channel: channel,
                    updatedMessages: objects(messages))
            }
        }
        for (status, messages) in change.inserted.runs(\.status) {
            receiver?.messageCollection(
                self, context: context(.added, status), channel: channel,
                addedMessages: objects(messages))
        }
    }
}
