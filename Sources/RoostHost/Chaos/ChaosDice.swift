// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The random numbers of one possible fault: seed, kind, user and place give the same ones always.
///
/// A run that consults another kind or another user in between changes none of them.
struct ChaosDice {
    private var state: UInt64

    init(seed: UInt64, kind: ChaosKind, user: String, place: Int) {
        var bytes: [UInt8] = []
        for part in [seed, UInt64(clamping: place)] {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: part >> shift))
            }
        }
        bytes += Array(kind.rawValue.utf8) + [0] + Array(user.utf8)
        // The hashes of the standard library differ from process to process.
        state = bytes.fnv1a
    }

    /// Returns the next number of SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 up to, not including, 1.
    mutating func share() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns a number of a range.
    mutating func number(in range: ClosedRange<Int64>) -> Int64 {
        range.lowerBound + Int64(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    mutating func isHeads() -> Bool { next() & 1 == 1 }
}
