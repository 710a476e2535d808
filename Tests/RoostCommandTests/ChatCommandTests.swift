// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RoostTestSupport
import Testing

/// The real program in a real terminal.
struct ChatCommandTests {
    @Test func `chat without a terminal or without its options says what it needs`() async throws {
        let program = try Program()
        defer { try? program.remove() }
        let bare = try await program.run(["chat"])
        #expect(bare.status == 2)
        let needs = "--server URL, --app-id ID, --user ID, --cache DIR, or only --demo to try it"
        #expect(bare.errors.first?.contains(needs) == true, "\(bare.errors)")
        let piped = try await program.run(["chat", "--demo"])
        #expect(piped.status == 2)
        #expect(piped.errors.first?.contains("needs a terminal") == true)
        let help = try await program.run([])
        #expect(help.output.contains { $0.contains("roost chat --demo") })
    }

    /// The words that start the chat of a user.
    static func words(
        _ user: String, _ server: String, with other: String, _ more: String...
    ) throws -> [String] {
        [
            try ChildProcess.built("roost"), "chat", "--server", server, "--app-id", "demo",
            "--user", user, "--cache", user, "--with", other,
        ] + more
    }

    @Test(
        .disabled(if: TmuxScreen.isMissing, "tmux is not installed; scripts/setup installs it"),
        .timeLimit(.minutes(Patience.minutes)))
    func `two people chat, one of them through a tunnel, on screens that change their size`()
        async throws
    {
        let program = try Program()
        defer { try? program.remove() }
        let server = try await ServerProcess(program)
        let port = try #require(URL(string: server.address)?.port.flatMap { UInt16(exactly: $0) })
        let relay = try CuttingRelay(to: port)
        let ada = try await TmuxScreen(
            "ada", in: program.folder, try Self.words("ada", server.address, with: "bo"))
        let bo = try await TmuxScreen(
            "bo", in: program.folder,
            try Self.words("bo", "http://127.0.0.1:\(relay.port)", with: "ada"),
            columns: 100, rows: 30, environment: ["NO_COLOR": "1"])
        do {
            try await talk(ada, bo, relay)
        } catch {
            await ada.end()
            await bo.end()
            throw error
        }
        await ada.end()
        await bo.end()
        await server.stop()
    }

    private func talk(_ ada: TmuxScreen, _ bo: TmuxScreen, _ relay: CuttingRelay) async throws {
        try await ada.wait(for: "online")
        try await bo.wait(for: "online")
        try await ada.wait(for: "Write a message…")
        try await bo.wait(for: "Write a message…")
        try await bo.wait(for: "● ada")
        try await ada.shows("talk-1-start-ada")
        try await bo.shows("talk-1-start-bo")

        // Both write, and see each other type and read.
        try await ada.type("Are you on the train?")
        try await bo.wait(for: "ada is typing…")
        try await ada.press("Enter")
        try await bo.wait(for: "Are you on the train?")
        try await bo.type("夜行列車 שלום")
        try await bo.press("Enter")
        try await ada.wait(for: "夜行列車 שלום")
        try await ada.wait(for: "Are you on the train? ✓✓")
        try await ada.shows("talk-2-both-write-ada")
        try await bo.shows("talk-2-both-write-bo")

        // Bo's link is cut: his words wait, Ada's do not come.
        relay.kill()
        try await bo.wait(for: "offline")
        try await bo.shows("talk-3-cut-bo")
        try await bo.type("In the tunnel")
        try await bo.press("Enter")
        try await bo.wait(for: "In the tunnel ◷")
        try await bo.shows("talk-4-written-offline-bo")
        for number in 1...12 {
            try await ada.type("Postcard \(number).")
            try await ada.press("Enter")
        }
        try await ada.wait(for: "Postcard 12. ✓")
        let offline = try await bo.lines()
        #expect(!offline.contains { $0.contains("Postcard") })

        // The screens change their size meanwhile.
        try await bo.resize(columns: 40, rows: 12)
        let small = try await bo.wait(for: "one pane of 40×12") { lines in
            lines.count == 12 && lines.allSatisfy { $0.count <= 40 && !$0.contains("│") }
                && lines.contains { $0.contains("In the tunnel ◷") }
        }
        #expect(small[11].contains("Enter send"))
        try await bo.shows("talk-5-small-bo")
        try await bo.resize(columns: 200, rows: 60)
        try await bo.wait(for: "both panes of 200×60") { lines in
            lines.count == 60 && lines.prefix(59).allSatisfy { $0.contains("│") }
                && lines[59].contains("^Q quit")
        }
        try await bo.shows("talk-6-large-bo")

        // The link is back: the gap is filled in order, and the words arrive once.
        relay.revive()
        let filled = try await bo.wait(for: "all postcards in order, and the words delivered") {
            lines in
            let cards = lines.compactMap { line in
                line.firstMatch(of: /Postcard (\d+)\./).flatMap { Int($0.output.1) }
            }
            // The list of channels shows the newest message, too.
            return Array(cards.suffix(12)) == Array(1...12)
                && lines.contains { $0.contains("In the tunnel ✓") }
        }
        #expect(filled.count { $0.contains("In the tunnel ✓") } == 1)
        try await bo.wait(for: "all on this device")
        let received = try await ada.wait(for: "In the tunnel")
        #expect(received.contains { $0.contains("Postcard 12.") })
        try await ada.shows("talk-7-connected-ada")
        try await bo.shows("talk-7-connected-bo")

        // A reaction, an edit and a deletion reach the other side.
        try await bo.press("Up")
        try await bo.type("1")
        try await ada.wait(for: "👍 1")
        try await ada.press("Up", "Up")
        try await ada.type("e")
        try await ada.type(" Last one.")
        try await ada.press("Enter")
        try await bo.wait(for: "Last one. edited")
        try await ada.press("Escape")
        try await ada.wait(for: "Enter send")
        try await ada.press("Up", "Up", "Up")
        try await ada.type("d")
        try await ada.wait(for: "Delete this message? y/n")
        try await ada.type("y")
        try await bo.wait(for: "a line in place of a postcard") { lines in
            lines.contains { $0.hasSuffix("  deleted") }
                && !lines.contains { $0.contains("Postcard 11.") }
        }
        try await ada.shows("talk-8-changed-ada")
        try await bo.shows("talk-8-changed-bo")

        // The search answers from the disk.
        try await bo.press("Escape")
        try await bo.wait(for: "Enter send")
        try await bo.press("C-f")
        try await bo.type("postcard")
        try await bo.press("Enter")
        try await bo.wait(for: "11 found")
        try await bo.shows("talk-9-found-bo")
        try await bo.press("Escape")
        try await bo.wait(for: "Enter send")

        // The end gives the terminal back: the session ends with its program.
        try await bo.press("C-q")
        try await bo.waitUntilEnded()
    }

    /// Returns the words that run a program in a shell, which leaves its process ID in `pid`, its exit
    /// status in `status`, and the terminal's settings before and after it in two files.
    private static func watched(_ words: [String]) -> [String] {
        [
            "sh", "-c",
            #"stty -a > before; sh -c 'ulimit -c 0; echo $$ > pid; exec "$@"' sh "$@"; "#
                + "echo $? > status; stty -a > after; echo over; exec cat",
            "sh",
        ] + words
    }

    private static func text(_ name: String, _ program: Program) throws -> String {
        try String(contentsOf: program.folder.appending(path: name), encoding: .utf8)
    }

    private static func send(_ signal: Int32, to program: Program) throws {
        let number = try text("pid", program).split(separator: "\n").first.flatMap { Int32($0) }
        #expect(kill(try #require(number), signal) == 0)
    }

    @Test(
        .disabled(if: TmuxScreen.isMissing, "tmux is not installed; scripts/setup installs it"),
        .timeLimit(.minutes(Patience.minutes)), arguments: [SIGSEGV, SIGABRT, SIGILL, SIGQUIT])
    func `a crash gives the terminal back and keeps its exit status`(signal: Int32) async throws {
        let program = try Program()
        defer { try? program.remove() }
        let screen = try await TmuxScreen(
            "crash", in: program.folder,
            Self.watched(try Self.words("ada", "http://127.0.0.1:1", with: "bo")),
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        do {
            try await screen.wait(for: "offline")
            #expect(try await screen.modes() == "alternate 1 cursor 0 mouse 1 keypad 1")
            try Self.send(signal, to: program)
            try await screen.wait(for: "over")
            #expect(try await screen.modes() == "alternate 0 cursor 1 mouse 0 keypad 0")
            #expect(try Self.text("status", program) == "\(128 + signal)\n")
            #expect(try Self.text("after", program) == Self.text("before", program))
        } catch {
            await screen.end()
            throw error
        }
        await screen.end()
    }

    @Test(
        .disabled(if: TmuxScreen.isMissing, "tmux is not installed; scripts/setup installs it"),
        .timeLimit(.minutes(Patience.minutes)), arguments: ["dumb", "nonesuch"])
    func `a terminal without a place for the cursor, or of no known kind, gets a sentence`(
        kind: String
    ) async throws {
        let program = try Program()
        defer { try? program.remove() }
        let screen = try await TmuxScreen(
            kind, in: program.folder,
            Self.watched(
                ["env", "TERM=\(kind)"]
                    + (try Self.words("ada", "http://127.0.0.1:1", with: "bo"))))
        do {
            let lines = try await screen.wait(for: "over")
            #expect(lines.first?.contains("unknown, or cannot place its cursor") == true)
            #expect(!lines.contains { $0.contains("Enter") || $0.contains("│") })
            #expect(try Self.text("status", program) == "1\n")
            #expect(try Self.text("after", program) == Self.text("before", program))
        } catch {
            await screen.end()
            throw error
        }
        await screen.end()
    }

    @Test(
        .disabled(if: TmuxScreen.isMissing, "tmux is not installed; scripts/setup installs it"),
        .timeLimit(.minutes(Patience.minutes)))
    func `a paste ends behind an escape, and a signal keeps the part that has come`() async throws {
        let program = try Program()
        defer { try? program.remove() }
        let server = try await ServerProcess(program)
        let words = try Self.words("ada", server.address, with: "bo")
        // A signal that the shell lets the program ignore changes nothing.
        let screen = try await TmuxScreen(
            "paste", in: program.folder,
            ["sh", "-c", #"trap "" QUIT; exec "$@""#, "sh"] + Self.watched(words))
        do {
            try await screen.wait(for: "Write a message…")
            try Self.send(SIGQUIT, to: program)
            try await screen.press("-H", "1b", "5b", "32", "30", "30", "7e", "6f", "77", "6c")
            // ESC, the end of the paste, Enter.
            try await screen.press("-H", "1b", "1b", "5b", "32", "30", "31", "7e", "0d")
            try await screen.wait(for: "owl ✓")
            // Three keys, the start of a paste, and a part of it.
            try await screen.press(
                "-H", "66", "6f", "78", "1b", "5b", "32", "30", "30", "7e", "65", "73")
            try await screen.wait(for: "fox")
            try Self.send(SIGTERM, to: program)
            try await screen.wait(for: "over")
            #expect(try Self.text("status", program) == "0\n")
            #expect(try Self.text("after", program) == Self.text("before", program))
        } catch {
            await screen.end()
            throw error
        }
        await screen.end()
        let second = try await TmuxScreen("draft", in: program.folder, words)
        do {
            try await second.wait(for: "foxes")
        } catch {
            await second.end()
            throw error
        }
        await second.end()
        await server.stop()
    }

    @Test(
        .disabled(if: TmuxScreen.isMissing, "tmux is not installed; scripts/setup installs it"),
        .timeLimit(.minutes(Patience.minutes)))
    func `a repair of the opening is told on the terminal after the end, too`() async throws {
        let program = try Program()
        defer { try? program.remove() }
        let words = try Self.words("ada", "http://127.0.0.1:1", with: "bo")
        // A client makes the files, and that of the unsent messages is damaged.
        let client = try await program.run(
            [
                "client", "--server", "http://127.0.0.1:1", "--app-id", "demo", "--user", "ada",
                "--cache", "ada",
            ], input: [#"{"id":1,"request":"quit"}"#])
        #expect(client.status == 0, "\(client.errors)")
        let outbox = program.folder.appending(path: "ada/demo/ada/outbox.sqlite")
        try Data(repeating: 7, count: 8_192).write(to: outbox)
        let screen = try await TmuxScreen("repair", in: program.folder, Self.watched(words))
        do {
            try await screen.wait(for: "offline")
            try await screen.press("C-q")
            let lines = try await screen.wait(for: "over")
            #expect(lines.contains { $0.contains("The file of unsent messages was damaged") })
        } catch {
            await screen.end()
            throw error
        }
        await screen.end()
    }

    @Test(
        .disabled(if: TmuxScreen.isMissing, "tmux is not installed; scripts/setup installs it"),
        .timeLimit(.minutes(Patience.minutes)))
    func `a key that the terminal's description lacks types nothing`() async throws {
        let program = try Program()
        defer { try? program.remove() }
        let server = try await ServerProcess(program)
        let screen = try await TmuxScreen(
            "keys", in: program.folder, try Self.words("ada", server.address, with: "bo"))
        do {
            try await screen.wait(for: "Write a message…")
            try await screen.type("owl")
            // A key without a meaning here, and Shift-Enter as some terminals send it.
            try await screen.press("-H", "1b", "5b", "35", "37", "33", "39", "39", "75")
            try await screen.press("-H", "1b", "5b", "31", "33", "3b", "32", "75")
            try await screen.type("fox")
            try await screen.wait(for: "two lines of text alone") { lines in
                lines.contains { $0.hasSuffix("› owl") }
                    && lines.contains { $0.hasSuffix("   fox") }
            }
        } catch {
            await screen.end()
            throw error
        }
        await screen.end()
        await server.stop()
    }

    @Test(
        .disabled(if: TmuxScreen.isMissing, "tmux is not installed; scripts/setup installs it"),
        .timeLimit(.minutes(Patience.minutes)))
    func `a terminal that reads nothing holds up neither the client nor its end`() async throws {
        let program = try Program()
        defer { try? program.remove() }
        let server = try await ServerProcess(program)
        // Each message moves all of the others, so a large screen has much to write.
        let ada = try await TmuxScreen(
            "ada", in: program.folder,
            Self.watched(try Self.words("ada", server.address, with: "bo")), columns: 200, rows: 60)
        let bo = try await TmuxScreen(
            "bo", in: program.folder, try Self.words("bo", server.address, with: "ada"))
        do {
            try await ada.wait(for: "Write a message…")
            try await bo.wait(for: "● ada")
            ada.stall()
            try await Self.flood(bo, 1...200)
            // The client has received and read all of them, and nobody saw it.
            try await bo.wait(for: "word 200 ✓✓")
            ada.goOn()
            try await ada.wait(for: "word 200")
            ada.stall()
            try await Self.flood(bo, 201...400)
            try await bo.wait(for: "word 400 ✓✓")
            try Self.send(SIGTERM, to: program)
            try await bo.wait(for: "the end of the other chat") { _ in
                (try? Self.text("status", program)) == "0\n"
            }
            ada.goOn()
            try await ada.wait(for: "over")
            #expect(try Self.text("after", program) == Self.text("before", program))
        } catch {
            await ada.end()
            await bo.end()
            throw error
        }
        await ada.end()
        await bo.end()
        await server.stop()
    }

    /// Writes numbered messages as fast as a terminal takes the keys.
    private static func flood(_ screen: TmuxScreen, _ numbers: ClosedRange<Int>) async throws {
        try await screen.press(numbers.flatMap { ["word \($0)", "Enter"] })
    }

    @Test(
        .disabled(if: TmuxScreen.isMissing, "tmux is not installed; scripts/setup installs it"),
        .timeLimit(.minutes(Patience.minutes)))
    func `the demo has people, history with holes, and leaves nothing behind`() async throws {
        let program = try Program()
        defer { try? program.remove() }
        let screen = try await TmuxScreen(
            "demo", in: program.folder, [try ChildProcess.built("roost"), "chat", "--demo"],
            columns: 120, rows: 40, environment: ["TMPDIR": program.folder.path])
        do {
            try await screen.wait(for: "Platform 7")
            try await screen.wait(for: "is typing…")
            try await screen.wait(for: "We are moving! Did you feel it?")
            // The long history is not on the device, and comes when it is asked for.
            // New messages move the channels, so the next one may be any of the others.
            for _ in 0..<20 where try await !screen.lines()[0].contains("│ Library") {
                try await screen.press("C-n")
                try await screen.wait(for: "a header") { $0[0].contains("│ ") }
            }
            try await screen.wait(for: "1 hole")
            try await screen.press("C-d")
            try await screen.wait(for: "all on this device")
            try await screen.press("C-q")
            try await screen.waitUntilEnded()
        } catch {
            await screen.end()
            throw error
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: program.folder.path)
        #expect(!left.contains { $0.hasPrefix("roost-chat") })
    }
}
