// SPDX-License-Identifier: Apache-2.0

package import Roost
import RoostExecutors
package import RoostModel

/// The channel list behind a collection object with handlers and a delegate.
package actor ChannelListDriver {
    /// A change of a list.
    package struct Event: Sendable {
        package let change: ListDiff<GroupChannel>
        /// The updated channels that have moved.
        package let moved: Set<ChannelURL>
        /// The user whose list it is.
        package let viewer: UserID
        /// The moment of the values after the change.
        package let moment: KeptChannels.Moment
    }

    /// The channels that a call adds.
    package struct Page: Sendable {
        package let channels: [GroupChannel]
        /// The moment before these values were read.
        package let moment: KeptChannels.Moment
    }

    /// The state that the app may read at any time, on any thread.
    package struct View: Sendable {
        private var list: SortedChannels { didSet { version += 1 } }
        /// The moments of the values of the channels.
        private var moments: [ChannelURL: KeptChannels.Moment] = [:]
        package fileprivate(set) var hasMore = true
        /// The number of changes of the channels so far.
        package private(set) var version = 0

        fileprivate init(_ order: ChannelOrder) { list = SortedChannels(order) }

        /// Returns an object of each channel, made of its value and the moment of the value.
        package func objects<Object>(
            _ make: (GroupChannel, KeptChannels.Moment) -> Object
        ) -> [Object] {
            list.channels.map { make($0, moments[$0.url] ?? .first) }
        }

        fileprivate mutating func insert(
            _ page: [GroupChannel], at moment: KeptChannels.Moment
        ) {
            list.insert(page)
            for channel in page { moments[channel.url] = moment }
        }

        fileprivate mutating func apply(
            _ change: ListDiff<GroupChannel>, at moment: KeptChannels.Moment
        ) -> Set<ChannelURL> {
            for channel in change.deleted { moments[channel.url] = nil }
            for channel in change.present { moments[channel.url] = moment }
            return list.apply(change)
        }
    }

    /// An open list and the user whose list it is.
    private struct Opened: Sendable {
        let list: ChannelList
        let viewer: UserID
    }

    private nonisolated let executor: any WorldExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as the actor.
        unsafe executor.asUnownedSerialExecutor()
    }

    private let door: Door
    /// The user at the creation; nil if none had logged in.
    private let account: UserID?
    private let query: ChannelListQuery
    /// The queue of the app for the pages and changes.
    private let queue: CallbackQueue
    /// The receiver of changes; nil for a list of pages without any.
    private let notify: (@Sendable (Event) -> Void)?
    private let shared: Guarded<View>

    private var opened: Opened?
    private var opening: Task<Result<Opened, RoostError>, Never>?
    private var mirror = Mirror<GroupChannel>()
    /// Whether the first page was delivered; events follow it.
    private var hasBegun = false
    private var isLoading = false
    private var backlog: [ListDiff<GroupChannel>] = []
    private var isClosed = false

    /// Creates a driver; without a receiver of changes each channel comes with a page, once.
    ///
    /// The objects that the app keeps of channels show a page or a change before the app gets it,
    /// and also if the app has no handler or delegate for it. They change on `queue`, the queue of
    /// the app for pages and changes; nil stands for the door's.
    package init(
        _ door: Door, _ query: ChannelListQuery, on queue: CallbackQueue? = nil,
        notify: (@Sendable (Event) -> Void)? = nil
    ) {
        self.door = door
        account = door.account
        executor = door.world.executor
        self.query = query
        self.queue = queue ?? CallbackQueue { [door] work in door.queue.async(work) }
        self.notify = notify
        shared = Guarded(View(query.order))
    }

    package nonisolated var view: View { shared.withLock { $0 } }

    /// Whether the user at the creation is still the present one.
    package nonisolated var isForPresentUser: @Sendable () -> Bool { door.isPresent(account) }

    /// Opens the list; the disk and the server are read before the app asks for a page (R90).
    package func open() async throws(RoostError) -> ChannelList {
        guard !isClosed else { throw .disposed }
        if let opening { return try await opening.value.get().list }
        let opening = Task(executorPreference: executor) { [door, query, account] in
            do throws(RoostError) {
                let client = try await door.client(of: account)
                let list = try await client.channelList(query)
                return Result<Opened, RoostError>.success(
                    Opened(list: list, viewer: client.configuration.userID))
            } catch {
                return .failure(error)
            }
        }
        self.opening = opening
        let opened: Opened
        do throws(RoostError) {
            opened = try await opening.value.get()
        } catch {
            self.opening = nil
            throw error
        }
        let list = opened.list
        guard !isClosed else {
            await list.close()
            throw .disposed
        }
        guard self.opened == nil else { return list }
        self.opened = opened
        // A list of pages delivers a change with the next page.
        guard notify != nil else { return list }
        let changes = await list.changes()
        let snapshots = await list.snapshots()
        // Both tasks end with the list.
        Task(executorPreference: executor) { [weak self] in
            for await change in changes { await self?.take(change) }
        }
        Task(executorPreference: executor) { [weak self] in
            for await snapshot in snapshots { await self?.note(hasMore: snapshot.hasMore) }
        }
        return list
    }

    /// Loads another page and delivers the channels that were not shown before.
    ///
    /// The first page is that of the disk, if it has any. A later page is that of the disk too if
    /// the server fails to answer; the outcome is an error only if the disk has no more. Later
    /// changes of its channels are events. A driver without a receiver of events waits for the
    /// server's first page while connected.
    package func load(
        then deliver: @Sendable (Result<Page, RoostError>) -> Void
    ) async {
        guard !isLoading else { return deliver(.failure(.underWay)) }
        isLoading = true
        do throws(RoostError) {
            deliver(.success(try await loadPage()))
        } catch {
            deliver(.failure(door.reason(error, of: account)))
        }
        release()
    }

    private func loadPage() async throws(RoostError) -> Page {
        let list = try await open()
        // No change follows the first page. Without an answer it is that of the disk.
        if notify == nil, !hasBegun { try? await list.reachServer() }
        do throws(RoostError) {
            let isShown = !(await list.snapshot.channels.isEmpty) && !hasBegun
            hasBegun = true
            if !isShown { try await list.loadMore() }
        } catch {
            // The list has read the next channels from disk, and no event would deliver them later.
            let part = await absorb(list)
            guard part.channels.isEmpty else { return part }
            throw error
        }
        return await absorb(list)
    }

    /// Closes the list; no more events are delivered.
    package func close() async {
        isClosed = true
        await opened?.list.close()
    }

    private func absorb(_ list: ChannelList) async -> Page {
        // News that comes during the reading is newer than the snapshot.
        let moment = KeptChannels.Moment.next()
        let snapshot = await list.snapshot
        let unseen = mirror.absorb(snapshot.channels)
        shared.withLock { view in
            view.insert(unseen, at: moment)
            view.hasMore = snapshot.hasMore
        }
        showInKeptObjects(unseen, at: moment)
        return Page(channels: unseen, moment: moment)
    }

    private func release() {
        isLoading = false
        // At once: the page may contain all of them, and no older state of a channel may follow.
        deliver(backlog)
        backlog = []
    }

    private func take(_ change: ListDiff<GroupChannel>) {
        // Before the first page the app shows nothing that could change.
        guard !isClosed, hasBegun else { return }
        guard !isLoading else { return backlog.append(change) }
        deliver([change])
    }

    private func deliver(_ changes: [ListDiff<GroupChannel>]) {
        guard !isClosed, !changes.isEmpty, let viewer = opened?.viewer else { return }
        let unseen = mirror.apply(changes).filter { !$0.isEmpty }
        let events = shared.withLock { view in
            unseen.map { change in
                let moment = KeptChannels.Moment.next()
                return Event(
                    change: change, moved: view.apply(change, at: moment), viewer: viewer,
                    moment: moment)
            }
        }
        for event in events {
            let change = event.change
            showInKeptObjects(change.present + change.removed, at: event.moment)
            notify?(event)
            let unknown = change.deleted.filter { change.counterpart(of: $0) == nil }
            door.showKept(unknown.map(\.url), for: account, on: queue)
        }
    }

    /// Shows channels in the objects that the app keeps of them.
    private func showInKeptObjects(
        _ channels: [GroupChannel], at moment: KeptChannels.Moment
    ) {
        guard !channels.isEmpty else { return }
        queue.async { [kept = door.kept, isForPresentUser] in
            guard isForPresentUser() else { return }
            for channel in channels { kept.show(channel, isOpen: false, askedAt: moment) }
        }
    }

    private func note(hasMore: Bool) {
        // Before the first page there is one in any case.
        if hasBegun { shared.withLock { $0.hasMore = hasMore } }
    }
}

extension ListDiff {
    /// The new and the changed elements, as they are now.
    package var present: [Element] { inserted + updated.map(\.after) }

    /// The removed elements as they are outside the list, such as hidden channels, as far as the
    /// step knows it.
    fileprivate var removed: [Element] {
        deleted.compactMap { element in
            // An element that gave way to another one has not changed.
            counterpart(of: element).flatMap { $0 == element ? nil : $0 }
        }
    }
}

extension ChannelListQuery {
    /// Returns a query for one channel, hidden or not.
    package static func only(_ url: ChannelURL) -> ChannelListQuery {
        ChannelListQuery(.only([url]))
    }
}

extension ChannelFilter {
    /// Returns a filter for some channels, hidden or not.
    package static func only(_ urls: Set<ChannelURL>) -> ChannelFilter {
        var filter = ChannelFilter()
        filter.urls = urls
        filter.hidden = .all
        return filter
    }
}
