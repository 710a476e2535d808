// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostExecutors
import RoostModel

/// The receiver of a channel collection's events.
public protocol GroupChannelCollectionDelegate: AnyObject {
    /// Channels were added to the list.
    func channelCollection(
        _ collection: GroupChannelCollection, context: ChannelContext,
        addedChannels channels: [GroupChannel])
    /// Channels in the list have changed; those that moved are among them.
    func channelCollection(
        _ collection: GroupChannelCollection, context: ChannelContext,
        updatedChannels channels: [GroupChannel])
    /// Channels were removed from the list.
    func channelCollection(
        _ collection: GroupChannelCollection, context: ChannelContext,
        deletedChannelURLs: [String])
}

extension GroupChannelCollectionDelegate {
    public func channelCollection(
        _ collection: GroupChannelCollection, context: ChannelContext,
        addedChannels channels: [GroupChannel]
    ) {}
    public func channelCollection(
        _ collection: GroupChannelCollection, context: ChannelContext,
        updatedChannels channels: [GroupChannel]
    ) {}
    public func channelCollection(
        _ collection: GroupChannelCollection, context: ChannelContext,
        deletedChannelURLs: [String]
    ) {}
}

/// A list that is kept in step with the server.
open class BaseCollection: NSObject {
    override init() { super.init() }
}

/// The user's channels selected by a query, kept in step with the server.
open class GroupChannelCollection: BaseCollection {
    /// The receiver of events, held weakly.
    public weak var delegate: (any GroupChannelCollectionDelegate)?
    /// The selection and order of the list.
    public let query: GroupChannelListQuery

    private let feed = Feed<GroupChannelCollection, ChannelListDriver.Event>()
    private let driver: ChannelListDriver
    private let cache = ObjectCache<[GroupChannel]>()

    init(_ query: GroupChannelListQuery) {
        self.query = query
        let door = SendbirdChat.door
        driver = ChannelListDriver(door, query.value) { [feed] event in feed.post(event, on: door) }
        super.init()
        feed.attach(self, while: driver.isForPresentUser) { collection, event in
            collection.notify(event)
        }
        // The handler of the first page gets the outcome.
        door.start { [driver] in _ = try? await driver.open() }
    }

    deinit { dispose() }

    /// The channels shown so far, in the order of the query.
    public var channelList: [GroupChannel] {
        let view = driver.view
        return cache.objects(of: view.version) {
            view.objects { GroupChannel(kept: $0, askedAt: $1) }
        }
    }

    /// Whether `loadMore(completionHandler:)` may find more.
    public var hasNext: Bool { driver.view.hasMore }

    /// Loads another page and returns it: at first that of the cache, if it has one.
    public func loadMore(completionHandler: GroupChannelListHandler? = nil) {
        let (door, callback) = (SendbirdChat.door, Callback.channels(completionHandler))
        door.start { [driver] in
            await driver.load { door.notify(callback, $0.map(\.channels)) }
        }
    }

    /// Closes the collection; the delegate gets no more events.
    public func dispose() {
        feed.close()
        SendbirdChat.door.start { [driver] in await driver.close() }
    }

    /// The receiver of the next call; nil once the collection is closed.
    private var receiver: (any GroupChannelCollectionDelegate)? {
        feed.isOpen ? delegate : nil
    }

    /// Calls the delegate once for each context, because a call has one context only.
    private func notify(_ event: ChannelListDriver.Event) {
        let change = event.change
        for run in change.inserted.runs({ ChannelContext($0, in: event) }) {
            receiver?.channelCollection(
                self, context: run.context,
                addedChannels: run.elements.map { GroupChannel(kept: $0, askedAt: event.moment) })
        }
        for run in change.updated.runs({ ChannelContext($0, in: event) }) {
            receiver?.channelCollection(
                self, context: run.context,
                updatedChannels: run.elements.map {
                    GroupChannel(kept: $0.after, askedAt: event.moment)
                })
        }
        for run in change.deleted.runs({ ChannelContext(removed: $0, in: event) }) {
            receiver?.channelCollection(
                self, context: run.context, deletedChannelURLs: run.elements.map(\.url.rawValue))
        }
    }
}
