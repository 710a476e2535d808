// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostModel
public import SendBirdSDK

/// What happened to channels of a collection.
public enum SBSMChannelEventAction: Int, Sendable {
    case none
    case insert
    case update
    case remove
    case move
    case clear
}

public protocol SBSMChannelCollectionDelegate: AnyObject {
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

/// The user's channels as a query wants them, kept in step with the server.
public final class SBSMChannelCollection: NSObject {
    public weak var delegate: (any SBSMChannelCollectionDelegate)?
    public let query: SBDGroupChannelListQuery

    private let feed = Feed<SBSMChannelCollection, News>()
    private let driver: ChannelListDriver

    private enum News: Sendable {
        case page([GroupChannel])
        case change(ChannelListDriver.News)
    }

    /// - Parameter query: What the list shows; without one there is no collection.
    public init?(query: SBDGroupChannelListQuery?) {
        guard let query else { return nil }
        self.query = query
        driver = ChannelListDriver(SBDMain.door, query.value) { [feed] news in
            feed.post(.change(news), through: SBSMSyncManager.onDelegateQueue)
        }
        super.init()
        feed.attach(self) { collection, news in collection.tell(news) }
    }

    deinit { remove() }

    public var hasMore: Bool { driver.view.hasMore }

    /// Brings the next channels to the delegate: at first what the cache has, then what the server has.
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
                case .failure(let error): failure = error
                }
                done.post(failure, through: SBSMSyncManager.onCompletionQueue)
            }
        }
    }

    /// Ends it; the delegate hears nothing more.
    public func remove() {
        feed.close()
        SBDMain.door.start { [driver] in await driver.close() }
    }

    private func tell(_ news: News) {
        switch news {
        case .page(let channels): tell(.insert, channels)
        case .change(let news):
            let updated = news.change.updated.map(\.after)
            tell(.remove, news.change.deleted)
            tell(.insert, news.change.inserted)
            tell(.move, updated.filter { news.moved.contains($0.url) })
            tell(.update, updated.filter { !news.moved.contains($0.url) })
        }
    }

    private func tell(_ action: SBSMChannelEventAction, _ channels: [GroupChannel]) {
        guard !channels.isEmpty else { return }
        delegate?.collection(
            self, didReceiveEvent: action, channels: channels.map { SBDGroupChannel($0) })
    }
}
