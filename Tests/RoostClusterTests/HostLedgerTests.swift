// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostCluster

struct HostLedgerTests {
    private static let own = HostID(rawValue: 1)
    private static let host = HostID(rawValue: 2)
    private static let start = ContinuousClock.now

    /// One thing that a ledger hears.
    enum Step: Sendable {
        case message(UInt64)
        case heartbeat(UInt64)
        /// Time passes and the silence is checked.
        case seconds(Int)
    }

    /// A case: steps, the losses of the last one, and whether its message is delivered.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]
        var losses: [Loss] = []
        var isInOrder = true

        init(_ name: String, _ steps: [Step], _ losses: [Loss] = [], isInOrder: Bool = true) {
            testDescription = name
            self.steps = steps
            self.losses = losses
            self.isInOrder = isInOrder
        }
    }

    static let cases: [Case] = [
        Case("first message", [.message(1)]),
        Case("first message, but not the host's", [.message(5)], [late(4)]),
        Case("first heartbeat of a silent host", [.heartbeat(0)]),
        Case("first heartbeat after messages", [.heartbeat(3)], [late(3)]),
        Case("messages in a row", [.message(1), .message(2), .message(3)]),
        Case("a hole", [.message(1), .message(4)], [hole(2)]),
        Case("a repeated message", [.message(1), .message(1)], isInOrder: false),
        Case("a late message", [.message(1), .message(3), .message(2)], isInOrder: false),
        Case("the message after a hole", [.message(1), .message(3), .message(4)]),
        Case("a heartbeat in agreement", [.message(1), .heartbeat(1)]),
        Case("a heartbeat that shows a hole", [.message(1), .heartbeat(4)], [hole(3)]),
        Case(
            "a hole is reported once", [.message(1), .heartbeat(4), .heartbeat(4)]),
        Case(
            "a message that a heartbeat gave up", [.message(1), .heartbeat(2), .message(2)],
            isInOrder: false),
        Case("an old heartbeat", [.message(1), .message(2), .heartbeat(1)]),
        Case("silence below the limit", [.message(1), .seconds(2)]),
        Case("silence", [.message(1), .seconds(3)], [Loss(.silence, of: host)]),
        Case("silence ends with any sign", [.message(1), .seconds(2), .heartbeat(1), .seconds(2)]),
        Case("silence is reported once", [.message(1), .seconds(3), .seconds(3)]),
        Case("a host that returns", [.message(1), .seconds(3), .message(2)], [late(1)]),
        Case("the last number", [.message(1), .message(.max)], [hole(.max - 2)]),
        Case("after the last number", [.message(.max), .message(.max)], isInOrder: false),
        Case("a heartbeat with the last number", [.heartbeat(.max)], [late(.max)]),
    ]

    private static func late(_ count: UInt64) -> Loss { Loss(.lateMeeting, of: host, count: count) }
    private static func hole(_ count: UInt64) -> Loss { Loss(.hole, of: host, count: count) }

    @Test(arguments: cases)
    func `each step reports the losses that the numbers prove`(table: Case) {
        var ledger = HostLedger(own: Self.own, silence: .seconds(3))
        var now = Self.start
        var result: (isInOrder: Bool, losses: [Loss]) = (true, [])
        for step in table.steps {
            switch step {
            case .message(let number):
                result = ledger.message(number, from: Self.host, at: now)
            case .heartbeat(let last):
                let losses = ledger.heartbeat(last: last, name: "b", from: Self.host, at: now)
                result = (true, losses)
            case .seconds(let seconds):
                now = now.advanced(by: .seconds(seconds))
                result = (true, ledger.beat(at: now))
            }
        }
        #expect(result.losses == table.losses)
        #expect(result.isInOrder == table.isInOrder)
    }

    @Test func `a host that leaves is not listed, and does not fall silent later`() {
        var ledger = HostLedger(own: Self.own, silence: .seconds(3))
        _ = ledger.message(1, from: Self.host, at: Self.start)
        let loss = ledger.leave(Self.host)
        #expect(loss == Loss(.departure, of: Self.host))
        #expect(ledger.hosts.isEmpty)
        let losses = ledger.beat(at: Self.start.advanced(by: .seconds(9)))
        #expect(losses.isEmpty)
    }

    @Test func `the host itself is no other host`() {
        var ledger = HostLedger(own: Self.own, silence: .seconds(3))
        #expect(ledger.message(9, from: Self.own, at: Self.start).isInOrder == false)
        #expect(ledger.heartbeat(last: 9, name: "a", from: Self.own, at: Self.start) == [])
        #expect(ledger.hosts == [])
    }

    @Test func `hosts are listed with name and last sign`() {
        var ledger = HostLedger(own: Self.own, silence: .seconds(3))
        let later = Self.start.advanced(by: .seconds(1))
        _ = ledger.message(1, from: HostID(rawValue: 3), at: Self.start)
        _ = ledger.heartbeat(last: 0, name: "b", from: Self.host, at: later)
        #expect(
            ledger.hosts == [
                HostInfo(id: Self.host, name: "b", lastHeard: later),
                HostInfo(id: HostID(rawValue: 3), name: "", lastHeard: Self.start),
            ])
    }

    @Test func `one host too many displaces the host that was heard longest ago`() {
        var ledger = HostLedger(own: Self.own, silence: .seconds(3), limit: 2)
        for number in 2...3 as ClosedRange<UInt64> {
            _ = ledger.message(
                1, from: HostID(rawValue: number), at: Self.start.advanced(by: .seconds(number)))
        }
        _ = ledger.message(
            2, from: HostID(rawValue: 2), at: Self.start.advanced(by: .seconds(4)))
        let losses = ledger.message(
            1, from: HostID(rawValue: 4), at: Self.start.advanced(by: .seconds(5))
        ).losses
        #expect(losses == [Loss(.silence, of: HostID(rawValue: 3))])
        #expect(ledger.hosts.map(\.id.rawValue) == [2, 4])
    }

    @Test func `waiting losses of a kind are joined, and their list is bounded`() {
        var queue = LossQueue()
        queue.add(Loss(.hole, of: Self.host, count: 2))
        queue.add(Loss(.reconnection))
        queue.add(Loss(.hole, of: Self.host, count: 3))
        #expect(queue.next() == Loss(.hole, of: Self.host, count: 5))
        #expect(queue.next() == Loss(.reconnection))
        #expect(queue.next() == nil)

        for number in 0..<10_000 as Range<UInt64> {
            queue.add(Loss(.hole, of: HostID(rawValue: number), count: 1))
        }
        var losses: [Loss] = []
        while let loss = queue.next() { losses.append(loss) }
        #expect(losses.count == LossQueue.limit + 1)
        #expect(losses.last == Loss(.hole, count: UInt64(10_000 - LossQueue.limit)))
    }
}
