// SPDX-License-Identifier: Apache-2.0

/// The size limit of a cache, and the size to which a trim goes down.
///
/// A trim evicts channels until the cache has this size (`EvictionPlan`).
package struct CacheBudget: Equatable, Sendable {
    /// The configured limit, raised to `minimumMegabytes` if it was less (R119).
    package let megabytes: Int64

    package static let defaultMegabytes: Int64 = 256
    package static let minimumMegabytes: Int64 = 64
    private static let bytesPerMegabyte: Int64 = 1_048_576

    package init(megabytes: Int64 = Self.defaultMegabytes) {
        self.megabytes = max(megabytes, Self.minimumMegabytes)
    }

    /// The size in bytes at which the limit is reached; `Int64.max` on overflow.
    package var limit: Int64 {
        let (bytes, overflow) = megabytes.multipliedReportingOverflow(by: Self.bytesPerMegabyte)
        return overflow ? .max : bytes
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
