// SPDX-License-Identifier: Apache-2.0

/// The summary of a stretch of messages that two ends compare: a count, and a digest of positions
/// and edits.
///
/// The digest is a sum, so the order does not matter. It detects missing, surplus and differently
/// edited messages; it is no protection against a deliberate collision.
package struct MessageFingerprint: Hashable, Codable, Sendable {
    package var count: Int
    package var digest: UInt64

    package init(count: Int = 0, digest: UInt64 = 0) {
        self.count = count
        self.digest = digest
    }

    package mutating func add(_ place: Position, editedAt: Timestamp?) {
        count += 1
        var state = Self.mixed(UInt64(bitPattern: place.messageID.rawValue))
        state = Self.mixed(state ^ UInt64(bitPattern: place.createdAt.milliseconds))
        // A message that was never edited counts as edited at time 0.
        state = Self.mixed(state ^ UInt64(bitPattern: editedAt?.milliseconds ?? 0))
        digest &+= state
    }

    /// Returns the result of SplitMix64's last steps, which spread every bit.
    private static func mixed(_ value: UInt64) -> UInt64 {
        var value = value &+ 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
