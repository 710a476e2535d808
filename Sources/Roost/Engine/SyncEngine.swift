// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
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
    let journal: SyncJournal
    private(set) var link: Link?
    private(set) var outbox: Outbox?
    /// The client's decisions.
    var machine: SyncMachine
    var lastOperation = 0
    /// The callers that wait for an operation.
    var operationWaiters: [SyncMachine.OperationID: CheckedContinuation<Outcome, Never>] = [:]
    var operationPauses: [SyncMachine.OperationID: (number: Int, task: Task<Void, Never>)] = [:]
    var lastPause = 0
    var limitTimers = Timers<SyncMachine.OperationID>()
    private var lastFailure: RoostError?
    private var connectWaiters: [CheckedContinuation<RoostError?, Never>] = []
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
    /// Commits go to the collections in the order they were made.
    var committing = Turnstile()
    /// Whether somebody asked for a connection; a wish taken back must not be carried out late.
    private var isWanted = false
    /// Waits between the tries of catch-ups; the next connection ends them.
    var pauses: [Task<Void, Never>] = []
    var watch = EventWatch()
    /// Answers awaited over the socket, by request ID.
    var answers: [RequestID: CheckedContinuation<Result<ServerEvent, RoostError>, Never>] = [:]
    var answerTimers = Timers<RequestID>()
    /// Channels of which the disk refused something, until it takes something again; nil is their list.
    var refused: Set<ChannelURL?> = []
    var budgetWatch = BudgetWatch()
    /// Whether words are being put into the index.
    var isIndexing = false
    /// The client is closing: nothing is waited for any more.
    private(set) var isClosed = false

    init(
        world: World, configuration: Configuration, store: Store, api: ServerAPI,
        journal: SyncJournal
    ) {
        self.world = world
        self.executor = world.executor
        self.configuration = configuration
        self.store = store
        self.api = api
        self.journal = journal
        let entropy = world.entropy
        machine = SyncMachine(
            SyncState(
                me: configuration.userID,
                random: SeededRandom(entropy(), entropy(), entropy(), entropy())))
    }

    /// The state that the machine's operations share.
    var sync: SyncState {
        get { machine.state }
        _modify { yield &machine.state }
    }
    /// The present connection; nil without one.
    var session: Session? { sync.session }

    var me: UserID { configuration.userID }
    var isOnline: Bool { session != nil }

    /// One of the cache's readers; the engine asks in turn, so one is enough for it.
    var reader: StoreReader { store.readers[0] }

    func attach(link: Link, outbox: Outbox) {
        self.link = link
        self.outbox = outbox
    }

    // MARK: Connection

    /// Starts the link and waits for its first outcome; nil means that it is up.
    func connect() async -> RoostError? {
        // Nobody would be left to give the link up again.
        if isClosed { return RoostError(StoreError.closed) }
        isWanted = true
        if session != nil {
            // It may be about to be given up, in the background.
            await link?.receive(.connect)
            return nil
        }
        return await withCheckedContinuation { waiter in
            connectWaiters.append(waiter)
            run { engine in await engine.startLink() }
        }
    }

    private func startLink() async {
        guard isWanted else { return }
        await link?.receive(.connect)
        guard let state = await link?.state else { return }
        if session == nil { publishState(state) }
        guard case .awaitingNetwork = state else { return }
        resumeConnectWaiters(
            with: RoostError(
                .networkError, remedy: .retry,
                message: "The device has no network; the connection is made when it has."))
    }

    func disconnect() async {
        isWanted = false
        lastFailure = nil
        watch.muteTimers.disarmAll()
        await link?.receive(.disconnect)
        resumeConnectWaiters(
            with: RoostError(
                .connectionCanceled, remedy: .none, message: "The connection was given up."))
        if let state = await link?.state { publishState(state) }
        // What was being connected may have been all there was to wait for.
        await resumeIdleWaiters()
    }

    var connectionState: ConnectionState {
        get async {
            guard let link else { return .disconnected }
            return ConnectionState(await link.state, lastFailure: lastFailure)
        }
    }

    func connectionStates() async -> AsyncStream<ConnectionState> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ConnectionState.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(await connectionState)
        // The client may have been closed while the link was asked.
        if isClosed { continuation.finish() } else { stateObservers.append(continuation) }
        return stream
    }

    /// Takes what the link tells, one after the other.
    func receive(_ news: Link.News) async {
        underWay += 1
        await take(news)
        await ended()
    }

    private func take(_ news: Link.News) async {
        switch news {
        case .online(let login, let epoch): await wentOnline(login, epoch)
        case .offline(let reason): await wentOffline(reason.map { RoostError($0) })
        case .event(let event, let epoch):
            guard session?.epoch == epoch else { return }
            journal.came(event.name, about: event.channelURL)
            await take(event)
        case .malformed:
            // One bad frame; what follows is read on. Its content is not kept anywhere.
            journal.came("malformed", about: nil)
        }
    }

    private func wentOnline(_ login: LoginSuccess, _ epoch: LinkMachine.Epoch) async {
        receive(.connected(login, epoch))
        guard let session else { return }
        lastFailure = nil
        for pause in pauses { pause.cancel() }
        // A name on disk that is a little old does no harm; the next login brings it again.
        run { engine in
            _ = try? await engine.commit(
                [.users([session.login.user])], from: .answer)
        }
        beginBudgetWatch()
        finishIndex()
        await outbox?.rename(to: session.login.user)
        let channels = sync.timelines.channels
        for channel in channels { await outbox?.receive(.hold(channel)) }
        // One that is under way begins anew.
        for channel in channels { catchUp(channel, .ifNeeded) }
        catchUpChannels()
        guard sync.isPresent(session.epoch) else { return }
        await outbox?.wentOnline()
        // The link may be gone again by now; what follows would be said of another connection.
        guard sync.isPresent(session.epoch) else { return }
        publishState(.online(awaitsPong: false))
        resumeConnectWaiters(with: nil)
        resumeDownloads(isOnline: true)
    }

    private func wentOffline(_ reason: RoostError?) async {
        receive(.disconnected)
        lastFailure = reason
        forgetTyping()
        await outbox?.wentOffline()
        failAnswers(
            with: RoostError(
                .socketClosed, remedy: .retry,
                message: "The connection was lost before the server answered."))
        if let state = await link?.state { publishState(state) }
        if let reason { resumeConnectWaiters(with: reason) }
        await resumeIdleWaiters()
    }

    /// A session the server no longer knows is replaced, whoever found out.
    func renewSession(after error: RoostError) async {
        guard [.sessionKeyExpired, .sessionKeyNotFound].contains(error.code) else { return }
        await link?.renewSession()
    }

    /// Closes every collection and ends every stream and every wait; the client closes.
    ///
    /// What is asked for from here on must end by itself: nobody comes to end it.
    func finishObservers() async {
        for observer in stateObservers { observer.finish() }
        stateObservers = []
        isClosed = true
        resumeDownloads(isOnline: false)
        watch.readers.closeAll()
        resumeConnectWaiters(with: RoostError(StoreError.closed))
        endIdleWaits()
        for download in downloads.compactMap(\.object) { await download.cancel() }
        for timeline in timelines.values.compactMap(\.object) { close(timeline) }
        for list in lists.values.compactMap(\.object) { close(list) }
    }

    private func publishState(_ state: LinkMachine.State) {
        let state = ConnectionState(state, lastFailure: lastFailure)
        stateObservers.removeAll { observer in
            if case .terminated = observer.yield(state) { true } else { false }
        }
    }

    private func resumeConnectWaiters(with error: RoostError?) {
        let waiters = connectWaiters
        connectWaiters = []
        for waiter in waiters { waiter.resume(returning: error) }
    }

    /// Ends a download with the client.
    func adopt(_ download: HistoryDownload) async {
        if isClosed { return await download.cancel() }
        downloads.removeAll { $0.object == nil }
        downloads.append(WeakReference(download))
    }

    // MARK: Store

    /// Commits and hands the news to every open collection, before anybody else's commit.
    @discardableResult
    func commit(
        _ mutations: [Mutation], from origin: ChangeOrigin
    ) async throws(RoostError) -> Commit {
        var made: Commit?
        try await commit(from: origin) { writer throws(StoreError) in
            made = try await writer.commit(mutations)
            return made
        }
        guard let made else { preconditionFailure("A writer commits or throws.") }
        return made
    }

    /// Lets somebody work on the store, and hands on what they committed.
    func commit(
        from origin: ChangeOrigin, _ work: (StoreWriter) async throws(StoreError) -> Commit?
    ) async throws(RoostError) {
        await withCheckedContinuation { committing.enter($0) }
        try await commitInTurn(from: origin, work)
    }

    /// Does the same in a turn that was taken before, and gives the turn back.
    func commitInTurn(
        from origin: ChangeOrigin, _ work: (StoreWriter) async throws(StoreError) -> Commit?
    ) async throws(RoostError) {
        defer { committing.leave() }
        let commit: Commit?
        do {
            commit = try await work(store.writer)
        } catch {
            throw RoostError(error)
        }
        guard let commit else { return }
        journal.note(.commit(sequence: commit.sequence, origin, CommitSize(commit)))
        receive(.committed(commit, origin))
        if budgetWatch.isDue() { keepBudget() }
    }

    /// Returns when the collections have been handed every commit there is: a read may contain one that is
    /// still on its way to them, and would show it without its origin.
    func deliverCommits() async {
        await withCheckedContinuation { committing.enter($0) }
        committing.leave()
    }
}

/// Something the engine knows of but does not keep alive: an app may just drop a collection.
struct WeakReference<Object: AnyObject & Sendable>: Sendable {
    private(set) weak var object: Object?
    init(_ object: Object) { self.object = object }
}
