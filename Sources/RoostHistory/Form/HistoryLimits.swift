// SPDX-License-Identifier: Apache-2.0

/// The bounds of everything that a history of a stranger may contain.
package enum HistoryLimits {
    /// The version of the form that this release writes and reads.
    package static let form: Int64 = 1
    /// The most bytes of one line: a snapshot of a hundred thousand messages fits.
    package static let lineBytes = 64 << 20
    /// The most lines of all files together; places count them in 32 bits.
    package static let lines = 1_000_000_000
    /// The most files of one check.
    package static let files = 10_000
    /// The most distinct texts, messages or requests; a number of each has 32 bits.
    static let objects = 1 << 30
    /// The most complaints that are kept; all are counted.
    static let complaints = 1_000
    /// The range of a line's number, which every language can represent.
    package static let numbers: ClosedRange<Int64> = 1...(1 << 53)
    /// The range of a message's ID.
    package static let messageIDs: ClosedRange<Int64> = 1...Int64.max
    /// The range of a moment: milliseconds of 1970 to 9999.
    package static let moments: ClosedRange<Int64> = 0...253_402_300_799_999
    /// The range of an error code.
    package static let codes: ClosedRange<Int64> = -(1 << 31)...(1 << 31)
}
