// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct GapFillTests {
    private typealias Script = MachineScript
    private static let known = Script.position(100)
    private static let range = CoveredRange(lower: Script.position(50), upper: known)

    /// Returns a gap question in flight.
    private static func asked(
        _ script: inout Script, above range: CoveredRange = range, hasKnowledgeAbove: Bool = false
    ) -> Script.ID {
        let (id, effects) = script.start(
            .gap(GapFill(Script.channel, above: range, hasKnowledgeAbove: hasKnowledgeAbove)))
        #expect(
            effects == [
                .read(
                    id,
                    .messageCount(Script.channel, from: known.createdAt, through: known))
            ])
        let asked = script.read(id, .count(1))
        guard case .ask(id, .gap(let gap), .connection)? = asked.first else {
            Issue.record("no question: \(asked)")
            return id
        }
        #expect(gap.next?.cachedCount == 1 && gap.next?.start == known.createdAt)
        return id
    }

    private static func gap(
        _ messages: [Message] = [], isHuge: Bool = false, hasMore: Bool = false,
        isContinuous: Bool = true
    ) -> ServerAnswer {
        .gap(
            MessageGapAnswer(
                isHuge: isHuge,
                next: .init(messages: messages, hasMore: hasMore, isContinuous: isContinuous)))
    }

    @Test func `missing messages are stored with the stretch from the covered end`() {
        var script = Script.connected()
        let id = Self.asked(&script)
        let effects = script.answer(id, Self.gap([Script.message(110)]))
        #expect(
            effects.mutations.first
                == .messages(
                    Script.channel, [Script.message(110)],
                    covering: CoveredRange(lower: Self.known, upper: Script.position(110))))
        #expect(script.commit(id).last == .finish(id, .gap(.reachedNewest)))
        #expect(script.machine.state.session?.liveEnds == [Script.channel: Script.position(110)])
    }

    @Test func `an empty answer states that no message is missing`() {
        var script = Script.connected()
        let id = Self.asked(&script)
        #expect(script.answer(id, Self.gap()).last == .finish(id, .gap(.reachedNewest)))
        #expect(script.machine.state.session?.gapEnds[Script.channel] == Self.known)
    }

    @Test func `a question about one hole ends with the message above it`() {
        var script = Script.connected()
        let upper = CoveredRange(lower: Script.position(110), upper: Script.position(120))
        let (id, _) = script.start(.gap(GapFill(Script.channel, between: Self.range, and: upper)))
        _ = script.read(id, .count(1))
        _ = script.answer(id, Self.gap([Script.message(105), Script.message(110)]))
        let end = script.commit(id)
        #expect(end.last == .finish(id, .gap(.filledHole)))
        // The messages behind the upper range may be missing.
        #expect(script.machine.state.session?.liveEnds == [:])
    }

    @Test func `more than 300 missing messages are not filled silently (R113)`() {
        var script = Script.connected()
        let id = Self.asked(&script)
        #expect(script.answer(id, Self.gap(isHuge: true)).last == .finish(id, .gap(.huge)))
        #expect(script.machine.state.session?.liveEnds == [:])
    }

    @Test func `a count with coverage above a hole proves nothing, so pages are walked`() {
        var script = Script.connected()
        let id = Self.asked(&script, hasKnowledgeAbove: true)
        let walk = script.answer(id, Self.gap())
        guard case .ask(id, .messages(let page), .connection)? = walk.needs.first else {
            Issue.record("no page: \(walk)")
            return
        }
        #expect(page.nextLimit == 100 && page.anchor == .time(Self.known.createdAt))
    }

    @Test func `a count within the moment where the range begins proves no huge gap`() {
        var script = Script.connected()
        // The server counts the messages of the moment that are before the range, too.
        let id = Self.asked(&script, above: CoveredRange(lower: Self.known, upper: Self.known))
        let walk = script.answer(id, Self.gap(isHuge: true))
        guard case .ask(id, .messages, .connection)? = walk.needs.first else {
            Issue.record("no page: \(walk)")
            return
        }
        let page = MessagePage(messages: [], hasNext: false, isContinuous: true)
        _ = script.answer(id, .messages(page))
        #expect(script.commit(id).last == .finish(id, .gap(.reachedNewest)))
    }

    @Test func `a walk of three full pages ends as a huge gap`() {
        var script = Script.connected()
        let id = Self.asked(&script, hasKnowledgeAbove: true)
        _ = script.answer(id, Self.gap())
        for step in 1...3 {
            let page = MessagePage(
                messages: [Script.message(100 + Int64(step))], hasNext: true, isContinuous: true)
            _ = script.answer(id, .messages(page))
            _ = script.commit(id)
            let end = script.read(id, .coverage(Coverage()))
            #expect((end.last == .finish(id, .gap(.huge))) == (step == 3))
        }
    }

    @Test func `messages beyond a hole do not make the gap below them a huge one (R113)`() {
        var script = Script.connected()
        let id = Self.asked(&script, hasKnowledgeAbove: true)
        _ = script.answer(id, Self.gap(isHuge: true))
        for step in 1...3 {
            let page = MessagePage(
                messages: [Script.message(100 + Int64(step))], hasNext: true, isContinuous: true)
            _ = script.answer(id, .messages(page))
            _ = script.commit(id)
            // The last page has met the live messages.
            let upper = Script.position(step < 3 ? 100 + Int64(step) : 110)
            let met = CoveredRange(lower: Self.range.lower, upper: upper)
            let next = script.read(id, .coverage(Coverage([met])))
            guard case .ask(id, .messages, .connection)? = next.needs.first else {
                Issue.record("no page after page \(step): \(next)")
                return
            }
        }
        _ = script.answer(
            id, .messages(MessagePage(messages: [], hasNext: false, isContinuous: true)))
        #expect(script.commit(id).last == .finish(id, .gap(.reachedNewest)))
    }

    @Test func `a deletion during the question makes the count worthless`() {
        var script = Script.connected()
        let id = Self.asked(&script)
        script.machine.state.ledgers[Script.channel]?.note(deletionOf: 50)
        let effects = script.answer(id, Self.gap())
        guard case .ask(id, .messages, .connection)? = effects.needs.first else {
            Issue.record("no walk: \(effects)")
            return
        }
    }

    @Test func `a deletion reported before the count and stored after it makes it worthless`() {
        var script = Script.connected()
        let id = Self.asked(&script)
        // The event came before the question, so only its commit tells.
        let (deletion, _) = script.start(
            .storing(Storing([.deleted(Script.channel, [50])], from: .event)))
        let covered = Coverage([Self.range])
        let change = MessagesChange(
            channel: Script.channel, deleted: [Script.message(50)], coverageBefore: covered,
            coverageAfter: covered)
        let commit = Commit(sequence: 1, changes: [.messages(change)])
        _ = script.give(.reply(deletion, .committed(.success(commit))))
        let effects = script.answer(id, Self.gap())
        guard case .ask(id, .messages, .connection)? = effects.needs.first else {
            Issue.record("no walk: \(effects)")
            return
        }
    }

    @Test func `a connection lost during the count ends the question`() {
        var script = Script.connected()
        let (id, _) = script.start(
            .gap(GapFill(Script.channel, above: Self.range, hasKnowledgeAbove: false)))
        let error = Script.error(.localDatabaseError)
        #expect(
            script.give(.reply(id, .read(.failure(error)))) == [.finish(id, .failed(error))])
        #expect(script.machine.state.ledgers.isEmpty)
    }
}
