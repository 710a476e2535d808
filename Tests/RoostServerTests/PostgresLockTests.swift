// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostModel
import RoostPostgres
import RoostServer
import RoostTestSupport
import RoostWire
import Testing

/// Messages beside a transaction of another server that holds a channel.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct PostgresLockTests {
    private static let now = Timestamp(milliseconds: 1_000_000)

    /// A database, and a transaction that holds the channel "g" in it.
    private struct Scene {
        let storage: PostgresStorage
        private let pool: PostgresPool
        private let other: PostgresPool

        init() async throws {
            let configuration = try await PostgresStorage.testConfiguration()
            // A session from before the migrations knows no era, so the storage gets none of them.
            let first = PostgresPool(configuration, on: try PostgresStorage.testLoop())
            try await PostgresMigrator(first).migrate()
            await first.close()
            pool = PostgresPool(configuration, on: try PostgresStorage.testLoop())
            other = PostgresPool(configuration, on: try PostgresStorage.testLoop())
            storage = try await PostgresStorage(pool, clockMargin: 0)
        }

        /// The test takes as long as the machine needs.
        private static let noTimeLimit = PostgresQuery<Void>(
            "SELECT set_config('idle_in_transaction_session_timeout', '0', true)")

        /// Holds the channel until a gate opens.
        func hold(_ isHeld: Gate, until end: Gate) async throws {
            try await other.write { db async throws(PostgresError) in
                db.add(Self.noTimeLimit)
                _ = try await db.first(
                    PostgresQuery("SELECT id FROM channel WHERE url = 'g' FOR NO KEY UPDATE") {
                        $0.int64(0)
                    })
                isHeld.open()
                await end.wait()
            }
        }

        /// Keeps a transaction open that has changed nothing, until a gate opens.
        func keepOpen(_ isOpen: Gate, until end: Gate) async throws {
            try await other.write { db async throws(PostgresError) in
                db.add(Self.noTimeLimit)
                _ = try await db.first(PostgresQuery("SELECT 1") { $0.int64(0) })
                isOpen.open()
                await end.wait()
            }
        }

        /// Changes the channel in a transaction that ends when a gate opens.
        func change(_ hasChanged: Gate, until end: Gate) async throws {
            try await other.write { db async throws(PostgresError) in
                db.add(Self.noTimeLimit)
                _ = try await db.first(
                    PostgresQuery(
                        """
                        UPDATE channel SET change = pg_current_xact_id() WHERE url = 'g'
                        RETURNING id
                        """
                    ) { $0.int64(0) })
                hasChanged.open()
                await end.wait()
            }
        }

        func close() async {
            await pool.close()
            await other.close()
        }
    }

    @Test func `a channel that other work holds is left out of an append, the others are stored`()
        async throws
    {
        let scene = try await Scene()
        try await scene.storage.addUser(User(id: "a"))
        for url in ["g", "h"] as [ChannelURL] {
            _ = try await scene.storage.createChannel(
                StorageContractTests.channel(url, ["a"]), now: Self.now)
        }
        let messages = ["g", "h", "none"].map {
            StorageContractTests.draft("to \($0)", to: ChannelURL($0))
        }
        let (isHeld, end) = (Gate(), Gate())
        async let holder: Void = scene.hold(isHeld, until: end)
        await isHeld.wait()
        let results = try await scene.storage.appendUnheld(messages, now: Self.now)
        end.open()
        try await holder
        #expect(results.count == 3)
        #expect(throws: StorageError.self) { try results[0].get() }
        if case .failure(let error) = results[0] { #expect(error.isHeld) }
        #expect(try results[1].get()?.message.text == "to h")
        #expect(try results[2].get() == nil)
        #expect(try await scene.storage.log(of: "g").isEmpty)
        let later = try await scene.storage.appendUnheld(messages, now: Self.now)
        #expect(try later.map { try $0.get()?.message.text } == ["to g", "to h", nil])
        await scene.close()
    }

    @Test func `changes from before a server's start are no news, beside a long transaction`()
        async throws
    {
        let scene = try await Scene()
        try await scene.storage.addUser(User(id: "a"))
        _ = try await scene.storage.createChannel(
            StorageContractTests.channel("g", ["a"]), now: Self.now)
        let (isOpen, end) = (Gate(), Gate())
        async let holder: Void = scene.keepOpen(isOpen, until: end)
        await isOpen.wait()
        let storage = scene.storage
        let old = try await storage.append(
            [StorageContractTests.draft("old")], now: Self.now)
        let id = try #require(try old.first?.get()?.message.messageID)
        let beginning = try await storage.beginning()
        #expect(beginning.era != nil)
        _ = try await storage.append([StorageContractTests.draft("new")], now: Self.now)
        let start = LogStart.transaction(beginning.settled)
        let all = try await storage.changes(in: "g", after: start)
        #expect(all.changes.map(\.message.text) == ["old", "new"])
        let news = try await storage.changes(in: "g", after: start, since: beginning)
        #expect(news.changes.map(\.message.text) == ["new"])
        #expect(news.through == all.through && news.isWhole)
        // A later edit of an old message is news, and the message is not.
        _ = try await storage.updateMessage(id, in: "g", now: Self.now) { $0.customType = "x" }
        let later = try await storage.changes(in: "g", after: start, since: beginning)
        #expect(later.changes.map(\.message.text) == ["new", "old"])
        #expect(later.changes.map(\.isNew) == [true, false])
        end.open()
        try await holder
        await scene.close()
    }

    @Test func `a sweep finds the change of a transaction that was open during the last one`()
        async throws
    {
        let scene = try await Scene()
        let storage = scene.storage
        try await storage.addUser(User(id: "a"))
        _ = try await storage.createChannel(
            StorageContractTests.channel("g", ["a"]), now: Self.now)
        let start = try await storage.beginning().settled
        let (hasChanged, end) = (Gate(), Gate())
        async let holder: Void = scene.change(hasChanged, until: end)
        await hasChanged.wait()
        // A later transaction that ends earlier, so the open one lies within the snapshot.
        _ = try await storage.createChannel(
            StorageContractTests.channel("h", ["a"]), now: Self.now)
        let snapshot = try await storage.news(after: start).snapshot
        end.open()
        try await holder
        let news = try await storage.news(after: start, unseenIn: snapshot)
        #expect(news.channels.map(\.url) == ["g"])
        await scene.close()
    }

    @Test func `a channel that another server holds stops the messages of no other channel`()
        async throws
    {
        let scene = try await Scene()
        let storage = HookedStorage(scene.storage)
        let fixture = await ServerFixture(storage: storage)
        let ann = try await fixture.connect("ann")
        for url in ["g", "h"] as [ChannelURL] {
            try await fixture.channel(url, of: ["ann"], by: ann)
        }
        let key = ann.key
        @Sendable func send(_ text: String, to url: String) async throws -> JSONValue {
            let request = try APIRequest(
                method: "POST", target: "/v3/group_channels/\(url)/messages",
                body: Array(#"{"message_type":"MESG","message":"\#(text)"}"#.utf8))
            let answer = await fixture.server.respond(
                to: request, headers: RequestHeaders(sessionKey: key))
            return try JSONValue(parsing: answer.body)
        }
        let (isHeld, end, hasBegun, isDone) = (Gate(), Gate(), Gate(), Flag())
        async let holder: Void = scene.hold(isHeld, until: end)
        await isHeld.wait()
        storage.before("append") { hasBegun.open() }
        async let waiting = {
            let answer = try await send("held", to: "g")
            isDone.set()
            return answer
        }()
        await hasBegun.wait()
        #expect(try await send("free", to: "h")["message"] == "free")
        #expect(!isDone.isSet)
        end.open()
        try await holder
        #expect(try await waiting["message"] == "held")
        await scene.close()
    }
}
