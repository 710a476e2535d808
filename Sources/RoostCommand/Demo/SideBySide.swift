// SPDX-License-Identifier: Apache-2.0

package import RoostCommandLine

/// A drawing of the ends of two timelines next to each other.
package struct SideBySide: Sendable {
    package struct Side: Sendable {
        let title: String
        let timeline: ShownTimeline

        package init(title: String, _ timeline: ShownTimeline) {
            self.title = title
            self.timeline = timeline
        }
    }

    /// The width of one side in characters, without its frame.
    private static let width = 34

    private let left: Side
    private let right: Side
    private let style: Style

    package init(_ left: Side, _ right: Side, style: Style) {
        self.left = left
        self.right = right
        self.style = style
    }

    /// Returns the last `count` messages of each side as lines.
    package func lines(last count: Int = 8) -> [String] {
        let rule = String(repeating: "─", count: Self.width + 2)
        let leftRows = rows(of: left, last: count)
        let rightRows = rows(of: right, last: count)
        let height = max(leftRows.count, rightRows.count)
        let blank = Columns.fit("", to: Self.width)
        var lines = ["┌\(rule)┬\(rule)┐", row(title(left), title(right)), "├\(rule)┼\(rule)┤"]
        for index in 0..<height {
            lines.append(
                row(
                    index < leftRows.count ? leftRows[index] : blank,
                    index < rightRows.count ? rightRows[index] : blank))
        }
        lines.append("└\(rule)┴\(rule)┘")
        return lines
    }

    private func row(_ left: String, _ right: String) -> String { "│ \(left) │ \(right) │" }

    private func title(_ side: Side) -> String {
        style(.strong, Columns.fit(side.title, to: Self.width))
    }

    private func rows(of side: Side, last count: Int) -> [String] {
        var rows: [String] = []
        let messages = side.timeline.messages
        let hidden = messages.count - min(count, messages.count)
        if hidden > 0 { rows.append(quiet("… \(hidden) more above")) }
        for message in messages.suffix(count) { rows.append(show(message)) }
        if side.timeline.hasHugeGap { rows.append(quiet("··· more than 300 are missing here")) }
        return rows
    }

    private func show(_ message: ShownTimeline.Message) -> String {
        let mark =
            switch message.status {
            case "pending": " ◷ pending"
            case "failed": " ✗ failed"
            default: message.isEdited ? " (edited)" : ""
            }
        let text = Columns.fit("\(message.sender): \(message.text)\(mark)", to: Self.width)
        return message.isPending ? style(.waiting, text) : text
    }

    private func quiet(_ text: String) -> String {
        style(.quiet, Columns.fit(text, to: Self.width))
    }
}
