// SPDX-License-Identifier: Apache-2.0

import Roost

/// The list of channels with unread counts and the newest message of each.
struct ChannelPane {
    private static let rowsEach = 2

    private let state: ChatState
    private let pane: Pane

    init(_ state: ChatState, _ pane: Pane) {
        self.state = state
        self.pane = pane
    }

    /// The channels that have room, below the title.
    private var capacity: Int { max((pane.rows - 1) / Self.rowsEach, 0) }

    /// The first shown channel: the highlighted one is always in sight.
    private var first: Int {
        let index = state.channels.firstIndex { $0.url == state.highlighted } ?? 0
        return max(0, min(index - capacity / 2, state.channels.count - capacity))
    }

    /// Returns the channel in a row of the screen.
    func channel(at row: Int) -> ChannelURL? {
        let place = row - pane.row - 1
        guard place >= 0, place / Self.rowsEach < capacity else { return nil }
        let index = first + place / Self.rowsEach
        return state.channels.indices.contains(index) ? state.channels[index].url : nil
    }

    func draw(on grid: inout Grid) {
        let title = grid.put(
            " Channels", row: pane.row, column: pane.column, end: pane.end,
            style: CellStyle(bold: true))
        let unread = state.channels.reduce(0) { $0 + min($1.unreadMessageCount, 1_000_000) }
        if unread > 0 {
            let words = unread > 99 ? "99+ unread" : "\(unread) unread"
            grid.put(
                words, row: pane.row, column: max(pane.end - words.count - 1, title + 1),
                end: pane.end, style: CellStyle(.accent, bold: true))
        }
        for (place, channel) in state.channels.dropFirst(first).prefix(capacity).enumerated() {
            draw(channel, row: pane.row + 1 + place * Self.rowsEach, on: &grid)
        }
        if state.channels.isEmpty, pane.rows > 2 {
            grid.put(
                SafeText.line(" none yet: Ctrl-T").fitted(to: pane.columns), row: pane.row + 2,
                column: pane.column, end: pane.end, style: .quiet)
        }
    }

    private func draw(_ channel: GroupChannel, row: Int, on grid: inout Grid) {
        let isOpen = channel.url == state.conversation?.channel
        let badge =
            channel.unreadMessageCount > 0
            ? SafeText.line(
                (channel.unreadMentionCount > 0 ? " @" : " ")
                    + (channel.unreadMessageCount > 99 ? "99+" : "\(channel.unreadMessageCount)")
                    + " ")
            : SafeText.line(channel.lastMessage.map { time(of: $0) } ?? "")
        let columns = pane.columns - 2
        let name = SafeText.row(Self.title(of: channel, for: state.me))
            .fitted(to: max(columns - badge.columns - 1, 3))
        let isUnread = channel.unreadMessageCount > 0
        if isOpen {
            grid.put("▌", row: row, column: pane.column, end: pane.end, style: CellStyle(.accent))
            grid.put(
                "▌", row: row + 1, column: pane.column, end: pane.end, style: CellStyle(.accent))
        }
        grid.put(
            name, row: row, column: pane.column + 1, end: pane.end,
            style: CellStyle(isOpen ? .accent : .plain, bold: isUnread || isOpen))
        grid.put(
            badge, row: row, column: pane.end - badge.columns - 1, end: pane.end,
            style: isUnread ? CellStyle(.accent, bold: true, reversed: true) : .quiet)
        let preview = SafeText.row(preview(of: channel)).fitted(to: columns)
        grid.put(preview, row: row + 1, column: pane.column + 1, end: pane.end, style: .quiet)
        if state.focus == .channels, channel.url == state.highlighted {
            for line in [row, row + 1] {
                grid.restyle(
                    row: line, columns: pane.column..<pane.end,
                    CellStyle(.plain, bold: line == row, reversed: true))
            }
        }
    }

    private func time(of message: Message) -> String {
        let time = LocalTime(message.createdAt, in: state.timeZone)
        let today = LocalTime(state.now, in: state.timeZone)
        return time.isOnDay(of: today) ? time.clock : time.shortDate
    }

    private func preview(of channel: GroupChannel) -> String {
        let writers = (state.typing[channel.url] ?? []).map { MessageBlock.name(of: $0) }
        if !writers.isEmpty { return writers.joined(separator: ", ") + " typing…" }
        let draft = state.leftTexts[DraftPlace(channel.url)] ?? channel.draft?.text
        if channel.url != state.conversation?.channel, let draft { return "Draft: " + draft }
        guard let message = channel.lastMessage else { return "" }
        let text =
            switch message.content {
            case .user(let text), .admin(let text): text
            case .file(let file): "▤ " + file.name
            case .unknown: "…"
            }
        guard message.sender != nil else { return text }
        return MessageBlock.name(of: message, me: state.me) + ": " + text
    }

    /// Returns a channel's name, or the names of its other members.
    static func title(of channel: GroupChannel, for me: UserID) -> String {
        if !channel.name.isEmpty, channel.name != "Group Channel" { return channel.name }
        let others = channel.members.map(\.user).filter { $0.id != me }
        guard !others.isEmpty else { return channel.name.isEmpty ? "Just you" : channel.name }
        return others.prefix(10).map { MessageBlock.name(of: $0) }.joined(separator: ", ")
    }
}
