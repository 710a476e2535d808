// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostExecutors
package import RoostModel

/// The source of a collection's event.
///
/// If events were joined for a slow app, the source is the first of theirs in the order below.
public enum CollectionEventSource: Int, CaseIterable, Sendable {
    /// This device acted; the server need not know of it yet.
    case localAction
    /// The server answered an action of this device.
    case answer
    /// A live event arrived.
    case event
    /// The server's change log of an absence was applied.
    case changeLog
    /// The catch-up after an absence filled in missing messages.
    case catchUp
    /// The server answered with a page.
    case page
    /// The cache was read.
    case cache
    /// Another process changed the cache, such as an extension of the app.
    case otherProcess
    /// The cache was cleared or evicted.
    case upkeep

    private init(_ origin: ChangeOrigin) {
        switch origin {
        case .local: self = .localAction
        case .answer: self = .answer
        case .event: self = .event
        case .changeLog: self = .changeLog
        case .catchUp: self = .catchUp
        case .page: self = .page
        case .disk: self = .cache
        case .otherProcess: self = .otherProcess
        case .upkeep: self = .upkeep
        }
    }

    package init(_ origins: Set<ChangeOrigin>) {
        let sources = origins.map { CollectionEventSource($0) }
        self = sources.min { $0.rawValue < $1.rawValue } ?? .cache
    }
}

/// The circumstances of an event of a channel collection.
public final class ChannelContext: NSObject {
    /// The source of the event.
    public let source: CollectionEventSource

    init(_ source: CollectionEventSource) { self.source = source }
}

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

/// The user's channels selected by a query, kept in step with the server.
public final class GroupChannelCollection: NSObject {
    /// The receiver of events, held weakly.
    public weak var delegate: (any GroupChannelCollectionDelegate)?
    /// The selection and order of the list.
    public let query: GroupChannelListQuery

    private let feed = Feed<GroupChannelCollection, ChannelListDriver.Event>()
    private let driver: ChannelListDriver

    init(_ query: GroupChannelListQuery) {
        self.query = query
        let door = SendbirdChat.door
        driver = ChannelListDriver(door, query.value) { [feed] event in feed.post(event, on: door) }
        super.init()
        feed.attach(self) { collection, event in collection.notify(event) }
        // The handler of the first page gets the outcome.
        door.start { [driver] in _ = try? await driver.open() }
    }

    deinit { dispose() }

    /// The channels shown so far, in the order of the query.
    public var channelList: [GroupChannel] { driver.view.channels.map { GroupChannel($0) } }

    /// Whether `loadMore(completionHandler:)` may find more.
    public var hasNext: Bool { driver.view.hasMore }

    /// Loads another page and returns it: at first that of the cache, if it has one.
    public func loadMore(completionHandler: (([GroupChannel]?, SBError?) -> Void)? = nil) {
        let (door, callback) = (SendbirdChat.door, Callback.channels(completionHandler))
        door.start { [driver] in await driver.load { door.notify(callback, $0) } }
    }

    /// Closes the collection; the delegate gets no more events.
    public func dispose() {
        feed.close()
        SendbirdChat.door.start { [driver] in await driver.close() }
    }

    private func notify(_ event: ChannelListDriver.Event) {
        let change = event.change
        let context = ChannelContext(CollectionEventSource(change.origins))
        if !change.inserted.isEmpty {
            delegate?.channelCollection(
                self, context: context,
                addedChannels: change.inserted.map { GroupChannel($0) })
        }
        if !change.updated.isEmpty {
            delegate?.channelCollection(
                self, context: context,
                updatedChannels: change.updated.map { GroupChannel($0.after) })
        }
        if !change.deleted.isEmpty {
            delegate?.channelCollection(
                self, context: context,
                deletedChannelURLs: change.deleted.map(\.url.rawValue))
        }
    }
}
