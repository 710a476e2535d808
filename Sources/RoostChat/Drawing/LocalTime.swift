// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// A moment on the reader's clock and calendar.
struct LocalTime: Hashable {
    let year: Int
    let month: Int
    let day: Int
    let weekday: Int
    let hour: Int
    let minute: Int

    init(_ moment: Timestamp, in zone: TimeZone) {
        // The years 1 to 9999; a peer may send any number.
        let range = Int64(-62_135_596_800_000)...253_402_214_400_000
        let moment = min(max(moment.milliseconds, range.lowerBound), range.upperBound)
        let date = Date(timeIntervalSince1970: Double(moment) / 1_000)
        let seconds = Int((Double(moment) / 1_000).rounded(.down)) + zone.secondsFromGMT(for: date)
        let days = Int((Double(seconds) / 86_400).rounded(.down))
        let rest = seconds - days * 86_400
        (hour, minute) = (rest / 3_600, rest % 3_600 / 60)
        weekday = ((days % 7) + 11) % 7  // 1 January 1970 was a Thursday, 4.
        // The calendar in eras of 400 years that begin in March.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * part + 2) / 5 + 1
        month = part < 10 ? part + 3 : part - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// `09:05`.
    var clock: String { "\(Self.two(hour)):\(Self.two(minute))" }

    /// `Friday 27 November 2026`.
    var date: String { "\(Self.weekdays[weekday]) \(day) \(Self.months[month - 1]) \(year)" }

    /// `27 Nov`.
    var shortDate: String { "\(day) \(Self.months[month - 1].prefix(3))" }

    func isOnDay(of other: LocalTime) -> Bool {
        (year, month, day) == (other.year, other.month, other.day)
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static let weekdays = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]
}

/// Sizes of files in words.
enum FileSize {
    /// Returns a size such as `12.3 kB`.
    static func text(_ bytes: Int64) -> String {
        var (value, unit) = (Double(max(bytes, 0)), 0)
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        while value >= 1_000, unit < units.count - 1 {
            value /= 1_000
            unit += 1
        }
        guard unit > 0 else { return "\(max(bytes, 0)) B" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
