// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostHistory
import RoostTestSupport
import RoostWire
import Testing

/// Histories that real clients write, and their judgement.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct HistoryCommandTests {
    private static func lines(_ path: String) throws -> [HistoryLine] {
        try String(contentsOf: URL(filePath: path), encoding: .utf8).split(separator: "\n").map {
            var reader = JSONReader(String($0))
            return try HistoryLine(&reader)
        }
    }

    private static func write(_ lines: [HistoryLine], to path: String) throws {
        try Data(lines.flatMap(\.bytes)).write(to: URL(filePath: path))
    }

    private static func append(_ text: String, to path: String) throws {
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    @Test func `two clients chat, one is killed and returns, and their histories are good`()
        async throws
    {
        let program = try Program()
        let server = try await ServerProcess(program)
        let (ada, bo) = (program.path("ada.jsonl"), program.path("bo.jsonl"))
        let first = try DrivenClient(program, user: "ada", server: server.address)
        let other = try DrivenClient(program, user: "bo", server: server.address)
        // Its history is open from here on.
        try await first.ask("connect")
        let taken = try await program.run(Self.client("ada.jsonl"))
        #expect(taken.status == ExitCode.storage.rawValue)
        #expect(taken.errors.first?.contains("in use") == true, "\(taken.errors)")
        try await other.ask("connect")
        let channel = try #require(
            try await first.ask(
                "create_channel", ["members": ["bo"], "name": "Two"])["url"])
        try await first.ask("open", ["channel": channel])
        try await other.ask("open", ["channel": channel])
        for number in 0..<5 {
            try await first.ask("send", ["text": .string("ada \(number)")])
            try await other.ask("send", ["text": .string("bo \(number)")])
        }
        let messages = try await first.snapshot(of: 10)
        _ = try await other.snapshot(of: 10)
        let mine = try #require(messages.first { $0["sender"] == "ada" }?["id"])
        let theirs = try #require(messages.last { $0["sender"] == "bo" }?["id"])
        try await first.ask("edit", ["message_id": mine, "text": "edited"])
        try await other.ask("delete", ["message_id": theirs])
        _ = try await first.snapshot(of: 9)
        for number in 5..<8 { try await first.ask("send", ["text": .string("ada \(number)")]) }
        await first.kill()

        // The kill may come between two lines; here it also tears one.
        try Self.append(#"{"is":"call","client":"ada@"#, to: ada)
        let torn = try await program.run(["check", "ada.jsonl", "bo.jsonl"])
        #expect(torn.output.contains { $0.contains("the last line is torn") }, "\(torn)")

        let second = try DrivenClient(program, user: "ada", server: server.address)
        try await second.ask("open", ["channel": channel])
        try await second.ask("send", ["text": "back"])
        try await second.ask("connect")
        _ = try await second.snapshot(of: 13)
        let last = try await other.snapshot(of: 13)
        #expect(last.first { $0["id"] == mine }?["text"] == "edited")
        try await second.quit()
        try await other.quit()
        await server.stop()

        let good = try await program.run(["check", "ada.jsonl", "bo.jsonl"])
        #expect(good.status == 0, "\(good)")
        #expect(good.errors.isEmpty)
        #expect(good.output.last == "Good: every promise was kept.", "\(good.output)")
        #expect(!good.output.contains { $0.hasPrefix("note") }, "\(good.output)")
        let rights = try FileManager.default.attributesOfItem(atPath: ada)[.posixPermissions]
        #expect(rights as? Int == 0o600)
        let lines = try Self.lines(ada)
        #expect(Set(lines.map(\.client)).count == 1)
        #expect(lines.map(\.number) == (1...Int64(lines.count)).map { $0 })
        #expect(lines.count { $0.fact.kind == .start } == 2)
        #expect(
            Set(lines.map(\.fact.kind)).isSuperset(of: [
                .call, .answer, .acknowledged, .edited, .change, .snapshot,
            ]))
        #expect(try Self.lines(bo).contains { $0.fact.kind == .deleted })
        try await checkSpoiled(program, lines)
        try program.remove()
    }

    /// Spoils the history of one client, and checks that the command complains.
    private func checkSpoiled(_ program: Program, _ lines: [HistoryLine]) async throws {
        var spoiled = lines
        let index = try #require(lines.lastIndex { $0.fact.kind == .snapshot })
        guard case .snapshot(var view) = lines[index].fact else { return }
        let hidden = view.messages.remove(at: 4)
        spoiled[index].fact = .snapshot(view)
        try Self.write(spoiled, to: program.path("spoiled.jsonl"))
        let found = try await program.run(["check", "spoiled.jsonl", "bo.jsonl"])
        #expect(found.status == ExitCode.failed.rawValue)
        #expect(found.errors.count == 1)
        let line = "spoiled.jsonl:\(index + 1): no hidden hole: message \(hidden.id) "
        #expect(found.output.first?.hasPrefix(line) == true, "\(found.output)")
        #expect(found.output[1].hasPrefix("    expected: all 13 messages"), "\(found.output)")
        #expect(found.output[2].hasPrefix("    seen:     \(hidden.id) missing"))
        #expect(found.output.last == "1 complaint")

        let json = try await program.run(["check", "--json", "spoiled.jsonl", "bo.jsonl"])
        #expect(json.status == ExitCode.failed.rawValue)
        let values = try json.output.map { try JSONValue(parsing: $0) }
        #expect(values.first?["complaint"]?["rule"] == "hole")
        #expect(values.first?["complaint"]?["line"] == .int(Int64(index + 1)))
        #expect(values.first?["complaint"]?["message_id"] == .int(hidden.id))
        #expect(values.last?["summary"]?["good"] == false)

        var text = lines.map(\.text)
        text[6] = #"{"is":"edited","client":"ada@1","n":1e99}"#
        try Data(text.map { $0 + "\n" }.joined().utf8)
            .write(to: URL(filePath: program.path("damaged.jsonl")))
        let damaged = try await program.run(["check", "damaged.jsonl", "bo.jsonl"])
        #expect(damaged.status == ExitCode.storage.rawValue)
        #expect(damaged.errors.first?.contains("damaged.jsonl:7: ") == true, "\(damaged.errors)")

        let unknown = try await program.run(["check", "bo.jsonl", "--early", "cy"])
        #expect(unknown.status == ExitCode.wrongArguments.rawValue)
        #expect(unknown.errors.first?.contains("ada@5f0c2a1b") == true, "\(unknown.errors)")
        let twice = try await program.run(["check", "bo.jsonl", "bo.jsonl"])
        #expect(twice.status == ExitCode.storage.rawValue)
    }

    /// Returns the arguments of a client without a server.
    private static func client(_ history: String, user: String = "ada") -> [String] {
        [
            "client", "--server", "http://127.0.0.1:1", "--app-id", "demo", "--user", user,
            "--cache", "cache", "--history", history,
        ]
    }

    @Test func `a history is continued by its own user only, and no other file is touched`()
        async throws
    {
        let program = try Program()
        let history = program.path("h.jsonl")
        let send = [
            #"{"id":1,"request":"send","channel":"c","text":"one"}"#,
            #"{"id":2,"request":"snapshot"}"#,
        ]
        #expect(try await program.run(Self.client("h.jsonl"), input: send).status == 0)
        let before = try Data(contentsOf: URL(filePath: history))
        #expect(
            try Self.lines(history).map(\.fact.kind) == [.start, .call, .answer, .call, .answer])
        let other = try await program.run(Self.client("h.jsonl", user: "bo"), input: send)
        #expect(other.status == ExitCode.wrongArguments.rawValue)
        #expect(try Data(contentsOf: URL(filePath: history)) == before)

        let notes = Data("dear diary\nno line of a history".utf8)
        try notes.write(to: URL(filePath: program.path("notes")))
        let refused = try await program.run(Self.client("notes"))
        #expect(refused.status == ExitCode.storage.rawValue)
        #expect(try Data(contentsOf: URL(filePath: program.path("notes"))) == notes)

        // A remainder is cut off, and the numbers go on.
        try Self.append(#"{"is":"ans"#, to: history)
        #expect(try await program.run(Self.client("h.jsonl"), input: send).status == 0)
        #expect(try Self.lines(history).map(\.number) == Array(1...10))
        // A first line that was torn leaves a new history.
        try Data(#"{"is":"start","cl"#.utf8).write(to: URL(filePath: program.path("new")))
        #expect(try await program.run(Self.client("new"), input: send).status == 0)
        #expect(try Self.lines(program.path("new")).count == 5)
        try program.remove()
    }

    @Test func `the answer to a resend that finds nothing is not ok in the history`() async throws {
        let program = try Program()
        let client = try DrivenClient(program, user: "ada", server: "http://127.0.0.1:1")
        let sent = try await client.ask("send", ["channel": "c", "text": "one"])
        let request = try #require(sent["request_id"])
        try await client.ask("cancel", ["request_id": request])
        let resent = try await client.ask("resend", ["request_id": request])
        #expect(resent["resent"] == false)
        try await client.quit()
        let lines = try Self.lines(program.path("ada.jsonl"))
        let answers = lines.compactMap { line in
            if case .answer(let answer) = line.fact { answer.isOK } else { nil }
        }
        #expect(answers.filter { !$0 }.count == 1 && answers.last == false, "\(answers)")
        try program.remove()
    }

    @Test func `a complaint about names and texts of others sends the terminal no command`()
        async throws
    {
        let program = try Program()
        let attack = "\u{1B}]52;c;\u{7}"
        let (channel, request) = ("c" + attack, "r" + attack)
        let message = HistoryMessage(
            id: 1, createdAt: 10, request: request, sender: "ada", text: "other" + attack)
        let facts: [HistoryFact] = [
            .start(HistoryStart(user: "ada")),
            .call(HistoryCall("send", channel: channel, text: "sent" + attack)),
            .answer(HistoryAnswer(call: 2, isOK: true, request: request)),
            .acknowledged(message, channel: channel),
            .log(HistoryView(channel: channel, messages: [message])),
        ]
        let lines = facts.enumerated().map { fact in
            HistoryLine(client: "ada@1", number: Int64(fact.offset + 1), fact.element)
        }
        try Self.write(lines, to: program.path("forged.jsonl"))
        let found = try await program.run(["check", "forged.jsonl"])
        #expect(found.status == ExitCode.failed.rawValue, "\(found.errors)")
        // The line of the place, the expected and the seen text.
        #expect(found.output.count { $0.contains("]52;c;") } >= 3, "\(found.output)")
        #expect(!found.output.contains { $0.contains("\u{1B}") || $0.contains("\u{7}") })
        try program.remove()
    }

    @Test func `a full disk ends the client before a call that its history lacks`() async throws {
        let program = try Program()
        let full = try await program.run(
            Self.client("/dev/full"),
            input: [
                #"{"id":1,"request":"send","channel":"c","text":"one"}"#,
                #"{"id":2,"request":"cache"}"#,
            ])
        #expect(full.status == ExitCode.storage.rawValue)
        #expect(
            full.errors.first?.contains("/dev/full cannot be written") == true, "\(full.errors)")
        #expect(!full.output.contains { $0.contains("\"id\":2") })
        let answer = try #require(full.output.first { $0.contains("\"id\":1") })
        #expect(answer.contains("\"ok\":false") && answer.contains("make room"), "\(answer)")
        let health = #"{"id":3,"request":"health"}"#
        let later = try await program.run(Self.client("later.jsonl"), input: [health])
        let state = try JSONValue(
            parsing: try #require(later.output.first { $0.contains("\"id\":3") }))
        #expect(state["result"]?["outbox"]?["pending"] == 0, "\(later.output)")
        try program.remove()
    }
}
