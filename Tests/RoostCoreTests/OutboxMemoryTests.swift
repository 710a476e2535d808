// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

/// What the outbox machine remembers of earlier tries, and when it forgets it.
struct OutboxMemoryTests {
    private typealias Machine = OutboxMachine

    private static let now = Timestamp(milliseconds: 1_000_000_000)
    private static let later = Timestamp(milliseconds: now.milliseconds + 4 * 86_400_000)
    private static let changes = Machine.Lane("c", isForChanges: true)

    private static func item(
        _ id: RequestID, in channel: ChannelURL = "c", _ kind: Machine.Item.Kind = .message,
        hasLeft: Bool = false, isNoted: Bool = false, awaits awaited: RequestID? = nil
    ) -> Machine.Item {
        Machine.Item(
            requestID: id, channel: channel, kind: kind, createdAt: now, state: .pending,
            hasLeft: hasLeft, isNoted: isNoted, awaited: awaited)
    }

    /// A machine that is connected, and has these on their way or in line.
    private static func machine(_ items: Machine.Item...) -> Machine {
        var machine = Machine()
        _ = machine.handle(.wentOnline(now: now))
        for item in items { _ = machine.handle(.queued(item)) }
        return machine
    }

    private static func transmitted(_ effects: [Machine.Effect]) -> [RequestID] {
        effects.compactMap { if case .transmit(let id) = $0 { id } else { nil } }
    }

    @Test func `a change that waits for its message fails with it after three days (R151)`() {
        var machine = Self.machine(Self.item("m"), Self.item("e", .change, awaits: "m"))
        _ = machine.handle(.wentOffline)
        let effects = machine.handle(.wentOnline(now: Self.later))
        #expect(effects.contains(.store("e", .failed(.pendingError))))
        // Its message was delivered after all: what has failed is not sent for that.
        #expect(!machine.handle(.delivered("m", 7)).contains(.aim("e", at: 7)))
    }

    @Test func `a new connection ends a rest (scar 72)`() {
        var machine = Self.machine(Self.item("m"))
        _ = machine.handle(.failed("m", .rateLimited, .socket))
        _ = machine.handle(.wentOffline)
        #expect(Self.transmitted(machine.handle(.wentOnline(now: Self.now))) == ["m"])
    }

    @Test func `what is tried again by hand has patience and rests as at first (scar 72)`() {
        var machine = Self.machine(Self.item("e", .change))
        for number in 1...Machine.patience {
            let effects = machine.handle(.failed("e", .internalServerError, .change))
            let isOver = effects.contains(.store("e", .failed(.internalServerError)))
            #expect(isOver == (number == Machine.patience))
            _ = machine.handle(.rested(Self.changes))
        }
        _ = machine.handle(.retried("e", now: Self.now))
        let effects = machine.handle(.failed("e", .internalServerError, .change))
        #expect(effects.contains(.armRest(Self.changes, Machine.rest)))
    }

    @Test func `what another process changed keeps the patience it has left, moved it has all`() {
        for isMoved in [false, true] {
            var machine = Self.machine(Self.item("e", .change))
            for _ in 1..<Machine.patience {
                _ = machine.handle(.rested(Self.changes))
                _ = machine.handle(.failed("e", .internalServerError, .change))
            }
            _ = machine.handle(.revised(Self.item("e", .change), isMoved: isMoved))
            _ = machine.handle(.rested(Self.changes))
            let effects = machine.handle(.failed("e", .internalServerError, .change))
            #expect(effects.contains(.store("e", .failed(.internalServerError))) == !isMoved)
        }
    }

    @Test func `a channel that is held holds messages and no changes`() {
        var machine = Self.machine()
        _ = machine.handle(.hold("c"))
        #expect(Self.transmitted(machine.handle(.queued(Self.item("m")))).isEmpty)
        #expect(Self.transmitted(machine.handle(.queued(Self.item("e", .change)))) == ["e"])
        #expect(Self.transmitted(machine.handle(.release("c"))) == ["m"])
    }

    @Test func `no answer is awaited of what is not on its way any more`() {
        var machine = Self.machine(Self.item("m"))
        _ = machine.handle(.wentOffline)
        #expect(machine.handle(.left("m")).isEmpty)
    }

    @Test func `where all places for files are taken a text would leave at once, and no file`() {
        var machine = Self.machine()
        for number in 0..<Machine.uploads {
            #expect(machine.wouldLeaveAtOnce(Machine.Lane("c"), hasUploads: true))
            let channel = ChannelURL("c\(number)")
            _ = machine.handle(.queued(Self.item(RequestID("f\(number)"), in: channel, .file)))
        }
        #expect(!machine.wouldLeaveAtOnce(Machine.Lane("c"), hasUploads: true))
        #expect(machine.wouldLeaveAtOnce(Machine.Lane("c")))
    }

    @Test func `where all places are taken nothing would leave at once (scar 64)`() {
        var machine = Self.machine()
        for number in 0..<Machine.concurrency {
            #expect(machine.wouldLeaveAtOnce(Machine.Lane("c")))
            let channel = ChannelURL("c\(number)")
            _ = machine.handle(.queued(Self.item(RequestID("m\(number)"), in: channel)))
        }
        #expect(!machine.wouldLeaveAtOnce(Machine.Lane("c")))
        #expect(!machine.wouldLeaveAtOnce(Machine.Lane("c"), hasUploads: true))
        // The disk does not know of the attempt then, and is told when it begins.
        _ = machine.handle(.queued(Self.item("m")))
        let effects = machine.handle(.delivered("m0", 7))
        #expect(effects.suffix(2) == [.noteAttempt("m"), .transmit("m")])
    }

    @Test func `each attempt is noted once, by the first write where that says it (scar 64)`() {
        var machine = Self.machine()
        let noted: [Machine.Effect] = [.noteAttempt("m"), .transmit("m")]
        #expect(machine.handle(.queued(Self.item("m"))) == noted)
        machine = Self.machine()
        let own = Self.item("m", hasLeft: true, isNoted: true)
        #expect(machine.handle(.queued(own)) == [.transmit("m")])
        _ = machine.handle(.wentOffline)
        #expect(machine.handle(.wentOnline(now: Self.now)) == noted)
        // What left before, from another process, leaves once more.
        machine = Self.machine()
        #expect(machine.handle(.queued(Self.item("m", hasLeft: true))) == noted)
    }

    @Test(arguments: [false, true])
    func `refused at its only attempt it is not there, after another it may be (scar 64)`(
        isOwn: Bool
    ) {
        var machine = Self.machine()
        _ = machine.handle(.queued(Self.item("m", hasLeft: true, isNoted: isOwn)))
        _ = machine.handle(.failed("m", .notAMember, .socket))
        #expect(machine.item("m")?.hasLeft == !isOwn)
        // Sent again by hand, and cut off: now it may have arrived.
        _ = machine.handle(.retried("m", now: Self.now))
        _ = machine.handle(.wentOffline)
        _ = machine.handle(.wentOnline(now: Self.now))
        _ = machine.handle(.failed("m", .notAMember, .socket))
        #expect(machine.item("m")?.hasLeft == true)
    }

    @Test(arguments: [
        OutboxMachine.Input.failed("m0", .rateLimited, .socket),
        .failed("m0", .socketClosed, .socket),
        .failed("m0", .notAMember, .socket), .canceled("m0"), .delivered("m0", 7),
    ])
    func `whatever ends an attempt makes room for who waits (scar 65)`(_ end: OutboxMachine.Input) {
        var machine = Self.machine()
        for number in 0..<Machine.concurrency {
            let channel = ChannelURL("c\(number)")
            _ = machine.handle(.queued(Self.item(RequestID("m\(number)"), in: channel)))
        }
        #expect(Self.transmitted(machine.handle(.queued(Self.item("m")))).isEmpty)
        #expect(Self.transmitted(machine.handle(end)) == ["m"])
    }

    @Test func `a failure that comes twice is one`() {
        var machine = Self.machine(Self.item("m"), Self.item("n"))
        _ = machine.handle(.failed("m", .notAMember, .socket))
        #expect(machine.handle(.failed("m", .rateLimited, .socket)).isEmpty)
        #expect(Self.transmitted(machine.handle(.delivered("n", 7))).isEmpty)
    }

    @Test func `what the connection lost stands in front of what came later (scar 12)`() {
        var machine = Self.machine(Self.item("m"), Self.item("n"))
        _ = machine.handle(.failed("m", .socketClosed, .socket))
        _ = machine.handle(.wentOffline)
        #expect(Self.transmitted(machine.handle(.wentOnline(now: Self.now))) == ["m"])
    }
}
