// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors

/// Waits for the machine: timers, pauses of operations and time limits.
///
/// A timer may be disarmed or armed again while its firing is on the way. Such a firing must have
/// no effect, so each has a number, which is compared at the turn of the input.
final class TimerPerformer: Sendable {
    /// The purpose of a timer; at most one timer runs for each.
    enum Purpose: Hashable {
        case machine(MachineTimer)
        case pause(SyncMachine.OperationID)
        case limit(SyncMachine.OperationID)

        fileprivate var input: SyncMachine.Input {
            switch self {
            case .machine(let timer): .fired(timer)
            case .pause(let id): .reply(id, .paused)
            case .limit(let id): .overdue(id)
            }
        }
    }

    private struct State {
        var running: [Purpose: (number: Int, task: Task<Void, Never>)] = [:]
        var lastNumber = 0

        /// Returns whether a firing is that of the armed timer, which then counts as fired.
        mutating func claim(_ purpose: Purpose, _ number: Int) -> Bool {
            guard running[purpose]?.number == number else { return false }
            running[purpose] = nil
            return true
        }
    }

    private let clock: any WorldClock
    private let feed: InputFeed
    private let state = Guarded(State())

    init(_ clock: any WorldClock, _ feed: InputFeed) {
        self.clock = clock
        self.feed = feed
    }

    deinit {
        for timer in state.withLock({ $0.running.values.map(\.task) }) { timer.cancel() }
    }

    /// Starts a timer; a running timer of the same purpose is disarmed.
    ///
    /// The duration is limited to the range from zero to a day; the owner of a timer that fires
    /// early arms another one.
    func arm(_ purpose: Purpose, for duration: Duration) {
        disarm(purpose)
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let duration = min(max(duration, .zero), MachineTimer.longest)
        // The task ends with the duration, or when the timer is disarmed.
        let task = Task(executorPreference: feed.executor) { [clock, feed, state] in
            _ = try? await clock.sleep(for: duration)
            // A clock that ends early must not make an operation wait for ever.
            guard !Task.isCancelled else { return }
            await feed.give {
                state.withLock { $0.claim(purpose, number) } ? purpose.input : nil
            }
        }
        state.withLock { $0.running[purpose] = (number, task) }
    }

    func disarm(_ purpose: Purpose) {
        state.withLock { $0.running.removeValue(forKey: purpose)?.task }?.cancel()
    }
}
