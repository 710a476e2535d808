// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import RoostWire
import Testing

/// Requests of `roost client` against a real server: reactions, read marks, search, files.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ClientActionTests {
    /// Starts a server with two connected clients in one channel, which both have open.
    private static func begin(
        _ program: Program
    ) async throws -> (server: ServerProcess, ada: DrivenClient, bo: DrivenClient, JSONValue) {
        let server = try await ServerProcess(program)
        let ada = try DrivenClient(program, user: "ada", server: server.address)
        let bo = try DrivenClient(program, user: "bo", server: server.address)
        try await ada.ask("connect")
        try await bo.ask("connect")
        let channel = try #require(
            try await ada.ask("create_channel", ["members": ["bo"], "name": "Two"])["url"])
        for client in [ada, bo] { try await client.ask("open", ["channel": channel]) }
        return (server, ada, bo, channel)
    }

    /// Returns the channel as a client's list shows it once nothing is left to do.
    private static func channel(_ client: DrivenClient) async throws -> JSONValue? {
        try await client.ask("wait_idle")
        return try await client.ask("channels", ["anew": true])["channels"]?.array?.first
    }

    @Test func `reactions, typing and read marks reach the server, and a search needs none`()
        async throws
    {
        let program = try Program()
        let (server, ada, bo, channel) = try await Self.begin(program)
        try await ada.ask("send", ["text": "lunch tomorrow at noon"])
        try await ada.ask("send", ["text": "or dinner"])
        let messages = try await bo.snapshot(of: 2)
        let id = try #require(messages.first?["id"])
        let at = try #require(messages.last?["created_at"])

        try await bo.ask("start_typing")
        @Sendable func typing(_ events: [JSONValue]) -> [JSONValue?] {
            events.filter { $0["event"] == "typing" }.map { $0["users"] }
        }
        await ada.events { typing($0) == [["bo"]] }
        try await bo.ask("end_typing")
        await ada.events { typing($0) == [["bo"], []] }
        #expect(try await Self.channel(bo)?["unread"] == 2)
        try await bo.ask("mark_read")
        let reads = await ada.events { events in events.contains { $0["event"] == "read" } }
        let read = try #require(reads.last { $0["event"] == "read" })
        #expect(read["user"] == "bo" && read["channel"] == channel)
        #expect((read["through"]?.int ?? 0) >= (at.int ?? .max))
        #expect(try await Self.channel(bo)?["unread"] == 0)
        #expect(try await bo.ask("mark_read", ["through": at])["request_id"]?.string != nil)

        let added = try await bo.ask("add_reaction", ["message_id": id, "key": "like"])
        #expect(added["request_id"]?.string != nil)
        try await bo.ask("wait_idle")
        await ada.events { events in
            events.contains {
                $0["updated"]?.array?.first?["reactions"] == [["key": "like", "users": ["bo"]]]
            }
        }
        try await bo.ask("remove_reaction", ["message_id": id, "key": "like"])
        try await bo.ask("wait_idle")
        #expect(try await bo.ask("cache")["outbox"] == [])

        await server.stop()
        let found = try await bo.ask("search", ["words": "lun", "limit": 5])
        let matches = try #require(found["matches"]?.array)
        #expect(matches.count == 1)
        #expect(matches.first?["message"]?["id"] == id)
        #expect(matches.first?["channel"] == channel)
        #expect(matches.first?["snippet"]?.string?.contains("lunch") == true)
        #expect(found["has_more"] == false)
        #expect(found["unseen"]?.array != nil)
        #expect(try await bo.ask("search", ["words": "lunch -noon"])["matches"] == [])
        // Without a server both wait on disk.
        try await bo.ask("add_reaction", ["message_id": id, "key": "later"])
        #expect(try await bo.ask("cache")["outbox"]?.array?.count == 1)
        try await ada.quit()
        try await bo.quit()
        try program.remove()
    }

    @Test func `an inbox reports each message until it is acknowledged, also after a kill`()
        async throws
    {
        let program = try Program()
        let (server, ada, bo, channel) = try await Self.begin(program)
        try await bo.ask("inbox", ["name": "answers"])
        for text in ["one", "two"] { try await ada.ask("send", ["text": .string(text)]) }
        try await ada.ask("wait_idle")
        @Sendable func texts(_ events: [JSONValue]) -> [String] {
            events.filter { $0["event"] == "inbox" }.compactMap { $0["message"]?["text"]?.string }
        }
        #expect(texts(await bo.events { !texts($0).isEmpty }) == ["one"])
        try await bo.ask("acknowledge", ["name": "answers"])
        #expect(texts(await bo.events { texts($0).count == 2 }) == ["one", "two"])
        await bo.kill()
        try await ada.ask("send", ["text": "three"])
        try await ada.ask("wait_idle")

        let again = try DrivenClient(program, user: "bo", server: server.address)
        try await again.ask("connect")
        try await again.ask("inbox", ["name": "answers"])
        let events = await again.events { !texts($0).isEmpty }
        #expect(texts(events) == ["two"])
        #expect(events.first { $0["event"] == "inbox" }?["channel"] == channel)
        try await again.ask("acknowledge", ["name": "answers"])
        #expect(texts(await again.events { texts($0).count == 2 }) == ["two", "three"])
        await #expect(throws: DrivenClient.Failure.self) {
            try await again.ask("acknowledge", ["name": "none"])
        }
        try await again.quit()
        try await ada.quit()
        await server.stop()
        try program.remove()
    }

    @Test func `a search names the periods that the cache lacks`() async throws {
        let program = try Program()
        let (server, ada, _, channel) = try await Self.begin(program)
        for number in 0..<60 { try await ada.ask("send", ["text": .string("word \(number)")]) }
        _ = try await ada.snapshot(of: 60)
        try await ada.quit()
        let new = try DrivenClient(
            program, user: "bo", server: server.address, cache: "cache-second")
        try await new.ask("connect")
        try await new.ask("open", ["channel": channel])
        try await new.ask("wait_idle")
        let found = try await new.ask("search", ["words": "word", "channel": channel, "limit": 3])
        #expect(found["matches"]?.array?.count == 3)
        #expect(found["has_more"] == true)
        let unseen = try #require(found["unseen"]?.array?.first { $0["from"] == .null })
        #expect(unseen["channel"] == channel)
        #expect(unseen["reason"] == "not_cached")
        #expect(unseen["through"]?.int != nil)
        // The list of holes has the same part, and the server's count of its messages.
        let shown = try #require(try await new.ask("snapshot")["messages"]?.array?.count)
        let holes = try await new.ask("holes", ["channel": channel])["holes"]?.array ?? []
        #expect(holes.map { $0["through"] } == [unseen["through"]])
        #expect(holes.first?["from"] == .null && holes.first?["reason"] == "not_paged_to")
        let missing = JSONValue.int(Int64(60 - shown))
        #expect(holes.first?["at_least"] == missing && holes.first?["at_most"] == missing)
        try await new.quit()
        await server.stop()
        try program.remove()
    }

    @Test func `a file is downloaded with progress, and goes on after a kill`() async throws {
        let program = try Program()
        let (server, ada, bo, _) = try await Self.begin(program)
        let bytes = Data((0..<6_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) })
        let path = program.path("film.mp4")
        try bytes.write(to: URL(filePath: path))
        try await ada.ask("send_file", ["path": .string(path), "text": "look"])
        let message = try await bo.snapshot(of: 1).first
        let url = try #require(message?["files"]?.array?.first?["url"])

        try bo.start("download", ["url": url])
        await bo.events { events in events.contains { ($0["received"]?.int ?? 0) > 0 } }
        await bo.kill()
        let again = try DrivenClient(program, user: "bo", server: server.address)
        let copy = program.path("copy.mp4")
        let answer = try await again.ask("download", ["url": url, "path": .string(copy)])
        #expect(answer["size"] == 6_000_000)
        #expect(answer["path"]?.string == copy)
        #expect(try Data(contentsOf: URL(filePath: copy)) == bytes)
        let progress = await again.events { _ in true }.filter { $0["event"] == "download" }
        // The killed client may have finished the file.
        #expect(progress.allSatisfy { ($0["received"]?.int ?? 0) > 0 }, "the part was continued")
        #expect(progress.allSatisfy { $0["url"] == url && $0["total"] == 6_000_000 })

        await server.stop()
        let kept = try await again.ask("download", ["url": url])
        let place = try #require(kept["path"]?.string)
        #expect(place.hasSuffix(".mp4"))
        #expect(try Data(contentsOf: URL(filePath: place)) == bytes)
        await #expect(throws: DrivenClient.Failure.self) {
            try await again.ask("download", ["url": "http://192.168.0.1/a"])
        }
        try await again.quit()
        try await ada.quit()
        try program.remove()
    }
}
