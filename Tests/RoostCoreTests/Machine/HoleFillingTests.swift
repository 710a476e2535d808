// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

private typealias Script = MachineScript

/// The holes below messages that have just arrived.
struct HoleFillingTests {
    /// A client that has the messages 36...40 of a channel, was away, and is back with no timeline
    /// open.
    private static func returned(missing: ClosedRange<Int64> = 41...44) -> CacheScene {
        var scene = CacheScene.connected()
        scene.openTimeline()
        scene.give(.closeTimeline(TimelineID(1)))
        scene.lose()
        scene.append(missing)
        scene.connect()
        return scene
    }

    private static func live(_ id: Int64) -> ServerEvent {
        var event = MessageEvent(message: ScriptedCache.message(id))
        event.previousMessageID = MessageID(id - 1)
        return .message(event)
    }

    private static func hear(_ id: Int64, in scene: inout CacheScene) {
        scene.append(id...id)
        scene.frame(live(id))
    }

    private static func gaps(_ scene: CacheScene) -> [MessageGap] {
        scene.questions.compactMap { if case .gap(let gap) = $0 { gap } else { nil } }
    }

    private static func isPage(_ question: ServerQuestion) -> Bool {
        if case .messages = question { true } else { false }
    }

    private static func isGap(_ effect: Script.Effect) -> Bool {
        if case .ask(_, .gap, _) = effect { true } else { false }
    }

    private static func isCoverageRead(_ effect: Script.Effect) -> Bool {
        if case .read(_, .coverage) = effect { true } else { false }
    }

    /// Answers gap questions, and leaves other questions to the model.
    private static func answeringGaps(
        _ answer: Answered<ServerAnswer>
    ) -> (ServerQuestion) -> Answered<ServerAnswer>? {
        { question in if case .gap = question { answer } else { nil } }
    }

    private static let huge = Answered<ServerAnswer>.success(.gap(MessageGapAnswer(isHuge: true)))

    private static func range(_ ids: ClosedRange<Int64>) -> CoveredRange {
        CoveredRange(lower: Script.position(ids.lowerBound), upper: Script.position(ids.upperBound))
    }

    // MARK: The question

    @Test func `the messages missing before a live one come without a timeline (R1)`() {
        var scene = Self.returned(missing: 41...45)
        Self.hear(46, in: &scene)
        #expect(scene.cache.coverage.ranges.count == 1)
        #expect(Array(41...46).allSatisfy { scene.cache.messages[MessageID($0)] != nil })
        // Offline the messages before the absence are in reach of the newest one.
        scene.lose()
        scene.openTimeline()
        for _ in 1...2 { scene.start(.timelinePaging(TimelinePaging(TimelineID(1), .older))) }
        #expect(scene.shown() == Array(36...46))
    }

    @Test func `one question about the hole alone fills it`() {
        var scene = Self.returned()
        let asked = scene.questions.count
        Self.hear(45, in: &scene)
        let side = MessageGap.Side(
            start: ScriptedCache.message(40).createdAt, end: ScriptedCache.message(45).createdAt,
            cachedCount: 1)
        #expect(Self.gaps(scene).map(\.next) == [side])
        #expect(!scene.questions[asked...].contains(where: Self.isPage))
        #expect(scene.cache.coverage == Coverage([Self.range(36...45)]))
    }

    @Test(arguments: [false, true])
    func `a hole is closed whose upper message was deleted before or during the question`(
        isAsked: Bool
    ) {
        var scene = Self.returned()
        scene.holds = { isAsked ? Self.isGap($0) : Self.isCoverageRead($0) }
        // No predecessor joins the ranges.
        scene.frame(.message(MessageEvent(message: ScriptedCache.message(45))))
        scene.frame(.deleted(DeletionEvent(channelURL: Script.channel, messageID: 45)))
        scene.release()
        #expect(scene.cache.coverage == Coverage([Self.range(36...45)]))
        // The newest range has messages to show.
        scene.lose()
        scene.openTimeline()
        #expect(scene.shown() == Array(40...44))
    }

    @Test func `an answer that lacks the message above a hole does not close it`() {
        var scene = Self.returned()
        scene.answers = { question in
            guard case .gap = question else { return nil }
            let known = (40...43).map { ScriptedCache.message($0) }
            return .success(.gap(MessageGapAnswer(isHuge: false, next: .init(messages: known))))
        }
        Self.hear(45, in: &scene)
        #expect(scene.cache.messages[44] != nil)
        #expect(scene.cache.coverage == Coverage([Self.range(36...45)]))
    }

    @Test func `a huge hole stays, and no page of it is asked for`() {
        var scene = Self.returned()
        let asked = scene.questions.count
        scene.answers = Self.answeringGaps(Self.huge)
        Self.hear(45, in: &scene)
        #expect(Self.gaps(scene).count == 1)
        #expect(!scene.questions[asked...].contains(where: Self.isPage))
        #expect(scene.cache.coverage.ranges.count == 2)
        #expect(!scene.script.machine.isBusy && !scene.script.machine.isRetrying)
    }

    // MARK: The occasion

    @Test func `an own message that the server has accepted opens a hole, too`() {
        var scene = Self.returned()
        scene.append(45...45)
        scene.start(.liveEvent(LiveEvent(Self.live(45), from: .answer)))
        #expect(scene.cache.coverage.ranges.count == 1)
    }

    @Test func `later events of a channel with a hole ask nothing, also on a new connection`() {
        var scene = Self.returned()
        scene.answers = Self.answeringGaps(Self.huge)
        Self.hear(45, in: &scene)
        scene.lose()
        scene.connect()
        var edited = ScriptedCache.message(45)
        edited.content = .user(text: "edited")
        scene.frame(.edited(EditEvent(message: edited)))
        Self.hear(46, in: &scene)
        #expect(scene.cache.coverage.ranges.count == 2)
        #expect(Self.gaps(scene).count == 1)
    }

    @Test func `both holes are filled that two messages have opened`() {
        var scene = Self.returned()
        scene.holds = { effect in
            if case .read(_, .cursor(.messageChanges("d"))) = effect { true } else { false }
        }
        scene.run(scene.script.change { $0.catchUp("d", .anyway) })
        Self.hear(45, in: &scene)
        scene.append(46...48)
        Self.hear(49, in: &scene)
        #expect(scene.cache.coverage.ranges.count == 3)
        scene.release()
        #expect(scene.cache.coverage == Coverage([Self.range(36...49)]))
    }

    @Test func `the first message of a channel in a process notes its hole of an earlier one`() {
        var scene = Self.returned()
        scene.answers = Self.answeringGaps(Self.huge)
        Self.hear(45, in: &scene)
        scene.answers = { _ in nil }
        scene.script = Script()
        scene.connect()
        #expect(Self.gaps(scene).count == 1)
        Self.hear(46, in: &scene)
        #expect(scene.cache.coverage == Coverage([Self.range(36...46)]))
    }

    @Test func `a channel without cached messages is not asked about`() {
        var scene = CacheScene.connected()
        Self.hear(41, in: &scene)
        #expect(Self.gaps(scene).isEmpty)
    }

    @Test func `a hole that a timeline has closed meanwhile is not asked about`() {
        var scene = Self.returned()
        scene.holds = Self.isCoverageRead
        Self.hear(45, in: &scene)
        scene.openTimeline(pageSize: 10)
        scene.release()
        #expect(Self.gaps(scene).isEmpty)
        #expect(scene.cache.coverage.ranges.count == 1 && scene.shown().last == 45)
    }

    @Test func `a timeline of the past does not keep the newest hole open`() {
        var scene = CacheScene.connected()
        scene.openTimeline()
        scene.openTimeline(TimelineID(2), at: Timestamp(milliseconds: 20))
        scene.give(.closeTimeline(TimelineID(1)))
        scene.lose()
        scene.append(41...44)
        scene.connect()
        Self.hear(45, in: &scene)
        #expect(scene.cache.coverage.newest == Self.range(36...45))
    }

    // MARK: The turn

    @Test func `holes wait for the catch-ups of open timelines`() {
        var scene = Self.returned()
        scene.holds = { effect in
            if case .read(_, .cursor(.messageChanges("d"))) = effect { true } else { false }
        }
        scene.run(scene.script.change { $0.catchUp("d", .anyway) })
        Self.hear(45, in: &scene)
        #expect(scene.held.count == 1 && Self.gaps(scene).isEmpty)
        scene.release()
        #expect(scene.cache.coverage.ranges.count == 1)
    }

    @Test func `the holes of two channels are filled one after the other`() {
        var scene = Self.returned()
        scene.holds = Self.isGap
        Self.hear(45, in: &scene)
        let (before, after) = (
            Coverage([Self.range(1...5)]), Coverage([Self.range(1...5), Self.range(9...9)])
        )
        scene.cache.otherCoverages["d"] = after
        let change = MessagesChange(
            channel: "d", inserted: [Script.message(9, in: "d")], coverageBefore: before,
            coverageAfter: after)
        let (id, _) = scene.script.start(.storing(Storing([], from: .event)))
        let commit = Commit(sequence: 900, changes: [.messages(change)])
        scene.give(.reply(id, .committed(.success(commit))))
        #expect(scene.held.count == 1)
        let huge = Self.huge
        scene.answers = { question in
            if case .gap(let gap) = question, gap.channelURL == "d" { huge } else { nil }
        }
        scene.release()
        #expect(Self.gaps(scene).map(\.channelURL) == [Script.channel, "d"])
        #expect(scene.cache.coverage.ranges.count == 1)
    }

    // MARK: Failures

    @Test(arguments: [false, true])
    func `a failure is made good after a pause or by the next connection`(isReconnected: Bool) {
        var scene = Self.returned()
        scene.holds = { if case .pause(_, _, .retry) = $0 { true } else { false } }
        scene.answers = Self.answeringGaps(.failure(Script.error(.requestFailed)))
        Self.hear(45, in: &scene)
        #expect(Self.gaps(scene).count == 1)
        #expect(!scene.script.machine.isBusy && scene.script.machine.isRetrying)
        scene.answers = { _ in nil }
        guard case .pause(let id, _, .retry)? = scene.held.first else {
            Issue.record("no pause: \(scene.held)")
            return
        }
        if isReconnected {
            scene.lose()
            scene.connect()
        } else {
            scene.run(scene.script.pass(id))
        }
        #expect(Self.gaps(scene).count == 2)
        #expect(scene.cache.coverage.ranges.count == 1)
        #expect(!scene.script.machine.isRetrying)
    }

    @Test func `a hole that fails each time is given up after five attempts`() {
        var scene = Self.returned()
        scene.holds = { if case .pause(_, _, .retry) = $0 { true } else { false } }
        scene.answers = Self.answeringGaps(.failure(Script.error(.requestFailed)))
        Self.hear(45, in: &scene)
        var passed = 0
        while case .pause(let id, _, .retry)? = scene.held.last, passed < scene.held.count {
            passed = scene.held.count
            scene.run(scene.script.pass(id))
        }
        #expect(Self.gaps(scene).count == 5)
        #expect(!scene.script.machine.isBusy && !scene.script.machine.isRetrying)
    }

    @Test func `a refusal for good ends the filling`() {
        var scene = Self.returned()
        scene.answers = Self.answeringGaps(.failure(Script.error(.notAMember, .correctInput)))
        Self.hear(45, in: &scene)
        #expect(!scene.script.machine.isBusy && !scene.script.machine.isRetrying)
        scene.lose()
        scene.connect()
        #expect(Self.gaps(scene).count == 1)
    }

    @Test func `a lost connection ends the filling, and the next one begins it anew`() {
        var scene = Self.returned()
        scene.holds = Self.isGap
        Self.hear(45, in: &scene)
        #expect(scene.script.machine.isBusy)
        scene.lose()
        scene.release()
        #expect(scene.cache.coverage.ranges.count == 2)
        #expect(!scene.script.machine.isBusy && !scene.script.machine.isRetrying)
        scene.connect()
        #expect(scene.cache.coverage.ranges.count == 1)
    }
}
