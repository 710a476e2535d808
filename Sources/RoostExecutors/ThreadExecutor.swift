// SPDX-License-Identifier: Apache-2.0

/// An executor that runs jobs in order on a thread of its own.
///
/// SQLite blocks its caller, so each connection's actor has one of these and never blocks the
/// shared pool. The thread starts with the first job. Jobs after `shutDown` still run, on a thread
/// that lives only for them: an actor that outlives its database can still answer that it is
/// closed.
package final class ThreadExecutor: SerialExecutor, TaskExecutor {
    private let core: ThreadCore

    /// Makes an executor without a thread.
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

    /// Runs the queued jobs, then ends the thread and waits for it.
    ///
    /// The wait takes as long as the jobs; the caller closes the actors of this executor first.
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
