// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Runs jobs one after the other, in order, on threads borrowed from the shared pool.
///
/// A thread is borrowed only while there are jobs. It is what a client's actors run on, so that a
/// call between two of them is no hop, and so that a simulation can put its own executor there.
package final class PoolExecutor: SerialExecutor, TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isDraining = false
    }

    private let state = Mutex(State())

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustDrain = state.withLock { state in
            state.jobs.append(job)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        // The drain ends by itself when the list is empty; nobody has to cancel it.
        if mustDrain { Task.detached { self.drain() } }
    }

    /// Runs a bounded number of batches before it gives the thread back to others.
    private func drain() {
        for _ in 0..<64 {
            let batch = state.withLock { state in
                defer { state.jobs.removeAll(keepingCapacity: true) }
                if state.jobs.isEmpty { state.isDraining = false }
                return state.jobs
            }
            if batch.isEmpty { return }
            for job in batch {
                unsafe job.runSynchronously(
                    isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            }
        }
        Task.detached { self.drain() }
    }
}
