// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

struct DownloadTests {
    private static func at(_ moment: Int64) -> Position {
        Position(createdAt: Timestamp(milliseconds: moment), messageID: MessageID(moment))
    }

    private static func covered(_ ranges: (Int64, Int64)...) -> Coverage {
        Coverage(ranges.map { CoveredRange(lower: at($0.0), upper: at($0.1)) })
    }

    private static func page(_ coverage: Coverage, since: Timestamp = .distantPast) -> PageQuestion?
    {
        coverage.pageToDownload(since: since, knowsEnd: true, limit: 9)
    }

    @Test func `a download begins with the newest message with any coverage (R177)`() {
        let first = Self.covered((1, 9)).pageToDownload(
            since: .distantPast, knowsEnd: false, limit: 9)
        #expect(first == .around(.distantFuture, older: 9, newer: 0))
    }

    @Test func `a download walks back over covered ranges to the first message (R178, R180)`() {
        #expect(
            Self.page(Self.covered((10, 20), (50, 90))) == .older(than: Self.at(50), limit: 9))
        let whole = Coverage([CoveredRange(lower: .distantPast, upper: Self.at(9))])
        #expect(Self.page(whole) == nil)
        #expect(Self.page(Coverage()) == nil)
    }

    @Test func `a download ends before the first unwanted message`() {
        let known = Self.covered((50, 90))
        #expect(Self.page(known, since: Timestamp(milliseconds: 50)) != nil)
        #expect(Self.page(known, since: Timestamp(milliseconds: 51)) == nil)
    }
}
