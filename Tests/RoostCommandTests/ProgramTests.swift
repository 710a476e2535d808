// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommand
import RoostCommandLine
import RoostTestSupport
import RoostWire
import Testing

/// The program itself, as a process.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ProgramTests {
    /// Returns the arguments of a client whose server is absent: port 1 has no listener.
    private static func client(_ words: String...) -> [String] {
        ["client", "--server", "http://127.0.0.1:1", "--app-id", "demo", "--user", "ada"] + words
    }

    private static func conform(_ server: String, _ words: String...) -> [String] {
        ["conform", "--server", server, "--app-id", "demo", "--api-token", "t"] + words
    }

    @Test(arguments: [
        (["--version"], ExitCode.done), (["help", "client"], .done), (["serv"], .wrongArguments),
        (["bench", "cache"], .wrongArguments), (["simulate"], .wrongArguments),
        (["serve", "--port", "x"], .wrongArguments),
        (["client", "--server", "nowhere"], .wrongArguments),
        (
            [
                "client", "--server", "nowhere", "--app-id", "a", "--user", "u", "--cache", "c",
            ], .wrongArguments
        ),
        (client("--cache", "/proc/none"), .storage), (client("--cache", "a-file"), .storage),
        (["journal", "missing"], .storage), (["journal", "a-file"], .failed),
        (["check"], .wrongArguments), (["check", "missing"], .storage),
        (["check", "a-file"], .storage), (["check", "/"], .storage),
        (["conform"], .wrongArguments), (conform("nowhere"), .wrongArguments),
        (conform("http://127.0.0.1:1"), .server),
        (conform("http://127.0.0.1:1", "--junit", "/proc/none"), .storage),
        (["conform", "--list", "--only", "polls"], .done),
        (["conform", "--list", "--only", "poll"], .wrongArguments),
        (client("--cache", "c", "--history", "/proc/none"), .storage),
        (client("--cache", "c", "--history", "a-file"), .storage),
        (["cache", "inspect", "missing"], .storage), (["cache", "inspect", "a-file"], .storage),
        (["cache", "inspect", "no-database"], .storage),
        (["cache", "clear", "missing"], .storage), (["cache", "clear", "no-database"], .storage),
        (["cache", "clear", "a-file", "--to", "1", "--everything"], .wrongArguments),
        (["cache", "clear", "a-file", "--including-unsent"], .wrongArguments),
        (["migrate", "--database", "roost"], .wrongArguments),
        (["serve", "--app-id", "demo", "--database", "roost"], .wrongArguments),
        (
            [
                "serve", "--data", "a-file", "--port", "0", "--app-id", "a", "--api-token", "t",
            ], .storage
        ),
        (
            [
                "serve", "--data", "d", "--host", "256.0.0.1", "--port", "0", "--app-id", "a",
                "--api-token", "t", "--insecure",
            ], .server
        ),
    ])
    func `a command ends with an exit code and one sentence`(
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

    @Test func `without a server each line gets one answer, and messages survive the process`()
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

    @Test func `the demo succeeds and leaves no files`() async throws {
        let program = try Program()
        let outcome = try await program.run(["demo", "--fast"])
        #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
        #expect(outcome.output.filter { $0.hasPrefix("  ✓ ") }.count > 20)
        #expect(outcome.output.last?.hasPrefix("All held: ") == true)
        try program.remove()
    }

    /// The words of a shell that let the reader of a demo's output leave, before the demo or after
    /// its first step.
    private static let leavingReaders = [
        ("{ yes; \"$0\" demo --fast --keep 2>&3; echo $? >&3; } | true", false),
        (
            "{ \"$0\" demo --fast --keep 2>&3; echo $? >&3; } | { read a; read b; read c; }",
            true
        ),
    ]

    @Test(arguments: leavingReaders)
    func `a demo ends silently with its processes when its reader has left`(
        words: String, hasServer: Bool
    ) async throws {
        let program = try Program()
        let shell = try ChildProcess(
            "/bin/sh", ["-c", "exec 3>&1; " + words, try ChildProcess.built("roost")],
            environment: ["TMPDIR": program.folder.path])
        // The end of this output is also that of the demo's processes, which share its errors.
        let lines = await shell.lines()
        #expect(lines == ["0"])
        let names = try FileManager.default.contentsOfDirectory(atPath: program.folder.path)
        let kept = try #require(names.first { $0.hasPrefix("roost-demo-") })
        let parts = try FileManager.default.contentsOfDirectory(atPath: program.path(kept))
        #expect(parts.contains("server") == hasServer, "\(parts)")
        try program.remove()
    }

    @Test func `a demo with wrong arguments makes no folder`() async throws {
        let program = try Program()
        let outcome = try await program.run(
            ["demo", "--servers", ","], environment: ["TMPDIR": program.folder.path])
        #expect(outcome.status == ExitCode.wrongArguments.rawValue, "\(outcome.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: program.folder.path)
        #expect(names.allSatisfy { $0.hasPrefix(".") }, "the call left files: \(names)")
        try program.remove()
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal ends a server at once that still waits for its database`(
        signal: Int32
    ) async throws {
        let listener = try SilentListener()
        let server = try ChildProcess(
            try ChildProcess.built("roost"),
            [
                "serve", "--database", "postgresql://127.0.0.1:\(listener.port)/x", "--port", "0",
                "--app-id", "demo", "--api-token", "t",
            ])
        await listener.awaitConnection()
        server.signal(signal)
        #expect(await server.end() == .killed(signal: signal))
    }

    /// Returns the arguments of a server that checks its arguments and folder, and cannot listen on
    /// its address.
    private static func serve(_ words: String...) -> [String] {
        [
            "serve", "--data", "d", "--host", "256.0.0.1", "--port", "0", "--app-id", "a",
            "--require-token",
        ] + words
    }

    /// Returns the arguments of a server that requires no token.
    private static func open(_ words: String...) -> [String] {
        ["serve", "--data", "d", "--port", "0", "--app-id", "a", "--api-token", "t"] + words
    }

    @Test(arguments: [
        (
            ["serve"], ExitCode.wrongArguments,
            "roost serve still needs --app-id ID, --data DIR or --database URL."
        ),
        (
            ["serve", "--app-id", "a"], .wrongArguments,
            "roost serve still needs --data DIR or --database URL."
        ),
        (serve(), .wrongArguments, "--api-token-file FILE, or the variable ROOST_API_TOKEN"),
        (serve("--api-token-file", "missing"), .storage, "another file as --api-token-file"),
        (
            open("--host", "0.0.0.0"), .wrongArguments, "give --require-token, or --insecure"
        ),
        (open("--host", "::"), .wrongArguments, "give --require-token, or --insecure"),
        (open("--host", "some.name"), .wrongArguments, "give --require-token, or --insecure"),
        (open("--host", "127.0.0.1.example"), .wrongArguments, "--insecure"),
        (
            serve("--api-token", "t", "--allow-origin", "chat.example"), .wrongArguments,
            "such as https://chat.example"
        ),
        (serve("--api-token", "t", "--api-token-file", "f"), .wrongArguments, "exclude each other"),
        (
            serve("--api-token", "t", "--tls-cert", "no-chain", "--tls-key", "no-key"), .storage,
            "There is no file no-chain"
        ),
        (
            serve("--api-token", "t", "--tls-cert", "/dev/null", "--tls-key", "no-key"), .storage,
            "There is no file no-key"
        ),
        (
            serve("--api-token", "t", "--public-url", "chat.example"), .wrongArguments,
            "--public-url"
        ),
        (serve("--api-token", "t", "--public-url", "ftp://a"), .wrongArguments, "--public-url"),
        (serve("--api-token", "t", "--public-url", "https://"), .wrongArguments, "--public-url"),
        (serve("--api-token", "t", "--public-url", "https://a/b"), .server, "256.0.0.1"),
        (serve("--api-token", "t", "--files", "s3://files"), .wrongArguments, "give --database"),
    ])
    func `a server that cannot start names all missing arguments`(
        words: [String], code: ExitCode, sentence: String
    ) async throws {
        let program = try Program()
        let outcome = try await program.run(words)
        #expect(outcome.status == code.rawValue, "\(outcome.errors)")
        #expect(outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains(sentence) == true, "\(outcome.errors)")
        try program.remove()
    }

    /// Calls with an option that would have no effect, each with a part of the refusal.
    private static let withoutEffect: [([String], String)] = [
        (["chat", "--demo", "--user", "ada"], "leave --user out"),
        (["chat", "--demo", "--with", "bo"], "leave --with out"),
        (["chat", "--demo", "--token", "t"], "leave --token out"),
        (["chat", "--demo", "--token-file", "t"], "leave --token-file out"),
        (["chat", "--demo", "--key-folder", "k"], "leave --key-folder out"),
        (["chat", "--demo", "--allow-plain-transport"], "leave --allow-plain-transport out"),
        (client("--cache", "c", "--page-text"), "--page-text goes with --page PORT: add it."),
        (open("--schema", "s"), "--schema is for servers that share a database: give --database"),
        (open("--page", "--no-page"), "--page and --no-page exclude each other: give one."),
        (open("--tls-cert", "c"), "--tls-cert goes with --tls-key FILE: add it."),
        (open("--tls-key", "k"), "--tls-key goes with --tls-cert FILE: add it."),
        (
            open("--database", "postgresql://db/roost"),
            "--data and --database exclude each other: give one."
        ),
        (open("--max-text", "65537"), "--max-text wants a whole number from 1 to 65536"),
        (
            ["cache", "clear", "c", "--to", "1", "--everything"],
            "--to and --everything exclude each other: give one."
        ),
        (
            ["cache", "clear", "c", "--including-unsent"],
            "--including-unsent goes with --everything: add it."
        ),
        (["cache", "inspect", "c", "--journal", "j"], "--journal goes with --html FILE"),
        (
            ["migrate", "--database", "postgresql://db/roost", "--dry-run", "--restored"],
            "--dry-run and --restored exclude each other: give one."
        ),
        (["conform", "--list", "--junit", "j"], "--list runs no check: leave --junit out."),
        (["conform", "--list", "--api-token", "t"], "leave --api-token out."),
    ]

    @Test(arguments: withoutEffect)
    func `an option that would have no effect is refused`(
        words: [String], sentence: String
    ) async throws {
        let program = try Program()
        let outcome = try await program.run(words)
        #expect(outcome.status == ExitCode.wrongArguments.rawValue, "\(outcome.errors)")
        #expect(outcome.output.isEmpty && outcome.errors.count == 1)
        #expect(outcome.errors.first?.contains(sentence) == true, "\(outcome.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: program.folder.path)
        #expect(names.allSatisfy { $0.hasPrefix(".") }, "the call left files: \(names)")
        try program.remove()
    }

    @Test(arguments: [
        (
            ["--token-file", "missing"], ExitCode.storage,
            "no readable secret in missing: write it there with"
        ),
        (["--token-file", "t", "--token", "t"], .wrongArguments, "exclude each other"),
    ])
    func `a client names an unreadable token file`(
        words: [String], code: ExitCode, sentence: String
    ) async throws {
        let program = try Program()
        let outcome = try await program.run(Self.client("--cache", "c") + words)
        #expect(outcome.status == code.rawValue, "\(outcome.errors)")
        #expect(outcome.errors.first?.contains(sentence) == true, "\(outcome.errors)")
        try program.remove()
    }

    @Test func `a refused address names the option that allows it`() async throws {
        let program = try Program()
        let words = [
            "client", "--server", "http://example.com", "--app-id", "a", "--user", "u", "--cache",
            "c",
        ]
        let refused = try await program.run(words)
        #expect(refused.status == ExitCode.wrongArguments.rawValue)
        #expect(refused.errors.first?.contains("--allow-plain-transport") == true)
        #expect(try await program.run(words + ["--allow-plain-transport"]).status == 0)
        try program.remove()
    }

    @Test
    func `a server's new folder is closed to other users, and an existing folder keeps its mode`()
        async throws
    {
        let program = try Program()
        func rights() throws -> Int? {
            let attributes = try FileManager.default.attributesOfItem(atPath: program.path("d"))
            return attributes[.posixPermissions] as? Int
        }
        _ = try await program.run(Self.serve("--api-token", "t"))
        #expect(try rights() == 0o700)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o750], ofItemAtPath: program.path("d"))
        _ = try await program.run(Self.serve("--api-token", "t"))
        #expect(try rights() == 0o750)
        for name in try FileManager.default.contentsOfDirectory(atPath: program.path("d")) {
            let file = program.path("d/\(name)")
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        try program.remove()
    }

    @Test func `a backup distinguishes a damaged server from an unwritable target`()
        async throws
    {
        let program = try Program()
        _ = try await program.run(Self.serve("--api-token", "t"))
        try Data("no folder".utf8).write(to: URL(filePath: program.path("a-file")))
        let unwritable = try await program.run(["backup", "--data", "d", "--to", "a-file/copy"])
        #expect(unwritable.status == ExitCode.storage.rawValue)
        #expect(unwritable.errors.first?.contains("space and rights") == true)
        let path = URL(filePath: program.path("d/server.sqlite"))
        var bytes = try Data(contentsOf: path)
        for offset in (bytes.count / 2)..<bytes.count { bytes[offset] = UInt8(offset * 7 % 251) }
        for damaged in [bytes, Data("no database".utf8)] {
            try damaged.write(to: path)
            let outcome = try await program.run(["backup", "--data", "d", "--to", "copy"])
            #expect(outcome.status == ExitCode.storage.rawValue)
            #expect(
                outcome.errors.first?.hasPrefix("roost: d/server.sqlite is damaged") == true,
                "\(outcome.errors)")
            #expect(!FileManager.default.fileExists(atPath: program.path("copy")))
        }
        try program.remove()
    }
}
