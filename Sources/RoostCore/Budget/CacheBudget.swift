// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The size limit of a cache, and the size to which a trim goes down.
///
/// A trim evicts channels until the cache has this size (`EvictionPlan`).
package struct CacheBudget: Equatable, Sendable {
    /// The size in bytes at which the limit is reached; `Int64.max` for no limit.
    package let limit: Int64

    package static let standard = ByteCount(mebibytes: 256)
    private static let least = ByteCount(mebibytes: 64)

    /// Makes the budget of a configured limit, raised to the least one if it is less (R119).
    package init(_ maxSize: ByteCount = Self.standard) {
        limit = max(maxSize, Self.least).bytes
    }

    /// The size at which a trim stops: an eighth below the limit.
    ///
    /// A trim to the limit itself would be repeated after the next page of history. A trim to much
    /// less would evict channels without need, which must then be fetched again. An eighth of the
    /// default is some 130,000 messages.
    package var target: Int64 { limit - limit / 8 }

    /// Whether a cache of this size has to be trimmed.
    package func isReached(by size: Int64) -> Bool { size >= limit }
}
