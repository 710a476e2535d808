// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostModel
import RoostPostgres
import RoostServer
import RoostWire
import Testing

struct RestorationTests {
    @Test func `a database from a dump is refused until its numbers have begun anew`() async throws
    {
        let scene = try await ClusterScene(servers: 1)
        let ann = try await scene.servers[0].connect("ann")
        try await scene.servers[0].channel(of: ["ann", "bob"], by: ann)
        await scene.servers[0].send("old", "r1", to: "g", on: ann)
        // The old database was far ahead.
        let dump: [StaticString] = [
            """
            UPDATE channel SET change = '999999999999', log_change = '999999999999',
                view_change = '999999999998'
            """,
            "UPDATE member SET change = '999999999998'",
            "UPDATE message SET change = '999999999999', first_change = '999999999999'",
        ]
        try await scene.pool.write { db async throws(PostgresError) in
            for statement in dump { db.add(PostgresQuery(.once(statement))) }
        }
        let error = await #expect(throws: StorageError.self) {
            try await PostgresStorage(scene.pool)
        }
        #expect(error?.message.contains("roost migrate --restored") == true, "\(error as Any)")

        let before = try await Self.numbers(scene.pool)
        try await PostgresRestoration(scene.pool).run()
        // The old database has given numbers after the dump.
        Self.expectLeap(from: before, to: try await Self.numbers(scene.pool))
        let storage = try await PostgresStorage(scene.pool)
        let beginning = try await storage.beginning()
        #expect(try await storage.news(after: beginning.settled).channels.isEmpty)
        // Nothing of the log is behind the present.
        let news = try await storage.changes(in: "g", after: .transaction(beginning.settled))
        #expect(news.changes.isEmpty)
    }

    @Test func `a dump that came back into its own database server is refused`() async throws {
        let scene = try await ClusterScene(servers: 1)
        let ann = try await scene.servers[0].connect("ann")
        try await scene.servers[0].channel(of: ["ann"], by: ann)
        // All numbers are those of the past, but the restored table of messages is a new one.
        try await scene.pool.write { db async throws(PostgresError) in
            db.add(PostgresQuery(.once("UPDATE server SET message_table = '1'")))
        }
        let error = await #expect(throws: StorageError.self) {
            try await PostgresStorage(scene.pool)
        }
        #expect(error?.message.contains("roost migrate --restored") == true, "\(error as Any)")
        try await PostgresRestoration(scene.pool).run()
        _ = try await PostgresStorage(scene.pool)
    }

    @Test func `a restoration is carried out without a sign of a dump too`() async throws {
        let scene = try await ClusterScene(servers: 1)
        let ann = try await scene.servers[0].connect("ann")
        try await scene.servers[0].channel(of: ["ann"], by: ann)
        await scene.servers[0].send("old", "r1", to: "g", on: ann)
        let before = try await Self.numbers(scene.pool)
        try await PostgresRestoration(scene.pool).run()
        Self.expectLeap(from: before, to: try await Self.numbers(scene.pool))
    }

    /// Expects that numbers leave room for those that a lost database has given.
    private static func expectLeap(from before: [Int64], to after: [Int64]) {
        #expect(after[0] >= before[0] + 1_000_000_000_000)
        #expect(after[1] == before[1] + 1_000_000_000)
        #expect(after[2] > before[2] + 1_000_000_000)
    }

    /// The base of change logs, the last change of the channel, and the last number of a message.
    private static func numbers(_ pool: PostgresPool) async throws -> [Int64] {
        try await pool.write { db async throws(PostgresError) in
            let query = PostgresQuery<[Int64]>(
                .once(
                    """
                    SELECT change_base, (SELECT max(seq) FROM channel),
                        (SELECT last_value FROM message_number)
                    FROM server
                    """)
            ) { [$0.int64(0), $0.int64(1), $0.int64(2)] }
            return try await db.first(query) ?? []
        }
    }

    @Test func `a database that servers use is not renumbered`() async throws {
        let scene = try await ClusterScene(servers: 1)
        try await scene.flush()
        let ann = try await scene.servers[0].connect("ann")
        try await scene.servers[0].channel(of: ["ann"], by: ann)
        try await scene.pool.write { db async throws(PostgresError) in
            db.add(PostgresQuery(.once("UPDATE channel SET change = '999999999999'")))
        }
        let error = await #expect(throws: PostgresError.self) {
            try await PostgresRestoration(scene.pool).run()
        }
        #expect(error?.message.contains("Stop them") == true, "\(error as Any)")
    }
}
