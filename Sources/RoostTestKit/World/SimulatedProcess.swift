// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One run of an app on a simulated device; it can be stopped between any two of its steps.
///
/// The next jobs of a stopped process are kept until `bury`, so no task waits for ever. By then its
/// files are closed and its network is gone.
package final class SimulatedProcess: Sendable {
    private enum Stage {
        case running
        /// Stops after a number of further pieces of work of its databases.
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

    /// Stops the process after `count` further pieces of work of its databases.
    package func stop(afterStoreSteps count: Int) {
        state.withLock { $0.stage = count == 0 ? .stopped : .doomed(after: count) }
    }

    /// Whether a job may run now; a refused job is kept.
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

    /// Lets a stopped process continue at the same place, as after a suspension.
    package func wake() {
        let held = state.withLock { state in
            state.stage = .running
            defer { state.held = [] }
            return state.held
        }
        executor.enqueue(held)
    }

    /// Ends a stopped process: closes its files in their present state, and lets waiting tasks end
    /// with an error.
    package func bury(closing close: @escaping @Sendable () async -> Void) async {
        state.withLock { $0.stage = .closing }
        let closing = Task(executorPreference: executor) { await close() }
        // Time moves when no job is left: the files are closed then.
        try? await executor.sleep(for: .milliseconds(1))
        wake()
        await closing.value
    }
}
