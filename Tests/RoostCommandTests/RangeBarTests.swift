// SPDX-License-Identifier: Apache-2.0

import RoostCommand
import RoostCore
import RoostModel
import Testing

struct RangeBarTests {
    private static func position(_ milliseconds: Int64) -> Position {
        Position(
            createdAt: Timestamp(milliseconds: milliseconds), messageID: MessageID(milliseconds))
    }

    private static func coverage(_ ranges: [(Int64?, Int64)]) -> Coverage {
        Coverage(
            ranges.map { lower, upper in
                CoveredRange(
                    lower: lower.map { position($0) } ?? .distantPast, upper: position(upper))
            })
    }

    @Test(
        arguments: [
            // Without any range.
            ([], "┄░░░░░░░░░░┤"),
            // The whole history.
            ([(nil, 100)], "├██████████┤"),
            // Messages older than the oldest known one may exist.
            ([(10, 100)], "┄░█████████┤"),
            // A cell is a length of time.
            ([(nil, 0), (400, 800)], "├█░░░░░████┤"),
            ([(0, 400), (800, 800)], "┄░████░░░░█┤"),
            // A short hole in a long history stays visible.
            ([(0, 1_000_000), (1_000_002, 1_000_003)], "┄░███████░█┤"),
            // Ranges without a length share the cells equally.
            ([(nil, 5), (5, 5)], "├██████████┤"),
        ] as [([(Int64?, Int64)], String)])
    func `a bar shows covered ranges by time`(ranges: [(Int64?, Int64)], bar: String) {
        #expect(RangeBar(Self.coverage(ranges), width: 10).bar == bar)
    }

    @Test func `a bar with too many ranges shows the newest and an ellipsis`() {
        let ranges: [(Int64?, Int64)] = (0..<30).map { (index: Int64) in
            (index * 10, index * 10 + 5)
        }
        let bar = RangeBar(Self.coverage(ranges), width: 6).bar
        #expect(bar == "…░█░█░█┤")
    }

    @Test(arguments: 2..<60)
    func `a bar has its width with any ranges`(width: Int) {
        let ranges: [(Int64?, Int64)] = (0..<7).map { (index: Int64) in
            let start = index * index * 100
            return (start, start + index)
        }
        #expect(RangeBar(Self.coverage(ranges), width: width).bar.count == width + 2)
    }

    @Test func `the ends are the first and last known time`() {
        let bar = RangeBar(Self.coverage([(10, 20), (40, 50)]), width: 10)
        #expect(bar.first == Timestamp(milliseconds: 10))
        #expect(bar.last == Timestamp(milliseconds: 50))
        #expect(RangeBar(Self.coverage([(nil, 20)]), width: 10).first == nil)
        #expect(RangeBar(Coverage(), width: 10).last == nil)
    }
}
