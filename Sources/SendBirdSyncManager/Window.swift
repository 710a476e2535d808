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
    private let lists = MessageLists<SBDBaseMessage>()
    private let state = Guarded(State())
    private let missed = MissedPages()
    /// The queue of the fetches, which are performed one after another.
    private let queue = WorkQueue()

    init(
        _ channel: ChannelURL, of account: UserID?, _ filter: MessageFilter, at viewpoint: Int64
    ) {
        self.viewpoint = viewpoint
        driver = TimelineDriver(
            SBDMain.door, of: account, channel: channel,
            startingAt: Timestamp(milliseconds: viewpoint), filter: filter,
            capacity: SBSMSyncManager.capacity
        ) { [feed] event in
            switch event {
            case .changed(let change):
                feed.post(.changed(change), through: SBSMSyncManager.onDelegateQueue)
            case .hugeGap: feed.post(.hugeGap, through: SBSMSyncManager.onDelegateQueue)
            }
        }
    }

    var messages: [Message] { driver.messages }

    /// Returns the objects of one group of the messages; they are made once after a change.
    func objects(_ group: MessageGroup) -> [SBDBaseMessage] {
        driver.objects(group, from: lists) { messages in
            messages.map { SBDBaseMessage.make($0) }
        }
    }

    /// Sets the receiver of the events.
    func attach(_ collection: SBSMMessageCollection) {
        feed.attach(collection, while: driver.isForPresentUser) { $0.notify($1) }
    }

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
        queue.add(on: SBDMain.door) { [self] in
            let shown = driver.messages
            await driver.load(.newest) { [feed] result in
                // On a failure the shown messages stay; the next connection reports the gap again.
                guard case .success(let page) = result else { return }
                self.missed.forget()
                feed.post(.cleared(shown), through: SBSMSyncManager.onDelegateQueue)
                feed.post(.inserted(page), through: SBSMSyncManager.onDelegateQueue)
            }
        }
    }

    private func load(
        _ direction: SBSMMessageDirection, then done: @escaping @Sendable (RoostError?) -> Void
    ) async {
        guard !state.withLock({ $0.isOpen }) else {
            return await loadPage(direction, then: done)
        }
        let deliver: TimelineDriver.Delivery = { [self] in self.deliver($0, then: done) }
        let hasNothing = Guarded(false)
        await driver.load(.opening) { [state] result in
            if case .success(let page) = result {
                state.withLock { $0.isOpen = true }
                if page.isEmpty { return hasNothing.withLock { $0 = true } }
            }
            deliver(result)
        }
        // If the disk has nothing, the server's answer is the first page.
        guard hasNothing.withLock({ $0 }) else { return }
        await driver.load(.serverAdditions) { [feed] result in
            if case .success(let page) = result, page.isEmpty {
                feed.post(.isEmpty, through: SBSMSyncManager.onDelegateQueue)
            }
            deliver(result)
        }
    }

    /// Fetches the page that follows in a direction; one without a connection is inserted later.
    private func loadPage(
        _ direction: SBSMMessageDirection, then done: @escaping @Sendable (RoostError?) -> Void
    ) async {
        await driver.load(.page(direction.driverDirection)) { [self] result in
            deliver(result, then: done)
            guard case .failure(let error) = result, error.remedy == .retry else {
                return missed.remove(direction)
            }
            missed.insert(direction) { [weak self] in self?.loadMissed() }
        }
    }

    /// Fetches the missed pages that the app has not fetched itself meanwhile.
    private func loadMissed() {
        for direction in [SBSMMessageDirection.previous, .next] {
            queue.add(on: SBDMain.door) { [self] in
                guard missed.contains(direction) else { return }
                await loadPage(direction) { _ in }
            }
        }
    }

    private func deliver(
        _ result: Result<[Message], RoostError>,
        then done: @escaping @Sendable (RoostError?) -> Void
    ) {
        switch result {
        case .success(let page):
            feed.post(.inserted(page), through: SBSMSyncManager.onDelegateQueue)
            done(nil)
        case .failure(let error): done(error.withSyncManagerCode)
        }
    }

    func close() {
        feed.close()
        missed.close()
        SBDMain.door.start { [driver] in await driver.close() }
    }
}

extension SBSMMessageDirection {
    fileprivate var driverDirection: TimelineDriver.Direction {
        self == .previous ? .older : .newer
    }
}
