// SPDX-License-Identifier: Apache-2.0

// Everything the client decides, as a value: no clock, no disk, no network, no `await`.
//
// The machine holds the shared state and the operations under way, and routes each answer to the operation that
// waits for it. It decides nothing itself. An operation may run others; the innermost one is resumed. The shell
// performs the effects in their order and feeds their results back as inputs.

package import RoostModel
package import RoostWire

/// The client's decisions.
package struct SyncMachine: Sendable {
    /// The name of an operation under way; the shell numbers them.
    package struct OperationID: Hashable, Comparable, Codable, Sendable {
        package let number: Int

        package init(_ number: Int) { self.number = number }

        package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
    }

    package enum Input: Hashable, Sendable {
        case connected(LoginSuccess, LinkMachine.Epoch)
        case disconnected
        case start(OperationID, Operation)
        case reply(OperationID, Reply)
    }

    package enum Effect: Hashable, Sendable {
        case read(OperationID, StoreQuestion)
        case ask(OperationID, ServerQuestion, Credentials)
        /// One transaction; transactions are carried out in the order of their effects.
        case commit(OperationID, [Mutation], ChangeOrigin, unless: CommitCondition?)
        /// Replies with `.paused` after a duration.
        case pause(OperationID, Duration, Pause)
        /// Forgets a pause: the machine has ended it.
        case endPause(OperationID)
        case notice(Notice)
        case finish(OperationID, Outcome)
    }

    package var state: SyncState
    /// The operations under way, each with those that wait for it before it.
    private var running: [OperationID: [Operation]] = [:]
    private var pauses: [OperationID: Pause] = [:]

    package init(_ state: SyncState) { self.state = state }

    /// Whether an operation is under way that does not wait for a retry.
    package var isBusy: Bool { running.count > pauses.count { $0.value == .retry } }

    /// Takes one input and returns the effects to perform, in order.
    package mutating func receive(_ input: Input, at now: Timestamp) -> [Effect] {
        state.now = now
        var effects: [Effect] = []
        switch input {
        case .connected(let login, let epoch):
            state.connect(login, epoch)
            for id in pauses.keys.sorted() {
                pauses[id] = nil
                effects.append(.endPause(id))
                resume(id, .paused, &effects)
            }
        case .disconnected: state.disconnect()
        case .start(let id, let operation):
            running[id] = [operation]
            resume(id, .begin, &effects)
        case .reply(let id, let reply):
            // A pause that was ended here may end in the shell at the same time.
            if reply == .paused, pauses.removeValue(forKey: id) == nil { return [] }
            resume(id, reply, &effects)
        }
        return effects
    }

    private mutating func resume(_ id: OperationID, _ first: Reply, _ effects: inout [Effect]) {
        var reply = first
        while var stack = running[id], var operation = stack.popLast() {
            let step = operation.resume(reply, &state)
            effects += state.takeNotices().map { .notice($0) }
            switch step {
            case .need(.run(let child)):
                running[id] = stack + [operation, child]
                reply = .begin
            case .need(let need):
                running[id] = stack + [operation]
                return perform(need, id, &effects)
            case .end(let outcome):
                running[id] = stack
                guard stack.isEmpty else {
                    reply = .ended(outcome)
                    continue
                }
                running[id] = nil
                effects.append(.finish(id, outcome))
            }
        }
    }

    private mutating func perform(
        _ need: Need, _ id: OperationID, _ effects: inout [Effect]
    ) {
        switch need {
        case .read(let question): effects.append(.read(id, question))
        case .ask(let question, let credentials):
            effects.append(.ask(id, question, credentials))
        case .commit(let mutations, let origin, let condition):
            effects.append(.commit(id, mutations, origin, unless: condition))
        case .pause(let duration, let pause):
            pauses[id] = pause
            effects.append(.pause(id, duration, pause))
        case .run: break
        }
    }
}

extension SyncState {
    mutating func takeNotices() -> [Notice] {
        defer { notices = [] }
        return notices
    }
}
