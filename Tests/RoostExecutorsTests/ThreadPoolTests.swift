// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RoostExecutors
import RoostTestSupport
import Testing

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ThreadPoolTests {
    /// The numbers of running and of finished pieces of work.
    private struct Counts {
        var running = 0
        var most = 0
        var finished = 0
    }

    /// Runs work on a pool, and returns when it has ended.
    ///
    /// - Parameters:
    ///   - pool: The pool.
    ///   - work: The work.
    ///   - afterwards: Called once the pool has accepted or refused the work.
    /// - Returns: False if the pool refused the work.
    private static func perform(
        on pool: ThreadPool, _ work: @escaping @Sendable () -> Void = {},
        afterwards: () -> Void = {}
    ) async -> Bool {
        await withCheckedContinuation { done in
            let isAccepted = pool.run {
                work()
                done.resume(returning: true)
            }
            afterwards()
            if !isAccepted { done.resume(returning: false) }
        }
    }

    @Test func `a pool runs all work, and no more at once than it is wide`() async {
        let pool = ThreadPool(name: "pool", width: 3)
        let counts = Guarded(Counts())
        await withTaskGroup { group in
            for _ in 0..<500 {
                group.addTask {
                    let isAccepted = await Self.perform(on: pool) {
                        counts.withLock {
                            $0.running += 1
                            $0.most = max($0.most, $0.running)
                        }
                        counts.withLock {
                            $0.running -= 1
                            $0.finished += 1
                        }
                    }
                    #expect(isAccepted)
                }
            }
        }
        let end = counts.withLock { $0 }
        #expect(end.finished == 500)
        #expect(1...3 ~= end.most)
    }

    @Test func `work that blocks does not hold up work on the other threads`() async {
        let pool = ThreadPool(name: "pool", width: 2)
        let release = DispatchSemaphore(value: 0)
        let isFirstAccepted = pool.run { release.wait() }
        #expect(isFirstAccepted)
        for _ in 0..<10 {
            let isAccepted = await Self.perform(on: pool)
            #expect(isAccepted)
        }
        release.signal()
    }

    @Test func `work is refused if the system has no thread, and waits if the pool has one`()
        async
    {
        let left = Guarded(0)
        let pool = ThreadPool(name: "pool", width: 3) { name, body in
            let isLeft = left.withLock { left in
                left -= 1
                return left >= 0
            }
            return isLeft && ThreadPool.detachThread(name, body)
        }
        let refused = Guarded(false)
        let isFirstAccepted = pool.run { refused.withLock { $0 = true } }
        #expect(!isFirstAccepted)
        left.withLock { $0 = 1 }
        let release = DispatchSemaphore(value: 0)
        let isSecondAccepted = pool.run { release.wait() }
        #expect(isSecondAccepted)
        let isThirdAccepted = await Self.perform(on: pool, afterwards: { release.signal() })
        #expect(isThirdAccepted)
        #expect(refused.withLock { !$0 })
    }
}
