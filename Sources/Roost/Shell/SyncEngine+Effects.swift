// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel
import RoostStore
import RoostWire

// Performs the effects of the machine and feeds their results back.

extension SyncEngine {
    /// Runs an operation to its end.
    ///
    /// - Throws: The failure of the operation.
    @discardableResult
    func run(_ operation: Operation) async throws(RoostError) -> Outcome {
        lastOperation += 1
        let id = SyncMachine.OperationID(lastOperation)
        let outcome = await withCheckedContinuation { waiter in
            operationWaiters[id] = waiter
            receive(.start(id, operation))
        }
        if case .failed(let error) = outcome { throw error }
        return outcome
    }

    /// Passes an input to the machine and performs the effects.
    func receive(_ input: SyncMachine.Input) {
        let now = world.wallTime()
        let before = recording.withLock { $0.needsMachine } ? machine : nil
        let effects = machine.receive(input, at: now)
        recording.withLock { $0.note(input, at: now, effects, of: before) }
        for effect in effects { perform(effect) }
        resumeIdleWaiters()
    }

    private func perform(_ effect: SyncMachine.Effect) {
        switch effect {
        case .read(let id, let question):
            answer(id) { engine throws(RoostError) in
                try await engine.reader.answer(question)
            } with: {
                .read($0)
            }
        case .ask(let id, let question, let credentials):
            // The current key, because the question belongs to this session.
            let key =
                credentials == .connection ? session?.login.sessionKey : sync.link.sessionKey
            if case .upload(let file) = question { return upload(file, sessionKey: key, for: id) }
            answer(id) { engine throws(RoostError) in
                guard let key else { throw .notConnected }
                return try await engine.api.answer(question, sessionKey: key)
            } with: {
                .answer($0)
            }
        case .send(let id, let command): send(command, for: id)
        case .outbox(let id, let question):
            answer(id) { engine throws(RoostError) in
                try await engine.store.outbox.answer(question)
            } with: {
                .outbox($0)
            }
        case .commit(let id, let mutations, let origin, let condition):
            answer(id) { engine throws(RoostError) in
                try await engine.commit(mutations, from: origin, unless: condition)
            } with: {
                .committed($0)
            }
        case .keep(let id, let task):
            answer(id) { engine throws(RoostError) in
                try await engine.perform(task, for: id)
            } with: {
                .kept($0)
            }
        case .mend(let id):
            answer(id) { engine throws(RoostError) in
                try await engine.mend()
            } with: {
                .mended($0)
            }
        case .pause(let id, let duration, _): pause(id, for: duration)
        case .endPause(let id): operationPauses.removeValue(forKey: id)?.task.cancel()
        case .limit(let id, let duration):
            limitTimers.arm(id, for: duration, in: world) { number in
                await self.endLimit(id, number)
            }
        case .endLimit(let id): limitTimers.disarm(id)
        case .notice(let notice): take(notice)
        case .finish(let id, let outcome):
            operationWaiters.removeValue(forKey: id)?.resume(returning: outcome)
        }
    }

    /// Does work for an operation and replies with the result.
    private func answer<Value: Hashable & Codable & Sendable>(
        _ id: SyncMachine.OperationID,
        _ work: @escaping @Sendable (SyncEngine) async throws(RoostError) -> Value,
        with reply: @escaping @Sendable (Answered<Value>) -> Reply
    ) {
        // The task ends with the work; closing the store and the time limit of a call both end the
        // work.
        Task(executorPreference: executor) {
            let result = await Result { () async throws(RoostError) in try await work(self) }
            await self.receive(.reply(id, reply(Answered(result))))
        }
    }

    /// Sends a frame, and reports the end to the operation that waits for it, if there is one.
    private func send(_ command: ClientCommand, for id: SyncMachine.OperationID?) {
        // A socket write ends with the connection.
        Task(executorPreference: executor) {
            let result = await Result { () async throws(RoostError) in
                try await self.send(command)
            }
            let end = id.map { SyncMachine.Input.reply($0, .sent(result.failure)) }
            await self.receive(end ?? .frameSent)
        }
    }

    private func fired(_ timer: MachineTimer, _ number: Int) {
        guard timers.claim(timer, number) else { return }
        receive(.fired(timer))
    }

    private func pause(_ id: SyncMachine.OperationID, for duration: Duration) {
        lastPause += 1
        let number = lastPause
        let duration = min(max(duration, .zero), Timers<Int>.longest)
        let task = Task(executorPreference: executor) { [clock = world.clock] in
            // A clock that ends early ends the pause early, so the operation does not wait for
            // ever.
            _ = try? await clock.sleep(for: duration)
            await self.endPause(id, number)
        }
        operationPauses[id] = (number, task)
    }

    private func endPause(_ id: SyncMachine.OperationID, _ number: Int) {
        guard operationPauses[id]?.number == number else { return }
        operationPauses[id] = nil
        receive(.reply(id, .paused))
    }

    private func endLimit(_ id: SyncMachine.OperationID, _ number: Int) {
        guard limitTimers.claim(id, number) else { return }
        receive(.overdue(id))
    }

    /// Commits unless a condition holds; nil if it holds.
    private func commit(
        _ mutations: [Mutation], from origin: ChangeOrigin, unless condition: CommitCondition?
    ) async throws(RoostError) -> Commit? {
        do {
            if case .cursorMoved(let key, let place) = condition,
                try await reader.cursor(key).value != place
            {
                return nil
            }
            return try await store.writer.commit(mutations)
        } catch {
            throw RoostError(error)
        }
    }

    private func take(_ notice: Notice) {
        switch notice {
        case .openSocket(let epoch, let key, let isInForeground):
            openSocket(epoch, sessionKey: key, isInForeground: isInForeground)
        case .closeSocket: closeSocket()
        case .forgotten(let count, let channel): tellOfForgotten(count, in: channel)
        case .fillIndex: finishIndex()
        case .connection(let state, let failure):
            publish(ConnectionState(state, lastFailure: failure))
        case .event(let event): emit(event)
        case .outbox(let event): outboxObservers.publish(event)
        case .deleteFiles(let copies): store.outbox.deleteFiles(copies)
        case .cancelUpload(let requestID): uploads[requestID]?.cancel()
        case .send(let command): send(command, for: nil)
        case .arm(let timer, let duration):
            timers.arm(timer, for: duration, in: world) { [weak self] number in
                await self?.fired(timer, number)
            }
        case .disarm(let timer): timers.disarm(timer)
        case .timelineChanged(let id, let diff): tell(diff, of: id)
        case .listChanged(let id, let diff): tell(diff, of: id)
        case .downloadChanged(let id, let progress): tell(progress, of: id)
        case .refused(let id, let error): timelines[id]?.object?.refusals.publish(error)
        }
    }
}

extension Result where Failure == RoostError {
    /// Captures the result of asynchronous work.
    init(_ work: () async throws(RoostError) -> Success) async {
        do throws(RoostError) {
            self = .success(try await work())
        } catch {
            self = .failure(error)
        }
    }

    fileprivate var failure: RoostError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
