// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
package import RoostSQLite

/// The queue of one connection's work while the app is suspended.
///
/// - Invariant: Work is done in the order of its arrival, each piece exactly once, whatever
///   interrupts it.
package final class SuspensionGate: Sendable {
    /// A piece of work that waits.
    package typealias Waiter = CheckedContinuation<Void, Never>

    private struct State {
        var isClosed = false
        var lastTicket = 0
        /// The tickets of all unfinished work, lowest first.
        var tickets: [Int] = []
        var waiting: [Int: Waiter] = [:]
        /// The tickets whose tasks were canceled during a wait.
        var canceled: Set<Int> = []
        /// The continuations that wait for the end of all work.
        var draining: [Waiter] = []

        /// Whether a ticket's work may run.
        func admits(_ ticket: Int) -> Bool { !isClosed && tickets.first == ticket }

        /// Returns the continuation whose turn is next, if it waits.
        mutating func next() -> Waiter? {
            guard !isClosed, let first = tickets.first else { return nil }
            return waiting.removeValue(forKey: first)
        }

        /// Returns the continuations that wait at the closed gate for tasks that were canceled.
        mutating func useless() -> [Waiter] {
            isClosed ? canceled.sorted().compactMap { waiting.removeValue(forKey: $0) } : []
        }
    }

    /// Interrupts the statements of the connection; belongs to `Connection.init`.
    package let interrupter = Interrupter()
    private let state = Guarded(State())

    package init() {}

    /// Performs a piece of work once the gate is open and all earlier work is finished.
    ///
    /// The closing of the gate interrupts the work; its next attempt follows the opening.
    ///
    /// - Parameters:
    ///   - actor: The actor that performs the work; it takes other calls during the wait.
    ///   - cancellation: The error of a task that is canceled while the gate is closed. While the
    ///     gate is open, a cancellation has no effect.
    ///   - attempt: One attempt at the work. It returns nil after an interruption, with its changes
    ///     rolled back.
    /// - Returns: The value of the first attempt that was not interrupted.
    /// - Throws: The error of an attempt; `cancellation`, and then no attempt has changed anything.
    package func perform<Value, Failure: Error>(
        isolation actor: isolated any Actor, orThrow cancellation: @autoclosure () -> Failure,
        _ attempt: () throws(Failure) -> Value?
    ) async throws(Failure) -> Value {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            state.tickets.append(state.lastTicket)
            return state.lastTicket
        }
        defer { leave(ticket) }
        while true {
            guard await waitForTurn(ticket, isolation: actor) else { throw cancellation() }
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
    ///
    /// - Returns: The work of canceled tasks; the caller resumes it behind its own lock.
    package func close() -> [Waiter] {
        state.withLock { state in
            state.isClosed = true
            interrupter.raise()
            return state.useless()
        }
    }

    /// Opens the gate: the waiting work runs first.
    ///
    /// - Returns: The first waiting work; the caller resumes it behind its own lock.
    package func open() -> [Waiter] {
        state.withLock { state in
            interrupter.lower()
            state.isClosed = false
            return state.next().map { [$0] } ?? []
        }
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

    /// Waits until a ticket's work may run.
    ///
    /// - Returns: False if its task is canceled and the gate is closed.
    private func waitForTurn(_ ticket: Int, isolation actor: isolated any Actor) async -> Bool {
        // Almost always no wait is needed.
        if state.withLock({ $0.admits(ticket) }) { return true }
        return await withTaskCancellationHandler {
            _ = actor  // The closure stays on the actor only if it names it.
            while true {
                // The gate may have closed again before the continuation was resumed.
                let isAdmitted: Bool? = state.withLock { state in
                    if state.admits(ticket) { return true }
                    return state.isClosed && state.canceled.contains(ticket) ? false : nil
                }
                if let isAdmitted { return isAdmitted }
                await withCheckedContinuation { continuation in
                    let waits = state.withLock { state in
                        let isUseless = state.isClosed && state.canceled.contains(ticket)
                        let waits = !state.admits(ticket) && !isUseless
                        if waits { state.waiting[ticket] = continuation }
                        return waits
                    }
                    if !waits { continuation.resume() }
                }
            }
        } onCancel: {
            cancel(ticket)
        }
    }

    /// Ends the wait of a canceled task at the closed gate, now or when the gate closes.
    private func cancel(_ ticket: Int) {
        let useless = state.withLock { state in
            state.canceled.insert(ticket)
            return state.useless()
        }
        useless.resume()
    }

    private func leave(_ ticket: Int) {
        // Almost always no other work is queued.
        let isOver = state.withLock { state in
            guard state.tickets.count == 1, state.draining.isEmpty, state.canceled.isEmpty
            else { return false }
            state.tickets.removeLast()
            return true
        }
        if isOver { return }
        let (next, drained) = state.withLock { state in
            if let index = state.tickets.firstIndex(of: ticket) { state.tickets.remove(at: index) }
            state.canceled.remove(ticket)
            let drained = state.tickets.isEmpty ? state.draining : []
            if !drained.isEmpty { state.draining = [] }
            return (state.next(), drained)
        }
        next?.resume()
        drained.resume()
    }
}

extension [SuspensionGate.Waiter] {
    package func resume() { for waiter in self { waiter.resume() } }
}
