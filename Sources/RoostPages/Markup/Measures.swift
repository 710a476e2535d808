// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Sizes and ages for people.
package enum Measures {
    /// Returns a size such as `812 B`, `31 kB` or `4.2 MB`; a thousand bytes are a kilobyte.
    package static func size(_ bytes: Int64) -> String {
        switch bytes {
        case ..<1_000: "\(bytes) B"
        case ..<1_000_000: "\((bytes + 500) / 1_000) kB"
        default: "\((bytes + 50_000) / 1_000_000).\((bytes + 50_000) / 100_000 % 10) MB"
        }
    }

    /// Returns an age such as `12 s`, `3 min`, `5 h` or `2 days`, rounded down; `0 s` for a moment
    /// in the future.
    package static func age(of moment: Timestamp, now: Timestamp) -> String {
        let (difference, overflow) = now.milliseconds.subtractingReportingOverflow(
            moment.milliseconds)
        let seconds = overflow ? 0 : max(0, difference / 1_000)
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3_600: return "\(seconds / 60) min"
        case ..<172_800: return "\(seconds / 3_600) h"
        default: return "\(seconds / 86_400) days"
        }
    }

    /// Returns a count such as `1 message` or `2 messages`.
    package static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(self.noun(number, noun))"
    }

    /// Returns the noun behind a number.
    static func noun(_ number: Int, _ noun: String) -> String { number == 1 ? noun : noun + "s" }
}
