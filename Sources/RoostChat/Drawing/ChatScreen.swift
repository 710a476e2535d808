// SPDX-License-Identifier: Apache-2.0

/// The chat as cells.
public enum ChatScreen {
    /// Returns the screen of a state, in the state's size.
    public static func draw(_ state: ChatState) -> Grid {
        var grid = Grid(state.size)
        let layout = ScreenLayout(state)
        guard layout.isUsable else {
            grid.put("This window is too small.", row: 0, column: 0, end: state.size.columns)
            return grid
        }
        if layout.list.rows > 0 { ChannelPane(state, layout.list).draw(on: &grid) }
        if let border = layout.border {
            for row in 0..<layout.list.rows {
                grid.put("│", row: row, column: border, end: border + 1, style: .quiet)
            }
        }
        if layout.timeline.rows > 0 {
            HeaderPane(state, layout).draw(on: &grid)
            switch state.focus {
            case .help: HelpPane(layout.timeline).draw(on: &grid)
            default:
                if state.search != nil, state.focus == .results {
                    ResultsPane(state, layout.timeline).draw(on: &grid)
                } else {
                    TimelinePane(state, layout.timeline).draw(on: &grid)
                }
            }
            StatusPane(state, layout.status).draw(on: &grid)
            ComposerPane(state, layout.composer).draw(on: &grid)
        } else if state.prompt != nil {
            ComposerPane(
                state,
                Pane(row: layout.keys.row - 1, column: 0, rows: 1, columns: state.size.columns)
            ).draw(on: &grid)
        }
        KeyLine(state).draw(on: &grid, layout.keys)
        return grid
    }
}

/// All keys, in the place of the timeline.
struct HelpPane {
    private static let keys = [
        ("Enter", "send"), ("Alt-Enter, Ctrl-J", "a new line"), ("↑ ↓", "select a message"),
        ("r or 1–8", "react to it"), ("t, Enter", "open its thread"),
        ("e, d", "edit it, delete it"),
        ("s", "save its file"), ("x", "send it again"), ("PgUp PgDn", "scroll"),
        ("End", "the newest messages"), ("Tab", "the channels"), ("Ctrl-N, Ctrl-P", "next channel"),
        ("Ctrl-F", "search on this device"), ("Ctrl-U", "send a file"), ("Ctrl-T", "a new chat"),
        ("Ctrl-D", "fetch the whole history"), ("Ctrl-O", "cut or restore the connection"),
        ("Ctrl-L", "draw again"), ("Ctrl-Q", "quit"),
    ]

    private let pane: Pane

    init(_ pane: Pane) { self.pane = pane }

    func draw(on grid: inout Grid) {
        // As many columns as are needed for the rows.
        let rows = max(pane.rows, 1)
        let count = (Self.keys.count + rows - 1) / rows
        let width = max(pane.columns / max(count, 1), 10)
        for (index, (key, purpose)) in Self.keys.enumerated() {
            let column = pane.column + 1 + index / rows * width
            let end = min(column + width - 1, pane.end)
            grid.put(
                key, row: pane.row + index % rows, column: column, end: end,
                style: CellStyle(.accent, bold: true))
            grid.put(
                purpose, row: pane.row + index % rows,
                column: column + min(19, key.count + 2 + (count > 1 ? 0 : 19)), end: end)
        }
    }
}
