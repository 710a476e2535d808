// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostTestSupport
import Testing

struct OutboxMachineTests {
    private static let now = Timestamp(milliseconds: 1_000_000_000)

    private static func item(
        _ id: String, in channel: ChannelURL = "c", ageMS: Int64 = 0
    ) -> OutboxMachine.Item {
        OutboxMachine.Item(
            requestID: RequestID(id), channel: channel,
            createdAt: Timestamp(milliseconds: now.milliseconds - ageMS), state: .pending)
    }

    private static func transmitted(_ effects: [OutboxMachine.Effect]) -> [RequestID] {
        effects.compactMap { if case .transmit(let id) = $0 { id } else { nil } }
    }

    /// Returns an outbox with these items queued.
    private static func machine(_ ids: String..., online: Bool = true) -> OutboxMachine {
        var machine = OutboxMachine()
        for id in ids { _ = machine.handle(.queued(item(id))) }
        if online { _ = machine.handle(.wentOnline(now: now)) }
        return machine
    }

    @Test func `no item leaves while offline, and all leave in order afterwards (scar 14)`() {
        var machine = Self.machine("1", "2", "3", online: false)
        var sent = Self.transmitted(machine.handle(.wentOnline(now: Self.now)))
        for id in ["1", "2", "3"] as [RequestID] {
            sent += Self.transmitted(machine.handle(.delivered(id, 1)))
        }
        #expect(sent == ["1", "2", "3"])
        #expect(!machine.isBusy)
    }

    @Test
    func `a late failure of the previous attempt does not pause a lane (scar 14)`()
        throws
    {
        var machine = Self.machine("1")
        _ = machine.handle(.wentOffline)
        #expect(Self.transmitted(machine.handle(.wentOnline(now: Self.now))) == ["1"])
        let effects = machine.handle(.failed("1", .connectionRequired, .socket))
        let lane = try #require(
            effects.compactMap { if case .armRest(let lane, _) = $0 { lane } else { nil } }.first)
        #expect(Self.transmitted(machine.handle(.rested(lane))) == ["1"])
    }

    @Test func `one message of a channel is in flight at a time (scar 12)`() {
        var machine = Self.machine("1")
        #expect(Self.transmitted(machine.handle(.queued(Self.item("2")))).isEmpty)
        #expect(Self.transmitted(machine.handle(.delivered("1", 1))) == ["2"])
    }

    @Test func `channels do not wait for one another (scar 18)`() {
        var machine = Self.machine("1")
        let effects = machine.handle(.queued(Self.item("2", in: "other")))
        #expect(Self.transmitted(effects) == ["2"])
    }

    @Test
    func `a lost link puts the message in flight back in front with its request ID (scar 10)`() {
        var machine = Self.machine("1", "2")
        let effects = machine.handle(.wentOffline)
        #expect(effects == [.disarmAckTimer("1")])
        #expect(Self.transmitted(machine.handle(.wentOnline(now: Self.now))) == ["1"])
        #expect(machine.item("1")?.state == .pending)
    }

    @Test func `a late acknowledgement still settles the message (scar 11)`() {
        var machine = Self.machine("1", "2")
        let timedOut = machine.handle(.ackTimedOut("1"))
        #expect(timedOut.contains(.store("1", .failed(.ackTimeout))))
        #expect(Self.transmitted(machine.handle(.recorded("1"))) == ["2"])
        #expect(machine.handle(.delivered("1", 1)).contains(.remove("1")))
        #expect(machine.item("1") == nil)
    }

    @Test func `a repeated report of a delivery has no effect (scar 69)`() {
        var machine = Self.machine("1")
        #expect(machine.handle(.delivered("1", 1)) == [.disarmAckTimer("1"), .remove("1")])
        #expect(machine.handle(.delivered("1", 1)).isEmpty)
    }

    @Test
    func `a refused message leaves the queue with its reason, and the rest continues (scar 65)`() {
        var machine = Self.machine("1", "2")
        let effects = machine.handle(.failed("1", .notAMember, .socket))
        #expect(effects.contains(.store("1", .failed(.notAMember))))
        #expect(Self.transmitted(machine.handle(.recorded("1"))) == ["2"])
    }

    // If the process ended before the failure is on disk, the message would be pending again at the
    // next start, and be sent behind its successor.
    @Test func `the next message waits until the failure before it is on disk (scar 12)`() {
        var machine = Self.machine("1", "2")
        #expect(Self.transmitted(machine.handle(.ackTimedOut("1"))).isEmpty)
        #expect(Self.transmitted(machine.handle(.queued(Self.item("3")))).isEmpty)
        #expect(!machine.isBusy)
        #expect(machine.isResting)
        _ = machine.handle(.wentOffline)
        #expect(Self.transmitted(machine.handle(.wentOnline(now: Self.now))).isEmpty)
        #expect(machine.handle(.recorded("2")).isEmpty)
        #expect(Self.transmitted(machine.handle(.recorded("1"))) == ["2"])
        #expect(machine.handle(.recorded("1")).isEmpty)
    }

    @Test(arguments: [
        OutboxMachine.Input.delivered("1", 1), .canceled("1"), .retried("1", now: now),
    ])
    func `a failed message that is settled holds up no other (scar 65)`(
        _ end: OutboxMachine.Input
    ) {
        var machine = Self.machine("1", "2")
        _ = machine.handle(.ackTimedOut("1"))
        #expect(Self.transmitted(machine.handle(end)) == ["2"])
    }

    @Test func `a channel is held during its catch-up, then continues`() {
        var machine = Self.machine("1", online: false)
        _ = machine.handle(.hold("c"))
        #expect(Self.transmitted(machine.handle(.wentOnline(now: Self.now))).isEmpty)
        #expect(Self.transmitted(machine.handle(.release("c"))) == ["1"])
    }

    @Test func `a rate limit pauses the channel and keeps the order (scar 72)`() {
        var machine = Self.machine("1", "2")
        let effects = machine.handle(.failed("1", .rateLimited, .socket))
        #expect(effects.contains(.armRest(.init("c"), OutboxMachine.rest)))
        #expect(Self.transmitted(effects).isEmpty)
        #expect(Self.transmitted(machine.handle(.queued(Self.item("3")))).isEmpty)
        #expect(Self.transmitted(machine.handle(.rested(.init("c")))) == ["1"])
    }

    @Test func `a resent message has three days of its own (R151)`() {
        var machine = Self.machine("1")
        _ = machine.handle(.failed("1", .ackTimeout, .socket))
        let day: Int64 = 86_400_000
        func later(_ days: Int64) -> Timestamp {
            Timestamp(milliseconds: Self.now.milliseconds + days * day)
        }
        _ = machine.handle(.retried("1", now: later(2)))
        _ = machine.handle(.wentOffline)
        #expect(Self.transmitted(machine.handle(.wentOnline(now: later(4)))) == ["1"])
    }

    @Test(arguments: [
        (OutboxMachine.lifetime, true), (OutboxMachine.lifetime + .seconds(1), false),
        (OutboxMachine.lifetime - .seconds(1), true),
    ])
    func `a message fails after three days of waiting (R151, scar 75)`(age: Duration, isSent: Bool)
    {
        var machine = OutboxMachine()
        _ = machine.handle(.queued(Self.item("1", ageMS: age.components.seconds * 1000)))
        let effects = machine.handle(.wentOnline(now: Self.now))
        #expect(Self.transmitted(effects) == (isSent ? ["1"] : []))
        #expect(effects.contains(.store("1", .failed(.pendingError))) == !isSent)
    }

    @Test func `a message that is being deleted keeps its place and its lane waiting`() {
        var machine = Self.machine("1", "2", "3")
        _ = machine.handle(.heldBack("2"))
        #expect(Self.transmitted(machine.handle(.delivered("1", 1))).isEmpty)
        #expect(!machine.isBusy)
        #expect(Self.transmitted(machine.handle(.freed("2"))) == ["2"])
        _ = machine.handle(.heldBack("3"))
        #expect(Self.transmitted(machine.handle(.delivered("2", 2))).isEmpty)
        _ = machine.handle(.queued(Self.item("4")))
        #expect(Self.transmitted(machine.handle(.canceled("3"))) == ["4"])
    }

    @Test func `a message resent by hand keeps its request ID`() {
        var machine = Self.machine("1")
        _ = machine.handle(.failed("1", .ackTimeout, .socket))
        let effects = machine.handle(.retried("1", now: Self.now))
        #expect(machine.item("1")?.state == .pending)
        #expect(Self.transmitted(effects) == ["1"])
    }

    @Test(arguments: [
        (RoostError.Code.socketClosed, SendConsequence.staysPending),
        (.socketFailed, .staysPending),
        (.connectionRequired, .staysPending),
        (.sessionKeyExpired, .staysPending),
        (.rateLimited, .waits),
        (.tooManyMessages, .waits),
        (.ackTimeout, .fails(isResendable: true)),
        (.networkError, .fails(isResendable: true)),
        (.internalServerError, .fails(isResendable: true)),
        (.channelFrozen, .fails(isResendable: true)),
        (.notAMember, .fails(isResendable: false)),
        (.invalidValue, .fails(isResendable: false)),
        (.tokenInvalid, .fails(isResendable: false)),
    ])
    func `each error has one consequence (R138-R151, scar 72)`(
        code: RoostError.Code, consequence: SendConsequence
    ) {
        #expect(SendConsequence(of: code, at: .socket) == consequence)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `random links keep the order of calls in every channel (scars 12, 13)`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var machine = OutboxMachine()
        var log: [ChannelURL: [Int]] = [:]
        var onItsWay: [RequestID] = []
        var written = 0
        func perform(_ effects: [OutboxMachine.Effect]) { onItsWay += Self.transmitted(effects) }
        func deliver(_ requestID: RequestID) {
            guard let item = machine.item(requestID), let number = Int(requestID.rawValue) else {
                return
            }
            if log[item.channel]?.contains(number) != true {
                log[item.channel, default: []].append(number)
            }
        }
        for _ in 0..<300 {
            switch random.next() % 6 {
            case 0, 1:
                let channel: ChannelURL = random.next() % 2 == 0 ? "a" : "b"
                perform(machine.handle(.queued(Self.item("\(written)", in: channel))))
                written += 1
            case 2: perform(machine.handle(.wentOnline(now: Self.now)))
            case 3:
                // A message in flight may have arrived before the link was lost.
                for requestID in onItsWay where random.next() % 2 == 0 { deliver(requestID) }
                onItsWay = []
                perform(machine.handle(.wentOffline))
            default:
                guard !onItsWay.isEmpty else { continue }
                let requestID = onItsWay.removeFirst()
                deliver(requestID)
                perform(machine.handle(.delivered(requestID, 1)))
            }
        }
        perform(machine.handle(.wentOnline(now: Self.now)))
        while !onItsWay.isEmpty {
            let requestID = onItsWay.removeFirst()
            deliver(requestID)
            perform(machine.handle(.delivered(requestID, 1)))
        }
        #expect(log.values.reduce(0) { $0 + $1.count } == written)
        for numbers in log.values { #expect(numbers == numbers.sorted()) }
    }
}
