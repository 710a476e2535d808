// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostModel
import Testing

struct NoticeLossesTests {
    private static let start = ContinuousClock.now

    private static func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private static func news(_ change: Int64, of url: ChannelURL = "g") -> [ChannelNews] {
        [ChannelNews(url: url, sequence: 1, logChange: 0, viewChange: change)]
    }

    private static func report(
        _ change: Int64, since start: Int64, of url: ChannelURL = "g"
    ) -> NoticeLosses.Report {
        NoticeLosses.Report(url: url, change: change, start: start)
    }

    @Test func `a sweep goes back behind a loss that is noticed late`() {
        var losses = NoticeLosses()
        for second in 0..<15 { losses.noteSweep(to: Int64(second), at: Self.at(second)) }
        losses.note(swept: 14, mistrustingFor: nil, at: Self.at(15))
        #expect(losses.take() == 5)
        #expect(losses.take() == nil)
        losses.putBack(7)
        losses.putBack(9)
        losses.putBack(nil)
        #expect(losses.take() == 7)
    }

    @Test func `mistrust ends soon after the bus hears all servers that live`() {
        var losses = NoticeLosses()
        func compare(alive: Int, heard: Int, at second: Int) {
            _ = losses.compare(alive: alive, heard: heard, swept: 1, at: Self.at(second))
        }
        losses.note(swept: 1, mistrustingFor: NoticeLosses.mistrustTime, at: Self.at(0))
        // The lease of the dead server has not ended.
        compare(alive: 3, heard: 2, at: 5)
        compare(alive: 3, heard: 2, at: 10)
        // After a failover the database knows too few servers for a moment.
        compare(alive: 1, heard: 2, at: 15)
        compare(alive: 3, heard: 2, at: 20)
        compare(alive: 2, heard: 2, at: 25)
        #expect(losses.isMistrusting(at: Self.at(60)))
        compare(alive: 2, heard: 2, at: 30)
        #expect(losses.isMistrusting(at: Self.at(39)))
        #expect(!losses.isMistrusting(at: Self.at(41)))
        // The next server that falls silent begins it anew.
        losses.note(swept: 1, mistrustingFor: NoticeLosses.mistrustTime, at: Self.at(50))
        compare(alive: 2, heard: 2, at: 55)
        #expect(losses.isMistrusting(at: Self.at(600)))
    }

    @Test func `a departure neither ends a longer mistrust nor lasts`() {
        var losses = NoticeLosses()
        losses.note(swept: 1, mistrustingFor: Loss(.departure).mistrust, at: Self.at(0))
        #expect(losses.isMistrusting(at: Self.at(9)))
        #expect(!losses.isMistrusting(at: Self.at(11)))
        losses.note(swept: 1, mistrustingFor: Loss(.silence).mistrust, at: Self.at(20))
        losses.note(swept: 1, mistrustingFor: Loss(.departure).mistrust, at: Self.at(21))
        #expect(losses.isMistrusting(at: Self.at(600)))
    }

    @Test func `session keys are checked at once after a loss, rarely while notices are missing`() {
        var losses = NoticeLosses()
        func isDue(_ quarters: Int, isLoss: Bool = false, isBlind: Bool) -> Bool {
            let now = Self.start + .milliseconds(quarters * 250)
            let isDue = losses.isSessionCheckDue(isLoss: isLoss, isBlind: isBlind, at: now)
            if isDue { losses.noteSessionCheck(at: now) }
            return isDue
        }
        #expect(!isDue(0, isBlind: false))
        #expect((1...20).count { isDue($0, isBlind: true) } == 1)
        #expect(isDue(21, isBlind: true))
        #expect(isDue(22, isLoss: true, isBlind: true))
        #expect(!isDue(23, isBlind: true))
        // A session may have ended behind the last check, just before notices came again.
        #expect((24...60).filter { isDue($0, isBlind: false) } == [42])
    }

    @Test func `a lasting disagreement renews the mistrust, and is told once`() {
        var losses = NoticeLosses()
        let told = (1...6).map { number in
            losses.compare(alive: 2, heard: 1, swept: 1, at: Self.at(number * 5))
        }
        #expect(told == [nil, nil, nil, .unheard, nil, nil])
        #expect(losses.isMistrusting(at: Self.at(629)))
        #expect(!losses.isMistrusting(at: Self.at(631)))
    }

    @Test func `servers of another cluster that stay on the bus are told to the operators once`() {
        var losses = NoticeLosses()
        func compare(alive: Int, at number: Int) -> NoticeLosses.Disagreement? {
            losses.compare(alive: alive, heard: 3, swept: 1, at: Self.at(number * 5))
        }
        // After a failover the database knows too few servers for a moment.
        let short = [1, 1, 3].enumerated().map { compare(alive: $1, at: $0) }
        #expect(short == [nil, nil, nil])
        let lasting = (3...8).map { compare(alive: 2, at: $0) }
        #expect(lasting == [nil, nil, nil, .unknown, nil, nil])
    }

    @Test func `a channel that changes often is reported once in ten seconds of mistrust`() {
        var losses = NoticeLosses()
        losses.note(swept: 100, mistrustingFor: NoticeLosses.mistrustTime, at: Self.at(0))
        losses.want(Self.news(101), since: 100)
        #expect(losses.due(isConnected: true, at: Self.at(0)) == [Self.report(101, since: 100)])
        losses.noteReport(Self.report(101, since: 100), at: Self.at(0))
        losses.want(Self.news(103), since: 102)
        losses.want(Self.news(105), since: 104)
        #expect(losses.due(isConnected: true, at: Self.at(9)).isEmpty)
        losses.want(Self.news(106, of: "h"), since: 104)
        #expect(
            losses.due(isConnected: true, at: Self.at(10))
                == [Self.report(105, since: 102), Self.report(106, since: 104, of: "h")])
    }

    @Test func `a channel that changes often is reported once in ten seconds without a bus`() {
        var losses = NoticeLosses()
        // Each read mark is a change, and a sweep comes four times a second.
        let reports = (1...80).reduce(0) { count, quarter in
            let now = Self.start + .milliseconds(quarter * 250)
            losses.want(Self.news(Int64(100 + quarter)), since: Int64(99 + quarter))
            let due = losses.due(isConnected: false, at: now)
            for report in due { losses.noteReport(report, at: now) }
            return count + due.count
        }
        #expect(reports == 2)
        // Another channel does not wait.
        losses.want(Self.news(300, of: "h"), since: 200)
        #expect(
            losses.due(isConnected: false, at: Self.at(20)).contains(
                Self.report(300, since: 200, of: "h")))
    }

    @Test func `a change in the moment of its channel's report is reported too`() {
        var losses = NoticeLosses()
        losses.want(Self.news(101), since: 90)
        losses.want(Self.news(102), since: 101)
        losses.noteReport(Self.report(101, since: 90), at: Self.at(0))
        #expect(losses.due(isConnected: true, at: Self.at(0)) == [Self.report(102, since: 90)])
    }

    @Test func `a change that clients were told is not told again`() {
        var losses = NoticeLosses()
        losses.want(Self.news(101), since: 90)
        losses.noteReport(Self.report(101, since: 90), at: Self.at(0))
        losses.noteSweep(to: 80, at: Self.at(60))
        losses.want(Self.news(101), since: 95)
        #expect(losses.due(isConnected: true, at: Self.at(60)).isEmpty)
        // Users who had left before were not told.
        losses.want(Self.news(101), since: 85)
        #expect(losses.due(isConnected: true, at: Self.at(60)) == [Self.report(101, since: 85)])
        losses.noteReport(Self.report(101, since: 85), at: Self.at(60))
        // A report without a gap behind the first one tells as much.
        losses.noteReport(Self.report(110, since: 101), at: Self.at(61))
        losses.want(Self.news(110), since: 90)
        #expect(losses.due(isConnected: true, at: Self.at(61)).isEmpty)
    }

    @Test func `a change by an older transaction that came later is told`() {
        var losses = NoticeLosses()
        losses.want(Self.news(105), since: 90)
        losses.noteReport(Self.report(105, since: 90), at: Self.at(0))
        losses.want(Self.news(101), since: 90)
        #expect(losses.due(isConnected: true, at: Self.at(1)) == [Self.report(101, since: 90)])
        losses.noteReport(Self.report(101, since: 90), at: Self.at(1))
        losses.want(Self.news(101), since: 90)
        #expect(losses.due(isConnected: true, at: Self.at(1)).isEmpty)
    }

    @Test func `a new era forgets the reports of numbers that are given again`() {
        var losses = NoticeLosses()
        losses.noteSweep(to: 120, at: Self.at(0))
        losses.want(Self.news(115), since: 110)
        losses.noteReport(Self.report(115, since: 110), at: Self.at(0))
        losses.want(Self.news(116, of: "h"), since: 110)
        losses.goBack(to: 100)
        losses.note(swept: 100, mistrustingFor: nil, at: Self.at(1))
        #expect(losses.take() == 100)
        losses.want(Self.news(112), since: 111)
        #expect(
            losses.due(isConnected: true, at: Self.at(1))
                == [Self.report(100, since: 100, of: "h"), Self.report(112, since: 111)])
    }
}
