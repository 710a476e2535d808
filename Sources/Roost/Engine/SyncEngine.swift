// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel
import RoostStore
import RoostTransport
import RoostWire

/// Brings what the server says into the store, and what the store says into the open collections.
///
/// Nothing reaches a collection but through a committed transaction (`docs/ARCHITECTURE.md`).
actor SyncEngine {
    nonisolated let executor: any WorldExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as it does.
        unsafe executor.asUnownedSerialExecutor()
    }

    let world: World
    let configuration: Configuration
    let store: Store
    let api: ServerAPI
    /// The last inputs of the machine, for a report.
    nonisolated let recording = Guarded(Recording())
    var socket: (any Socket)?
    /// Reads the present socket; canceled when the machine closes it.
    var socketReader: Task<Void, Never>?
    var token: String?
    nonisolated let outboxObservers = OutboxObservers()
    /// The uploads under way, by their messages.
    var uploads: [RequestID: Task<Void, Never>] = [:]
    /// The client's decisions.
    var machine: SyncMachine
    var lastOperation = 0
    /// The callers that wait for an operation.
    var operationWaiters: [SyncMachine.OperationID: CheckedContinuation<Outcome, Never>] = [:]
    var operationPauses: [SyncMachine.OperationID: (number: Int, task: Task<Void, Never>)] = [:]
    var lastPause = 0
    var limitTimers = Timers<SyncMachine.OperationID>()
    private var stateObservers: [AsyncStream<ConnectionState>.Continuation] = []
    /// Downloads that wait for a connection; false when none will come.
    var connectionWaiters: [CheckedContinuation<Bool, Never>] = []

    var timelines: [TimelineID: WeakReference<Timeline>] = [:]
    var lists: [ListID: WeakReference<ChannelList>] = [:]
    var lastCollection = 0
    /// Those that a close would otherwise leave paused for ever.
    private var downloads: [WeakReference<HistoryDownload>] = []

    /// Pieces of work that `waitUntilIdle` waits for.
    var underWay = 0
    var idleWaiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastIdleWaiter = 0
    var idleTimers = Timers<Int>()
    var eventReaders = Mailboxes<ChatEvent>()
    var timers = Timers<MachineTimer>()
    /// The trims under way, by their operation.
    var trims: [SyncMachine.OperationID: Trim] = [:]
    /// Whether words are being put into the index.
    var isIndexing = false
    /// The client is closing: nothing is waited for any more.
    private(set) var isClosed = false

    init(
        world: World, configuration: Configuration, store: Store, api: ServerAPI
    ) {
        self.world = world
        self.executor = world.executor
        self.configuration = configuration
        self.store = store
        self.api = api
        token = configuration.token
        let entropy = world.entropy
        machine = SyncMachine(
            SyncState(
                me: configuration.userID,
                random: SeededRandom(entropy(), entropy(), entropy(), entropy())))
    }

    /// The state that the machine's operations share.
    var sync: SyncState { machine.state }
    /// The present connection; nil without one.
    var session: Session? { sync.session }

    var me: UserID { configuration.userID }
    var isOnline: Bool { session != nil }

    /// One of the cache's readers; the engine asks in turn, so one is enough for it.
    var reader: StoreReader { store.readers[0] }

    // MARK: Connection

    /// Asks for a connection, and returns with the first outcome.
    func connect() async throws(RoostError) {
        // Nothing would be left to give the connection up again.
        if isClosed { throw RoostError(StoreError.closed) }
        try await run(.connecting(Connecting()))
    }

    var connectionState: ConnectionState {
        ConnectionState(sync.link.state, lastFailure: sync.link.lastFailure)
    }

    func connectionStates() -> AsyncStream<ConnectionState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConnectionState.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(connectionState)
        if isClosed { continuation.finish() } else { stateObservers.append(continuation) }
        return stream
    }

    func publish(_ state: ConnectionState) {
        stateObservers.removeAll { observer in
            if case .terminated = observer.yield(state) { true } else { false }
        }
    }

    /// Closes every collection and ends every stream and every wait; the client closes.
    ///
    /// What is asked for from here on must end by itself: nobody comes to end it.
    func finishObservers() async {
        for observer in stateObservers { observer.finish() }
        stateObservers = []
        isClosed = true
        resumeDownloads(isOnline: false)
        eventReaders.closeAll()
        endIdleWaits()
        for download in downloads.compactMap(\.object) { await download.cancel() }
        for timeline in timelines.values.compactMap(\.object) { close(timeline) }
        for list in lists.values.compactMap(\.object) { close(list) }
    }

    /// Ends a download with the client.
    func adopt(_ download: HistoryDownload) async {
        if isClosed { return await download.cancel() }
        downloads.removeAll { $0.object == nil }
        downloads.append(WeakReference(download))
    }

    /// Commits mutations and tells the open collections of them.
    func commit(_ mutations: [Mutation], from origin: ChangeOrigin) async throws(RoostError) {
        try await run(.storing(Storing(mutations, from: origin)))
    }
}

/// Something the engine knows of but does not keep alive: an app may just drop a collection.
struct WeakReference<Object: AnyObject & Sendable>: Sendable {
    private(set) weak var object: Object?
    init(_ object: Object) { self.object = object }
}
