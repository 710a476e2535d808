// SPDX-License-Identifier: Apache-2.0

package import RoostCore
internal import RoostExecutors
internal import RoostModel
internal import RoostSQLite

/// The one writer of the cache, and the source of its journal.
///
/// - Invariant: A commit is durable before any reader receives it, and every reader receives
///   commits in their order.
package actor StoreWriter {
    private nonisolated let executor: any SerialExecutor
    /// The executor, where it is a thread of its own.
    private nonisolated var thread: ThreadExecutor? { executor as? ThreadExecutor }
    let path: String
    private let owner: StoreOwner
    private var connection: Connection? {
        didSet {
            lookUps = nil
            traces.withLock { $0.removeAll() }
        }
    }
    /// The damage found since the cache was opened.
    nonisolated let damage: DamageWatch
    /// The rows changed by the last commits, for all readers of this file in the process.
    nonisolated let traces = Guarded(CommitTraces())
    /// The look-up cache of the last commit; nil during a commit and after a failed one.
    private var lookUps: WriteLookUps?
    /// The lock against other processes that change the files.
    private var lock: SharedLock?
    /// The opening that the first work does, of a cache that a reader has opened before.
    private nonisolated let laterOpening = Guarded<LaterOpening?>(nil)
    var readers = JournalReaders()
    /// The place of the index of words.
    var searchPlace = SearchPlace.nowhere
    var budget: BudgetKeeper
    /// The clearings of this process, and those whose words are gone from the index too.
    ///
    /// Not durable: a crash between a clearing and its trim ends the call that asked for both. The
    /// repeated call counts as a clearing again, although the channel is empty by then.
    var clearings = (done: 0, forgotten: 0)
    private var foreign: ForeignCommits?
    private var signal: ChangeSignal?
    /// Ends the subscription to other processes' signals.
    private var stopsListening: (@Sendable () -> Void)?
    /// Whether a signal of another process has arrived and is not handled yet.
    private nonisolated let hasPendingSignal = Guarded(false)
    private var isClosed = false
    let switchboard: StoreSwitch
    let gate: SuspensionGate

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    init(
        on executor: any SerialExecutor, path: String, owner: StoreOwner,
        _ switchboard: StoreSwitch, budget: BudgetKeeper, damage: DamageWatch = DamageWatch()
    ) {
        self.damage = damage
        self.switchboard = switchboard
        gate = switchboard.makeGate()
        self.budget = budget
        self.executor = executor
        self.path = path
        self.owner = owner
    }

    deinit { stopsListening?() }

    /// Applies the server's statements in one transaction.
    ///
    /// - Parameter mutations: The mutations, applied in order; see `Mutation` for each.
    /// - Returns: The changes; every reader of the journal receives the same value.
    /// - Throws: `.full` and other errors; the store is unchanged, and the call may be repeated.
    @discardableResult
    package func commit(_ mutations: [Mutation]) async throws(StoreError) -> Commit {
        try await perform { connection throws(SQLiteError) in
            try write(mutations, in: connection)
        }
    }

    /// Applies mutations in one transaction, unless a condition holds at its beginning.
    ///
    /// No other process writes between the check and the commit.
    ///
    /// - Returns: The changes; nil if the condition holds and nothing has changed.
    /// - Throws: As `commit(_:)`.
    package func commit(
        _ mutations: [Mutation], unless condition: CommitCondition
    ) async throws(StoreError) -> Commit? {
        try await perform { connection throws(SQLiteError) -> Commit? in
            let done = try transaction(mutations, in: connection) {
                () throws(SQLiteError) -> Applied? in
                if try connection.meets(condition) { return nil }
                return try apply(mutations, in: connection)
            }
            guard let done else { return nil }
            return publish(done, connection)
        }
    }

    /// Commits, publishes the commit and keeps the log short.
    ///
    /// `finish` is further work of the transaction that changes nothing a reader can see.
    func write(
        _ mutations: [Mutation], in connection: Connection,
        finishing finish: () throws(SQLiteError) -> Void = {}
    ) throws(SQLiteError) -> Commit {
        let done = try transaction(mutations, in: connection) {
            () throws(SQLiteError) -> Applied in
            let applied = try apply(mutations, in: connection)
            try finish()
            return applied
        }
        return publish(done, connection)
    }

    /// Mutations that a transaction has applied.
    private struct Applied {
        let commit: Commit
        let trace: CommitTrace?
        let lookUps: WriteLookUps?
        /// Whether the words of removed messages remain in the index until it is merged.
        let isClearing: Bool
    }

    private func apply(
        _ mutations: [Mutation], in connection: Connection
    ) throws(SQLiteError) -> Applied {
        let last = try connection.lastCommitNumber()
        let session = WriteSession(connection, me: UserID(owner.user), takeLookUps(of: last))
        let changes = try session.apply(mutations)
        let sequence = try connection.takeCommitNumber(after: last)
        return Applied(
            commit: Commit(sequence: sequence, changes: changes),
            trace: session.trace(at: sequence), lookUps: session.lookUps(at: sequence),
            isClearing: mutations.contains { $0.clearsMessages })
    }

    private func transaction<T>(
        _ mutations: [Mutation], in connection: Connection,
        _ body: () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        connection.checkpoint(every: mutations.isBulk ? 4_000 : 1_000)
        do throws(SQLiteError) {
            return try connection.transaction(body)
        } catch {
            // A key made by the failed transaction is gone again.
            connection.seals?.vault.forgetKeys()
            throw error
        }
    }

    private func publish(_ done: Applied, _ connection: Connection) -> Commit {
        if done.isClearing { clearings.done += 1 }
        lookUps = done.lookUps
        connection.seals?.finishErasure()
        traces.withLock { traces in
            if let trace = done.trace { traces.add(trace) } else { traces.removeAll() }
        }
        announce(done.commit)
        keepLogShort(connection)
        return done.commit
    }

    /// Returns the look-up cache of the last commit, unless another process has written since.
    private func takeLookUps(of last: Int64) -> WriteLookUps? {
        guard let lookUps = lookUps.take() else { return nil }
        return last == lookUps.sequence ? lookUps : nil
    }

    /// Publishes a commit to the readers, and signals it to other processes.
    func announce(_ commit: Commit) {
        if let missed = foreign?.noteOwn(commit.sequence) { readers.miss(missed) }
        readers.append(commit)
        signal?.send()
    }

    /// Maintains an index of edits from now on; a cache without such queries does not pay for the
    /// index.
    func indexEdits() async throws(StoreError) {
        try await perform { connection throws(SQLiteError) in
            try connection.executeScript(
                """
                CREATE INDEX IF NOT EXISTS message_by_edit ON message
                    (channel_id, updated_at, created_at, message_id)
                    WHERE updated_at IS NOT NULL
                """)
        }
    }

    /// Returns a feed of all later commits.
    ///
    /// - Parameter capacity: The number of commits that may wait for the reader before they become
    ///   one `missed`. The default is a second of the busiest expected channel.
    /// - Returns: The feed. It has no commits of this store from before the call; commits of other
    ///   processes may be reported as missed that were made since the opening.
    package func journal(capacity: Int = 256) -> JournalFeed {
        let (id, wakeUps) = readers.add(capacity: capacity)
        if isClosed { readers.finish() }
        openForFeeds()
        return JournalFeed(id: id, writer: self, wakeUps: wakeUps)
    }

    /// Returns a feed of the commits of other processes, as missed numbers, and no other commits.
    package func missedCommits() -> JournalFeed {
        let (id, wakeUps) = readers.add(capacity: 1, receivesOwnCommits: false)
        if isClosed { readers.finish() }
        openForFeeds()
        return JournalFeed(id: id, writer: self, wakeUps: wakeUps)
    }

    /// Opens the cache after the present call, because signals of other processes are received from
    /// then on.
    private func openForFeeds() {
        guard opensLater else { return }
        // Ends with the opening. A failed one is repeated by the next work.
        Task { try? await self.perform { _ in } }
    }

    func takeEntry(of id: Int) -> JournalEntry? {
        readers.take(id)
    }

    /// Returns all waiting entries of a feed in their order.
    func takeEntries(of id: Int) -> [JournalEntry] {
        var entries: [JournalEntry] = []
        while let entry = readers.take(id) { entries.append(entry) }
        return entries
    }

    /// Whether the cache is open; throws if the store is closed for good.
    func checkIsOpen() throws(StoreError) -> Bool {
        guard !isClosed else { throw .closed }
        return connection != nil
    }

    /// Takes a connection and the lock that protects its files.
    func take(_ connection: Connection, _ lock: SharedLock?) {
        self.lock = lock
        self.connection = connection
        laterOpening.withLock { $0 = nil }
    }

    /// Whether the opening is left to the first work.
    var opensLater: Bool { laterOpening.withLock { $0 != nil } }

    /// Leaves the opening to the first work.
    nonisolated func openLater(_ opening: LaterOpening) { laterOpening.withLock { $0 = opening } }

    /// Begins to publish commits.
    ///
    /// - Parameters:
    ///   - files: The files for signals between processes; nil for none.
    ///   - sequence: The number of the last commit that readers may know, if they have used the
    ///     cache before; nil if they wait for this opening.
    ///   - isRepaired: Whether the file was replaced, so earlier numbers have no meaning.
    func beginPublishing(_ files: StoreFiles?, since sequence: Int64? = nil, isRepaired: Bool) {
        if signal == nil { listen(to: files) }
        if let sequence {
            note(sequence)
        } else {
            damage.begin()
        }
        if isRepaired, let sequence = try? connection?.first(.sequence),
            let missed = foreign?.noteNewCache(sequence)
        {
            readers.miss(missed)
        }
        findForeignCommits()
    }

    /// Notes the last commit at the opening by a reader.
    private func note(_ sequence: Int64) {
        if foreign == nil { foreign = ForeignCommits(last: sequence) }
    }

    /// Closes the file and releases the lock; the gate is closed, so no work is running.
    func letGo() {
        connection = nil
        lock = nil
        if let later = laterOpening.withLock({ $0.take() }) { note(later.sequence) }
    }

    func close() {
        isClosed = true
        letGo()
        stopsListening?()
        stopsListening = nil
        signal = nil
        readers.finish()
    }

    /// Subscribes to the signals of other processes; without signals, their commits are found at
    /// the next own commit.
    private func listen(to files: StoreFiles?) {
        guard let files else { return }
        do {
            let signal = try ChangeSignal(file: files.lock)
            stopsListening = try signal.listen { [weak self] in self?.noteSignal() }
            self.signal = signal
        } catch {
            // The system has no watches left: see above.
        }
    }

    /// Handles a signal on this actor's thread, which is only made for the first signal.
    private nonisolated func noteSignal() {
        let isFirst = hasPendingSignal.withLock { hasPendingSignal in
            defer { hasPendingSignal = true }
            return !hasPendingSignal
        }
        guard isFirst else { return }
        Task(executorPreference: thread) {
            self.hasPendingSignal.withLock { $0 = false }
            await self.findForeignCommits()
        }
    }

    /// Reads the number of the last commit; a failure is made good at the next attempt.
    private func findForeignCommits() {
        guard let sequence = try? connection?.first(.sequence) else { return }
        if foreign == nil {
            foreign = ForeignCommits(last: sequence)
        } else if let missed = foreign?.noteFound(sequence) {
            readers.miss(missed)
        }
    }

    /// Performs work in its turn, and repeats it after an interruption by a suspension.
    func perform<T>(
        _ body: (Connection) throws(SQLiteError) -> T
    ) async throws(StoreError) -> T {
        try await inTurn { () throws(StoreError) in try inspect(body) }
    }

    /// Like `perform`, for work of several transactions that may start over after any of them.
    func inTurn<T>(_ body: () throws(StoreError) -> T) async throws(StoreError) -> T {
        try await gate.perform(isolation: self, orThrow: .canceled) {
            () throws(StoreError) -> T? in
            do throws(StoreError) {
                if connection == nil, let later = laterOpening.withLock({ $0 }) {
                    try later.open(self)
                }
                guard connection != nil else {
                    if gate.isClosed { return nil }
                    throw .closed
                }
                return try body()
            } catch  where error.kind == .suspended {
                return nil
            }
        }
    }

    /// Passes the connection, outside of a transaction, to work that has its turn.
    func inspect<T>(_ body: (Connection) throws(SQLiteError) -> T) throws(StoreError) -> T {
        guard let connection else { throw isClosed ? .closed : .suspended }
        do throws(SQLiteError) {
            return try body(connection)
        } catch {
            throw failure(error)
        }
    }

    /// Translates an error of SQLite, and records damage of the file.
    private func failure(_ error: SQLiteError) -> StoreError {
        // A write meets unreadable messages without an error, so the row is of another kind.
        damage.note(error, inChannel: nil)
        return StoreError(error, in: path)
    }
}

/// The opening of a writer's connection after that of a reader.
struct LaterOpening: Sendable {
    /// The number of the last commit at the opening by the reader.
    let sequence: Int64
    let open: @Sendable (isolated StoreWriter) throws(StoreError) -> Void
}
