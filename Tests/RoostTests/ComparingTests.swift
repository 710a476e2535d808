// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestKit
import RoostTestSupport
import RoostTransport
import Testing

/// The app's call that compares the cache with the server, in virtual time.
struct ComparingTests {
    private static let texts = (1...450).map { "message \($0)" }

    /// Changes of the cache that no event and no log reports.
    enum Harm: String, CaseIterable {
        case none, missing, surplus, stale, impossible, ancient, several

        var script: [SQL] {
            switch self {
            case .none: []
            case .missing: [Self.lose]
            case .surplus: [Self.add]
            case .stale: [Self.age]
            case .impossible: [Self.advance]
            case .ancient: [Self.antedate]
            case .several: [Self.lose, Self.age]
            }
        }

        var stretchCount: Int {
            switch self {
            case .none: 0
            case .several: 2
            case .missing, .surplus, .stale, .impossible, .ancient: 1
            }
        }

        private static let lose: SQL = """
            DELETE FROM message WHERE message_id =
                (SELECT message_id FROM message ORDER BY message_id LIMIT 1 OFFSET 10);
            """
        /// A copy of a message, as if it had been deleted without a report.
        private static let add: SQL = """
            INSERT INTO message SELECT channel_id, created_at, message_id + 900000, sender_id, kind,
                custom_type_id, parent_id, updated_at, NULL, is_reply_to_channel, mentions_me, payload
            FROM message ORDER BY message_id LIMIT 1 OFFSET 20;
            """
        private static let age: SQL = """
            UPDATE message SET updated_at = 1 WHERE message_id =
                (SELECT message_id FROM message ORDER BY message_id LIMIT 1 OFFSET 300);
            """
        /// A message from before 1970, as an earlier release stored it.
        private static let antedate: SQL = """
            INSERT INTO message SELECT channel_id, -5, message_id + 800000, sender_id, kind,
                custom_type_id, parent_id, updated_at, NULL, is_reply_to_channel, mentions_me, payload
            FROM message ORDER BY message_id LIMIT 1 OFFSET 20;
            """
        /// A message edited after all edits that the server will report.
        private static let advance: SQL = """
            UPDATE message SET updated_at = 9000000000000 WHERE message_id =
                (SELECT message_id FROM message ORDER BY message_id LIMIT 1 OFFSET 300);
            """
    }

    private static func strike(_ harm: Harm, _ path: String) throws {
        let connection = try Connection(.file(path))
        for script in harm.script { try connection.executeScript(script) }
        try connection.executeScript(
            "UPDATE recent SET sequence = sequence + 1 WHERE channel_id = 0")
    }

    /// A transport that answers to fingerprints like a server without them.
    private struct ForeignServer: HTTPTransport {
        let server: any HTTPTransport

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            guard request.url.contains("/fingerprints") else {
                return try await server.send(request)
            }
            return HTTPResponse(
                status: 400,
                body: Array(#"{"error":true,"message":"no such call","code":400930}"#.utf8))
        }

        func upload(
            _ request: HTTPRequest, _ body: HTTPBody
        ) async throws(TransportError) -> HTTPResponse {
            try await server.upload(request, body)
        }
    }

    @Test func `differences from the server are found by fingerprints and fetched again`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 4) { world in
            let pair = try await OutboxPair(world, folder: folder.path)
            let (alice, channel) = (pair.alice, pair.channel)
            for text in Self.texts { try await pair.bob.send(text, to: channel) }
            await pair.bob.waitUntilIdle()
            let timeline = try await alice.timeline(of: channel, capacity: .max)
            while await timeline.snapshot.hasOlder { try await timeline.loadOlder() }
            #expect(await timeline.snapshot.messages.map(\.text) == Self.texts)
            // Each comparison leaves the server's messages for the next harm.
            for harm in Harm.allCases {
                try Self.strike(harm, folder.file("simulation/alice/cache.sqlite"))
                let found = try await alice.compareCache(of: channel)
                #expect(found.differingStretches == harm.stretchCount, "\(harm)")
                #expect((found.fetchedMessages > 0) == (harm != .none), "\(harm)")
                #expect(found.fetchedMessages <= harm.stretchCount * 201, "\(harm)")
                await world.pass()
                #expect(await timeline.snapshot.messages.map(\.text) == Self.texts, "\(harm)")
                let again = try await alice.compareCache(of: channel)
                #expect(again.comparedMessages == 450, "\(harm)")
                #expect(again.fetchedMessages == 0 && again.differingStretches == 0, "\(harm)")
                // A new timeline shows the same.
                let other = try await alice.timeline(of: channel, capacity: .max)
                while await other.snapshot.hasOlder { try await other.loadOlder() }
                #expect(await other.snapshot.messages.map(\.text) == Self.texts, "\(harm)")
                await other.close()
            }
            await pair.close()
        }
    }

    @Test(arguments: [Harm.none, .missing])
    func `with a server without fingerprints the whole cache is fetched again`(
        harm: Harm
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 5) { world in
            let pair = try await OutboxPair(world, folder: folder.path)
            await pair.alice.close()
            var surroundings = world.surroundings(of: pair.phone)
            surroundings.http = ForeignServer(server: surroundings.http)
            let alice = try await ChatClient.open(pair.alice.configuration, world: surroundings)
            try await alice.connect()
            for text in Self.texts { try await pair.bob.send(text, to: pair.channel) }
            await pair.bob.waitUntilIdle()
            let timeline = try await alice.timeline(of: pair.channel, capacity: .max)
            while await timeline.snapshot.hasOlder { try await timeline.loadOlder() }
            await world.pass()
            let changes = await timeline.changes()
            try Self.strike(harm, folder.file("simulation/alice/cache.sqlite"))
            let found = try await alice.compareCache(of: pair.channel)
            #expect(found.differingStretches == harm.stretchCount)
            #expect(found.fetchedMessages >= 450)
            await world.pass()
            #expect(await timeline.snapshot.messages.map(\.text) == Self.texts)
            await alice.close()
            // Unchanged messages are no changes.
            var inserted = 0
            for await diff in changes {
                inserted += diff.inserted.count
                #expect(harm != .none || diff.isEmpty)
            }
            #expect(inserted <= 1)
            await pair.bob.close()
        }
    }

    @Test func `without a connection nothing is compared or changed`() throws {
        try OutboxPair.play(6) { world, pair in
            try await pair.bob.send("hello", to: pair.channel)
            await pair.bob.waitUntilIdle()
            await pair.phone.network.cut()
            await world.pass()
            await #expect(throws: RoostError.self) {
                try await pair.alice.compareCache(of: pair.channel)
            }
        }
    }

    @Test func `a channel without messages or without coverage needs no comparison`()
        throws
    {
        try OutboxPair.play(7) { world, pair in
            let nothing = try await pair.alice.compareCache(of: "nobody-knows-it")
            #expect(nothing.comparedMessages == 0 && nothing.fetchedMessages == 0)
            let timeline = try await pair.alice.timeline(of: pair.channel)
            await world.pass()
            #expect(await timeline.snapshot.messages.isEmpty)
            #expect(try await pair.alice.compareCache(of: pair.channel).differingStretches == 0)
        }
    }
}
