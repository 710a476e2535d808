// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RoostCommand
import RoostCommandLine
import RoostTestSupport
import Testing

/// The two streams of `roost client` when one of them fails.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ClientInputTests {
    /// Returns the arguments of a client whose server is absent: port 1 has no listener.
    private static func client(_ program: Program) -> [String] {
        [
            "client", "--server", "http://127.0.0.1:1", "--app-id", "demo", "--user", "ada",
            "--cache", program.path("cache"),
        ]
    }

    @Test(arguments: [("< /", "Is a directory"), ("<&-", "Bad file descriptor")])
    func `an input that cannot be read ends the client with a sentence`(
        redirection: String, reason: String
    ) async throws {
        let program = try Program()
        let roost = try ChildProcess.built("roost")
        let shell = try ChildProcess(
            "/bin/sh",
            ["-c", "exec \"$0\" \"$@\" \(redirection)", roost] + Self.client(program),
            output: program.path("output"), errors: program.path("errors"))
        #expect(await shell.end() == .exited(ExitCode.storage.rawValue))
        let errors = try String(contentsOfFile: program.path("errors"), encoding: .utf8)
        #expect(errors.hasPrefix("roost: Standard input cannot be read (\(reason)): "), "\(errors)")
        #expect(errors.split(separator: "\n").count == 1, "\(errors)")
        try program.remove()
    }

    @Test func `a client ends when the reader of its events has left, also without a request`()
        async throws
    {
        let program = try Program()
        let requests = program.path("requests")
        // SAFETY: the path is valid during each call.
        let isMade = unsafe mkfifo(requests, 0o600) == 0
        #expect(isMade)
        // An input that stays open, and never has a line.
        let writer = unsafe open(requests, O_RDWR | O_CLOEXEC)
        defer { close(writer) }
        // The broken pipe ends `yes`, so the reader has left before the client starts.
        let script = "{ yes; \"$@\" 2> \"$0.errors\"; echo $? > \"$0\"; } | true"
        let roost = try ChildProcess.built("roost")
        let shell = try ChildProcess(
            "/bin/sh", ["-c", script, program.path("status"), roost] + Self.client(program),
            input: requests)
        #expect(await shell.end() == .exited(0))
        #expect(try String(contentsOfFile: program.path("status"), encoding: .utf8) == "0\n")
        #expect(try String(contentsOfFile: program.path("status.errors"), encoding: .utf8) == "")
        try program.remove()
    }

    @Test func `a wake of a pipe that has no reader never waits`() {
        let pipe = WakePipe()
        // A pipe has room for 65,536 bytes.
        for _ in 0...65_536 { pipe.wake() }
        #expect(pipe.descriptor >= 0)
    }
}
