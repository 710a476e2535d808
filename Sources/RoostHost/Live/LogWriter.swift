// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
import RoostModel
import RoostServer

/// The writer of a server's log: one line of JSON per entry, in order.
struct LogWriter: Sendable {
    private let queue = DispatchQueue(label: "roost.log")
    private let least: LogLine.Level?
    private let file: FileHandle
    private let volume = Guarded(LogVolume())

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
        guard !lines.isEmpty else { return }
        queue.async { [file] in
            let text = lines.map { $0.text(at: moment.formatted(Self.style)) + "\n" }.joined()
            // There is no further place for a report of this failure.
            try? file.write(contentsOf: Data(text.utf8))
        }
    }

    /// Waits for the queued lines, and writes the number of dropped ones.
    func finish() {
        put(volume.withLock { $0.finish() }, at: Date())
        queue.sync {}
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}
