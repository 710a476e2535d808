// SPDX-License-Identifier: Apache-2.0

// Numbers from outside are added, subtracted and multiplied here and nowhere else: a result that does not
// fit becomes the nearest one that does, so that no peer can end a process by an overflow.

extension FixedWidthInteger {
    /// Returns the sum, or the limit of the type that it passes.
    package func addingSaturated(_ other: Self) -> Self {
        let (sum, isTooFar) = addingReportingOverflow(other)
        return isTooFar ? (other < 0 ? .min : .max) : sum
    }

    /// Returns the difference, or the limit of the type that it passes.
    package func subtractingSaturated(_ other: Self) -> Self {
        let (difference, isTooFar) = subtractingReportingOverflow(other)
        return isTooFar ? (other < 0 ? .max : .min) : difference
    }

    /// Returns the product, or the limit of the type that it passes.
    package func multipliedSaturated(by other: Self) -> Self {
        let (product, isTooFar) = multipliedReportingOverflow(by: other)
        return isTooFar ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}

extension Comparable {
    /// Returns the value itself, or the end of the range that lies nearest to it.
    package func clamped(to range: ClosedRange<Self>) -> Self {
        min(max(self, range.lowerBound), range.upperBound)
    }
}

extension Timestamp {
    /// The moments that a peer can name: 1970 to the end of the year 9999.
    package static let told =
        Timestamp(
            milliseconds: 0)...Timestamp(
            milliseconds: 253_402_300_799_999)

    /// Returns the moment that lies so many milliseconds later, at most an end of time.
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
    /// The next number; the largest is followed by itself.
    package var next: MessageID { MessageID(rawValue.addingSaturated(1)) }
    /// The number before; the smallest is preceded by itself.
    package var previous: MessageID { MessageID(rawValue.subtractingSaturated(1)) }
}

extension Duration {
    /// The waits that a peer can ask for: none to 2^31 - 1 seconds, 68 years.
    package static let told: ClosedRange<Duration> = .zero ... .seconds(Int64(Int32.max))

    /// Whole milliseconds, rounded towards zero.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedSaturated(by: 1_000)
            .addingSaturated(attoseconds / 1_000_000_000_000_000)
    }
}
