// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostChat

struct ComposerTests {
    /// Types a text and presses keys; `|` is the cursor.
    private static func after(_ text: String, _ keys: [Key]) -> String {
        var composer = Composer()
        for scalar in text.unicodeScalars {
            _ = composer.apply(scalar == "\n" ? .newLine : .character(scalar))
        }
        for key in keys { _ = composer.apply(key) }
        return composer.before + "|" + composer.after
    }

    @Test(
        arguments: [
            ("abc", [.left, .left], "a|bc"), ("abc", [.backspace], "ab|"),
            ("abc", [.left, .delete], "ab|"),
            ("abc", [.home, .right], "a|bc"), ("one two", [.wordLeft], "one |two"),
            ("one two", [.wordLeft, .wordLeft, .wordRight], "one| two"),
            ("one two", [.control("w")], "one |"), ("one two", [.home, .control("k")], "|"),
            ("ab\ncd", [.up], "ab|\ncd"), ("ab\nc", [.up], "a|b\nc"), ("a\nbcd", [.up], "a|\nbcd"),
            ("abc\nd", [.up, .home, .right, .right, .down], "abc\nd|"),
            ("ab\ncd", [.home], "ab\n|cd"),
            ("", [.backspace, .delete, .left, .right, .wordLeft, .up, .down], "|"),
        ] as [(String, [Key], String)])
    func `keys move and delete`(text: String, keys: [Key], result: String) {
        #expect(Self.after(text, keys) == result)
    }

    @Test(
        arguments: [
            ("", "|", "new|"), ("old", "|old", "new\n|old"), ("new and old", "", "new and old|"),
        ])
    func `a text comes in front of another one, and leaves the cursor between its letters`(
        old: String, start: String, result: String
    ) {
        var composer = Composer(old)
        if start.hasPrefix("|") { _ = composer.apply(.home) }
        composer.putInFront("new")
        #expect(composer.before + "|" + composer.after == result)
    }

    @Test(arguments: ["👩‍👩‍👧", "🇩🇪", "e\u{301}", "👍🏽", "नि"])
    func `a character of several parts is deleted as one`(character: String) {
        #expect(Self.after("a" + character, [.backspace]) == "a|")
        #expect(Self.after("a" + character, [.left]) == "a|" + character)
    }

    @Test func `the cursor stays within the width`() {
        var composer = Composer()
        for _ in 0..<10 {
            for scalar in "日本x".unicodeScalars { composer.insert(scalar) }
            let lines = ComposerLines(composer, columns: 7)
            #expect(lines.lines.allSatisfy { $0.columns <= 7 })
            #expect(lines.cursor.column < 7)
            #expect(lines.cursor.row < lines.lines.count)
        }
    }
}

struct SavedNameTests {
    @Test(arguments: [
        ("ticket.txt", "ticket.txt"), ("../../etc/passwd", "passwd"), ("a\\b\\c.png", "c.png"),
        (".bashrc", "bashrc"), ("-rf", "rf"), ("a\u{1B}[2J.txt", "a[2J.txt"), ("", "file"),
        ("/", "file"), ("..", "file"), ("\u{202E}gpj.exe", "gpj.exe"), ("日本.pdf", "日本.pdf"),
    ])
    func `a saved file keeps the harmless part of its name`(name: String, safe: String) {
        #expect(SavedName.safe(name) == safe)
    }

    @Test func `a long name is cut, and a second file gets a number`() {
        #expect(SavedName.safe(String(repeating: "é", count: 500)).utf8.count <= 120)
        #expect(SavedName.numbered("a.png", 1) == "a.png")
        #expect(SavedName.numbered("a.png", 2) == "a-2.png")
        #expect(SavedName.numbered("a", 3) == "a-3")
    }

    @Test func `two files of one name that are saved at the same time get a name each`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "roost-saved-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // The second name is asked for before the first file has its contents.
        let names = try (1...3).map { _ in
            try SavedName.take("a/ticket.png", in: folder).lastPathComponent
        }
        #expect(names == ["ticket.png", "ticket-2.png", "ticket-3.png"])
        #expect(throws: CocoaError.self) {
            try SavedName.take("a", in: folder.appending(path: "missing"))
        }
    }
}
