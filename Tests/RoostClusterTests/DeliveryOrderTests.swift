// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostModel
import RoostServer
import Testing

struct DeliveryOrderTests {
    private static let start = ContinuousClock.now

    private static func at(_ milliseconds: Int) -> ContinuousClock.Instant {
        start + .milliseconds(milliseconds)
    }

    private static func notice(_ text: String) -> Notice { Notice(frame: text, recipients: ["a"]) }

    private static func place(
        _ sequence: Int64, first: Int64? = nil, by change: Int64 = 1_000, after previous: Int64 = 1
    ) -> LogPlace {
        Self.place(in: "g", sequence, first: first, by: change, after: previous)
    }

    private static func place(
        in url: ChannelURL, _ sequence: Int64, first: Int64? = nil, by change: Int64 = 1_000,
        after previous: Int64 = 1
    ) -> LogPlace {
        LogPlace(
            channel: url, sequence: sequence, first: first ?? sequence, change: change,
            previousChange: previous)
    }

    private static func news(_ sequence: Int64, _ change: Int64) -> ChannelNews {
        ChannelNews(url: "g", sequence: sequence, logChange: change, viewChange: 0)
    }

    @Test func `the first notice of a quiet channel is delivered at once`() {
        var order = DeliveryOrder(swept: 100)
        let ready = order.take(Self.notice("7"), Self.place(7, after: 100), at: Self.at(0))
        #expect(ready.map(\.frame) == ["7"])
        #expect(order.readings(at: Self.at(1_000)).isEmpty)
    }

    @Test func `a change whose transaction is older than the one before it follows at once`() {
        var order = DeliveryOrder(swept: 90)
        let first = order.take(
            Self.notice("7"), Self.place(7, by: 101, after: 80), at: Self.at(0))
        let next = order.take(
            Self.notice("8"), Self.place(8, by: 100, after: 101), at: Self.at(1))
        #expect((first + next).map(\.frame) == ["7", "8"])
        #expect(order.readings(at: Self.at(1_000)).isEmpty)
    }

    @Test func `the first notice of a busy channel waits for what came before`() {
        var order = DeliveryOrder(swept: 100)
        #expect(order.take(Self.notice("7"), Self.place(7, after: 101), at: Self.at(0)).isEmpty)
        #expect(order.readings(at: Self.at(49)).isEmpty)
        #expect(
            order.readings(at: Self.at(50)) == [.init(url: "g", start: .transaction(100))])
        #expect(order.readings(at: Self.at(500)).isEmpty)
        let ready = order.take(
            [(6, [Self.notice("6")]), (7, [Self.notice("read")])], of: "g", through: 7,
            at: Self.at(60))
        // The notice that waited may show less than the database.
        #expect(ready.map(\.frame) == ["6", "read"])
    }

    @Test func `an answer that notices have overtaken is dropped, and asked for again`() {
        var order = DeliveryOrder(swept: 100)
        _ = order.take(Self.notice("1"), Self.place(1), at: Self.at(0))
        _ = order.take(Self.notice("3"), Self.place(3), at: Self.at(0))
        #expect(order.readings(at: Self.at(50)) == [.init(url: "g", start: .sequence(1))])
        #expect(order.take(Self.notice("2"), Self.place(2), at: Self.at(51)).count == 2)
        _ = order.take(Self.notice("5"), Self.place(5), at: Self.at(52))
        let late = [(sequence: Int64(2), notices: [Self.notice("read")])]
        #expect(order.take(late, of: "g", through: 2, at: Self.at(53)).isEmpty)
        #expect(order.readings(at: Self.at(103)) == [.init(url: "g", start: .sequence(3))])
    }

    @Test func `a change that the sender was answered does not come back to it from the database`()
    {
        var order = DeliveryOrder(swept: 100)
        let session = SessionID(server: 1, number: 2)
        let own = Notice(frame: "7", recipients: ["a"], except: session)
        _ = order.take(own, Self.place(7, after: 101), at: Self.at(0))
        _ = order.readings(at: Self.at(50))
        let ready = order.take(
            [(6, [Self.notice("6")]), (7, [Self.notice("7")])], of: "g", through: 7,
            at: Self.at(60))
        #expect(ready.map(\.except) == [nil, session])
    }

    @Test func `a notice from before the state of its channel is dropped`() {
        var order = DeliveryOrder(swept: 100)
        #expect(order.take(Self.notice("5"), Self.place(5, by: 99), at: Self.at(0)).isEmpty)
        #expect(order.count == 0)
    }

    @Test
    func `a promoted standby's transactions are swept although their numbers were given before`() {
        var order = DeliveryOrder(swept: 100)
        order.goBack(to: 80)
        order.sweep([Self.news(3, 90)], settled: 95, isUrgent: true, at: Self.at(0))
        #expect(order.readings(at: Self.at(0)) == [.init(url: "g", start: .transaction(80))])
    }

    @Test func `a new era's numbers are new, although higher ones are swept`() {
        var order = DeliveryOrder(swept: 1_010)
        // A state that was made when all up to 1,010 was known.
        _ = order.take(Self.notice("7"), Self.place(7, by: 1_011, after: 900), at: Self.at(0))
        order.goBack(to: 1_000)
        let next = Self.place(8, by: 1_002, after: 900)
        #expect(order.take(Self.notice("8"), next, at: Self.at(1)).map(\.frame) == ["8"])
        order.sweep(
            [ChannelNews(url: "h", sequence: 3, logChange: 1_003, viewChange: 0)], settled: 1_004,
            isUrgent: true, at: Self.at(2))
        #expect(order.readings(at: Self.at(2)) == [.init(url: "h", start: .transaction(1_000))])
    }

    @Test func `a state without a number goes back to the beginning of an era too`() {
        var order = DeliveryOrder(swept: 1_010)
        order.sweep([Self.news(3, 1_012)], settled: 1_012, isUrgent: true, at: Self.at(0))
        #expect(order.readings(at: Self.at(0)) == [.init(url: "g", start: .transaction(1_010))])
        order.goBack(to: 1_000)
        // The answer of the lost primary counts no more.
        let late = [(sequence: Int64(3), notices: [Self.notice("gone")])]
        #expect(order.take(late, of: "g", through: 3, at: Self.at(1)).isEmpty)
        #expect(order.readings(at: Self.at(60)) == [.init(url: "g", start: .transaction(1_000))])
    }

    @Test func `a number that the whole log lacks is asked for once`() {
        var order = DeliveryOrder(swept: 100)
        _ = order.take(Self.notice("1"), Self.place(1), at: Self.at(0))
        _ = order.take(Self.notice("far"), Self.place(.max - 1), at: Self.at(0))
        _ = order.readings(at: Self.at(50))
        #expect(order.take([], of: "g", through: 1, isWhole: true, at: Self.at(60)).isEmpty)
        #expect(order.readings(at: Self.at(1_000)).isEmpty)
        #expect(order.take(Self.notice("2"), Self.place(2), at: Self.at(1_000)).count == 1)
        order.sweep([], settled: 1_000, isUrgent: false, at: Self.at(70_000))
        #expect(order.count == 0)
    }

    @Test func `a lost first notice of a transaction is noticed by the second`() {
        var order = DeliveryOrder(swept: 100)
        let place = Self.place(12, first: 11, after: 50)
        #expect(order.take(Self.notice("12"), place, at: Self.at(0)).isEmpty)
        #expect(order.readings(at: Self.at(50)) == [.init(url: "g", start: .sequence(10))])
    }

    @Test func `notices in any order are delivered in the log's order`() {
        var order = DeliveryOrder(swept: 100)
        _ = order.take(Self.notice("1"), Self.place(1), at: Self.at(0))
        #expect(order.take(Self.notice("4"), Self.place(4), at: Self.at(1)).isEmpty)
        #expect(order.take(Self.notice("3"), Self.place(3), at: Self.at(2)).isEmpty)
        #expect(
            order.take(Self.notice("2"), Self.place(2), at: Self.at(3)).map(\.frame)
                == ["2", "3", "4"])
        #expect(order.readings(at: Self.at(1_000)).isEmpty)
    }

    @Test func `each of several notices about one change is delivered once`() {
        var order = DeliveryOrder(swept: 100)
        _ = order.take(Self.notice("1"), Self.place(1), at: Self.at(0))
        _ = order.take(Self.notice("2"), Self.place(2), at: Self.at(0))
        #expect(
            order.take(Self.notice("1, for others"), Self.place(1), at: Self.at(1)).map(\.frame)
                == ["1, for others"])
    }

    @Test func `a notice that is later than the database is dropped`() {
        var order = DeliveryOrder(swept: 100)
        _ = order.take(Self.notice("1"), Self.place(1), at: Self.at(0))
        order.sweep([Self.news(3, 102)], settled: 105, isUrgent: true, at: Self.at(10))
        #expect(order.readings(at: Self.at(10)) == [.init(url: "g", start: .sequence(1))])
        let ready = order.take(
            [(2, [Self.notice("2")]), (3, [Self.notice("3")])], of: "g", through: 3,
            at: Self.at(11))
        #expect(ready.map(\.frame) == ["2", "3"])
        #expect(order.take(Self.notice("2"), Self.place(2), at: Self.at(12)).isEmpty)
        #expect(order.take(Self.notice("3"), Self.place(3), at: Self.at(12)).isEmpty)
        #expect(order.take(Self.notice("4"), Self.place(4), at: Self.at(13)).count == 1)
    }

    @Test func `a sweep leaves a notice on its way some time`() {
        var order = DeliveryOrder(swept: 100)
        order.sweep([Self.news(3, 102)], settled: 105, isUrgent: false, at: Self.at(0))
        #expect(order.readings(at: Self.at(49)).isEmpty)
        #expect(order.take(Self.notice("3"), Self.place(3, after: 99), at: Self.at(20)).count == 1)
        #expect(order.readings(at: Self.at(1_000)).isEmpty)
    }

    @Test func `a failed reading is tried again after the patience`() {
        var order = DeliveryOrder(swept: 100)
        order.sweep([Self.news(3, 102)], settled: 105, isUrgent: true, at: Self.at(0))
        #expect(order.readings(at: Self.at(0)).count == 1)
        #expect(order.take(nil, of: "g", through: 0, at: Self.at(5)).isEmpty)
        #expect(order.readings(at: Self.at(54)).isEmpty)
        #expect(order.readings(at: Self.at(55)).count == 1)
    }

    @Test func `an answer that is not complete is followed by the next question`() {
        var order = DeliveryOrder(swept: 100)
        order.sweep([Self.news(9, 102)], settled: 105, isUrgent: true, at: Self.at(0))
        _ = order.readings(at: Self.at(0))
        let ready = order.take(
            [(4, [Self.notice("4")])], of: "g", through: 4, at: Self.at(5))
        #expect(ready.count == 1)
        #expect(order.readings(at: Self.at(55)) == [.init(url: "g", start: .sequence(4))])
    }

    @Test func `more notices than may wait are left to the database`() {
        var order = DeliveryOrder(swept: 100)
        _ = order.take(Self.notice("1"), Self.place(1), at: Self.at(0))
        for number in 0...Int64(DeliveryOrder.heldLimit) {
            #expect(order.take(Self.notice("x"), Self.place(number + 3), at: Self.at(0)).isEmpty)
        }
        #expect(order.readings(at: Self.at(50)) == [.init(url: "g", start: .sequence(1))])
        let last = Int64(DeliveryOrder.heldLimit) + 3
        let ready = order.take([], of: "g", through: last, at: Self.at(60))
        #expect(ready.isEmpty)
        #expect(order.readings(at: Self.at(1_000)).isEmpty)
    }

    @Test func `a quiet channel is forgotten, and its next notice needs no question`() {
        var order = DeliveryOrder(swept: 100)
        _ = order.take(Self.notice("1"), Self.place(1), at: Self.at(0))
        order.sweep([], settled: 1_000, isUrgent: false, at: Self.at(60_000))
        #expect(order.count == 0)
        let next = Self.place(2, by: 1_001, after: 1_000)
        let ready = order.take(Self.notice("2"), next, at: Self.at(60_001))
        #expect(ready.count == 1)
    }

    @Test func `a quiet channel is kept while an older transaction is open`() {
        var order = DeliveryOrder(swept: 100)
        _ = order.take(Self.notice("1"), Self.place(1), at: Self.at(0))
        // The sweeps pass over what they have seen, and the state shows that it is delivered.
        order.sweep([], settled: 500, isUrgent: false, at: Self.at(60_000))
        #expect(order.count == 1)
        let next = Self.place(2, by: 1_001, after: 1_000)
        let ready = order.take(Self.notice("2"), next, at: Self.at(60_001))
        #expect(ready.map(\.frame) == ["2"])
        order.sweep([], settled: 1_001, isUrgent: false, at: Self.at(120_001))
        #expect(order.count == 0)
    }

    @Test func `a look for missing changes passes over no quiet channel`() {
        var order = DeliveryOrder(swept: 100)
        for number in 0..<10_000 {
            _ = order.take(
                Self.notice("1"), Self.place(in: ChannelURL("g\(number)"), 1), at: Self.at(0))
        }
        #expect(order.behind.isEmpty)
        _ = order.take(Self.notice("3"), Self.place(in: "g7", 3), at: Self.at(0))
        #expect(order.behind == ["g7"])
        #expect(order.readings(at: Self.at(50)) == [.init(url: "g7", start: .sequence(1))])
        _ = order.take(Self.notice("2"), Self.place(in: "g7", 2), at: Self.at(51))
        #expect(order.behind.isEmpty)
    }

    @Test func `quiet channels are forgotten some at a time, those that lack changes never`() {
        var order = DeliveryOrder(swept: 100)
        let count = 2 * DeliveryOrder.forgetLimit + 500
        for number in 0..<count {
            _ = order.take(
                Self.notice("1"), Self.place(in: ChannelURL("g\(number)"), 1), at: Self.at(0))
        }
        _ = order.take(Self.notice("3"), Self.place(in: "g7", 3), at: Self.at(0))
        order.sweep([], settled: 100, isUrgent: false, at: Self.at(59_999))
        #expect(order.count == count)
        order.sweep([], settled: 1_000, isUrgent: false, at: Self.at(60_000))
        #expect(order.count >= count - DeliveryOrder.forgetLimit)
        for _ in 0..<4 { order.sweep([], settled: 1_000, isUrgent: false, at: Self.at(60_000)) }
        #expect(order.count == 1)
        #expect(order.behind == ["g7"])
    }
}

struct DatabaseClockTests {
    @Test func `the clock is the database's, whatever the machine says`() {
        let clock = DatabaseClock(
            .init(database: 1_000_000, asked: 40, answered: 60), steady: { 150 })
        #expect(clock.now == Timestamp(milliseconds: 1_000_100))
    }

    @Test func `a slow answer changes nothing, and neither do numbers that overflow`() {
        let clock = DatabaseClock(.init(database: 1_000, asked: 0, answered: 0), steady: { 10 })
        clock.adjust(.init(database: 9_000_000, asked: 0, answered: 501))
        clock.adjust(.init(database: 9_000_000, asked: .min, answered: .max))
        #expect(clock.now == Timestamp(milliseconds: 1_010))
        clock.adjust(.init(database: 2_000, asked: 0, answered: 500))
        #expect(clock.now == Timestamp(milliseconds: 1_760))
    }
}

struct PeerOrderTests {
    @Test(arguments: [
        PeerOrder.end(keys: [1, .max], of: "a\u{0}\"", frame: "EXPR{}\n"),
        .end(keys: [], of: "", frame: ""), .expel("é", frame: "LOGI{\"error\":true}\n"),
        .evict("a", from: "o"), .close("o"),
    ])
    func `an order arrives as it was sent`(order: PeerOrder) {
        #expect(PeerOrder(encoded: order.encoded) == order)
    }

    @Test(arguments: [
        "", "{}", "[]", "[1,2]", "[\"end\",\"a\"]", "[\"dance\",\"a\",\"b\"]", "[\"end\"",
    ])
    func `anything else on the bus is no order`(text: String) {
        #expect(PeerOrder(encoded: Array(text.utf8)) == nil)
    }
}
