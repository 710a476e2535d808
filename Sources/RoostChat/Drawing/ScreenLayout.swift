// SPDX-License-Identifier: Apache-2.0

/// A part of the screen.
struct Pane: Hashable {
    var row = 0
    var column = 0
    var rows = 0
    var columns = 0

    /// The column behind the last one.
    var end: Int { column + columns }

    func contains(_ row: Int, _ column: Int) -> Bool {
        row >= self.row && row < self.row + rows && column >= self.column && column < end
    }
}

/// The places of the panes.
///
/// Channels are on the left, the timeline on the right, the keys in the last row. A screen below 60
/// columns has room for one of them: the channels while they have the keys.
struct ScreenLayout: Hashable {
    /// The smallest screen that shows anything.
    static let least = GridSize(rows: 8, columns: 24)
    /// The smallest screen with both panes.
    static let twoPanes = 60
    /// The most lines of the composer before it scrolls.
    private static let maxComposer = 6

    var list = Pane()
    /// The name of the channel and the state of the connection.
    var header = Pane()
    /// The history on this device.
    var bar = Pane()
    var timeline = Pane()
    /// People who type, and notices.
    var status = Pane()
    var composer = Pane()
    var keys = Pane()
    /// The column of the line between the panes; nil for one pane.
    var border: Int?
    /// Whether the screen has room for anything.
    let isUsable: Bool

    /// Whether a screen of a size has room for anything.
    static func isUsable(_ size: GridSize) -> Bool {
        size.rows >= least.rows && size.columns >= least.columns
    }

    init(_ state: ChatState) {
        let size = state.size
        isUsable = Self.isUsable(size)
        guard isUsable else { return }
        keys = Pane(row: size.rows - 1, column: 0, rows: 1, columns: size.columns)
        let body = size.rows - 1
        var (start, columns) = (0, size.columns)
        if size.columns >= Self.twoPanes {
            let width = min(max(size.columns / 4, 20), 34)
            list = Pane(row: 0, column: 0, rows: body, columns: width)
            border = width
            start = width + 1
            columns = size.columns - start
        } else if state.focus == .channels || state.conversation == nil {
            list = Pane(row: 0, column: 0, rows: body, columns: size.columns)
            return
        }
        let lines = ComposerLines(state.composer, columns: columns - ComposerPane.indent).lines
            .count
        let composing = min(max(lines, 1), Self.maxComposer, max(body / 3, 1))
        header = Pane(row: 0, column: start, rows: 1, columns: columns)
        bar = Pane(row: 1, column: start, rows: 1, columns: columns)
        composer = Pane(row: body - composing, column: start, rows: composing, columns: columns)
        let telling = min(StatusPane.rows(state, columns: columns), max(composer.row / 4, 1))
        status = Pane(
            row: composer.row - telling, column: start, rows: telling, columns: columns)
        timeline = Pane(row: 2, column: start, rows: status.row - 2, columns: columns)
    }
}
