// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCluster
import RoostCommandLine
import Synchronization

/// The progress of an import on standard error: a line each second, or each ten without a terminal.
final class ImportDisplay: Sendable {
    private struct State {
        var next = ContinuousClock.now
        /// The table and step of the last report, with their beginning.
        var part = ""
        var start = ContinuousClock.now
        var firstRows = 0
    }

    private let state: Mutex<State>
    private let pause: Duration

    init() {
        pause = isatty(STDERR_FILENO) == 1 ? .seconds(1) : .seconds(10)
        var state = State()
        state.next += pause
        self.state = Mutex(state)
    }

    func show(_ progress: ImportProgress) {
        let verb =
            switch progress.step {
            case .reading: "reading"
            case .copying: "copying"
            case .comparing: "comparing"
            }
        show("\(verb) \(progress.table)", progress.rows, of: progress.total, "rows")
    }

    func showFiles(_ count: Int, of total: Int) {
        show("copying files", count, of: total, "files")
    }

    private func show(_ part: String, _ rows: Int, of total: Int?, _ unit: String) {
        let now = ContinuousClock.now
        let line = state.withLock { state -> String? in
            if state.part != part {
                (state.part, state.start, state.firstRows) = (part, now, rows)
            }
            guard now >= state.next else { return nil }
            state.next = now + pause
            let passed = max(1, (now - state.start) / .milliseconds(1))
            let rate = Int(Double(rows - state.firstRows) * 1_000 / passed)
            let share = total.map { "\(rows) of \($0) \(unit)" } ?? "\(rows) \(unit)"
            return "\(part): \(share), \(rate) a second"
        }
        if let line { StandardError.write(line) }
    }
}
