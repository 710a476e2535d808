// SPDX-License-Identifier: Apache-2.0

/// One line of the help: keys with one action.
///
/// `docs/chat.md` has the same lines; a test compares them with each other and with the keys that a
/// chat understands.
struct KeyHelp {
    /// The names of the keys, as in the document.
    let names: String
    let action: String
    let keys: [Key]

    private init(_ names: String, _ action: String, _ keys: Key...) {
        self.names = names
        self.action = action
        self.keys = keys
    }

    private init(_ names: String, _ action: String, letters: String, _ keys: Key...) {
        self.names = names
        self.action = action
        self.keys = letters.unicodeScalars.map { .character($0) } + keys
    }

    static let all = [
        KeyHelp("Enter", "send", .enter),
        KeyHelp("Alt-Enter, Ctrl-J", "a new line", .newLine),
        KeyHelp("Backspace", "delete a letter", .backspace),
        KeyHelp("Ctrl-W", "delete a word", .control("w")),
        KeyHelp("Ctrl-K", "delete to the end", .control("k")),
        KeyHelp("← →", "move", .left, .right),
        KeyHelp("Ctrl-← →", "move by words", .wordLeft, .wordRight),
        KeyHelp("Home, Ctrl-A", "start of the line", .home, .control("a")),
        KeyHelp("Ctrl-E", "end of the line", .control("e")),
        KeyHelp("Esc", "back, leave", .escape),
        KeyHelp("↑ ↓", "select a message", .up, .down),
        KeyHelp("r, 1 to 8", "react to it", letters: "r12345678"),
        KeyHelp("t, Enter", "open its thread", letters: "t", .enter),
        KeyHelp("e", "edit it", letters: "e"),
        KeyHelp("d, Delete", "delete it", letters: "d", .delete),
        KeyHelp("s", "save its files", letters: "s"),
        KeyHelp("x", "send it again", letters: "x"),
        KeyHelp("PgUp, PgDn", "scroll", .pageUp, .pageDown),
        KeyHelp("End", "newest messages", .end),
        KeyHelp("Tab", "channels, and back", .tab, .backTab),
        KeyHelp("Ctrl-N, Ctrl-P", "next, previous", .control("n"), .control("p")),
        KeyHelp("Ctrl-F", "search", .control("f")),
        KeyHelp("Ctrl-U", "send a file", .control("u")),
        KeyHelp("Ctrl-T", "a new chat", .control("t")),
        KeyHelp("Ctrl-D", "fetch all history", .control("d")),
        KeyHelp("Ctrl-O", "cut, reconnect", .control("o")),
        KeyHelp("Ctrl-L", "draw again", .control("l")),
        KeyHelp("F1", "this help", .function(1)),
        KeyHelp("Ctrl-Q, Ctrl-C", "quit", .control("q"), .control("c")),
    ]

    /// The names with the terminal's sign for Ctrl.
    var shortNames: String { names.replacing("Ctrl-", with: "^") }
}

/// All keys, in the place of the timeline.
struct HelpPane {
    /// The columns from a name to its action; a longer name moves its own action.
    private static let actionColumn = 10

    private let pane: Pane

    init(_ pane: Pane) { self.pane = pane }

    func draw(on grid: inout Grid) {
        // As many columns as are needed for the rows.
        let rows = max(pane.rows, 1)
        let count = (KeyHelp.all.count + rows - 1) / rows
        let width = max(pane.columns / count, 10)
        for (index, help) in KeyHelp.all.enumerated() {
            let (row, column) = (pane.row + index % rows, pane.column + 1 + index / rows * width)
            let end = min(column + width - 1, pane.end)
            let next = grid.put(
                help.shortNames, row: row, column: column, end: end,
                style: CellStyle(.accent, bold: true))
            grid.put(
                help.action, row: row, column: max(next + 2, column + Self.actionColumn), end: end)
        }
    }
}
