// SPDX-License-Identifier: Apache-2.0

/// Runs jobs one after the other, in order, on threads borrowed from the shared pool.
///
/// A thread is borrowed only while there are jobs. A client's actors share one of these, so that a call
/// between two of them is no hop, and so that a simulation can put its own executor there.
///
/// Unchecked, because the compiler cannot see what confines the state: every variable is touched only
/// inside `gate.locked`. Jobs run outside it.
package final class PoolExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
    /// After so many batches the thread goes back to the pool, where others may be waiting.
    private static let batchLimit = 64

    private let gate = ThreadGate()
    private var jobs: [UnownedJob] = []
    private var isDraining = false

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustDrain = gate.locked {
            jobs.append(job)
            defer { isDraining = true }
            return !isDraining
        }
        if mustDrain { borrowThread() }
    }

    /// The drain ends by itself when there are no jobs left; nobody has to cancel it.
    private func borrowThread() {
        Task.detached { self.drain() }
    }

    private func drain() {
        for _ in 0..<Self.batchLimit {
            let batch = gate.locked {
                defer { jobs.removeAll(keepingCapacity: true) }
                if jobs.isEmpty { isDraining = false }
                return jobs
            }
            if batch.isEmpty { return }
            for job in batch {
                // SAFETY: whoever enqueued a job keeps this executor until the job has run.
                unsafe job.runSynchronously(
                    isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            }
        }
        borrowThread()
    }
}
