// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel
import RoostStore

/// The way of results back into the engine, and the only one.
///
/// It does not keep the engine alive, so neither a performer nor a collection of the app keeps a
/// client that the app has released. An input for a released engine is dropped.
final class InputFeed: Sendable {
    let executor: any WorldExecutor
    private let target = Guarded(WeakReference<SyncEngine>())

    init(executor: any WorldExecutor) { self.executor = executor }

    private var engine: SyncEngine? { target.withLock { $0.object } }

    /// Sets the engine, once.
    func setTarget(_ engine: SyncEngine) { target.withLock { $0 = WeakReference(engine) } }

    func give(_ input: SyncMachine.Input) async { await engine?.receive(input) }

    /// Gives an input that is decided on at its turn.
    func give(_ input: @Sendable () -> SyncMachine.Input?) async { await engine?.receive(input) }

    /// Gives an input that begins an operation, and waits for the end of the operation.
    func giveAndWait(
        _ input: @Sendable (SyncMachine.OperationID) -> SyncMachine.Input
    ) async {
        _ = await engine?.outcome(of: input)
    }

    /// Gives an input that no caller waits for.
    func send(_ input: SyncMachine.Input) {
        // The task ends with the input.
        Task(executorPreference: executor) { await self.give(input) }
    }

    /// Gives an input for each element of a sequence.
    func send<Elements: AsyncSequence & Sendable>(
        _ elements: Elements,
        as input: @escaping @Sendable (Elements.Element) -> SyncMachine.Input
    ) where Elements.Failure == Never {
        // The task ends with the sequence.
        Task(executorPreference: executor) {
            for await element in elements { await self.give(input(element)) }
        }
    }

    /// Does work for an operation, and gives the result as a reply.
    func reply<Value: Equatable & Codable & Sendable>(
        to id: SyncMachine.OperationID, _ reply: @escaping @Sendable (Answered<Value>) -> Reply,
        with work: @escaping @Sendable () async throws(RoostError) -> Value
    ) {
        // The task ends with the work; closing the store and the time limit of a call both end the
        // work.
        Task(executorPreference: executor) {
            let result = await Result { () async throws(RoostError) in try await work() }
            await self.give(.reply(id, reply(Answered(result))))
        }
    }

    /// Does work of the store for an operation, and gives the result as a reply.
    func reply<Value: Equatable & Codable & Sendable>(
        to id: SyncMachine.OperationID, _ reply: @escaping @Sendable (Answered<Value>) -> Reply,
        with work: @escaping @Sendable () async throws(StoreError) -> Value
    ) {
        self.reply(to: id, reply) { () async throws(RoostError) in
            do throws(StoreError) { return try await work() } catch { throw RoostError(error) }
        }
    }
}

/// A weak reference.
struct WeakReference<Object: AnyObject & Sendable>: Sendable {
    private(set) weak var object: Object?
    init(_ object: Object? = nil) { self.object = object }
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

    var failure: RoostError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
