// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostTestSupport
import Testing

struct HoleTests {
    private static func position(_ moment: Int64) -> Position {
        Position(createdAt: Timestamp(milliseconds: moment), messageID: MessageID(moment))
    }

    private static func coverage(_ ranges: [(Int64?, Int64)]) -> Coverage {
        Coverage(
            ranges.map {
                CoveredRange(
                    lower: $0.0.map { position($0) } ?? .distantPast, upper: position($0.1))
            })
    }

    private static func places(
        _ ranges: [(Int64?, Int64)], liveEnd: Int64? = nil
    ) -> [Hole.Place] {
        coverage(ranges).holes(liveEnd: liveEnd.map { position($0) }).map(\.place)
    }

    @Test func `each missing stretch has its place and its ends`() {
        let holes = Self.coverage([(100, 200), (400, 500)]).holes(liveEnd: nil)
        #expect(holes.map(\.place) == [.beginning, .between, .end])
        #expect(
            holes.map(\.lower) == [.distantPast, Self.position(200).next, Self.position(500).next])
        #expect(
            holes.map(\.upper) == [
                Self.position(100).previous, Self.position(400).previous, .distantFuture,
            ])
    }

    @Test(arguments: [nil, 5] as [Int64?])
    func `a channel without coverage is one hole, caught up or not`(liveEnd: Int64?) {
        #expect(Self.places([], liveEnd: liveEnd) == [.everything])
    }

    @Test func `the beginning and a live end are no holes`() {
        #expect(Self.places([(nil, 500)], liveEnd: 500) == [])
        #expect(Self.places([(nil, 500)]) == [.end])
        #expect(Self.places([(100, 500)], liveEnd: 400) == [.beginning])
    }

    @Test func `a live end whose messages are gone from the cache is a hole`() {
        #expect(Self.places([(nil, 500)], liveEnd: 501) == [.end])
        #expect(Self.places([(nil, 300), (600, 700)], liveEnd: 501) == [.between])
    }

    @Test func `history before the user's time is no hole, and shortens the one that it meets`() {
        func periods(_ coverage: Coverage, from: Int64) -> [UnseenPeriod] {
            SearchedChannel(
                url: "c", coverage: coverage, liveEnd: .distantPast,
                visibleFrom: Timestamp(milliseconds: from)
            ).unseen(from: .distantPast, through: .distantFuture)
        }
        let two = Self.coverage([(100, 200), (400, 500)])
        let met = SearchedChannel(
            url: "c", coverage: two, liveEnd: .distantPast,
            visibleFrom: Timestamp(milliseconds: 50))
        #expect(met.holes.map(\.place) == [.beginning, .between])
        #expect(periods(two, from: 50).map(\.from.milliseconds) == [50, 200])
        #expect(periods(two, from: 300).map(\.from.milliseconds) == [300])
        #expect(periods(two, from: 450) == [])
    }

    @Test func `holes and unseen periods are the same times`() {
        var random = SplitMix64(seed: 8)
        for _ in 0..<2_000 {
            var coverage = Coverage()
            for _ in 0..<(random.next() % 4) {
                let lower = Int64(random.next() % 40)
                coverage.insert(
                    CoveredRange(
                        lower: random.next() % 5 == 0 ? .distantPast : Self.position(lower),
                        upper: Self.position(lower + Int64(random.next() % 9))))
            }
            let end = random.next() % 2 == 0 ? Self.position(Int64(random.next() % 50)) : nil
            let seen = random.next() % 3 == 0 ? Int64(random.next() % 50) : nil
            let channel = SearchedChannel(
                url: "c", coverage: coverage, liveEnd: end,
                visibleFrom: seen.map { Timestamp(milliseconds: $0) })
            let periods = channel.unseen(from: .distantPast, through: .distantFuture)
            #expect(periods.isEmpty == channel.holes.isEmpty)
            for moment in Int64(0)..<60 {
                let at = Timestamp(milliseconds: moment)
                let isInHole =
                    moment >= seen ?? 0
                    && channel.holes.contains {
                        $0.lower.createdAt <= at && at <= $0.upper.createdAt
                    }
                #expect(isInHole == periods.contains { $0.from <= at && at <= $0.through })
            }
        }
    }
}
