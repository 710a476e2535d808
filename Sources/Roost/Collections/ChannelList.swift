// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel

/// The user's channels in order, as on the server, shown from disk first.
///
/// Close it when it is off screen.
public actor ChannelList {
    /// The state of a list at one moment.
    public struct Snapshot: Hashable, Sendable {
        /// The channels, in the order of the query.
        public let channels: [GroupChannel]
        /// Whether `loadMore()` may find more.
        public let hasMore: Bool
    }

    /// The selection, order and size of a page.
    public nonisolated let query: ChannelListQuery

    nonisolated let executor: any WorldExecutor
    /// The client's executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as it does.
        unsafe executor.asUnownedSerialExecutor()
    }

    private let engine: SyncEngine
    private var machine: ChannelListMachine
    private var observers = Observers<Snapshot, GroupChannel>()
    /// How many channels are shown, as far as there are so many.
    private var wanted: Int
    /// Where the server's list goes on; nil before its first page, "" at its end.
    private var token: String?
    private var walk = PageWalk<String, ChannelURL>(from: nil)
    /// Why the server's first page is not there; nil once it is, and before the server is asked.
    package private(set) var serverFailure: RoostError?
    /// Whether the server has given the first page, or the disk holds all channels.
    package var hasServerPage: Bool { token != nil }
    private var isClosed = false
    private var isPaging = false
    private var publishedHasMore: Bool?
    /// One read at a time; commits that come during it wait, because the read may contain them.
    private var reading = Turnstile()
    private var backlog = Backlog()

    init(query: ChannelListQuery, engine: SyncEngine, executor: any WorldExecutor) {
        self.query = query
        self.engine = engine
        self.executor = executor
        wanted = query.pageSize
        machine = ChannelListMachine(
            order: query.order, filter: query.filter, viewer: engine.configuration.userID)
    }

    /// The present state.
    public var snapshot: Snapshot {
        Snapshot(channels: machine.channels, hasMore: machine.hasMore)
    }

    /// Returns a stream of the present state and all later ones; a slow reader misses some but gets
    /// the last.
    public func snapshots() -> AsyncStream<Snapshot> { observers.watchSnapshots(from: snapshot) }

    /// Returns a stream of all later changes without losses; changes are joined for a slow reader.
    public func changes() -> AsyncStream<ListDiff<GroupChannel>> {
        changes(in: observers.openMailbox())
    }

    /// Adds up to a page of channels, from the server if it is connected and otherwise from disk.
    ///
    /// - Returns: The number of channels added.
    /// - Throws: `.queryInProgress` while another page is loading; a network error if the server
    ///   does not answer. Channels on disk are shown in that case too.
    @discardableResult
    public func loadMore() async throws(RoostError) -> Int {
        guard !isClosed else {
            throw RoostError(
                .collectionDisposed, remedy: .none, message: "This channel list has been closed.")
        }
        guard !isPaging else {
            throw RoostError(
                .queryInProgress, remedy: .retry,
                message: "A page of this channel list is being loaded already.")
        }
        isPaging = true
        defer { isPaging = false }
        let before = machine.channels.count
        // Channels that came live may have made it longer than its pages.
        if before >= wanted { wanted = before + query.pageSize }
        do {
            try await loadServerPage()
        } catch {
            try await reread(from: .disk)
            throw error
        }
        try await reread(from: .page)
        return max(0, machine.channels.count - before)
    }

    /// Closes the list: the streams end and later calls throw `.collectionDisposed`.
    public func close() async {
        guard !isClosed else { return }
        isClosed = true
        observers.close()
        await engine.remove(self)
    }
}

// MARK: - What the engine calls

extension ChannelList {
    /// Shows what the disk has.
    func open() async throws(RoostError) { try await reread(from: .disk) }

    /// Takes one commit; they come in order.
    func receive(_ commit: Commit, from origin: ChangeOrigin) async {
        guard !isClosed else { return }
        guard !reading.isTaken else { return backlog.wait(with: commit, from: origin) }
        apply(commit, from: origin)
        guard machine.isBehind else { return }
        await engine.reread(self)
    }

    /// Commits were made of which nothing but that is known.
    func missCommits() async {
        guard !isClosed else { return }
        machine.missCommits()
        backlog.note(.otherProcess)
        await engine.reread(self)
    }

    /// All that was known is forgotten.
    func beginAnew() async {
        token = nil
        walk = PageWalk(from: nil)
        backlog.note(.upkeep)
        await engine.reread(self)
    }

    /// The connection is up: the first page, unless the server has given it before.
    func synchronize() async throws(RoostError) {
        guard token == nil, !isClosed else { return }
        try await loadServerPage()
        try await reread(from: .page)
    }

    /// Takes what a catch-up of the channels came to, nil for success.
    func endCatchUp(_ error: RoostError?) {
        // A page that was shown before stands, whatever is refused later.
        serverFailure = token == nil ? error : nil
    }
}

extension ChannelList: ChangeSource {
    func nextChange(in mailbox: Int) async -> ListDiff<GroupChannel>? {
        await withCheckedContinuation { observers.take(mailbox, $0) }
    }

    func closeMailbox(_ id: Int) { observers.closeMailbox(id) }
}

// MARK: - The window

extension ChannelList {
    private func loadServerPage() async throws(RoostError) {
        guard token != "", await engine.isOnline else { return }
        // The disk holds them all.
        if try await engine.isChannelListWhole {
            token = ""
            return
        }
        let page = try await engine.loadChannels(query, token: token)
        // A server that gives pages without end and without channels is not asked by every scroll.
        guard page.next.isEmpty || walk.goesOn(to: page.next, after: page.channels) else {
            walk = PageWalk(from: token)
            throw .stalled
        }
        token = page.next
    }

    /// Reads the list again, and shows what is different.
    func reread() async throws(RoostError) { try await reread(from: nil) }

    private func reread(from origin: ChangeOrigin?) async throws(RoostError) {
        await withCheckedContinuation { reading.enter($0) }
        let outcome: Result<CachedChannels, RoostError>
        do {
            outcome = .success(
                // What is shown stays, however it came (scar 92).
                try await engine.readChannels(query, limit: max(wanted, machine.channels.count)))
        } catch {
            outcome = .failure(error)
        }
        if case .success(let page) = outcome {
            if backlog.lacks(page.sequence, showing: machine.sequence) {
                await engine.deliverCommits()
            }
            let origins = backlog.origins(
                of: origin, through: page.sequence, \.concernsChannels)
            let serverHasMore = !page.isWhole && token.map { !$0.isEmpty } ?? true
            publish(
                machine.replace(
                    with: page.channels, hasMore: page.hasMore || serverHasMore,
                    sequence: page.sequence),
                from: origins)
        }
        for (commit, origin) in backlog.takeCommits() { apply(commit, from: origin) }
        reading.leave()
        if case .success = outcome, machine.isBehind { await engine.reread(self) }
        _ = try outcome.get()
    }

    private func apply(_ commit: Commit, from origin: ChangeOrigin) {
        publish(machine.apply(commit), from: [origin])
        if machine.isBehind { backlog.note(origin) }
    }

    private func publish(_ diff: ListDiff<GroupChannel>, from origins: Set<ChangeOrigin>) {
        guard !isClosed, !diff.isEmpty || machine.hasMore != publishedHasMore else { return }
        publishedHasMore = machine.hasMore
        observers.publish(snapshot, after: diff.told(from: origins))
    }
}

/// What the cache holds of a channel list, as of one commit.
struct CachedChannels: Sendable {
    let channels: [GroupChannel]
    let hasMore: Bool
    /// Whether the disk holds all of the user's channels.
    let isWhole: Bool
    let sequence: Int64
}
