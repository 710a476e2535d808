// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// The real program in a real terminal: threads, files, the mouse, and a terminal without colours.
struct ChatStoryTests {
    @Test(
        .disabled(if: TmuxScreen.isMissing, "tmux is not installed; scripts/setup installs it"),
        .timeLimit(.minutes(Patience.minutes)))
    func `a thread, the mouse, a file and a deletion work with colours and without`()
        async throws
    {
        let program = try Program()
        defer { try? program.remove() }
        let server = try await ServerProcess(program)
        let port = try #require(URL(string: server.address)?.port.flatMap { UInt16(exactly: $0) })
        // The address of a file is that by which its sender reached the server.
        let relay = try CuttingRelay(to: port)
        let address = "http://127.0.0.1:\(relay.port)"
        // Terminals of this kind tell of the mouse in the newer form (SGR).
        let ada = try await TmuxScreen(
            "ada", in: program.folder,
            ["env", "TERM=xterm-256color"]
                + ChatCommandTests.words("ada", address, with: "bo", "--save-to", "saved"),
            columns: 160, rows: 24, environment: ["NO_COLOR": ""])
        let bo = try await TmuxScreen(
            "bo", in: program.folder, try ChatCommandTests.words("bo", address, with: "ada"),
            columns: 100, rows: 24, environment: ["NO_COLOR": "1"])
        do {
            try await answer(ada, bo)
            try await point(ada, bo)
            try await sendFile(ada, bo, program.folder, relay)
            try await delete(ada, bo)
            // Styles such as bold stay.
            let (plain, colored) = (try await bo.styles(), try await ada.styles())
            #expect(plain.colors.isEmpty && plain.others.contains(1))
            #expect(!colored.colors.isEmpty && colored.others.contains(1))
        } catch {
            relay.letPass()
            await ada.end()
            await bo.end()
            throw error
        }
        await ada.end()
        await bo.end()
        await server.stop()
    }

    /// Ada asks, and Bo answers in a thread.
    private func answer(_ ada: TmuxScreen, _ bo: TmuxScreen) async throws {
        try await ada.wait(for: "Write a message…")
        try await bo.wait(for: "● ada")
        try await ada.type(
            "Where do we meet? \u{DC1}\u{DCA}\u{200D}\u{DBB}\u{DD3}|\u{628}\u{200D}\u{628}|"
                + "\u{1F469}\u{200D}\u{1F467}|")
        try await ada.press("Enter")
        // The list of channels may show it before the timeline.
        try await bo.wait(for: "      Where do we meet?")
        try await bo.press("Up")
        try await bo.wait(for: "t thread")
        try await bo.type("t")
        try await bo.wait(for: "› thread")
        try await bo.type("Platform 7")
        try await bo.press("Enter")
        try await bo.wait(for: "Platform 7 ✓")
        try await bo.shows("story-1-thread-bo")
        try await bo.press("Escape")
        try await bo.wait(for: "↳ 1 reply")
        try await bo.shows("story-2-answered-bo")
    }

    /// Ada opens and leaves the thread, and scrolls, with the mouse alone.
    private func point(_ ada: TmuxScreen, _ bo: TmuxScreen) async throws {
        try await ada.wait(for: "↳ 1 reply")
        try await ada.click("↳ 1 reply")
        try await ada.wait(for: "t thread")
        try await ada.shows("story-3-pressed-ada")
        try await ada.click("t thread")
        try await ada.wait(for: "Platform 7")
        try await ada.shows("story-4-thread-ada")
        try await ada.click("Esc back")
        try await ada.wait(for: "Enter send")

        // A message of more lines than the screen has.
        let lines = (1...30).map { "Stop \($0)" }.joined(separator: "\r")
        try await bo.press(
            ["-H"] + "\u{1B}[200~\(lines)\u{1B}[201~".utf8.map { String($0, radix: 16) })
        try await bo.wait(for: "Stop 30")
        try await bo.press("Enter")
        try await ada.wait(for: "Stop 30")
        try await ada.mouse(.wheelUp, row: 10, column: 80)
        try await ada.wait(for: "newer messages below")
        try await ada.shows("story-5-scrolled-ada")
        try await ada.mouse(.wheelDown, row: 10, column: 80)
        try await ada.wait(for: "the newest line") { lines in
            lines.contains { $0.contains("Stop 30") }
                && !lines.contains { $0.contains("newer messages below") }
        }
    }

    /// Bo sends a file and Ada saves it, both through a link that stops halfway.
    private func sendFile(
        _ ada: TmuxScreen, _ bo: TmuxScreen, _ folder: URL, _ relay: CuttingRelay
    ) async throws {
        var bytes = Data(count: 16 << 20)
        for place in stride(from: 0, to: bytes.count, by: 4_099) {
            bytes[place] = UInt8(truncatingIfNeeded: place)
        }
        try bytes.write(to: folder.appending(path: "map.bin"))
        relay.holdUp()
        try await bo.press("C-u")
        try await bo.wait(for: "File to send:")
        try await bo.type("map.bin")
        try await bo.press("Enter")
        try await bo.wait(for: "% sent")
        try await bo.shows("story-6-sending-bo")
        relay.letPass()
        try await ada.wait(for: "s saves")
        try await bo.wait(for: "a file that has been sent") { lines in
            lines.contains { $0.contains("▤ map.bin") && $0.contains("s saves") }
        }
        try await bo.shows("story-7-sent-bo")

        relay.holdUp()
        try await ada.press("Up")
        try await ada.wait(for: "s save")
        try await ada.type("s")
        try await ada.wait(for: "the progress of the file") { lines in
            lines.contains { $0.contains("▤ map.bin") && $0.hasSuffix(" %") }
        }
        try await ada.shows("story-8-saving-ada")
        relay.letPass()
        try await ada.wait(for: "saved as")
        try await ada.shows("story-9-saved-ada")
        #expect(try Data(contentsOf: folder.appending(path: "saved/map.bin")) == bytes)
    }

    /// Bo deletes the message of many lines.
    private func delete(_ ada: TmuxScreen, _ bo: TmuxScreen) async throws {
        try await bo.press("Up", "Up")
        try await bo.wait(for: "d delete")
        try await bo.type("d")
        try await bo.wait(for: "Delete this message? y/n")
        try await bo.shows("story-10-question-bo")
        try await bo.type("y")
        for screen in [ada, bo] {
            try await screen.wait(for: "a line in place of the message") { lines in
                lines.contains { $0.hasSuffix("  deleted") }
                    && !lines.contains { $0.contains("Stop") }
            }
        }
        try await ada.shows("story-11-deleted-ada")
        try await bo.shows("story-11-deleted-bo")
    }
}
