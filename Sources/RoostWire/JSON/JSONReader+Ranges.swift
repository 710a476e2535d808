// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Readers for a peer's numbers, each with a range.
///
/// A number that identifies an object or its position must lie in the range, or the object is
/// refused. A number that only describes is clamped.
extension JSONReader {
    /// The range of all counts.
    package static let counts = 0...Int(Int32.max)
    /// The range of file sizes in bytes, up to 2^53, which every client can represent.
    static let fileSizes: ClosedRange<Int64> = 0...(1 << 53)

    /// Reads a message's time, in milliseconds of 1970 to 9999; nil for null.
    ///
    /// - Throws: `.outOfRange` for any other number.
    mutating func readPlaceInTime() throws(WireError) -> Timestamp? {
        let start = position
        guard let value = try readInt64IfPresent() else { return nil }
        let moment = Timestamp(milliseconds: value)
        guard Timestamp.wireRange.contains(moment) else {
            throw WireError(
                .outOfRange, offset: start,
                message: "The moment lies before 1970 or after the year 9999.")
        }
        return moment
    }

    /// Reads a moment in milliseconds, at most the end of the year 9999; nil for null, 0 and less, which
    /// mean "never".
    mutating func readMoment() throws(WireError) -> Timestamp? {
        guard let value = try readNearestInt64IfPresent(), value > 0 else { return nil }
        return Timestamp(milliseconds: value).clamped(to: Timestamp.wireRange)
    }

    /// Reads a moment in whole seconds, at most the end of the year 9999; nil for null, 0 and less.
    mutating func readSeconds() throws(WireError) -> Timestamp? {
        guard let value = try readNearestInt64IfPresent(), value > 0 else { return nil }
        return Timestamp(seconds: value).clamped(to: Timestamp.wireRange)
    }

    /// Reads the ID of a message, 1 to 2^63 - 1; nil for null, 0 and less.
    mutating func readMessageID() throws(WireError) -> MessageID? {
        guard let value = try readInt64IfPresent(), value > 0 else { return nil }
        return MessageID(value)
    }

    /// Reads a count, 0 to 2^31 - 1; nil for null.
    mutating func readCount() throws(WireError) -> Int? {
        try readNearestInt64IfPresent().map { Int(clamping: $0).clamped(to: Self.counts) }
    }

    /// Reads a number of seconds or hours; nil for null and negative numbers, which mean "no
    /// limit".
    mutating func readLimit() throws(WireError) -> Int? {
        guard let value = try readNearestInt64IfPresent(), value >= 0 else { return nil }
        return Int(clamping: value).clamped(to: Self.counts)
    }

    /// Reads the size of a file in bytes, 0 to 2^53; nil for null.
    mutating func readFileSize() throws(WireError) -> Int64? {
        try readNearestInt64IfPresent().map { $0.clamped(to: Self.fileSizes) }
    }

    /// Reads a wait in whole seconds, within `Duration.wireRange`; nil for null.
    mutating func readDuration() throws(WireError) -> Duration? {
        try readNearestInt64IfPresent().map { Duration.seconds($0).clamped(to: Duration.wireRange) }
    }

    /// Reads a wait in whole milliseconds, within `Duration.wireRange`; nil for null.
    mutating func readMilliseconds() throws(WireError) -> Duration? {
        try readNearestInt64IfPresent().map {
            Duration.milliseconds($0).clamped(to: Duration.wireRange)
        }
    }

    /// Reads a number as the nearest whole one of 64 bits; nil for null and for empty text.
    private mutating func readNearestInt64IfPresent() throws(WireError) -> Int64? {
        try peek() == .number ? try readNearestInt64() : try readInt64IfPresent()
    }
}
