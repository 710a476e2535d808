// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel

/// The messages of one channel in order, as on the server, shown from disk first.
///
/// The list has no gap: where history is missing it ends, and `hasOlder` or `hasNewer` is true. The
/// user's unsent messages stand at the end. Close it when it is off screen.
public actor Timeline {
    /// The channel of the messages.
    public nonisolated let channel: ChannelURL
    /// The selection of messages.
    public nonisolated let filter: MessageFilter

    nonisolated let executor: any WorldExecutor
    /// The client's executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as it does.
        unsafe executor.asUnownedSerialExecutor()
    }

    private let engine: SyncEngine
    private var start: Timestamp
    /// How often the timeline was moved; what was asked for at another place is not shown here.
    private var moves = 0
    private let pageSize: Int
    private var machine: TimelineMachine
    var observers = Observers<Snapshot, Message>()
    private(set) var wasLoaded = false
    var opening = OpeningWait()
    var refusals = RefusalWatch()
    private var hasHugeGap = false
    /// Whether it has lost all it stood on or showed, and has not asked the server since.
    private var isBereft = false
    private var isClosed = false
    private var isPaging = false
    /// One read at a time; commits that come during it wait, because the read may contain them.
    private var reading = Turnstile()
    private var backlog = Backlog()
    private var publishedFlags: [Bool] = []

    init(
        channel: ChannelURL, startingAt start: Timestamp, filter: MessageFilter, capacity: Int,
        pageSize: Int, engine: SyncEngine, executor: any WorldExecutor
    ) {
        self.channel = channel
        self.filter = filter.normalized
        self.start = start
        self.pageSize = pageSize
        self.engine = engine
        self.executor = executor
        // Less than a few pages could not be paged through.
        machine = TimelineMachine(
            channel: channel, followsNewest: start == .distantFuture, filter: filter,
            capacity: max(capacity, 4 * pageSize))
    }

    /// The present state.
    public var snapshot: Snapshot {
        Snapshot(
            messages: machine.messages, hasOlder: machine.hasOlder, hasNewer: machine.hasNewer,
            hasHugeGap: hasHugeGap)
    }

    /// Adds up to a page of older messages, from disk if the page is covered there.
    ///
    /// - Returns: The number of messages added; `hasOlder` says whether there may be more.
    /// - Throws: `.queryInProgress` while another page is loading. A network error if the disk
    ///   lacks the messages and the server does not answer. `.notAMember` in a channel that is not
    ///   the user's. Nothing is lost then, and `hasOlder` stays true.
    @discardableResult
    public func loadOlder() async throws(RoostError) -> Int { try await loadPage(.older) }

    /// Adds up to a page of newer messages, from disk if the page is covered there.
    ///
    /// Once the newest message is reached, the list follows it.
    ///
    /// - Returns: The number of messages added.
    /// - Throws: As `loadOlder()`; `hasNewer` stays true then.
    @discardableResult
    public func loadNewer() async throws(RoostError) -> Int { try await loadPage(.newer) }

    /// Shows the messages around another moment, as a new timeline would; `.distantFuture` leads to
    /// the newest.
    ///
    /// The call returns when the messages on disk are shown; the server's page follows. The
    /// messages shown before stay on disk.
    ///
    /// - Throws: `.queryInProgress` while a page is loading; `.localDatabaseError`.
    public func jump(to moment: Timestamp) async throws(RoostError) {
        try beginPaging()
        defer { isPaging = false }
        start = moment
        moves += 1
        wasLoaded = false
        hasHugeGap = false
        machine.move(toNewest: moment == .distantFuture)
        try await reread(from: .disk) { $0.firstQuery }
        await engine.synchronizeLater(self)
    }

    /// Closes the timeline: the streams end and later calls throw `.collectionDisposed`.
    public func close() async {
        guard !isClosed else { return }
        isClosed = true
        observers.close()
        refusals.close()
        await engine.remove(self)
    }
}

// MARK: - What the engine calls

extension Timeline {
    /// Shows what the disk has.
    func open() async throws(RoostError) {
        try await reread(from: .disk) { $0.firstQuery }
    }

    /// Takes one commit; they come in order.
    func receive(_ commit: Commit, from origin: ChangeOrigin) async {
        guard !isClosed else { return }
        if reading.isTaken {
            backlog.wait(with: commit, from: origin)
        } else {
            await see(to: apply([(commit, origin)]))
        }
    }

    /// Commits were made of which nothing but that is known.
    func missCommits() async {
        guard !isClosed else { return }
        machine.missCommits()
        backlog.note(.otherProcess)
        await see(to: .reread)
    }

    func setUnsent(_ messages: [Message]) {
        guard !isClosed else { return }
        publish(machine.setUnsent(messages), from: .local)
    }

    /// The page a timeline begins with.
    ///
    /// At the newest end it is asked for without a filter, because the live messages that continue it come
    /// without one.
    struct FirstPage {
        fileprivate let move: Int
        let filter: MessageFilter
    }

    func nextSync(_ occasion: TimelineSync.Occasion) -> (SyncQuestion, FirstPage) {
        let question = SyncQuestion(
            occasion, wasLoaded: wasLoaded, opening: firstQuestion,
            followsNewest: machine.followsNewest,
            // An end that shows nothing is no place to go on from.
            knownEnd: machine.isBare ? nil : machine.knownEnd)
        var isAtNewest = start == .distantFuture
        if case .load(let question) = TimelineSync(question) {
            isAtNewest = question.anchor == .distantFuture
        }
        return (question, FirstPage(move: moves, filter: isAtNewest ? .everything : filter))
    }

    /// The server answered the first page; what was shown before gives way to it (R99).
    func show(_ page: FirstPage, _ statement: PageStatement) async throws(RoostError) {
        guard page.move == moves else { return }
        wasLoaded = true
        // Somebody who has paged back already stays where they are, if it is still one stretch.
        let hasPaged = machine.delivered.count > pageSize && !machine.hasHoleAbove
        if hasPaged && machine.followsNewest {
            try await reread(from: .page)
        } else {
            try await reread(from: .page) { $0.firstQuery }
        }
        followIfNewest(statement)
    }

    /// What fills the first page up when it is short though there may be more.
    func questionForRest(of page: FirstPage) -> PageQuestion? {
        guard page.move == moves, machine.followsNewest, machine.hasOlder,
            machine.delivered.count < pageSize, let extent = machine.extent
        else { return nil }
        return .older(than: extent.lower, limit: pageSize)
    }

    /// The server said that nothing is missing, or what was missing is on disk now.
    func reachedServer(_ page: FirstPage) {
        if page.move == moves { wasLoaded = true }
    }

    /// More is missing than is filled silently.
    func showHugeGap(_ page: FirstPage) {
        guard !isClosed, page.move == moves else { return }
        wasLoaded = true
        hasHugeGap = true
        publish(machine.leaveNewest(), from: .catchUp)
    }

    var hasKnowledgeAbove: Bool { machine.hasHoleAbove }
    var needsServer: Bool { !isClosed && machine.needsServer }

    /// Reads the window again: a commit alone could not tell what it now holds.
    func rereadWindow() async throws(RoostError) { try await reread(from: nil) }
}

// MARK: - The window

extension Timeline {
    /// Wherever a timeline was opened, it may stand at the end by now.
    private var beginning: Timestamp { machine.followsNewest ? .distantFuture : start }

    private var firstQuery: WindowQuery {
        .around(
            beginning, in: channel, filter: filter, olderCount: pageSize, newerCount: pageSize)
    }

    private var firstQuestion: PageQuestion {
        .around(beginning, older: pageSize, newer: pageSize)
    }

    private enum Direction { case older, newer }

    private func hasMore(_ direction: Direction) -> Bool {
        switch direction {
        case .older: machine.hasOlder
        case .newer: machine.hasNewer
        }
    }

    /// What continues the window at the server; the first page while nothing is known.
    private func question(_ direction: Direction) -> PageQuestion {
        guard let extent = machine.extent else { return firstQuestion }
        switch direction {
        case .older: return .older(than: extent.lower, limit: pageSize)
        case .newer: return .newer(than: extent.upper, limit: pageSize)
        }
    }

    /// Adds a page from disk, and what is missing of it from the server.
    private func loadPage(_ direction: Direction) async throws(RoostError) -> Int {
        try beginPaging()
        defer { isPaging = false }
        guard hasMore(direction) else { return 0 }
        let before = machine.delivered.count
        try await reread(direction, by: pageSize, from: .disk)
        let missing = pageSize - (machine.delivered.count - before)
        if missing > 0, hasMore(direction) {
            let statement = try await fetch(direction)
            try await reread(direction, by: missing, from: .page)
            followIfNewest(statement)
        }
        let added = max(0, machine.delivered.count - before)
        publish(machine.shrink(keepingNewer: direction == .newer), from: .upkeep)
        return added
    }

    private func beginPaging() throws(RoostError) {
        guard !isClosed else {
            throw RoostError(
                .collectionDisposed, remedy: .none, message: "This timeline has been closed.")
        }
        guard !isPaging else {
            throw RoostError(
                .queryInProgress, remedy: .retry,
                message: "A page of this timeline is being loaded already.")
        }
        isPaging = true
    }

    /// Has the server's next page stored.
    private func fetch(_ direction: Direction) async throws(RoostError) -> PageStatement {
        let question = question(direction)
        return try await engine.inTime { [channel, filter, pageSize] engine throws(RoostError) in
            let fetch = PageFetch(channel, question, under: filter)
            let statement = try await engine.loadPage(fetch).statement
            guard direction == .newer, statement.reachesNewest, filter != .everything else {
                return statement
            }
            // What is known under the filter has to meet what live messages continue.
            try await engine.loadPage(
                PageFetch(channel, .around(.distantFuture, older: pageSize, newer: 0)))
            return try await engine.loadPage(fetch).statement
        }
    }

    private func reread(
        _ direction: Direction, by count: Int, from origin: ChangeOrigin
    ) async throws(RoostError) {
        switch direction {
        case .older: try await reread(from: origin, olderBy: count)
        case .newer: try await reread(from: origin, newerBy: count)
        }
    }

    private func reread(
        from origin: ChangeOrigin?, olderBy older: Int = 0, newerBy newer: Int = 0
    ) async throws(RoostError) {
        try await reread(from: origin) { timeline in
            guard let extent = timeline.machine.extent else { return timeline.firstQuery }
            return WindowQuery(
                channel: timeline.channel, filter: timeline.filter, lower: extent.lower,
                upper: timeline.machine.hasNewer ? extent.upper : .distantFuture,
                olderCount: older, newerCount: newer)
        }
    }

    /// Waits for the commits a read contains, which may be on their way here still.
    private func catchUp(with window: CacheWindow) async {
        guard backlog.lacks(window.sequence, showing: machine.sequence) else { return }
        await engine.deliverCommits()
    }

    /// Reads a window and shows it, then the commits the read had not seen; nil says that only its causes
    /// made it necessary.
    private func reread(
        from origin: ChangeOrigin?, _ query: (isolated Timeline) -> WindowQuery
    ) async throws(RoostError) {
        await withCheckedContinuation { reading.enter($0) }
        let outcome: Result<CacheWindow, RoostError>
        do {
            outcome = .success(try await engine.read(query(self)))
        } catch {
            outcome = .failure(error)
        }
        if case .success(let window) = outcome { await catchUp(with: window) }
        // What is shown stays as it was when the timeline was closed (scar 136).
        guard !isClosed else { return reading.leave() }
        if case .success(let window) = outcome {
            // Another process may have cleared what was shown; a cut may have taken all of it.
            let mayBeCleared =
                machine.isBehind || machine.isCutOff
                || backlog.contains(through: window.sequence) { $0.cutsHistory(of: channel) }
            let hasShown = !machine.delivered.isEmpty
            defer {
                if mayBeCleared && machine.extent == nil || hasShown && machine.isBare {
                    isBereft = true
                }
            }
            let origins = backlog.origins(of: origin, through: window.sequence) {
                $0.concerns(channel)
            }
            publish(machine.replace(with: window), from: origins)
        }
        if !isPaging { publish(machine.shrink(keepingNewer: true), from: .upkeep) }
        var need = apply(backlog.takeCommits())
        reading.leave()
        if need == .nothing, machine.hasHoleAbove { need = .repair }
        await see(to: need)
        _ = try outcome.get()
    }

    /// Applies commits without a pause between them, so that none can overtake another.
    private func apply(_ commits: [(Commit, ChangeOrigin)]) -> TimelineMachine.Need {
        var need = TimelineMachine.Need.nothing
        let hasShown = !machine.delivered.isEmpty
        for (commit, origin) in commits {
            let step = machine.apply(commit)
            publish(step.diff, from: origin)
            // While a page is being added, it is the page that says which end goes.
            if !isPaging { publish(machine.shrink(keepingNewer: true), from: .upkeep) }
            if step.need == .reread { backlog.note(origin) }
            if step.need == .reread || need == .nothing { need = step.need }
        }
        if hasShown && machine.isBare { isBereft = true }
        if need == .nothing, isBereft { need = .repair }
        if need == .repair { isBereft = false }
        return need
    }

    private func see(to need: TimelineMachine.Need) async {
        switch need {
        case .nothing: break
        case .reread: await engine.reread(self)
        case .repair: await engine.repair(channel)
        }
    }

    private func followIfNewest(_ statement: PageStatement) {
        guard statement.reachesNewest, !machine.followsNewest,
            let upper = machine.extent?.upper, upper == machine.coverage.newest?.upper
        else { return }
        machine.reachNewest()
        hasHugeGap = false
        publish(ListDiff(), from: .page)
    }

    private func publish(_ diff: ListDiff<Message>, from origin: ChangeOrigin) {
        publish(diff, from: [origin])
    }

    private func publish(_ diff: ListDiff<Message>, from origins: Set<ChangeOrigin>) {
        let flags = [machine.hasOlder, machine.hasNewer, hasHugeGap]
        guard !isClosed, !diff.isEmpty || flags != publishedFlags else { return }
        publishedFlags = flags
        observers.publish(snapshot, after: diff.told(from: origins))
    }
}
