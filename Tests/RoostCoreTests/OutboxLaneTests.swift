// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostCore

struct OutboxLaneTests {
    private static let now = Timestamp(milliseconds: 1_000_000_000)

    private static func item(
        _ id: String, in channel: ChannelURL = "c", _ kind: OutboxMachine.Item.Kind = .message,
        awaits awaited: RequestID? = nil
    ) -> OutboxMachine.Item {
        OutboxMachine.Item(
            requestID: RequestID(id), channel: channel, kind: kind, createdAt: now,
            state: .pending, awaited: awaited)
    }

    private static func machine(_ items: OutboxMachine.Item..., online: Bool = true)
        -> OutboxMachine
    {
        var machine = OutboxMachine()
        for item in items { _ = machine.handle(.queued(item)) }
        if online { _ = machine.handle(.wentOnline(now: now)) }
        return machine
    }

    private static func transmitted(_ effects: [OutboxMachine.Effect]) -> [RequestID] {
        effects.compactMap { if case .transmit(let id) = $0 { id } else { nil } }
    }

    @Test func `a change does not wait for a message, and changes wait for one another`() {
        var machine = Self.machine(Self.item("m", .file))
        #expect(Self.transmitted(machine.handle(.queued(Self.item("e", .change)))) == ["e"])
        #expect(Self.transmitted(machine.handle(.queued(Self.item("r", .change)))).isEmpty)
        #expect(Self.transmitted(machine.handle(.delivered("e", nil))) == ["r"])
    }

    @Test func `a change of an unsent message waits until it has its ID`() {
        var machine = Self.machine(Self.item("m"))
        #expect(machine.handle(.queued(Self.item("e", .change, awaits: "m"))).isEmpty)
        let effects = machine.handle(.delivered("m", 7))
        #expect(effects.contains(.aim("e", at: 7)))
        #expect(Self.transmitted(effects) == ["e"])
    }

    @Test func `changes of a cancelled message go with it if it never left, and wait otherwise`() {
        var machine = Self.machine(Self.item("m"), online: false)
        _ = machine.handle(.queued(Self.item("e", .change, awaits: "m")))
        #expect(machine.handle(.canceled("m")) == [.cancel("m"), .drop("e")])

        machine = Self.machine(Self.item("m"))
        _ = machine.handle(.queued(Self.item("d", .change, awaits: "m")))
        #expect(!machine.handle(.canceled("m")).contains(.drop("d")))
        #expect(Self.transmitted(machine.handle(.delivered("m", 7))) == ["d"])
    }

    @Test func `the lanes of channels without items are forgotten with the connection`() {
        var machine = Self.machine()
        for number in 0..<3 {
            let channel = ChannelURL("c\(number)")
            _ = machine.handle(.queued(Self.item("m\(number)", in: channel)))
            _ = machine.handle(.delivered(RequestID("m\(number)"), 1))
        }
        _ = machine.handle(.queued(Self.item("waits", in: "d")))
        _ = machine.handle(.wentOffline)
        #expect(Array(machine.lanes.keys) == [OutboxMachine.Lane("d")])
        #expect(machine.laneOrder == [OutboxMachine.Lane("d")])
        #expect(Array(machine.items.keys) == ["waits"])
        #expect(Self.transmitted(machine.handle(.wentOnline(now: Self.now))) == ["waits"])
        #expect(Self.transmitted(machine.handle(.queued(Self.item("n", in: "c1")))) == ["n"])
    }

    @Test func `the lanes of ever new channels are forgotten during a connection, too`() {
        var machine = Self.machine()
        _ = machine.handle(.hold("held"))
        _ = machine.handle(.queued(Self.item("waits", in: "held")))
        for number in 0..<300 {
            let channel = ChannelURL("c\(number)")
            let effects = machine.handle(.queued(Self.item("m\(number)", in: channel)))
            #expect(Self.transmitted(effects) == [RequestID("m\(number)")])
            _ = machine.handle(.delivered(RequestID("m\(number)"), 1))
        }
        #expect(machine.lanes.count <= OutboxMachine.leastLaneLimit)
        #expect(Set(machine.laneOrder) == Set(machine.lanes.keys))
        let released = machine.handle(.release("held"))
        #expect(Self.transmitted(released) == ["waits"])
        let queued = machine.handle(.queued(Self.item("n", in: "c1")))
        #expect(Self.transmitted(queued) == ["n"])
    }

    @Test func `a failed message holds up only its own changes (scar 65)`() {
        var machine = Self.machine(Self.item("m"))
        _ = machine.handle(.queued(Self.item("e", .change, awaits: "m")))
        _ = machine.handle(.failed("m", .notAMember, .socket))
        #expect(Self.transmitted(machine.handle(.queued(Self.item("x", .change)))) == ["x"])
        _ = machine.handle(.delivered("x", nil))
        #expect(machine.item("e")?.awaited == "m")
    }

    @Test func `a departure is the last of both lanes of its channel (scar 12)`() {
        var machine = Self.machine(Self.item("m"))
        _ = machine.handle(.queued(Self.item("r", .change, awaits: "m")))
        #expect(machine.handle(.queued(Self.item("d", .departure))).isEmpty)
        // Another channel's departure does not wait.
        let other = Self.item("o", in: "other", .departure)
        #expect(Self.transmitted(machine.handle(.queued(other))) == ["o"])
        #expect(Self.transmitted(machine.handle(.queued(Self.item("e", .change)))) == ["e"])
        #expect(Self.transmitted(machine.handle(.delivered("e", nil))).isEmpty)
        // A later message goes before, and so does the reaction that its message frees.
        _ = machine.handle(.queued(Self.item("n")))
        #expect(Self.transmitted(machine.handle(.delivered("m", 7))) == ["n", "r"])
        #expect(Self.transmitted(machine.handle(.delivered("r", nil))).isEmpty)
        #expect(machine.isBusy)
        #expect(Self.transmitted(machine.handle(.failed("n", .notAMember, .socket))).isEmpty)
        #expect(Self.transmitted(machine.handle(.recorded("n"))) == ["d"])
        #expect(machine.handle(.delivered("d", nil)).contains(.remove("d")))
        // The other channel's departure is still on its way.
        #expect(machine.isBusy)
        _ = machine.handle(.delivered("o", nil))
        #expect(!machine.isBusy)
    }

    @Test func `a departure waits for a resting message without making the client busy`() {
        var machine = Self.machine(Self.item("m"))
        _ = machine.handle(.queued(Self.item("d", .departure)))
        _ = machine.handle(.failed("m", .rateLimited, .socket))
        #expect(!machine.isBusy && machine.isResting)
        let effects = machine.handle(.rested(OutboxMachine.Lane("c")))
        #expect(Self.transmitted(effects) == ["m"])
        #expect(Self.transmitted(machine.handle(.canceled("m"))) == ["d"])
    }

    @Test func `a draft never leaves`() {
        var machine = Self.machine(Self.item("t", .local))
        #expect(machine.handle(.wentOnline(now: Self.now)).isEmpty)
        #expect(machine.handle(.revised(Self.item("t", .local), isMoved: true)).isEmpty)
        #expect(!machine.isBusy && !machine.isResting)
        #expect(machine.handle(.canceled("t")) == [.cancel("t")])
    }

    @Test func `the number of busy lanes is limited, and the others take turns`() {
        var machine = Self.machine()
        let count = OutboxMachine.concurrency + 10
        var sent: [RequestID] = []
        for number in 0..<count {
            let channel = ChannelURL("c\(number)")
            sent += Self.transmitted(
                machine.handle(.queued(Self.item("\(number)", in: channel))))
        }
        #expect(sent.count == OutboxMachine.concurrency)
        var index = 0
        while index < sent.count {
            sent += Self.transmitted(machine.handle(.delivered(sent[index], 1)))
            index += 1
        }
        #expect(sent.map(\.rawValue) == (0..<count).map { "\($0)" })
        #expect(!machine.isBusy)
    }

    @Test func `a failure frees its place for a waiting lane (scar 65)`() {
        var machine = Self.machine()
        for number in 0...OutboxMachine.concurrency {
            let channel = ChannelURL("c\(number)")
            _ = machine.handle(.queued(Self.item("\(number)", in: channel)))
        }
        let last = RequestID("\(OutboxMachine.concurrency)")
        #expect(!machine.isOnItsWay(last))
        #expect(Self.transmitted(machine.handle(.failed("0", .notAMember, .socket))) == [last])
    }

    @Test func `files leave places for texts`() {
        var machine = Self.machine()
        for number in 0..<10 {
            let channel = ChannelURL("f\(number)")
            _ = machine.handle(.queued(Self.item("f\(number)", in: channel, .file)))
        }
        let busy = (0..<10).filter { machine.isOnItsWay(RequestID("f\($0)")) }
        #expect(busy.count == OutboxMachine.uploads)
        #expect(Self.transmitted(machine.handle(.queued(Self.item("m")))) == ["m"])
        var done: Set<String> = []
        while let next = (0..<10).map({ "f\($0)" }).first(where: {
            !done.contains($0) && machine.isOnItsWay(RequestID($0))
        }) {
            done.insert(next)
            _ = machine.handle(.delivered(RequestID(next), 1))
        }
        #expect(done.count == 10)
    }

    @Test func `rests grow, and some errors are retried only a few times (scar 72)`() {
        var machine = Self.machine(Self.item("m", .file))
        let lane = OutboxMachine.Lane("c")
        for expected in [2, 4, 8, 16, 32, 64, 64, 64] {
            let effects = machine.handle(.failed("m", .networkError, .upload))
            #expect(effects.contains(.armRest(lane, .seconds(expected))))
            #expect(Self.transmitted(machine.handle(.rested(lane))) == ["m"])
        }
        machine = Self.machine(Self.item("m", .file))
        for _ in 1..<OutboxMachine.patience {
            _ = machine.handle(.failed("m", .internalServerError, .upload))
            _ = machine.handle(.rested(lane))
        }
        let last = machine.handle(.failed("m", .internalServerError, .upload))
        #expect(last.contains(.store("m", .failed(.internalServerError))))
    }

    @Test func `an attempt is on the disk before it begins (scar 64)`() {
        var machine = Self.machine(Self.item("m"), online: false)
        let effects = machine.handle(.wentOnline(now: Self.now))
        #expect(effects == [.noteAttempt("m"), .transmit("m")])
        #expect(machine.handle(.left("m")) == [.armAckTimer("m", OutboxMachine.ackTimeout)])
        #expect(machine.handle(.left("other")).isEmpty)
    }

    // MARK: Items before their commit, and items of other processes

    @Test func `an item being copied keeps its place, and loses it on failure (scar 12)`() {
        let lane = OutboxMachine.Lane("c")
        for isKept in [true, false] {
            var machine = Self.machine()
            #expect(machine.handle(.announced("f", lane)).isEmpty)
            #expect(machine.handle(.announced("f", lane)).isEmpty)
            #expect(!machine.wouldLeaveAtOnce(lane))
            #expect(machine.isBusy)
            #expect(Self.transmitted(machine.handle(.queued(Self.item("t")))).isEmpty)
            // Other channels do not wait.
            let other = machine.handle(.queued(Self.item("o", in: "d")))
            #expect(Self.transmitted(other) == ["o"])
            if isKept {
                #expect(Self.transmitted(machine.handle(.queued(Self.item("f", .file)))) == ["f"])
                #expect(Self.transmitted(machine.handle(.delivered("f", 1))) == ["t"])
            } else {
                // Two calls were storing it.
                #expect(machine.handle(.abandoned("f", lane)).isEmpty)
                #expect(!machine.wouldLeaveAtOnce(lane))
                #expect(Self.transmitted(machine.handle(.abandoned("f", lane))) == ["t"])
                #expect(machine.handle(.abandoned("f", lane)).isEmpty)
            }
        }
    }

    @Test func `of two calls with one request ID the failed one takes no place (scars 10, 12)`() {
        let lane = OutboxMachine.Lane("c")
        var machine = Self.machine()
        _ = machine.handle(.announced("f", lane))
        _ = machine.handle(.announced("f", lane))
        _ = machine.handle(.queued(Self.item("t")))
        #expect(machine.handle(.abandoned("f", lane)).isEmpty)
        #expect(Self.transmitted(machine.handle(.queued(Self.item("f", .file)))) == ["f"])
        // A third one comes and fails while the message is in flight.
        #expect(machine.handle(.announced("f", lane)).isEmpty)
        #expect(machine.handle(.abandoned("f", lane)).isEmpty)
        #expect(Self.transmitted(machine.handle(.delivered("f", 1))) == ["t"])
        #expect(Self.transmitted(machine.handle(.delivered("t", 2))).isEmpty)
    }

    @Test func `an item that failed during its copy holds up nothing (scar 12)`() {
        let lane = OutboxMachine.Lane("c")
        var machine = Self.machine()
        _ = machine.handle(.announced("f", lane))
        _ = machine.handle(.queued(Self.item("t")))
        let effects = machine.handle(Self.revised("f", state: .failed(.requestCanceled), .file))
        #expect(Self.transmitted(effects) == ["t"])
        #expect(Self.transmitted(machine.handle(.delivered("t", 1))).isEmpty)
        #expect(machine.item("f")?.state == .failed(.requestCanceled))
    }

    private static func revised(
        _ id: String, state: UnsentState = .pending, _ kind: OutboxMachine.Item.Kind = .message,
        isMoved: Bool = false, awaits awaited: RequestID? = nil
    ) -> OutboxMachine.Input {
        .revised(
            OutboxMachine.Item(
                requestID: RequestID(id), channel: "c", kind: kind, createdAt: now, state: state,
                hasLeft: true, awaited: awaited), isMoved: isMoved)
    }

    @Test func `an item changed by another process keeps its place unless it was moved`() {
        var machine = Self.machine(Self.item("1"), Self.item("2"), online: false)
        #expect(machine.handle(Self.revised("1")).isEmpty)
        #expect(machine.item("1")?.hasLeft == true)
        #expect(Self.transmitted(machine.handle(.wentOnline(now: Self.now))) == ["1"])

        machine = Self.machine(Self.item("1"), Self.item("2"), online: false)
        #expect(machine.handle(Self.revised("1", isMoved: true)).isEmpty)
        #expect(Self.transmitted(machine.handle(.wentOnline(now: Self.now))) == ["2"])
        #expect(Self.transmitted(machine.handle(.delivered("2", 1))) == ["1"])
        #expect(!machine.handle(.delivered("1", 1)).isEmpty)
        #expect(!machine.isBusy)
    }

    @Test func `an item failed by another process leaves its lane, and returns behind the others`()
    {
        var machine = Self.machine(Self.item("1"), Self.item("2"), online: false)
        _ = machine.handle(Self.revised("1", state: .failed(.notAMember)))
        #expect(machine.item("1")?.state == .failed(.notAMember))
        #expect(Self.transmitted(machine.handle(.wentOnline(now: Self.now))) == ["2"])
        #expect(machine.handle(Self.revised("1", isMoved: true)).isEmpty)
        #expect(Self.transmitted(machine.handle(.delivered("2", 1))) == ["1"])
    }

    @Test
    func `an item in flight stays so through a read of the disk, and an unknown one is queued`() {
        var machine = Self.machine(Self.item("1"), Self.item("2"))
        #expect(machine.handle(Self.revised("1", isMoved: true)).isEmpty)
        #expect(machine.isOnItsWay("1"))
        #expect(Self.transmitted(machine.handle(.delivered("1", 1))) == ["2"])
        var empty = Self.machine()
        #expect(Self.transmitted(empty.handle(Self.revised("n"))) == ["n"])
    }

    @Test func `a change whose message another process delivered no longer waits`() {
        var machine = Self.machine(Self.item("m"))
        _ = machine.handle(.queued(Self.item("e", .change, awaits: "m")))
        let effects = machine.handle(Self.revised("e", .change))
        #expect(Self.transmitted(effects) == ["e"])
        _ = machine.handle(.delivered("e", nil))
        #expect(!machine.handle(.delivered("m", 7)).contains(.aim("e", at: 7)))

        machine = Self.machine(Self.item("m"))
        _ = machine.handle(.queued(Self.item("e", .change, awaits: "m")))
        _ = machine.handle(Self.revised("e", state: .failed(.notAMember), .change, awaits: "m"))
        #expect(!machine.handle(.delivered("m", 7)).contains(.aim("e", at: 7)))
    }

    // MARK: The table of docs/delivery.md

    private static let words: [SendConsequence: String] = [
        .staysPending: "pending", .waits: "again", .waitsAWhile: "again, five times",
        .fails(isResendable: true): "failed", .fails(isResendable: false): "refused",
    ]

    /// The rows of the table: a code, then a consequence for each stage.
    private static func rows() throws -> [(code: Int, words: [String])] {
        try lines(of: "docs/delivery.md").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 6, let code = Int(cells[0]) else { return nil }
            return (code, Array(cells[2...]))
        }
    }

    private static func lines(of page: String) throws -> [Substring] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
            .split(separator: "\n")
    }

    @Test func `the protocol's page of errors has each code of the documented table`() throws {
        var named: Set<Int> = []
        for line in try Self.lines(of: "docs/protocol/errors.md") where line.hasPrefix("| ") {
            let cell = line.dropFirst().prefix { $0 != "|" }
            let codes = cell.matches(of: /\d{6}/).compactMap { Int($0.output) }
            if cell.contains(" to "), let first = codes.first, let last = codes.last {
                named.formUnion(first...last)
            } else {
                named.formUnion(codes)
            }
        }
        let missing = try Self.rows().map(\.code).filter { !named.contains($0) }
        #expect(missing == [])
    }

    @Test func `every row of the documented table is the outcome (R138-R151, scar 72)`() throws {
        let rows = try Self.rows()
        #expect(rows.count > 60)
        #expect(Set(rows.map(\.code)).count == rows.count)
        for row in rows {
            let code = RoostError.Code(row.code)
            let words = [SendStage.socket, .upload, .http, .change].map {
                Self.words[SendConsequence(of: code, at: $0)]
            }
            #expect(words == row.words, "\(row.code)")
        }
    }

    @Test func `an error outside the table is a refusal`() {
        for code in [0, -1, 1, 999_999, 800_999] {
            for stage in SendStage.allCases {
                #expect(
                    SendConsequence(of: RoostError.Code(code), at: stage)
                        == .fails(isResendable: false))
            }
        }
    }
}
