// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Dates for people, in UTC.
package enum UTCDate {
    /// Returns a moment as `2026-03-01 10:22:03`; "the beginning" and "now" for the ends of time.
    package static func text(_ moment: Timestamp) -> String {
        switch moment {
        case .distantPast: "the beginning"
        case .distantFuture: "now"
        default: date(moment, between: " ")
        }
    }

    /// Returns a moment as a machine reads it, such as `2026-03-01T10:22:03Z`.
    static func machineText(_ moment: Timestamp) -> String { date(moment, between: "T") + "Z" }

    /// Returns the time of day, such as `10:22:03`.
    static func time(_ moment: Timestamp) -> String {
        let second = positive(moment.seconds, modulo: 86_400)
        return "\(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60))"
    }

    private static func date(_ moment: Timestamp, between separator: String) -> String {
        let second = positive(moment.seconds, modulo: 86_400)
        // Days since 1 March of the year 0, so that a leap day is the last one of its year
        // (Howard Hinnant, "chrono-compatible low-level date algorithms").
        let days = (moment.seconds - second) / 86_400 + 719_468
        let dayOfEra = positive(days, modulo: 146_097)
        let era = (days - dayOfEra) / 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
        return "\(year)-\(two(month < 10 ? month + 3 : month - 9))-\(two(day))\(separator)"
            + time(moment)
    }

    private static func positive(_ number: Int64, modulo divisor: Int64) -> Int64 {
        let rest = number % divisor
        return rest < 0 ? rest + divisor : rest
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
