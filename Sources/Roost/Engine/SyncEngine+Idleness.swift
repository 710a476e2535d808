// SPDX-License-Identifier: Apache-2.0

import RoostCore

// Work under way, and the callers that wait for its end.

extension SyncEngine {
    /// Starts work that nobody waits for, but that `waitUntilIdle` counts.
    func run(_ work: @escaping @Sendable (SyncEngine) async -> Void) {
        underWay += 1
        // Owned by the count; every piece of work ends by itself when the link is lost.
        Task(executorPreference: executor) {
            await work(self)
            await self.ended()
        }
    }

    func ended() {
        underWay -= 1
        resumeIdleWaiters()
    }

    /// Returns when nothing is being connected, fetched or sent; work that waits for its next try is not.
    ///
    /// - Parameter limit: When to return at the latest; nil for no limit.
    /// - Returns: Whether nothing is left to do: no work is under way, and none waits for its next try.
    @discardableResult
    func waitUntilIdle(atMost limit: Duration? = nil) async -> Bool {
        if isBusy, !isClosed {
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
        return !machine.isRetrying && !sync.outbox.isResting && !isBusy
    }

    private func idleIsOverdue(_ number: Int, _ timer: Int) {
        guard idleTimers.claim(number, timer) else { return }
        idleWaiters.removeValue(forKey: number)?.resume()
    }

    func resumeIdleWaiters() {
        guard !idleWaiters.isEmpty, !isBusy else { return }
        endIdleWaits()
    }

    func endIdleWaits() {
        let waiters = idleWaiters
        idleWaiters = [:]
        for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter.resume() }
    }

    private var isBusy: Bool { underWay > 0 || machine.isBusy }
}
