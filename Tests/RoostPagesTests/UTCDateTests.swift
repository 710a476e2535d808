// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostPages
import Testing

struct UTCDateTests {
    @Test func `dates are those of the calendar, leap days included`() {
        var format = Date.ISO8601FormatStyle()
        format = format.year().month().day().dateTimeSeparator(.space)
            .time(includingFractionalSeconds: false)
        for day in stride(from: -25_000, to: 80_000, by: 13) {
            let second = Int64(day) * 86_400 + Int64(day & 0xFFFF)
            let date = Date(timeIntervalSince1970: Double(second))
            let text = UTCDate.text(Timestamp(milliseconds: second * 1_000 + 7))
            #expect(text == date.formatted(format), "\(second)")
        }
    }

    @Test func `the ends of time have words, and no number is refused`() {
        #expect(UTCDate.text(.distantPast) == "the beginning")
        #expect(UTCDate.text(.distantFuture) == "now")
        #expect(UTCDate.text(Timestamp(milliseconds: .max - 1)).hasSuffix("07:12:55"))
        #expect(UTCDate.text(Timestamp(milliseconds: .min + 1)).contains(":"))
    }
}
