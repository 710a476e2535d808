// SPDX-License-Identifier: Apache-2.0

import RoostSockets

/// The answer to `/health`, from at most one check of the storage per second.
///
/// A check writes to the disk durably, so unbounded checks would be an attack.
actor HealthProbe {
    private let check: @Sendable () async -> Bool
    private let second: @Sendable () -> Int64
    /// The newest check, finished or under way, and the second in which it began.
    private var last: (second: Int64, answer: Task<Bool, Never>)?

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

    func response() async -> HTTPServerResponse {
        let isWell = await isWell()
        return HTTPServerResponse(
            status: isWell ? 200 : 503, headers: ["Content-Type": "application/json"],
            body: Array((isWell ? #"{"status":"ok"}"# : #"{"status":"storage"}"#).utf8))
    }

    private func isWell() async -> Bool {
        let now = second()
        if let last, last.second == now { return await last.answer.value }
        // The task belongs to all requests of this second, so a cancelled one must not cancel it.
        let answer = Task { [check] in await check() }
        last = (now, answer)
        return await answer.value
    }
}
