// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
internal import RoostSQLite

/// Whether a store may have files open, and the gates of all that would use them.
///
/// The flag and the gates change together, so a suspension that meets a resumption half-way leaves
/// either everything open or nothing.
final class StoreSwitch: Sendable {
    private struct State {
        var isOn = true
        /// Closed for good: nothing waits any more.
        var isEnded = false
        var gates: [SuspensionGate] = []
        /// The repairs of resumptions that failed later on.
        var repairs = Repairs()
        /// Whether a suspension or a resumption is under way, and who waits for its end.
        var isMoving = false
        var movers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    func makeGate() -> SuspensionGate {
        let gate = SuspensionGate()
        state.withLock { $0.gates.append(gate) }
        return gate
    }

    /// Waits until no suspension and no resumption is under way; one that overlapped another would close
    /// what that has just opened.
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

    /// Interrupts everything; what comes now waits.
    func turnOff() {
        state.withLock { state in
            guard !state.isEnded else { return }
            state.isOn = false
            for gate in state.gates { gate.close() }
        }
    }

    /// Lets files be opened again; work still waits.
    func prepare() { state.withLock { $0.isOn = true } }

    /// Lets a connection be opened, unless everything was turned off meanwhile.
    func admit(_ gate: SuspensionGate) throws(StoreError) {
        let isOn = state.withLock { state in
            if state.isOn { gate.interrupter.lower() }
            return state.isOn
        }
        guard isOn else { throw .suspended }
    }

    /// Lets all work go on, unless everything was turned off meanwhile.
    func turnOn() {
        state.withLock { state in
            guard state.isOn else { return }
            for gate in state.gates { gate.open() }
        }
    }

    /// Interrupts some of the work; what comes of it now waits.
    ///
    /// - Returns: Whether it did; no where everything is turned off.
    func turnOff(_ gates: [SuspensionGate]) -> Bool {
        state.withLock { state in
            guard state.isOn, !state.isEnded else { return false }
            for gate in gates { gate.close() }
            return true
        }
    }

    /// Lets that work go on, unless everything was turned off meanwhile.
    func turnOn(_ gates: [SuspensionGate]) {
        state.withLock { state in
            guard state.isOn else { return }
            for gate in gates { gate.open() }
        }
    }

    func keep(_ repairs: Repairs) {
        state.withLock { $0.repairs = $0.repairs.followed(by: repairs) }
    }

    /// Hands out what was kept, and these.
    func take(_ repairs: Repairs) -> Repairs {
        state.withLock { state in
            defer { state.repairs = Repairs() }
            return state.repairs.followed(by: repairs)
        }
    }

    /// Wakes everybody who waits, to find that the store is closed, and returns when they have gone.
    func end() async {
        let gates = state.withLock { state in
            state.isOn = true
            state.isEnded = true
            for gate in state.gates { gate.open() }
            return state.gates
        }
        for gate in gates { await gate.drain() }
    }
}
