// SPDX-License-Identifier: Apache-2.0

import RoostServer
import Testing

struct LatencyCountsTests {
    private static func counts(_ waits: [Int64]) -> LatencyCounts {
        var counts = LatencyCounts()
        for wait in waits { counts.note(milliseconds: wait) }
        return counts
    }

    @Test func `a short wait is exact, and a long one within a quarter`() {
        for wait in (0..<400).map({ Int64($0) }) + [1_000, 59_999, 600_000] {
            let found = Self.counts([wait]).quantile(0.5) ?? -1
            #expect(found >= wait)
            #expect(found <= (wait < 16 ? wait : wait + wait / 4), "\(wait) became \(found)")
        }
    }

    @Test func `quantiles are those of the sorted waits`() {
        let counts = Self.counts([1, 1, 2, 3, 4, 5, 6, 7, 8, 9])
        #expect(counts.quantile(0.5) == 4)
        #expect(counts.quantile(0.9) == 8)
        #expect(counts.quantile(0.99) == 9)
        #expect(counts.quantile(0) == 1)
        #expect(LatencyCounts().quantile(0.5) == nil)
    }

    @Test func `a period has the waits since its beginning`() {
        let before = Self.counts([1, 1, 1])
        var after = before
        for _ in 0..<3 { after.note(milliseconds: 12) }
        #expect(after.since(before).total == 3)
        #expect(after.since(before).quantile(0.5) == 12)
    }

    @Test func `no wait is refused`() {
        #expect(Self.counts([.min]).quantile(1) == 0)
        #expect((Self.counts([.max]).quantile(1) ?? 0) > 600_000)
    }
}
