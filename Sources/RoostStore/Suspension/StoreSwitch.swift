// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
internal import RoostSQLite

/// Whether a store may have files open, and the gates of everything that uses them.
///
/// The flag and the gates change together. So a suspension during a resumption leaves either
/// everything open or nothing.
final class StoreSwitch: Sendable {
    private struct State {
        var isOn = true
        /// Whether the store is closed; then no call waits.
        var isEnded = false
        /// The number of suspensions that are done.
        var suspensions = 0
        var gates: [SuspensionGate] = []
        /// The repairs of resumptions that failed afterwards.
        var repairs = Repairs()
        /// Whether a suspension, a resumption, a repair or the closing is in progress, and the calls
        /// that wait for its end.
        var isMoving = false
        var movers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    func makeGate() -> SuspensionGate {
        let gate = SuspensionGate()
        state.withLock { $0.gates.append(gate) }
        return gate
    }

    /// Waits until no suspension, resumption or repair is in progress; an overlapping one would
    /// close files that the other has just opened.
    func beginMove() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isMoving {
                    state.movers.append(continuation)
                    return false
                }
                state.isMoving = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func endMove() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.movers.isEmpty else {
                state.isMoving = false
                return nil
            }
            return state.movers.removeFirst()
        }
        next?.resume()
    }

    /// Interrupts all work; new work waits.
    func turnOff() {
        let useless = state.withLock { state -> [SuspensionGate.Waiter] in
            guard !state.isEnded else { return [] }
            state.isOn = false
            return state.gates.flatMap { $0.close() }
        }
        useless.resume()
    }

    /// Whether the store may have files open.
    var isOn: Bool { state.withLock { $0.isOn } }

    /// Counts a suspension that is done; its move has not ended.
    func noteSuspension() { state.withLock { $0.suspensions += 1 } }

    /// The number of suspensions that are done; nil while everything is turned off.
    var suspensionsWhileOn: Int? {
        state.withLock { $0.isOn ? $0.suspensions : nil }
    }

    /// Permits opening files again; work still waits.
    func prepare() { state.withLock { $0.isOn = true } }

    /// Permits opening a connection, unless everything was turned off meanwhile.
    func admit(_ gate: SuspensionGate) throws(StoreError) {
        let isOn = state.withLock { state in
            if state.isOn { gate.interrupter.lower() }
            return state.isOn
        }
        guard isOn else { throw .suspended }
    }

    /// Lets all work continue, unless everything was turned off meanwhile.
    func turnOn() {
        let next = state.withLock { state -> [SuspensionGate.Waiter] in
            state.isOn ? state.gates.flatMap { $0.open() } : []
        }
        next.resume()
    }

    /// Interrupts the work of some gates; their new work waits.
    ///
    /// - Returns: False if everything is turned off.
    func turnOff(_ gates: [SuspensionGate]) -> Bool {
        let useless = state.withLock { state -> [SuspensionGate.Waiter]? in
            guard state.isOn, !state.isEnded else { return nil }
            return gates.flatMap { $0.close() }
        }
        useless?.resume()
        return useless != nil
    }

    /// Lets the work of some gates continue, unless everything was turned off meanwhile.
    func turnOn(_ gates: [SuspensionGate]) {
        let next = state.withLock { state -> [SuspensionGate.Waiter] in
            state.isOn ? gates.flatMap { $0.open() } : []
        }
        next.resume()
    }

    func keep(_ repairs: Repairs) {
        state.withLock { $0.repairs = $0.repairs.followed(by: repairs) }
    }

    /// Returns these repairs together with the kept ones, which are cleared.
    func take(_ repairs: Repairs) -> Repairs {
        state.withLock { state in
            defer { state.repairs = Repairs() }
            return state.repairs.followed(by: repairs)
        }
    }

    /// Wakes every waiting call with the error that the store is closed, and returns when all have
    /// ended.
    func end() async {
        let (gates, next) = state.withLock { state in
            state.isOn = true
            state.isEnded = true
            return (state.gates, state.gates.flatMap { $0.open() })
        }
        next.resume()
        for gate in gates { await gate.drain() }
    }
}
