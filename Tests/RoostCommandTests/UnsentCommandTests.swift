// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommand
import RoostCore
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import RoostWire
import StoreTestSupport
import Testing

/// The command's output about unsent items: changes, damage, loss.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct UnsentCommandTests {
    private static let owner = StoreOwner(application: "demo", user: "ada")
    private let program: Program
    private var path: String { program.path("cache/demo/ada/outbox.sqlite") }

    /// Writes a message, an edit, a deletion and a reaction to an outbox.
    init() async throws {
        program = try Program()
        let store = try await Store.open(.folder(program.path("cache")), owner: Self.owner)
        let contents: [(RequestID, OutboxContent)] = [
            ("words", .userMessage(UserMessageParams(text: "not sent yet"))),
            ("edit", .change(.edit(.delivered(41), MessageEdit(text: "put better")))),
            ("deletion", .change(.delete(.unsent("words")))),
            ("reaction", .change(.addReaction("wave", .delivered(42)))),
        ]
        for (number, (name, content)) in contents.enumerated() {
            _ = try await store.outbox.append(
                name, to: "b", createdAt: Timestamp(milliseconds: Int64(number)), content: content)
        }
        await store.close()
    }

    @Test func `an export has a pending edit with its message and its new text`() async throws {
        let exported = try await program.run(["cache", "export", "cache"])
        #expect(exported.status == 0, "\(exported.errors)")
        #expect(
            Array(exported.output.dropFirst()) == [
                #"{"unsent":{"req_id":"edit","channel_url":"b","created_at":1,"kind":"edit","#
                    + #""message_id":41,"message":"put better"}}"#,
                #"{"unsent":{"req_id":"deletion","channel_url":"b","created_at":2,"#
                    + #""kind":"deletion","target_req_id":"words"}}"#,
                #"{"unsent":{"req_id":"reaction","channel_url":"b","created_at":3,"#
                    + #""kind":"reaction","message_id":42,"operation":"ADD","reaction":"wave"}}"#,
            ])
        try program.remove()
    }

    @Test func `a complete clearing removes unsent items and keeps the marks of inboxes`()
        async throws
    {
        let store = try await Store.open(.folder(program.path("cache")), owner: Self.owner)
        for (number, channel) in ["", "b"].enumerated() {
            let mark = InboxMark(
                "bot", Position(createdAt: Timestamp(milliseconds: 9), messageID: 7))
            _ = try await store.outbox.append(
                RequestID("mark\(number)"), to: ChannelURL(channel),
                createdAt: Timestamp(milliseconds: 9), content: .inbox(mark))
        }
        await store.close()
        let words = ["cache", "clear", "cache", "--everything", "--including-unsent"]
        let trial = try await program.run(words + ["--dry-run"])
        #expect(trial.output.contains { $0.contains("would go") && $0.contains("4 unsent") })
        let cleared = try await program.run(words)
        #expect(cleared.status == 0, "\(cleared.errors)")
        #expect(cleared.output.contains { $0.contains("gone") && $0.contains("4 unsent") })
        let left = try await program.run(["cache", "inspect", "cache"]).output
        #expect(left.contains { $0.contains("0 unsent messages, 2 inbox marks") }, "\(left)")
        #expect(left.contains { $0.contains("inbox mark of “bot” in b") }, "\(left)")
        try program.remove()
    }

    @Test func `a complete clearing removes downloaded files and those of unsent messages (R129)`()
        async throws
    {
        let store = try await Store.open(.folder(program.path("cache")), owner: Self.owner)
        let file = OutgoingFile(.bytes([UInt8](repeating: 7, count: 3_000)), name: "a.png")
        _ = try await store.outbox.append(
            "file", to: "b", createdAt: Timestamp(milliseconds: 9),
            content: .fileMessage(FileMessageParams(files: [file]), copies: [nil]))
        let address = "https://files/film.mp4"
        _ = try await store.downloads.begin(address)
        _ = try await store.downloads.write(
            [UInt8](repeating: 8, count: 5_000),
            behind: FileFetch.Part(total: 5_000, validator: "\"1\"", received: 0), of: address)
        await store.close()
        func files() throws -> [[String]] {
            try ["files", "outbox.files"].map { name in
                try FileManager.default.contentsOfDirectory(
                    atPath: program.path("cache/demo/ada/\(name)")
                ).filter { $0 != "lock" }
            }
        }
        #expect(try files().map(\.count) == [1, 1])
        let words = ["cache", "clear", "cache", "--everything"]
        let trial = try await program.run(words + ["--dry-run"])
        #expect(trial.output.contains("  files     5 kB"), "\(trial.output)")
        let all = words + ["--including-unsent"]
        #expect(try await program.run(all + ["--dry-run"]).output.contains("  files     8 kB"))
        #expect(try files().map(\.count) == [1, 1])
        #expect(try await program.run(words).status == 0)
        #expect(try files().map(\.count) == [0, 1])
        let cleared = try await program.run(all)
        #expect(cleared.output.contains("  files     3 kB"), "\(cleared.output)")
        #expect(try files().map(\.count) == [0, 0])
        try program.remove()
    }

    @Test func `an inspection has a pending edit with its message, and its text on request`()
        async throws
    {
        let drawn = try await program.run(["cache", "inspect", "cache"]).output
        #expect(drawn.contains { $0.contains(" edit of message 41, ") && $0.hasSuffix("to b") })
        #expect(drawn.contains { $0.contains(" deletion of unsent message words, ") })
        let told = try await program.run(["cache", "inspect", "cache", "--text"]).output
        #expect(told.contains { $0.hasSuffix("to b: put better") })
        try program.remove()
    }

    @Test
    func `an inspection reports damaged items, newer items and a quarantined file (scars 42, 65)`()
        async throws
    {
        try Connection(.file(path)).executeScript(
            """
            UPDATE item SET payload = x'00' WHERE request_id = 'words';
            UPDATE item SET payload = CAST(x'03' || substr(payload, 2) AS BLOB)
            WHERE request_id = 'edit'
            """)
        try Data("noise".utf8).write(to: URL(filePath: path + ".damaged-1"))
        let drawn = try await program.run(["cache", "inspect", "cache"]).output
        #expect(
            drawn.contains {
                $0.hasSuffix(": 2 unsent messages, 1 damaged, 1 of a newer release")
            }, "\(drawn)")
        #expect(drawn.contains { $0.hasPrefix("    words: damaged") })
        #expect(drawn.contains { $0.hasPrefix("    edit: written by a newer release") })
        #expect(
            drawn.contains {
                $0.contains("outbox.sqlite.damaged-1") && $0.contains("an unknown number")
            })
        let verified = try await program.run(["cache", "verify", "cache"])
        #expect(verified.status == 1)
        #expect(verified.output.contains { $0.contains("or changes are damaged") })
        let asked = try await program.run(
            [
                "client", "--server", "http://127.0.0.1:1", "--app-id", "demo", "--user", "ada",
                "--cache", "cache",
            ], input: [#"{"id":1,"request":"cache"}"#])
        let line = try #require(asked.output.last { $0.contains(#""id":1"#) })
        let answer = try JSONValue(parsing: line)
        let unreadable = answer["result"]?["unreadable"]
        #expect(
            unreadable?.text
                == #"[{"request_id":"words","reason":"damaged"},"#
                + #"{"request_id":"edit","reason":"newer"}]"#)
        try program.remove()
    }

    @Test func `a missing outbox is not reported as empty (scar 46)`() async throws {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        let drawn = try await program.run(["cache", "inspect", "cache"]).output
        #expect(drawn.contains { $0.contains("the number of its unsent messages is unknown") })
        #expect(!drawn.contains { $0.contains("0 unsent") }, "\(drawn)")
        let verified = try await program.run(["cache", "verify", "cache"])
        #expect(verified.status == 1 && verified.output.contains { $0.contains("unknown") })
        try program.remove()
    }

    @Test func `a dry run leaves the report of a lost outbox to the client (scars 42, 46)`()
        async throws
    {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        // A client has sent from it.
        let mark = program.path("cache/demo/ada/outbox.sending")
        #expect(FileManager.default.createFile(atPath: mark, contents: nil))
        let clear = ["cache", "clear", "cache"]
        let trial = try await program.run(clear + ["--dry-run"])
        #expect(trial.status == 0 && trial.errors == [], "\(trial.errors)")
        #expect(!FileManager.default.fileExists(atPath: path))
        // A clearing opens the outbox, so the loss is reported here.
        let cleared = try await program.run(clear)
        #expect(cleared.status == 0)
        #expect(cleared.errors.contains { $0.contains("unsent messages is gone") })
        try program.remove()
    }

    @Test func `an unknown channel is an error at its opening`() async throws {
        let server = try ChildProcess(
            try ChildProcess.built("roost"),
            [
                "serve", "--data", program.path("server"), "--port", "0", "--app-id", "demo",
                "--api-token", "t",
            ])
        let text = await server.text { $0.contains("listening on http://") && $0.contains(" and ") }
        let address = try #require(text.split(separator: " ").first { $0.hasPrefix("http://") })
        let outcome = try await program.run(
            [
                "client", "--server", String(address), "--app-id", "demo", "--user", "bo",
                "--cache", "cache",
            ],
            input: [
                #"{"id":1,"request":"connect"}"#, #"{"id":2,"request":"open","channel":"none"}"#,
                #"{"id":3,"request":"wait_idle"}"#, #"{"id":4,"request":"quit"}"#,
            ])
        let lines = try outcome.output.map { try JSONValue(parsing: $0) }
        let opened = lines.filter { $0["id"] == 2 }
        #expect(opened.count == 1 && opened.first?["ok"] == false, "\(outcome.output)")
        let code = Int64(RoostError.Code.channelNotFound.rawValue)
        #expect(opened.first?["error"]?["code"]?.int == code)
        server.signal(15)
        _ = await server.end()
        try program.remove()
    }
}
