// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostModel
import RoostPostgres
import RoostServer
import Testing

struct DeliveryEraTests {
    private static let start = ContinuousClock.now

    private static func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private static func era(
        _ name: String, from start: Int64 = 7, timeline: Int64 = 1
    ) -> PostgresEra {
        PostgresEra(name: name, start: start, timeline: timeline)
    }

    private static func notice(_ text: String, of era: String) -> Notice {
        var notice = Notice(frame: text, recipients: ["a"])
        notice.place = LogPlace(
            channel: "g", sequence: 1, first: 1, change: 10, previousChange: 1, era: era)
        return notice
    }

    @Test func `two sessions of one era agree, however many transactions lie between them`() {
        #expect(Self.era("one") == Self.era("one", from: 7 + 1 << 32))
        #expect(Self.era("one") != Self.era("two"))
        #expect(Self.era("one") != Self.era("one", timeline: 2))
        var known = DeliveryEra(Self.era("one"))
        #expect(known.judge(Self.era("one", from: 7 + 1 << 32), at: Self.at(0)) == .known)
    }

    @Test func `a former primary is ignored, until nothing else has answered for a minute`() {
        var known = DeliveryEra(Self.era("new", timeline: 4))
        let former = Self.era("old", timeline: 3)
        #expect(known.judge(former, at: Self.at(0)) == .former)
        #expect(known.judge(former, at: Self.at(59)) == .former)
        // The primary answers after all.
        #expect(known.judge(Self.era("new", timeline: 4), at: Self.at(60)) == .known)
        #expect(known.judge(former, at: Self.at(61)) == .former)
        #expect(known.judge(former, at: Self.at(121)) == .former)
        #expect(known.judge(former, at: Self.at(122)) == .new)
        _ = known.enter(former)
        #expect(known.judge(former, at: Self.at(123)) == .known)
        #expect(known.judge(Self.era("later", timeline: 5), at: Self.at(124)) == .new)
    }

    @Test func `an upgraded database goes on at once with the numbers of its era`() {
        var known = DeliveryEra(Self.era("one", timeline: 4))
        let upgraded = Self.era("one", timeline: 1)
        #expect(known.judge(upgraded, at: Self.at(0)) == .known)
        #expect(known.era?.timeline == 1)
    }

    @Test func `notices of an era wait until a sweep has seen it`() {
        var known = DeliveryEra(Self.era("11111111-one"))
        let early = Self.notice("early", of: "22222222")
        #expect(early.place.map(known.isKnown) == false)
        known.hold(early)
        known.hold(Self.notice("other", of: "33333333"))
        let ready = known.enter(Self.era("22222222-two"))
        #expect(ready.map(\.notice.frame) == ["early"])
        #expect(known.enter(Self.era("33333333-three")).isEmpty)
    }

    @Test func `a bounded number of notices waits for an era`() {
        var known = DeliveryEra(Self.era("11111111-one"))
        for number in 0...DeliveryEra.heldLimit {
            known.hold(Self.notice("\(number)", of: "22222222"))
        }
        let ready = known.enter(Self.era("22222222-two"))
        #expect(ready.count == DeliveryEra.heldLimit)
        #expect(ready.first?.notice.frame == "1")
    }
}
