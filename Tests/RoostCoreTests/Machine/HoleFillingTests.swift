// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

private typealias Script = MachineScript

/// The holes below live messages in channels that no timeline shows.
struct HoleFillingTests {
    /// A client that has the newest messages of a channel, was away, and is back with no timeline
    /// open.
    private static func returned(missing: ClosedRange<Int64> = 41...45) -> CacheScene {
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

    private static func isGap(_ question: ServerQuestion) -> Bool {
        if case .gap = question { true } else { false }
    }

    private static let refusal = RoostError(
        .requestFailed, remedy: .retry, message: "The server did not answer.")

    @Test func `the messages missing before a live one come without a timeline (R1)`() {
        var scene = Self.returned()
        scene.append(46...46)
        scene.frame(Self.live(46))
        #expect(scene.cache.coverage.ranges.count == 1)
        #expect(Array(41...46).allSatisfy { scene.cache.messages[MessageID($0)] != nil })
        // Offline the messages before the absence are in reach of the newest one.
        scene.lose()
        scene.openTimeline()
        for _ in 1...2 { scene.start(.timelinePaging(TimelinePaging(TimelineID(1), .older))) }
        #expect(scene.shown() == Array(36...46))
    }

    @Test func `a hole is asked about once a connection`() {
        var scene = Self.returned()
        scene.answers = { Self.isGap($0) ? .failure(Self.refusal) : nil }
        scene.append(46...47)
        for id in [46, 47] as [Int64] { scene.frame(Self.live(id)) }
        #expect(scene.questions.count(where: Self.isGap) == 1)
        #expect(scene.cache.coverage.ranges.count == 2)
        scene.answers = { _ in nil }
        scene.lose()
        scene.connect()
        scene.append(48...48)
        scene.frame(Self.live(48))
        #expect(scene.questions.count(where: Self.isGap) == 2)
        #expect(scene.cache.coverage.ranges.count == 1)
    }

    @Test func `a channel without cached messages is not asked about`() {
        var scene = CacheScene.connected()
        scene.append(41...41)
        scene.frame(Self.live(41))
        #expect(!scene.questions.contains(where: Self.isGap))
    }

    @Test func `a timeline that is opened before the filling fills its own hole`() {
        var scene = Self.returned()
        scene.holds = { effect in
            if case .read(_, .coverage) = effect { true } else { false }
        }
        scene.append(46...46)
        scene.frame(Self.live(46))
        scene.openTimeline()
        scene.release()
        #expect(!scene.questions.contains(where: Self.isGap))
        #expect(scene.shown().last == 46)
    }

    @Test func `a lost connection ends the filling`() {
        var scene = Self.returned()
        scene.holds = { effect in if case .ask(_, .gap, _) = effect { true } else { false } }
        scene.append(46...46)
        scene.frame(Self.live(46))
        #expect(scene.script.machine.isBusy)
        scene.lose()
        scene.release()
        #expect(scene.cache.coverage.ranges.count == 2)
        #expect(scene.script.machine.state.session == nil)
    }
}
