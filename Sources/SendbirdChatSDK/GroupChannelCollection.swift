// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostExecutors
package import RoostModel

/// Where an event of a collection comes from.
///
/// Of an event that several steps were joined for, because the app was slow, the first of these.
public enum CollectionEventSource: Int, CaseIterable, Sendable {
    /// The app wrote it on this device; the server need not know of it yet.
    case localAction
    /// The server's answer to what was done on this device.
    case answer
    /// It happened just now, and the server told it.
    case event
    /// The server's log of changes during an absence.
    case changeLog
    /// What was missed during an absence was filled in.
    case catchUp
    /// The server was asked for a page.
    case page
    /// The cache was read.
    case cache
    /// Another process changed the cache, as an app's extension does.
    case otherProcess
    /// The cache was cleared or kept to its size.
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

/// What is known of an event of a channel collection.
public final class ChannelContext: NSObject {
    public let source: CollectionEventSource

    init(_ source: CollectionEventSource) { self.source = source }
}

/// What a channel collection tells.
public protocol GroupChannelCollectionDelegate: AnyObject {
    func channelCollection(
        _ collection: GroupChannelCollection, context: ChannelContext,
        addedChannels channels: [GroupChannel])
    /// Those that stand elsewhere now are among them.
    func channelCollection(
        _ collection: GroupChannelCollection, context: ChannelContext,
        updatedChannels channels: [GroupChannel])
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

/// The user's channels as a query wants them, kept in step with the server.
public final class GroupChannelCollection: NSObject {
    public weak var delegate: (any GroupChannelCollectionDelegate)?
    public let query: GroupChannelListQuery

    private let feed = Feed<GroupChannelCollection, ChannelListDriver.News>()
    private let driver: ChannelListDriver

    init(_ query: GroupChannelListQuery) {
        self.query = query
        let door = SendbirdChat.door
        driver = ChannelListDriver(door, query.value) { [feed] news in feed.post(news, on: door) }
        super.init()
        feed.attach(self) { collection, news in collection.tell(news) }
        // The handler of the first page tells what becomes of it.
        door.start { [driver] in _ = try? await driver.open() }
    }

    deinit { dispose() }

    /// The channels shown so far, in the query's order.
    public var channelList: [GroupChannel] { driver.view.channels.map { GroupChannel($0) } }

    public var hasNext: Bool { driver.view.hasMore }

    /// Shows a page more and hands it over: at first what the cache has, if it has anything.
    public func loadMore(completionHandler: (([GroupChannel]?, SBError?) -> Void)? = nil) {
        let (door, callback) = (SendbirdChat.door, Callback.channels(completionHandler))
        door.start { [driver] in await driver.load { door.tell(callback, $0) } }
    }

    /// Ends it; the delegate hears nothing more.
    public func dispose() {
        feed.close()
        SendbirdChat.door.start { [driver] in await driver.close() }
    }

    private func tell(_ news: ChannelListDriver.News) {
        let change = news.change
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
