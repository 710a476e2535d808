// SPDX-License-Identifier: Apache-2.0

import Roost
import Synchronization

/// One thread, virtual time, and nothing that happens by chance.
///
/// Every actor and task of a simulation runs on this executor, on the thread that calls `run`. Jobs run
/// in the order they came; when there is none left, time jumps to the next timer. The same inputs give
/// the same run, to the last job.
package final class SimulatedExecutor: SerialExecutor, TaskExecutor, WorldClock {
    private struct Timer {
        let deadline: Duration
        let order: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Entry {
        let job: UnownedJob
        /// The lane it came for; nil for this executor itself.
        let lane: SimulatedLane?
    }

    private struct State {
        var jobs: [Entry] = []
        var next = 0
        var timers: [Timer] = []
        var now = Duration.zero
        var order = 0
        var jobsRun = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Virtual time since the simulation began.
    package var now: Duration { state.withLock { $0.now } }

    /// Jobs run so far: equal numbers mean equal runs.
    package var jobsRun: Int { state.withLock { $0.jobsRun } }

    package func enqueue(_ job: consuming ExecutorJob) {
        enqueue(UnownedJob(job), for: nil)
    }

    fileprivate func enqueue(_ job: UnownedJob, for lane: SimulatedLane?) {
        state.withLock { $0.jobs.append(Entry(job: job, lane: lane)) }
    }

    /// Plays a story to its end and returns what it returns.
    ///
    /// Stops the program when the story waits for something that can never come.
    package func run<Value: Sendable>(
        _ story: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let outcome = Mutex<Result<Value, any Error>?>(nil)
        // The task ends with the story, which the loop below waits for.
        Task(executorPreference: self) {
            let result: Result<Value, any Error>
            do { result = .success(try await story()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
        }
        while true {
            if let result = outcome.withLock({ $0 }) { return try result.get() }
            precondition(step(), "The story waits, but no job and no timer is left to wake it.")
        }
    }

    /// Runs one job, or moves time to the next timer; false when there is neither.
    private func step() -> Bool {
        let entry: Entry? = state.withLock { state in
            guard state.next < state.jobs.count else { return nil }
            defer { state.next += 1 }
            if state.next > 1024 {
                state.jobs.removeFirst(state.next)
                state.next = 0
            }
            state.jobsRun += 1
            return state.jobs[state.next]
        }
        if let entry {
            let lane: any WorldExecutor = entry.lane ?? self
            // SAFETY: the entry keeps its lane until its job has run.
            unsafe entry.job.runSynchronously(
                isolatedTo: lane.asUnownedSerialExecutor(),
                taskExecutor: lane.asUnownedTaskExecutor())
            return true
        }
        let timer: Timer? = state.withLock { state in
            guard
                let index = state.timers.indices.min(by: {
                    (state.timers[$0].deadline, state.timers[$0].order)
                        < (state.timers[$1].deadline, state.timers[$1].order)
                })
            else { return nil }
            let timer = state.timers.remove(at: index)
            state.now = max(state.now, timer.deadline)
            return timer
        }
        timer?.continuation.resume()
        return timer != nil
    }

    package func sleep(for duration: Duration) async throws(CancellationError) {
        let order = state.withLock { state in
            state.order += 1
            return state.order
        }
        do {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    state.withLock { state in
                        state.timers.append(
                            Timer(
                                deadline: state.now + max(.zero, duration), order: order,
                                continuation: continuation))
                    }
                    if Task.isCancelled { cancel(order) }
                }
            } onCancel: {
                cancel(order)
            }
        } catch {
            throw CancellationError()
        }
    }

    private func cancel(_ order: Int) {
        let timer = state.withLock { state in
            state.timers.firstIndex { $0.order == order }.map { state.timers.remove(at: $0) }
        }
        timer?.continuation.resume(throwing: CancellationError())
    }
}

/// A second executor of the same simulation: a call from one to the other is a real suspension.
///
/// Databases run on one, as they run on threads of their own in the world; other jobs come between a
/// question to the store and its answer, as they do there.
package final class SimulatedLane: SerialExecutor, TaskExecutor {
    private let simulation: SimulatedExecutor

    package init(of simulation: SimulatedExecutor) { self.simulation = simulation }

    package func enqueue(_ job: consuming ExecutorJob) {
        simulation.enqueue(UnownedJob(job), for: self)
    }
}
