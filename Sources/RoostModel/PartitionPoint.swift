// SPDX-License-Identifier: Apache-2.0

extension Array {
    /// Returns the number of elements that meet a condition, all of which are before the rest.
    ///
    /// It is found by binary search. The function is inlinable, because most callers compare
    /// integers.
    ///
    /// - Complexity: O(log n).
    @inlinable
    package func partitionPoint(while belongs: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if belongs(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
