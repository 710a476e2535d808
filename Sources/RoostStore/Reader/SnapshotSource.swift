// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostExecutors
internal import RoostModel
internal import RoostSQLite

/// Whoever can answer questions about one state of the cache.
protocol SnapshotSource: Actor {
    /// Who writes to the same file; nil for one that is only looked at.
    nonisolated var writer: StoreWriter? { get }

    func snapshot<T: Sendable>(
        _ read: @Sendable (ReadSession) throws(SQLiteError) -> T
    ) async throws(StoreError) -> T

    /// Reads on the calling thread where that is allowed and nobody is reading; no where it is not.
    ///
    /// The caller's own executor waits. With `mayBorrow` the first reads may take the writer's connection,
    /// and a commit waits for them: only for what is short. Not generic, because what is generic costs as
    /// much here as the reading.
    nonisolated func readHere(
        mayBorrow: Bool, _ read: (ReadSession) throws(SQLiteError) -> Void
    ) throws(StoreError) -> Bool
}

extension SnapshotSource {
    nonisolated func readHere(
        mayBorrow: Bool, _ read: (ReadSession) throws(SQLiteError) -> Void
    ) throws(StoreError) -> Bool { false }
}

/// Owns a connection that only reads.
actor ReadConnection: SnapshotSource {
    /// What this actor's jobs have, and `readHere`, which runs in the place of its executor's thread.
    private final class State {
        /// Made by the first read: what nobody reads from need not be opened.
        var connection: Connection?
        /// How the connection is made; nil while this is closed.
        var opening: (owner: StoreOwner?, protection: StoreProtection)?
        var book: ReadBook?
        /// How many reads the writer's connection has answered.
        var loanCount = 0
    }

    private nonisolated let executor: any SerialExecutor
    /// The executor, where it is a thread whose place another may take.
    private nonisolated let thread: ThreadExecutor?
    let path: String
    private nonisolated let confined = Confined(State())
    private nonisolated var state: State { confined.value }
    private let switchboard: StoreSwitch
    let gate: SuspensionGate

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    private nonisolated let lender: StoreWriter?
    nonisolated var writer: StoreWriter? { lender }

    /// A reader that `lender` answers for until there is enough to read to open a connection for.
    ///
    /// With `opening` it is open from the first.
    init(
        on executor: any SerialExecutor, path: String,
        _ switchboard: StoreSwitch = StoreSwitch(), lender: StoreWriter? = nil,
        opening: (owner: StoreOwner?, protection: StoreProtection)? = nil
    ) {
        self.lender = lender
        confined.value.opening = opening
        self.switchboard = switchboard
        gate = switchboard.makeGate()
        self.executor = executor
        thread = executor as? ThreadExecutor
        self.path = path
    }

    func open(
        _ owner: StoreOwner? = nil, _ protection: StoreProtection = .none
    ) throws(StoreError) {
        guard state.opening == nil else { return }
        try switchboard.admit(gate)
        state.opening = (owner, protection)
        // Whether the key is the right one is told at once.
        if protection.isSealed { _ = try opened() }
    }

    func close() {
        state.opening = nil
        state.book = nil
        state.connection = nil
    }

    /// The connection; nil when a suspension came while it was made.
    private nonisolated func opened() throws(StoreError) -> Connection? {
        if let connection = state.connection { return connection }
        guard let opening = state.opening else { throw .closed }
        let made: Connection
        do throws(SQLiteError) {
            made = try Connection(
                .file(path), ConnectionOptions(access: .readOnly), interrupter: gate.interrupter)
        } catch  where error.isInterrupted {
            return nil
        } catch {
            lender?.damage.note(error)
            throw StoreError(error, in: path)
        }
        do throws(StoreError) {
            try opening.protection.attachWhereSealed(to: made, owner: opening.owner, path)
        } catch  where error.kind == .suspended {
            return nil
        }
        state.book = ReadBook(made)
        state.connection = made
        return made
    }

    /// Lends the connection, to a database that is no cache and so has no state to read.
    func inspect<T: Sendable>(
        _ body: @Sendable (Connection) throws(SQLiteError) -> T
    ) throws(StoreError) -> T {
        guard let connection = try opened() else { throw .suspended }
        do throws(SQLiteError) {
            return try body(connection)
        } catch {
            throw StoreError(error, in: path)
        }
    }

    func snapshot<T: Sendable>(
        _ read: @Sendable (ReadSession) throws(SQLiteError) -> T
    ) async throws(StoreError) -> T {
        try await gate.perform(isolation: self) { () throws(StoreError) -> T? in
            var value: T?
            let isDone = try attempt { session throws(SQLiteError) in value = try read(session) }
            return isDone ? value : nil
        }
    }

    nonisolated func readHere(
        mayBorrow: Bool, _ read: (ReadSession) throws(SQLiteError) -> Void
    ) throws(StoreError) -> Bool {
        guard let thread, thread.borrow() else { return false }
        defer { thread.giveBack() }
        return try gate.performNow { () throws(StoreError) in
            if mayBorrow, try borrowed(read) { return true }
            return try attempt(read)
        }
    }

    /// Reads with the writer's connection, if that is free: what a person sees first need not wait until
    /// another one has been opened, which takes longer than to read it.
    private nonisolated func borrowed(
        _ read: (ReadSession) throws(SQLiteError) -> Void
    ) throws(StoreError) -> Bool {
        guard state.connection == nil, state.opening != nil, let lender,
            state.loanCount < Self.maxLoans
        else { return false }
        state.loanCount += 1
        return try lender.lend(read)
    }

    /// Enough for a list of channels and a timeline or two.
    private static let maxLoans = 8

    /// Reads now; no when it was interrupted.
    private nonisolated func attempt(
        _ read: (ReadSession) throws(SQLiteError) -> Void
    ) throws(StoreError) -> Bool {
        guard let connection = try opened() else { return false }
        do throws(SQLiteError) {
            try connection.read(read, &state.book, lender?.traces, lender?.damage)
            return true
        } catch  where error.isInterrupted {
            return false
        } catch {
            throw StoreError(error, in: path)
        }
    }
}

extension StoreWriter: SnapshotSource {
    nonisolated var writer: StoreWriter? { self }

    func snapshot<T: Sendable>(
        _ read: @Sendable (ReadSession) throws(SQLiteError) -> T
    ) async throws(StoreError) -> T {
        try await perform { connection throws(SQLiteError) in
            var book: ReadBook?
            var value: T?
            try connection.read(
                { session throws(SQLiteError) in value = try read(session) }, &book, traces, damage)
            guard let value else { preconditionFailure("A read that did not fail has answered.") }
            return value
        }
    }
}

extension Connection {
    /// Runs a read on one state of the database.
    ///
    /// `book` is what the last read had looked up, `traces` tell how much of it still holds; `damage` takes
    /// note of what cannot be read.
    func read(
        _ read: (ReadSession) throws(SQLiteError) -> Void, _ book: inout ReadBook?,
        _ traces: Guarded<CommitTraces>?, _ damage: DamageWatch?
    ) throws(SQLiteError) {
        let session = session(&book)
        do throws(SQLiteError) {
            try withSnapshot(of: .sequence) { sequence throws(SQLiteError) in
                session.begin(at: sequence ?? 0, traces)
                try read(session)
            }
        } catch {
            damage?.note(error, in: session)
            throw error
        }
        book = session.book
    }

    /// The same for a body that writes, to a database of its own beside the cache: in one transaction.
    func readAndWrite(
        _ body: (ReadSession) throws(SQLiteError) -> Void, _ book: inout ReadBook?,
        _ damage: DamageWatch?
    ) throws(SQLiteError) {
        let session = session(&book)
        do throws(SQLiteError) {
            try withSnapshot { () throws(SQLiteError) in
                session.begin(at: try first(.sequence) ?? 0, nil)
                try body(session)
            }
        } catch {
            damage?.note(error, in: session)
            throw error
        }
        book = session.book
    }

    /// A read that fails leaves no book behind: it may have noted half of something.
    private func session(_ book: inout ReadBook?) -> ReadSession {
        ReadSession(self, book.take() ?? ReadBook(self))
    }
}

extension Connection {
    /// Prepares the statements of a list of channels and of a timeline without a filter.
    func prepareFirstReads() {
        prepare(Query<ChannelPage, StoredChannel>.channelsByLastMessage)
        prepare(Query<[Int64], StoredUser>.usersInRows)
        prepare(Query<Int64, StoredUser>.userByRow)
        prepare(Query<ChannelURL, ChannelRow>.channelRow)
        prepare(Query<CoverageKey, CoveredRange>.coverage)
        prepare(Query<MessageStretch, Void>.newestPage)
    }
}
