// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostPages
import Testing

struct MeasuresTests {
    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1_000, "1 kB"), (31_499, "31 kB"), (31_500, "32 kB"),
            (1_000_000, "1.0 MB"), (4_249_999, "4.2 MB"), (4_250_000, "4.3 MB"),
            (1_999_950_000, "2000.0 MB"),
        ] as [(Int64, String)])
    func `a size has a unit of a thousand`(bytes: Int64, text: String) {
        #expect(Measures.size(bytes) == text)
    }

    @Test(
        arguments: [
            (0, "0 s"), (59_999, "59 s"), (60_000, "1 min"), (3_599_999, "59 min"),
            (3_600_000, "1 h"),
            (172_799_999, "47 h"), (172_800_000, "2 days"), (-5_000, "0 s"),
        ] as [(Int64, String)])
    func `an age is rounded down, and never negative`(ageMS: Int64, text: String) {
        let now = Timestamp(milliseconds: 1_000_000_000_000)
        let moment = Timestamp(milliseconds: now.milliseconds - ageMS)
        #expect(Measures.age(of: moment, now: now) == text)
    }

    @Test func `the age of the distant past is zero`() {
        #expect(Measures.age(of: .distantPast, now: .distantFuture) == "0 s")
    }

    @Test(arguments: [(0, "0 holes"), (1, "1 hole"), (2, "2 holes")])
    func `the number one has the singular`(number: Int, text: String) {
        #expect(Measures.count(number, "hole") == text)
    }
}
