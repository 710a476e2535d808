// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommand
import RoostWire
import Testing

/// The program itself, as a process.
@Suite(.timeLimit(.minutes(15)))
struct ProgramTests {
    /// A server that cannot be there: port 1 is nobody's.
    private static func client(_ words: String...) -> [String] {
        ["client", "--server", "http://127.0.0.1:1", "--app-id", "demo", "--user", "ada"] + words
    }

    @Test(arguments: [
        (["--version"], ExitCode.done), (["help", "client"], .done), (["serv"], .wrongArguments),
        (["serve", "--port", "x"], .wrongArguments),
        (["client", "--server", "nowhere"], .wrongArguments),
        (
            [
                "client", "--server", "nowhere", "--app-id", "a", "--user", "u", "--cache", "c",
            ], .wrongArguments
        ),
        (client("--cache", "/proc/none"), .storage), (client("--cache", "a-file"), .storage),
        (["cache", "inspect", "missing"], .storage), (["cache", "inspect", "a-file"], .storage),
        (["cache", "inspect", "no-database"], .storage),
        (["cache", "clear", "missing"], .storage), (["cache", "clear", "no-database"], .storage),
        (["cache", "clear", "a-file", "--to", "1", "--everything"], .wrongArguments),
        (["cache", "clear", "a-file", "--including-unsent"], .wrongArguments),
        (
            [
                "serve", "--data", "a-file", "--port", "0", "--app-id", "a", "--api-token", "t",
            ], .storage
        ),
        (
            [
                "serve", "--data", "d", "--host", "256.0.0.1", "--port", "0", "--app-id", "a",
                "--api-token", "t",
            ], .server
        ),
    ])
    func `what ends a command is a number for scripts and one sentence for people`(
        words: [String], code: ExitCode
    ) async throws {
        let program = try Program()
        try Data("no folder".utf8).write(to: URL(filePath: program.path("a-file")))
        let bad = program.folder.appending(path: "no-database")
        try FileManager.default.createDirectory(at: bad, withIntermediateDirectories: true)
        try Data("no database, whatever its name says".utf8)
            .write(to: bad.appending(path: "cache.sqlite"))
        let outcome = try await program.run(words)
        #expect(outcome.status == code.rawValue, "\(outcome.errors)")
        #expect(outcome.errors.count == (code == .done ? 0 : 1), "\(outcome.errors)")
        #expect(outcome.errors.allSatisfy { $0.hasPrefix("roost: ") && $0.count > 20 })
        #expect(
            try Data(contentsOf: bad.appending(path: "cache.sqlite"))
                == Data("no database, whatever its name says".utf8), "looking changed the file")
        try program.remove()
    }

    @Test func `without a server every line is answered once, and words survive the process`()
        async throws
    {
        let program = try Program()
        let words = Self.client("--cache", "cache")
        let first = try await program.run(
            words,
            input: [
                #"{"id":1,"request":"open","channel":"c"}"#, "nonsense",
                #"{"id":2,"request":"send","text":"one"}"#, #"{"id":3,"request":"frobnicate"}"#,
                #"{"id":4,"request":"send","text":"two"}"#, #"{"id":5,"request":"connect"}"#,
                #"{"id":6,"request":"wait_idle"}"#,
            ])
        #expect(first.status == 0)
        #expect(first.errors.isEmpty, "\(first.errors)")
        let lines = try first.output.map { try JSONValue(parsing: $0) }
        #expect(lines.first?["event"] == "ready")
        let answers = lines.filter { $0["event"] == nil }
        #expect(answers.map { $0["id"] } == [1, nil as JSONValue, 2, 3, 4, 5, 6])
        #expect(
            answers.map { $0["ok"]?.bool } == [true, false, true, false, true, false, true])
        #expect(answers[5]["error"]?["remedy"] == "retry")

        let second = try await program.run(
            words,
            input: [
                #"{"id":1,"request":"open","channel":"c"}"#, #"{"id":2,"request":"snapshot"}"#,
                #"{"id":3,"request":"cache"}"#, #"{"id":4,"request":"quit"}"#,
                #"{"id":5,"request":"snapshot"}"#,
            ])
        #expect(second.status == 0)
        let later = try second.output.map { try JSONValue(parsing: $0) }
            .filter { $0["event"] == nil }
        #expect(later.count == 4, "what comes after quit is not answered")
        let messages = later[1]["result"]?["messages"]?.array ?? []
        #expect(messages.map { $0["text"] } == ["one", "two"])
        #expect(messages.allSatisfy { $0["status"] == "pending" })
        #expect(later[2]["result"]?["outbox"]?.array?.count == 2)

        let drawn = try await program.run(["cache", "inspect", "cache"])
        #expect(drawn.output.contains { $0.contains("2 unsent messages") })
        #expect(!drawn.output.contains { $0.contains("one") }, "text needs --text")
        let told = try await program.run(["cache", "inspect", "cache", "--text"])
        #expect(told.output.contains { $0.hasSuffix("to c: one") })

        let kept = try await program.run(["cache", "clear", "cache", "--everything"])
        #expect(kept.status == 0)
        let trial = try await program.run(
            ["cache", "clear", "cache", "--everything", "--including-unsent", "--dry-run"])
        #expect(trial.output.contains { $0.contains("would go") && $0.contains("2 unsent") })
        let still = try await program.run(["cache", "inspect", "cache"])
        #expect(still.output.contains { $0.contains("2 unsent messages") })
        let all = try await program.run(
            ["cache", "clear", "cache", "--everything", "--including-unsent"])
        #expect(all.output.contains { $0.contains("gone") && $0.contains("2 unsent") })
        let empty = try await program.run(["cache", "inspect", "cache"])
        #expect(empty.output.contains { $0.contains("0 unsent messages") })
        try program.remove()
    }

    @Test func `the demo holds, and leaves nothing behind`() async throws {
        let program = try Program()
        let outcome = try await program.run(["demo", "--fast"])
        #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
        #expect(outcome.output.filter { $0.hasPrefix("  ✓ ") }.count > 20)
        #expect(outcome.output.last?.hasPrefix("All held: ") == true)
        try program.remove()
    }
}
