// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// The bound of a log's growth: a refused client that tries without end must not fill a disk (scar
/// 163).
///
/// A minute admits a number of lines of each kind. The next line of the same kind in a later minute
/// is preceded by the number of dropped lines.
package struct LogVolume: Sendable {
    /// Returns the most lines of one kind per minute.
    package static func limit(of level: LogLine.Level) -> Int {
        switch level {
        // All commands of a busy minute, among which one is looked for.
        case .trace: 60_000
        case .info: 600
        case .warning, .error: 60
        }
    }

    private struct Kind: Hashable {
        let event: String
        let level: LogLine.Level
    }

    private struct Count {
        let minute: Int64
        var written = 0
        var leftOut: Int64 = 0

        /// Returns the report of dropped lines; nil if there were none.
        func note(of kind: Kind) -> LogLine? {
            guard leftOut > 0 else { return nil }
            return LogLine(
                kind.level, "left_out",
                [.init("of", .string(kind.event)), .init("lines", .int(leftOut))])
        }
    }

    /// The counts of each kind; a server has few kinds.
    private var counts: [Kind: Count] = [:]

    package init() {}

    /// Returns the lines to write in place of a line; none beyond the bound.
    package mutating func admit(_ line: LogLine, at moment: Timestamp) -> [LogLine] {
        let minute = moment.seconds / 60
        let kind = Kind(event: line.event, level: line.level)
        var count = counts[kind] ?? Count(minute: minute)
        var lines: [LogLine] = []
        if count.minute != minute {
            if let note = count.note(of: kind) { lines.append(note) }
            count = Count(minute: minute)
        }
        if count.written < Self.limit(of: line.level) {
            count.written += 1
            lines.append(line)
        } else {
            count.leftOut += 1
        }
        counts[kind] = count
        return lines
    }

    /// Returns the reports of dropped lines that are not written yet, for the end of a log.
    package mutating func finish() -> [LogLine] {
        defer { counts = [:] }
        return counts.sorted { ($0.key.event, $0.key.level) < ($1.key.event, $1.key.level) }
            .compactMap { $0.value.note(of: $0.key) }
    }
}
