// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct PageFetchTests {
    private typealias Script = MachineScript
    private static let newest = PageQuestion.around(.distantFuture, older: 10, newer: 0)

    private static func page(
        _ messages: [Message], hasNext: Bool = false, isContinuous: Bool = true
    ) -> ServerAnswer {
        .messages(MessagePage(messages: messages, hasNext: hasNext, isContinuous: isContinuous))
    }

    @Test func `a page and its stretch are one commit, and own messages are reported`() {
        var script = Script.connected()
        script.store("mine", 1)
        let (id, asked) = script.start(.page(PageFetch(Script.channel, Self.newest)))
        guard case .ask(id, .messages, .connection)? = asked.first else {
            Issue.record("no question: \(asked)")
            return
        }
        let own = Script.message(20, request: "mine")
        let effects = script.answer(id, Self.page([Script.message(10), own]))
        let known = CoveredRange(lower: .distantPast, upper: Script.position(20))
        #expect(
            effects.mutations == [
                .messages(Script.channel, [Script.message(10), own], covering: known),
                .firstCursor(.messageChanges(Script.channel), .moment(Script.loginAt)),
            ])
        let done = script.commit(id)
        #expect(script.machine.state.outbox.items == [])
        #expect(script.machine.state.session?.liveEnds == [Script.channel: Script.position(20)])
        guard case .finish(id, .page(let statement, messages: 2))? = done.last else {
            Issue.record("no end: \(done)")
            return
        }
        #expect(statement.reachesNewest)
    }

    @Test func `a page with holes is requested at most three times`() {
        var script = Script.connected()
        let (id, _) = script.start(.page(PageFetch(Script.channel, Self.newest)))
        for _ in 1...2 {
            let again = script.answer(id, Self.page([Script.message(1)], isContinuous: false))
            #expect(again.needs.count == 1)
        }
        let end = script.answer(id, Self.page([Script.message(1)], isContinuous: false))
        guard case .finish(id, .failed(let error))? = end.last else {
            Issue.record("no end: \(end)")
            return
        }
        #expect(error.code == .malformedData && error.remedy == .retry)
    }

    @Test(arguments: [true, false])
    func `a repeated request waits for the client's own limit, unless a person waits for the page`(
        isPaced: Bool
    ) {
        var script = Script.connected()
        let (id, _) = script.start(
            .page(PageFetch(Script.channel, Self.newest, isPaced: isPaced)))
        for _ in 1...RequestPacing.burst { _ = script.machine.state.pacing.take(at: script.now) }
        var again = script.answer(id, Self.page([Script.message(1)], isContinuous: false))
        if isPaced {
            guard case .pause(id, _, .pacing)? = again.needs.first else {
                Issue.record("no pause: \(again)")
                return
            }
            again = script.pass(id)
        }
        guard case .ask(id, .messages, .connection)? = again.needs.first else {
            Issue.record("no question: \(again)")
            return
        }
    }

    @Test func `a connection lost before a repeated request returns the request`() {
        var script = Script.connected()
        let (id, _) = script.start(.page(PageFetch(Script.channel, Self.newest)))
        for _ in 1...RequestPacing.burst { _ = script.machine.state.pacing.take(at: script.now) }
        let spent = script.machine.state.pacing
        _ = script.answer(id, Self.page([Script.message(1)], isContinuous: false))
        script.lose()
        let end = script.pass(id)
        #expect(end.last == .finish(id, .failed(.notConnected)))
        #expect(script.machine.state.pacing == spent)
    }

    @Test(arguments: [true, false])
    func `a repeated filtered page that is not requested after its read returns the request`(
        isConnected: Bool
    ) {
        var script = Script.connected()
        let filter = MessageFilter(customTypes: ["a"])
        let (id, _) = script.start(.page(PageFetch(Script.channel, Self.newest, under: filter)))
        _ = script.read(id, .coverage(Coverage()))
        for _ in 1...RequestPacing.burst { _ = script.machine.state.pacing.take(at: script.now) }
        let spent = script.machine.state.pacing
        // A page whose only message has an impossible time states nothing.
        _ = script.answer(id, Self.page([Script.message(-1)]))
        let again = script.pass(id)
        #expect(again.needs == [.read(id, .coverage(Script.channel, under: filter))])
        let failure = Script.error(.localDatabaseError, .none)
        if !isConnected { script.lose() }
        let end = script.give(
            .reply(
                id, .read(isConnected ? .failure(failure) : .success(.coverage(Coverage())))))
        #expect(end.last == .finish(id, .failed(isConnected ? failure : .notConnected)))
        #expect(script.machine.state.pacing == spent)
    }

    @Test func `a filtered page is requested with the coverage of the newest end`() {
        var script = Script.connected()
        let filter = MessageFilter(customTypes: ["a"])
        let (id, effects) = script.start(
            .page(PageFetch(Script.channel, Self.newest, under: filter)))
        #expect(effects == [.read(id, .coverage(Script.channel, under: filter))])
        _ = script.read(id, .coverage(Coverage()))
        #expect(
            script.answer(id, Self.page([Script.message(5)])).mutations.first
                == .messages(
                    Script.channel, [Script.message(5)],
                    covering: CoveredRange(lower: .distantPast, upper: Script.position(5)),
                    under: filter))
        // A filtered page does not cover the channel's newest message.
        _ = script.commit(id)
        #expect(script.machine.state.session?.liveEnds == [:])
    }

    @Test func `a page does not undo a deletion that overtook it`() {
        var script = Script.connected()
        let (id, _) = script.start(.page(PageFetch(Script.channel, Self.newest)))
        script.machine.state.ledgers[Script.channel]?.note(deletionOf: 10)
        let effects = script.answer(id, Self.page([Script.message(10), Script.message(20)]))
        guard case .messages(_, let messages, _, _)? = effects.mutations.first else {
            Issue.record("no page: \(effects)")
            return
        }
        #expect(messages == [Script.message(20)])
        #expect(script.machine.state.ledgers.isEmpty)
    }

    private static func coverage(to end: Int64) -> Coverage {
        Coverage([CoveredRange(lower: .distantPast, upper: Script.position(end))])
    }

    private static func rise(_ before: Coverage, to end: Int64) -> Commit {
        let change = MessagesChange(
            channel: Script.channel, coverageBefore: before, coverageAfter: coverage(to: end))
        return Commit(sequence: end, changes: [.messages(change)])
    }

    @Test func `a page asks again if a live message behind it left the cache (scars 5, 11)`() {
        var script = Script.connected()
        let (id, _) = script.start(.page(PageFetch(Script.channel, Self.newest)))
        // It comes live, and another process removes all messages of the channel.
        script.store(Self.rise(Self.coverage(to: 10), to: 30), .event)
        _ = script.answer(id, Self.page([Script.message(20)]))
        let again = script.give(
            .reply(id, .committed(.success(Self.rise(Coverage(), to: 20)))))
        guard case .ask(id, .messages, .connection)? = again.needs.first else {
            Issue.record("no question: \(again)")
            return
        }
        #expect(script.machine.state.session?.liveEnds == [:])
        // The next answer knows the message, or its deletion.
        _ = script.answer(id, Self.page([Script.message(20)]))
        let end = script.give(.reply(id, .committed(.success(Self.rise(Coverage(), to: 20)))))
        guard case .finish(id, .page)? = end.last else {
            Issue.record("no end: \(end)")
            return
        }
        #expect(script.machine.state.session?.liveEnds == [Script.channel: Script.position(20)])
    }

    @Test func `a live message behind a page that changed nothing is the end`() {
        var script = Script.connected()
        let (id, _) = script.start(.page(PageFetch(Script.channel, Self.newest)))
        script.store(Self.rise(Self.coverage(to: 20), to: 30), .event)
        _ = script.answer(id, Self.page([Script.message(20)]))
        _ = script.commit(id)
        #expect(script.machine.state.session?.liveEnds == [Script.channel: Script.position(30)])
    }

    @Test func `a page that outlives its connection is dropped (scar 134)`() {
        var script = Script.connected()
        let (id, _) = script.start(.page(PageFetch(Script.channel, Self.newest)))
        script.login()
        #expect(
            script.answer(id, Self.page([Script.message(10)]))
                == [.finish(id, .failed(.notConnected))])
        #expect(script.machine.state.ledgers.isEmpty)
    }

    @Test func `without a connection a page is requested with the last login's key only on demand`()
    {
        var script = MachineScript()
        let (refused, effects) = script.start(.page(PageFetch(Script.channel, Self.newest)))
        #expect(effects == [.finish(refused, .failed(.notConnected))])
        let (id, asked) = script.start(
            .page(PageFetch(Script.channel, Self.newest, isOffline: true)))
        guard case .ask(id, .messages, .lastLogin)? = asked.first else {
            Issue.record("no question: \(asked)")
            return
        }
    }

    @Test func `a failed page is noted with its time and code`() {
        var script = Script.connected()
        let (id, _) = script.start(.page(PageFetch(Script.channel, Self.newest)))
        let error = Script.error(.networkError)
        #expect(script.refuse(id, error) == [.finish(id, .failed(error))])
        let attempt = script.machine.state.attempts[Script.channel]
        #expect(attempt?.at == script.now && attempt?.failure == .networkError)
        #expect(script.machine.state.ledgers.isEmpty)
    }

    @Test func `a page of another channel's messages stores none of them`() {
        var script = Script.connected()
        let (id, _) = script.start(.page(PageFetch(Script.channel, Self.newest)))
        let effects = script.answer(id, Self.page([Script.message(9, in: "other")]))
        guard case .messages(_, [], _, _)? = effects.mutations.first else {
            Issue.record("stored: \(effects)")
            return
        }
    }
}
