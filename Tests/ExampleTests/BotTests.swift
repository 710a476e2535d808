// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostTestSupport
import Testing

/// The bot of the guide as a program.
struct BotTests {
    @Test(.timeLimit(.minutes(Patience.minutes)))
    func `a bot that was killed answers what was written meanwhile, once each`() async throws {
        let folder = try TemporaryFolder()
        let server = try await Server.withShortPort(folder)
        let program = try await ExampleProgram("Bot", port: server.port, in: folder)
        let first = try program.start(in: folder.path)
        #expect(await first.text { $0.hasSuffix("\n") } == "ready\n")
        let alice = try await ChatClient.open(
            Configuration(
                applicationID: "demo", server: "http://127.0.0.1:\(server.port)", userID: "alice",
                cache: .memory))
        try await alice.connect()
        let channel = try await alice.createChannel(ChannelCreateParams(memberIDs: ["bot"])).url
        let timeline = try await alice.timeline(of: channel)
        try await alice.send("ping", to: channel)
        #expect(await first.text { $0.contains("answered") }.hasPrefix("ready\nanswered alice"))
        first.signal(SIGKILL)
        _ = await first.end()
        for text in ["ping", "no answer", "ping"] { try await alice.send(text, to: channel) }
        await alice.waitUntilIdle()
        let second = try program.start(in: folder.path)
        var answers = 0
        for await snapshot in await timeline.snapshots() {
            answers = snapshot.messages.count { $0.text == "pong" }
            if answers == 3 { break }
        }
        second.signal(SIGKILL)
        _ = await second.end()
        await alice.waitUntilIdle()
        #expect(await timeline.snapshot.messages.count { $0.text == "pong" } == 3)
        await alice.close()
        await server.stop()
    }

    @Test(.timeLimit(.minutes(Patience.minutes)))
    func `a bot that starts before its server answers once the server runs`() async throws {
        let folder = try TemporaryFolder()
        let server = try await Server.withShortPort(folder)
        let program = try await ExampleProgram("Bot", port: server.port, in: folder)
        let first = try program.start(in: folder.path)
        #expect(await first.text { $0.hasSuffix("\n") } == "ready\n")
        first.signal(SIGKILL)
        _ = await first.end()
        let alice = try await ChatClient.open(
            Configuration(
                applicationID: "demo", server: "http://127.0.0.1:\(server.port)", userID: "alice",
                cache: .memory))
        try await alice.connect()
        let channel = try await alice.createChannel(ChannelCreateParams(memberIDs: ["bot"])).url
        let ping = try await alice.send("ping", to: channel).requestID
        try await alice.outcome(of: try #require(ping))
        await alice.close()
        await server.stop()
        let second = try program.start(in: folder.path)
        #expect(await second.text { $0.hasSuffix("\n") } == "ready\n")
        let again = try await Server(folder, port: server.port)
        #expect(await second.text { $0.contains("alice") }.hasPrefix("ready\nanswered alice"))
        second.signal(SIGKILL)
        _ = await second.end()
        await again.stop()
    }
}
