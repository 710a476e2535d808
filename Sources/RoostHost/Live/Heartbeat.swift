// SPDX-License-Identifier: Apache-2.0

import RoostSockets

/// A repeated action, until it is canceled.
struct Heartbeat: Sendable {
    private let task: Task<Void, Never>

    init(
        every interval: Duration, on loop: EventLoop, _ action: @escaping @Sendable () async -> Void
    ) {
        task = Task(executorPreference: loop) {
            // The real clock, as everything below `Live/`. The server without sockets decides what
            // is due, and its tests use their own time. Only a cancellation ends the sleep early.
            while (try? await Task.sleep(for: interval)) != nil { await action() }
        }
    }

    func cancel() { task.cancel() }
}
