// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Testing

@testable import RoostChat

struct SafeTextTests {
    private static func shown(_ text: String) -> String {
        SafeText.line(text).map(\.text).joined()
    }

    @Test(arguments: [
        // An escape sequence that would clear the screen, and one that would set its title.
        ("\u{1B}[2Jgone", "␛[2Jgone"), ("\u{1B}]0;owned\u{07}", "␛]0;owned␇"),
        // A sequence in one character of the second control range.
        ("\u{9B}31m", "\u{FFFD}31m"), ("a\u{00}b\u{7F}", "a␀b␡"), ("a\u{08}\u{08}b", "a␈␈b"),
        ("tab\there", "tab    here"), ("one\ntwo", "one two"), ("one\r\ntwo", "one two"),
        // A lone return would write over the line's start.
        ("safe\rX", "safe X"),
    ])
    func `control characters reach no terminal`(text: String, shown: String) {
        #expect(Self.shown(text) == shown)
    }

    @Test(arguments: [
        ("\u{202E}gpj.exe", "gpj.exe"), ("a\u{2066}b\u{2069}c", "abc"),
        ("x\u{200B}y\u{FEFF}z", "xyz"),
        ("\u{E0041}tag", "tag"), ("so\u{AD}ft", "soft"),
    ])
    func `characters that turn or hide other text are left out`(text: String, shown: String) {
        #expect(Self.shown(text) == shown)
    }

    @Test func `a row takes the start of a long text, and a short text whole`() {
        let long = String(repeating: "日本 and so on ", count: 5_000)
        #expect(SafeText.row(long) == Array(SafeText.line(long).prefix(SafeText.rowScalars)))
        #expect(SafeText.row("one\ntwo") == SafeText.line("one two"))
    }

    @Test func `no text puts a control character on the screen`() {
        for value in 0...0x10_FFFF {
            guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
            for unit in SafeText.line("a" + String(scalar)) {
                let first = unit.text.unicodeScalars.first?.properties.generalCategory
                #expect(first != .control && first != .format, "\(value)")
                #expect(unit.columns == 1 || unit.columns == 2)
            }
        }
    }

    @Test func `no hidden character reaches the screen`() {
        for scalar in (0...0x10_FFFF).compactMap({ (code: UInt32) in Unicode.Scalar(code) })
        where scalar.isHidden {
            let shown = Self.shown("a\(scalar)b").unicodeScalars
            #expect(!shown.contains(scalar), "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test func `right-to-left text keeps its order and its marks`() {
        let text = "שָׁלוֹם عَلَيْكُم"
        #expect(Self.shown(text) == text)
        // The marks take no column of their own.
        #expect(SafeText.line(text).columns == 10)
    }

    @Test(arguments: [
        ("日本語", 6), ("한국어", 6), ("ｆｕｌｌ", 8), ("🚆", 2), ("e\u{301}", 1), ("👍🏽", 2),
        ("❤\u{FE0F}", 1), ("👩\u{200D}👧", 4), ("🇩🇪", 2), ("ไทยนี้", 4),
    ])
    func `characters have the columns of a terminal`(text: String, columns: Int) {
        #expect(SafeText.line(text).columns == columns)
    }

    /// Sinhala, Devanagari, Bengali and Arabic letters, with joiners between them.
    private static let joined: [(String, Int)] = [
        ("\u{DC1}\u{DCA}\u{200D}\u{DBB}\u{DD3}", 2), ("\u{915}\u{94D}\u{200D}\u{937}", 2),
        ("\u{9B0}\u{200D}\u{9CD}\u{9AF}", 2), ("\u{628}\u{200D}\u{628}", 2),
        ("\u{DC1}\u{DCA}\u{200D}\u{DBB}\u{DCA}\u{200D}\u{DBB}", 3),
    ]

    @Test(arguments: joined)
    func `a joiner between letters that it changes stays, with a column for each letter`(
        text: String, columns: Int
    ) {
        let units = SafeText.line("a\(text)b")
        #expect(units.map(\.text) == ["a", text, "b"])
        #expect(units.map(\.columns) == [1, columns, 1])
    }

    @Test(arguments: [
        // Behind a joiner some terminals draw the next character of any text in its cell.
        ("\u{647}\u{200D}", "\u{647}"), ("\u{647}\u{200D} x", "\u{647} x"),
        ("\u{647}\u{200D}\u{2502}", "\u{647}\u{2502}"), ("\u{200D}\u{628}", "\u{628}"),
        ("a\u{200D}b", "ab"), ("a\u{200D}\u{628}", "a\u{628}"),
        ("\u{DC1}\u{DCA}\u{200D}x", "\u{DC1}\u{DCA}x"), ("\u{628}\u{200D}\n", "\u{628} "),
        ("\u{628}\u{200D}\u{200D}\u{628}", "\u{628}\u{200D}\u{628}"),
        ("\u{9B0}\u{200D}\u{9CD}x", "\u{9B0}\u{9CD}x"),
        ("\u{628}\u{200D}\u{202E}\u{628}", "\u{628}\u{200D}\u{628}"),
        // A family is shown as its people.
        ("\u{1F469}\u{200D}\u{1F467}", "\u{1F469}\u{1F467}"),
        ("\u{1F469}\u{200D}\u{628}", "\u{1F469}\u{628}"),
    ])
    func `any other joiner is left out`(text: String, shown: String) {
        #expect(Self.shown(text) == shown)
    }

    @Test func `a chain of joiners makes short units only`() {
        let chain = String(repeating: "\u{628}\u{301}\u{302}\u{303}\u{304}\u{200D}", count: 90)
        let units = SafeText.line(chain)
        #expect(units.columns == 90)
        #expect(units.allSatisfy { $0.columns <= 4 && $0.text.unicodeScalars.count <= 19 })
        let fitting = units.wrapped(to: 10)
        #expect(fitting.count == 11 && fitting.allSatisfy { $0.columns <= 10 })
    }

    @Test func `a pile of marks stays on its line`() {
        let zalgo = "a" + String(repeating: "\u{301}", count: 100)
        #expect(SafeText.line(zalgo).map { $0.text.unicodeScalars.count } == [4])
        #expect(Self.shown("\u{301}b") == "\u{25CC}\u{301}b")
    }
}

struct WrappingTests {
    private static func lines(_ text: String, _ columns: Int) -> [String] {
        SafeText.line(text).wrapped(to: columns).map { $0.map(\.text).joined() }
    }

    @Test(arguments: [
        ("one two three", 7, ["one two", "three"]), ("one two three", 8, ["one two", "three"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]), ("a bcdefghij", 4, ["a", "bcde", "fghi", "j"]),
        ("", 5, [""]), ("日本語", 3, ["日", "本", "語"]), ("日本語", 4, ["日本", "語"]),
        ("aa 日本", 4, ["aa", "日本"]), ("ab  cd", 3, ["ab ", "cd"]),
    ])
    func `lines break behind words`(text: String, columns: Int, lines: [String]) {
        #expect(Self.lines(text, columns) == lines)
    }

    @Test(arguments: 2...12)
    func `no line is wider than its room, and no character is lost`(columns: Int) {
        let text = "The night train 夜行列車 leaves at 22:04, שלום, supercalifragilistic"
        let lines = SafeText.line(text).wrapped(to: columns)
        #expect(lines.allSatisfy { $0.columns <= columns })
        let kept = lines.flatMap { $0 }.filter { !$0.isSpace }.map(\.text).joined()
        #expect(kept == text.filter { $0 != " " })
    }

    @Test(arguments: [
        ("night", 5, "night"), ("night", 4, "nig…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
        ("abc", 0, ""),
    ])
    func `a text without room ends with an ellipsis`(text: String, columns: Int, shown: String) {
        #expect(SafeText.line(text).fitted(to: columns).map(\.text).joined() == shown)
    }
}

struct GridTests {
    private static func grid(_ text: String) -> Grid {
        var grid = Grid(GridSize(rows: 2, columns: 8))
        grid.put(text, row: 0, column: 0, end: 8)
        return grid
    }

    @Test func `half of a wide character is never left over`() {
        var grid = Self.grid("日本語")
        grid.put("x", row: 0, column: 1, end: 8)
        #expect(grid.text.hasPrefix(" x本語"))
        grid.put("y", row: 0, column: 2, end: 8)
        #expect(grid.text.hasPrefix(" xy 語"))
        grid.put("日本", row: 1, column: 5, end: 8)
        #expect(grid[1, 5].text == "日" && grid[1, 7] == .blank)
    }

    @Test func `joined letters are written and left as one`() {
        let letters = "\u{DC1}\u{DCA}\u{200D}\u{DBB}\u{DCA}\u{200D}\u{DBB}"
        let joined = Self.grid("a\(letters)b")
        #expect(joined[0, 1].isJoined && joined[0, 1].columns == 3 && joined[0, 4].text == "b")
        for column in 1...3 {
            var grid = joined
            grid.put("x", row: 0, column: column, end: 8)
            #expect(grid.text.filter { $0 != " " } == "axb\n", "\(column)")
            #expect(grid.cells.allSatisfy { $0.columns == 1 })
            #expect(joined.runs(since: grid).map(\.column) == [1])
        }
        var narrow = Grid(GridSize(rows: 1, columns: 3))
        narrow.put("a\(letters)", row: 0, column: 0, end: 3)
        #expect(narrow.text == "a")
    }

    @Test func `equal grids have no difference, and a new size has all`() {
        let grid = Self.grid("abc")
        #expect(grid.runs(since: grid).isEmpty)
        #expect(grid.runs(since: nil).map(\.cells.count) == [8, 8])
        #expect(grid.runs(since: Grid(GridSize(rows: 1, columns: 8))).count == 2)
    }

    @Test(arguments: [
        ("abcdef", "abXdef", [2]), ("abcdef", "Xbcdef", [0]), ("日本", "日木", [2]),
        ("日本", "a 本", [0]), ("a日", "b本", [0]),
    ])
    func `the difference of two grids makes one into the other`(
        old: String, new: String, columns: [Int]
    ) {
        let (old, new) = (Self.grid(old), Self.grid(new))
        let runs = new.runs(since: old)
        #expect(runs.map(\.column) == columns)
        var painted = old.cells
        for run in runs {
            #expect(run.cells.first?.columns != 0)
            for (offset, cell) in run.cells.enumerated() {
                painted[run.row * 8 + run.column + offset] = cell
            }
        }
        #expect(painted == new.cells)
    }

    @Test(arguments: [(-5, 3), (3, -1), (5_000, 5_000)])
    func `a size from outside is bounded`(rows: Int, columns: Int) {
        let grid = Grid(GridSize(rows: rows, columns: columns))
        #expect(grid.cells.count <= 1_000_000)
    }
}
