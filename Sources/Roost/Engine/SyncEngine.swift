// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

/// Brings what the server says into the store, and what the store says into the open collections.
///
/// Nothing reaches a collection but through a committed transaction (`docs/ARCHITECTURE.md`).
actor SyncEngine {
    /// The present connection; its number tells late answers of an earlier one apart (scar 134).
    struct Session: Sendable {
        let login: LoginSuccess
        let epoch: LinkMachine.Epoch

        /// The server's time of the login; nil where it says none, or an impossible one.
        var loginAt: Timestamp? { login.loginAt.flatMap { $0.isOfMessages ? $0 : nil } }
    }

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
    private(set) var session: Session?
    /// The server's time of the first login: nothing this process has brought is older.
    private(set) var firstLoginAt: Timestamp?
    /// The server's time of the last login: what was sent before it and is answered later is a repeat.
    private(set) var lastLoginAt: Timestamp?
    private var lastFailure: RoostError?
    private var connectWaiters: [CheckedContinuation<RoostError?, Never>] = []
    private var stateObservers: [AsyncStream<ConnectionState>.Continuation] = []
    /// Downloads that wait for a connection; false when none will come.
    var connectionWaiters: [CheckedContinuation<Bool, Never>] = []

    var timelines: [WeakReference<Timeline>] = []
    var lists: [WeakReference<ChannelList>] = []
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
    /// Channels whose catch-up runs, and what was wished for meanwhile.
    var catchUps: [ChannelURL: CatchUpWish] = [:]
    /// Channels whose newest message the server has told on this connection; what came later came live.
    var caughtUp: Set<ChannelURL> = []
    /// Ends after which nothing is missing, as the server judged by a count of the messages of that moment: one
    /// that was deleted before the answer, and is told of after it, makes the count wrong.
    var gapEnds: [ChannelURL: Position] = [:]
    /// When messages of a channel were last asked for, and what came of it.
    var attempts: [ChannelURL: HistoryHole.Attempt] = [:]
    /// Waits between the tries of catch-ups; the next connection ends them.
    var pauses: [Task<Void, Never>] = []
    var pacing = RequestPacing()
    /// Channels that the server has described on this connection when asked for one by one.
    var lookedUp: Set<ChannelURL> = []
    /// Pieces of work under way that wait for their next try.
    var backingOff = 0
    /// Catch-ups of channels among them.
    var catchUpsBackingOff = 0
    var channelLedger = ChannelLedger()
    /// Messages deleted while a page that may still hold them is on its way.
    var ledgers: [ChannelURL: FetchLedger] = [:]
    /// What the change logs told on this connection: frames that were sent before may still be on their
    /// way, and must not undo it.
    var changesRead: [ChannelURL: FetchLedger] = [:]
    /// What is known of the places up to which the change logs have been read.
    var readMarks: [CursorKey: ReadMark] = [:]
    var rewindings: [CursorKey: Rewindings] = [:]
    /// Nil where the server does not say when the login was.
    var hearing: Hearing?
    /// Channels being looked up; true when the answer on its way may be too old (scar 158).
    var lookUps: [ChannelURL: Bool] = [:]
    var lookUpWaiters: [ChannelURL: [CheckedContinuation<Void, Never>]] = [:]
    var watch = EventWatch()
    var fillEpoch: LinkMachine.Epoch?
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
    }

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
        case .online(let login, let epoch): await wentOnline(Session(login: login, epoch: epoch))
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

    private func wentOnline(_ session: Session) async {
        self.session = session
        firstLoginAt = firstLoginAt ?? session.loginAt
        lastLoginAt = session.loginAt
        hearing = session.loginAt.map { Hearing(since: $0, now: world.wallTime()) }
        changesRead = [:]
        caughtUp = []
        lookedUp = []
        gapEnds = [:]
        watch.isChannelLogRead = false
        // What overtook an answer that is thrown away now has nothing to be done behind.
        for channel in ledgers.keys { ledgers[channel]?.forget() }
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
        let channels = openChannels
        for channel in channels { await outbox?.receive(.hold(channel)) }
        // One that is under way begins anew.
        for channel in channels { catchUp(channel, .ifNeeded) }
        run { engine in await engine.catchUpChannels() }
        guard isPresent(session) else { return }
        await outbox?.wentOnline()
        // The link may be gone again by now; what follows would be said of another connection.
        guard isPresent(session) else { return }
        publishState(.online(awaitsPong: false))
        resumeConnectWaiters(with: nil)
        resumeDownloads(isOnline: true)
    }

    private func wentOffline(_ reason: RoostError?) async {
        session = nil
        caughtUp = []
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
        for timeline in timelines.compactMap(\.object) { await timeline.close() }
        for list in openLists { await list.close() }
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
        defer { committing.leave() }
        let commit: Commit?
        do {
            commit = try await work(store.writer)
        } catch {
            throw RoostError(error)
        }
        guard let commit else { return }
        journal.note(.commit(sequence: commit.sequence, origin, CommitSize(commit)))
        for timeline in timelines { await timeline.object?.receive(commit, from: origin) }
        for list in lists { await list.object?.receive(commit, from: origin) }
        follow(commit)
        if budgetWatch.isDue() { keepBudget() }
    }

    /// Returns when the collections have been handed every commit there is: a read may contain one that is
    /// still on its way to them, and would show it without its origin.
    func deliverCommits() async {
        await withCheckedContinuation { committing.enter($0) }
        committing.leave()
    }

    func read(_ query: WindowQuery) async throws(RoostError) -> CacheWindow {
        do { return try await reader.window(query) } catch { throw RoostError(error) }
    }
}

/// Something the engine knows of but does not keep alive: an app may just drop a collection.
struct WeakReference<Object: AnyObject & Sendable>: Sendable {
    private(set) weak var object: Object?
    init(_ object: Object) { self.object = object }
}
