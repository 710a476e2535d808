// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel

// How long a caller waits. One request has its own time limit; work of several requests has this one.

extension SyncEngine {
    /// Does work for a caller, and answers when it is done or its time is over; the work goes on then.
    ///
    /// - Parameters:
    ///   - limit: How long the caller waits; by default as long as for one request.
    ///   - work: What is done.
    /// - Returns: What the work returns.
    /// - Throws: What the work throws, and `.requestFailed` with the remedy `.retry` when the time is over.
    func inTime<Value: Sendable>(
        within limit: Duration = ServerAPI.timeLimit,
        _ work: @escaping @Sendable (SyncEngine) async throws(RoostError) -> Value
    ) async throws(RoostError) -> Value {
        let answer = FirstAnswer<Result<Value, RoostError>>()
        // Both end by themselves: the work with its requests, the timer with the work.
        let working = Task(executorPreference: executor) {
            do throws(RoostError) {
                answer.give(.success(try await work(self)))
            } catch {
                answer.give(.failure(error))
            }
        }
        let timer = Task(executorPreference: executor) { [clock = world.clock] in
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            answer.give(.failure(.overdue))
        }
        let result = await withTaskCancellationHandler {
            await answer.value
        } onCancel: {
            working.cancel()
        }
        timer.cancel()
        return try result.get()
    }
}

/// A place for one answer, of which the first stays.
private final class FirstAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case given(Value)
    }

    private let state = Guarded(State.open)

    /// The answer; one reader at a time.
    var value: Value {
        get async {
            await withCheckedContinuation { reader in
                let given = state.withLock { state -> Value? in
                    if case .given(let value) = state { return value }
                    state = .awaited(reader)
                    return nil
                }
                if let given { reader.resume(returning: given) }
            }
        }
    }

    func give(_ value: Value) {
        let reader = state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .open:
                state = .given(value)
                return nil
            case .awaited(let reader):
                state = .given(value)
                return reader
            case .given: return nil
            }
        }
        reader?.resume(returning: value)
    }
}
