// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import Testing

struct ThreadPoolTests {
    /// The numbers of running and of finished pieces of work.
    private struct Counts {
        var running = 0
        var most = 0
        var finished = 0
    }

    @Test func `a pool runs all work, and no more at once than it is wide`() async {
        let pool = ThreadPool(name: "pool", width: 3)
        let counts = Guarded(Counts())
        await withTaskGroup { group in
            for _ in 0..<500 {
                group.addTask {
                    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                        let isAccepted = pool.run {
                            counts.withLock {
                                $0.running += 1
                                $0.most = max($0.most, $0.running)
                            }
                            counts.withLock {
                                $0.running -= 1
                                $0.finished += 1
                            }
                            done.resume()
                        }
                        #expect(isAccepted)
                    }
                }
            }
        }
        let end = counts.withLock { $0 }
        #expect(end.finished == 500)
        #expect(1...3 ~= end.most)
    }

    @Test func `work that blocks does not hold up work on the other threads`() async {
        let pool = ThreadPool(name: "pool", width: 2)
        let isReleased = Guarded(false)
        _ = pool.run { while !isReleased.withLock({ $0 }) {} }
        for _ in 0..<10 {
            await withCheckedContinuation { done in _ = pool.run { done.resume() } }
        }
        isReleased.withLock { $0 = true }
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
        let isReleased = Guarded(false)
        let isSecondAccepted = pool.run { while !isReleased.withLock({ $0 }) {} }
        #expect(isSecondAccepted)
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let isAccepted = pool.run { done.resume() }
            #expect(isAccepted)
            isReleased.withLock { $0 = true }
        }
        #expect(refused.withLock { !$0 })
    }
}
