// SPDX-License-Identifier: Apache-2.0

import Roost
import Synchronization

/// The one thread and the virtual time of a simulation.
///
/// Every actor and task of a simulation runs on this executor, on the thread that calls `run`. Jobs
/// run in the order in which they were enqueued; when none is left, time jumps to the next timer.
/// The same inputs give the same run, to the last job.
package final class SimulatedExecutor: SerialExecutor, TaskExecutor, WorldClock {
    struct Entry {
        let job: UnownedJob
        /// The lane of the job; nil for this executor itself.
        let lane: SimulatedLane?
    }

    private struct State {
        var jobs: [Entry] = []
        var next = 0
        var deadlines = TimerHeap()
        /// By the number of the timer; a cancelled one is removed from here only.
        var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]
        var now = Duration.zero
        var order = 0
        var jobsRun = 0
    }

    /// The error of a story that ran too many jobs.
    package struct Endless: Error, CustomStringConvertible {
        let jobs: Int
        let now: Duration

        package var description: String {
            "The story did not end within \(jobs) jobs; its virtual time is \(now)."
        }
    }

    private let state = Mutex(State())
    private let jobLimit: Int

    /// Ten times the jobs of the longest existing story.
    package static let jobLimit = 20_000_000

    /// Tasks that sleep again after each cancellation are abandoned after so many jobs.
    private static let unwindingJobs = 100_000

    /// - Parameter jobLimit: The greatest number of jobs of a story.
    package init(jobLimit: Int = jobLimit) { self.jobLimit = jobLimit }

    /// Virtual time since the simulation began.
    package var now: Duration { state.withLock { $0.now } }

    /// The number of jobs so far; equal numbers mean equal runs.
    package var jobsRun: Int { state.withLock { $0.jobsRun } }

    package func enqueue(_ job: consuming ExecutorJob) {
        enqueue(UnownedJob(job), for: nil)
    }

    fileprivate func enqueue(_ job: UnownedJob, for lane: SimulatedLane?) {
        state.withLock { $0.jobs.append(Entry(job: job, lane: lane)) }
    }

    /// Enqueues the remaining jobs of a stopped process.
    func enqueue(_ entries: [Entry]) {
        state.withLock { $0.jobs += entries }
    }

    /// Runs a story to its end and returns its result.
    ///
    /// Stops the program if the story waits for an event that can never come.
    ///
    /// - Throws: The error of the story; `Endless` if it runs too many jobs, after which the world
    ///   stays as it is then.
    package func run<Value: Sendable>(
        _ story: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let outcome = Mutex<Result<Value, any Error>?>(nil)
        // The task ends with the story, which the loop below awaits.
        Task(executorPreference: self) {
            let result: Result<Value, any Error>
            do { result = .success(try await story()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
        }
        while true {
            if let result = outcome.withLock({ $0 }) {
                unwind()
                return try result.get()
            }
            guard jobsRun < jobLimit else { throw Endless(jobs: jobLimit, now: now) }
            precondition(step(), "The story waits, but no job and no timer is left to wake it.")
        }
    }

    /// Runs a story of the main actor to its end and returns its result.
    ///
    /// Jobs of the simulation run here, on the main actor's thread. Whenever none is left, the jobs
    /// of the main actor have their turns. They come in the order in which they were enqueued, so
    /// the course of the story depends on nothing else. Time jumps when neither has a job.
    ///
    /// - Parameters:
    ///   - place: The file and the line of the story.
    ///   - story: The story.
    /// - Returns: The result of the story.
    /// - Throws: The error of the story; `TestFailure` if no job and no timer is left, or if the
    ///   story has no end.
    @MainActor
    func runOnMainActor<Value: Sendable>(
        at place: String,
        _ story: @escaping @MainActor @Sendable () async throws -> Value
    ) async throws -> Value {
        let outcome = Mutex<Result<Value, any Error>?>(nil)
        // The task ends with the story, which the loop below awaits.
        let task = Task(executorPreference: self) { @MainActor @Sendable in
            let result: Result<Value, any Error>
            do { result = .success(try await story()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
        }
        while true {
            if Task.isCancelled { task.cancel() }
            guard jobsRun < jobLimit else {
                throw TestFailure("The story at \(place) did not end within \(jobLimit) jobs.")
            }
            if await runTurn(until: { outcome.withLock { $0 != nil } }) { continue }
            if outcome.withLock({ $0 != nil }) { break }
            guard step() else {
                throw TestFailure(
                    "The story at \(place) waits for an event that cannot come: "
                        + "the world has no work and no timer left. Did a fault swallow it "
                        + "(`remaining(_:)`), or does the app wait on another clock than "
                        + "`world.clock`?")
            }
        }
        for _ in 0..<Self.unwindingTurns {
            for sleeper in takeSleepers() { sleeper.resume(throwing: CancellationError()) }
            guard await runTurn(until: { false }) else { break }
        }
        forgetJobs()
        guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
        return try result.get()
    }

    /// Turns of the main actor without a job for the simulation, after which it counts as idle.
    private static let idleTurns = 16
    /// Turns after the end of a story in which its remaining tasks may end.
    private static let unwindingTurns = 1_000

    /// Runs all jobs, or gives the main actor turns until there is a job; false if none came.
    @MainActor
    private func runTurn(until hasEnded: () -> Bool) async -> Bool {
        for _ in 0..<Self.idleTurns {
            if hasJob {
                while hasJob, jobsRun < jobLimit { _ = step() }
                return true
            }
            if hasEnded() { return false }
            await giveMainActorTurn()
        }
        return hasJob
    }

    /// Lets all jobs run that the main actor has now.
    ///
    /// `Task.yield()` does the same by way of another thread, which takes ten times as long.
    @MainActor
    private func giveMainActorTurn() async {
        await withCheckedContinuation { turn in
            // Ends at once; the main actor takes its jobs in order.
            Task { @MainActor in turn.resume() }
        }
    }

    private var hasJob: Bool { state.withLock { $0.next < $0.jobs.count } }

    private func takeSleepers() -> [CheckedContinuation<Void, any Error>] {
        let sleepers = state.withLock { state in
            defer { state.sleepers = [:] }
            return state.sleepers
        }
        return sleepers.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Drops finished jobs: each has a reference to its lane, which has one to this executor.
    private func forgetJobs() {
        state.withLock { state in
            state.jobs = []
            state.next = 0
        }
    }

    /// Ends the remaining tasks: a task that waits for ever is never freed, nor are its objects.
    private func unwind() {
        for _ in 0..<Self.unwindingJobs {
            for sleeper in takeSleepers() { sleeper.resume(throwing: CancellationError()) }
            guard step() else { break }
        }
        forgetJobs()
    }

    /// Runs one job, or moves time to the next timer; returns false if there is neither.
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
            // A job of a stopped process is kept by the process.
            if let process = entry.lane?.process, !process.admits(entry) { return true }
            let lane: any WorldExecutor = entry.lane ?? self
            // SAFETY: the entry keeps its lane until its job has run.
            unsafe entry.job.runSynchronously(
                isolatedTo: lane.asUnownedSerialExecutor(),
                taskExecutor: lane.asUnownedTaskExecutor())
            return true
        }
        let sleeper: CheckedContinuation<Void, any Error>? = state.withLock { state in
            while let (deadline, order) = state.deadlines.popFirst() {
                guard let sleeper = state.sleepers.removeValue(forKey: order) else { continue }
                state.now = max(state.now, deadline)
                return sleeper
            }
            return nil
        }
        sleeper?.resume()
        return sleeper != nil
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
                        state.sleepers[order] = continuation
                        state.deadlines.insert(
                            (deadline: state.now + max(.zero, duration), order: order))
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
        let sleeper = state.withLock { $0.sleepers.removeValue(forKey: order) }
        sleeper?.resume(throwing: CancellationError())
    }
}

/// The timers: the earliest first, and the first one made among equals.
private struct TimerHeap {
    typealias Entry = (deadline: Duration, order: Int)

    private var entries: [Entry] = []

    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var index = entries.count - 1
        while index > 0, entries[index] < entries[(index - 1) / 2] {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func popFirst() -> Entry? {
        guard let first = entries.first, let last = entries.popLast() else { return nil }
        if entries.isEmpty { return first }
        entries[0] = last
        var index = 0
        while true {
            let left = 2 * index + 1
            guard left < entries.count else { return first }
            let isRight = left + 1 < entries.count && entries[left + 1] < entries[left]
            let least = isRight ? left + 1 : left
            guard entries[least] < entries[index] else { return first }
            entries.swapAt(index, least)
            index = least
        }
    }
}

/// A second executor of the same simulation: a call from one to the other is a real suspension.
///
/// Databases run on one, as they run on threads of their own outside a simulation. So other jobs
/// come between a call to the store and its answer, as they do there.
package final class SimulatedLane: SerialExecutor, TaskExecutor {
    private let simulation: SimulatedExecutor
    /// The process whose jobs run here.
    let process: SimulatedProcess?
    /// Whether only databases run here.
    let isStore: Bool

    package init(
        of simulation: SimulatedExecutor, process: SimulatedProcess? = nil, isStore: Bool = false
    ) {
        self.simulation = simulation
        self.process = process
        self.isStore = isStore
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        simulation.enqueue(UnownedJob(job), for: self)
    }
}
