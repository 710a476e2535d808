// SPDX-License-Identifier: Apache-2.0

/// The queue of a `ThreadExecutor` and the thread that empties it.
///
/// The thread keeps a reference to this object and none to the executor, so it ends with its
/// executor.
///
/// Unchecked, because the compiler cannot see the lock: every variable is touched only inside
/// `gate.locked`. Jobs and callbacks run outside it.
final class ThreadCore: @unchecked Sendable {
    /// A job and its executor, which must live until the job has run.
    private struct Entry {
        let job: UnownedJob
        let executor: ThreadExecutor
    }

    private let name: String
    private let gate = ThreadGate()
    private var queue: [Entry] = []
    /// The thread that serves the queue; nil before the first job and after the end.
    private var thread: OSThread?
    /// Whether the thread ends once the queue is empty.
    private var isStopping = false
    private var whenEnded: [@Sendable (OSThread?) -> Void] = []

    init(name: String) {
        self.name = name
    }

    func enqueue(_ job: UnownedJob, for executor: ThreadExecutor) {
        // A visible job may run to its end at once and drop the last reference to this object, and
        // the enqueuing thread may have none. So the gate is retained until the signal is given.
        // SAFETY: it is released once, below.
        let kept = unsafe Unmanaged.passRetained(gate)
        gate.locked {
            queue.append(Entry(job: job, executor: executor))
            if thread == nil {
                thread = OSThread(name: name) { self.serve() }
                // The jobs of an actor must run, and may run on no other thread.
                precondition(
                    thread != nil, "The system has no thread left for \(name): raise its limit.")
            }
        }
        unsafe kept.takeUnretainedValue().signal()
        unsafe kept.release()
    }

    var isCurrent: Bool { gate.locked { thread?.isCurrent ?? false } }

    /// Ends the thread when the queue is empty, without waiting for it.
    func abandon() {
        gate.locked {
            isStopping = true
            gate.signal()
        }
    }

    /// Ends the thread when the queue is empty, then passes it on to be joined.
    ///
    /// - Parameter whenEnded: Runs on the ending thread, or on the caller's if there is no thread
    ///   to join.
    func stop(_ whenEnded: @escaping @Sendable (OSThread?) -> Void) {
        let isOver = gate.locked {
            isStopping = true
            guard thread != nil else { return true }
            self.whenEnded.append(whenEnded)
            gate.signal()
            return false
        }
        if isOver { whenEnded(nil) }
    }

    private func serve() {
        while true {
            switch waitForWork() {
            case .jobs(let entries):
                for entry in entries {
                    // SAFETY: the entry keeps the executor until its job has run.
                    unsafe entry.job.runSynchronously(
                        isolatedTo: entry.executor.asUnownedSerialExecutor(),
                        taskExecutor: entry.executor.asUnownedTaskExecutor())
                }
            case .end(let thread, let callbacks):
                if callbacks.isEmpty { thread?.detach() }
                for (index, callback) in callbacks.enumerated() {
                    callback(index == 0 ? thread : nil)
                }
                return
            }
        }
    }

    private enum Work {
        case jobs([Entry])
        case end(OSThread?, [@Sendable (OSThread?) -> Void])
    }

    /// Waits for jobs.
    ///
    /// The decision to end is made under the same lock, so no job is left in the queue.
    private func waitForWork() -> Work {
        gate.locked {
            while queue.isEmpty {
                guard isStopping else {
                    gate.wait()
                    continue
                }
                defer { (thread, whenEnded) = (nil, []) }
                return .end(thread, whenEnded)
            }
            defer { queue = [] }
            return .jobs(queue)
        }
    }
}
