// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import Testing

struct PoolExecutorTests {
    private actor Counter {
        private nonisolated let executor: PoolExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            unsafe executor.asUnownedSerialExecutor()
        }
        private(set) var numbers: [Int] = []

        init(on executor: PoolExecutor) { self.executor = executor }

        func append(_ number: Int) { numbers.append(number) }
    }

    @Test func `actors that share it never run at the same time, from however many threads`()
        async
    {
        let executor = PoolExecutor()
        let counters = (0..<4).map { _ in Counter(on: executor) }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1_000 {
                group.addTask { await counters[number % 4].append(number) }
            }
        }
        var all: [Int] = []
        for counter in counters { all += await counter.numbers }
        #expect(all.sorted() == Array(0..<1_000))
    }

    @Test func `one caller's calls run in the order of the calls`() async {
        let counter = Counter(on: PoolExecutor())
        for number in 0..<1_000 { await counter.append(number) }
        #expect(await counter.numbers == Array(0..<1_000))
    }
}
