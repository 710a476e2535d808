// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
import RoostModel
import RoostServer
import RoostWire

/// The writer of a server's log: one line of JSON per entry, in order.
struct LogWriter: Sendable {
    private let queue = DispatchQueue(label: "roost.log")
    private let least: LogLine.Level?
    private let file: FileHandle
    private let volume = Guarded(LogVolume())
    private let backlog = Guarded(Backlog())

    /// The lines that wait because the reader of the log is slow, such as a pager.
    private struct Backlog {
        var waiting = 0
        var dropped: Int64 = 0

        /// Returns the lines to queue in place of others; nil if there is no room.
        mutating func admit(_ lines: [LogLine]) -> [LogLine]? {
            guard waiting + lines.count < LogWriter.longestBacklog else {
                dropped += Int64(lines.count)
                return nil
            }
            let admitted = takeNote() + lines
            waiting += admitted.count
            return admitted
        }

        /// Returns the report of dropped lines; none if there were none.
        mutating func takeNote() -> [LogLine] {
            guard dropped > 0 else { return [] }
            defer { dropped = 0 }
            return [LogLine(.warning, "dropped", [.init("lines", .int(dropped))])]
        }
    }

    /// The most waiting lines: ten seconds of all commands, in about 2 MB.
    static let longestBacklog = 10_000
    /// The longest wait for a slow reader at the end.
    private static let patience = DispatchTimeInterval.seconds(1)

    /// Makes a writer.
    ///
    /// - Parameters:
    ///   - least: The lowest level; nil writes nothing.
    ///   - file: The file of the log.
    init(from least: LogLine.Level?, to file: FileHandle = .standardError) {
        self.least = least
        self.file = file
    }

    /// Whether lines of level `trace` are written.
    var traces: Bool { least == .trace }

    /// Queues a line without waiting, so a blocked reader of the log delays no message.
    func write(_ line: LogLine) {
        guard let least, line.level >= least else { return }
        let moment = Date()
        let now = Timestamp(milliseconds: Int64(moment.timeIntervalSince1970 * 1_000))
        put(volume.withLock { $0.admit(line, at: now) }, at: moment)
    }

    /// Queues a line that no level and no volume leaves out.
    func report(_ line: LogLine) { put([line], at: Date()) }

    private func put(_ lines: [LogLine], at moment: Date) {
        guard !lines.isEmpty, let admitted = backlog.withLock({ $0.admit(lines) }) else { return }
        enqueue(admitted, at: moment)
    }

    private func enqueue(_ lines: [LogLine], at moment: Date) {
        queue.async { [file, backlog] in
            let text = lines.map { $0.text(at: moment.formatted(Self.style)) + "\n" }.joined()
            // There is no further place for a report of this failure.
            try? file.write(contentsOf: Data(text.utf8))
            backlog.withLock { $0.waiting -= lines.count }
        }
    }

    /// Writes the number of dropped lines, and waits for the queued lines.
    ///
    /// The wait has a bound, so that a reader that takes no more does not keep the server from
    /// ending.
    func finish() async {
        put(volume.withLock { $0.finish() }, at: Date())
        let note = backlog.withLock { backlog in
            let note = backlog.takeNote()
            backlog.waiting += note.count
            return note
        }
        if !note.isEmpty { enqueue(note, at: Date()) }
        await withCheckedContinuation { continuation in
            let waiter = Guarded<CheckedContinuation<Void, Never>?>(continuation)
            let end: @Sendable () -> Void = {
                waiter.withLock { waiter in
                    defer { waiter = nil }
                    return waiter
                }?.resume()
            }
            queue.async(execute: end)
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience, execute: end)
        }
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}
