// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostModel
import RoostPostgres
import RoostServer
import RoostTestSupport
import Testing

/// The rows that the database reads for a call.
struct PostgresPlanTests {
    private static let now = Timestamp(milliseconds: 1_000_000)

    private static func message(
        _ number: Int, from sender: UserID = "u0", to url: ChannelURL = "g0"
    ) -> Message {
        StorageContractTests.draft(
            "\(number)", from: sender, request: RequestID("r\(number)"), to: url)
    }

    /// The rows of all tables that have been read since the beginning.
    private static func rowsRead(_ pool: PostgresPool) async throws -> Int64 {
        // A session tells its counts at most once a second, unless it must.
        _ = try await pool.read { db async throws(PostgresError) in
            try await db.all(
                PostgresQuery("SELECT 1 FROM pg_stat_force_next_flush()") { _ in 0 })
        }
        return try await pool.read { db async throws(PostgresError) in
            try await db.first(
                PostgresQuery(
                    """
                    SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint
                    FROM pg_stat_user_tables WHERE schemaname = current_schema()
                    """
                ) { $0.int64(0) }) ?? 0
        }
    }

    /// The calls on the way of a message, of a list of channels and of a page.
    private typealias Call = @Sendable (PostgresStorage, Int) async throws -> Void

    private static let calls: [(name: String, call: Call)] =
        [
            ("a sent message", { _ = try await $0.append([message($1)], now: now) }),
            ("a repeated message", { db, _ in _ = try await db.append([message(1)], now: now) }),
            ("access", { db, _ in _ = try await db.access(to: "g0", of: "u0") }),
            ("the audience", { db, _ in _ = try await db.audienceMembers(of: "g0") }),
            ("a channel", { db, _ in _ = try await db.channelStates(["g0"], viewer: "u0") }),
            ("the list of channels", { db, _ in _ = try await db.listings(of: "u9") }),
            ("the users", { db, _ in _ = try await db.userRecords(["u0", "u1"]) }),
            ("a read mark", { db, _ in _ = try await db.markRead("g0", by: "u0", now: now) }),
            ("unread messages", { db, _ in _ = try await db.unreadCounts(in: "g0", of: ["u0"]) }),
            (
                "a page",
                { db, _ in
                    _ = try await db.messages(
                        in: "g0", PositionRange(), MessageFilter(), newestFirst: true, limit: 5)
                }
            ),
            ("news", { db, _ in _ = try await db.news(after: db.settledTransaction()) }),
        ]

    @Test func `a plan from the time of small tables reads no whole table later`() async throws {
        // An own server, because transactions of other tests would hold the news back.
        let server = try await PostgresServer()
        var configuration = PostgresConfiguration(server.address)
        configuration.schema = PostgresServer.schemaName()
        configuration.sessions = 1
        let pool = PostgresPool(configuration, on: try PostgresStorage.testLoop())
        try await PostgresMigrator(pool).migrate()
        let storage = try await PostgresStorage(pool)
        for number in 0..<10 { try await storage.addUser(User(id: UserID("u\(number)"))) }
        _ = try await storage.createChannel(
            StorageContractTests.channel("g0", ["u0", "u1"]), now: Self.now)
        // The database keeps a plan after the fifth use of a statement.
        for number in 0..<10 {
            for (_, call) in Self.calls { try await call(storage, number) }
        }
        for number in 10..<400 { try await storage.addUser(User(id: UserID("u\(number)"))) }
        for number in 1..<400 {
            _ = try await storage.createChannel(
                StorageContractTests.channel(
                    ChannelURL("g\(number)"), ["u9", UserID("u\(number % 300)")]), now: Self.now)
        }
        for first in stride(from: 1_000, to: 5_000, by: 200) {
            _ = try await storage.append(
                (first..<first + 200).map {
                    Self.message($0, from: "u9", to: ChannelURL("g\($0 % 399 + 1)"))
                }, now: Self.now)
        }
        for (name, call) in Self.calls where name != "the list of channels" {
            let before = try await Self.rowsRead(pool)
            try await call(storage, 10)
            let read = try await Self.rowsRead(pool) - before
            #expect(read < 120, "\(name) read \(read) rows")
        }
        await pool.close()
        await server.end()
    }
}
