// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCluster
import RoostModel
import RoostPostgres
import RoostServer
import RoostTestSupport
import RoostWire
import Synchronization
import Testing

/// Servers on a database that crashes, or whose standby is away.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct FailoverTests {
    private static func number(
        _ pool: PostgresPool, _ sql: PostgresSQL
    ) async throws -> Int64 {
        // A mark of the transaction would be a logged change.
        try await pool.write(recognisesItself: true) { db async throws(PostgresError) in
            try await db.first(PostgresQuery<Int64>(sql) { $0.int64(0) }) ?? 0
        }
    }

    @Test(arguments: [true, false])
    func `messages arrive once after a crash that gives numbers of transactions again`(
        hasBus: Bool
    ) async throws {
        // On a machine with much other work the writer may come in time, and no number is lost.
        for _ in 1...5 where try await sendsAcrossCrash(hasBus) { return }
        Issue.record("No crash gave a number again.")
    }

    /// Returns whether the crash gave numbers again; nothing is proved otherwise.
    private func sendsAcrossCrash(_ hasBus: Bool) async throws -> Bool {
        // Numbers that no logged change needs are lost by a crash, unless the writer comes in time.
        let database = try await PostgresServer(settings: ["fsync=off", "wal_writer_delay=10s"])
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob(on: database)
        scene.bus.connect(hasBus)
        await scene.servers[0].send("zero", "r0", to: "g", on: ann)
        await scene.settle()
        #expect(try ClusterScene.texts(bob) == ["zero"])
        // The states of quiet channels are forgotten.
        scene.advance(DeliveryOrder.memory)
        var last: Int64 = 0
        for _ in 0..<200 {
            last = try await Self.number(scene.pool, "SELECT pg_current_xact_id()::text::bigint")
        }
        await scene.settle()
        let backend = try await Self.number(scene.pool, "SELECT pg_backend_pid()")
        kill(pid_t(backend), SIGKILL)
        for number in 1...3 {
            await scene.servers[0].send("\(number)", RequestID("r\(number)"), to: "g", on: ann)
        }
        let change = try await Self.number(
            scene.pool, "SELECT max(change::text::bigint) FROM message")
        guard change > 0, change < last else {
            await scene.pool.close()
            await database.end()
            return false
        }
        await scene.settle()
        #expect(try ClusterScene.texts(bob) == ["1", "2", "3"])
        // With notices, none of them is read.
        #expect(await scene.fanOuts[1].counts.readings == 0 || !hasBus)
        await scene.servers[1].send("4", "r4", to: "g", on: bob)
        await scene.settle()
        #expect(try ClusterScene.texts(ann).suffix(1) == ["4"])
        #expect(try ClusterScene.texts(bob) == ["4"])
        await scene.pool.close()
        await database.end()
        return true
    }

    @Test func `a message that no standby has is shown to nobody before one has it`()
        async throws
    {
        let database = try await PostgresServer(settings: ["fsync=off"])
        let (scene, ann, bob) = try await ClusterScene.withAnnAndBob(
            on: database, patience: .seconds(2))
        scene.bus.connect(false)
        let tool = try await scene.pool.read { db async throws(PostgresError) in
            try await db.first(PostgresQuery<Int64>("SELECT 1") { $0.int64(0) })
        }
        #expect(tool == 1)
        try database.set("synchronous_standby_names", to: "nobody")
        // The server reads its settings a moment later.
        while try await Self.value(scene.pool, "SHOW synchronous_standby_names") != "nobody" {}
        let hasEnded = Mutex(false)
        async let call: Void = {
            await scene.servers[0].send("alone", "r1", to: "g", on: ann)
            for _ in 0..<2 {
                await scene.fanOuts[1].sweep()
                scene.advance(.milliseconds(60))
                await scene.fanOuts[1].tick()
            }
            hasEnded.withLock { $0 = true }
        }()
        // The commit becomes visible when the server gives its wait up.
        while !hasEnded.withLock({ $0 }) {
            _ = try await Self.value(
                scene.pool,
                """
                SELECT count(pg_cancel_backend(pid))::text FROM pg_stat_activity
                WHERE wait_event = 'SyncRep'
                """)
        }
        await call
        let stored = try await Self.value(scene.pool, "SELECT count(*)::text FROM message")
        #expect(stored == "1")
        #expect(try ClusterScene.texts(bob).isEmpty)
        try database.set("synchronous_standby_names", to: "")
        scene.advance(.milliseconds(60))
        await scene.settle()
        #expect(try ClusterScene.texts(bob) == ["alone"])
        await scene.pool.close()
        await database.end()
    }

    @Test func `a change is made once although the database crashes before its answer`()
        async throws
    {
        let database = try await PostgresServer(
            port: try FreePort.next(), settings: ["fsync=off"])
        let relay = try CuttingRelay(to: try #require(database.port))
        let loop = try PostgresStorage.testLoop()
        var configuration = try await PostgresStorage.testConfiguration()
        configuration.address = database.address
        let tool = PostgresPool(configuration, on: loop)
        try await PostgresMigrator(tool).migrate()
        await tool.close()
        configuration.patience = .seconds(60)
        let watcher = PostgresPool(configuration, on: loop)
        configuration.address = "host=127.0.0.1 port=\(relay.port) user=roost dbname=postgres"
        configuration.sessions = 1
        let pool = PostgresPool(configuration, on: loop)
        let storage = try await PostgresStorage(pool)
        let now = Timestamp(milliseconds: 1_000_000)
        try await storage.addUser(User(id: "a"))
        _ = try await storage.createChannel(
            StorageContractTests.channel("g", ["a"]), now: now)
        let era = try await Self.value(watcher, "SELECT name::text FROM era")
        let runs = Mutex(0)
        async let changing = storage.updateChannel("g", now: now) { record in
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            record.name += "x"
            if run == 1 { relay.cutNext(.beforeAnswer, isLasting: true) }
        }
        while !relay.isRefusing { await Task.yield() }
        let name: PostgresSQL = "SELECT name FROM channel WHERE url = 'g'"
        while try await Self.value(watcher, name) != "x" {}
        let backend = try await Self.number(watcher, "SELECT pg_backend_pid()")
        kill(pid_t(backend), SIGKILL)
        while try await Self.value(watcher, "SELECT name::text FROM era") == era {}
        relay.revive()
        let record = try await changing
        #expect(record?.name == "x")
        #expect(runs.withLock { $0 } == 1)
        #expect(try await Self.value(watcher, name) == "x")
        for pool in [pool, watcher] { await pool.close() }
        await database.end()
    }

    private static func value(
        _ pool: PostgresPool, _ sql: PostgresSQL
    ) async throws -> String? {
        try await pool.read { db async throws(PostgresError) in
            try await db.first(PostgresQuery<String>(sql) { $0.text(0) })
        }
    }
}
