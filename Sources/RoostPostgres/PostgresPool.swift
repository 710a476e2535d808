// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
package import RoostSockets

/// The sessions at a database, opened when they are needed and lent to one caller at a time.
///
/// A lost session is replaced by itself: the pool tries to open another as long as somebody waits for
/// one, and goes to the host that accepts writes then.
package actor PostgresPool {
    private struct Waiter {
        let number: Int
        let waiter: CheckedContinuation<Result<PostgresConnection, PostgresError>, Never>
        let alarm: LoopAlarm
    }

    package nonisolated let configuration: PostgresConfiguration
    private nonisolated let loop: EventLoop
    private let dialer: PostgresDialer
    private let dialThread: ThreadExecutor
    private var idle: [PostgresConnection] = []
    /// The sessions that are open or being opened.
    private var count = 0
    private var waiters: [Waiter] = []
    private var lastNumber = 0
    private var isClosed = false
    /// The reason why the last attempt to open a session failed; nil after a success.
    private var lastFailure: PostgresError?
    /// The number of failed attempts since the last success.
    private var failedAttempts = 0
    private var lossesSeen = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe loop.asUnownedSerialExecutor()
    }

    /// Makes a pool without a session.
    package init(_ configuration: PostgresConfiguration, on loop: EventLoop) {
        self.configuration = configuration
        self.loop = loop
        dialThread = ThreadExecutor(name: "roost.dial")
        dialer = PostgresDialer(configuration, loop, on: dialThread)
    }

    /// Closes all sessions; calls under way fail.
    package func close() async {
        isClosed = true
        for connection in idle { connection.end(.closed) }
        idle = []
        for waiter in waiters { finish(waiter, .failure(.closed)) }
        waiters = []
        await dialThread.shutDown()
    }

    /// The reason why the database is out of reach; nil while the last attempt succeeded.
    package var outage: PostgresError? { lastFailure }

    // MARK: Lending

    /// Lends a session to the work and takes it back afterwards.
    ///
    /// - Throws: The error of the work; `.unreachable` if no session came within the patience.
    func lend<T>(
        _ work: (PostgresConnection) async throws(PostgresError) -> T
    ) async throws(PostgresError) -> T {
        let connection = try await borrow()
        do throws(PostgresError) {
            let result = try await work(connection)
            takeBack(connection)
            return result
        } catch {
            takeBack(connection)
            throw error
        }
    }

    private func borrow() async throws(PostgresError) -> PostgresConnection {
        guard !isClosed else { throw .closed }
        while let connection = idle.popLast() {
            if connection.failure == nil {
                connection.onLoss = nil
                return connection
            }
        }
        if count < configuration.sessions { open(after: .zero) }
        lastNumber += 1
        let number = lastNumber
        let alarm: LoopAlarm
        do throws(SocketError) {
            alarm = try LoopAlarm(on: loop) { [weak self, loop] in
                Task(executorPreference: loop) { await self?.giveUp(number) }
            }
        } catch {
            throw PostgresError(.closed, error.message)
        }
        alarm.start(after: configuration.patience)
        let result = await withCheckedContinuation { waiter in
            waiters.append(Waiter(number: number, waiter: waiter, alarm: alarm))
        }
        return try result.get()
    }

    private func finish(_ waiter: Waiter, _ result: Result<PostgresConnection, PostgresError>) {
        waiter.alarm.close()
        waiter.waiter.resume(returning: result)
    }

    /// Ends the wait of a caller whose patience is over.
    private func giveUp(_ number: Int) {
        guard let index = waiters.firstIndex(where: { $0.number == number }) else { return }
        let waiter = waiters.remove(at: index)
        finish(
            waiter,
            .failure(
                lastFailure
                    ?? PostgresError(
                        .unreachable,
                        "All \(configuration.sessions) sessions at the database are busy; give the "
                            + "server more of them, or the database more processors.")))
    }

    private func takeBack(_ connection: PostgresConnection) {
        guard connection.failure == nil, !isClosed else {
            connection.end(.closed)
            count -= 1
            lose()
            return
        }
        guard waiters.isEmpty else {
            finish(waiters.removeFirst(), .success(connection))
            return
        }
        let identity = ObjectIdentifier(connection)
        connection.onLoss = { [weak self, loop] in
            Task(executorPreference: loop) { await self?.forget(identity) }
        }
        idle.append(connection)
    }

    /// Forgets an idle session that has ended.
    private func forget(_ identity: ObjectIdentifier) {
        guard let index = idle.firstIndex(where: { ObjectIdentifier($0) == identity }) else {
            return
        }
        idle.remove(at: index)
        count -= 1
        lose()
    }

    /// Ends the idle sessions after the loss of one: their host is probably gone as well.
    private func lose() {
        lossesSeen += 1
        for connection in idle { connection.end(.closed) }
        count -= idle.count
        idle = []
        if !waiters.isEmpty, count < configuration.sessions { open(after: .zero) }
    }

    // MARK: Opening

    private func open(after delay: Duration) {
        count += 1
        Task(executorPreference: loop) { await self.dial(after: delay) }
    }

    private func dial(after delay: Duration) async {
        if delay > .zero { await pause(delay) }
        do throws(PostgresError) {
            guard !isClosed else { throw .closed }
            let opened = try await dialer.dial()
            let connection = unsafe try PostgresConnection(
                opened.session, LibPQ.shared.get(), on: loop)
            try await prepare(connection)
            lastFailure = nil
            failedAttempts = 0
            takeBack(connection)
        } catch {
            count -= 1
            failedAttempts += 1
            lastFailure = error
            guard !isClosed else { return }
            // Only a change by a person helps, so nobody waits for another attempt.
            if error.kind == .library || error.kind == .rejected { failWaiters(error) }
            guard !waiters.isEmpty else { return }
            open(after: .milliseconds(min(100 << min(failedAttempts, 4), 1_000)))
        }
    }

    private func failWaiters(_ error: PostgresError) {
        let failed = waiters
        waiters = []
        for waiter in failed { finish(waiter, .failure(error)) }
    }

    /// Sets the schema and the limits of a new session, and learns the timeline.
    private func prepare(_ connection: PostgresConnection) async throws(PostgresError) {
        let schema = configuration.schema
        let rows = try await connection.run(
            [
                (Self.settings, [.text(schema)]),
                (Self.timeline, []),
            ], patience: configuration.patience
        ).rows
        guard rows.count == 2, rows[1].count == 1 else {
            throw .malformed("timeline", because: "The server gave no answer.")
        }
        connection.timeline = PostgresRow(rows: rows[1], index: 0).int64(0)
    }

    /// The limits are those of one statement; a lock or a forgotten transaction must not hold others
    /// up for ever.
    private static let settings: PostgresSQL = """
        SELECT set_config('search_path', $1, false), set_config('lock_timeout', '8s', false),
            set_config('statement_timeout', '30s', false),
            set_config('idle_in_transaction_session_timeout', '15s', false)
        """

    /// The first eight digits of a file of the write-ahead log are its timeline.
    private static let timeline: PostgresSQL = """
        SELECT ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int::bigint
        """

    func pause(_ delay: Duration) async {
        await withCheckedContinuation { waiter in
            let alarm = Guarded<LoopAlarm?>(nil)
            let ring = try? LoopAlarm(on: loop) {
                alarm.withLock { $0?.close() }
                waiter.resume()
            }
            guard let ring else { return waiter.resume() }
            alarm.withLock { $0 = ring }
            ring.start(after: delay)
        }
    }
}
