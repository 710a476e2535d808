// SPDX-License-Identifier: Apache-2.0

import RoostSockets

/// Does something again and again, until it is cancelled.
struct Heartbeat: Sendable {
    private let task: Task<Void, Never>

    init(
        every interval: Duration, on loop: EventLoop, _ action: @escaping @Sendable () async -> Void
    ) {
        task = Task(executorPreference: loop) {
            // The real clock, as everything below `Live/`: what is due is decided by the core, which tests
            // call with a time of theirs. Only a cancellation ends the sleep early, and then there is
            // nothing left to do.
            while (try? await Task.sleep(for: interval)) != nil { await action() }
        }
    }

    func cancel() { task.cancel() }
}
