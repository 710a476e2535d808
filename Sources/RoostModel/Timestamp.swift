// SPDX-License-Identifier: Apache-2.0

/// A moment on the server's clock, in whole milliseconds since 1970.
///
/// Only the server makes these for anything that is ordered or remembered as a cursor; the device's
/// clock never does (`docs/ARCHITECTURE.md`, "Position").
public struct Timestamp: Hashable, Codable, Comparable, Sendable, CustomStringConvertible {
    public let milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The moment a wire field counts in whole seconds; saturates instead of overflowing.
    public init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        self.milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// Before every message; as a starting point, "the oldest".
    public static let distantPast = Timestamp(milliseconds: .min)
    /// After every message; as a starting point, "the latest".
    public static let distantFuture = Timestamp(milliseconds: .max)

    /// Whole seconds, rounded down, as `created_at` of a channel counts them.
    public var seconds: Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    public var description: String { String(milliseconds) }
    public static func < (left: Self, right: Self) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
