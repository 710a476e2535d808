// SPDX-License-Identifier: Apache-2.0

extension Coverage {
    /// Stops the program if the set is not sorted, disjoint and free of touching neighbours.
    ///
    /// Sets are small (a handful of ranges), so the check stays on in release.
    func checkInvariants() {
        for (left, right) in zip(ranges, ranges.dropFirst()) {
            precondition(
                left.upper < right.lower && left.upper.next < right.lower,
                "Coverage invariant broken: \(left) and \(right) should be one range.")
        }
    }
}
