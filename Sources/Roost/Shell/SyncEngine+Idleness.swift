// SPDX-License-Identifier: Apache-2.0

import RoostCore

// The callers that wait until the client has nothing to do.

extension SyncEngine {
    /// Waits until nothing is being connected, fetched or sent; work that waits for its next attempt
    /// does not count.
    ///
    /// - Parameter limit: The longest wait; nil for no limit.
    /// - Returns: Whether nothing is left to do, neither now nor in a later attempt.
    @discardableResult
    func waitUntilIdle(atMost limit: Duration? = nil) async -> Bool {
        if machine.isBusy, !isClosed {
            lastIdleWaiter += 1
            let number = lastIdleWaiter
            if let limit {
                idleTimers.arm(number, for: limit, in: world) { timer in
                    await self.idleIsOverdue(number, timer)
                }
            }
            await withCheckedContinuation { idleWaiters[number] = $0 }
            idleTimers.disarm(number)
        }
        return !machine.isRetrying && !sync.outbox.isResting && !machine.isBusy
    }

    private func idleIsOverdue(_ number: Int, _ timer: Int) {
        guard idleTimers.claim(number, timer) else { return }
        idleWaiters.removeValue(forKey: number)?.resume()
    }

    func resumeIdleWaiters() {
        guard !idleWaiters.isEmpty, !machine.isBusy else { return }
        endIdleWaits()
    }

    func endIdleWaits() {
        let waiters = idleWaiters
        idleWaiters = [:]
        for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter.resume() }
    }
}
