// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct ComparisonTests {
    private typealias Script = MachineScript

    private static func stretch(_ lower: Int64, _ upper: Int64, count: Int = 1) -> CachedStretch {
        CachedStretch(
            lower: Script.position(lower), upper: Script.position(upper),
            fingerprint: MessageFingerprint(count: count, digest: UInt64(lower)))
    }

    private static func begin(
        _ script: inout Script, _ stretches: [CachedStretch]
    ) -> (id: Script.ID, effects: [Script.Effect]) {
        let (id, _) = script.start(.comparison(Comparison(Script.channel)))
        return (id, script.read(id, .stretches(stretches)))
    }

    private static func result(_ effects: [Script.Effect], _ id: Script.ID) -> CacheComparison? {
        for case .finish(id, .comparison(let result)) in effects { return result }
        return nil
    }

    private func asksForMessages(_ effects: [Script.Effect]) -> Bool {
        effects.contains { if case .ask(_, .messages, .connection) = $0 { true } else { false } }
    }

    @Test func `equal fingerprints fetch nothing`() {
        var script = Script.connected()
        let stretches = [Self.stretch(1, 5, count: 3), Self.stretch(7, 9, count: 2)]
        let (id, effects) = Self.begin(&script, stretches)
        guard case .ask(id, .fingerprints(let question), .connection)? = effects.last else {
            Issue.record("no question: \(effects)")
            return
        }
        #expect(question.stretches.count == 2)
        let end = script.answer(id, .fingerprints(stretches.map(\.fingerprint)))
        let result = Self.result(end, id)
        #expect(result?.comparedMessages == 5 && result?.fetchedMessages == 0)
        #expect(result?.differingStretches == 0)
    }

    @Test func `an empty cache makes no request`() {
        var script = Script.connected()
        let (id, effects) = Self.begin(&script, [])
        #expect(Self.result(effects, id)?.comparedMessages == 0)
    }

    @Test func `only the differing stretch is fetched`() {
        var script = Script.connected()
        let stretches = [Self.stretch(1, 5), Self.stretch(7, 9)]
        let (id, _) = Self.begin(&script, stretches)
        let theirs = [stretches[0].fingerprint, MessageFingerprint(count: 2, digest: 99)]
        let fetching = script.answer(id, .fingerprints(theirs))
        #expect(asksForMessages(fetching))
        let page = MessagePage(messages: [Script.message(7), Script.message(9)])
        _ = script.answer(id, .messages(page))
        let committed = script.commit(id)
        guard
            case .read(id, .stretches(Script.channel, in: let range?, size: .max))? =
                committed.needs.last
        else {
            Issue.record("no read: \(committed)")
            return
        }
        #expect(range == CoveredRange(lower: stretches[1].lower, upper: stretches[1].upper))
        let end = script.read(id, .stretches([Self.stretch(7, 9, count: 2)]))
        let result = Self.result(end, id)
        #expect(result?.fetchedMessages == 2 && result?.differingStretches == 1)
    }

    @Test func `stretches that the server leaves out are asked for again`() {
        var script = Script.connected()
        let stretches = [Self.stretch(1, 5), Self.stretch(7, 9), Self.stretch(11, 12)]
        let (id, _) = Self.begin(&script, stretches)
        let effects = script.answer(id, .fingerprints([stretches[0].fingerprint]))
        guard case .ask(id, .fingerprints(let question), .connection)? = effects.last else {
            Issue.record("no question: \(effects)")
            return
        }
        #expect(question.stretches.map(\.lower) == stretches[1...].map(\.lower))
        let end = script.answer(id, .fingerprints(stretches[1...].map(\.fingerprint)))
        let result = Self.result(end, id)
        #expect(result?.comparedMessages == 3 && result?.fetchedMessages == 0)
    }

    @Test func `without fingerprints of the server every stretch is fetched`() {
        var script = Script.connected()
        let (id, _) = Self.begin(&script, [Self.stretch(1, 5)])
        let effects = script.refuse(id, Script.error(.notFound, .correctInput))
        #expect(asksForMessages(effects))
    }

    @Test func `a passing failure ends the comparison with its error`() {
        var script = Script.connected()
        let (id, _) = Self.begin(&script, [Self.stretch(1, 5)])
        let effects = script.refuse(id, Script.error(.networkError))
        #expect(effects.needs == [.finish(id, .failed(Script.error(.networkError)))])
    }

    @Test func `a comparison needs a connection`() {
        var script = Script()
        let (id, effects) = script.start(.comparison(Comparison(Script.channel)))
        #expect(effects == [.finish(id, .failed(.notConnected))])
    }
}
