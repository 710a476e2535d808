// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel

/// A drawing of a channel's covered history: `├████░░░██┤`.
///
/// A cell is a length of time. Every range and every hole has at least one cell, so that no short
/// hole is hidden. When there are more of them than cells, the oldest are replaced by a `…`.
package struct RangeBar: Equatable, Sendable {
    /// `├████░░░██┤`; `┄` instead of `├` if the start of history is unknown.
    package let bar: String
    /// The oldest and newest covered moments; nil without coverage.
    package let first: Timestamp?
    package let last: Timestamp?

    private struct Segment {
        let isKnown: Bool
        let lengthMS: Int64
    }

    package init(_ coverage: Coverage, width: Int = 40) {
        precondition(width >= 2, "A bar needs room for a range and a hole.")
        let segments = Self.segments(of: coverage)
        guard let oldest = coverage.ranges.first, let newest = coverage.ranges.last else {
            self.bar = "┄" + String(repeating: "░", count: width) + "┤"
            (first, last) = (nil, nil)
            return
        }
        let shown = segments.suffix(width)
        let cells = Self.cells(for: shown.map(\.lengthMS), width: width)
        var bar = ""
        for (segment, count) in zip(shown, cells) {
            bar += String(repeating: segment.isKnown ? "█" : "░", count: count)
        }
        let start =
            if shown.count < segments.count { "…" } else if oldest.startsHistory { "├" } else {
                "┄"
            }
        self.bar = start + bar + "┤"
        first = oldest.startsHistory ? nil : oldest.lower.createdAt
        last = newest.upper == .distantFuture ? nil : newest.upper.createdAt
    }

    /// Returns ranges and holes by age; those of infinite length count as short.
    private static func segments(of coverage: Coverage) -> [Segment] {
        var segments: [Segment] = []
        if let oldest = coverage.ranges.first, !oldest.startsHistory {
            segments.append(Segment(isKnown: false, lengthMS: 0))
        }
        for (index, range) in coverage.ranges.enumerated() {
            if index > 0 {
                let before = coverage.ranges[index - 1].upper
                segments.append(
                    Segment(isKnown: false, lengthMS: length(from: before, to: range.lower)))
            }
            segments.append(
                Segment(isKnown: true, lengthMS: length(from: range.lower, to: range.upper)))
        }
        return segments
    }

    private static func length(from lower: Position, to upper: Position) -> Int64 {
        guard lower.createdAt != .distantPast, upper.createdAt != .distantFuture else { return 0 }
        let (length, overflow) = upper.createdAt.milliseconds.subtractingReportingOverflow(
            lower.createdAt.milliseconds)
        return overflow ? 0 : max(0, length)
    }

    /// Returns one cell for each length, and the rest in proportion; together exactly `width`.
    static func cells(for lengths: [Int64], width: Int) -> [Int] {
        let spare = width - lengths.count
        let total = lengths.reduce(0.0) { $0 + Double($1) }
        var cells: [Int] = []
        var (passed, given) = (0.0, 0)
        for (index, length) in lengths.enumerated() {
            // Without any length all get equal shares. Rounding the running sum loses no cell.
            passed += total > 0 ? Double(length) / total : 1 / Double(lengths.count)
            let end = index == lengths.count - 1 ? spare : Int(passed * Double(spare) + 0.5)
            cells.append(1 + end - given)
            given = end
        }
        return cells
    }
}
