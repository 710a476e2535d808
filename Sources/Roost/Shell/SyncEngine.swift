// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel
import RoostStore

/// The loop around the client's machine: takes an input, lets the machine decide, and hands the
/// effects to the performers, which give their results back as inputs.
///
/// The engine decides nothing and performs nothing itself. Nothing happens between an input and its
/// effects, so no decision has to be checked again (`docs/adr/0020-operations-as-values.md`).
actor SyncEngine {
    nonisolated let executor: any WorldExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as it does.
        unsafe executor.asUnownedSerialExecutor()
    }

    nonisolated let feed: InputFeed
    nonisolated let performers: Performers
    /// The last inputs of the machine, for a report.
    nonisolated let recording = Guarded(Recording())
    private let wallTime: @Sendable () -> Timestamp
    private var machine: SyncMachine
    private var calls = PendingCalls()

    init(world: World, configuration: Configuration, store: Store, api: ServerAPI) {
        executor = world.executor
        feed = InputFeed(executor: world.executor)
        performers = Performers(world, configuration, store, api, feed)
        wallTime = world.wallTime
        let entropy = world.entropy
        machine = SyncMachine(
            SyncState(
                me: configuration.userID,
                random: SeededRandom(entropy(), entropy(), entropy(), entropy()),
                tokenWait: configuration.tokenProvider.map { _ in configuration.tokenWait },
                cacheLimit: configuration.cacheLimit.bytes))
        feed.setTarget(self)
    }

    // MARK: The loop

    /// Gives the machine an input, and has the effects performed.
    func receive(_ input: SyncMachine.Input) {
        let now = wallTime()
        let before = recording.withLock { $0.needsMachine } ? machine : nil
        let wasMarked = machine.state.outbox.order.hasMarks
        let effects = machine.receive(input, at: now)
        recording.withLock { $0.note(input, at: now, effects, of: before) }
        for effect in effects {
            if case .finish(let id, let outcome) = effect {
                calls.finish(id, outcome)
            } else {
                performers.perform(effect) { machine.state }
            }
        }
        let isMarked = machine.state.outbox.order.hasMarks
        // The last mark may also go in the step of a call, or of the server's answer.
        if wasMarked != isMarked || input.mayChangeCounts(whileMarked: isMarked) {
            performers.notices.countChanges.publish(())
        }
        performers.notices.health.publish { machine.state.health }
    }

    /// Gives the machine an input if it still counts at its turn.
    func receive(_ input: @Sendable () -> SyncMachine.Input?) {
        if let input = input() { receive(input) }
    }

    // MARK: Calls

    /// Gives the machine an input that begins a call, and waits for the end of the call.
    func outcome(of input: (SyncMachine.OperationID) -> SyncMachine.Input) async -> Outcome {
        await withCheckedContinuation { caller in receive(input(calls.begin(caller))) }
    }

    /// Gives the machine an input that begins a wait, and waits for its end.
    ///
    /// A cancellation of the task ends the call with `.waitCanceled`; the work goes on.
    func outcomeUnlessCanceled(
        of input: (SyncMachine.OperationID) -> SyncMachine.Input
    ) async -> Outcome {
        let id = SyncMachine.OperationID(nextNumber())
        return await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                // `endWait` may have come before the wait.
                guard !Task.isCancelled else {
                    return caller.resume(returning: .failed(.waitCanceled))
                }
                calls.begin(caller, as: id)
                receive(input(id))
            }
        } onCancel: {
            // The task ends with this one step.
            Task(executorPreference: feed.executor) { await self.endWait(id) }
        }
    }

    private func endWait(_ id: SyncMachine.OperationID) {
        // The call may have ended, or not begun.
        guard calls.finish(id, .failed(.waitCanceled)) else { return }
        receive(.endWait(id))
    }

    /// Gives the machine an input, then runs an operation to its end; no other input comes between
    /// the two.
    ///
    /// - Throws: The failure of the operation.
    @discardableResult
    func run(
        _ operation: Operation, after input: SyncMachine.Input? = nil
    ) async throws(RoostError) -> Outcome {
        if let input { receive(input) }
        let outcome = await outcome { .start($0, operation) }
        if case .failed(let error) = outcome { throw error }
        return outcome
    }

    /// Runs an operation to its end, and returns the value of its outcome.
    func run<Value: Sendable>(
        _ operation: Operation, _ value: @Sendable (Outcome) -> Value?
    ) async throws(RoostError) -> Value {
        guard let value = value(try await run(operation)) else { throw .outOfStep }
        return value
    }

    /// Returns a value of the client's current state.
    func read<Value: Sendable>(_ value: @Sendable (SyncState) -> Value) -> Value {
        value(machine.state)
    }

    /// Returns a number that no call, collection or download has.
    func nextNumber() -> Int { calls.nextNumber() }

    // MARK: Beginning and end

    /// Reports the commits of other processes until the store closes.
    func reportMissedCommits() async { await performers.cache.reportMissedCommits() }

    /// Reports found damage until the store closes.
    func watchDamage() { performers.cache.reportDamage() }

    /// Indexes messages that an older release, or a process without search, has not indexed.
    func finishIndex() { receive(.cacheOpened) }

    /// Loads the unsent items of an earlier run.
    func openOutbox(of user: User) async throws(RoostError) {
        let loading = OutboxLoading(of: user, files: performers.outbox.attachments)
        try await run(.outbox(.loading(loading)))
        await performers.outbox.reportForeignChanges()
    }

    /// Ends the connection, every upload, collection, stream and wait.
    func close() {
        performers.notices.finishCollections(at: machine.state)
        receive(.close)
        performers.close()
        performers.notices.finish()
    }
}

/// The calls that wait for the end of an operation.
private struct PendingCalls {
    private var callers: [SyncMachine.OperationID: CheckedContinuation<Outcome, Never>] = [:]
    private var lastNumber = 0

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func begin(
        _ caller: CheckedContinuation<Outcome, Never>
    ) -> SyncMachine.OperationID {
        let id = SyncMachine.OperationID(nextNumber())
        begin(caller, as: id)
        return id
    }

    mutating func begin(
        _ caller: CheckedContinuation<Outcome, Never>, as id: SyncMachine.OperationID
    ) {
        callers[id] = caller
    }

    /// Ends a call; returns false if there is no such call.
    @discardableResult
    mutating func finish(_ id: SyncMachine.OperationID, _ outcome: Outcome) -> Bool {
        guard let caller = callers.removeValue(forKey: id) else { return false }
        caller.resume(returning: outcome)
        return true
    }
}
