// SPDX-License-Identifier: Apache-2.0

/// The chat as cells.
public enum ChatScreen {
    /// Returns the screen of a state, in the state's size.
    public static func draw(_ state: ChatState) -> Grid {
        var grid = Grid(state.size)
        let layout = ScreenLayout(state)
        guard layout.isUsable else {
            let least = ScreenLayout.least
            let text = "This window is too small. It needs \(least.columns) × \(least.rows)."
            for (row, line) in SafeText.line(text).wrapped(to: state.size.columns).enumerated() {
                grid.put(line, row: row, column: 0, end: state.size.columns)
            }
            return grid
        }
        if state.focus == .help {
            HelpPane(state).draw(on: &grid)
            KeyLine(state).draw(on: &grid, layout.keys)
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
            if let list = MessageListPane(state, layout.timeline) {
                list.draw(on: &grid)
            } else {
                TimelinePane(state, layout.timeline).draw(on: &grid)
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
