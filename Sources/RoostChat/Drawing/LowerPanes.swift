// SPDX-License-Identifier: Apache-2.0

import Roost

/// The line between timeline and composer: people who type, notices, the thing that is edited.
///
/// A long notice has more lines.
struct StatusPane {
    /// The most lines of a notice.
    private static let maxRows = 3

    private let state: ChatState
    private let pane: Pane

    init(_ state: ChatState, _ pane: Pane) {
        self.state = state
        self.pane = pane
    }

    /// Returns the lines that the present text takes.
    static func rows(_ state: ChatState, columns: Int) -> Int {
        guard let notice = state.notice else { return 1 }
        return min(lines(notice.text, columns: columns).count, maxRows)
    }

    private static func lines(_ text: String, columns: Int) -> [[TextUnit]] {
        SafeText.line(text).wrapped(to: columns - 5)
    }

    func draw(on grid: inout Grid) {
        for row in pane.row..<(pane.row + pane.rows) {
            grid.put(
                String(repeating: "─", count: pane.columns), row: row, column: pane.column,
                end: pane.end, style: .quiet)
        }
        guard let (text, style) = content else { return }
        let lines = Self.lines(text, columns: pane.columns)
        for (offset, line) in lines.prefix(pane.rows).enumerated() {
            // The last line has an ellipsis if there are more.
            let space = SafeText.line(" ")
            let isLast = offset == pane.rows - 1
            let rest = isLast ? Array(lines[offset...].joined(separator: space)) : line
            grid.put(
                space + rest.fitted(to: pane.columns - 5) + space, row: pane.row + offset,
                column: pane.column + 2, end: pane.end, style: style)
        }
    }

    private var content: (String, CellStyle)? {
        if let notice = state.notice {
            return (notice.text, CellStyle(notice.isFailure ? .bad : .good))
        }
        guard let open = state.conversation else { return nil }
        if open.editing != nil { return ("editing a message · Esc leaves it", CellStyle(.waiting)) }
        let writers = (state.typing[open.channel] ?? []).prefix(3).map { MessageBlock.name(of: $0) }
        guard !writers.isEmpty else { return nil }
        let verb = writers.count == 1 ? "is" : "are"
        return ("\(writers.joined(separator: ", ")) \(verb) typing…", CellStyle(.waiting))
    }
}

/// The text that is being typed, or a question with its answer.
struct ComposerPane {
    /// The columns of the sign before the text.
    static let indent = 3

    private let state: ChatState
    private let pane: Pane

    init(_ state: ChatState, _ pane: Pane) {
        self.state = state
        self.pane = pane
    }

    func draw(on grid: inout Grid) {
        var (sign, text) = ("›", state.composer)
        if let prompt = state.prompt {
            let question = Self.question(prompt.kind)
            let end = grid.put(
                SafeText.line(" " + question).fitted(to: pane.columns - 2), row: pane.row,
                column: pane.column, end: pane.end, style: CellStyle(.accent, bold: true))
            switch prompt.kind {
            case .reaction, .discard, .discardFailed:
                grid.cursor = Grid.Place(row: pane.row, column: end)
            default: drawLine(prompt.answer, from: end + 1, on: &grid)
            }
            return
        }
        if state.conversation == nil { (sign, text) = (" ", Composer()) }
        grid.put(
            sign, row: pane.row, column: pane.column + 1, end: pane.end,
            style: CellStyle(.accent, bold: true))
        let lines = ComposerLines(text, columns: pane.columns - Self.indent)
        let first = max(
            0, min(lines.cursor.row - pane.rows / 2, lines.lines.count - pane.rows))
        for (offset, line) in lines.lines.dropFirst(first).prefix(pane.rows).enumerated() {
            grid.put(
                line, row: pane.row + offset, column: pane.column + Self.indent, end: pane.end)
        }
        if text.isEmpty, state.conversation != nil {
            grid.put(
                SafeText.line(hint).fitted(to: pane.columns - Self.indent), row: pane.row,
                column: pane.column + Self.indent, end: pane.end, style: .quiet)
        }
        guard state.focus == .composer, state.conversation != nil else { return }
        grid.cursor = Grid.Place(
            row: pane.row + lines.cursor.row - first,
            column: min(pane.column + Self.indent + lines.cursor.column, pane.end - 1))
    }

    private var hint: String {
        if state.conversation?.thread != nil { return "Reply in the thread…" }
        return state.health.connection.state == .connected
            ? "Write a message…" : "Write a message; it is sent when the connection is back…"
    }

    private func drawLine(_ answer: Composer, from column: Int, on grid: inout Grid) {
        // The end of a long answer is in sight.
        let units = SafeText.line(answer.before).suffix(fitting: max(pane.end - column - 2, 1))
        let end = grid.put(units, row: pane.row, column: column, end: pane.end)
        grid.put(SafeText.line(answer.after), row: pane.row, column: end, end: pane.end)
        grid.cursor = Grid.Place(row: pane.row, column: min(end, pane.end - 1))
    }

    static func question(_ kind: ChatState.Prompt.Kind) -> String {
        switch kind {
        case .search: "Search on this device:"
        case .attach: "File to send:"
        case .newChannel: "Chat with (user IDs):"
        case .reaction:
            "React: "
                + ChatState.reactions.enumerated()
                .map { "\($0.offset + 1) \($0.element)" }.joined(separator: "  ")
        case .discard, .discardFailed: "Delete this message? y/n"
        }
    }
}
