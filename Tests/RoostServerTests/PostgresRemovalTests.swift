// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostModel
import RoostPostgres
import RoostServer
import RoostTestSupport
import RoostWire
import Testing

/// Channels with more messages than one transaction removes.
struct PostgresRemovalTests {
    private static let now = Timestamp(milliseconds: 1_000_000)

    /// A channel "g" of 25 messages on a database whose steps have 10.
    private struct Scene {
        let pool: PostgresPool
        let storage: PostgresStorage

        init() async throws {
            pool = PostgresPool(
                try await PostgresStorage.testConfiguration(), on: try PostgresStorage.testLoop())
            try await PostgresMigrator(pool).migrate()
            storage = try await PostgresStorage(pool, clockMargin: 0, removalStep: 10)
            for id in ["a", "b"] as [UserID] { try await storage.addUser(User(id: id)) }
            for url in ["g", "h"] as [ChannelURL] {
                _ = try await storage.createChannel(
                    StorageContractTests.channel(url, ["a", "b"]),
                    now: PostgresRemovalTests.now)
                let messages = (0..<25).map { number in
                    var message = StorageContractTests.draft("\(number)", to: url)
                    message.mention = Mention(userIDs: ["b"])
                    return message
                }
                _ = try await storage.append(messages, now: PostgresRemovalTests.now)
            }
        }

        /// The messages of all channels in the database, deleted channels included.
        func messageCount() async throws -> Int64 {
            try await pool.read { db async throws(PostgresError) in
                try await db.first(PostgresQuery("SELECT count(*) FROM message") { $0.int64(0) })
                    ?? 0
            }
        }

        func mentionCount() async throws -> Int64 {
            try await pool.read { db async throws(PostgresError) in
                try await db.first(PostgresQuery("SELECT count(*) FROM mention") { $0.int64(0) })
                    ?? 0
            }
        }
    }

    @Test func `a large channel is gone at once, and its messages go in steps`() async throws {
        let scene = try await Scene()
        #expect(try await scene.storage.deleteChannel("g", now: Self.now))
        #expect(try await scene.messageCount() == 40)
        #expect(try await scene.mentionCount() == 40)
        #expect(try await scene.storage.access(to: "g", of: "a") == nil)
        #expect(try await scene.storage.log(of: "g").isEmpty)
        #expect(
            try await scene.storage.messages(
                in: "g", PositionRange(), MessageFilter(), newestFirst: true, limit: 9
            ).isEmpty)
        let news = try await scene.storage.changes(in: "g", after: .sequence(0))
        #expect(news.changes.isEmpty && news.isWhole)
        #expect(try await !scene.storage.deleteChannel("g", now: Self.now))
        try await scene.storage.removeRemains()
        #expect(try await scene.messageCount() == 25)
        #expect(try await scene.mentionCount() == 25)
        #expect(try await scene.storage.log(of: "h").count == 25)
        await scene.pool.close()
    }

    @Test func `a server that starts removes the remains of a deletion of another one`()
        async throws
    {
        let scene = try await Scene()
        #expect(try await scene.storage.deleteChannel("g", now: Self.now))
        let next = try await PostgresStorage(scene.pool, clockMargin: 0, removalStep: 10)
        try await next.removeRemains()
        #expect(try await scene.messageCount() == 25)
        // The first server finds nothing more to do.
        try await scene.storage.removeRemains()
        #expect(try await scene.messageCount() == 25)
        await scene.pool.close()
    }

    @Test func `a server that finds a channel deleted removes what another one has left`()
        async throws
    {
        let scene = try await Scene()
        let other = try await PostgresStorage(scene.pool, clockMargin: 0, removalStep: 10)
        try await other.removeRemains()
        #expect(try await scene.storage.deleteChannel("g", now: Self.now))
        try await other.removeRemains()
        #expect(try await scene.messageCount() == 40)
        #expect(try await !other.deleteChannel("g", now: Self.now))
        try await other.removeRemains()
        #expect(try await scene.messageCount() == 25)
        await scene.pool.close()
    }

    @Test func `a new channel of the URL has no message of the deleted one`() async throws {
        let scene = try await Scene()
        #expect(try await scene.storage.deleteChannel("g", now: Self.now))
        _ = try await scene.storage.createChannel(
            StorageContractTests.channel("g", ["a"]), now: Self.now)
        #expect(try await scene.messageCount() == 25)
        #expect(try await scene.storage.log(of: "g").isEmpty)
        _ = try await scene.storage.append(
            [StorageContractTests.draft("new", to: "g")], now: Self.now)
        // The steps of the deletion do not reach the new channel.
        try await scene.storage.removeRemains()
        #expect(try await scene.storage.log(of: "g").map(\.message.text) == ["new"])
        await scene.pool.close()
    }
}
