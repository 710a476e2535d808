// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

/// The ends of a timeline's window: its capacity, its filter, and own messages beyond a gap.
struct TimelineWindowTests {
    private typealias Script = MachineScript

    private static func covered(_ ranges: (Int64, Int64)...) -> Coverage { covered(ranges) }

    private static func covered(_ ranges: [(Int64, Int64)]) -> Coverage {
        Coverage(
            ranges.map {
                CoveredRange(lower: Script.position($0.0), upper: Script.position($0.1))
            })
    }

    private static func window(
        _ ids: ClosedRange<Int64>, of ranges: (Int64, Int64)..., sequence: Int64 = 10
    ) -> CacheWindow {
        CacheWindow(
            extent: .init(
                lower: Script.position(ids.lowerBound), upper: Script.position(ids.upperBound)),
            messages: ids.map { Script.message($0) },
            coverage: covered(ranges.isEmpty ? [(ids.lowerBound, ids.upperBound)] : ranges),
            sequence: sequence)
    }

    private static func machine(
        _ ids: ClosedRange<Int64>, filter: MessageFilter = .everything, capacity: Int = .max
    ) -> TimelineMachine {
        var machine = TimelineMachine(
            channel: Script.channel, followsNewest: true, filter: filter, capacity: capacity)
        _ = machine.replace(with: window(ids))
        return machine
    }

    private static func pending(_ request: RequestID, _ text: String = "mine") -> Message {
        Message(
            delivery: .unsent(request, .pending), channelURL: Script.channel,
            createdAt: Timestamp(milliseconds: 7), content: .user(text: text))
    }

    private static func commit(_ sequence: Int64, _ change: MessagesChange) -> Commit {
        Commit(sequence: sequence, changes: [.messages(change)])
    }

    private static func ids(_ machine: TimelineMachine) -> [Int64] {
        machine.delivered.compactMap(\.messageID?.rawValue)
    }

    /// An own message that another device or HTTP brought above a hole.
    private static func beyondHole(_ machine: inout TimelineMachine) -> TimelineMachine.Step {
        _ = machine.setUnsent([pending("a")])
        return machine.apply(
            commit(
                11,
                MessagesChange(
                    channel: Script.channel, inserted: [Script.message(9, request: "a")],
                    coverageBefore: covered((1, 3)), coverageAfter: covered((1, 3), (9, 9)))))
    }

    // MARK: Capacity

    @Test func `a window over its capacity loses messages at the end away from the growth`() {
        for keepsNewer in [true, false] {
            var machine = Self.machine(1...6, capacity: 4)
            let diff = machine.shrink(keepingNewer: keepsNewer)
            #expect(Self.ids(machine) == (keepsNewer ? [3, 4, 5, 6] : [1, 2, 3, 4]))
            #expect(
                diff.deleted.compactMap(\.messageID?.rawValue) == (keepsNewer ? [1, 2] : [5, 6]))
            #expect(machine.hasNewer == !keepsNewer && machine.isCutAbove == !keepsNewer)
            #expect(machine.extent?.lower == Script.position(keepsNewer ? 3 : 1))
            #expect(machine.extent?.upper == Script.position(keepsNewer ? 6 : 4))
            #expect(machine.shrink(keepingNewer: keepsNewer) == ListDiff())
        }
    }

    @Test func `a window that was cut at the newer end shows new messages once it is read to it`() {
        var machine = Self.machine(1...6, capacity: 4)
        _ = machine.shrink(keepingNewer: false)
        let step = machine.apply(
            Self.commit(
                11,
                MessagesChange(
                    channel: Script.channel, inserted: [Script.message(7)],
                    coverageBefore: Self.covered((1, 6)), coverageAfter: Self.covered((1, 7)))))
        #expect(step.diff.isEmpty && machine.hasNewer)
        _ = machine.replace(with: Self.window(3...6, of: (1, 7), sequence: 11))
        #expect(machine.hasNewer)
        _ = machine.replace(with: Self.window(4...7, of: (1, 7), sequence: 11))
        #expect(!machine.hasNewer)
    }

    @Test func `a window that was cut and is gone from the cache is not cut any more`() {
        var machine = Self.machine(1...6, capacity: 4)
        _ = machine.shrink(keepingNewer: false)
        _ = machine.replace(
            with: CacheWindow(extent: nil, messages: [], coverage: Coverage(), sequence: 12))
        #expect(!machine.isCutAbove && machine.delivered.isEmpty)
    }

    // MARK: Own messages beyond a gap

    private static let own = Script.message(9, request: "a")

    @Test func `an own message beyond a gap is shown as delivered behind the window (R143)`() {
        var machine = Self.machine(1...3)
        let step = Self.beyondHole(&machine)
        #expect(step.demand == .repair)
        #expect(step.diff.updated == [Update(before: Self.pending("a"), after: Self.own)])
        #expect(machine.setUnsent([]).isEmpty && machine.unsent == [])
        #expect(machine.beyondGap == [Self.own] && machine.messages.last == Self.own)
        // The list stops following the newest end.
        machine.leaveNewest()
        #expect(machine.setUnsent([]).isEmpty && machine.messages.last == Self.own)
    }

    @Test func `a view of the past keeps an own message until it is paged to it (R143)`() {
        var machine = TimelineMachine(channel: Script.channel, followsNewest: false)
        _ = machine.replace(with: Self.window(1...3))
        #expect(Self.beyondHole(&machine).diff.updated.map(\.after) == [Self.own])
        let part = machine.replace(with: Self.window(1...5, of: (1, 5), (9, 9), sequence: 12))
        #expect(part.inserted.count == 2 && part.deleted == [])
        #expect(machine.messages.map(\.messageID) == [1, 2, 3, 4, 5, 9])
        let rest = machine.replace(with: Self.window(1...9, of: (1, 9), sequence: 13))
        #expect(rest.inserted.count == 3 && rest.deleted == [] && machine.beyondGap == [])
        #expect(machine.messages.compactMap(\.messageID?.rawValue) == Array(1...9))
    }

    @Test func `messages beyond a gap are in order, whatever the order of their arrival`() {
        var machine = TimelineMachine(channel: Script.channel, followsNewest: false)
        _ = machine.replace(with: Self.window(1...3))
        _ = machine.setUnsent([Self.pending("a"), Self.pending("b")])
        for (index, message) in [Script.message(8, request: "b"), Self.own].enumerated() {
            _ = machine.apply(
                Self.commit(
                    11 + Int64(index),
                    MessagesChange(
                        channel: Script.channel, inserted: [message],
                        coverageBefore: Self.covered((1, 3)),
                        coverageAfter: Self.covered((1, 3), (8, 9)))))
        }
        #expect(machine.messages.map(\.messageID) == [1, 2, 3, 8, 9])
    }

    @Test func `an own message beyond a gap is dropped from a view that moves`() {
        var machine = Self.machine(1...3)
        _ = Self.beyondHole(&machine)
        machine.move(toNewest: false)
        let diff = machine.replace(with: Self.window(1...2, of: (1, 3), (9, 9), sequence: 12))
        #expect(diff.deleted.contains(Self.own) && machine.beyondGap == [])
    }

    @Test func `an own message beyond a gap shows its edit and its deletion`() {
        var machine = Self.machine(1...3)
        _ = Self.beyondHole(&machine)
        let known = Self.covered((1, 3), (9, 9))
        var edited = Self.own
        edited.content = .user(text: "edited")
        let edit = machine.apply(
            Self.commit(
                12,
                MessagesChange(
                    channel: Script.channel, updated: [Update(before: Self.own, after: edited)],
                    coverageBefore: known, coverageAfter: known)))
        #expect(edit.diff.updated == [Update(before: Self.own, after: edited)])
        #expect(machine.messages.last == edited)
        let step = machine.apply(
            Self.commit(
                13,
                MessagesChange(
                    channel: Script.channel, deleted: [edited], coverageBefore: known,
                    coverageAfter: known)))
        #expect(step.diff.deleted == [edited] && machine.beyondGap == [])
    }

    @Test func `an own message beyond a gap goes with a cut of its history, and with the cache`() {
        var machine = Self.machine(1...3)
        _ = Self.beyondHole(&machine)
        var copy = machine
        let cut = copy.apply(
            Self.commit(
                12,
                MessagesChange(
                    channel: Script.channel, cutThrough: Self.own.createdAt,
                    coverageBefore: Self.covered((1, 3), (9, 9)), coverageAfter: Coverage())))
        #expect(cut.demand == .reread && cut.diff.deleted == [Self.own] && copy.beyondGap == [])
        let diff = machine.replace(
            with: CacheWindow(extent: nil, messages: [], coverage: Coverage(), sequence: 12))
        #expect(diff.deleted.contains(Self.own) && machine.messages == [])
    }

    @Test func `an own message that the filled gap places before the window is shown once`() {
        var machine = Self.machine(1...3)
        _ = Self.beyondHole(&machine)
        let diff = machine.replace(with: Self.window(20...22, of: (1, 22), sequence: 12))
        #expect(machine.beyondGap == [] && machine.unsent == [])
        #expect(diff.deleted.contains { $0.requestID == "a" })
    }

    @Test func `an own message of an empty timeline stays visible until the timeline is read`() {
        var machine = TimelineMachine(channel: Script.channel, followsNewest: true)
        _ = machine.setUnsent([Self.pending("a")])
        let step = machine.apply(
            Self.commit(
                1,
                MessagesChange(
                    channel: Script.channel, inserted: [Self.own],
                    coverageBefore: Coverage(), coverageAfter: Self.covered((9, 9)))))
        #expect(step.demand == .reread)
        #expect(machine.messages == [Self.own])
        let diff = machine.replace(with: Self.window(9...9, sequence: 1))
        #expect(machine.messages.map(\.messageID) == [9] && diff.deleted == [])
    }

    @Test func `a message of a commit that the read contains is beyond the gap of its window`() {
        var machine = Self.machine(1...3)
        _ = machine.setUnsent([Self.pending("a")])
        let change = MessagesChange(
            channel: Script.channel, inserted: [Self.own], coverageBefore: Self.covered((1, 3)),
            coverageAfter: Self.covered((1, 3), (9, 9)))
        let diff = machine.replace(
            with: Self.window(1...3, of: (1, 3), (9, 9), sequence: 11),
            after: [Self.commit(11, change)])
        #expect(diff.updated == [Update(before: Self.pending("a"), after: Self.own)])
        #expect(diff.deleted == [] && machine.messages.last == Self.own)
    }

    @Test func `a canceled message goes at once; one that the server has beyond a gap stays`() {
        var machine = Self.machine(1...3)
        _ = machine.setUnsent([Self.pending("a")])
        #expect(machine.setUnsent([], keepingOthers: true).isEmpty)
        #expect(machine.removeUnsent("a").deleted.map(\.requestID) == ["a"])
        #expect(machine.unsent == [])
        _ = Self.beyondHole(&machine)
        #expect(machine.removeUnsent("a").isEmpty && machine.messages.last == Self.own)
    }

    // MARK: Filters

    private static let texts = MessageFilter(kind: .user)

    private static func file(_ id: Int64) -> Message {
        var message = Script.message(id)
        message.content = .file(
            FileContent(url: "u", name: "n", type: "t", size: ByteCount(bytes: 1)))
        return message
    }

    @Test func `a message that no longer matches the filter disappears, and one that does appears`()
    {
        var machine = Self.machine(1...3, filter: Self.texts)
        let known = Self.covered((1, 3))
        let step = machine.apply(
            Self.commit(
                11,
                MessagesChange(
                    channel: Script.channel,
                    updated: [Update(before: Script.message(2), after: Self.file(2))],
                    coverageBefore: known, coverageAfter: known)))
        #expect(step.diff.deleted == [Script.message(2)] && Self.ids(machine) == [1, 3])
        let back = machine.apply(
            Self.commit(
                12,
                MessagesChange(
                    channel: Script.channel,
                    updated: [Update(before: Self.file(2), after: Script.message(2))],
                    coverageBefore: known, coverageAfter: known)))
        #expect(back.diff.inserted == [Script.message(2)] && Self.ids(machine) == [1, 2, 3])
    }

    @Test func `a new message that does not match the filter moves the end and is not shown`() {
        var machine = Self.machine(1...3, filter: Self.texts)
        let step = machine.apply(
            Self.commit(
                11,
                MessagesChange(
                    channel: Script.channel, inserted: [Self.file(4)],
                    coverageBefore: Self.covered((1, 3)), coverageAfter: Self.covered((1, 4)))))
        #expect(step.diff.isEmpty && step.demand == .nothing)
        #expect(machine.extent?.upper == Script.position(4) && Self.ids(machine) == [1, 2, 3])
    }

    @Test func `unsent messages that do not match the filter are not shown`() {
        var machine = Self.machine(1...3, filter: MessageFilter(kind: .file))
        #expect(machine.setUnsent([Self.pending("a")]).isEmpty)
    }

    @Test func `a page under the timeline's own filter makes the window be read again`() {
        var machine = Self.machine(1...3, filter: Self.texts)
        let step = machine.apply(
            Self.commit(
                11,
                MessagesChange(
                    channel: Script.channel, coverageBefore: Self.covered((1, 3)),
                    coverageAfter: Self.covered((1, 3)), filters: [Self.texts])))
        #expect(step.demand == .reread)
    }

    @Test func `a change in a channel without coverage needs no read`() {
        var machine = TimelineMachine(channel: Script.channel, followsNewest: true)
        _ = machine.replace(
            with: CacheWindow(extent: nil, messages: [], coverage: Coverage(), sequence: 10))
        let step = machine.apply(
            Self.commit(
                11,
                MessagesChange(
                    channel: Script.channel, deleted: [Script.message(2)],
                    coverageBefore: Coverage(), coverageAfter: Coverage())))
        #expect(step.demand == .nothing && step.diff.isEmpty)
    }

    // MARK: Queries

    @Test func `only a query at a point between messages needs no message there`() {
        let around = WindowQuery.around(
            Timestamp(milliseconds: 5), in: Script.channel, olderCount: 1, newerCount: 1)
        let newest = WindowQuery.around(
            .distantFuture, in: Script.channel, olderCount: 1, newerCount: 0)
        #expect(around.isBetweenMessages && newest.isBetweenMessages)
        let cases: [(Int64, Int64)] = [(5, 5), (5, 6)]
        for (lower, upper) in cases {
            let query = WindowQuery(
                channel: Script.channel, lower: Script.position(lower),
                upper: Script.position(upper), olderCount: 0, newerCount: 0)
            #expect(!query.isBetweenMessages)
        }
    }
}
