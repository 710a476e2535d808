// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// The real program in a real terminal.
struct ChatCommandTests {
    @Test func `chat without a terminal or without its options says what it needs`() async throws {
        let program = try Program()
        defer { try? program.remove() }
        let bare = try await program.run(["chat"])
        #expect(bare.status == 2)
        #expect(bare.errors.first?.contains("--demo to try it") == true)
        let piped = try await program.run(["chat", "--demo"])
        #expect(piped.status == 2)
        #expect(piped.errors.first?.contains("needs a terminal") == true)
        let help = try await program.run([])
        #expect(help.output.contains { $0.contains("roost chat --demo") })
    }

    /// The words that start the chat of a user.
    private static func words(
        _ user: String, _ server: String, with other: String
    ) throws -> [String] {
        [
            try ChildProcess.built("roost"), "chat", "--server", server, "--app-id", "demo",
            "--user", user, "--cache", user, "--with", other,
        ]
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

        // Both write, and see each other type and read.
        try await ada.type("Are you on the train?")
        try await bo.wait(for: "ada is typing…")
        try await ada.press("Enter")
        try await bo.wait(for: "Are you on the train?")
        try await bo.type("夜行列車 שלום")
        try await bo.press("Enter")
        try await ada.wait(for: "夜行列車 שלום")
        try await ada.wait(for: "Are you on the train? ✓✓")

        // Bo's link is cut: his words wait, Ada's do not come.
        relay.kill()
        try await bo.wait(for: "offline")
        try await bo.type("In the tunnel")
        try await bo.press("Enter")
        try await bo.wait(for: "In the tunnel ◷")
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
        try await bo.resize(columns: 200, rows: 60)
        try await bo.wait(for: "both panes of 200×60") { lines in
            lines.count == 60 && lines.prefix(59).allSatisfy { $0.contains("│") }
                && lines[59].contains("^Q quit")
        }

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

        // A reaction, an edit and a deletion reach the other side.
        try await bo.press("Up")
        try await bo.type("1")
        try await ada.wait(for: "👍 1")
        try await ada.press("Up", "Up")
        try await ada.type("e")
        try await ada.type(" Last one.")
        try await ada.press("Enter")
        try await bo.wait(for: "Last one. edited")

        // The search answers from the disk.
        try await bo.press("Escape")
        try await bo.wait(for: "Enter send")
        try await bo.press("C-f")
        try await bo.type("postcard")
        try await bo.press("Enter")
        try await bo.wait(for: "12 found")
        try await bo.press("Escape")
        try await bo.wait(for: "Enter send")

        // The end gives the terminal back: the session ends with its program.
        try await bo.press("C-q")
        try await bo.waitUntilEnded()
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
