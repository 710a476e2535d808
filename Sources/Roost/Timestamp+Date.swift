// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel

extension Timestamp {
    /// Creates the moment of a date, to the nearest millisecond; a date beyond all moments becomes
    /// `.distantPast` or `.distantFuture`.
    ///
    /// A message's place and a cursor never come from a date: only the server gives them.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self =
            if milliseconds < -9.2e18 {
                .distantPast
            } else if milliseconds < 9.2e18 {
                Timestamp(milliseconds: Int64(milliseconds))
            } else {
                .distantFuture
            }
    }

    /// The moment as a date, for a calendar or a formatter.
    public var date: Date { Date(self) }
}

extension Date {
    /// Creates the date of a moment.
    public init(_ moment: Timestamp) {
        self.init(timeIntervalSince1970: Double(moment.milliseconds) / 1000)
    }
}
