// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
package import RoostSockets

/// The sessions at a database, opened when they are needed and lent to one caller at a time.
///
/// A lost session is replaced by itself: the pool tries to open another as long as a call waits for
/// one, and goes to the host that accepts writes then.
package actor PostgresPool {
    private struct Waiter {
        let waiter: CheckedContinuation<Result<PostgresConnection, PostgresError>, Never>
        let alarm: LoopTimer
    }

    package nonisolated let configuration: PostgresConfiguration
    private nonisolated let loop: EventLoop
    private let dialer: PostgresDialer
    private var idle: [PostgresConnection] = []
    /// The sessions that are open or being opened.
    private var count = 0
    /// The waiting calls by their numbers, of which there may be thousands in an outage.
    private var waiters: [Int: Waiter] = [:]
    private var lastNumber = 0
    /// A number before which no call waits.
    private var firstNumber = 1
    private var isClosed = false
    /// The reason why the last attempt to open a session failed; nil after a success.
    private var lastFailure: PostgresError?
    /// Whether no session has worked since that failure.
    private var isAway = false
    /// The number of failed attempts since the last success.
    private var failedAttempts = 0
    /// All sessions, those in use included.
    private var sessions: [ObjectIdentifier: PostgresConnection] = [:]

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe loop.asUnownedSerialExecutor()
    }

    /// Makes a pool without a session.
    package init(_ configuration: PostgresConfiguration, on loop: EventLoop) {
        self.configuration = configuration
        self.loop = loop
        dialer = PostgresDialer(configuration)
    }

    /// Closes all sessions; calls under way fail.
    package func close() async {
        isClosed = true
        for connection in sessions.values { connection.end(.closed) }
        (idle, sessions) = ([], [:])
        failWaiters(.closed)
        // An attempt at a silent host takes seconds.
        await dialer.close()
    }

    /// The reason why the database is out of reach; nil while a session works.
    package var outage: PostgresError? { isAway ? lastFailure : nil }

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
        if let connection = takeIdle() { return connection }
        if count < configuration.sessions { open(after: .zero) }
        lastNumber += 1
        let number = lastNumber
        let giveUp: @Sendable () -> Void = { [weak self, loop] in
            Task(executorPreference: loop) { await self?.giveUp(number) }
        }
        let alarm: LoopTimer
        do throws(SocketError) {
            alarm = try LoopTimer(on: loop, onStop: giveUp, action: giveUp)
        } catch {
            throw PostgresError(.closed, error.message)
        }
        alarm.start(after: configuration.patience)
        let result = await withCheckedContinuation { waiter in
            let waiter = Waiter(waiter: waiter, alarm: alarm)
            // A session may have come back since the search above.
            if isClosed {
                finish(waiter, .failure(.closed))
            } else if let connection = takeIdle() {
                finish(waiter, .success(connection))
            } else {
                waiters[number] = waiter
                firstNumber = min(firstNumber, number)
            }
        }
        return try result.get()
    }

    private func takeIdle() -> PostgresConnection? {
        while let connection = idle.popLast() {
            guard connection.failure == nil else {
                // The call of `forget` that is under way will not find it among the idle ones.
                sessions[ObjectIdentifier(connection)] = nil
                count -= 1
                continue
            }
            connection.onLoss = nil
            return connection
        }
        return nil
    }

    private func finish(_ waiter: Waiter, _ result: Result<PostgresConnection, PostgresError>) {
        waiter.alarm.close()
        waiter.waiter.resume(returning: result)
    }

    /// Ends the wait of a caller whose patience is over.
    private func giveUp(_ number: Int) {
        guard let waiter = waiters.removeValue(forKey: number) else { return }
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
            sessions[ObjectIdentifier(connection)] = nil
            count -= 1
            lose()
            return
        }
        isAway = false
        if let waiter = takeWaiter() { return finish(waiter, .success(connection)) }
        let identity = ObjectIdentifier(connection)
        connection.onLoss = { [weak self, loop] in
            Task(executorPreference: loop) { await self?.forget(identity) }
        }
        idle.append(connection)
    }

    /// Forgets an idle session that has ended.
    private func forget(_ identity: ObjectIdentifier) {
        // A new session may have the identity of one that a caller found first.
        guard
            let index = idle.firstIndex(where: {
                ObjectIdentifier($0) == identity && $0.failure != nil
            })
        else { return }
        idle.remove(at: index)
        sessions[identity] = nil
        count -= 1
        lose()
    }

    /// Ends the idle sessions after the loss of one: their host is probably gone as well.
    private func lose() {
        for connection in idle {
            connection.end(.closed)
            sessions[ObjectIdentifier(connection)] = nil
        }
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
        // Those who waited may have got other sessions.
        guard delay == .zero || !waiters.isEmpty else {
            count -= 1
            return
        }
        do throws(PostgresError) {
            guard !isClosed else { throw .closed }
            let opened = try await dialer.dial()
            let connection = unsafe try PostgresConnection(
                opened.session, LibPQ.shared.get(), on: loop)
            do throws(PostgresError) {
                guard !isClosed else { throw .closed }
                try await prepare(connection)
                guard !isClosed else { throw .closed }
            } catch {
                connection.end(error)
                throw error
            }
            sessions[ObjectIdentifier(connection)] = connection
            lastFailure = nil
            failedAttempts = 0
            takeBack(connection)
        } catch {
            count -= 1
            failedAttempts += 1
            lastFailure = error
            isAway = true
            guard !isClosed else { return }
            // Only a change by a person helps, so nobody waits for another attempt.
            if error.kind == .library || error.kind == .rejected { failWaiters(error) }
            guard !waiters.isEmpty else { return }
            open(after: .milliseconds(min(100 << min(failedAttempts, 4), 1_000)))
        }
    }

    private func failWaiters(_ error: PostgresError) {
        while let waiter = takeWaiter() { finish(waiter, .failure(error)) }
    }

    /// Removes the call that waits for the longest time.
    private func takeWaiter() -> Waiter? {
        while firstNumber <= lastNumber {
            firstNumber += 1
            if let waiter = waiters.removeValue(forKey: firstNumber - 1) { return waiter }
        }
        return nil
    }

    /// Sets the schema and the limits of a new session, learns the timeline, and names its mark.
    private func prepare(_ connection: PostgresConnection) async throws(PostgresError) {
        let schema = configuration.schema
        let rows = try await connection.run(
            [
                (Self.settings, [.text(schema), .text(Self.lockTimeout)]),
                (Self.timeline, []),
            ], patience: configuration.patience
        ).rows
        guard rows.count == 2, rows[1].count == 1 else {
            throw .malformed("timeline", because: "The server gave no answer.")
        }
        let row = PostgresRow(rows: rows[1], index: 0)
        connection.timeline = row.int64(0)
        guard row.text(1) == "UTF8" else {
            throw PostgresError(
                .rejected,
                "The database has the encoding \(row.text(1)), which lacks most characters. Create "
                    + "one with the encoding UTF8.")
        }
        if row.bool(3) { connection.mark = row.text(4) }
        guard row.bool(2) else { return }
        let era = try await connection.run(
            [(.newEra, []), (.era, [])], patience: configuration.patience
        ).rows
        if era.count == 2, era[1].count == 1 {
            let row = PostgresRow(rows: era[1], index: 0)
            connection.era = PostgresEra(
                name: row.text(0), start: row.int64(1), timeline: connection.timeline)
        }
    }

    /// The longest wait of a session for a lock.
    package static let lockTimeout = "4s"

    /// The settings of each session.
    ///
    /// Their limits are below the patience of a call, so the server gives a statement up before the
    /// call gives the session up. A lock or a forgotten transaction must not hold others up for long.
    ///
    /// Each statement finds its rows by an index. Without statistics, as in a new database, the planner
    /// expects small tables, decides to read or to hash all of them, and keeps that plan while they
    /// grow; so both are forbidden while there is an index. Compiling a plan takes longer than any of
    /// these statements.
    private static let settings: PostgresSQL = """
        SELECT set_config('search_path', $1, false), set_config('lock_timeout', $2, false),
            set_config('statement_timeout', '8s', false),
            set_config('idle_in_transaction_session_timeout', '4s', false),
            set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
            set_config('enable_mergejoin', 'off', false), set_config('jit', 'off', false)
        """

    /// The first eight digits of a file of the write-ahead log are its timeline.
    private static let timeline: PostgresSQL = """
        SELECT ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int::bigint,
            current_setting('server_encoding'), to_regclass('era') IS NOT NULL,
            to_regclass('attempt') IS NOT NULL, gen_random_uuid()
        """

    func pause(_ delay: Duration) async {
        await withCheckedContinuation { waiter in
            let timer = Guarded<LoopTimer?>(nil)
            let onStop: @Sendable () -> Void = {
                timer.withLock { $0 = nil }
                waiter.resume()
            }
            let made = try? LoopTimer(on: loop, onStop: onStop) {
                let fired = timer.withLock { timer -> LoopTimer? in
                    defer { timer = nil }
                    return timer
                }
                fired?.close()
                waiter.resume()
            }
            // A loop that stops makes no timer.
            guard let made else { return waiter.resume() }
            timer.withLock { $0 = made }
            made.start(after: delay)
        }
    }
}
