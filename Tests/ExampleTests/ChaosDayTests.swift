// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// Two people with an app on an old door, and a server with faults on purpose.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ChaosDayTests {
    private static let plan = #"""
        {"seed": 5,
         "rates": {"late-ack": 0.1, "repeated-ack": 0.2, "short-page": 0.5, "slow-page": 0.2,
                   "clock-step": 0.5, "http-error": 0.1, "lost-answer": 0.05, "busy-call": 0.05},
         "faults": [{"kind": "lost-ack", "user": "alice", "nth": 3},
                    {"kind": "busy-login", "user": "bob", "nth": 1},
                    {"kind": "expired-session", "user": "bob", "nth": 6},
                    {"kind": "restart", "user": "bob", "nth": 9},
                    {"kind": "restart", "user": "alice", "nth": 16}],
         "delay_ms": {"least": 10, "most": 1000}}
        """#

    @Test(arguments: ["ChatV4", "ChatV3"])
    func `an app on an old door delivers each message once and in order under faults on purpose`(
        app: String
    ) async throws {
        let folder = try TemporaryFolder()
        let plan = folder.file("plan.json")
        try Data(Self.plan.utf8).write(to: URL(filePath: plan))
        let server = try await Server(folder, chaos: plan)
        let platform = Platform(port: server.port)
        let names = ["alice", "bob"]
        for name in names {
            try await platform.call(
                "POST", "users", ["user_id": name, "nickname": name, "profile_url": ""])
        }
        try await platform.call(
            "POST", "group_channels",
            ["channel_url": "train", "name": "train", "user_ids": names])
        let people = try names.map { try RunningApp(app, $0, in: folder, port: server.port) }
        for person in people {
            try await Self.open(person, shows: app == "ChatV4" ? "server" : "messages")
        }

        var resent: Set<String> = []
        for number in 1...8 {
            for (name, person) in zip(names, people) {
                let text = "\(name)\(number)"
                if try await Self.send(text, person) { resent.insert(text) }
            }
        }
        let log = try await platform.texts(
            "group_channels/train/messages?message_ts=0&next_limit=100", "messages", "message")
        for name in names {
            let sent = (1...8).map { "\(name)\($0)" }
            let own = log.filter { $0.hasPrefix(name) }
            #expect(own.sorted() == sent.sorted(), "each message is in the log once")
            // A message that its user sends again goes behind the later ones.
            #expect(own.filter { !resent.contains($0) } == sent.filter { !resent.contains($0) })
        }
        for person in people {
            for text in log { try await person.tell("await \(text)", "shown \(text)") }
            #expect(try await person.tell("pending", "pending").last == "pending")
            try await person.quit()
        }
        await server.stop()
    }

    /// Connects, and opens the channel; a list that meets a fault is asked for again.
    private static func open(_ app: RunningApp, shows answer: String) async throws {
        let connected = try await app.ask("connect", "connected").last
        if connected?.hasPrefix("offline") == true { try await app.sees("reconnected") }
        var channels: String?
        for _ in 0..<20 where channels != "channels train" {
            channels = try await app.ask("list", "channels").last
        }
        try #require(channels == "channels train")
        _ = try await app.ask("open train", answer)
    }

    /// Sends a message until the server has it.
    ///
    /// - Returns: Whether the user had to send it again.
    private static func send(_ text: String, _ app: RunningApp) async throws -> Bool {
        var answer = try #require(try await app.ask("send \(text)", "sent").last)
        var isResent = false
        // A message without an acknowledgement fails once a ping is answered (`docs/delivery.md`).
        for _ in 0..<20 where answer == "failed 800180 \(text)" {
            isResent = true
            answer = try #require(try await app.ask("resend", "sent").last)
        }
        if answer == "waiting \(text)" {
            answer = try #require(try await app.tell("await \(text)", "shown \(text)").last)
        }
        #expect(["sent \(text)", "shown \(text)"].contains(answer))
        return isResent
    }
}
