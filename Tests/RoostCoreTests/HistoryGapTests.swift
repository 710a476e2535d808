// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

struct HistoryGapTests {
    private static func position(_ moment: Int64) -> Position {
        Position(createdAt: Timestamp(milliseconds: moment), messageID: MessageID(moment))
    }

    private static func gaps(
        _ ranges: [(Int64?, Int64)], isLive: Bool = false, messages: Int = 10,
        madeAt: Int64? = 0, now: Int64? = 1_000
    ) -> [HistoryGap] {
        SearchedChannel(
            url: "c",
            coverage: Coverage(
                ranges.map {
                    CoveredRange(
                        lower: $0.0.map { position($0) } ?? .distantPast, upper: position($0.1))
                }), isLive: isLive
        ).gaps(
            messageCount: messages, madeAt: madeAt.map { Timestamp(milliseconds: $0) },
            now: now.map { Timestamp(milliseconds: $0) })
    }

    @Test func `each missing stretch has its place, and an estimate by its neighbours' density`() {
        let gaps = Self.gaps([(100, 200), (400, 500)])
        #expect(gaps.map(\.place) == [.beginning, .between, .end])
        // Ten messages in 200 ms: five in the hundred before them.
        #expect(gaps.map { $0.messages ?? -1 }.allSatisfy { 5...26 ~= $0 })
        #expect(gaps[0].through < gaps[1].from && gaps[1].through < gaps[2].from)
    }

    @Test func `a channel without coverage is one gap without an estimate`() {
        let gaps = Self.gaps([])
        #expect(gaps.map(\.place) == [.everything] && gaps[0].messages == nil)
    }

    @Test func `the beginning and a live end are no gaps`() {
        #expect(Self.gaps([(nil, 500)], isLive: true).isEmpty)
        #expect(Self.gaps([(nil, 500)]).map(\.place) == [.end])
        #expect(Self.gaps([(100, 500)], isLive: true).map(\.place) == [.beginning])
    }

    @Test func `an open end of unknown length has no estimate`() {
        #expect(Self.gaps([(nil, 500)], now: nil).map(\.messages) == [nil])
        #expect(Self.gaps([(100, 500)], madeAt: nil).first?.messages == nil)
        #expect(Self.gaps([(nil, 500)], messages: 0).map(\.messages) == [nil])
        #expect(Self.gaps([(nil, 500)], madeAt: nil).map(\.messages) == [nil])
    }

    @Test func `an estimate stays within bounds`() {
        let gaps = Self.gaps([(0, 1)], messages: .max, now: .max)
        #expect(gaps.last?.messages == Int(Int32.max))
    }
}
