// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The numbers of a peer as values with a range.
///
/// A number that says what an object is, or where it stands, must lie in its range, or the object cannot be
/// read. A number that only describes becomes the nearest one of its range.
extension JSONReader {
    /// The most of anything that a peer can count.
    package static let counts = 0...Int(Int32.max)
    /// The sizes of files, in bytes: up to 2^53, which every client can hold.
    static let fileSizes: ClosedRange<Int64> = 0...(1 << 53)

    /// Reads the place of a message in time, in milliseconds of 1970 to 9999; nil for null.
    ///
    /// - Throws: `.outOfRange` for any other number.
    mutating func readPlaceInTime() throws(WireError) -> Timestamp? {
        let start = position
        guard let value = try readInt64IfPresent() else { return nil }
        let moment = Timestamp(milliseconds: value)
        guard Timestamp.told.contains(moment) else {
            throw WireError(
                .outOfRange, offset: start,
                message: "The moment lies before 1970 or after the year 9999.")
        }
        return moment
    }

    /// Reads a moment in milliseconds, at most the end of the year 9999; nil for null, 0 and less, which
    /// mean "never".
    mutating func readMoment() throws(WireError) -> Timestamp? {
        guard let value = try readInt64IfPresent(), value > 0 else { return nil }
        return Timestamp(milliseconds: value).clamped(to: Timestamp.told)
    }

    /// Reads a moment in whole seconds, at most the end of the year 9999; nil for null, 0 and less.
    mutating func readSeconds() throws(WireError) -> Timestamp? {
        guard let value = try readInt64IfPresent(), value > 0 else { return nil }
        return Timestamp(seconds: value).clamped(to: Timestamp.told)
    }

    /// Reads the ID of a message, 1 to 2^63 - 1; nil for null, 0 and less.
    mutating func readMessageID() throws(WireError) -> MessageID? {
        guard let value = try readInt64IfPresent(), value > 0 else { return nil }
        return MessageID(value)
    }

    /// Reads a count, 0 to 2^31 - 1; nil for null.
    mutating func readCount() throws(WireError) -> Int? {
        try readIntIfPresent().map { $0.clamped(to: Self.counts) }
    }

    /// Reads a number of seconds or hours; nil for null and less than 0, which mean "without end".
    mutating func readLimit() throws(WireError) -> Int? {
        guard let value = try readIntIfPresent(), value >= 0 else { return nil }
        return value.clamped(to: Self.counts)
    }

    /// Reads the size of a file in bytes, 0 to 2^53; nil for null.
    mutating func readFileSize() throws(WireError) -> Int64? {
        try readInt64IfPresent().map { $0.clamped(to: Self.fileSizes) }
    }

    /// Reads a wait in whole seconds, within `Duration.told`; nil for null.
    mutating func readDuration() throws(WireError) -> Duration? {
        try readInt64IfPresent().map { Duration.seconds($0).clamped(to: Duration.told) }
    }

    /// Reads a wait in whole milliseconds, within `Duration.told`; nil for null.
    mutating func readMilliseconds() throws(WireError) -> Duration? {
        try readInt64IfPresent().map { Duration.milliseconds($0).clamped(to: Duration.told) }
    }
}
