// SPDX-License-Identifier: Apache-2.0

/// How large the cache may become, and how far a trim takes it down.
package struct CacheBudget: Hashable, Sendable {
    /// As asked for, raised to `minimumMegabytes` where it was less (R119).
    package let megabytes: Int64

    package static let defaultMegabytes: Int64 = 256
    package static let minimumMegabytes: Int64 = 64
    private static let bytesPerMegabyte: Int64 = 1_048_576

    package init(megabytes: Int64 = Self.defaultMegabytes) {
        self.megabytes = max(megabytes, Self.minimumMegabytes)
    }

    /// Reaching this many bytes is reaching the limit; `Int64.max` where the product would be more.
    package var limit: Int64 {
        let (bytes, overflow) = megabytes.multipliedReportingOverflow(by: Self.bytesPerMegabyte)
        return overflow ? .max : bytes
    }

    /// Where a trim stops: an eighth below the limit.
    ///
    /// Stopping at the limit itself would make the next page of history trim again; every channel
    /// taken beyond need must be fetched again. An eighth of the default is some 130,000 messages.
    package var target: Int64 { limit - limit / 8 }

    /// Whether a cache of this size has to be trimmed.
    package func isReached(by size: Int64) -> Bool { size >= limit }
}
