// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// Bounds what a log grows by: whoever is refused without end must not be able to fill a disk (scar 163).
///
/// Of the lines that are written by default, so many of one kind go through in a minute; the next minute's
/// first one says how many did not. What a working server says all day is written only for whoever asks
/// for it, and not counted.
package struct LogVolume: Sendable {
    /// Lines of one kind in a minute.
    package static let limit = 60

    private struct Count {
        let minute: Int64
        let level: LogLine.Level
        var written = 0
        var leftOut: Int64 = 0

        /// Says how many lines were left out; nil when none was.
        func note(of event: String) -> LogLine? {
            guard leftOut > 0 else { return nil }
            return LogLine(
                level, "left_out",
                [.init("of", .string(event)), .init("lines", .int(leftOut))])
        }
    }

    /// By what happened; the server knows few words for that.
    private var counts: [String: Count] = [:]

    package init() {}

    /// What is to be written where a line is to be; nothing when it is one too many.
    package mutating func admit(_ line: LogLine, at moment: Timestamp) -> [LogLine] {
        guard line.level > .info else { return [line] }
        let minute = moment.seconds / 60
        var count = counts[line.event] ?? Count(minute: minute, level: line.level)
        var lines: [LogLine] = []
        if count.minute != minute {
            if let note = count.note(of: line.event) { lines.append(note) }
            count = Count(minute: minute, level: line.level)
        }
        if count.written < Self.limit {
            count.written += 1
            lines.append(line)
        } else {
            count.leftOut += 1
        }
        counts[line.event] = count
        return lines
    }

    /// What was left out and no later line has said, when no more lines come.
    package mutating func finish() -> [LogLine] {
        defer { counts = [:] }
        return counts.sorted { $0.key < $1.key }.compactMap { $0.value.note(of: $0.key) }
    }
}
