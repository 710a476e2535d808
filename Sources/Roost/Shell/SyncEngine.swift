// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel
import RoostStore
import RoostTransport
import RoostWire

/// Performs the machine's decisions: events go into the store, and commits into the open
/// collections.
///
/// A collection changes only by a committed transaction (`docs/ARCHITECTURE.md`).
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
    /// The uploads in flight, by the request IDs of their messages.
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

    var timelines: [TimelineID: WeakReference<Timeline>] = [:]
    var lists: [ListID: WeakReference<ChannelList>] = [:]
    var lastCollection = 0
    /// The readers of the downloads that have not ended.
    var downloads: [DownloadID: DownloadFeed] = [:]
    var lastDownload = 0

    var idleWaiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastIdleWaiter = 0
    var idleTimers = Timers<Int>()
    var eventReaders = Mailboxes<ChatEvent>()
    var timers = Timers<MachineTimer>()
    /// The trims in progress, by their operations.
    var trims: [SyncMachine.OperationID: Trim] = [:]
    /// Whether messages are being indexed.
    var isIndexing = false
    /// Whether the client is closing; no call waits any more.
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
        // After closing, no call would end the connection again.
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

    /// Closes every collection and ends every stream and every wait, because the client closes.
    ///
    /// A call made after this has to end by itself, because the waits were ended here for the last
    /// time.
    func finishObservers() {
        for observer in stateObservers { observer.finish() }
        stateObservers = []
        isClosed = true
        eventReaders.closeAll()
        endIdleWaits()
        for id in downloads.keys.sorted() { receive(.download(id, .cancel)) }
        for timeline in timelines.values.compactMap(\.object) { close(timeline) }
        for list in lists.values.compactMap(\.object) { close(list) }
    }

    /// Commits mutations and publishes them to the open collections.
    func commit(_ mutations: [Mutation], from origin: ChangeOrigin) async throws(RoostError) {
        try await run(.storing(Storing(mutations, from: origin)))
    }
}

/// A weak reference, so an app may release a collection without closing it.
struct WeakReference<Object: AnyObject & Sendable>: Sendable {
    private(set) weak var object: Object?
    init(_ object: Object) { self.object = object }
}
