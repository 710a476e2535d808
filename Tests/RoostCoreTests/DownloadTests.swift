// SPDX-License-Identifier: Apache-2.0

import Foundation
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

    private static func page(
        _ coverage: Coverage, from start: Int64, next: PageDirection = .older,
        since: Timestamp = .distantPast, knowsEnd: Bool = false
    ) -> PageQuestion? {
        coverage.pageToDownload(
            since: since, from: DownloadStart(Timestamp(milliseconds: start), next: next),
            knowsEnd: knowsEnd, limit: 9)
    }

    @Test func `a download without a start begins with the newest message (R178)`() {
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

    @Test(arguments: [covered(), covered((1, 9), (60, 90))])
    func `a download from a moment in a hole begins around it (R177)`(coverage: Coverage) {
        let around = PageQuestion.around(Timestamp(milliseconds: 50), older: 4, newer: 5)
        for next in [PageDirection.older, .newer] {
            #expect(Self.page(coverage, from: 50, next: next) == around)
        }
        #expect(Self.page(coverage, from: 50, knowsEnd: true) == around)
    }

    @Test func `a download from a moment extends its range in both directions (R177)`() {
        let known = Self.covered((1, 9), (40, 60), (80, 90))
        #expect(Self.page(known, from: 50) == .older(than: Self.at(40), limit: 9))
        #expect(Self.page(known, from: 50, next: .newer) == .newer(than: Self.at(60), limit: 9))
        // A range behind it is no end, even if the server has named the newest message.
        let newer = Self.page(known, from: 50, next: .newer, knowsEnd: true)
        #expect(newer == .newer(than: Self.at(60), limit: 9))
    }

    @Test func `a download from a moment goes on in one direction when the other is complete`() {
        let first = CoveredRange(lower: .distantPast, upper: Self.at(60))
        let known = Coverage([first, CoveredRange(lower: Self.at(80), upper: Self.at(90))])
        #expect(Self.page(known, from: 50) == .newer(than: Self.at(60), limit: 9))
        let newest = Self.covered((1, 9), (40, 60))
        let older = Self.page(newest, from: 50, next: .newer, knowsEnd: true)
        #expect(older == .older(than: Self.at(40), limit: 9))
        // Before the server has named the newest message, the range may not be the last one.
        #expect(
            Self.page(newest, from: 50, next: .newer) == .newer(than: Self.at(60), limit: 9))
    }

    @Test func `a download from a moment ends with all of the history (R178, R180)`() {
        let whole = Coverage([CoveredRange(lower: .distantPast, upper: Self.at(60))])
        for next in [PageDirection.older, .newer] {
            #expect(Self.page(whole, from: 50, next: next, knowsEnd: true) == nil)
            // No message is behind the newest one.
            #expect(Self.page(whole, from: 99, next: next, knowsEnd: true) == nil)
        }
        #expect(Self.page(whole, from: 50) == .newer(than: Self.at(60), limit: 9))
        let since = Timestamp(milliseconds: 41)
        let enough = Self.covered((40, 60))
        #expect(Self.page(enough, from: 50, since: since, knowsEnd: true) == nil)
        #expect(Self.page(enough, from: 1, since: since, knowsEnd: true) == nil)
    }

    @Test func `a download request of a journal without a start decodes as one without`() throws {
        let request = DownloadRequest(channels: ["c"])
        let json = String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
        #expect(!json.contains("tart"))
        #expect(try JSONDecoder().decode(DownloadRequest.self, from: Data(json.utf8)) == request)
        #expect(request.start == .distantFuture)
        let page = Operation.downloadPage(
            DownloadPage("c", since: .distantPast, knowingEndSince: 1))
        let text = String(decoding: try JSONEncoder().encode(page), as: UTF8.self)
        #expect(!text.contains("start") && !text.contains("olderEnd"))
        #expect(try JSONDecoder().decode(Operation.self, from: Data(text.utf8)) == page)
    }

    @Test func `a download ends before the first unwanted message`() {
        let known = Self.covered((50, 90))
        #expect(Self.page(known, since: Timestamp(milliseconds: 50)) != nil)
        #expect(Self.page(known, since: Timestamp(milliseconds: 51)) == nil)
    }
}
