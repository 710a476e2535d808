// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostExecutors
import RoostModel

/// What a collection shows first.
public enum MessageCollectionInitPolicy: Int, Sendable {
    /// What the cache has, then in its place what the server says.
    case cacheAndReplaceByApi
}

/// The messages of one channel around a starting point, kept in step with the server.
public final class MessageCollection: NSObject {
    public weak var delegate: (any MessageCollectionDelegate)?
    /// `Int64.max` for the newest messages.
    public let startingPoint: Int64

    private let params: MessageListParams
    private let url: ChannelURL
    private let feed = Feed<MessageCollection, News>()
    private let driver: TimelineDriver
    private let watch: ChannelListDriver
    private let current: Guarded<RoostModel.GroupChannel>

    enum News: Sendable {
        case messages(TimelineDriver.News)
        case channel(ChannelListDriver.News)
    }

    init(_ channel: GroupChannel, _ startingPoint: Int64, _ params: MessageListParams) {
        self.startingPoint = startingPoint
        self.params = params
        url = channel.value.url
        current = Guarded(channel.value)
        let door = SendbirdChat.door
        driver = TimelineDriver(
            door, channel: url, startingAt: Timestamp(milliseconds: startingPoint),
            filter: params.filter, pageSize: params.pageSize
        ) { [feed] news in feed.post(.messages(news), on: door) }
        watch = ChannelListDriver(door, .only(url)) { [feed] news in
            feed.post(.channel(news), on: door)
        }
        super.init()
        feed.attach(self) { collection, news in collection.tell(news) }
    }

    deinit { dispose() }

    /// The channel as it is now.
    public var channel: GroupChannel { GroupChannel(current.withLock { $0 }) }

    public var hasPrevious: Bool { driver.view.hasOlder }
    public var hasNext: Bool { driver.view.hasNewer }

    public var succeededMessages: [BaseMessage] { messages { $0 == .succeeded } }
    public var pendingMessages: [BaseMessage] { messages { $0 == .pending } }
    public var failedMessages: [BaseMessage] { messages { $0 == .failed || $0 == .canceled } }

    private func messages(_ belongs: (SendingStatus) -> Bool) -> [BaseMessage] {
        params.objects(driver.view.messages.filter { belongs($0.status) })
    }

    /// Hands over what the cache has, and then what the server says, which takes its place.
    ///
    /// Each handler is called once, the second with an error while the server is out of reach; what it
    /// says later comes to the delegate.
    public func startCollection(
        initPolicy: MessageCollectionInitPolicy,
        cacheResultHandler: (([BaseMessage]?, SBError?) -> Void)? = nil,
        apiResultHandler: (([BaseMessage]?, SBError?) -> Void)? = nil
    ) {
        let door = SendbirdChat.door
        let (cache, api) = (messages(cacheResultHandler), messages(apiResultHandler))
        door.start { [driver, watch] in
            await driver.load(.opening) { door.tell(cache, $0) }
            // The channel itself is watched on the side; without it messages come all the same.
            await watch.load { _ in }
            await driver.load(.server) { door.tell(api, $0) }
        }
    }

    public func loadNext(completionHandler: (([BaseMessage]?, SBError?) -> Void)? = nil) {
        load(.newer, completionHandler)
    }

    public func loadPrevious(completionHandler: (([BaseMessage]?, SBError?) -> Void)? = nil) {
        load(.older, completionHandler)
    }

    /// Ends it; the delegate hears nothing more.
    public func dispose() {
        feed.close()
        SendbirdChat.door.start { [driver, watch] in
            await driver.close()
            await watch.close()
        }
    }

    private func load(
        _ direction: TimelineDriver.Direction,
        _ handler: (([BaseMessage]?, SBError?) -> Void)?
    ) {
        let (door, callback) = (SendbirdChat.door, messages(handler))
        door.start { [driver] in
            await driver.load(.page(direction)) { door.tell(callback, $0) }
        }
    }

    private func messages(
        _ handler: (([BaseMessage]?, SBError?) -> Void)?
    ) -> Callback<Result<[Message], RoostError>> {
        .answer(handler) { [params] in params.objects($0) }
    }

    private func tell(_ news: News) {
        switch news {
        case .messages(.hugeGap):
            delegate?.didDetectHugeGap(self)
        case .messages(.changed(let change)): tell(change)
        case .channel(let news):
            let source = CollectionEventSource(news.change.origins)
            let context = MessageContext(source, .none)
            for channel in news.change.inserted + news.change.updated.map(\.after) {
                current.withLock { $0 = channel }
                delegate?.messageCollection(
                    self, context: context, updatedChannel: GroupChannel(channel))
            }
            for channel in news.change.deleted {
                delegate?.messageCollection(
                    self, context: context, deletedChannel: channel.url.rawValue)
            }
        }
    }

    /// A call for each status, because a call can name only one.
    private func tell(_ change: ListDiff<Message>) {
        let channel = channel
        let source = CollectionEventSource(change.origins)
        func context(_ status: SendingStatus) -> MessageContext {
            MessageContext(source, MessageSendingStatus(status))
        }
        for (status, messages) in change.deleted.byStatus {
            delegate?.messageCollection(
                self, context: context(status), channel: channel,
                deletedMessages: params.objects(messages))
        }
        for (status, messages) in change.updated.map(\.after).byStatus {
            delegate?.messageCollection(
                self, context: context(status), channel: channel,
                updatedMessages: params.objects(messages))
        }
        for (status, messages) in change.inserted.byStatus {
            delegate?.messageCollection(
                self, context: context(status), channel: channel,
                addedMessages: params.objects(messages))
        }
    }
}

extension [Message] {
    /// Runs of one status, in order.
    fileprivate var byStatus: [(SendingStatus, [Message])] {
        reduce(into: []) { runs, message in
            if runs.last?.0 == message.status {
                runs[runs.count - 1].1.append(message)
            } else {
                runs.append((message.status, [message]))
            }
        }
    }
}
