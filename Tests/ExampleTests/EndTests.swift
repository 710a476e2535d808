// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// The ends of processes while a client works.
struct EndTests {
    /// The ways in which a process ends; a signal comes from the test.
    private enum Way: String, CaseIterable {
        case `return`, exit, error, signal
    }

    /// The ends of each kind; `ROOST_LONG_TESTS` makes them 200, which takes a quarter of an hour.
    private static let count = Sample.isWhole ? 200 : 3

    private static let signals = [SIGTERM, SIGINT, SIGHUP, SIGKILL]

    /// An ended process: its status and its output.
    private struct End: Equatable {
        let ending: ChildProcess.Ending?
        let output: String
    }

    /// Starts `EndActor` and ends it; the number chooses the signal and the work in progress.
    private static func end(
        _ door: String, _ way: Way, _ number: Int, _ server: String, trusting authority: String
    ) async throws -> End {
        let folder = try TemporaryFolder(inMemory: true)
        let process = try ChildProcess(
            try ChildProcess.built("EndActor"),
            [
                door, way == .signal ? "wait" : way.rawValue, server, folder.path,
                "\(number % 4 * 3)",
            ],
            errors: "/dev/null",
            // The tracer of crashes needs seconds for each.
            environment: ["SSL_CERT_FILE": authority, "SWIFT_BACKTRACE": "enable=no"])
        if way == .signal {
            _ = await process.text { $0.hasSuffix("line 5000 of 5000\n") }
            process.signal(signals[number % signals.count])
        }
        let output = await process.text { _ in false }
        return End(ending: await process.end(), output: output)
    }

    @Test(.timeLimit(.minutes(Patience.minutes)), arguments: ["native", "v4", "v3"])
    func `a process with a working client ends as one without, with its whole output`(
        door: String
    ) async throws {
        let (folder, secureFolder) = (try TemporaryFolder(), try TemporaryFolder())
        let certificates = try TemporaryCertificates()
        let plain = try await Server(folder)
        let secure = try await Server(secureFolder, certificates: certificates)
        let addresses = ["http://127.0.0.1:\(plain.port)", "https://127.0.0.1:\(secure.port)"]
        for way in Way.allCases {
            for number in 0..<Self.count {
                let expected = try await Self.end("none", way, number, "", trusting: "")
                #expect(expected.output.hasSuffix("line 5000 of 5000\n"))
                let end = try await Self.end(
                    door, way, number, addresses[number % 2], trusting: certificates.authority)
                #expect(end == expected, "\(way) \(number)")
            }
        }
        await plain.stop()
        await secure.stop()
    }
}

extension EndTests {
    @Test(
        .timeLimit(.minutes(Patience.minutes)),
        arguments: [("FirstChat", "chat"), ("Tour", "cache"), ("TerminalChat", "chat")])
    func `an example without commands ends by itself, by an error and by a signal`(
        example: String, cache: String
    ) async throws {
        let folder = try TemporaryFolder()
        let server = try await Server.withShortPort(folder)
        let program = try await ExampleProgram(example, port: server.port, in: folder)
        let error = try await Self.end("none", .error, 0, "", trusting: "").ending
        for number in 0..<Self.count {
            let place = try TemporaryFolder(inMemory: true)
            let whole = try program.start(in: place.path)
            let lines = await whole.lines()
            #expect(await whole.end() == .exited(0))
            #expect(example != "FirstChat" || lines.last == "succeeded Hello from the train")

            let cut = try program.start(in: place.path)
            cut.signal(Self.signals[number % Self.signals.count])
            #expect(
                await cut.end() == .killed(signal: Self.signals[number % Self.signals.count]))
            #expect(try await Self.endOfOpening(program, cache) == error)
        }
        await server.stop()
    }

    /// Starts an example with a file in the place of its cache, and returns its end.
    private static func endOfOpening(
        _ program: ExampleProgram, _ cache: String
    ) async throws -> ChildProcess.Ending? {
        let folder = try TemporaryFolder(inMemory: true)
        try Data("no folder".utf8).write(to: URL(filePath: folder.file(cache)))
        return await (try program.start(in: folder.path)).end()
    }

    @Test(.timeLimit(.minutes(Patience.minutes)))
    func `a bot ends by an error and by a signal`() async throws {
        let folder = try TemporaryFolder()
        let server = try await Server.withShortPort(folder)
        let program = try await ExampleProgram("Bot", port: server.port, in: folder)
        let error = try await Self.end("none", .error, 0, "", trusting: "").ending
        for number in 0..<Self.count {
            let place = try TemporaryFolder(inMemory: true)
            let bot = try program.start(in: place.path)
            #expect(await bot.text { $0.hasSuffix("\n") } == "ready\n")
            bot.signal(Self.signals[number % Self.signals.count])
            #expect(
                await bot.end() == .killed(signal: Self.signals[number % Self.signals.count]))
            #expect(try await Self.endOfOpening(program, "bot") == error)
        }
        await server.stop()
    }

    @Test(.timeLimit(.minutes(Patience.minutes)), arguments: ["ChatV4", "ChatV3"])
    func `an example with commands ends at any of them`(example: String) async throws {
        let folder = try TemporaryFolder()
        let server = try await Server(folder)
        let work = ["connect", "create train bob", "list", "open train", "send hello"]
        for number in 0..<Self.count {
            for (end, status) in [("quit", Int32(0)), ("", 0), ("nonsense", 2)] {
                let place = try TemporaryFolder(inMemory: true)
                let commands = work.prefix(number % work.count + 1) + [end].filter { $0 != "" }
                let app = try Self.start(example, Array(commands), in: place, server)
                let lines = await app.lines()
                #expect(await app.end() == .exited(status))
                #expect(lines.count >= commands.count - (end == "quit" ? 1 : 0))
            }
            let place = try TemporaryFolder(inMemory: true)
            let app = try Self.start(example, work + ["await never"], in: place, server)
            _ = await app.text { $0.contains("sent hello") }
            app.signal(Self.signals[number % Self.signals.count])
            #expect(await app.end() == .killed(signal: Self.signals[number % Self.signals.count]))
        }
        await server.stop()
    }

    private static func start(
        _ example: String, _ commands: [String], in folder: TemporaryFolder, _ server: Server
    ) throws -> ChildProcess {
        let input = folder.file("commands")
        try Data(commands.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: input))
        return try ChildProcess(
            try ChildProcess.built(example),
            ["http://127.0.0.1:\(server.port)", "alice", folder.file("cache")], input: input)
    }
}
