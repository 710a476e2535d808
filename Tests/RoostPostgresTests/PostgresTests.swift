// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostSockets
import RoostTestSupport
import Synchronization
import Testing

@testable import RoostPostgres

/// The event loop of all tests.
let loop = Result { () throws(SocketError) in try EventLoop.start() }

struct PostgresTests {
    static func pool(
        _ address: String? = nil, sessions: Int = 3, patience: Duration = .seconds(10),
        hasMarks: Bool = true
    ) async throws -> PostgresPool {
        var configuration = PostgresConfiguration(
            try await address.orAsync { try await PostgresServer.shared().address })
        configuration.schema = PostgresServer.schemaName()
        configuration.name = configuration.schema
        configuration.sessions = sessions
        configuration.patience = patience
        let maker = PostgresPool(configuration, on: try loop.get())
        let schema = try #require(PostgresSQL.createSchema(configuration.schema))
        try await maker.write { db async throws(PostgresError) in
            db.add(PostgresQuery(schema))
            db.add(PostgresQuery(.once("CREATE TABLE note (id int PRIMARY KEY)")))
            db.add(
                PostgresQuery(
                    .once("CREATE UNLOGGED TABLE era (id int PRIMARY KEY, name uuid NOT NULL)")))
            if hasMarks { db.add(PostgresQuery(Self.marks)) }
        }
        await maker.close()
        // A session learns the era when it opens.
        return PostgresPool(configuration, on: try loop.get())
    }

    private static let marks: PostgresSQL = .once(
        """
        CREATE TABLE attempt (
            session uuid PRIMARY KEY, change xid8 NOT NULL, at timestamptz NOT NULL)
        """)

    static func notes(_ pool: PostgresPool) async throws -> [Int64] {
        try await pool.read { db async throws(PostgresError) in
            try await db.all(PostgresQuery("SELECT id FROM note ORDER BY id") { $0.int64(0) })
        }
    }

    static func insert(_ id: Int64) -> PostgresQuery<Void> {
        PostgresQuery("INSERT INTO note VALUES ($1)", .int(id))
    }

    @Test func `attempts that have not begun when a pool closes are not made`() async throws {
        let dialer = PostgresDialer(PostgresConfiguration("host=127.0.0.1 port=1"))
        for kind in [PostgresError.Kind.unreachable, .closed] {
            await #expect {
                _ = try await dialer.dial()
            } throws: {
                ($0 as? PostgresError)?.kind == kind
            }
            await dialer.close()
        }
    }

    @Test func `sessions do not pass a silent host one after the other`() async throws {
        let server = try await PostgresServer.onOwnPort()
        let silent = try SilentListener()
        let port = try #require(server.port)
        var configuration = PostgresConfiguration(
            "host=127.0.0.1,127.0.0.1 port=\(silent.port),\(port) user=roost dbname=postgres")
        configuration.sessions = 8
        var failure: (any Error)?
        // A busy machine may need more time for a session, so the limits grow.
        for factor in [1, 2, 4, 8] {
            // In turn, eight sessions take eight times as long as one at the least.
            configuration.connectPatience = .seconds(2 * factor)
            configuration.patience = .seconds(12 * factor)
            let pool = PostgresPool(configuration, on: try loop.get())
            do {
                try await Self.borrowAll(of: pool)
                failure = nil
            } catch {
                failure = error
            }
            await pool.close()
            if failure == nil { break }
        }
        #expect(failure == nil)
        await server.end()
    }

    /// Borrows all sessions of a pool at the same time.
    private static func borrowAll(of pool: PostgresPool) async throws {
        let open = Guarded(0)
        let all = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<pool.configuration.sessions {
                group.addTask {
                    // A failure must not hold the others.
                    defer { all.open() }
                    try await pool.lend { session async throws(PostgresError) in
                        let count = open.withLock { open in
                            open += 1
                            return open
                        }
                        if count == pool.configuration.sessions { all.open() }
                        await all.wait()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: [
        (["password authentication failed for user \"a\""], true),
        (["database \"a\" does not exist", "database \"a\" does not exist"], true),
        (["no pg_hba.conf entry for host", "Connection refused\n\tIs the server running?"], false),
        (["Connection refused\n\tIs the server running?", "database \"a\" does not exist"], false),
        (["cannot accept connections in hot standby mode", "timeout expired"], false),
    ])
    func `an address is refused for good only if each of its hosts refuses it`(
        reasons: [String], isFinal: Bool
    ) {
        let report = reasons.enumerated().map { number, reason in
            "connection to server at \"h\(number)\", port 5432 failed: \(reason)\n"
        }.joined()
        let error = PostgresError.unreachable(report, at: "postgresql://a@h0,h1/a")
        #expect(error.kind == (isFinal ? .rejected : .unreachable))
    }

    @Test func `a host with two addresses refuses for good if one of them does`() {
        let report = """
            connection to server at "localhost" (::1), port 5432 failed: Connection refused
            connection to server at "localhost" (127.0.0.1), port 5432 failed: \
            FATAL:  password authentication failed for user "a"
            """
        let error = PostgresError.unreachable(report, at: "postgresql://a@localhost/a")
        #expect(error.kind == .rejected)
    }

    @Test func `every text comes back as it was, alone and in a list`() async throws {
        let texts = [
            "", "a", "'", "\"", "\\", "{a,b}", "NULL", "a\u{0}b", "\u{1}", "\u{1}0", "\u{0}\u{1}1",
            "🐔\u{200D}\u{FFFF}", "line\nbreak", String(repeating: "x", count: 100_000),
        ]
        let pool = try await Self.pool()
        let found = try await pool.read { db async throws(PostgresError) in
            var found: [String] = []
            for text in texts {
                found += try await db.all(
                    PostgresQuery("SELECT $1::text", .text(text)) { $0.text(0) })
            }
            return found
        }
        #expect(found == texts)
        let list = try await pool.read { db async throws(PostgresError) in
            try await db.all(
                PostgresQuery("SELECT * FROM unnest($1::text[])", .texts(texts + [nil])) {
                    $0.optionalText(0)
                })
        }
        #expect(list == texts + [nil])
        let sorted = try await pool.read { db async throws(PostgresError) in
            try await db.all(
                PostgresQuery(
                    "SELECT t FROM unnest($1::text[]) AS t ORDER BY t COLLATE \"C\"",
                    .texts(texts)
                ) { $0.text(0) })
        }
        #expect(
            sorted.map { Array($0.utf8) }
                == texts.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test func `numbers, flags and missing values come back`() async throws {
        let pool = try await Self.pool()
        let row = try await pool.read { db async throws(PostgresError) in
            try await db.first(
                PostgresQuery(
                    "SELECT $1::bigint, $2::bigint, $3::boolean, $4::text, $5::bigint[]",
                    .int(.min), .null, .bool(true), .null, .ints([1, nil, .max])
                ) { row in
                    "\(row.int64(0)) \(row.optionalInt64(1) as Int64?) \(row.bool(2)) "
                        + "\(row.optionalText(3) as String?) \(row.text(4))"
                })
        }
        #expect(row == "-9223372036854775808 nil true nil {1,NULL,9223372036854775807}")
    }

    @Test func `a refused statement undoes its transaction, and the session stays`() async throws {
        let pool = try await Self.pool(sessions: 1)
        await #expect(throws: PostgresError.self) {
            try await pool.write { db async throws(PostgresError) in
                db.add(Self.insert(1))
                _ = try await db.all(PostgresQuery("SELECT 1 / (id - 1) FROM note") { $0.int64(0) })
            }
        }
        do {
            try await pool.write { db async throws(PostgresError) in
                db.add(Self.insert(2))
                db.add(Self.insert(2))
            }
            Issue.record("The same number twice was stored.")
        } catch {
            #expect(error.kind == .refused("23505"))
        }
        try await pool.write { db async throws(PostgresError) in db.add(Self.insert(3)) }
        #expect(try await Self.notes(pool) == [3])
    }

    @Test func `two transactions that lock each other out are both done`() async throws {
        let pool = try await Self.pool()
        try await pool.write { db async throws(PostgresError) in
            for id in 1...2 { db.add(Self.insert(Int64(id))) }
            db.add(PostgresQuery(.once("CREATE TABLE tally (id int PRIMARY KEY, n int)")))
            db.add(PostgresQuery(.once("INSERT INTO tally VALUES (1, 0), (2, 0)")))
        }
        let count = PostgresSQL(
            stringLiteral: "UPDATE tally SET n = n + 1 WHERE id = $1 RETURNING n")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for order in [[1, 2], [2, 1]] {
                for _ in 0..<5 {
                    group.addTask {
                        try await pool.write { db async throws(PostgresError) in
                            for id in order {
                                _ = try await db.all(
                                    PostgresQuery(count, .int(Int64(id))) { $0.int64(0) })
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let sums = try await pool.read { db async throws(PostgresError) in
            try await db.all(PostgresQuery("SELECT n FROM tally ORDER BY id") { $0.int64(0) })
        }
        #expect(sums == [10, 10])
    }

    @Test(arguments: [CuttingRelay.Cut.beforeAnswer, .beforeQuestion])
    func `a commit whose answer is lost takes effect once`(cut: CuttingRelay.Cut) async throws {
        let server = try await PostgresServer.onOwnPort()
        let relay = try CuttingRelay(to: try #require(server.port))
        let pool = try await Self.pool(
            "host=127.0.0.1 port=\(relay.port) user=roost dbname=postgres", sessions: 1)
        let runs = Mutex(0)
        let number = try await pool.write { db async throws(PostgresError) -> Int in
            let run = runs.withLock { runs in
                runs += 1
                return runs
            }
            _ = try await db.all(PostgresQuery("SELECT 1") { $0.int64(0) })
            db.add(Self.insert(7))
            if run == 1 { relay.cutNext(cut) }
            return run
        }
        #expect(relay.hasCut)
        #expect(try await Self.notes(pool) == [7])
        if case .beforeAnswer = cut {
            #expect(number == 1)
        } else {
            #expect(number == 2)
        }
        await server.end()
    }

    @Test func `a commit that no standby has is no success (cluster)`() async throws {
        let server = try await PostgresServer(
            port: try FreePort.next(), settings: ["fsync=off"])
        let pool = try await Self.pool(server.address, sessions: 2, patience: .seconds(3))
        try await pool.write { db async throws(PostgresError) in db.add(Self.insert(1)) }
        try server.set("synchronous_standby_names", to: "nobody")
        // The server reads its settings a moment later.
        var failure: (any Error)?
        var number: Int64 = 2
        while failure == nil {
            let next = number
            do {
                try await pool.write { db async throws(PostgresError) in
                    db.add(PostgresQuery(.once("SET LOCAL statement_timeout = '300ms'")))
                    db.add(Self.insert(next))
                }
                number += 1
            } catch {
                failure = error
            }
        }
        try server.set("synchronous_standby_names", to: "")
        let last = number
        try await pool.write { db async throws(PostgresError) in
            // As the caller's repeat does, it finds what the first attempt left.
            db.add(
                PostgresQuery("INSERT INTO note VALUES ($1) ON CONFLICT DO NOTHING", .int(last)))
        }
        #expect(try await Self.notes(pool) == Array(1...last))
        await server.end()
    }

    @Test
    func `a commit that waits for a standby longer than the patience of a question runs once`()
        async throws
    {
        let server = try await PostgresServer(
            port: try FreePort.next(), settings: ["fsync=off"])
        let relay = try CuttingRelay(to: try #require(server.port))
        let pool = try await Self.pool(
            "host=127.0.0.1 port=\(relay.port) user=roost dbname=postgres", sessions: 1,
            patience: .seconds(30))
        let watcher = try await Self.pool(server.address)
        let waiting: PostgresSQL = """
            SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'
            """
        // The first session of a pool notes the era, and must not wait.
        _ = try await Self.notes(pool)
        try server.set("synchronous_standby_names", to: "nobody")
        let setting: PostgresSQL = """
            SELECT count(*) FROM pg_settings
            WHERE name = 'synchronous_standby_names' AND setting = 'nobody'
            """
        while try await Self.count(watcher, setting) == 0 {}
        let runs = Mutex(0)
        async let writing: Void = pool.write { db async throws(PostgresError) in
            runs.withLock { $0 += 1 }
            _ = try await db.all(PostgresQuery("SELECT 1") { $0.int64(0) })
            db.add(Self.insert(7))
        }
        while try await Self.count(watcher, waiting) == 0 {}
        relay.kill()
        relay.revive()
        // The connection is gone; the commit goes on waiting.
        _ = try await Self.count(
            watcher, "SELECT count(*) FROM (SELECT pg_sleep(6.5)) AS pause")
        #expect(try await Self.count(watcher, waiting) == 1)
        try server.set("synchronous_standby_names", to: "")
        try await writing
        #expect(runs.withLock { $0 } == 1)
        #expect(try await Self.notes(pool) == [7])
        await server.end()
    }

    private static func count(_ pool: PostgresPool, _ sql: PostgresSQL) async throws -> Int64 {
        try await pool.read { db async throws(PostgresError) in
            try await db.first(PostgresQuery<Int64>(sql) { $0.int64(0) }) ?? 0
        }
    }

    @Test func `a refused session beside one that works is no outage`() async throws {
        let server = try await PostgresServer(
            port: try FreePort.next(),
            settings: ["fsync=off", "max_connections=1", "superuser_reserved_connections=0"])
        let pool = try await Self.pool(server.address, sessions: 2)
        let second = Mutex<Task<[Int64], any Error>?>(nil)
        try await pool.write { db async throws(PostgresError) in
            _ = try await db.all(PostgresQuery("SELECT 1") { $0.int64(0) })
            second.withLock { $0 = Task { try await Self.notes(pool) } }
            while await pool.outage == nil { await Task.yield() }
        }
        #expect(try await second.withLock { $0 }?.value == [])
        #expect(await pool.outage == nil)
        await server.end()
    }

    @Test func `an era has a name, and begins with the transaction that noted it`() async throws {
        let pool = try await Self.pool()
        let (era, number) = try await pool.write { db async throws(PostgresError) in
            let number = try await db.first(
                PostgresQuery<Int64>("SELECT xmin::text::bigint FROM era") { $0.int64(0) })
            return (db.era, number)
        }
        // The tests' database is too young for a second half of its numbers.
        #expect(era?.start == number)
        #expect(era?.shortName.count == 8)
        #expect(era?.timeline == 1)
    }

    @Test func `calls wait for a database that comes back, and go on by themselves`() async throws {
        let server = try await PostgresServer.onOwnPort()
        let relay = try CuttingRelay(to: try #require(server.port))
        let pool = try await Self.pool(
            "host=127.0.0.1 port=\(relay.port) user=roost dbname=postgres")
        relay.kill()
        async let waiting: Void = pool.write { db async throws(PostgresError) in
            db.add(Self.insert(1))
        }
        while await pool.outage == nil { await Task.yield() }
        relay.revive()
        try await waiting
        #expect(try await Self.notes(pool) == [1])
        #expect(await pool.outage == nil)
        await server.end()
    }

    @Test func `sessions that the server ends are replaced`() async throws {
        let pool = try await Self.pool()
        let other = try await Self.pool()
        for _ in 0..<3 {
            _ = try await Self.notes(pool)
            let schema = pool.configuration.schema
            let ended = try await other.write { db async throws(PostgresError) in
                try await db.first(
                    PostgresQuery(
                        """
                        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                        WHERE application_name = $1
                        """, .text(schema)
                    ) { $0.int64(0) })
            }
            #expect(try #require(ended) > 0)
            try await pool.write { db async throws(PostgresError) in
                db.add(PostgresQuery("DELETE FROM note"))
            }
        }
    }

    @Test func `a session that ends just before a call takes it is closed`() async throws {
        let pool = try await Self.pool(sessions: 1)
        for _ in 0..<3 { #expect(try await pool.hasSessionEndingBeforeCall() == false) }
        #expect(try await Self.notes(pool) == [])
    }

    @Test(arguments: [
        ("host=/nowhere user=roost", "Check that PostgreSQL runs there"),
        ("postgresql://127.0.0.1:notaport/x", "Write --database as postgresql://"),
        ("host=127.0.0.1 port", "Write --database as postgresql://"),
    ])
    func `a wrong address is answered by a sentence that says what to do`(
        address: String, remedy: String
    ) async throws {
        do {
            _ = try await Self.pool(address, patience: .seconds(1))
            Issue.record("A wrong address was accepted.")
        } catch let error as PostgresError {
            #expect(error.message.contains(remedy), "\(error)")
        }
    }

    @Test func `an unknown database or user is told at once, without the password`() async throws {
        let server = try await PostgresServer.shared()
        do {
            _ = try await Self.pool(server.address + "x password=secret", patience: .seconds(60))
            Issue.record("An unknown database was accepted.")
        } catch let error as PostgresError {
            #expect(error.kind == .rejected)
            #expect(error.message.contains("createdb"), "\(error)")
            #expect(!error.message.contains("secret"))
        }
    }

    @Test func `an answer may take longer than the wait for a session`() async throws {
        let maker = try await Self.pool()
        await maker.close()
        var configuration = maker.configuration
        configuration.answerPatience = .seconds(60)
        var answer: Int64?
        for seconds in [1, 2, 4, 8, 16] where answer == nil {
            configuration.patience = .seconds(seconds)
            let pool = PostgresPool(configuration, on: try loop.get())
            // A busy machine may need more time for the session, so a failure doubles the limit.
            answer = try? await pool.read { db async throws(PostgresError) in
                try await db.first(
                    PostgresQuery<Int64>(
                        "SELECT 7 FROM (SELECT pg_sleep(1.5 * $1::float8)) AS work",
                        .int(Int64(seconds))
                    ) { $0.int64(0) })
            }
            await pool.close()
        }
        #expect(answer == 7)
    }

    @Test func `a closed pool refuses calls`() async throws {
        let pool = try await Self.pool()
        await pool.close()
        await #expect(throws: PostgresError.self) { try await Self.notes(pool) }
    }
}

extension PostgresPool {
    /// Ends the idle session and makes a call before the pool learns of the end.
    ///
    /// - Returns: Whether the pool still has the ended session.
    fileprivate func hasSessionEndingBeforeCall() async throws(PostgresError) -> Bool {
        var session = try await lend { connection in connection }
        weak let ended = session
        session.end(.closed)
        session = try await lend { connection in connection }
        return ended != nil
    }
}

extension Optional {
    fileprivate func orAsync(_ other: () async throws -> Wrapped) async rethrows -> Wrapped {
        if let self { return self }
        return try await other()
    }
}

extension PostgresServer {
    /// Starts a server on a free port.
    fileprivate static func onOwnPort() async throws -> PostgresServer {
        try await PostgresServer(port: try FreePort.next())
    }
}
