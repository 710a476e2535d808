// SPDX-License-Identifier: Apache-2.0

/// Runs jobs one after the other, in order, on threads borrowed from the shared pool.
///
/// A thread is borrowed only while there are jobs. A client's actors share one of these, so that a call
/// between two of them is no hop, and so that a simulation can put its own executor there.
package final class PoolExecutor: SerialExecutor, TaskExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var isDraining = false
    }

    /// After so many batches the thread goes back to the pool, where others may be waiting.
    private static let batchLimit = 64

    private let queue = Guarded(Queue())

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let mustDrain = queue.withLock { queue in
            queue.jobs.append(job)
            defer { queue.isDraining = true }
            return !queue.isDraining
        }
        if mustDrain { borrowThread() }
    }

    /// The drain ends by itself when there are no jobs left; nobody has to cancel it.
    private func borrowThread() {
        Task.detached { self.drain() }
    }

    private func drain() {
        for _ in 0..<Self.batchLimit {
            let batch = queue.withLock { queue in
                defer { queue.jobs.removeAll(keepingCapacity: true) }
                if queue.jobs.isEmpty { queue.isDraining = false }
                return queue.jobs
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
