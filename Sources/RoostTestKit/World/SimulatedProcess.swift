// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One run of an app on a simulated device; it can be stopped dead between any two of its steps.
///
/// What a stopped process would have done next is kept until `bury`, so that nothing that waits for it
/// waits for ever; by then its files are closed and its network is gone.
package final class SimulatedProcess: Sendable {
    private enum Stage {
        case running
        /// Stops when its databases have done so many more pieces of work.
        case doomed(after: Int)
        case stopped
        /// Only its databases run, to be closed.
        case closing
    }

    private struct State {
        var stage = Stage.running
        var held: [SimulatedExecutor.Entry] = []
    }

    private let executor: SimulatedExecutor
    private let state = Mutex(State())

    package init(on executor: SimulatedExecutor) { self.executor = executor }

    package var isStopped: Bool {
        state.withLock { state in
            if case .stopped = state.stage { true } else { false }
        }
    }

    /// Stops the process before its databases begin the next piece of work but `count`.
    package func stop(afterStoreSteps count: Int) {
        state.withLock { $0.stage = count == 0 ? .stopped : .doomed(after: count) }
    }

    /// Whether a job may run now; one that may not is kept.
    func admits(_ entry: SimulatedExecutor.Entry) -> Bool {
        state.withLock { state in
            let isStore = entry.lane?.isStore ?? false
            if case .doomed(let left) = state.stage, isStore {
                state.stage = left > 0 ? .doomed(after: left - 1) : .stopped
            }
            switch state.stage {
            case .running, .doomed: return true
            case .closing where isStore: return true
            case .stopped, .closing:
                state.held.append(entry)
                return false
            }
        }
    }

    /// Lets a stopped process go on where it stopped, as after its suspension.
    package func wake() {
        let held = state.withLock { state in
            state.stage = .running
            defer { state.held = [] }
            return state.held
        }
        executor.enqueue(held)
    }

    /// Ends a stopped process: closes its files at the very place where it stopped, and lets what waits
    /// for it find that out.
    package func bury(closing close: @escaping @Sendable () async -> Void) async {
        state.withLock { $0.stage = .closing }
        let closing = Task(executorPreference: executor) { await close() }
        // Time moves on when nothing is left to do: the files are closed then.
        try? await executor.sleep(for: .milliseconds(1))
        wake()
        await closing.value
    }
}
