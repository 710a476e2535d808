// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A stretch of a channel's known messages and its fingerprint.
package struct CachedStretch: Hashable, Sendable {
    /// Both ends included; all of it is known.
    package let lower: Position
    package let upper: Position
    package let fingerprint: MessageFingerprint

    package init(lower: Position, upper: Position, fingerprint: MessageFingerprint) {
        self.lower = lower
        self.upper = upper
        self.fingerprint = fingerprint
    }
}
