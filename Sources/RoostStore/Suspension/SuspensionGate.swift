// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
package import RoostSQLite

/// Where the work of one connection waits while the app is suspended, in its order.
///
/// - Invariant: Pieces of work are done one after the other in the order in which they came, each once,
///   whatever interrupts them.
package final class SuspensionGate: Sendable {
    private struct State {
        var isClosed = false
        var lastTicket = 0
        /// The tickets of all work that is not done, lowest first.
        var tickets: [Int] = []
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        /// The continuations that wait until no work is left.
        var draining: [CheckedContinuation<Void, Never>] = []

        /// Whether it is this ticket's turn.
        func admits(_ ticket: Int) -> Bool { !isClosed && tickets.first == ticket }

        /// Returns the continuation whose turn is next, if it waits.
        mutating func next() -> CheckedContinuation<Void, Never>? {
            guard !isClosed, let first = tickets.first else { return nil }
            return waiting.removeValue(forKey: first)
        }
    }

    /// Ends the statements of the connection; belongs to `Connection.init`.
    package let interrupter = Interrupter()
    private let state = Guarded(State())

    package init() {}

    /// Does a piece of work when the gate is open and everything before it is done.
    ///
    /// - Parameters:
    ///   - actor: Whose work it is; nothing of it is held up while this waits.
    ///   - attempt: The work; nil says that it was interrupted and undone, and it is done once more.
    /// - Returns: What the attempt that was not interrupted returned.
    /// - Throws: What an attempt threw.
    package func perform<Value, Failure: Error>(
        isolation actor: isolated any Actor, _ attempt: () throws(Failure) -> Value?
    ) async throws(Failure) -> Value {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            state.tickets.append(state.lastTicket)
            return state.lastTicket
        }
        defer { leave(ticket) }
        while true {
            await waitForTurn(ticket, isolation: actor)
            if let value = try attempt() { return value }
        }
    }

    /// Does a piece of work if nothing has to be waited for.
    ///
    /// - Returns: Whether it was done; no when the gate is closed, other work came before, or the
    ///   attempt said that it was interrupted.
    /// - Throws: What the attempt threw.
    func performNow<Failure: Error>(
        _ attempt: () throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        let ticket = state.withLock { state -> Int? in
            guard !state.isClosed, state.tickets.isEmpty else { return nil }
            state.lastTicket += 1
            state.tickets.append(state.lastTicket)
            return state.lastTicket
        }
        guard let ticket else { return false }
        defer { leave(ticket) }
        return try attempt()
    }

    /// Lets nothing begin any more and ends what runs, in milliseconds.
    ///
    /// After this call, the connection's actor works with no other work in progress.
    package func close() {
        state.withLock { state in
            state.isClosed = true
            interrupter.raise()
        }
    }

    /// Lets the work that waits be done, then all other.
    package func open() {
        let next = state.withLock { state in
            interrupter.lower()
            state.isClosed = false
            return state.next()
        }
        next?.resume()
    }

    /// Returns when all work that has come is done.
    func drain() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if !state.tickets.isEmpty { state.draining.append(continuation) }
                return state.tickets.isEmpty
            }
            if isEmpty { continuation.resume() }
        }
    }

    private func waitForTurn(_ ticket: Int, isolation actor: isolated any Actor) async {
        // Once woken one looks again: the gate may have closed meanwhile.
        while !state.withLock({ $0.admits(ticket) }) {
            await withCheckedContinuation { continuation in
                let isAdmitted = state.withLock { state in
                    let isAdmitted = state.admits(ticket)
                    if !isAdmitted { state.waiting[ticket] = continuation }
                    return isAdmitted
                }
                if isAdmitted { continuation.resume() }
            }
        }
    }

    private func leave(_ ticket: Int) {
        // Nearly always nobody waits for anything.
        let isOver = state.withLock { state in
            guard state.tickets.count == 1, state.draining.isEmpty else { return false }
            state.tickets.removeLast()
            return true
        }
        if isOver { return }
        let (next, drained) = state.withLock { state in
            if let index = state.tickets.firstIndex(of: ticket) { state.tickets.remove(at: index) }
            let drained = state.tickets.isEmpty ? state.draining : []
            if !drained.isEmpty { state.draining = [] }
            return (state.next(), drained)
        }
        next?.resume()
        for continuation in drained { continuation.resume() }
    }
}
