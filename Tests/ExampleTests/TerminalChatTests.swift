// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RoostTestSupport
import Testing

/// The tutorial's chat in the terminal as a program.
struct TerminalChatTests {
    /// A running chat with a pipe for its input.
    private final class Chat {
        private let process: ChildProcess
        private let input: FileHandle

        init(_ program: ExampleProgram, in folder: TemporaryFolder) throws {
            let pipe = folder.file("input")
            if !FileManager.default.fileExists(atPath: pipe) {
                try #require(unsafe mkfifo(pipe, 0o600) == 0)
            }
            process = try program.start(in: folder.path, reading: pipe)
            // With both ends open neither process waits for the other one.
            input = try #require(FileHandle(forUpdatingAtPath: pipe))
        }

        func write(_ line: String) throws { try input.write(contentsOf: Data("\(line)\n".utf8)) }

        func shows(_ line: String) async -> Bool {
            await process.text { $0.contains("\n\(line)\n") }.contains("\n\(line)\n")
        }

        func kill() async {
            process.signal(SIGKILL)
            _ = await process.end()
        }
    }

    @Test(.timeLimit(.minutes(Patience.minutes)))
    func `a line written without a server survives a kill and is delivered later`() async throws {
        let folder = try TemporaryFolder()
        let server = try await Server.withShortPort(folder)
        let program = try await ExampleProgram("TerminalChat", port: server.port, in: folder)
        let first = try Chat(program, in: folder)
        try first.write("Hello")
        #expect(await first.shows("✓ alice: Hello"))
        await server.stop()
        try first.write("From the tunnel")
        #expect(await first.shows("◷ alice: From the tunnel"))
        await first.kill()

        let second = try Chat(program, in: folder)
        #expect(await second.shows("✓ alice: Hello\n◷ alice: From the tunnel"))
        let next = try await Server(folder, port: server.port)
        #expect(await second.shows("✓ alice: Hello\n✓ alice: From the tunnel"))
        await second.kill()
        await next.stop()
    }
}
