// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@testable import RoostChat

/// The table of keys, in the help and in the document.
struct KeyHelpTests {
    /// All keys that a terminal sends, without letters.
    private static let keys: [Key] =
        scalars("a", "z").map { .control($0) } + scalars("a", "z").map { .alt($0) }
        + (1...12).map { .function($0) } + [
            .enter, .newLine, .tab, .backTab, .escape, .backspace, .delete, .left, .right, .up,
            .down, .wordLeft, .wordRight, .home, .end, .pageUp, .pageDown,
        ]
    private static let letters: [Key] = scalars("!", "~").map { .character($0) }

    private static func scalars(_ first: Unicode.Scalar, _ last: Unicode.Scalar) -> [Unicode.Scalar]
    {
        (first.value...last.value).compactMap { Unicode.Scalar($0) }
    }

    /// A chat with a text, and the cursor in its middle.
    private static var writing: ChatState {
        var state = Sample.chat()
        _ = state.receive(.paste("one two\nthree four\nfive six"))
        state.press(.up, .left)
        return state
    }

    /// Chats with a selected message: one that was refused, a file, the reader's own text.
    private static var selecting: [ChatState] {
        var file = Sample.message(4, "", by: Sample.ada)
        file.content = .file(
            FileContent(url: "u", name: "n", type: "t", size: ByteCount(bytes: 1), caption: ""))
        return [
            Sample.unsent("r1", "Lost", .failed(.networkError)), file,
            Sample.message(5, "Hello", by: Sample.ada),
        ].map { message in
            var state = Sample.chat(messages: Sample.talk + [message])
            state.press(.up)
            return state
        }
    }

    /// Chats with the keys in each of the other places.
    private static var elsewhere: [ChatState] {
        var channels = Sample.chat(messages: (1...60).map { Sample.message($0, "Line \($0)") })
        channels.press(.tab, .down)
        var older = Sample.chat(messages: (1...60).map { Sample.message($0, "Line \($0)") })
        older.press(.pageUp)
        var thread = Sample.chat()
        thread.press(.up, .character("t"))
        return [Sample.chat(), channels, older, thread]
    }

    /// Whether a key changes the screen or asks for something.
    private static func understands(_ state: ChatState, _ key: Key) -> Bool {
        var next = state
        return !next.press(key).isEmpty || ChatScreen.draw(next) != ChatScreen.draw(state)
    }

    @Test func `the table has the keys that a chat understands, and no others`() {
        let understood =
            Self.keys.filter { key in
                ([Self.writing] + Self.selecting + Self.elsewhere)
                    .contains { Self.understands($0, key) }
            }
            + Self.letters.filter { key in
                Self.selecting.contains { Self.understands($0, key) }
            }
        let listed = Set(KeyHelp.all.flatMap(\.keys))
        #expect(listed.subtracting(understood).isEmpty, "keys of the table without an effect")
        #expect(Set(understood).subtracting(listed).isEmpty, "keys that the table lacks")
    }

    @Test func `the help has each key beside its action on a screen of 80 × 24`() {
        var state = Sample.chat(rows: 24, columns: 80)
        state.press(.function(1))
        let screen = Sample.screen(state)
        #expect(screen.hasPrefix(" Enter          send               "))
        for help in KeyHelp.all {
            #expect(screen.contains(help.shortNames) && screen.contains(help.action), "\(help)")
        }
        // There is nothing to scroll, so any key leaves.
        #expect(screen.hasSuffix("\n any key leaves"))
        state.press(.down)
        #expect(state.focus == .composer)
    }

    @Test(arguments: [(8, 24), (10, 30), (14, 40)])
    func `a small screen shows each key with its action, further down`(rows: Int, columns: Int) {
        var state = Sample.chat(rows: rows, columns: columns)
        state.press(.function(1))
        // A row of the help, and the one behind it, where a narrow screen has the action.
        var lines: [String] = []
        for _ in 0..<80 {
            let screen = Sample.screen(state).split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect(screen.last == " ↑↓ more  Esc leaves")
            lines.append(screen.prefix(2).joined(separator: " "))
            lines.append(screen.dropLast().suffix(2).joined(separator: " "))
            state.press(.down)
        }
        for help in KeyHelp.all {
            let isShown = lines.contains { line in
                let name = line.firstRange(of: " \(help.shortNames)  ")
                return name.map { line[$0.upperBound...].contains(help.action) } ?? false
            }
            #expect(isShown, "\(help)")
        }
        let end = Sample.screen(state)
        state.press(.pageUp)
        #expect(Sample.screen(state) != end)
        state.press(.pageDown)
        #expect(Sample.screen(state) == end)
        _ = state.receive(.mouse(MouseAction(.wheelUp, row: 2, column: 2)))
        #expect(Sample.screen(state) != end && state.focus == .help)
        state.press(.character("x"))
        #expect(state.focus == .composer && state.composer.isEmpty)
    }

    @Test func `the mouse presses the keys of the help, and leaves it anywhere else`() {
        for (column, leaves) in [(2, false), (11, true)] {
            var state = Sample.chat(rows: 10, columns: 30)
            state.press(.function(1))
            let first = Sample.screen(state)
            _ = state.receive(.mouse(MouseAction(.press, row: 9, column: column)))
            #expect((state.focus == .composer) == leaves)
            #expect(Sample.screen(state) != first)
        }
        var state = Sample.chat(rows: 10, columns: 30)
        state.press(.function(1))
        _ = state.receive(.mouse(MouseAction(.press, row: 2, column: 2)))
        #expect(state.focus == .composer)
    }

    @Test func `the document has the same keys in the same order`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/chat.md"), encoding: .utf8)
        let section = text.split(separator: "## Keys").last?.split(separator: "## Signs").first
        let rows = (section ?? "").split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        let names = rows.map { row in
            row.split(separator: "|").first.map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(names == KeyHelp.all.map(\.names))
    }
}
