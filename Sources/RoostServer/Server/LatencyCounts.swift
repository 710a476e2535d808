// SPDX-License-Identifier: Apache-2.0

/// The numbers of waits by their length, from which quantiles of any period follow.
///
/// A bucket is as wide as a quarter of its length at most, so a quantile is that exact.
package struct LatencyCounts: Equatable, Sendable {
    /// Waits of up to 15 ms each have their own bucket; each doubling after that has four.
    private static let exact = 16
    /// Longer waits than about 17 minutes count as that.
    private static let bucketCount = exact + 4 * 17

    private var counts = [Int](repeating: 0, count: bucketCount)

    package init() {}

    /// Counts a wait.
    package mutating func note(milliseconds: Int64) {
        counts[Self.bucket(of: max(0, milliseconds))] += 1
    }

    package var total: Int { counts.reduce(0, +) }

    /// Returns the waits since an earlier state of the same counts.
    package func since(_ earlier: LatencyCounts) -> LatencyCounts {
        var difference = self
        for index in counts.indices {
            difference.counts[index] = max(0, counts[index] - earlier.counts[index])
        }
        return difference
    }

    /// Returns the length that a share of the waits does not exceed, in milliseconds; nil without
    /// a wait.
    package func quantile(_ share: Double) -> Int64? {
        let total = total
        guard total > 0 else { return nil }
        // The rank of the wait, from 1.
        let rank = max(
            1, min(total, Int(exactly: (share * Double(total)).rounded(.up)) ?? total))
        var passed = 0
        for (index, count) in counts.enumerated() {
            passed += count
            if passed >= rank { return Self.upperBound(of: index) }
        }
        return Self.upperBound(of: Self.bucketCount - 1)
    }

    private static func bucket(of milliseconds: Int64) -> Int {
        guard milliseconds >= exact else { return Int(milliseconds) }
        let power = Int64.bitWidth - 1 - milliseconds.leadingZeroBitCount
        let quarter = Int(milliseconds >> (power - 2)) & 3
        return min(exact + 4 * (power - 4) + quarter, bucketCount - 1)
    }

    /// Returns the longest wait of a bucket.
    private static func upperBound(of bucket: Int) -> Int64 {
        guard bucket >= exact else { return Int64(bucket) }
        let (power, quarter) = ((bucket - exact) / 4 + 4, (bucket - exact) % 4)
        return (Int64(4 + quarter + 1) << (power - 2)) - 1
    }
}
