// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The random numbers of a simulation: the same seed gives the same numbers in the same order.
package final class SimulatedRandom: Sendable {
    private let state: Mutex<UInt64>

    package init(seed: UInt64) { state = Mutex(seed) }

    /// Returns the next number of SplitMix64, which is small and good enough for schedules.
    package func next() -> UInt64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// Begins the numbers of another seed.
    package func restart(from seed: UInt64) { state.withLock { $0 = seed } }

    package func duration(in range: ClosedRange<Int64>) -> Duration {
        .milliseconds(range.lowerBound + Int64(next() % UInt64(range.count)))
    }
}
