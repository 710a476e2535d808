// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

struct PageStatementTests {
    private static func at(_ milliseconds: Int64, _ id: Int64) -> Position {
        Position(createdAt: Timestamp(milliseconds: milliseconds), messageID: MessageID(id))
    }

    private static func statement(
        _ question: PageQuestion, _ positions: [Position], hasNewer: Bool? = nil,
        isContinuous: Bool = true
    ) -> PageStatement {
        PageStatement(
            question: question, positions: positions, hasNewer: hasNewer,
            isContinuous: isContinuous)
    }

    private static let known = at(30, 3)
    private static let older = PageQuestion.older(than: known, limit: 2)
    private static let newer = PageQuestion.newer(than: known, limit: 2)

    @Test func `a short page states the beginning, a full one does not (scar 28)`() {
        let full = Self.statement(Self.older, [Self.at(10, 1), Self.at(20, 2), Self.known])
        #expect(full.range == CoveredRange(lower: Self.at(10, 1), upper: Self.known))
        let short = Self.statement(Self.older, [Self.at(20, 2), Self.known])
        #expect(short.range == CoveredRange(lower: .distantPast, upper: Self.known))
    }

    @Test func `messages at the anchor do not count against the limits (scar 24)`() {
        let ties = (1...5).map { Self.at(30, $0) }
        let page = Self.statement(Self.older, [Self.at(20, 0)] + ties)
        #expect(page.range == CoveredRange(lower: .distantPast, upper: Self.at(30, 5)))
    }

    @Test func `a page meets the range it continues even if the end was deleted`() {
        let back = Self.statement(Self.older, [Self.at(10, 1), Self.at(20, 2)])
        #expect(back.range == CoveredRange(lower: Self.at(10, 1), upper: Self.known))
        let forward = Self.statement(Self.newer, [Self.at(40, 4)])
        #expect(forward.range == CoveredRange(lower: Self.known, upper: Self.at(40, 4)))
    }

    @Test func `the newest messages of an empty channel state its whole history`() {
        let page = Self.statement(.around(.distantFuture, older: 30, newer: 30), [])
        #expect(page.range == CoveredRange(lower: .distantPast, upper: .distantPast))
        #expect(page.reachesNewest)
    }

    @Test func `a page around a moment covers the stretch between its ends`() {
        let moment = Timestamp(milliseconds: 30)
        let page = Self.statement(
            .around(moment, older: 1, newer: 1), [Self.at(20, 2), Self.at(40, 4)], hasNewer: true)
        #expect(page.range == CoveredRange(lower: Self.at(20, 2), upper: Self.at(40, 4)))
        #expect(!page.reachesNewest)
    }

    @Test(arguments: [(true, 2, false), (false, 2, true), (nil, 2, false), (nil, 1, true)])
    func `the server's flag about newer messages outweighs the count`(
        hasNewer: Bool?, found: Int, reachesNewest: Bool
    ) {
        let positions = (0..<found).map { Self.at(40 + Int64($0), 4 + Int64($0)) }
        let page = Self.statement(Self.newer, positions, hasNewer: hasNewer)
        #expect(page.reachesNewest == reachesNewest)
    }

    @Test func `a page with holes in it states nothing (scar 32)`() {
        let page = Self.statement(Self.older, [Self.at(10, 1)], isContinuous: false)
        #expect(page.range == nil)
    }

    private static let filled = CoveredRange(lower: at(30, 30), upper: at(40, 40))

    @Test(arguments: [
        (
            GapAnswer(isHuge: true, positions: [], isContinuous: true, hasMore: false), false,
            GapVerdict.huge
        ),
        (
            GapAnswer(
                isHuge: false, positions: [at(30, 30), at(40, 40)], isContinuous: true,
                hasMore: false), false, .filled(filled, reachesNewest: true)
        ),
        (
            GapAnswer(isHuge: false, positions: [at(40, 40)], isContinuous: true, hasMore: true),
            false, .filled(filled, reachesNewest: false)
        ),
        (
            GapAnswer(isHuge: false, positions: [at(40, 40)], isContinuous: false, hasMore: false),
            false, .pageForward
        ),
        (
            GapAnswer(isHuge: false, positions: [], isContinuous: true, hasMore: false), false,
            .complete
        ),
        (
            GapAnswer(isHuge: false, positions: [at(30, 30)], isContinuous: true, hasMore: false),
            false, .complete
        ),
        (
            GapAnswer(isHuge: false, positions: [], isContinuous: true, hasMore: true), false,
            .pageForward
        ),
        (
            GapAnswer(isHuge: false, positions: [], isContinuous: true, hasMore: false), true,
            .pageForward
        ),
        // The messages beyond the hole count as missing.
        (
            GapAnswer(isHuge: true, positions: [], isContinuous: true, hasMore: true), true,
            .pageForward
        ),
    ])
    func `a gap answer covers its stretch and no more (R113, scars 19, 33)`(
        answer: GapAnswer, hasKnowledgeAbove: Bool, verdict: GapVerdict
    ) {
        #expect(
            GapVerdict(
                answer, above: Self.covered, hasKnowledgeAbove: hasKnowledgeAbove,
                hasDeletions: false) == verdict)
        guard !answer.isHuge else { return }
        #expect(
            GapVerdict(
                answer, above: Self.covered, hasKnowledgeAbove: false,
                hasDeletions: hasKnowledgeAbove) == verdict)
    }

    private static let first = PageQuestion.around(.distantFuture, older: 5, newer: 5)
    private static let covered = CoveredRange(lower: at(20, 20), upper: at(30, 30))
    private static let end: CoveredRange? = covered
    private static let unknown: CoveredRange? = nil
    private static let emptyHistory: CoveredRange? = empty
    private static let empty = CoveredRange(lower: .distantPast, upper: .distantPast)

    @Test(arguments: [
        (TimelineRequest.Occasion.opening, false, true, end, TimelineRequest.load(first)),
        (.opening, false, false, end, .load(first)),
        (.catchingUp, false, true, end, .checkGap(above: covered)),
        (.catchingUp, false, true, unknown, .load(first)),
        (.catchingUp, false, false, end, .load(first)),
        (.catchingUp, true, true, end, .checkGap(above: covered)),
        (.catchingUp, true, true, emptyHistory, .load(first)),
        (.catchingUp, true, false, end, .nothing),
    ])
    func `a timeline asks from the covered end, or for the newest without coverage (scar 85)`(
        occasion: TimelineRequest.Occasion, wasLoaded: Bool, followsNewest: Bool,
        knownRange: CoveredRange?, request: TimelineRequest
    ) {
        let decided = TimelineRequest(
            occasion, wasLoaded: wasLoaded, opening: Self.first, followsNewest: followsNewest,
            knownRange: knownRange)
        #expect(decided == request)
    }

    @Test
    func `a timeline of an empty history asks for the newest from any start (scar 85)`() {
        let past = PageQuestion.around(Timestamp(milliseconds: 7), older: 5, newer: 5)
        for range in [nil, Self.empty] {
            let decided = TimelineRequest(
                .catchingUp, wasLoaded: true, opening: past, followsNewest: true, knownRange: range)
            #expect(decided == .load(.around(.distantFuture, older: 5, newer: 0)))
        }
    }
}
