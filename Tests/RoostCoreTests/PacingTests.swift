// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

struct PageWalkTests {
    private typealias Walk = PageWalk<String, Int>

    /// Returns the verdicts of a walk after each page.
    private static func verdicts(
        from place: String? = nil, _ pages: [(next: String, items: [Int])]
    ) -> [Bool] {
        var walk = Walk(from: place)
        return pages.map { walk.goesOn(to: $0.next, after: $0.items) }
    }

    @Test func `a walk continues while pages bring new items and new places`() {
        let pages = (0..<Walk.pageLimit).map { (next: "p\($0)", items: [$0]) }
        let verdicts = Self.verdicts(pages)
        #expect(verdicts.firstIndex(of: false) == Walk.pageLimit - 1, "its pages are bounded")
    }

    @Test func `a repeated place ends the walk (scar 141)`() {
        #expect(Self.verdicts(from: "a", [("b", [1]), ("a", [2])]) == [true, false])
        #expect(Self.verdicts(from: "a", [("a", [1])]) == [false])
    }

    @Test(arguments: [[], [7]])
    func `pages of known items with ever new places end the walk`(items: [Int]) {
        let verdicts = Self.verdicts((0..<50).map { (next: "p\($0)", items: items) })
        let end = Walk.barrenLimit - 1 + items.count
        #expect(verdicts.firstIndex(of: false) == end)
    }

    @Test func `a few empty pages do not end the walk`() {
        let pages = (0..<100).map { page in
            (next: "p\(page)", items: page.isMultiple(of: Walk.barrenLimit) ? [page] : [])
        }
        #expect(Self.verdicts(pages).allSatisfy { $0 })
    }

    @Test func `a walk begins again once, and never after a page of its own`() {
        var walk = Walk(from: "old")
        let tries = [walk.mayBeginAgain(), walk.mayBeginAgain()]
        #expect(tries == [true, false])
        var other = Walk(from: "old")
        let steps = [other.goesOn(to: "new", after: [1]), other.mayBeginAgain()]
        #expect(steps == [true, false])
    }
}

struct RequestPacingTests {
    /// Returns the number of requests within a time by a caller that repeats at once.
    private static func requests(within seconds: Int64) -> Int {
        var pacing = RequestPacing()
        var now = Int64(1_700_000_000_000)
        let end = now + seconds * 1_000
        var count = 0
        while true {
            let wait = pacing.take(at: Timestamp(milliseconds: now))
            now +=
                wait.components.seconds * 1_000
                + wait.components.attoseconds / 1_000_000_000_000_000
            guard now < end else { return count }
            count += 1
        }
    }

    @Test func `a burst is sent at once`() {
        var pacing = RequestPacing()
        let now = Timestamp(milliseconds: 0)
        for _ in 0..<RequestPacing.burst {
            let wait = pacing.take(at: now)
            #expect(wait == .zero)
        }
        let wait = pacing.take(at: now)
        #expect(wait > .zero)
    }

    @Test func `after a quiet time a whole burst is sent at once again`() {
        var pacing = RequestPacing()
        for now in [0, 60_000] as [Int64] {
            for _ in 0..<RequestPacing.burst {
                let wait = pacing.take(at: Timestamp(milliseconds: now))
                #expect(wait == .zero)
            }
        }
    }

    @Test(arguments: [60, 120, 600] as [Int64])
    func `requests stay below five per second on the average of a minute`(seconds: Int64) {
        #expect(Self.requests(within: seconds) < seconds * 9 / 2)
    }

    @Test func `requests of many callers queue`() {
        var pacing = RequestPacing()
        let now = Timestamp(milliseconds: 0)
        let waits = (0..<120).map { _ in pacing.take(at: now) }
        #expect(waits == waits.sorted())
        #expect(waits.last.map { $0 > .seconds(15) && $0 <= .seconds(60) } == true)
    }

    @Test func `a returned request costs nothing`() {
        var pacing = RequestPacing()
        let now = Timestamp(milliseconds: 0)
        for _ in 0..<1_000 {
            let wait = pacing.take(at: now)
            #expect(wait == .zero)
            pacing.giveBack()
        }
    }

    @Test(arguments: [Int64.min, -1, 0, 1, 1_700_000_000_000, .max])
    func `a jump of the clock makes no wait longer than a minute`(jump: Int64) {
        var pacing = RequestPacing()
        for step in 0..<1_000 {
            let now = step.isMultiple(of: 2) ? 0 : jump
            let wait = pacing.take(at: Timestamp(milliseconds: now))
            #expect(wait <= .seconds(60))
        }
    }
}

struct MessageTimesTests {
    private static func position(_ milliseconds: Int64, _ id: Int64) -> Position {
        Position(createdAt: Timestamp(milliseconds: milliseconds), messageID: MessageID(id))
    }

    @Test(arguments: [
        (Int64.min, false), (-1, false), (0, true), (1_700_000_000_000, true),
        (253_402_300_799_999, true), (253_402_300_800_000, false), (.max, false),
    ])
    func `a valid time is between 1970 and 9999`(milliseconds: Int64, isPossible: Bool) {
        #expect(Timestamp(milliseconds: milliseconds).isOfMessages == isPossible)
    }

    @Test func `a page with a message before the epoch keeps the others and not the start`() {
        let statement = PageStatement(
            question: .around(.distantFuture, older: 10, newer: 0),
            positions: [Self.position(-5, 1), Self.position(100, 2), Self.position(200, 3)],
            hasNewer: false, isContinuous: true)
        #expect(
            statement.range
                == CoveredRange(lower: Self.position(100, 2), upper: Self.position(200, 3)))
        #expect(statement.reachesNewest)
    }

    @Test func `a page with a message of the far future keeps the others and not the end`() {
        let statement = PageStatement(
            question: .around(.distantFuture, older: 10, newer: 0),
            positions: [Self.position(100, 2), Self.position(.max, 3)],
            hasNewer: false, isContinuous: true)
        #expect(statement.range?.upper == Self.position(100, 2))
        #expect(statement.range?.lower == .distantPast)
        #expect(!statement.reachesNewest)
    }

    @Test func `an answer about a gap with an impossible message does not reach the newest`() {
        let known = CoveredRange(lower: .distantPast, upper: Self.position(100, 2))
        let answer = GapAnswer(
            isHuge: false, positions: [Self.position(200, 3), Self.position(.max, 4)],
            isContinuous: true, hasMore: false)
        let filled = CoveredRange(lower: known.upper, upper: Self.position(200, 3))
        #expect(
            GapVerdict(answer, above: known, hasKnowledgeAbove: false, hasDeletions: false)
                == .filled(filled, reachesNewest: false))
        let only = GapAnswer(
            isHuge: false, positions: [Self.position(.max, 4)], isContinuous: true, hasMore: false)
        #expect(
            GapVerdict(only, above: known, hasKnowledgeAbove: false, hasDeletions: false)
                == .pageForward)
    }
}
