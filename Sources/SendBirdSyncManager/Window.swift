// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostExecutors
import RoostModel
import SendBirdSDK

/// The part of a message collection around one viewpoint; a new viewpoint makes a new window.
final class Window: Sendable {
    private struct State {
        var underWay: Set<SBSMMessageDirection> = []
        var isOpen = false
    }

    let viewpoint: Int64
    /// The events for the delegate; it ends at once with the window, so no event of a closed window
    /// is delivered.
    let feed = Feed<SBSMMessageCollection, SBSMMessageCollection.Event>()
    private let driver: TimelineDriver
    private let state = Guarded(State())
    /// The queue of the fetches, which are performed one after another.
    private let queue = WorkQueue()

    init(_ channel: ChannelURL, _ filter: MessageFilter, at viewpoint: Int64) {
        self.viewpoint = viewpoint
        driver = TimelineDriver(
            SBDMain.door, channel: channel, startingAt: Timestamp(milliseconds: viewpoint),
            filter: filter, capacity: SBSMSyncManager.capacity
        ) { [feed] event in
            switch event {
            case .changed(let change):
                feed.post(.changed(change), through: SBSMSyncManager.onDelegateQueue)
            case .hugeGap: feed.post(.hugeGap, through: SBSMSyncManager.onDelegateQueue)
            }
        }
    }

    var messages: [Message] { driver.view.messages }

    /// Fetches a page; the first one is around the viewpoint, in whichever direction it was
    /// requested.
    func fetch(
        _ direction: SBSMMessageDirection,
        then done: @escaping @Sendable (_ hasMore: Bool, RoostError?) -> Void
    ) {
        if let error = SBSMSyncManager.setupError { return done(true, error) }
        guard state.withLock({ $0.underWay.insert(direction).inserted }) else {
            return done(
                true,
                RoostError(
                    RoostError.Code(SBSMErrorCode.duplicatedFetch.rawValue), remedy: .retry,
                    message: "A page in this direction is on its way already."))
        }
        queue.add(on: SBDMain.door) { [self] in
            await load(direction) { error in
                _ = self.state.withLock { $0.underWay.remove(direction) }
                let view = self.driver.view
                done(direction == .previous ? view.hasOlder : view.hasNewer, error)
            }
        }
    }

    /// Replaces the shown messages with the newest ones, because too many are missing between them.
    func showNewest() {
        queue.add(on: SBDMain.door) { [driver, feed] in
            let shown = driver.view.messages
            await driver.load(.newest) { result in
                // On a failure the shown messages stay; the next connection reports the gap again.
                guard case .success(let page) = result else { return }
                feed.post(.cleared(shown), through: SBSMSyncManager.onDelegateQueue)
                feed.post(.inserted(page), through: SBSMSyncManager.onDelegateQueue)
            }
        }
    }

    private func load(
        _ direction: SBSMMessageDirection, then done: @escaping @Sendable (RoostError?) -> Void
    ) async {
        let deliver: TimelineDriver.Delivery = { [feed] result in
            switch result {
            case .success(let page):
                feed.post(.inserted(page), through: SBSMSyncManager.onDelegateQueue)
                done(nil)
            case .failure(let error): done(error.withSyncManagerCode)
            }
        }
        guard !state.withLock({ $0.isOpen }) else {
            return await driver.load(.page(direction.driverDirection), then: deliver)
        }
        let hasNothing = Guarded(false)
        await driver.load(.opening) { [state] result in
            if case .success(let page) = result {
                state.withLock { $0.isOpen = true }
                if page.isEmpty { return hasNothing.withLock { $0 = true } }
            }
            deliver(result)
        }
        // If the disk has nothing, the server's answer is the first page.
        if hasNothing.withLock({ $0 }) { await driver.load(.serverAdditions, then: deliver) }
    }

    func close() {
        feed.close()
        SBDMain.door.start { [driver] in await driver.close() }
    }
}

extension SBSMMessageDirection {
    fileprivate var driverDirection: TimelineDriver.Direction {
        self == .previous ? .older : .newer
    }
}

extension RoostError {
    /// The error with the sync manager's own code for failures of the database.
    fileprivate var withSyncManagerCode: RoostError {
        guard code == .localDatabaseError else { return self }
        return RoostError(
            RoostError.Code(SBSMErrorCode.databaseError.rawValue), remedy: remedy,
            message: message)
    }
}
