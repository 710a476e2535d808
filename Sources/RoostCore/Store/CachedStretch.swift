// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A stretch of a channel's covered messages and its fingerprint.
package struct CachedStretch: Equatable, Codable, Sendable {
    /// The older end; both ends are included, and all of it is covered.
    package let lower: Position
    package let upper: Position
    package let fingerprint: MessageFingerprint

    package init(lower: Position, upper: Position, fingerprint: MessageFingerprint) {
        self.lower = lower
        self.upper = upper
        self.fingerprint = fingerprint
    }
}
