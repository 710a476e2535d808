// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostTestSupport
import Testing

struct CoverageTests {
    private static func at(_ id: Int64) -> Position {
        Position(createdAt: Timestamp(milliseconds: 0), messageID: MessageID(id))
    }

    private static func range(_ lower: Int64, _ upper: Int64, after id: Int64? = nil)
        -> CoveredRange
    {
        CoveredRange(lower: at(lower), upper: at(upper), predecessor: id.map { MessageID($0) })
    }

    @Test(arguments: [
        ("contains", [range(10, 20)], range(5, 30), [range(5, 30)]),
        ("is contained", [range(10, 20)], range(12, 15), [range(10, 20)]),
        ("is equal", [range(10, 20)], range(10, 20), [range(10, 20)]),
        ("touches above", [range(10, 20)], range(21, 25), [range(10, 25)]),
        ("touches below", [range(10, 20)], range(5, 9), [range(5, 20)]),
        ("crosses above", [range(10, 20)], range(15, 25), [range(10, 25)]),
        ("crosses below", [range(10, 20)], range(5, 15), [range(5, 20)]),
        ("shares one point", [range(10, 20)], range(20, 30), [range(10, 30)]),
        ("stands apart", [range(10, 20)], range(22, 30), [range(10, 20), range(22, 30)]),
        (
            "swallows several", [range(1, 2), range(5, 6), range(9, 10)], range(2, 9),
            [range(1, 10)]
        ),
        ("is a single point", [range(10, 20)], range(22, 22), [range(10, 20), range(22, 22)]),
    ])
    func `a new range joins exactly the ranges it meets (scar 29)`(
        name: String, before: [CoveredRange], new: CoveredRange, after: [CoveredRange]
    ) {
        var coverage = Coverage(before)
        coverage.insert(new)
        #expect(coverage.ranges == after, "\(name)")
    }

    @Test func `neighbours in the cache are not joined without a statement (scar 4)`() {
        var coverage = Coverage([Self.range(1, 4)])
        coverage.insert(Self.range(50, 50, after: 49))
        #expect(coverage.ranges.count == 2)
        let hole = Hole(.between, from: Self.at(5), through: Self.at(49))
        #expect(coverage.holes.last == hole)
    }

    @Test func `a live message extends the range of its predecessor`() {
        var coverage = Coverage([Self.range(1, 4)])
        coverage.insert(Self.range(9, 9, after: 4))
        #expect(coverage.ranges == [Self.range(1, 9)])
    }

    @Test func `a late predecessor joins separate ranges`() {
        var coverage = Coverage([Self.range(9, 12, after: 7)])
        coverage.insert(Self.range(20, 20, after: 12))
        coverage.insert(Self.range(3, 7))
        #expect(coverage.ranges == [Self.range(3, 20)])
    }

    @Test func `a predecessor after its own message states nothing`() {
        var coverage = Coverage([Self.range(20, 30)])
        coverage.insert(Self.range(5, 5, after: 30))
        #expect(coverage.ranges.count == 2)
    }

    @Test func `history has a hole before its oldest range until its start is known (scar 27)`() {
        var coverage = Coverage([Self.range(10, 20)])
        #expect(coverage.holes == [Hole(.beginning, from: .distantPast, through: Self.at(9))])
        coverage.insert(CoveredRange(lower: .distantPast, upper: Self.at(10)))
        #expect(coverage.holes.isEmpty)
        #expect(coverage.newest?.startsHistory == true)
    }

    @Test func `the extremes of time are valid positions (scar 31)`() {
        var coverage = Coverage()
        coverage.insert(CoveredRange(lower: .distantPast, upper: .distantFuture))
        coverage.subtract(lower: Self.at(5), upper: Self.at(7))
        coverage.subtract(lower: .distantFuture, upper: .distantFuture)
        #expect(coverage.range(containing: .distantPast)?.upper == Self.at(4))
        #expect(coverage.range(containing: Self.at(6)) == nil)
        #expect(coverage.range(containing: .distantFuture) == nil)
        coverage.subtract(lower: .distantPast, upper: .distantFuture)
        #expect(coverage.isEmpty)
    }

    /// Positions in order of their index, the first and last of them the extremes.
    private static let places: [Position] =
        [.distantPast] + (1..<47).map { at($0) } + [.distantFuture]

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `the set equals a bitmap under random changes (scars 29, 31)`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var coverage = Coverage()
        var bitmap = [Bool](repeating: false, count: Self.places.count)
        for _ in 0..<60 {
            let one = Int(random.next() % UInt64(Self.places.count))
            let other = Int(random.next() % UInt64(Self.places.count))
            let (low, high) = (min(one, other), max(one, other))
            if random.next() % 3 == 0 {
                coverage.subtract(lower: Self.places[low], upper: Self.places[high])
                for index in low...high { bitmap[index] = false }
            } else {
                coverage.insert(CoveredRange(lower: Self.places[low], upper: Self.places[high]))
                for index in low...high { bitmap[index] = true }
            }
            let known = Self.places.map { coverage.range(containing: $0) != nil }
            #expect(known == bitmap)
            for hole in coverage.holes {
                #expect(coverage.range(containing: hole.lower) == nil)
                #expect(coverage.range(containing: hole.upper) == nil)
                #expect(!coverage.hasKnowledge(after: hole.lower, through: hole.upper))
            }
        }
    }

    @Test func `ranges in any order become the same coverage`() {
        let ranges = [Self.range(1, 2), Self.range(5, 6), Self.range(10, 20)]
        #expect(Coverage(ranges.reversed()) == Coverage(ranges))
        #expect(Coverage([Self.range(5, 9), Self.range(1, 6)]).ranges == [Self.range(1, 9)])
    }

    @Test func `a range that joins another by its predecessor joins all that touch both`() {
        // The join of the first two makes the third one touch.
        var coverage = Coverage([Self.range(1, 5), Self.range(20, 30, after: 15)])
        coverage.insert(Self.range(10, 15, after: 5))
        #expect(coverage.ranges == [Self.range(1, 30)])
    }

    /// The ranges, the end of the removed part, and the ranges that are left.
    private static let cuts: [([CoveredRange], Int64, [CoveredRange])] = [
        ([range(10, 20)], 25, []), ([range(10, 20)], 20, []), ([range(10, 20)], 5, [range(10, 20)]),
        (
            [range(10, 20)], 15,
            [CoveredRange(lower: .distantPast, upper: at(20))]
        ),
        (
            [range(10, 20), range(30, 40)], 25,
            [range(30, 40)]
        ),
    ]

    @Test(arguments: cuts.indices)
    func `a range that reaches over a cut begins with the start of history`(_ index: Int) {
        let (before, end, after) = Self.cuts[index]
        var coverage = Coverage(before)
        coverage.cut(through: Self.at(end))
        #expect(coverage.ranges == after)
    }

    @Test func `there is no position before the first one`() {
        #expect(Position.distantPast.previous == .distantPast)
    }
}
