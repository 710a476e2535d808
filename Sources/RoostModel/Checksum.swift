// SPDX-License-Identifier: Apache-2.0

extension Sequence<UInt8> {
    /// A hash of the bytes (FNV-1a, 64 bits) that is the same in every process and release.
    package var fnv1a: UInt64 {
        reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
