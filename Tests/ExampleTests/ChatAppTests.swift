// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// The sample apps as they are, each a program of its own, against a server.
struct ChatAppTests {
    /// An app that runs, and what it prints.
    private final class App {
        let process = Process()
        private let output = Pipe()
        private let ended = AsyncStream.makeStream(of: Int32.self)
        private var text = ""

        init(
            _ app: String, _ user: String, _ folder: TemporaryFolder, port: Int,
            _ commands: [String]
        ) throws {
            let input = folder.file("\(user).in")
            try Data(commands.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: input))
            process.executableURL = try ChatAppTests.program(app)
            process.arguments = ["http://127.0.0.1:\(port)", user, folder.file("cache-\(user)")]
            process.standardInput = try FileHandle(forReadingFrom: URL(filePath: input))
            process.standardOutput = output
            process.terminationHandler = { [ended] process in
                ended.continuation.yield(process.terminationStatus)
                ended.continuation.finish()
            }
            try process.run()
        }

        /// Reads until a whole line begins so, or to the end.
        func read(until beginning: String?) async {
            @Sendable func isThere(_ text: String) -> Bool {
                guard let beginning else { return false }
                return text.hasSuffix("\n")
                    && text.split(separator: "\n").contains { $0.hasPrefix(beginning) }
            }
            let (output, before) = (output, text)
            text = await withCheckedContinuation { done in
                Thread.run {
                    var text = before
                    while !isThere(text) {
                        let bytes = output.fileHandleForReading.availableData
                        if bytes.isEmpty { break }
                        text += String(decoding: bytes, as: UTF8.self)
                    }
                    done.resume(returning: text)
                }
            }
        }

        /// Waits until it has done what it was told, and returns its lines.
        func finish() async -> [String] {
            await read(until: nil)
            for await status in ended.stream { #expect(status == 0) }
            return text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// Runs an app until it has done what it was told, and returns its lines.
    private static func run(
        _ app: String, _ user: String, _ folder: TemporaryFolder, port: Int,
        _ commands: [String]
    ) async throws -> [String] {
        try await App(app, user, folder, port: port, commands).finish()
    }

    fileprivate static func program(_ name: String) throws -> URL {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: own).deletingLastPathComponent().appending(path: name)
    }

    /// A server of its own process: the threads of this one are busy with other tests.
    private struct Server {
        let process: Process
        let port: Int

        init(_ folder: TemporaryFolder, port: Int = 0) async throws {
            let process = Process()
            process.executableURL = try ChatAppTests.program("roost")
            process.arguments = [
                "serve", "--data", folder.file("server"), "--port", "\(port)", "--app-id",
                "demo", "--api-token", "secret",
            ]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let text = await withCheckedContinuation { greeting in
                Thread.run {
                    var text = ""
                    while !text.contains("listening") || !text.hasSuffix("\n") {
                        let bytes = output.fileHandleForReading.availableData
                        if bytes.isEmpty { break }
                        text += String(decoding: bytes, as: UTF8.self)
                    }
                    greeting.resume(returning: text)
                }
            }
            let address = try #require(text.firstMatch(of: /127\.0\.0\.1:(\d+)/), "\(text)")
            self.port = try #require(Int(address.output.1))
            self.process = process
        }

        func stop() {
            process.terminate()
            process.waitUntilExit()
        }
    }

    @Test(.timeLimit(.minutes(2)), arguments: ["ChatV4", "ChatV3"])
    func `a chat app on an old door: first launch, offline, and what was written there (R2, R164)`(
        app: String
    ) async throws {
        let folder = try TemporaryFolder()
        let first = try await Server(folder)
        let port = first.port
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
        first.stop()

        // Without a server: everything is there, and what is written waits.
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
        second.stop()
    }

    @Test(.timeLimit(.minutes(2)), arguments: ["ChatV4", "ChatV3"])
    func `a chat app on an old door goes on behind a huge gap (R108, R113, R114)`(
        app: String
    ) async throws {
        let folder = try TemporaryFolder()
        let first = try await Server(folder)
        let port = first.port
        let made = try await Self.run(
            app, "bob", folder, port: port,
            ["connect", "create train alice", "list", "open train", "send first", "quit"])
        #expect(made.last == "sent first")
        let alice = try App(
            app, "alice", folder, port: port,
            ["connect", "list", "open train", "await first", "await last", "send hi", "quit"])
        await alice.read(until: "shown first")
        // She hears nothing of the server's end, nor of what is written before she comes back.
        kill(alice.process.processIdentifier, SIGSTOP)
        first.stop()
        let second = try await Server(folder, port: port)
        let bob = try await Self.run(
            app, "bob", folder, port: port,
            ["connect", "list", "open train"] + (1...301).map { "send \($0)" }
                + ["send last", "quit"])
        #expect(bob.last == "sent last")
        kill(alice.process.processIdentifier, SIGCONT)
        let lines = await alice.finish()
        #expect(lines.filter { $0 == (app == "ChatV4" ? "huge gap" : "begins anew") }.count == 1)
        #expect(lines.suffix(2) == ["shown last", "sent hi"])
        second.stop()
    }
}
