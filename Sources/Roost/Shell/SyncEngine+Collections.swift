// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore

// The open collections: their handles, and the app's calls on them.

extension SyncEngine {
    /// Opens a timeline; the messages on disk are shown at the return.
    func openTimeline(
        of channel: ChannelURL, startingAt start: Timestamp, filter: MessageFilter, capacity: Int,
        pageSize: Int
    ) async throws(RoostError) -> Timeline {
        if isClosed { throw RoostError(StoreError.closed) }
        lastCollection += 1
        let open = OpenTimeline(
            TimelineID(lastCollection), channel: channel, startingAt: start, filter: filter,
            capacity: capacity, pageSize: pageSize)
        let timeline = Timeline(open, engine: self)
        timelines[open.id] = WeakReference(timeline)
        receive(.openTimeline(open))
        try await run(.timelineOpening(TimelineOpening(open.id)))
        receive(.outbox(.opened(channel)))
        receive(.opened(open.id))
        return timeline
    }

    /// Opens a channel list; the channels on disk are shown at the return.
    func openList(_ query: ChannelListQuery) async throws(RoostError) -> ChannelList {
        if isClosed { throw RoostError(StoreError.closed) }
        lastCollection += 1
        let open = OpenList(ListID(lastCollection), query, viewer: me)
        let list = ChannelList(open, engine: self)
        lists[open.id] = WeakReference(list)
        receive(.openList(open))
        try await run(.listOpening(ListOpening(open.id)))
        return list
    }

    /// Compares a channel's cached messages with the server.
    func compare(_ channel: ChannelURL) async throws(RoostError) -> CacheComparison {
        guard case .comparison(let result) = try await run(.comparison(Comparison(channel))) else {
            throw .outOfStep
        }
        return CacheComparison(
            comparedMessages: result.compared, fetchedMessages: result.fetched,
            differingStretches: result.differing)
    }

    /// Runs an operation that ends with a number.
    func count(_ operation: Operation) async throws(RoostError) -> Int {
        guard case .count(let count) = try await run(operation) else { throw .outOfStep }
        return count
    }

    func close(_ timeline: Timeline) {
        timeline.feed.close(at: snapshot(of: timeline))
        timeline.refusals.close()
        forget(timeline.id)
    }

    func close(_ list: ChannelList) {
        list.feed.close(at: snapshot(of: list))
        forget(list.id)
    }

    func forget(_ id: TimelineID) {
        guard timelines.removeValue(forKey: id) != nil else { return }
        receive(.closeTimeline(id))
    }

    func forget(_ id: ListID) {
        guard lists.removeValue(forKey: id) != nil else { return }
        receive(.closeList(id))
    }

    // MARK: State

    func snapshot(of timeline: Timeline) -> Timeline.Snapshot {
        sync.timelines[timeline.id].map { Timeline.Snapshot($0) } ?? timeline.feed.last ?? .empty
    }

    func snapshot(of list: ChannelList) -> ChannelList.Snapshot {
        sync.lists[list.id].map { ChannelList.Snapshot($0) } ?? list.feed.last ?? .empty
    }

    func snapshots(of timeline: Timeline) -> AsyncStream<Timeline.Snapshot> {
        timeline.feed.snapshots(from: snapshot(of: timeline))
    }

    func snapshots(of list: ChannelList) -> AsyncStream<ChannelList.Snapshot> {
        list.feed.snapshots(from: snapshot(of: list))
    }

    func changes(of timeline: Timeline) -> AsyncStream<ListDiff<Message>> {
        timeline.feed.changes(of: timeline)
    }

    func changes(of list: ChannelList) -> AsyncStream<ListDiff<GroupChannel>> {
        list.feed.changes(of: list)
    }

    func serverFailure(of list: ListID) -> RoostError? { sync.lists[list]?.serverFailure }
    func hasServerPage(_ list: ListID) -> Bool { sync.lists[list]?.token != nil }

    /// Publishes a change to the readers of a timeline.
    func tell(_ diff: ListDiff<Message>, of id: TimelineID) {
        guard let timeline = timelines[id]?.object else { return }
        timeline.feed.publish({ snapshot(of: timeline) }, after: diff)
    }

    /// Publishes a change to the readers of a list.
    func tell(_ diff: ListDiff<GroupChannel>, of id: ListID) {
        guard let list = lists[id]?.object else { return }
        list.feed.publish({ snapshot(of: list) }, after: diff)
    }

    // MARK: Other processes

    /// Applies the commits of other processes to the collections, until the store closes.
    func hearOthers() async {
        let feed = await store.writer.missedCommits()
        // Ends with the feed.
        Task(executorPreference: executor) { [weak self] in
            for await _ in feed { await self?.missCommits() }
        }
    }

    private func missCommits() {
        receive(.missedCommits)
        finishIndex()
    }
}
