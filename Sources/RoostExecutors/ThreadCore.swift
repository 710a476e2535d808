// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The queue of a `ThreadExecutor` and the thread that empties it.
///
/// The thread keeps this object alive and not the executor, so a forgotten executor ends its thread.
///
/// Unchecked, because the compiler cannot see what confines the state: every variable but `takenCount` is touched
/// only inside `gate.locked`. Jobs and callbacks run outside it.
final class ThreadCore: @unchecked Sendable {
    /// A job, and the executor it came for, which must not go away before it has run.
    private struct Entry {
        let job: UnownedJob
        let executor: ThreadExecutor
    }

    private let name: String
    private let gate = ThreadGate()
    private var queue: [Entry] = []
    /// The thread that serves the queue; nil before the first job and after the end.
    private var thread: OSThread?
    /// Whether the thread runs jobs that it has taken from the queue.
    private var isServing = false
    /// Another thread that does work of this executor in the place of its own.
    private var borrower: UInt?
    /// Jobs taken from the queue and not begun; only the thread itself looks at it.
    private var takenCount = 0
    /// The thread ends once the queue is empty.
    private var isStopping = false
    private var whenEnded: [@Sendable (OSThread?) -> Void] = []

    init(name: String) {
        self.name = name
    }

    func enqueue(_ job: UnownedJob, for executor: ThreadExecutor) {
        // Once it can be seen the job may run to its end and take the last reference to all of this with
        // it, and whoever enqueues need not have one: the gate is kept until the signal is given.
        // SAFETY: it is released once, below.
        let kept = unsafe Unmanaged.passRetained(gate)
        gate.locked {
            queue.append(Entry(job: job, executor: executor))
            if thread == nil {
                thread = OSThread(name: name) { self.serve() }
            }
        }
        unsafe kept.takeUnretainedValue().signal()
        unsafe kept.release()
    }

    var isCurrent: Bool {
        gate.locked {
            if let borrower { return borrower == OSThread.currentNumber }
            return thread?.isCurrent ?? false
        }
    }

    /// The one that the calling thread serves; nil on any other thread.
    static var current: ThreadCore? {
        // SAFETY: the key was made; the thread that set the value keeps the object alive.
        unsafe pthread_getspecific(key).map {
            unsafe Unmanaged<ThreadCore>.fromOpaque($0).takeUnretainedValue()
        }
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let code = unsafe pthread_key_create(&key, nil)
        precondition(code == 0, "The system has no place left for a value of a thread.")
        return key
    }()

    /// Whether no job waits for the calling thread, which serves this.
    var isUpToDate: Bool {
        takenCount == 0 && gate.locked { queue.isEmpty }
    }

    /// Lets the calling thread work here until it gives back; no when there is work already.
    ///
    /// Who has just been answered by our own thread may be faster than that thread comes to its rest, and
    /// without a second look would be sent the long way ever after.
    func borrow() -> Bool {
        guard Self.current !== self else { return false }
        for look in 0..<Self.looks {
            if look > 0 { sched_yield() }
            let isBusy = gate.locked { () -> Bool? in
                guard queue.isEmpty, borrower == nil else { return nil }
                if !isServing { borrower = OSThread.currentNumber }
                return isServing
            }
            guard isBusy == true else { return isBusy == false }
        }
        return false
    }

    /// Few: a thread that is at work for long is not waited for (ADR 0011).
    private static let looks = 4

    func giveBack() {
        let callbacks = gate.locked { () -> [@Sendable (OSThread?) -> Void] in
            borrower = nil
            if !queue.isEmpty || isStopping { gate.signal() }
            guard thread == nil else { return [] }
            defer { whenEnded = [] }
            return whenEnded
        }
        for callback in callbacks { callback(nil) }
    }

    /// Ends the thread when the queue is empty; nobody waits.
    func abandon() {
        gate.locked {
            isStopping = true
            gate.signal()
        }
    }

    /// Ends the thread when the queue is empty, then hands it over to be joined.
    ///
    /// - Parameter whenEnded: Runs on the ending thread, or here when there is none to join.
    func stop(_ whenEnded: @escaping @Sendable (OSThread?) -> Void) {
        let isOver = gate.locked {
            isStopping = true
            guard thread != nil || borrower != nil else { return true }
            self.whenEnded.append(whenEnded)
            gate.signal()
            return false
        }
        if isOver { whenEnded(nil) }
    }

    private func serve() {
        // SAFETY: the thread keeps this object as long as it runs.
        _ = unsafe pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        while true {
            switch waitForWork() {
            case .jobs(let entries):
                takenCount = entries.count
                for entry in entries {
                    takenCount -= 1
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

    /// Waits for jobs; the decision to end is made under the same lock, so that no job is left behind.
    private func waitForWork() -> Work {
        gate.locked {
            isServing = false
            while queue.isEmpty || borrower != nil {
                guard isStopping, borrower == nil else {
                    gate.wait()
                    continue
                }
                defer { (thread, whenEnded) = (nil, []) }
                return .end(thread, whenEnded)
            }
            isServing = true
            defer { queue = [] }
            return .jobs(queue)
        }
    }
}
