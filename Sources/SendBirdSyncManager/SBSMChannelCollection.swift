// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostModel
public import SendBirdSDK

/// The kind of change in a channel collection.
public enum SBSMChannelEventAction: Int, Sendable {
    /// No change.
    case none
    /// Channels were added.
    case insert
    /// Channels have changed.
    case update
    /// Channels were removed.
    case remove
    /// Channels have changed their place.
    case move
    /// All channels were removed.
    case clear
}

/// The receiver of a channel collection's events.
public protocol SBSMChannelCollectionDelegate: AnyObject {
    /// Channels of the collection have changed in this way.
    func collection(
        _ collection: SBSMChannelCollection, didReceiveEvent action: SBSMChannelEventAction,
        channels: [SBDGroupChannel])
}

extension SBSMChannelCollectionDelegate {
    public func collection(
        _ collection: SBSMChannelCollection, didReceiveEvent action: SBSMChannelEventAction,
        channels: [SBDGroupChannel]
    ) {}
}

/// The user's channels selected by a query, kept in step with the server.
public final class SBSMChannelCollection: NSObject {
    /// The receiver of events, held weakly.
    public weak var delegate: (any SBSMChannelCollectionDelegate)?
    /// The selection and order of the list.
    public let query: SBDGroupChannelListQuery

    private let feed = Feed<SBSMChannelCollection, Event>()
    private let driver: ChannelListDriver
    private let cache = ObjectCache<[SBDGroupChannel]>()

    private enum Event: Sendable {
        case page(ChannelListDriver.Page)
        case change(ChannelListDriver.Event)
    }

    /// Creates a collection; nil without a query.
    public init?(query: SBDGroupChannelListQuery?) {
        guard let query else { return nil }
        self.query = query
        driver = ChannelListDriver(SBDMain.door, query.value, on: .delegates) { [feed] event in
            feed.post(.change(event), through: SBSMSyncManager.onDelegateQueue)
        }
        super.init()
        feed.attach(self, while: driver.isForPresentUser) { collection, event in
            collection.notify(event)
        }
    }

    deinit { remove() }

    /// The channels delivered so far, as they are now, in the order of the query.
    public var channels: [SBDGroupChannel] {
        let view = driver.view
        return cache.objects(of: view.version) {
            view.objects { SBDGroupChannel(kept: $0, askedAt: $1) }
        }
    }

    /// Whether `fetch(completionHandler:)` may find more.
    public var hasMore: Bool { driver.view.hasMore }

    /// Delivers the next channels to the delegate: at first those of the cache, then those of the
    /// server.
    public func fetch(completionHandler: ((SBDError?) -> Void)? = nil) {
        let done = Callback<RoostError?>(
            completionHandler.map { handler in { handler($0.map { SBDError($0) }) } })
        if let error = SBSMSyncManager.setupError {
            return done.post(error, through: SBSMSyncManager.onCompletionQueue)
        }
        SBDMain.door.start { [driver, feed] in
            await driver.load { result in
                var failure: RoostError?
                switch result {
                case .success(let page):
                    feed.post(.page(page), through: SBSMSyncManager.onDelegateQueue)
                case .failure(let error): failure = error.withSyncManagerCode
                }
                done.post(failure, through: SBSMSyncManager.onCompletionQueue)
            }
        }
    }

    /// Closes the collection; the delegate gets no more events.
    public func remove() {
        feed.close()
        SBDMain.door.start { [driver] in await driver.close() }
    }

    /// The receiver of the next call; nil once the collection is closed.
    private var receiver: (any SBSMChannelCollectionDelegate)? {
        feed.isOpen ? delegate : nil
    }

    private func notify(_ event: Event) {
        switch event {
        case .page(let page): notify(.insert, page.channels, page.moment)
        case .change(let event):
            let (updated, moment) = (event.change.updated.map(\.after), event.moment)
            notify(.remove, event.change.deleted, .first)
            notify(.insert, event.change.inserted, moment)
            notify(.move, updated.filter { event.moved.contains($0.url) }, moment)
            notify(.update, updated.filter { !event.moved.contains($0.url) }, moment)
        }
    }

    private func notify(
        _ action: SBSMChannelEventAction, _ channels: [GroupChannel],
        _ moment: KeptChannels.Moment
    ) {
        guard !channels.isEmpty else { return }
        receiver?.collection(
            self, didReceiveEvent: action,
            channels: channels.map { SBDGroupChannel(kept: $0, askedAt: moment) })
    }
}
