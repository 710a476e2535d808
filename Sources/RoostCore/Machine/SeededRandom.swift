// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A sequence of random numbers that depends on its seed alone (xoshiro256**).
package struct SeededRandom: RandomNumberGenerator, Hashable, Codable, Sendable {
    private var state: [UInt64]

    /// Begins a sequence from four seeds; all zeros are replaced, since they would give zeros for
    /// ever.
    package init(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) {
        state = [a, b, c, d]
        if state.allSatisfy({ $0 == 0 }) { state[0] = 1 }
    }

    package mutating func next() -> UInt64 {
        let result = Self.rotated(state[1] &* 5, by: 7) &* 9
        let shifted = state[1] << 17
        state[2] ^= state[0]
        state[3] ^= state[1]
        state[1] ^= state[2]
        state[0] ^= state[3]
        state[2] ^= shifted
        state[3] = Self.rotated(state[3], by: 45)
        return result
    }

    private static func rotated(_ value: UInt64, by bits: UInt64) -> UInt64 {
        (value << bits) | (value >> (64 - bits))
    }
}

extension SeededRandom {
    package mutating func requestID() -> RequestID { RequestID.random { next() } }
}
