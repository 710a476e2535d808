// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostCommand
import RoostCommandLine
import RoostModel
import RoostTestSupport
import RoostWire
import Testing

/// A server with faults as a process, and Roost's own client against it.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ChaosTests {
    private static func serve(_ chaos: String, _ more: String...) -> [String] {
        [
            "serve", "--data", "d", "--port", "0", "--app-id", "a", "--api-token", "t", "--chaos",
            chaos,
        ] + more
    }

    @Test(arguments: [
        (serve("9007199254740992"), ExitCode.wrongArguments, "a seed from 0 to 9007199254740991"),
        (serve("99999999999999999999"), .wrongArguments, "a seed from 0 to"),
        (serve("missing.json"), .storage, "a seed, which is a number, or the file"),
        (serve("wrong.json"), .wrongArguments, "rates.lost-akk: There is no such kind"),
        (serve("no.json"), .wrongArguments, "no JSON"),
        (serve("1", "--host", "0.0.0.0"), .wrongArguments, "--require-token"),
        (serve("1", "--host", "0.0.0.0", "--require-token"), .wrongArguments, "give --insecure"),
    ])
    func `a wrong plan or a server for other machines ends with one sentence`(
        words: [String], code: ExitCode, sentence: String
    ) async throws {
        let program = try Program()
        try Data(#"{"rates":{"lost-akk":0.1}}"#.utf8)
            .write(to: URL(filePath: program.path("wrong.json")))
        try Data("rates".utf8).write(to: URL(filePath: program.path("no.json")))
        let outcome = try await program.run(words)
        #expect(outcome.status == code.rawValue, "\(outcome.errors)")
        #expect(outcome.errors.count == 1, "\(outcome.errors)")
        #expect(outcome.errors.first?.contains(sentence) == true, "\(outcome.errors)")
        try program.remove()
    }

    @Test func `the welcome warns, and names the seed and the repetition`() {
        let lines = ServeWelcome(
            host: "127.0.0.1", port: 80, applicationID: "demo", requiresToken: true,
            chaos: "faults are made on purpose"
        ).lines
        #expect(lines.first?.hasPrefix("listening on ") == true)
        #expect(lines.contains("faults are made on purpose"))
    }

    @Test func `the same plan and the same calls give the same faults`() async throws {
        let program = try Program()
        let plan = program.path("plan.json")
        try Data(
            #"""
            {"seed": 7, "rates": {"http-error": 0.1, "lost-answer": 0.1, "slow-page": 0.2},
             "faults": [{"kind": "busy-call", "user": "ann", "nth": 5}],
             "delay_ms": {"least": 0, "most": 5}}
            """#.utf8
        ).write(to: URL(filePath: plan))
        var runs: [(statuses: [Int], faults: [JSONValue])] = []
        for name in ["one", "two"] {
            let server = try await ChaosServer(program, chaos: plan, name: name)
            #expect(
                server.welcome.contains {
                    $0.contains("seed 7") && $0.contains("--chaos \(plan)")
                }, "\(server.welcome)")
            var statuses: [Int] = []
            for number in 0..<100 {
                let user = number % 3 == 0 ? "bob" : "ann"
                statuses.append(
                    try await server.ask("/v3/users/\(user)/my_group_channels?limit=5"))
            }
            runs.append((statuses, try await server.stop()))
        }
        #expect(runs[0].statuses == runs[1].statuses)
        #expect(runs[0].faults == runs[1].faults)
        let faults = runs[0].faults
        #expect(faults.count > 15)
        #expect(faults.map { $0["number"]?.int } == (1...faults.count).map { Int64($0) })
        #expect(faults.allSatisfy { $0["seed"] == 7 })
        #expect(
            faults.contains {
                $0["kind"] == "busy-call" && $0["user"] == "ann" && $0["nth"] == 5
                    && $0["call"] == "GET /v3/users/ann/my_group_channels"
            })
        try program.remove()
    }

    // MARK: Roost's own client

    @Test(arguments: [1, 2, 3])
    func `the client delivers each message once and in order under a seed`(
        seed: Int
    ) async throws {
        let faults = try await chat(chaos: String(seed), count: 30)
        #expect(!faults.isEmpty)
        #expect(faults.allSatisfy { $0["seed"]?.int == Int64(seed) })
    }

    @Test func `the client delivers each message once and in order under every kind of fault`()
        async throws
    {
        let program = try Program()
        let plan = program.path("plan.json")
        try Data(
            #"""
            {"seed": 11,
             "rates": {"late-ack": 0.2, "repeated-ack": 0.2, "short-page": 0.5, "slow-page": 0.3,
                       "clock-step": 0.5, "http-error": 0.1, "lost-answer": 0.1},
             "faults": [{"kind": "busy-login", "nth": 2}, {"kind": "busy-call", "nth": 4},
                        {"kind": "expired-session", "user": "bob", "nth": 6},
                        {"kind": "lost-ack", "user": "ann", "nth": 3},
                        {"kind": "restart", "user": "bob", "nth": 5},
                        {"kind": "restart", "user": "ann", "nth": 20},
                        {"kind": "half-open", "user": "ann", "nth": 24}],
             "delay_ms": {"least": 10, "most": 1500}}
            """#.utf8
        ).write(to: URL(filePath: plan))
        let faults = try await chat(chaos: plan, count: 30)
        let kinds = Set(faults.compactMap { $0["kind"]?.string })
        for kind in ["busy-login", "lost-ack", "late-ack", "repeated-ack", "restart", "half-open"] {
            #expect(kinds.contains(kind), "\(kinds)")
        }
        try program.remove()
    }

    /// Lets two clients write to each other until both show the server's log; returns the faults.
    private func chat(chaos: String, count: Int) async throws -> [JSONValue] {
        let program = try Program()
        let server = try await ChaosServer(program, chaos: chaos)
        async let ann = Writer("ann", server, program)
        async let bob = Writer("bob", server, program)
        let writers = try await [ann, bob]
        let resent = try await withThrowingTaskGroup { group in
            for writer in writers { group.addTask { try await writer.write(count) } }
            return try await group.reduce(into: Set<String>()) { $0.formUnion($1) }
        }
        let log = try await server.log()
        for writer in writers {
            let (own, sent) = (log.filter { $0.hasPrefix(writer.name) }, writer.texts(count))
            #expect(own.sorted() == sent.sorted(), "each message is in the log once")
            // A message that its user sends again goes behind the later ones.
            #expect(own.filter { !resent.contains($0) } == sent.filter { !resent.contains($0) })
        }
        for writer in writers { await writer.waitUntilShown(log) }
        for writer in writers {
            #expect(await writer.shown == log)
            await writer.close()
        }
        let faults = try await server.stop()
        try program.remove()
        return faults
    }
}

/// A user with Roost's client.
private struct Writer: Sendable {
    let name: String
    private let client: ChatClient
    private let timeline: Timeline
    private let channel = ChannelURL(ChaosServer.channel)

    init(_ name: String, _ server: ChaosServer, _ program: Program) async throws {
        self.name = name
        client = try await ChatClient.open(
            Configuration(
                applicationID: "demo", server: "http://127.0.0.1:\(server.port)",
                userID: UserID(name), cache: .folder(program.path("cache-\(name)")), pageSize: 10))
        // The client goes on by itself where the first attempt meets a fault.
        try? await client.connect()
        timeline = try await client.timeline(of: channel)
    }

    func texts(_ count: Int) -> [String] { (1...count).map { "\(name) \($0)" } }

    /// Sends messages, three at a time so that both writers meet, and waits until the server has
    /// all of them.
    ///
    /// - Returns: The texts of the messages that were sent again.
    func write(_ count: Int) async throws -> Set<String> {
        var sent: [(name: RequestID, text: String)] = []
        var resent: Set<String> = []
        for (number, text) in texts(count).enumerated() {
            let message = try await client.send(text, to: channel)
            if let name = message.requestID { sent.append((name, text)) }
            guard number % 3 == 2 || number == count - 1 else { continue }
            for (name, text) in sent where try await deliver(name) { resent.insert(text) }
            sent = []
        }
        return resent
    }

    /// Waits until the server has a message.
    ///
    /// A message without an acknowledgement fails once a ping is answered (`docs/delivery.md`), and
    /// its user taps it to send it again.
    ///
    /// - Returns: Whether it was sent again.
    private func deliver(_ name: RequestID) async throws -> Bool {
        for attempt in 0..<20 {
            do throws(RoostError) {
                try await client.outcome(of: name)
                return attempt > 0
            } catch {
                guard error.code == .ackTimeout else { throw error }
            }
            _ = await client.resend(name)
        }
        try await client.outcome(of: name)
        return true
    }

    /// The texts of the delivered messages on screen.
    var shown: [String] {
        get async { Self.texts(of: await timeline.snapshot) }
    }

    private static func texts(of snapshot: Timeline.Snapshot) -> [String] {
        snapshot.messages.filter { $0.messageID != nil }.map(\.text)
    }

    /// Pages back to the beginning, and waits until the log is on screen.
    func waitUntilShown(_ log: [String]) async {
        while await timeline.snapshot.hasOlder {
            // A page that meets a fault is asked for again, as by a user who pulls once more.
            _ = try? await timeline.loadOlder()
        }
        for await snapshot in await timeline.snapshots() where Self.texts(of: snapshot) == log {
            return
        }
    }

    func close() async {
        #expect(await client.unsentMessages(in: channel).isEmpty)
        #expect(await client.failedMessages(in: channel).isEmpty)
        await client.close()
    }
}
