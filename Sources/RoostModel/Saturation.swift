// SPDX-License-Identifier: Apache-2.0

// All arithmetic on numbers from outside is here. A result that does not fit becomes the nearest
// value that does, so no peer can end a process with an overflow.

extension FixedWidthInteger {
    /// Returns the sum, clamped to the limits of the type.
    package func addingSaturated(_ other: Self) -> Self {
        let (sum, isTooFar) = addingReportingOverflow(other)
        return isTooFar ? (other < 0 ? .min : .max) : sum
    }

    /// Returns the difference, clamped to the limits of the type.
    package func subtractingSaturated(_ other: Self) -> Self {
        let (difference, isTooFar) = subtractingReportingOverflow(other)
        return isTooFar ? (other < 0 ? .max : .min) : difference
    }

    /// Returns the product, clamped to the limits of the type.
    package func multipliedSaturated(by other: Self) -> Self {
        let (product, isTooFar) = multipliedReportingOverflow(by: other)
        return isTooFar ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}

extension Comparable {
    /// Returns the value, or the nearest bound of the range if it lies outside.
    package func clamped(to range: ClosedRange<Self>) -> Self {
        min(max(self, range.lowerBound), range.upperBound)
    }
}

extension Timestamp {
    /// The range of moments that a peer can name: 1970 to the end of the year 9999.
    package static let wireRange =
        Timestamp(
            milliseconds: 0)...Timestamp(
            milliseconds: 253_402_300_799_999)

    /// Returns the moment this many milliseconds later, clamped to the limits of the type.
    package func advanced(by milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: self.milliseconds.addingSaturated(milliseconds))
    }

    /// Returns the milliseconds from another moment to this one; negative if this one is earlier.
    package func milliseconds(since other: Timestamp) -> Int64 {
        milliseconds.subtractingSaturated(other.milliseconds)
    }

    package static func + (moment: Timestamp, duration: Duration) -> Timestamp {
        moment.advanced(by: duration.wholeMilliseconds)
    }

    package static func - (moment: Timestamp, duration: Duration) -> Timestamp {
        moment.advanced(by: (0 as Int64).subtractingSaturated(duration.wholeMilliseconds))
    }
}

extension MessageID {
    /// The next ID; the largest one is its own successor.
    package var next: MessageID { MessageID(rawValue.addingSaturated(1)) }
    /// The previous ID; the smallest one is its own predecessor.
    package var previous: MessageID { MessageID(rawValue.subtractingSaturated(1)) }
}

extension Duration {
    /// The range of waits that a peer can ask for: 0 to 2^31 - 1 seconds, 68 years.
    package static let wireRange: ClosedRange<Duration> = .zero ... .seconds(Int64(Int32.max))

    /// The duration in whole milliseconds, rounded towards zero.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedSaturated(by: 1_000)
            .addingSaturated(attoseconds / 1_000_000_000_000_000)
    }

    /// The duration in whole seconds, as the protocol counts; a part of a second counts as a whole
    /// one.
    package var wholeSeconds: Int {
        let (seconds, attoseconds) = components
        return Int(clamping: seconds.addingSaturated(attoseconds.signum()))
    }
}
