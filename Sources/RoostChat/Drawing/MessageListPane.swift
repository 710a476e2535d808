// SPDX-License-Identifier: Apache-2.0

import Roost

/// A list of messages in the place of the timeline: found ones, or those that failed.
struct MessageListPane {
    private enum Entries {
        case found([MessageSearchPage.Match])
        case failed([Message])

        var count: Int {
            switch self {
            case .found(let matches): matches.count
            case .failed(let messages): messages.count
            }
        }
    }

    /// The rows of a message, with an empty one behind it.
    static let rowsEach = 3

    private let state: ChatState
    private let pane: Pane
    private let title: String
    private let entries: Entries
    private let selected: Int

    /// Creates the list that is open; nil if the timeline is on screen.
    init?(_ state: ChatState, _ pane: Pane) {
        self.state = state
        self.pane = pane
        if state.showsFailures {
            let failures = state.failures
            title = failures.map { "\($0.messages.count) not sent" } ?? "reading…"
            entries = .failed(failures?.messages ?? [])
            selected = failures?.selected ?? 0
        } else if state.focus == .results, let search = state.search {
            title = Self.title(of: search)
            entries = .found(search.matches ?? [])
            selected = search.selected
        } else {
            return nil
        }
    }

    private static func title(of search: ChatState.Search) -> String {
        let found =
            switch search.matches {
            case nil: "searching…"
            case .some(let matches) where matches.isEmpty: "nothing found"
            case .some(let matches): "\(matches.count) found"
            }
        let note = search.isComplete ? "" : " · parts of the history are not on this device"
        return "“\(search.words)”: \(found)\(note)"
    }

    /// The rows above the first message: the title and an empty one, as far as a message has room.
    private var top: Int { min(max(pane.rows - 2, 0), 2) }

    private var capacity: Int { max((pane.rows - top) / Self.rowsEach, 1) }

    private var first: Int {
        max(0, min(selected - capacity / 2, entries.count - capacity))
    }

    /// Returns the index of the message in a row of the screen.
    func index(at row: Int) -> Int? {
        let place = row - pane.row - top
        guard place >= 0, place / Self.rowsEach < capacity else { return nil }
        let index = first + place / Self.rowsEach
        return index < entries.count ? index : nil
    }

    func draw(on grid: inout Grid) {
        if top > 0 {
            grid.put(
                SafeText.line(" " + title).fitted(to: pane.columns), row: pane.row,
                column: pane.column, end: pane.end, style: CellStyle(bold: true))
        }
        for index in first..<min(first + capacity, entries.count) {
            draw(index, row: pane.row + top + (index - first) * Self.rowsEach, on: &grid)
        }
    }

    private func draw(_ index: Int, row: Int, on grid: inout Grid) {
        let (heading, text) =
            switch entries {
            case .found(let matches):
                (heading(of: matches[index].message), text(of: matches[index]))
            case .failed(let messages):
                (
                    failureHeading(of: messages[index]),
                    [Span(SafeText.row(Self.text(of: messages[index])))]
                )
            }
        grid.put(
            SafeText.row(heading).fitted(to: pane.columns - 3), row: row,
            column: pane.column + 2, end: pane.end, style: .quiet)
        var column = pane.column + 2
        for span in text {
            column = grid.put(
                span.units, row: row + 1, column: column, end: pane.end, style: span.style)
        }
        guard index == selected else { return }
        for line in [row, row + 1] {
            grid.put(
                "▌", row: line, column: pane.column, end: pane.end,
                style: CellStyle(.accent, bold: true))
        }
    }

    private func time(of message: Message) -> String {
        let time = LocalTime(message.createdAt, in: state.timeZone)
        return "\(time.shortDate) \(time.clock)"
    }

    private func channelTitle(of message: Message) -> String? {
        let channel = state.channels.first { $0.url == message.channelURL }
        return channel.map { ChannelPane.title(of: $0, for: state.me) }
    }

    // MARK: Found messages

    private func heading(of message: Message) -> String {
        let name = MessageBlock.name(of: message, me: state.me)
        return "\(time(of: message)) \(name) · \(channelTitle(of: message) ?? "")"
    }

    private func text(of match: MessageSearchPage.Match) -> [Span] {
        var spans: [Span] = []
        var from = match.snippet.startIndex
        for range in match.highlights where range.lowerBound >= from {
            spans.append(Span(String(match.snippet[from..<range.lowerBound])))
            spans.append(
                Span(String(match.snippet[range]), CellStyle(.accent, bold: true)))
            from = range.upperBound
        }
        return spans + [Span(String(match.snippet[from...]))]
    }

    // MARK: Failed messages

    private func failureHeading(of message: Message) -> String {
        let channel = channelTitle(of: message) ?? message.channelURL.rawValue
        return "\(time(of: message)) \(channel) · \(message.failureWords ?? "")"
    }

    private static func text(of message: Message) -> String {
        switch message.content {
        case .user(let text), .admin(let text): text
        case .file: message.files.map { "▤ " + $0.name }.joined(separator: "  ")
        case .unknown(let kind): "a message of the kind \(kind)"
        }
    }
}

extension Message {
    /// The reason why the message was not sent; nil for all others.
    var failureWords: String? {
        switch delivery {
        case .unsent(_, .failed(let code)): code.words
        case .unsent(_, .canceled): "canceled"
        case .unsent(_, .pending), .delivered: nil
        }
    }
}
