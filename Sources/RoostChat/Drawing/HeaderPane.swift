// SPDX-License-Identifier: Apache-2.0

import Roost

/// The two lines above the timeline: the channel, its people and the connection; its history.
struct HeaderPane {
    private let state: ChatState
    private let layout: ScreenLayout

    init(_ state: ChatState, _ layout: ScreenLayout) {
        self.state = state
        self.layout = layout
    }

    func draw(on grid: inout Grid) {
        let pane = layout.header
        let link = Self.connection(state)
        // The state has the room that the name leaves, and half of the line at least.
        let rest = pane.columns - 3 - title.reduce(0) { $0 + $1.units.columns }
        let status = SafeText.line(link.text).fitted(to: max(pane.columns / 2, rest))
        let start = pane.end - status.columns - 1
        var column = pane.column + 1
        for span in title {
            let rest = max(start - 1 - column, 0)
            column = grid.put(
                span.units.fitted(to: rest), row: pane.row, column: column, end: start - 1,
                style: span.style)
        }
        grid.put(status, row: pane.row, column: start, end: pane.end, style: link.style)
        drawBar(on: &grid)
    }

    private var title: [Span] {
        guard let channel = state.openChannel else { return [] }
        var spans = [Span(ChannelPane.title(of: channel, for: state.me), CellStyle(bold: true))]
        if state.conversation?.thread != nil { spans.append(Span(" › thread", CellStyle(.accent))) }
        for member in channel.members.prefix(10) where member.id != state.me {
            let isOnline =
                state.health.connection.state == .connected
                ? state.presence[member.id] : nil
            spans.append(
                Span(isOnline == true ? "  ●" : "  ○", CellStyle(isOnline == true ? .good : .quiet))
            )
            spans.append(Span(" " + MessageBlock.name(of: member.user), .quiet))
        }
        return spans
    }

    /// The connection, the catch-up and the unsent messages in a few words.
    static func connection(_ state: ChatState) -> (text: String, style: CellStyle) {
        let health = state.health
        var text: String
        var color = CellColor.waiting
        switch health.connection.state {
        case .connected:
            if health.catchUp.isSettled {
                text = "● online"
                color = .good
            } else {
                text = "◔ catching up"
            }
        case .connecting: text = "◌ connecting"
        case .waiting:
            let wait = health.connection.nextAttempt.map {
                $0.milliseconds.subtractingReportingOverflow(state.now.milliseconds).partialValue
            }
            text = "○ offline"
            if let wait, wait > 0 { text += ", again in \(wait / 1_000 + 1) s" }
        case .awaitingNetwork: text = "○ no network"
        case .awaitingToken: text = "◌ waiting for a token"
        case .asleep: text = "○ asleep"
        case .disconnected:
            text = state.isCut ? "○ cut (Ctrl-O)" : "○ offline"
        case .refused:
            text = "✗ refused"
            if let failure = health.connection.failure { text += ": " + failure.code.words }
            color = .bad
        }
        if health.outbox.pending > 0 { text += " · \(health.outbox.pending) waiting" }
        if health.outbox.failed > 0 {
            text += " · \(health.outbox.failed) failed"
            color = .bad
        }
        return (text, CellStyle(color))
    }

    private func drawBar(on grid: inout Grid) {
        guard let open = state.conversation, layout.bar.columns > 30 else { return }
        let pane = layout.bar
        let delivered = open.messages.lazy.filter { $0.position != nil }
        let end = open.messages.last { $0.position != nil }?.createdAt ?? state.now
        var start = delivered.first?.createdAt ?? end
        if let channel = state.openChannel { start = min(start, channel.createdAt) }
        // The oldest edge that is known to be on this device.
        if let hole = open.holes?.first, hole.from == .distantPast, hole.through < start {
            start = hole.through
        }
        var words = ""
        if let download = open.download {
            switch download.state {
            case .running: words = " · fetching, \(download.messages) came"
            case .waitingForConnection: words = " · waits for the connection"
            case .paused, .canceled, .finished: break
            }
        }
        let width = min(max(pane.columns - 34, 8), 60)
        let drawn = HistoryBar(holes: open.holes, from: start, to: end, width: width)
        let column = grid.put(
            drawn.bar, row: pane.row, column: pane.column + 1, end: pane.end,
            style: CellStyle(.accent))
        grid.put(
            SafeText.line(" " + drawn.words + words).fitted(to: pane.end - column), row: pane.row,
            column: column, end: pane.end, style: .quiet)
    }
}
