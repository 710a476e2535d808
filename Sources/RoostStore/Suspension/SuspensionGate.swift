// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
package import RoostSQLite

/// The queue of one connection's work while the app is suspended.
///
/// - Invariant: Work is done in the order of its arrival, each piece exactly once, whatever
///   interrupts it.
package final class SuspensionGate: Sendable {
    private struct State {
        var isClosed = false
        var lastTicket = 0
        /// The tickets of all unfinished work, lowest first.
        var tickets: [Int] = []
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        /// The continuations that wait for the end of all work.
        var draining: [CheckedContinuation<Void, Never>] = []

        /// Whether a ticket's work may run.
        func admits(_ ticket: Int) -> Bool { !isClosed && tickets.first == ticket }

        /// Returns the continuation whose turn is next, if it waits.
        mutating func next() -> CheckedContinuation<Void, Never>? {
            guard !isClosed, let first = tickets.first else { return nil }
            return waiting.removeValue(forKey: first)
        }
    }

    /// Interrupts the statements of the connection; belongs to `Connection.init`.
    package let interrupter = Interrupter()
    private let state = Guarded(State())

    package init() {}

    /// Does a piece of work when the gate is open and all earlier work is done.
    ///
    /// - Parameters:
    ///   - actor: The owner of the work; other work of the actor continues during the wait.
    ///   - attempt: The work; nil if it was interrupted and undone, and has to be repeated.
    /// - Returns: The result of the attempt that was not interrupted.
    /// - Throws: The error of an attempt.
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

    /// Whether work has to wait.
    ///
    /// Work that was admitted just before a suspension finds its files closed; it waits too.
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Closes the gate and interrupts the running work, which ends within milliseconds.
    ///
    /// After this call, the connection's actor works with no other work in progress.
    package func close() {
        state.withLock { state in
            state.isClosed = true
            interrupter.raise()
        }
    }

    /// Opens the gate: the waiting work runs first.
    package func open() {
        let next = state.withLock { state in
            interrupter.lower()
            state.isClosed = false
            return state.next()
        }
        next?.resume()
    }

    /// Returns when all work so far is done.
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
        // The gate may have closed again before the continuation was resumed.
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
        // Almost always no other work is queued.
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
