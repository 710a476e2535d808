// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel

/// The user's channels in order, as on the server, shown from disk first.
///
/// Close it when it is off screen.
public final class ChannelList: Sendable {
    /// The state of a list at one moment.
    public struct Snapshot: Hashable, Sendable {
        /// The channels, in the order of the query.
        public let channels: [GroupChannel]
        /// Whether `loadMore()` may find more.
        public let hasMore: Bool
    }

    /// The selection, order and size of a page.
    public let query: ChannelListQuery

    private let id: ListID
    private let feed = ListFeed()
    private let engine: SyncEngine

    init(_ open: OpenList, engine: SyncEngine) {
        id = open.id
        query = open.query
        self.engine = engine
        engine.performers.notices.add(feed, as: id)
    }

    // A list that the app releases without closing it is no longer kept up to date.
    deinit {
        if engine.performers.notices.remove(id) { engine.feed.send(.closeList(id)) }
    }

    /// The current state.
    public var snapshot: Snapshot {
        get async { await engine.read { [id, feed] state in state.snapshot(of: id, feed) } }
    }

    /// Returns a stream of the current state and all later ones; a slow reader misses some but gets
    /// the last.
    ///
    /// Two states in a row may be equal, because a change may concern nothing that the list has.
    public func snapshots() async -> AsyncStream<Snapshot> {
        await engine.read { [id, feed] state in feed.snapshots(from: state.snapshot(of: id, feed)) }
    }

    /// Returns a stream of all later changes without losses; changes are joined for a slow reader.
    public func changes() async -> AsyncStream<ListDiff<GroupChannel>> {
        await engine.read { _ in self.feed.changes(of: self) }
    }

    /// Adds up to a page of channels, from the server if it is connected and otherwise from disk.
    ///
    /// - Returns: The number of channels added.
    /// - Throws: `.queryInProgress` while another page is loading; a network error if the server
    ///   does not answer. Channels on disk are shown in that case too.
    @discardableResult
    public func loadMore() async throws(RoostError) -> Int {
        try await engine.run(.listPaging(ListPaging(id)), \.count)
    }

    /// Waits until the server's first page is shown, or could not be fetched.
    ///
    /// The call returns within eight seconds.
    ///
    /// - Throws: A network error without a connection, or if the server does not answer in time.
    package func reachServer() async throws(RoostError) {
        try await engine.run(.inTime(InTime(.listArrival(ListArrival(id)))))
    }

    /// The reason why the server's first page is missing; nil if it is present or not yet
    /// requested.
    package var serverFailure: RoostError? {
        get async { await engine.read { [id] in $0.lists[id]?.serverFailure } }
    }

    /// Whether the server's first page has arrived, or all channels are on disk.
    package var hasServerPage: Bool {
        get async { await engine.read { [id] in $0.lists[id]?.token != nil } }
    }

    /// Closes the list: the streams end and later calls throw `.collectionDisposed`.
    public func close() async {
        guard engine.performers.notices.remove(id) else { return }
        await engine.read { [id, feed] state in feed.close(at: state.snapshot(of: id, feed)) }
        await engine.receive(.closeList(id))
    }
}

/// The readers of one channel list.
typealias ListFeed = CollectionFeed<ChannelList.Snapshot, GroupChannel>

extension SyncState {
    /// Returns the current state of a list, or the last one of a closed list.
    func snapshot(of id: ListID, _ feed: ListFeed) -> ChannelList.Snapshot {
        lists[id].map { ChannelList.Snapshot($0) } ?? feed.last ?? .empty
    }
}

extension ChannelList.Snapshot {
    fileprivate init(_ open: OpenList) {
        self.init(channels: open.list.channels, hasMore: open.list.hasMore)
    }

    fileprivate static var empty: Self { Self(channels: [], hasMore: true) }
}
