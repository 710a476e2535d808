// SPDX-License-Identifier: Apache-2.0

package import Roost
import RoostExecutors
package import RoostModel

/// The channel list behind a collection object with handlers and a delegate.
package actor ChannelListDriver {
    /// The changes of a list, and the updated channels whose place has changed.
    package struct Event: Sendable {
        package let change: ListDiff<GroupChannel>
        package let moved: Set<ChannelURL>
    }

    /// The state that the app may read at any time, on any thread.
    package struct View: Sendable {
        package var channels: [GroupChannel] = []
        package var hasMore = true
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
    /// The receiver of changes; nil for a list of pages without any.
    private let notify: (@Sendable (Event) -> Void)?
    private let shared = Guarded(View())

    private var list: ChannelList?
    private var opening: Task<Result<ChannelList, RoostError>, Never>?
    private var mirror = Mirror<GroupChannel>()
    /// Whether the first page was delivered; events follow it.
    private var hasBegun = false
    private var isLoading = false
    private var backlog: [ListDiff<GroupChannel>] = []
    private var isClosed = false

    /// Creates a driver; without a receiver of changes each channel comes with a page, once.
    package init(
        _ door: Door, _ query: ChannelListQuery, notify: (@Sendable (Event) -> Void)? = nil
    ) {
        self.door = door
        account = door.account
        executor = door.world.executor
        self.query = query
        self.notify = notify
    }

    package nonisolated var view: View { shared.withLock { $0 } }

    /// Whether the user at the creation is still the present one.
    package nonisolated var isForPresentUser: @Sendable () -> Bool { door.isPresent(account) }

    /// Opens the list; the disk and the server are read before the app asks for a page (R90).
    package func open() async throws(RoostError) -> ChannelList {
        guard !isClosed else { throw .disposed }
        if let opening { return try await opening.value.get() }
        let opening = Task(executorPreference: executor) { [door, query, account] in
            do throws(RoostError) {
                return Result<ChannelList, RoostError>.success(
                    try await door.client(of: account).channelList(query))
            } catch {
                return .failure(error)
            }
        }
        self.opening = opening
        let list: ChannelList
        do throws(RoostError) {
            list = try await opening.value.get()
        } catch {
            self.opening = nil
            throw error
        }
        guard !isClosed else {
            await list.close()
            throw .disposed
        }
        guard self.list == nil else { return list }
        self.list = list
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
        then deliver: @Sendable (Result<[GroupChannel], RoostError>) -> Void
    ) async {
        guard !isLoading else { return deliver(.failure(.underWay)) }
        isLoading = true
        do throws(RoostError) {
            deliver(.success(try await loadPage()))
        } catch {
            deliver(.failure(error))
        }
        release()
    }

    private func loadPage() async throws(RoostError) -> [GroupChannel] {
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
            guard part.isEmpty else { return part }
            throw error
        }
        return await absorb(list)
    }

    /// Closes the list; no more events are delivered.
    package func close() async {
        isClosed = true
        await list?.close()
    }

    private func absorb(_ list: ChannelList) async -> [GroupChannel] {
        let snapshot = await list.snapshot
        let unseen = mirror.absorb(snapshot.channels)
        publish(hasMore: snapshot.hasMore)
        return unseen
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
        guard !isClosed, !changes.isEmpty else { return }
        let before = view.channels
        let unseen = mirror.apply(changes)
        publish(hasMore: nil)
        let moved = Self.moved(unseen, from: before, to: view.channels)
        for change in unseen where !change.isEmpty {
            let updated = Set(change.updated.map(\.after.url))
            notify?(Event(change: change, moved: moved.intersection(updated)))
        }
    }

    private func note(hasMore: Bool) {
        // Before the first page there is one in any case.
        if hasBegun { shared.withLock { $0.hasMore = hasMore } }
    }

    private func publish(hasMore: Bool?) {
        let order = query.order
        let channels = mirror.all.map { (key: order.key(of: $0), channel: $0) }
            .sorted { $0.key < $1.key }.map(\.channel)
        shared.withLock { view in
            view.channels = channels
            if let hasMore { view.hasMore = hasMore }
        }
    }

    /// Returns the changed channels whose neighbours differ, channels added and removed left aside.
    private static func moved(
        _ steps: [ListDiff<GroupChannel>], from before: [GroupChannel], to after: [GroupChannel]
    ) -> Set<ChannelURL> {
        guard steps.contains(where: { !$0.updated.isEmpty }) else { return [] }
        func places(_ list: [GroupChannel], without others: [GroupChannel]) -> [ChannelURL: Int] {
            let gone = Set(others.map(\.url))
            let stay = list.map(\.url).filter { !gone.contains($0) }
            return Dictionary(
                zip(stay, stay.indices).map { ($0, $1) }, uniquingKeysWith: { first, _ in first })
        }
        let old = places(before, without: steps.flatMap(\.deleted))
        let new = places(after, without: steps.flatMap(\.inserted))
        let updated = steps.flatMap(\.updated).map(\.after.url)
        return Set(updated.filter { old[$0] != new[$0] })
    }
}

extension ChannelListQuery {
    /// Returns a query for one channel, hidden or not.
    package static func only(_ url: ChannelURL) -> ChannelListQuery {
        var filter = ChannelFilter()
        filter.urls = [url]
        filter.hidden = .all
        return ChannelListQuery(filter)
    }
}
