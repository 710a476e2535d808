// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct HoleCountingTests {
    private typealias Script = MachineScript

    private static let channel = Script.channel

    private static func coverage(_ ranges: [ClosedRange<Int64>]) -> Coverage {
        Coverage(
            ranges.map {
                CoveredRange(
                    lower: Script.position($0.lowerBound), upper: Script.position($0.upperBound))
            })
    }

    private static func held(_ ranges: [ClosedRange<Int64>], _ count: Int = 10) -> [CachedStretch] {
        ranges.map {
            CachedStretch(
                lower: Script.position($0.lowerBound), upper: Script.position($0.upperBound),
                fingerprint: MessageFingerprint(count: count, digest: 7))
        }
    }

    /// A client that is caught up at the end of these ranges, and a count of the holes before and
    /// between them, as far as its first question.
    private static func asked(
        _ ranges: [ClosedRange<Int64>]
    ) -> (script: Script, id: Script.ID, effects: [Script.Effect]) {
        var script = Script.connected()
        let end = ranges.last.map { Script.position($0.upperBound) } ?? .distantPast
        script.change { $0.session?.noteEnd(of: channel, at: end) }
        let (id, effects) = again(&script, ranges)
        return (script, id, effects)
    }

    private static func again(
        _ script: inout Script, _ ranges: [ClosedRange<Int64>]
    ) -> (id: Script.ID, effects: [Script.Effect]) {
        let (id, effects) = script.start(.holeCounting(HoleCounting(channel)))
        #expect(effects == [.read(id, .coverage(channel, under: .everything))])
        return (id, script.read(id, .coverage(coverage(ranges))))
    }

    private static func counts(_ numbers: Int...) -> ServerAnswer {
        .fingerprints(numbers.map { MessageFingerprint(count: $0, digest: 1) })
    }

    private static func stretches(_ effects: [Script.Effect]) -> [FingerprintMessages.Stretch]? {
        guard case .ask(_, .fingerprints(let question), .connection)? = effects.last else {
            return nil
        }
        return question.stretches
    }

    /// The known sizes of the channel's holes, oldest first.
    private static func sizes(_ script: Script) -> [HoleSize] {
        let sizes = script.machine.state.session?.holeSizes[channel] ?? [:]
        return sizes.sorted { $0.key.lower < $1.key.lower }.map(\.value)
    }

    /// Answers the questions about the whole channel.
    private static func total(
        _ script: inout Script, _ id: Script.ID, _ answer: Answered<ServerAnswer>,
        before: [CachedStretch], after: [CachedStretch]
    ) {
        let asked = script.read(id, .stretches(before))
        #expect(
            asked.last
                == .ask(id, .countMessages(CountMessages(channelURL: channel)), .connection))
        var effects = script.give(.reply(id, .answer(answer)))
        if case .success = answer { effects = script.read(id, .stretches(after)) }
        #expect(effects.last == .finish(id, .done))
    }

    @Test func `one question counts the holes, and an unchanged hole is not counted again`() {
        let ranges: [ClosedRange<Int64>] = [100...200, 400...500]
        var (script, id, effects) = Self.asked(ranges)
        let stretches = Self.stretches(effects)
        #expect(stretches?.map(\.upper) == [400, 100].map { Script.position($0).previous })
        #expect(stretches?.last?.lower.createdAt == .earliestOfMessages)
        #expect(script.answer(id, Self.counts(500, 8)).last == .finish(id, .done))
        #expect(Self.sizes(script) == [.exactly(8), .exactly(500)])

        (id, effects) = Self.again(&script, ranges)
        #expect(effects == [.finish(id, .done)])
        // Paging has shortened the newer hole: only that one is asked about.
        (id, effects) = Self.again(&script, [100...200, 350...500])
        #expect(Self.stretches(effects)?.count == 1)
        _ = script.answer(id, Self.counts(450))
        #expect(Self.sizes(script) == [.exactly(8), .exactly(450)])
    }

    @Test func `an open end is a hole before the channel is caught up, and is counted`() {
        var script = Script.connected()
        var (id, effects) = Self.again(&script, [100...200])
        #expect(Self.stretches(effects)?.first?.upper.createdAt == .latestOfMessages)
        _ = script.answer(id, Self.counts(0, 3))
        #expect(Self.sizes(script) == [.exactly(3), .exactly(0)])
        script.login()
        #expect(Self.sizes(script) == [])
        (id, effects) = Self.again(&script, [100...200])
        #expect(Self.stretches(effects)?.count == 2)
    }

    @Test func `the size of the only large hole comes from the count of the whole channel`() {
        let ranges: [ClosedRange<Int64>] = [100...200, 400...500]
        var (script, id, _) = Self.asked(ranges)
        _ = script.answer(id, Self.counts(500, FingerprintMessages.countLimit + 1))
        let held = Self.held(ranges)
        Self.total(&script, id, .success(.count(10_520)), before: held, after: held)
        #expect(Self.sizes(script) == [.exactly(10_000), .exactly(500)])
    }

    @Test func `two large holes have no upper bound, and cost no second question`() {
        var (script, id, _) = Self.asked([100...200, 400...500])
        let limit = FingerprintMessages.countLimit
        let end = script.answer(id, Self.counts(limit + 1, limit + 1))
        #expect(end.last == .finish(id, .done))
        #expect(Self.sizes(script) == [.atLeast(limit + 1), .atLeast(limit + 1)])
    }

    /// The count of the whole channel, or its refusal; the cached messages before it and after it.
    struct Total {
        let ranges: [ClosedRange<Int64>]
        let total: Answered<ServerAnswer>
        var heldAfter = 10
        let sizes: [HoleSize]

        static let all = [
            Total(ranges: [100...200], total: .success(.count(510)), sizes: [.exactly(500)]),
            Total(ranges: [100...200], total: .success(.count(7)), sizes: [.exactly(0)]),
            Total(ranges: [100...200], total: .success(.count(-1)), sizes: [.exactly(0)]),
            Total(
                ranges: [100...200, 400...500], total: .success(.count(520)),
                sizes: [.atMost(500), .atMost(500)]),
            Total(
                ranges: [100...200, 400...500], total: .success(.count(20)),
                sizes: [.exactly(0), .exactly(0)]),
            Total(
                ranges: [100...200], total: .success(.count(.max)),
                sizes: [.exactly(.max - 10)]),
            // A live message came between the two reads.
            Total(ranges: [100...200], total: .success(.count(510)), heldAfter: 11, sizes: []),
            Total(
                ranges: [100...200],
                total: .failure(Script.error(.notAuthorized, .correctInput)), sizes: [.unknown]),
        ]
    }

    @Test(arguments: Total.all)
    func `without counts of stretches the count of the whole channel bounds the holes`(
        total: Total
    ) {
        var (script, id, _) = Self.asked(total.ranges)
        _ = script.refuse(id, Script.error(.invalidEndpoint, .correctInput))
        Self.total(
            &script, id, total.total, before: Self.held(total.ranges),
            after: Self.held(total.ranges, total.heldAfter))
        #expect(Self.sizes(script) == total.sizes)
        // The call that the server lacks is not made again.
        let ranges: [ClosedRange<Int64>] = [50...60]
        let (again, effects) = Self.again(&script, ranges)
        #expect(effects == [.read(again, .stretches(Self.channel, in: nil, size: .max))])
    }

    @Test func `a channel with many holes is counted from its newest ones`() {
        let ranges = (1...30).map { Int64($0) * 10...Int64($0) * 10 + 1 }
        var (script, id, effects) = Self.asked(ranges)
        #expect(Self.stretches(effects)?.count == 20)
        let first = Array(repeating: MessageFingerprint(count: 1, digest: 1), count: 20)
        _ = script.answer(id, .fingerprints(first))
        #expect(Self.sizes(script).count == 20)
        (id, effects) = Self.again(&script, ranges)
        #expect(Self.stretches(effects)?.count == 10)
    }

    @Test func `a hole that the server leaves out is counted by the next call`() {
        let ranges: [ClosedRange<Int64>] = [100...200, 400...500]
        var (script, id, _) = Self.asked(ranges)
        #expect(script.answer(id, Self.counts(500)).last == .finish(id, .done))
        #expect(Self.sizes(script) == [.exactly(500)])
        let (next, effects) = Self.again(&script, ranges)
        #expect(Self.stretches(effects)?.count == 1)
        _ = script.answer(next, Self.counts(8))
        #expect(Self.sizes(script) == [.exactly(8), .exactly(500)])
    }

    @Test func `one channel is counted at a time`() {
        var (script, first, _) = Self.asked([100...200])
        let (second, effects) = script.start(.holeCounting(HoleCounting("d")))
        #expect(effects == [])
        let end = script.answer(first, Self.counts(3))
        #expect(end.contains(.finish(first, .done)))
        #expect(end.last == .read(second, .coverage("d", under: .everything)))
    }

    @Test func `a lost connection ends all counts`() {
        var (script, first, _) = Self.asked([100...200])
        let (second, _) = script.start(.holeCounting(HoleCounting("d")))
        script.lose()
        let end = script.answer(first, Self.counts(3))
        #expect(end.contains(.finish(first, .failed(.notConnected))))
        #expect(end.last == .finish(second, .failed(.notConnected)))
        #expect(!script.machine.isBusy)
    }

    @Test func `a deleted message or a departure makes the counts of its channel unknown`() {
        for isDeletion in [true, false] {
            var (script, id, _) = Self.asked([100...200])
            _ = script.answer(id, Self.counts(3))
            #expect(Self.sizes(script) == [.exactly(3)])
            if isDeletion {
                _ = script.frame(
                    .deleted(DeletionEvent(channelURL: Self.channel, messageID: MessageID(7))))
            } else {
                script.change { $0.noteDeparture(from: Self.channel) }
                #expect(script.machine.state.session?.liveEnds == [:])
            }
            #expect(Self.sizes(script) == [])
        }
    }

    @Test func `a new message makes the count of the hole that it lies in unknown`() {
        var script = Script.connected()
        var (id, _) = Self.again(&script, [100...200])
        _ = script.answer(id, Self.counts(0, 3))
        #expect(Self.sizes(script) == [.exactly(3), .exactly(0)])
        // The client is not caught up, so the message is not stored.
        _ = script.frame(.message(MessageEvent(message: Script.message(300))))
        #expect(Self.sizes(script) == [.exactly(3)])

        (id, _) = Self.again(&script, [100...200])
        _ = script.frame(.message(MessageEvent(message: Script.message(400))))
        _ = script.answer(id, Self.counts(1))
        #expect(Self.sizes(script) == [.exactly(3)])
    }

    @Test func `a message that arrives during a count of the whole channel ends it`() {
        var script = Script.connected()
        let (id, _) = Self.again(&script, [100...200])
        _ = script.answer(id, Self.counts(0, FingerprintMessages.countLimit + 1))
        _ = script.frame(.message(MessageEvent(message: Script.message(300))))
        let held = Self.held([100...200])
        Self.total(&script, id, .success(.count(2_011)), before: held, after: held)
        #expect(Self.sizes(script) == [.atLeast(FingerprintMessages.countLimit + 1)])
    }

    @Test func `a message that is deleted during a count makes its result unknown`() {
        var (script, id, _) = Self.asked([100...200])
        _ = script.frame(
            .deleted(DeletionEvent(channelURL: Self.channel, messageID: MessageID(7))))
        #expect(script.answer(id, Self.counts(3)).last == .finish(id, .done))
        #expect(Self.sizes(script) == [])
    }

    @Test(arguments: [
        Script.error(.networkError), Script.error(.notFound, .correctInput),
        Script.error(.notAMember, .correctInput),
    ])
    func `a refusal of the channel or a passing failure leaves the sizes open`(
        error: RoostError
    ) {
        var (script, id, _) = Self.asked([100...200])
        #expect(script.refuse(id, error).last == .finish(id, .failed(error)))
        #expect(Self.sizes(script) == [])
        #expect(
            script.machine.state.unknownChannels.contains(Self.channel)
                == (error.code == .notFound))
    }

    @Test func `the end of a channel goes up with its messages, and is lost with them`() {
        var script = Script.connected()
        script.change { $0.session?.noteEnd(of: Self.channel, at: Script.position(10)) }
        func store(_ sequence: Int64, _ before: Coverage, _ after: Coverage) {
            let change = MessagesChange(
                channel: Self.channel, coverageBefore: before, coverageAfter: after)
            script.store(Commit(sequence: sequence, changes: [.messages(change)]), .event)
        }
        func hasEnd(_ coverage: Coverage) -> Bool {
            let end = script.machine.state.session?.liveEnds[Self.channel]
            return !coverage.holes(liveEnd: end).contains { $0.place == .end }
        }
        store(1, Self.coverage([1...10]), Self.coverage([1...12]))
        #expect(hasEnd(Self.coverage([1...12])))
        // The cache was cleared, and an older page came back.
        store(2, Self.coverage([1...12]), Coverage())
        store(3, Coverage(), Self.coverage([5...10]))
        #expect(!hasEnd(Self.coverage([5...10])))
        store(4, Self.coverage([5...10]), Self.coverage([5...10, 13...13]))
        #expect(hasEnd(Self.coverage([5...10, 13...13])))
    }
}
