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
        KeyHelp("Ctrl-G", "failed messages", .control("g")),
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

/// All keys, on the whole screen above the key line.
struct HelpPane {
    /// The columns of a name, with the space behind it.
    private static let nameColumns = (KeyHelp.all.map(\.shortNames.count).max() ?? 0) + 2
    /// The columns of a name with its action.
    private static let lineColumns =
        nameColumns + (KeyHelp.all.map(\.action.count).max() ?? 0) + 2

    private let pane: Pane
    /// The first row on screen.
    private let first: Int
    /// The rows of a key: two where its action has no room beside its name.
    private let rowsEach: Int
    /// The keys beside each other.
    private let across: Int

    init(_ state: ChatState) {
        pane = Pane(row: 0, column: 0, rows: state.size.rows - 1, columns: state.size.columns)
        first = state.helpRow
        across = max((pane.columns - 1) / Self.lineColumns, 1)
        rowsEach = pane.columns - 1 < Self.lineColumns ? 2 : 1
    }

    /// The keys below each other.
    private var down: Int { (KeyHelp.all.count + across - 1) / across }

    /// The last row at which the help can begin.
    var lastRow: Int { max(down * rowsEach - pane.rows, 0) }

    func draw(on grid: inout Grid) {
        // A larger screen has room for more.
        let first = min(first, lastRow)
        for (index, help) in KeyHelp.all.enumerated() {
            let row = pane.row + index % down * rowsEach - first
            let column = pane.column + 1 + index / down * Self.lineColumns
            put(help.shortNames, row, column, CellStyle(.accent, bold: true), on: &grid)
            if rowsEach == 1 {
                put(help.action, row, column + Self.nameColumns, .plain, on: &grid)
            } else {
                put(help.action, row + 1, column + 2, .plain, on: &grid)
            }
        }
    }

    private func put(
        _ text: String, _ row: Int, _ column: Int, _ style: CellStyle, on grid: inout Grid
    ) {
        guard pane.contains(row, column) else { return }
        grid.put(text, row: row, column: column, end: pane.end, style: style)
    }
}
