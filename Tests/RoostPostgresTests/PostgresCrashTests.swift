// SPDX-License-Identifier: Apache-2.0

import Glibc
import RoostTestSupport
import Synchronization
import Testing

@testable import RoostPostgres

/// Commits that lose their answer to a database that crashes before it can be asked about them.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct PostgresCrashTests {
    private struct Outcome {
        let result: Result<Int, PostgresError>
        let runs: Int
        let notes: [Int64]
    }

    /// Writes a note over a connection that is cut at the commit, and crashes the database then.
    private func write(
        cut: CuttingRelay.Cut, hasMarks: Bool = true, recognisesItself: Bool = false
    ) async throws -> Outcome {
        let server = try await PostgresServer(
            port: try FreePort.next(), settings: ["fsync=off"])
        let relay = try CuttingRelay(to: try #require(server.port))
        let pool = try await PostgresTests.pool(
            "host=127.0.0.1 port=\(relay.port) user=roost dbname=postgres", sessions: 1,
            patience: .seconds(60), hasMarks: hasMarks)
        var configuration = pool.configuration
        configuration.address = server.address
        let watcher = PostgresPool(configuration, on: try loop.get())
        let before = try await Self.era(watcher)
        let runs = Mutex(0)
        async let writing = Self.result { () async throws(PostgresError) in
            try await pool.write(recognisesItself: recognisesItself) {
                db async throws(PostgresError) -> Int in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                let known = try await db.all(
                    PostgresQuery("SELECT id FROM note") { $0.int64(0) })
                if known.isEmpty || !recognisesItself { db.add(PostgresTests.insert(7)) }
                if run == 1 { relay.cutNext(cut, isLasting: true) }
                return run
            }
        }
        while !relay.isRefusing { await Task.yield() }
        if case .beforeAnswer = cut {
            while try await PostgresTests.notes(watcher).isEmpty {}
        }
        // The server ends all sessions when it loses one, and begins a new era.
        let backend = try await watcher.read { db async throws(PostgresError) in
            try await db.first(PostgresQuery<Int64>("SELECT pg_backend_pid()") { $0.int64(0) })
        }
        let process = pid_t(try #require(backend))
        kill(process, SIGKILL)
        while try await Self.era(watcher) == before {}
        relay.revive()
        let outcome = Outcome(
            result: await writing, runs: runs.withLock { $0 },
            notes: try await PostgresTests.notes(watcher))
        await pool.close()
        await watcher.close()
        await server.end()
        return outcome
    }

    private static func result<T>(
        _ call: () async throws(PostgresError) -> T
    ) async -> Result<T, PostgresError> {
        do throws(PostgresError) {
            return .success(try await call())
        } catch {
            return .failure(error)
        }
    }

    private static func era(_ pool: PostgresPool) async throws -> PostgresEra? {
        try await pool.read { db async throws(PostgresError) in
            _ = try await db.all(PostgresQuery("SELECT 1") { $0.int64(0) })
            return db.era
        }
    }

    @Test func `a transaction that took effect before a crash is not repeated`() async throws {
        let outcome = try await write(cut: .beforeAnswer)
        #expect(try outcome.result.get() == 1)
        #expect(outcome.runs == 1)
        #expect(outcome.notes == [7])
    }

    @Test func `a transaction that a crash has undone is repeated`() async throws {
        let outcome = try await write(cut: .beforeQuestion)
        #expect(try outcome.result.get() == 2)
        #expect(outcome.notes == [7])
    }

    @Test func `work that recognises itself runs again after a crash`() async throws {
        let outcome = try await write(cut: .beforeAnswer, recognisesItself: true)
        #expect(try outcome.result.get() == 2)
        #expect(outcome.notes == [7])
    }

    @Test func `a transaction without a mark fails after a crash and is not repeated`()
        async throws
    {
        let outcome = try await write(cut: .beforeAnswer, hasMarks: false)
        #expect(throws: PostgresError.self) { try outcome.result.get() }
        #expect(outcome.runs == 1)
        #expect(outcome.notes == [7])
    }
}
