// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostServer
import RoostSockets
import RoostWire

/// The part of the traffic that a fault hits, for the log.
struct ChaosTarget: Equatable, Sendable {
    /// The number of the socket, from 1; nil for a call.
    var socket: Int?
    var command: String?
    var requestID: String?
    /// Method and path of a call.
    var call: String?
}

/// The outside of the faults: waits and lines of the log.
struct ChaosWorld: Sendable {
    /// Waits; a cancellation ends the wait early.
    let pause: @Sendable (Duration) async -> Void
    let write: @Sendable (LogLine) -> Void
}

/// The state of a server's faults, shared by its sockets and calls.
///
/// `ChaosMachine` decides; `ChaosHandler` and `ChaosSocket` carry out, where frames and answers
/// leave the server. So no fault reaches the log of a channel or the storage.
final class ChaosLayer: Sendable {
    private struct State {
        var machine: ChaosMachine
        var keys = ChaosKeys()
        var socketCount = 0
        var endSockets: (@Sendable (_ withCloseFrame: Bool) async -> Void)?
    }

    let loop: EventLoop
    private let seed: UInt64
    private let world: ChaosWorld
    private let state: Guarded<State>

    init(_ plan: ChaosPlan, on loop: EventLoop, _ world: ChaosWorld) {
        seed = plan.seed
        self.loop = loop
        self.world = world
        state = Guarded(State(machine: ChaosMachine(plan)))
    }

    /// Sets the action of a restart; before that restarts do nothing.
    func attach(_ endSockets: @escaping @Sendable (_ withCloseFrame: Bool) async -> Void) {
        state.withLock { $0.endSockets = endSockets }
    }

    /// Counts an occasion, and writes the line of its fault.
    func decide(
        _ occasion: ChaosOccasion, of user: String, _ target: ChaosTarget
    ) -> ChaosHarm? {
        guard let fault = state.withLock({ $0.machine.decide(occasion, of: user) }) else {
            return nil
        }
        world.write(Self.line(fault, target, seed: seed))
        return fault.harm
    }

    /// Returns the line of a fault, with all that its repetition needs.
    static func line(_ fault: ChaosFault, _ target: ChaosTarget, seed: UInt64) -> LogLine {
        var fields: [JSONValue.Field] = [
            .init("number", .int(Int64(fault.number))), .init("kind", .string(fault.kind.rawValue)),
            .init("user", .string(fault.user)), .init("nth", .int(Int64(fault.place))),
        ]
        if let socket = target.socket { fields.append(.init("socket", .int(Int64(socket)))) }
        for (name, text) in [
            ("command", target.command), ("request", target.requestID), ("call", target.call),
        ] {
            if let text { fields.append(.init(name, .string(text))) }
        }
        for (name, value) in fault.harm.measures { fields.append(.init(name, .int(value))) }
        fields.append(.init("seed", .int(Int64(clamping: seed))))
        return LogLine(.warning, "chaos", fields)
    }

    // MARK: Effects

    func pause(_ milliseconds: Int64) async { await world.pause(.milliseconds(milliseconds)) }

    /// Does something later, on the event loop.
    func later(_ milliseconds: Int64, _ work: @escaping @Sendable () -> Void) {
        // It ends by itself after a minute at most, and holds one connection.
        Task(executorPreference: loop) { [world] in
            await world.pause(.milliseconds(milliseconds))
            work()
        }
    }

    /// Ends all sockets at once, as the end of the process would.
    func endSockets(withCloseFrame hasFrame: Bool) async {
        guard let endSockets = state.withLock({ $0.endSockets }) else { return }
        await endSockets(hasFrame)
    }

    // MARK: Sockets and session keys

    /// Returns the number of a new socket.
    func nextSocket() -> Int {
        state.withLock { state in
            state.socketCount += 1
            return state.socketCount
        }
    }

    func learn(_ key: String, of user: String) {
        state.withLock { $0.keys.learn(key, of: user) }
    }

    func user(of key: String?) -> String? { state.withLock { $0.keys.user(of: key) } }

    func end(_ key: String) { state.withLock { $0.keys.end(key) } }

    func isEnded(_ key: String?) -> Bool { state.withLock { $0.keys.isEnded(key) } }
}

extension ServerError {
    /// The answer to a session key that is over.
    static let endedByChaos = ServerError(
        .sessionKeyExpired, "The session key has expired; ask for another with a token.")
}
