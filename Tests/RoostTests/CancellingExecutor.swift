// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostTestKit

/// An executor of a simulation that cancels a task inside the call that resumes it.
///
/// The call enqueues the task here. The handlers of the cancellation then run inside the call, and
/// wait for ever if it holds a lock that they take. In an app the cancellation comes from another
/// thread at the same moment: the system lets no call resume a task while its handlers run.
final class CancellingExecutor: TaskExecutor {
    private struct Plan {
        var remaining: Int
        let cancel: @Sendable () -> Void
    }

    private let simulation: SimulatedExecutor
    private let plan = Guarded<Plan?>(nil)

    init(of simulation: SimulatedExecutor) { self.simulation = simulation }

    /// Cancels a task while a job is enqueued here, the next one or a later one.
    func cancel<Success: Sendable, Failure: Error>(
        _ task: Task<Success, Failure>, atJob number: Int = 1
    ) {
        plan.withLock { $0 = Plan(remaining: number, cancel: { task.cancel() }) }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let cancel = plan.withLock { plan -> (@Sendable () -> Void)? in
            plan?.remaining -= 1
            guard let due = plan, due.remaining == 0 else { return nil }
            plan = nil
            return due.cancel
        }
        cancel?()
        simulation.enqueue(job)
    }
}
