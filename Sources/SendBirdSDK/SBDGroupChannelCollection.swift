// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostModel

/// The receiver of a channel collection's events.
public protocol SBDGroupChannelCollectionDelegate: AnyObject {
    /// Channels were added to the list.
    func channelCollection(
        _ collection: SBDGroupChannelCollection, context: SBDChannelContext,
        addedChannels channels: [SBDGroupChannel])
    /// Channels in the list have changed; those that moved are among them.
    func channelCollection(
        _ collection: SBDGroupChannelCollection, context: SBDChannelContext,
        updatedChannels channels: [SBDGroupChannel])
    /// Channels were removed from the list.
    func channelCollection(
        _ collection: SBDGroupChannelCollection, context: SBDChannelContext,
        deletedChannelUrls: [String])
}

extension SBDGroupChannelCollectionDelegate {
    public func channelCollection(
        _ collection: SBDGroupChannelCollection, context: SBDChannelContext,
        addedChannels channels: [SBDGroupChannel]
    ) {}
    public func channelCollection(
        _ collection: SBDGroupChannelCollection, context: SBDChannelContext,
        updatedChannels channels: [SBDGroupChannel]
    ) {}
    public func channelCollection(
        _ collection: SBDGroupChannelCollection, context: SBDChannelContext,
        deletedChannelUrls: [String]
    ) {}
}

/// The user's channels selected by a query, kept in step with the server.
public final class SBDGroupChannelCollection: NSObject {
    /// The receiver of events, held weakly.
    public weak var delegate: (any SBDGroupChannelCollectionDelegate)?
    /// The selection and order of the list.
    public let query: SBDGroupChannelListQuery

    private let feed = Feed<SBDGroupChannelCollection, ChannelListDriver.Event>()
    private let driver: ChannelListDriver
    private let cache = ObjectCache<[SBDGroupChannel]>()

    /// Creates a collection; the query's settings count as they are now.
    public init(query: SBDGroupChannelListQuery) {
        self.query = query
        let door = SBDMain.door
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
    public var channelList: [SBDGroupChannel] {
        let view = driver.view
        return cache.objects(of: view.version) {
            view.objects { SBDGroupChannel(kept: $0, askedAt: $1) }
        }
    }

    /// Whether `loadMore(completionHandler:)` may find more.
    public var hasNext: Bool { driver.view.hasMore }

    /// Loads another page and returns it: at first that of the cache, if it has one.
    public func loadMore(completionHandler: (([SBDGroupChannel]?, SBDError?) -> Void)? = nil) {
        let (door, callback) = (SBDMain.door, Callback.channels(completionHandler))
        door.start { [driver] in
            await driver.load { door.notify(callback, $0.map(\.channels)) }
        }
    }

    /// Closes the collection; the delegate gets no more events.
    public func dispose() {
        feed.close()
        SBDMain.door.start { [driver] in await driver.close() }
    }

    /// The receiver of the next call; nil once the collection is closed.
    private var receiver: (any SBDGroupChannelCollectionDelegate)? {
        feed.isOpen ? delegate : nil
    }

    /// Calls the delegate once for each source, because a call has one source only.
    private func notify(_ event: ChannelListDriver.Event) {
        let change = event.change
        let added = change.inserted.runs { SBDCollectionEventSource(added: $0, in: change) }
        for (source, channels) in added {
            receiver?.channelCollection(
                self, context: SBDChannelContext(source),
                addedChannels: channels.map { SBDGroupChannel(kept: $0, askedAt: event.moment) })
        }
        if !change.updated.isEmpty {
            receiver?.channelCollection(
                self, context: SBDChannelContext(.init(ofChannels: change.origins)),
                updatedChannels: change.updated.map {
                    SBDGroupChannel(kept: $0.after, askedAt: event.moment)
                })
        }
        let removed = change.deleted.runs { SBDCollectionEventSource(removed: $0, in: change) }
        for (source, channels) in removed {
            receiver?.channelCollection(
                self, context: SBDChannelContext(source),
                deletedChannelUrls: channels.map(\.url.rawValue))
        }
    }
}

extension Array {
    /// The elements in groups of consecutive equal values.
    func runs<Value: Equatable>(_ value: (Element) -> Value) -> [(Value, [Element])] {
        reduce(into: []) { runs, element in
            let value = value(element)
            if runs.last?.0 == value {
                runs[runs.count - 1].1.append(element)
            } else {
                runs.append((value, [element]))
            }
        }
    }
}
