// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

/// The outbox machine's record of earlier attempts, and its end.
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

    /// Returns a connected machine with these items in flight or queued.
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
        // Its message was delivered after all, but the failed change is not sent for that.
        #expect(!machine.handle(.delivered("m", 7)).contains(.aim("e", at: 7)))
    }

    @Test func `a new connection ends a rest (scar 72)`() {
        var machine = Self.machine(Self.item("m"))
        _ = machine.handle(.failed("m", .rateLimited, .socket))
        _ = machine.handle(.wentOffline)
        #expect(Self.transmitted(machine.handle(.wentOnline(now: Self.now))) == ["m"])
    }

    @Test func `a resend by hand restores the time limit and the first rest (scar 72)`() {
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

    @Test func `an item changed by another process keeps its time limit, a moved one restarts it`()
    {
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

    @Test func `a held channel holds messages and no changes`() {
        var machine = Self.machine()
        _ = machine.handle(.hold("c"))
        #expect(Self.transmitted(machine.handle(.queued(Self.item("m")))).isEmpty)
        #expect(Self.transmitted(machine.handle(.queued(Self.item("e", .change)))) == ["e"])
        #expect(Self.transmitted(machine.handle(.release("c"))) == ["m"])
    }

    @Test func `an answer about an item that is not in flight has no effect`() {
        var machine = Self.machine(Self.item("m"))
        _ = machine.handle(.wentOffline)
        #expect(machine.handle(.left("m")).isEmpty)
    }

    @Test func `with all places for files taken a text would leave at once, and a file would not`()
    {
        var machine = Self.machine()
        for number in 0..<Machine.uploads {
            #expect(machine.wouldLeaveAtOnce(Machine.Lane("c"), hasUploads: true))
            let channel = ChannelURL("c\(number)")
            _ = machine.handle(.queued(Self.item(RequestID("f\(number)"), in: channel, .file)))
        }
        #expect(!machine.wouldLeaveAtOnce(Machine.Lane("c"), hasUploads: true))
        #expect(machine.wouldLeaveAtOnce(Machine.Lane("c")))
    }

    @Test func `with all places taken no item would leave at once (scar 64)`() {
        var machine = Self.machine()
        for number in 0..<Machine.concurrency {
            #expect(machine.wouldLeaveAtOnce(Machine.Lane("c")))
            let channel = ChannelURL("c\(number)")
            _ = machine.handle(.queued(Self.item(RequestID("m\(number)"), in: channel)))
        }
        #expect(!machine.wouldLeaveAtOnce(Machine.Lane("c")))
        #expect(!machine.wouldLeaveAtOnce(Machine.Lane("c"), hasUploads: true))
        // The attempt is not on the disk then, and is noted when it begins.
        _ = machine.handle(.queued(Self.item("m")))
        let effects = machine.handle(.delivered("m0", 7))
        #expect(effects.suffix(2) == [.noteAttempt("m"), .transmit("m")])
    }

    @Test func `each attempt is noted once, by the first write if that contains it (scar 64)`() {
        var machine = Self.machine()
        let noted: [Machine.Effect] = [.noteAttempt("m"), .transmit("m")]
        #expect(machine.handle(.queued(Self.item("m"))) == noted)
        machine = Self.machine()
        let own = Self.item("m", hasLeft: true, isNoted: true)
        #expect(machine.handle(.queued(own)) == [.transmit("m")])
        _ = machine.handle(.wentOffline)
        #expect(machine.handle(.wentOnline(now: Self.now)) == noted)
        // An item that another process sent is sent once more.
        machine = Self.machine()
        #expect(machine.handle(.queued(Self.item("m", hasLeft: true))) == noted)
    }

    @Test(arguments: [false, true])
    func `an item refused at its only attempt is not at the server (scar 64)`(
        isOwn: Bool
    ) {
        var machine = Self.machine()
        _ = machine.handle(.queued(Self.item("m", hasLeft: true, isNoted: isOwn)))
        _ = machine.handle(.failed("m", .notAMember, .socket))
        #expect(machine.item("m")?.hasLeft == !isOwn)
        // Resent by hand and cut off: it may have arrived now.
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
    func `any end of an attempt frees its place (scar 65)`(_ end: OutboxMachine.Input) {
        var machine = Self.machine()
        for number in 0..<Machine.concurrency {
            let channel = ChannelURL("c\(number)")
            _ = machine.handle(.queued(Self.item(RequestID("m\(number)"), in: channel)))
        }
        #expect(Self.transmitted(machine.handle(.queued(Self.item("m")))).isEmpty)
        #expect(Self.transmitted(machine.handle(end)) == ["m"])
    }

    @Test func `a repeated failure has no effect`() {
        var machine = Self.machine(Self.item("m"), Self.item("n"))
        _ = machine.handle(.failed("m", .notAMember, .socket))
        #expect(machine.handle(.failed("m", .rateLimited, .socket)).isEmpty)
        #expect(Self.transmitted(machine.handle(.delivered("n", 7))).isEmpty)
    }

    @Test func `items that a connection lost are in front of later ones (scar 12)`() {
        var machine = Self.machine(Self.item("m"), Self.item("n"))
        _ = machine.handle(.failed("m", .socketClosed, .socket))
        _ = machine.handle(.wentOffline)
        #expect(Self.transmitted(machine.handle(.wentOnline(now: Self.now))) == ["m"])
    }
}
