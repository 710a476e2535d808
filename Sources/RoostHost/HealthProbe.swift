// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostSockets

/// The answers to `/health` and `/ready`, from at most one check of the storage per second and at once.
///
/// A check writes to the disk durably, so unbounded checks would be an attack. While a database waits
/// for its standby, each one holds a session, which reads could use.
actor HealthProbe {
    private let check: @Sendable () async -> Bool
    private let second: @Sendable () -> Int64
    /// The newest check, finished or under way, and the second in which it began.
    private var last: (second: Int64, answer: Task<Bool, Never>)?
    private var isChecking = false
    private let leaving = Guarded(false)

    /// Prepares a probe.
    ///
    /// - Parameters:
    ///   - second: The present second of any clock.
    ///   - check: Whether the storage works; it may wait for the disk.
    init(
        second: @escaping @Sendable () -> Int64 = EventLoop.systemSeconds,
        check: @escaping @Sendable () async -> Bool
    ) {
        self.second = second
        self.check = check
    }

    /// Whether the server is about to end, so that it accepts no socket any more.
    nonisolated var isLeaving: Bool { leaving.withLock { $0 } }

    nonisolated func leave() { leaving.withLock { $0 = true } }

    /// Answers whether the server works; it does while it says good-bye to its clients.
    func health() async -> HTTPServerResponse { Self.response(await isWell() ? nil : "storage") }

    /// Answers whether a load balancer shall send new connections.
    func readiness() async -> HTTPServerResponse {
        if isLeaving { return Self.response("leaving") }
        return await health()
    }

    private static func response(_ fault: String?) -> HTTPServerResponse {
        HTTPServerResponse(
            status: fault == nil ? 200 : 503, headers: ["Content-Type": "application/json"],
            body: Array(#"{"status":"\#(fault ?? "ok")"}"#.utf8))
    }

    private func isWell() async -> Bool {
        let now = second()
        if let last, last.second == now || isChecking { return await last.answer.value }
        isChecking = true
        // The task belongs to all requests of this second, so a canceled one must not cancel it.
        let answer = Task {
            defer { isChecking = false }
            return await check()
        }
        last = (now, answer)
        return await answer.value
    }
}
