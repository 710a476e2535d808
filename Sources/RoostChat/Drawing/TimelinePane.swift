// SPDX-License-Identifier: Apache-2.0

import Roost

/// The messages of the open channel, from the lower edge upwards.
///
/// Only messages on screen are laid out, so the length of the timeline costs nothing.
struct TimelinePane {
    private let pane: Pane
    private let shown: [ShownMessage]
    private let context: MessageBlock.Context
    private let conversation: Conversation?
    private let hintWithoutChannel: String

    init(_ state: ChatState, _ pane: Pane) {
        self.pane = pane
        conversation = state.conversation
        hintWithoutChannel =
            state.wanted.map { "The chat with \($0) starts with the connection." }
            ?? "No channel yet. Ctrl-T starts one with people you name."
        shown = state.conversation?.shown(to: state.me) ?? []
        context = MessageBlock.Context(
            me: state.me, timeZone: state.timeZone, columns: pane.columns,
            channel: state.openChannel, files: state.files, uploads: state.uploads,
            isThread: state.conversation?.thread != nil)
    }

    private func block(_ index: Int) -> [[Span]] {
        let rows = MessageBlock(
            shown[index], after: index > 0 ? shown[index - 1] : nil, context
        ).rows
        return index == firstReply ? [[Span("       older replies: PgUp", .quiet)]] + rows : rows
    }

    /// The index of the reply behind which older ones are missing; nil if none are.
    private var firstReply: Int? {
        guard let thread = conversation?.thread, thread.ends.hasOlder else { return nil }
        return thread.parent == nil ? 0 : 1
    }

    /// The index of the message at the lower edge, and its rows below the edge.
    private var edge: (index: Int, hiddenRows: Int) {
        if let anchor = conversation?.anchor,
            let index = shown.lastIndex(where: { $0.message.id == anchor.message })
        {
            return (index, anchor.hiddenRows)
        }
        return (shown.count - 1, 0)
    }

    private struct Row {
        let index: Int
        let spans: [Span]
    }

    /// The rows on screen, the lowest one last.
    private var rows: [Row] {
        guard !shown.isEmpty, pane.rows > 0 else { return [] }
        var rows: [Row] = []
        let (last, hidden) = edge
        for index in stride(from: last, through: 0, by: -1) {
            let block = block(index)
            let visible = index == last ? block.dropLast(min(hidden, block.count - 1)) : block[...]
            for spans in visible.reversed() {
                rows.append(Row(index: index, spans: spans))
                if rows.count == pane.rows { return rows.reversed() }
            }
        }
        return rows.reversed()
    }

    // MARK: Places

    /// Returns the anchor after a movement by rows, and whether the first message is in sight.
    func anchor(scrolledBy count: Int) -> (Conversation.Anchor?, isAtTop: Bool) {
        guard !shown.isEmpty else { return (nil, true) }
        var (index, hidden) = edge
        hidden += count
        while hidden < 0, index < shown.count - 1 {
            index += 1
            hidden += block(index).count
        }
        if hidden < 0 { hidden = 0 }
        while true {
            let height = block(index).count
            guard hidden >= height, index > 0 else { break }
            hidden -= height
            index -= 1
        }
        // The first message stays at the upper edge.
        let (top, lowest) = self.top
        let isAtTop = index < top || (index == top && hidden >= lowest)
        if isAtTop { (index, hidden) = (top, lowest) }
        if index == shown.count - 1, hidden == 0 { return (nil, isAtTop) }
        return (
            Conversation.Anchor(message: shown[index].message.id, hiddenRows: hidden), isAtTop
        )
    }

    /// The edge at which the first message is in the pane's first row.
    private var top: (index: Int, hiddenRows: Int) {
        var rows = 0
        for index in shown.indices {
            rows += block(index).count
            if rows >= pane.rows { return (index, rows - pane.rows) }
        }
        return (shown.count - 1, 0)
    }

    /// Returns the anchor at which a message is in sight; the present one if it is already.
    func anchor(showing index: Int) -> Conversation.Anchor? {
        let rows = rows
        let height = block(index).count
        if rows.count(where: { $0.index == index }) >= min(height, pane.rows) {
            return conversation?.anchor
        }
        if index > (rows.last?.index ?? 0) || index == edge.index {
            return index == shown.count - 1
                ? nil : Conversation.Anchor(message: shown[index].message.id, hiddenRows: 0)
        }
        // Above the pane: the message comes to its first row.
        var (sum, lower) = (0, index)
        while lower < shown.count {
            sum += block(lower).count
            if sum >= pane.rows { break }
            lower += 1
        }
        guard lower < shown.count else { return nil }
        return Conversation.Anchor(
            message: shown[lower].message.id, hiddenRows: sum - pane.rows)
    }

    /// Returns the message in a row of the screen.
    func message(at row: Int) -> Message.Identity? {
        let rows = rows
        let place = row - pane.row - (pane.rows - rows.count)
        return rows.indices.contains(place) ? shown[rows[place].index].message.id : nil
    }

    // MARK: Drawing

    func draw(on grid: inout Grid) {
        guard let conversation else {
            drawHint(hintWithoutChannel, on: &grid)
            return
        }
        let rows = rows
        if rows.isEmpty {
            let isLoaded = conversation.shownEnds.isLoaded
            drawHint(isLoaded ? "No messages yet." : "Reading…", on: &grid)
        }
        let first = pane.row + pane.rows - rows.count
        for (offset, row) in rows.enumerated() {
            var column = pane.column
            for span in row.spans {
                column = grid.put(
                    span.units, row: first + offset, column: column, end: pane.end,
                    style: span.style)
            }
            if shown[row.index].message.id == conversation.selected {
                grid.put(
                    "▌", row: first + offset, column: pane.column, end: pane.end,
                    style: CellStyle(.accent, bold: true))
            }
        }
        drawEdges(conversation, on: &grid)
    }

    private func drawHint(_ text: String, on grid: inout Grid) {
        grid.put(
            text, row: pane.row + pane.rows / 2, column: pane.column + 1, end: pane.end,
            style: .quiet)
    }

    /// Tells of messages above and below the pane.
    private func drawEdges(_ open: Conversation, on grid: inout Grid) {
        if open.shownEnds.isPaging, pane.rows > 2 {
            drawEdge(" fetching older messages… ", row: pane.row, .waiting, on: &grid)
        }
        let last = pane.row + pane.rows - 1
        if open.hasHugeGap, open.thread == nil {
            drawEdge(" more than 300 are missing here: End ", row: last, .waiting, on: &grid)
        } else if !open.followsNewest {
            drawEdge(" newer messages below: End ", row: last, .accent, on: &grid)
        }
    }

    private func drawEdge(_ text: String, row: Int, _ color: CellColor, on grid: inout Grid) {
        let units = SafeText.line(text).fitted(to: pane.columns)
        grid.put(
            units, row: row, column: pane.end - units.columns, end: pane.end,
            style: CellStyle(color, reversed: true))
    }
}
