// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
import RoostModel
import RoostServer

/// Writes a server's log, a line of JSON for each entry, one after the other.
struct LogWriter: Sendable {
    private let queue = DispatchQueue(label: "roost.log")
    private let least: LogLine.Level?
    private let file: FileHandle
    private let volume = Guarded(LogVolume())

    /// nil writes nothing.
    init(from least: LogLine.Level?, to file: FileHandle = .standardError) {
        self.least = least
        self.file = file
    }

    /// Takes a line and does not wait: a log that nobody reads holds no message up.
    func write(_ line: LogLine) {
        guard let least, line.level >= least else { return }
        let moment = Date()
        let now = Timestamp(milliseconds: Int64(moment.timeIntervalSince1970 * 1_000))
        put(volume.withLock { $0.admit(line, at: now) }, at: moment)
    }

    private func put(_ lines: [LogLine], at moment: Date) {
        guard !lines.isEmpty else { return }
        queue.async { [file] in
            let text = lines.map { $0.text(at: moment.formatted(Self.style)) + "\n" }.joined()
            // Nobody is left to be told when even this fails.
            try? file.write(contentsOf: Data(text.utf8))
        }
    }

    /// Returns when everything is written, and how much was not.
    func finish() {
        put(volume.withLock { $0.finish() }, at: Date())
        queue.sync {}
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}
