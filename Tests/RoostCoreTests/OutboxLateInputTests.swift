// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

/// Inputs that come too late, and items that wait for a place.
struct OutboxLateInputTests {
    private typealias Machine = OutboxMachine

    private static let now = Timestamp(milliseconds: 1_000_000_000)

    private static func item(
        _ id: RequestID, in channel: ChannelURL = "c", _ kind: Machine.Item.Kind = .message,
        createdAt: Timestamp = now, awaits awaited: RequestID? = nil
    ) -> Machine.Item {
        Machine.Item(
            requestID: id, channel: channel, kind: kind, createdAt: createdAt, state: .pending,
            hasLeft: false, isNoted: false, awaited: awaited)
    }

    private static func transmitted(_ effects: [Machine.Effect]) -> [RequestID] {
        effects.compactMap { if case .transmit(let id) = $0 { id } else { nil } }
    }

    private static let late: [Machine.Input] = [
        .left("gone"), .delivered("gone", 5), .failed("gone", .socketClosed, .socket),
        .ackTimedOut("gone"), .retried("gone", now: now), .canceled("gone"),
        .abandoned("gone", Machine.Lane("c")),
    ]

    @Test(arguments: late)
    func `an input about an item that is gone has no effect`(_ input: OutboxMachine.Input) {
        var machine = Machine()
        _ = machine.handle(.wentOnline(now: Self.now))
        #expect(machine.handle(input) == [])
        #expect(!machine.isBusy)
    }

    @Test func `an item that has not failed is not sent a second time by hand`() {
        var machine = Machine()
        _ = machine.handle(.wentOnline(now: Self.now))
        _ = machine.handle(.queued(Self.item("a")))
        #expect(machine.handle(.retried("a", now: Self.now)) == [])
    }

    @Test func `a cancelled change is not sent with the message that it waited for`() {
        var machine = Machine()
        _ = machine.handle(.wentOnline(now: Self.now))
        _ = machine.handle(.queued(Self.item("a")))
        _ = machine.handle(.queued(Self.item("e", in: "c", .change, awaits: "a")))
        _ = machine.handle(.queued(Self.item("f", in: "c", .change, awaits: "a")))
        #expect(machine.handle(.canceled("e")) == [.cancel("e")])
        let effects = machine.handle(.delivered("a", 7))
        #expect(effects.contains(.aim("f", at: 7)) && !effects.contains(.aim("e", at: 7)))
        #expect(Self.transmitted(effects) == ["f"])
    }

    @Test func `changes of a message that the server has without an ID are dropped`() {
        var machine = Machine()
        _ = machine.handle(.queued(Self.item("a")))
        _ = machine.handle(.queued(Self.item("e", in: "c", .change, awaits: "a")))
        #expect(machine.handle(.delivered("a", nil)) == [.remove("a"), .drop("e")])
    }

    @Test func `all changes that wait too long for their messages fail, in one order`() {
        let old = Timestamp(milliseconds: Self.now.milliseconds - 4 * 86_400_000)
        var machine = Machine()
        for (change, message) in [("z", "b"), ("y", "a")] as [(RequestID, RequestID)] {
            _ = machine.handle(
                .queued(Self.item(change, in: "c", .change, createdAt: old, awaits: message)))
        }
        #expect(
            machine.handle(.wentOnline(now: Self.now)) == [
                .store("y", .failed(.pendingError)), .store("z", .failed(.pendingError)),
            ])
    }

    @Test func `a lane that waits for a free place is served once per place`() {
        var machine = Machine()
        _ = machine.handle(.wentOnline(now: Self.now))
        for number in 0..<Machine.concurrency {
            _ = machine.handle(
                .queued(Self.item(RequestID("\(number)"), in: ChannelURL("busy \(number)"))))
        }
        for id in ["a", "b"] as [RequestID] {
            #expect(machine.handle(.queued(Self.item(id, in: "late"))) == [])
        }
        #expect(Self.transmitted(machine.handle(.delivered("0", 1))) == ["a"])
        // The second item of the lane waits for the first one, and not for a place.
        #expect(Self.transmitted(machine.handle(.delivered("1", 2))) == [])
        #expect(Self.transmitted(machine.handle(.delivered("a", 3))) == ["b"])
    }
}
