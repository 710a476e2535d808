// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// Bounds what a log grows by: whoever is refused without end must not be able to fill a disk (scar 163).
///
/// So many lines of one kind go through in a minute; the next minute's first one says how many did not.
package struct LogVolume: Sendable {
    /// Lines of one kind in a minute; more of what a working server says all day to whoever asks for it.
    package static func limit(of level: LogLine.Level) -> Int { level == .info ? 600 : 60 }

    private struct Kind: Hashable {
        let event: String
        let level: LogLine.Level
    }

    private struct Count {
        let minute: Int64
        var written = 0
        var leftOut: Int64 = 0

        /// Says how many lines were left out; nil when none was.
        func note(of kind: Kind) -> LogLine? {
            guard leftOut > 0 else { return nil }
            return LogLine(
                kind.level, "left_out",
                [.init("of", .string(kind.event)), .init("lines", .int(leftOut))])
        }
    }

    /// The server knows few words for what happens.
    private var counts: [Kind: Count] = [:]

    package init() {}

    /// What is to be written where a line is to be; nothing when it is one too many.
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

    /// What was left out and no later line has said, when no more lines come.
    package mutating func finish() -> [LogLine] {
        defer { counts = [:] }
        return counts.sorted { ($0.key.event, $0.key.level) < ($1.key.event, $1.key.level) }
            .compactMap { $0.value.note(of: $0.key) }
    }
}
