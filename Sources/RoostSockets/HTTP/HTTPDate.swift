// SPDX-License-Identifier: Apache-2.0

/// The `Date` header, formatted once per second.
package struct HTTPDate: Sendable {
    private var second: Int64?
    private var text = ""

    package init() {}

    /// Returns the header's value for a number of seconds since 1970.
    package mutating func text(at secondsSince1970: Int64) -> String {
        if second != secondsSince1970 {
            second = secondsSince1970
            text = Self.format(secondsSince1970)
        }
        return text
    }

    /// Formats a moment by RFC 9110: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func format(_ seconds: Int64) -> String {
        let time = CivilTime(seconds)
        let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let clock = [time.hour, time.minute, time.second].map(twoDigits)
        return "\(weekdays[Int(time.weekday)]), \(twoDigits(time.day)) "
            + "\(months[Int(time.month - 1)]) \(time.year) \(clock.joined(separator: ":")) GMT"
    }

    private static func twoDigits(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

/// A moment by calendar and clock of Greenwich.
package struct CivilTime: Hashable, Sendable {
    package let year: Int64
    /// The month, from 1.
    package let month: Int64
    package let day: Int64
    /// The day of the week, from 0 for Sunday.
    package let weekday: Int64
    package let hour: Int64
    package let minute: Int64
    package let second: Int64

    package init(_ secondsSince1970: Int64) {
        let (day, clock) = secondsSince1970.flooredDivision(by: 86_400)
        // The civil date of a day count: years begin in March, so the leap day is last; eras have
        // 400 years or 146,097 days, so all eras are equal.
        let (era, dayOfEra) = (day + 719_468).flooredDivision(by: 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        self.day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        weekday = (day + 4).flooredDivision(by: 7).remainder  // 1 January 1970 was a Thursday.
        (hour, minute, second) = (clock / 3_600, clock / 60 % 60, clock % 60)
    }
}

extension Int64 {
    /// Divides and rounds down, so that moments before 1970 are right too.
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
