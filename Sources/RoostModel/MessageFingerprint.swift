// SPDX-License-Identifier: Apache-2.0

/// What two ends compare instead of a stretch of messages: how many there are, and a digest of their places
/// and edits.
///
/// The digest is a sum, so that the order does not matter. It tells a message that is missing, too many, or
/// not as it was edited last; it is no protection against somebody who wants two to be alike.
package struct MessageFingerprint: Hashable, Sendable {
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
        // One that was never edited is one that was edited at no time.
        state = Self.mixed(state ^ UInt64(bitPattern: editedAt?.milliseconds ?? 0))
        digest &+= state
    }

    /// The last steps of SplitMix64, which leave no bit where it was.
    private static func mixed(_ value: UInt64) -> UInt64 {
        var value = value &+ 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
