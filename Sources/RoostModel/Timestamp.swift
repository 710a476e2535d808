// SPDX-License-Identifier: Apache-2.0

/// A moment on the server's clock, in whole milliseconds since 1970.
///
/// Only the server makes the timestamps that order messages or serve as cursors; the device's clock
/// never does (`docs/ARCHITECTURE.md`, "Coverage").
public struct Timestamp: Hashable, Codable, Comparable, Sendable, CustomStringConvertible {
    /// Milliseconds since 1970.
    public let milliseconds: Int64

    /// Creates a moment from milliseconds since 1970.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Creates a moment from a wire field in whole seconds; clamps instead of overflowing.
    public init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        self.milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// The moment before every message; as a starting point, the oldest message.
    public static let distantPast = Timestamp(milliseconds: .min)
    /// The moment after every message; as a starting point, the newest message.
    public static let distantFuture = Timestamp(milliseconds: .max)

    /// Whole seconds, rounded down, as a channel's `created_at` counts them.
    public var seconds: Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The milliseconds in decimal digits; "distant past" or "distant future" for the ends of time.
    public var description: String {
        switch self {
        case .distantPast: "distant past"
        case .distantFuture: "distant future"
        default: String(milliseconds)
        }
    }
    /// Orders by time.
    public static func < (left: Self, right: Self) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
