// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// The sample apps as programs of their own, against a server.
struct ChatAppTests {
    /// A running app and its output.
    private struct App {
        let process: ChildProcess

        init(
            _ app: String, _ user: String, _ folder: TemporaryFolder, port: Int,
            _ commands: [String]
        ) throws {
            let input = folder.file("\(user).in")
            try Data(commands.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: input))
            process = try ChildProcess(
                try ChildProcess.built(app),
                ["http://127.0.0.1:\(port)", user, folder.file("cache-\(user)")], input: input)
        }

        /// Reads until a line has this beginning.
        func read(until beginning: String) async {
            _ = await process.text { text in
                text.hasSuffix("\n")
                    && text.split(separator: "\n").contains { $0.hasPrefix(beginning) }
            }
        }

        /// Waits for the end of the app and returns its lines.
        func finish() async -> [String] {
            let lines = await process.lines()
            #expect(await process.end() == .exited(0))
            return lines.map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// Runs an app to its end and returns its lines.
    private static func run(
        _ app: String, _ user: String, _ folder: TemporaryFolder, port: Int,
        _ commands: [String]
    ) async throws -> [String] {
        try await App(app, user, folder, port: port, commands).finish()
    }

    @Test(.timeLimit(.minutes(Patience.minutes)), arguments: ["ChatV4", "ChatV3"])
    func `a chat app on an old door works at first launch, offline and after it (R2, R164)`(
        app: String
    ) async throws {
        let folder = try TemporaryFolder()
        // The server comes back to its port, which no connection may take meanwhile.
        let port = Int(try FreePort.next())
        let first = try await Server(folder, port: port)
        let alice = try await Self.run(
            app, "alice", folder, port: port,
            ["connect", "create train bob", "list", "open train", "send hello", "quit"])
        #expect(alice.first == "connected alice")
        #expect(alice.contains("created train"))
        #expect(alice.contains("channels train"))
        #expect(alice.last == "sent hello")
        let bob = try await Self.run(
            app, "bob", folder, port: port,
            ["connect", "list", "open train", "await hello", "send hi", "quit"])
        #expect(bob.suffix(2) == ["shown hello", "sent hi"])
        let again = try await Self.run(
            app, "alice", folder, port: port, ["connect", "list", "open train", "await hi", "quit"])
        #expect(again.last == "shown hi")
        await first.stop()

        // Without a server everything is shown, and new messages wait.
        let offline = try await Self.run(
            app, "alice", folder, port: port,
            ["connect", "list", "open train", "send later", "quit"])
        #expect(offline.first == "offline alice")
        #expect(offline.contains("channels train"))
        #expect(offline.contains { $0.hasSuffix("hello, hi") })
        #expect(offline.last == "waiting later")

        let second = try await Server(folder, port: port)
        let back = try await Self.run(
            app, "alice", folder, port: port,
            ["connect", "list", "open train", "await later", "quit"])
        #expect(back.last == "shown later")
        let reader = try await Self.run(
            app, "bob", folder, port: port,
            ["connect", "list", "open train", "await later", "quit"])
        #expect(reader.last == "shown later")
        await second.stop()
    }

    @Test(.timeLimit(.minutes(Patience.minutes)), arguments: ["ChatV4", "ChatV3"])
    func `a chat app on an old door continues after a huge gap (R108, R113, R114)`(
        app: String
    ) async throws {
        let folder = try TemporaryFolder()
        // The server comes back to its port, which no connection may take meanwhile.
        let port = Int(try FreePort.next())
        let first = try await Server(folder, port: port)
        let made = try await Self.run(
            app, "bob", folder, port: port,
            ["connect", "create train alice", "list", "open train", "send first", "quit"])
        #expect(made.last == "sent first")
        let alice = try App(
            app, "alice", folder, port: port,
            ["connect", "list", "open train", "await first", "await last", "send hi", "quit"])
        await alice.read(until: "shown first")
        // The suspended app sees neither the server's end nor the messages written meanwhile.
        alice.process.signal(SIGSTOP)
        await first.stop()
        let second = try await Server(folder, port: port)
        let bob = try await Self.run(
            app, "bob", folder, port: port,
            ["connect", "list", "open train"] + (1...301).map { "send \($0)" }
                + ["send last", "quit"])
        #expect(bob.last == "sent last")
        alice.process.signal(SIGCONT)
        let lines = await alice.finish()
        #expect(lines.filter { $0 == (app == "ChatV4" ? "huge gap" : "begins anew") }.count == 1)
        #expect(lines.suffix(2) == ["shown last", "sent hi"])
        await second.stop()
    }
}
