// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostSQLite
import RoostServer
import RoostTestSupport
import RoostWire
import Testing

/// Channels of an embedded server with more messages than one transaction removes.
struct RemovalTests {
    private static let now = Timestamp(milliseconds: 1_000_000)

    /// The channels "g" and "h" of 25 messages each on a database whose steps have 10.
    private struct Scene {
        let folder: TemporaryFolder
        let storage: SQLiteStorage

        init() async throws {
            folder = try TemporaryFolder(inMemory: true)
            storage = try await Self.open(folder)
            for id in ["a", "b"] as [UserID] { try await storage.addUser(User(id: id)) }
            for url in ["g", "h"] as [ChannelURL] {
                _ = try await storage.createChannel(
                    StorageContractTests.channel(url, ["a", "b"]), now: RemovalTests.now)
                let messages = (0..<25).map { number in
                    var message = StorageContractTests.draft(
                        "\(number)", request: RequestID("\(number)"), to: url)
                    message.mention = Mention(userIDs: ["b"])
                    return message
                }
                _ = try await storage.append(
                    messages, now: RemovalTests.now.advanced(by: 1))
            }
        }

        static func open(_ folder: TemporaryFolder) async throws -> SQLiteStorage {
            var bounds = StorageBounds()
            bounds.removal = 10
            return try await SQLiteStorage(
                .file(folder.path + "/server.sqlite"), bounds: bounds,
                on: ThreadExecutor(name: "storage"))
        }

        /// The messages and mentions of all channels in the database, deleted channels included.
        func counts() throws -> [Int64] {
            let connection = try Connection(.file(folder.path + "/server.sqlite"))
            return try [
                connection.first(
                    Query<Void, Int64>(sql: "SELECT count(*) FROM message") { $0.int64(0) }) ?? 0,
                connection.first(
                    Query<Void, Int64>(sql: "SELECT count(*) FROM mention") { $0.int64(0) }) ?? 0,
            ]
        }
    }

    @Test func `a large channel is gone at once, and its messages go in steps`() async throws {
        let scene = try await Scene()
        #expect(try await scene.storage.deleteChannel("g", now: Self.now))
        #expect(try scene.counts() == [40, 40])
        #expect(try await scene.storage.access(to: "g", of: "a") == nil)
        #expect(try await scene.storage.log(of: "g").isEmpty)
        #expect(try await scene.storage.presentListings(of: "a").map(\.record.url) == ["h"])
        #expect(try await scene.storage.unreadTotal(of: "b") == 25)
        #expect(try await scene.storage.newestPlaces(of: "b", before: .distantFuture).count == 1)
        #expect(try await !scene.storage.deleteChannel("g", now: Self.now))
        try await scene.storage.removeRemains()
        #expect(try scene.counts() == [25, 25])
        #expect(try await scene.storage.log(of: "h").count == 25)
    }

    @Test func `a server that starts removes the remains of a deletion`() async throws {
        let scene = try await Scene()
        #expect(try await scene.storage.deleteChannel("g", now: Self.now))
        let next = try await Scene.open(scene.folder)
        try await next.removeRemains()
        #expect(try scene.counts() == [25, 25])
        // Nothing more is to be done.
        try await scene.storage.removeRemains()
        #expect(try scene.counts() == [25, 25])
    }

    @Test func `a channel whose removal fails does not stop those behind it`() async throws {
        let scene = try await Scene()
        for url in ["g", "h"] as [ChannelURL] {
            #expect(try await scene.storage.deleteChannel(url, now: Self.now))
        }
        let connection = try Connection(.file(scene.folder.path + "/server.sqlite"))
        try connection.executeScript(
            """
            CREATE TRIGGER stuck BEFORE DELETE ON message
            WHEN old.channel = (SELECT id FROM channel WHERE url = 'g')
            BEGIN SELECT raise(ABORT, 'stuck'); END
            """)
        await #expect(throws: StorageError.self) { try await scene.storage.removeRemains() }
        #expect(try scene.counts() == [15, 15])
        try connection.executeScript("DROP TRIGGER stuck")
        try await scene.storage.removeRemains()
        #expect(try scene.counts() == [0, 0])
    }

    @Test func `a new channel of the URL has no message of the deleted one`() async throws {
        let scene = try await Scene()
        #expect(try await scene.storage.deleteChannel("g", now: Self.now))
        let new = StorageContractTests.channel("g", ["a"])
        let created = try await scene.storage.createChannel(new, now: Self.now)
        #expect(created == .done(CreatedChannel(url: "g", isCreated: true, joined: ["a"])))
        #expect(try scene.counts() == [25, 25])
        #expect(try await scene.storage.log(of: "g").isEmpty)
        // The request's name is free again.
        let draft = StorageContractTests.draft("new", request: "0", to: "g")
        let appended = try await scene.storage.append(draft, now: Self.now)
        #expect(appended?.isRepeat == false)
        // The steps of the deletion do not reach the new channel.
        try await scene.storage.removeRemains()
        #expect(try await scene.storage.log(of: "g").map(\.message.text) == ["new"])
    }
}
