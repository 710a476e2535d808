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
                    await withCheckedContinuation { done in
                        pool.run {
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
        pool.run { while !isReleased.withLock({ $0 }) {} }
        for _ in 0..<10 {
            await withCheckedContinuation { done in pool.run { done.resume() } }
        }
        isReleased.withLock { $0 = true }
    }
}
