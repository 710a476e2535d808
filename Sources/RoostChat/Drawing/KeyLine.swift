// SPDX-License-Identifier: Apache-2.0

import Roost

/// The last line: the keys of the present place.
///
/// Each is also a button for the mouse.
struct KeyLine {
    private struct Entry {
        let label: String
        let purpose: String
        let key: Key
    }

    private let entries: [Entry]

    init(_ state: ChatState) {
        var entries: [Entry]
        let newChat = Entry(label: "^T", purpose: "new chat", key: .control("t"))
        switch state.focus {
        case .composer:
            entries = [
                Entry(label: "Enter", purpose: "send", key: .enter),
                Entry(label: "Alt-Enter", purpose: "new line", key: .newLine),
                Entry(label: "↑", purpose: "messages", key: .up),
                Entry(label: "Tab", purpose: "channels", key: .tab),
            ]
            if state.conversation == nil {
                // Without a channel there is nothing to write to, and nothing to read.
                entries = [newChat]
            }
            if state.conversation?.thread != nil || state.conversation?.editing != nil {
                entries.insert(Entry(label: "Esc", purpose: "back", key: .escape), at: 1)
            }
        case .channels:
            entries = [
                Entry(label: "↑↓", purpose: "choose", key: .down),
                Entry(label: "Enter", purpose: "open", key: .enter),
                Entry(label: "Tab", purpose: "write", key: .tab),
            ]
        case .messages:
            entries = [
                Entry(label: "r", purpose: "react", key: .character("r")),
                Entry(label: "t", purpose: "thread", key: .character("t")),
                Entry(label: "e", purpose: "edit", key: .character("e")),
                Entry(label: "d", purpose: "delete", key: .character("d")),
                Entry(label: "s", purpose: "save", key: .character("s")),
                Entry(label: "Esc", purpose: "write", key: .escape),
            ]
        case .prompt:
            entries = [Entry(label: "Esc", purpose: "leave", key: .escape)]
            if let purpose = state.prompt?.kind.purpose {
                entries.insert(Entry(label: "Enter", purpose: purpose, key: .enter), at: 0)
            }
        case .results:
            entries = [
                Entry(label: "↑↓", purpose: "choose", key: .down),
                Entry(label: "Enter", purpose: "go there", key: .enter),
                Entry(label: "Esc", purpose: "leave", key: .escape),
            ]
        case .failures:
            entries = [
                Entry(label: "x", purpose: "send again", key: .character("x")),
                Entry(label: "d", purpose: "discard", key: .character("d")),
                Entry(label: "Enter", purpose: "go there", key: .enter),
                Entry(label: "Esc", purpose: "leave", key: .escape),
            ]
        case .help:
            entries = [Entry(label: "any key", purpose: "leaves", key: .escape)]
            if HelpPane(state).lastRow > 0 {
                entries = [
                    Entry(label: "↑↓", purpose: "more", key: .down),
                    Entry(label: "Esc", purpose: "leaves", key: .escape),
                ]
            }
        }
        if state.focus != .prompt, state.focus != .help {
            entries += [
                Entry(label: "F1", purpose: "help", key: .function(1)),
                Entry(label: "^F", purpose: "search", key: .control("f")),
                Entry(
                    label: "^O", purpose: state.isCut ? "connect" : "cut", key: .control("o")),
            ]
            if let open = state.conversation {
                let purpose = open.isFetching ? "pause" : "fetch all"
                entries.append(Entry(label: "^D", purpose: purpose, key: .control("d")))
            }
            if state.health.outbox.failed > 0, state.focus != .failures {
                entries.append(Entry(label: "^G", purpose: "failed", key: .control("g")))
            }
            if entries.first?.key != newChat.key { entries.append(newChat) }
            entries.append(Entry(label: "^Q", purpose: "quit", key: .control("q")))
        }
        self.entries = entries
    }

    /// The entries that have room, with their first columns.
    private func placed(_ pane: Pane) -> [(entry: Entry, column: Int, end: Int)] {
        var placed: [(entry: Entry, column: Int, end: Int)] = []
        var column = pane.column
        for entry in entries {
            let end = column + entry.label.count + entry.purpose.count + 3
            guard end <= pane.end else { break }
            placed.append((entry, column, end))
            column = end
        }
        return placed
    }

    /// Returns the key at a place of the screen.
    func key(at row: Int, _ column: Int, _ layout: ScreenLayout) -> Key? {
        guard layout.keys.contains(row, column) else { return nil }
        return placed(layout.keys).first { column >= $0.column && column < $0.end }?.entry.key
    }

    func draw(on grid: inout Grid, _ pane: Pane) {
        for (entry, column, end) in placed(pane) {
            let next = grid.put(
                " " + entry.label, row: pane.row, column: column, end: end,
                style: CellStyle(.accent, bold: true))
            grid.put(
                " " + entry.purpose, row: pane.row, column: next, end: end, style: .quiet)
        }
    }
}

extension ChatState.Prompt.Kind {
    /// The effect of Enter on the answer; nil for a question that one letter answers.
    fileprivate var purpose: String? {
        switch self {
        case .search: "search"
        case .attach: "send"
        case .newChannel: "start the chat"
        case .reaction, .discard, .discardFailed: nil
        }
    }
}
