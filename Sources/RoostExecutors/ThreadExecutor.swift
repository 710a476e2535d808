// SPDX-License-Identifier: Apache-2.0

/// Runs jobs one after the other on a thread of its own, in the order they came.
///
/// SQLite blocks its caller, so each connection's actor runs on one of these and never holds up the
/// shared pool. The thread starts with the first job. Jobs that come after `shutDown` still run, on a
/// thread that lives only for them: an actor that outlives its database can say that it is closed.
package final class ThreadExecutor: SerialExecutor, TaskExecutor {
    private let core: ThreadCore

    /// Makes an executor without a thread yet.
    ///
    /// - Parameter name: The thread's name; Linux shows 15 bytes of it.
    package init(name: String) {
        core = ThreadCore(name: name)
    }

    deinit {
        core.abandon()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        core.enqueue(UnownedJob(job), for: self)
    }

    /// Runs what was queued, then ends the thread and waits for it.
    ///
    /// Waiting takes as long as the jobs do; call it when the actors of this executor have closed.
    package func shutDown() async {
        let ended = await withCheckedContinuation { continuation in
            core.stop { thread in continuation.resume(returning: thread) }
        }
        ended?.join()
    }

    package func checkIsolated() {
        precondition(core.isCurrent, "Code of an actor ran outside the thread that owns its state.")
    }

    package func isIsolatingCurrentContext() -> Bool? { core.isCurrent }
}
