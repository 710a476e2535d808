// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

/// The search for messages that may have arrived, before a departure and without one.
struct OutboxArrivalTests {
    private static let now = Timestamp(milliseconds: 1_000_000_000)
    private static let lane = OutboxMachine.Lane("c", isForChanges: true)

    private static func item(
        _ id: RequestID, _ kind: OutboxMachine.Item.Kind, awaits awaited: RequestID? = nil
    ) -> OutboxMachine.Item {
        OutboxMachine.Item(
            requestID: id, channel: "c", kind: kind, createdAt: now, state: .pending,
            awaited: awaited)
    }

    /// A machine as after a relaunch: the deletion of a canceled message and a departure wait.
    private static func machine() -> OutboxMachine {
        var machine = OutboxMachine()
        _ = machine.handle(.queued(item("x", .change, awaits: "m")))
        _ = machine.handle(.queued(item("d", .departure)))
        return machine
    }

    private static func transmitted(_ effects: [OutboxMachine.Effect]) -> [RequestID] {
        effects.compactMap { if case .transmit(let id) = $0 { id } else { nil } }
    }

    @Test func `a message whose deletion waits is looked for on each connection (scar 12)`() {
        var machine = OutboxMachine()
        _ = machine.handle(.queued(Self.item("x", .change, awaits: "m")))
        for _ in 1...2 {
            #expect(machine.handle(.wentOnline(now: Self.now)) == [.lookUp("c")])
            // It is not among the newest ones.
            #expect(machine.handle(.lookedUp("c", isKnown: true)) == [])
            #expect(machine.item("x")?.awaited == "m")
            _ = machine.handle(.wentOffline)
        }
        _ = machine.handle(.wentOnline(now: Self.now))
        #expect(Self.transmitted(machine.handle(.delivered("m", 7))) == ["x"])
        #expect(machine.handle(.lookedUp("c", isKnown: true)) == [])
    }

    @Test func `a message that is deleted after a reconnection is looked for (scar 12)`() {
        var machine = OutboxMachine()
        _ = machine.handle(.hold("c"))
        _ = machine.handle(
            .queued(
                OutboxMachine.Item(
                    requestID: "m", channel: "c", createdAt: Self.now, state: .pending,
                    hasLeft: true)))
        #expect(machine.handle(.wentOnline(now: Self.now)) == [])
        _ = machine.handle(.queued(Self.item("x", .change, awaits: "m")))
        #expect(machine.handle(.canceled("m")) == [.cancel("m"), .lookUp("c")])
    }

    @Test func `a search for a deleted message that fails is repeated after a rest`() {
        var machine = OutboxMachine()
        _ = machine.handle(.queued(Self.item("x", .change, awaits: "m")))
        _ = machine.handle(.wentOnline(now: Self.now))
        #expect(
            machine.handle(.lookedUp("c", isKnown: false)) == [.armSearchRest("c", .seconds(2))])
        #expect(machine.isResting)
        #expect(machine.handle(.searchRested("c")) == [.lookUp("c")])
        #expect(machine.handle(.lookedUp("c", isKnown: true)) == [])
        #expect(!machine.isResting)
    }

    @Test func `a failed search does not delay the other changes of its channel`() {
        var machine = OutboxMachine()
        _ = machine.handle(.queued(Self.item("x", .change, awaits: "m")))
        _ = machine.handle(.wentOnline(now: Self.now))
        _ = machine.handle(.lookedUp("c", isKnown: false))
        #expect(Self.transmitted(machine.handle(.queued(Self.item("y", .change)))) == ["y"])
        // The rest of a change that the server does not take yet is another one.
        #expect(
            machine.handle(.failed("y", .rateLimited, .change))
                .contains(.armRest(Self.lane, .seconds(2))))
        #expect(machine.handle(.searchRested("c")) == [.lookUp("c")])
        #expect(Self.transmitted(machine.handle(.delivered("m", 7))) == [])
        // The failed searches count as no attempts of the change.
        #expect(Self.transmitted(machine.handle(.rested(Self.lane))) == ["y"])
        #expect(Self.transmitted(machine.handle(.delivered("y", nil))) == ["x"])
    }

    @Test func `a deletion whose message is found is sent before the departure (scar 12)`() {
        var machine = Self.machine()
        #expect(machine.handle(.wentOnline(now: Self.now)) == [.lookUp("c")])
        #expect(machine.isBusy)
        #expect(Self.transmitted(machine.handle(.delivered("m", 7))) == ["x"])
        #expect(Self.transmitted(machine.handle(.lookedUp("c", isKnown: true))) == [])
        #expect(Self.transmitted(machine.handle(.delivered("x", nil))) == ["d"])
    }

    @Test func `a departure follows the search if no message was found`() {
        var machine = Self.machine()
        _ = machine.handle(.wentOnline(now: Self.now))
        #expect(Self.transmitted(machine.handle(.lookedUp("c", isKnown: true))) == ["d"])
        // The deletion waits on, for three days.
        #expect(machine.item("x")?.awaited == "m")
        #expect(machine.handle(.delivered("d", nil)).contains(.remove("d")))
        #expect(!machine.isBusy && !machine.isResting)
    }

    @Test func `a failed search is repeated after growing rests, and on the next connection`() {
        var machine = Self.machine()
        _ = machine.handle(.wentOnline(now: Self.now))
        for rest in [2, 4, 8] {
            #expect(
                machine.handle(.lookedUp("c", isKnown: false))
                    == [.armSearchRest("c", .seconds(rest))])
            #expect(machine.isResting && !machine.isBusy)
            #expect(machine.handle(.searchRested("c")) == [.lookUp("c")])
        }
        _ = machine.handle(.wentOffline)
        // A late result of the lost connection says nothing.
        #expect(machine.handle(.lookedUp("c", isKnown: true)) == [])
        #expect(machine.handle(.wentOnline(now: Self.now)) == [.lookUp("c")])
    }

    @Test func `a departure waits for the answer to a message that was deleted in flight`() {
        var machine = OutboxMachine()
        _ = machine.handle(.wentOnline(now: Self.now))
        for item in [
            Self.item("m", .message), Self.item("x", .change, awaits: "m"),
            Self.item("d", .departure),
        ] {
            _ = machine.handle(.queued(item))
        }
        #expect(
            machine.handle(.canceled("m"))
                == [
                    .disarmAckTimer("m"), .cancel("m"),
                    .armAckTimer("m", OutboxMachine.ackTimeout),
                ])
        #expect(machine.isBusy)
        var answered = machine
        let effects = answered.handle(.delivered("m", 7))
        #expect(effects.first == .disarmAckTimer("m"))
        #expect(Self.transmitted(effects) == ["x"])
        #expect(Self.transmitted(answered.handle(.delivered("x", nil))) == ["d"])
        // Without an answer in time the channel is searched.
        #expect(machine.handle(.ackTimedOut("m")) == [.lookUp("c")])
        #expect(Self.transmitted(machine.handle(.lookedUp("c", isKnown: true))) == ["d"])
    }

    @Test func `a message that is deleted during a search makes another one necessary`() {
        var machine = Self.machine()
        _ = machine.handle(.wentOnline(now: Self.now))
        #expect(Self.transmitted(machine.handle(.queued(Self.item("n", .message)))) == ["n"])
        _ = machine.handle(.queued(Self.item("y", .change, awaits: "n")))
        _ = machine.handle(.canceled("n"))
        #expect(machine.handle(.lookedUp("c", isKnown: true)) == [])
        #expect(machine.handle(.ackTimedOut("n")) == [.lookUp("c")])
        #expect(Self.transmitted(machine.handle(.lookedUp("c", isKnown: true))) == ["d"])
    }

    @Test func `a departure does not wait for a change of a message that never left`() {
        var machine = OutboxMachine()
        let failed = OutboxMachine.Item(
            requestID: "m", channel: "c", createdAt: Self.now, state: .failed(.notAMember))
        _ = machine.handle(.queued(failed))
        _ = machine.handle(.queued(Self.item("r", .change, awaits: "m")))
        _ = machine.handle(.queued(Self.item("d", .departure)))
        #expect(Self.transmitted(machine.handle(.wentOnline(now: Self.now))) == ["d"])
    }
}
