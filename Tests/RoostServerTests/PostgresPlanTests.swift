// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostModel
import RoostPostgres
import RoostServer
import RoostTestSupport
import RoostWire
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
            (
                "a channel without members",
                { db, _ in
                    _ = try await db.channelStates(["g0"], viewer: "u0", withMembers: false)
                }
            ),
            ("the list of channels", { db, _ in _ = try await db.listings(of: "u9") }),
            ("the present channels", { db, _ in _ = try await db.presentListings(of: "u0") }),
            ("operators", { db, _ in _ = try await db.operators(of: ["g0", "g1"]) }),
            ("members", { db, _ in _ = try await db.members(of: "g0", after: "u0", limit: 5) }),
            (
                "named members",
                { db, _ in _ = try await db.memberRecords(of: "g0", among: ["u0", "u9"]) }
            ),
            (
                "restricted members",
                { db, _ in
                    _ = try await db.restrictedMembers(
                        of: "g0", by: .ban, at: now, after: nil, limit: 5)
                }
            ),
            ("the users", { db, _ in _ = try await db.userRecords(["u0", "u1"]) }),
            ("a read mark", { db, _ in _ = try await db.markRead("g0", by: "u0", now: now) }),
            (
                "delivery marks",
                { db, number in
                    _ = try await db.markDelivered(
                        "g0", to: "u0", at: Timestamp(milliseconds: Int64(number)),
                        unlessThrough: Timestamp(milliseconds: Int64(number)))
                }
            ),
            ("unread messages", { db, _ in _ = try await db.unreadCounts(in: "g0", of: ["u0"]) }),
            (
                "a page",
                { db, _ in
                    _ = try await db.messages(
                        in: "g0", PositionRange(), MessageFilter(), newestFirst: true, limit: 5)
                }
            ),
            (
                "the changes since a moment",
                { db, _ in
                    _ = try await db.messageChanges(
                        in: "busy", after: .time(Timestamp(milliseconds: 1)), limit: 5)
                }
            ),
            (
                "a page of a long log",
                { db, _ in
                    _ = try await db.messages(
                        in: "busy", PositionRange(), MessageFilter(), newestFirst: true, limit: 5)
                }
            ),
            (
                "changes of a long log",
                { db, _ in
                    _ = try await db.messageChanges(in: "busy", after: .sequence(1), limit: 5)
                }
            ),
            (
                "an owner's documents",
                { db, _ in
                    _ = try await db.documents(.poll, of: "u0", in: nil, after: 0, limit: 5)
                }
            ),
            (
                "a channel's documents",
                { db, _ in
                    _ = try await db.documents(.poll, of: nil, in: "g0", after: 0, limit: 5)
                }
            ),
            (
                "the newest messages of a user's channels",
                { db, _ in _ = try await db.newestPlaces(of: "u0", before: .distantFuture) }
            ),
            ("news", { db, _ in _ = try await db.news(after: db.beginning().settled) }),
            (
                "news while an old transaction is open",
                { db, _ in
                    let seen = try await db.news(after: db.beginning().settled).snapshot
                    _ = try await db.news(after: 0, unseenIn: seen)
                }
            ),
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
        _ = try await storage.createChannel(
            StorageContractTests.channel("busy", ["u9"]), now: Self.now)
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
        for first in stride(from: 5_000, to: 6_000, by: 200) {
            _ = try await storage.append(
                (first..<first + 200).map { Self.message($0, from: "u9", to: "busy") },
                now: Self.now)
        }
        for number in 0..<300 {
            _ = try await storage.addDocument(
                Document(.poll, of: "u9", in: ChannelURL("g\(number % 9 + 1)"), body: [:]))
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

    @Test func `unread messages are counted in the index of a channel's log`() async throws {
        let pool = PostgresPool(
            try await PostgresStorage.testConfiguration(), on: try PostgresStorage.testLoop())
        try await PostgresMigrator(pool).migrate()
        let plan = try await pool.read { db async throws(PostgresError) in
            try await db.all(
                PostgresQuery(
                    """
                    EXPLAIN SELECT count(*), count(*) FILTER (WHERE mentions_all) FROM message
                    WHERE channel = 1 AND created_at > 2 AND is_counted AND deleted_at IS NULL
                        AND sender IS DISTINCT FROM 3
                    """
                ) { $0.text(0) })
        }
        #expect(plan.contains { $0.contains("Index Only Scan using message_") }, "\(plan)")
        await pool.close()
    }

    @Test func `the remains of deleted channels are found in an index of them`() async throws {
        let pool = PostgresPool(
            try await PostgresStorage.testConfiguration(), on: try PostgresStorage.testLoop())
        try await PostgresMigrator(pool).migrate()
        let plan = try await pool.read { db async throws(PostgresError) in
            try await db.all(
                PostgresQuery(
                    """
                    EXPLAIN SELECT id FROM channel
                    WHERE deleted_at IS NOT NULL AND last_time IS NOT NULL ORDER BY id LIMIT 100
                    """
                ) { $0.text(0) })
        }
        #expect(plan.contains { $0.contains("channel_remains") }, "\(plan)")
        await pool.close()
    }

    @Test func `a long count is read in slices, and ends with its caller`() async throws {
        let pool = PostgresPool(
            try await PostgresStorage.testConfiguration(), on: try PostgresStorage.testLoop())
        try await PostgresMigrator(pool).migrate()
        let storage = try await PostgresStorage(pool)
        try await storage.addUser(User(id: "u9"))
        _ = try await storage.createChannel(
            StorageContractTests.channel("g0", ["u9"]), now: Self.now)
        let first = try await storage.append(Self.message(1, from: "u9"), now: Self.now)
        let parent = try #require(first?.message.messageID)
        // Every third message is deleted; the others are replies to the first one.
        for first in stride(from: Int64(1), to: 25_000, by: 5_000) {
            try await pool.write { db async throws(PostgresError) in
                db.add(
                    PostgresQuery(
                        """
                        INSERT INTO message (channel, id, first_seq, seq, created_at, changed_at,
                            deleted_at, sender, parent, is_reply, is_counted, mentions_all, kind,
                            custom_type, body)
                        SELECT channel, id + n, seq + n, seq + n, created_at + n, changed_at,
                            CASE WHEN n % 3 = 0 THEN 1 END, sender, id, 1, false, false, kind,
                            custom_type, body
                        FROM (SELECT * FROM message ORDER BY channel, id LIMIT 1) AS m,
                            generate_series($1::bigint, $1::bigint + 4999) AS n
                        """, .int(first)))
            }
        }
        for (filter, count) in [
            (MessageFilter(), 1), (MessageFilter(replyType: .all), 16_668),
            (MessageFilter(parentID: parent), 16_667),
            (MessageFilter(senderIDs: ["u9"], replyType: .all), 16_668),
            (MessageFilter(senderIDs: ["u8"], replyType: .all), 0),
        ] {
            #expect(try await storage.messageCount(in: "g0", PositionRange(), filter) == count)
        }
        for newestFirst in [false, true] {
            for (sender, count) in [("u9", 16_667), ("u8", 0)] {
                let filter = MessageFilter(senderIDs: [UserID(sender)], parentID: parent)
                let replies = try await storage.messages(
                    in: "g0", PositionRange(), filter, newestFirst: newestFirst, limit: .max)
                #expect(replies.count == count)
                let places = replies.compactMap(\.position)
                #expect(newestFirst ? places == places.sorted(by: >) : places == places.sorted())
            }
        }
        let count = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await storage.messageCount(in: "g0", PositionRange(), MessageFilter())
        }
        count.cancel()
        await #expect(throws: StorageError.self) { try await count.value }
        await pool.close()
    }
}
