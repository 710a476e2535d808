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

    let id: ListID
    let feed = CollectionFeed<Snapshot, GroupChannel>()
    private let engine: SyncEngine

    init(_ open: OpenList, engine: SyncEngine) {
        id = open.id
        query = open.query
        self.engine = engine
    }

    deinit {
        // A list that the app releases without closing it is no longer kept up to date.
        Task(executorPreference: engine.executor) { [weak engine, id] in await engine?.forget(id) }
    }

    /// The present state.
    public var snapshot: Snapshot { get async { await engine.snapshot(of: self) } }

    /// Returns a stream of the present state and all later ones; a slow reader misses some but gets
    /// the last.
    public func snapshots() async -> AsyncStream<Snapshot> { await engine.snapshots(of: self) }

    /// Returns a stream of all later changes without losses; changes are joined for a slow reader.
    public func changes() async -> AsyncStream<ListDiff<GroupChannel>> {
        await engine.changes(of: self)
    }

    /// Adds up to a page of channels, from the server if it is connected and otherwise from disk.
    ///
    /// - Returns: The number of channels added.
    /// - Throws: `.queryInProgress` while another page is loading; a network error if the server
    ///   does not answer. Channels on disk are shown in that case too.
    @discardableResult
    public func loadMore() async throws(RoostError) -> Int {
        try await engine.count(.listPaging(ListPaging(id)))
    }

    /// The reason why the server's first page is missing; nil if it is present or not yet
    /// requested.
    package var serverFailure: RoostError? { get async { await engine.serverFailure(of: id) } }

    /// Whether the server's first page has arrived, or all channels are on disk.
    package var hasServerPage: Bool { get async { await engine.hasServerPage(id) } }

    /// Closes the list: the streams end and later calls throw `.collectionDisposed`.
    public func close() async { await engine.close(self) }
}

extension ChannelList.Snapshot {
    init(_ open: OpenList) { self.init(channels: open.list.channels, hasMore: open.list.hasMore) }

    static var empty: Self { Self(channels: [], hasMore: true) }
}
