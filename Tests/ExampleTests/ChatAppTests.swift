// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// The sample apps as they are, each a program of its own, against a server.
struct ChatAppTests {
    /// Runs an app until it has done what it was told, and returns its lines.
    private static func run(
        _ app: String, _ user: String, _ folder: TemporaryFolder, port: Int,
        _ commands: [String]
    ) async throws -> [String] {
        let input = folder.file("\(user).in")
        let output = folder.file("\(user).out")
        try Data(commands.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: input))
        try Data().write(to: URL(filePath: output))
        let process = Process()
        process.executableURL = try program(app)
        process.arguments = ["http://127.0.0.1:\(port)", user, folder.file("cache-\(user)")]
        process.standardInput = try FileHandle(forReadingFrom: URL(filePath: input))
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: output))
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in ended.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                ended.resume(throwing: error)
            }
        }
        #expect(process.terminationStatus == 0)
        return try String(contentsOf: URL(filePath: output), encoding: .utf8)
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
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
}
