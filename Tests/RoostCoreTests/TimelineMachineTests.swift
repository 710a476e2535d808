// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

struct TimelineMachineTests {
    private static let channel: ChannelURL = "c"

    private static func message(
        _ id: Int64, request: RequestID? = nil, text: String = "", by user: UserID = "bob"
    ) -> Message {
        Message(
            delivery: .delivered(MessageID(id), request), channelURL: channel,
            createdAt: Timestamp(milliseconds: id * 10), sender: Sender(user: User(id: user)),
            content: .user(text: text))
    }

    private static func pending(_ request: RequestID) -> Message {
        Message(
            delivery: .unsent(request, .pending), channelURL: channel,
            createdAt: Timestamp(milliseconds: 7), content: .user(text: "mine"))
    }

    private static func at(_ id: Int64) -> Position {
        Position(createdAt: Timestamp(milliseconds: id * 10), messageID: MessageID(id))
    }

    private static func covered(_ ranges: (Int64, Int64)...) -> Coverage {
        Coverage(ranges.map { CoveredRange(lower: at($0.0), upper: at($0.1)) })
    }

    /// Returns a timeline that shows messages 1 to 3 and follows the newest end.
    private static func opened() -> TimelineMachine {
        var machine = TimelineMachine(channel: channel, followsNewest: true)
        _ = machine.replace(
            with: CacheWindow(
                extent: .init(lower: at(1), upper: at(3)), messages: (1...3).map { message($0) },
                coverage: covered((1, 3)), sequence: 10))
        return machine
    }

    private static func commit(_ sequence: Int64, _ change: MessagesChange) -> Commit {
        Commit(sequence: sequence, changes: [.messages(change)])
    }

    private static func live(_ sequence: Int64, _ message: Message, upTo id: Int64) -> Commit {
        commit(
            sequence,
            MessagesChange(
                channel: channel, inserted: [message], coverageBefore: covered((1, 3)),
                coverageAfter: covered((1, id))))
    }

    private static func ids(_ machine: TimelineMachine) -> [Int64] {
        machine.delivered.compactMap(\.messageID?.rawValue)
    }

    @Test func `a message after the covered end is shown at once`() {
        var machine = Self.opened()
        let step = machine.apply(Self.live(11, Self.message(4), upTo: 4))
        #expect(step.demand == .nothing)
        #expect(step.diff.inserted == [Self.message(4)])
        #expect(Self.ids(machine) == [1, 2, 3, 4])
    }

    @Test func `a list that became empty needs the server if older messages may exist`() {
        var machine = Self.opened()
        #expect(!machine.needsServer)
        let step = machine.apply(
            Self.commit(
                11,
                MessagesChange(
                    channel: Self.channel, deleted: (1...3).map { Self.message($0) },
                    coverageBefore: Self.covered((1, 3)), coverageAfter: Self.covered((1, 3)))))
        #expect(step.demand == .nothing)
        #expect(machine.isBare && machine.needsServer)
        var whole = TimelineMachine(channel: Self.channel, followsNewest: true)
        #expect(!whole.needsServer, "before the disk was read nobody knows")
        let all = Coverage([CoveredRange(lower: .distantPast, upper: Self.at(3))])
        _ = whole.replace(
            with: CacheWindow(
                extent: .init(lower: .distantPast, upper: Self.at(3)), messages: [], coverage: all,
                sequence: 10))
        #expect(!whole.needsServer, "the beginning of history is known")
    }

    @Test
    func `a list whose history was cut has no coverage until the server answers (scar 59)`() {
        var machine = Self.opened()
        let step = machine.apply(
            Self.commit(
                11,
                MessagesChange(
                    channel: Self.channel, cutThrough: Timestamp(milliseconds: 99),
                    coverageBefore: Self.covered((1, 3)), coverageAfter: Coverage())))
        #expect(step.demand == .reread && machine.isCutOff)
        _ = machine.replace(
            with: CacheWindow(extent: nil, messages: [], coverage: Coverage(), sequence: 11))
        #expect(!machine.isCutOff && machine.needsServer)
    }

    @Test func `after a skipped commit the window is read again until the read succeeds (scar 53)`()
    {
        var machine = Self.opened()
        let step = machine.apply(Self.live(12, Self.message(4), upTo: 4))
        #expect(step.demand == .reread)
        #expect(Self.ids(machine) == [1, 2, 3, 4])
        // The read has failed: the next commit requests it too.
        #expect(machine.apply(Commit(sequence: 13, changes: [])).demand == .reread)
        _ = machine.replace(
            with: CacheWindow(
                extent: .init(lower: Self.at(1), upper: Self.at(4)),
                messages: (1...4).map { Self.message($0) }, coverage: Self.covered((1, 4)),
                sequence: 13))
        #expect(machine.apply(Commit(sequence: 14, changes: [])).demand == .nothing)
        machine.missCommits()
        #expect(machine.apply(Commit(sequence: 15, changes: [])).demand == .reread)
    }

    @Test func `a cache that was made anew counts its commits from the start (scar 53)`() {
        var machine = Self.opened()
        _ = machine.replace(
            with: CacheWindow(extent: nil, messages: [], coverage: Coverage(), sequence: 2))
        let step = machine.apply(Self.live(3, Self.message(4), upTo: 4))
        #expect(step.demand == .reread)
        #expect(machine.sequence == 3)
    }

    @Test func `a message beyond a hole is not shown, and the hole needs repair (scars 4, 5)`() {
        var machine = Self.opened()
        let step = machine.apply(
            Self.commit(
                11,
                MessagesChange(
                    channel: Self.channel, inserted: [Self.message(7)],
                    coverageBefore: Self.covered((1, 3)),
                    coverageAfter: Self.covered((1, 3), (7, 7)))))
        #expect(step.demand == .repair)
        #expect(step.diff.isEmpty)
        #expect(Self.ids(machine) == [1, 2, 3])
    }

    @Test func `a closed hole makes the messages beyond it be read`() {
        var machine = Self.opened()
        let step = machine.apply(
            Self.commit(
                11,
                MessagesChange(
                    channel: Self.channel, inserted: [Self.message(4), Self.message(5)],
                    coverageBefore: Self.covered((1, 3), (7, 7)),
                    coverageAfter: Self.covered((1, 7)))))
        #expect(step.demand == .reread)
    }

    @Test func `a commit that the list already contains changes nothing`() {
        var machine = Self.opened()
        let step = machine.apply(Self.live(10, Self.message(4), upTo: 4))
        #expect(step.diff.isEmpty)
        #expect(Self.ids(machine) == [1, 2, 3])
    }

    @Test func `a view of the past does not grow at the end`() {
        var machine = TimelineMachine(channel: Self.channel, followsNewest: false)
        _ = machine.replace(
            with: CacheWindow(
                extent: .init(lower: Self.at(1), upper: Self.at(3)),
                messages: (1...3).map { Self.message($0) }, coverage: Self.covered((1, 3)),
                sequence: 10))
        let step = machine.apply(Self.live(11, Self.message(4), upTo: 4))
        #expect(step.diff.isEmpty && step.demand == .nothing)
        #expect(machine.hasNewer)
    }

    @Test func `an edit and a deletion change shown messages in place`() {
        var machine = Self.opened()
        let edited = Self.message(2, text: "better")
        let step = machine.apply(
            Self.commit(
                11,
                MessagesChange(
                    channel: Self.channel,
                    updated: [Update(before: Self.message(2), after: edited)],
                    deleted: [Self.message(3)], coverageBefore: Self.covered((1, 3)),
                    coverageAfter: Self.covered((1, 3)))))
        #expect(step.diff.updated == [Update(before: Self.message(2), after: edited)])
        #expect(step.diff.deleted == [Self.message(3)])
        #expect(machine.messages == [Self.message(1), edited])
    }

    @Test func `a message that is written last is added as a whole list of them would show it`() {
        var (one, other) = (Self.opened(), Self.opened())
        let (first, second) = (Self.pending("r"), Self.pending("s"))
        _ = one.setUnsent([first])
        _ = other.setUnsent([first])
        let added = one.addUnsent(second)
        #expect(added == other.setUnsent([first, second]))
        #expect(one.messages == other.messages)
        let repeated = one.addUnsent(second)
        #expect(repeated == nil, "all of them are compared then")
        #expect(one.messages == other.messages)
    }

    @Test func `a message that was taken off is added again`() {
        var machine = Self.opened()
        let pending = Self.pending("r")
        _ = machine.addUnsent(pending)
        let removed = machine.removeUnsent("r")
        #expect(removed.deleted == [pending])
        let added = machine.addUnsent(pending)
        #expect(added?.inserted == [pending])
        #expect(machine.unsent == [pending])
    }

    @Test func `a sent message is one change from pending to delivered (scars 69, 81)`() {
        var machine = Self.opened()
        let pending = Self.pending("r")
        #expect(machine.setUnsent([pending]).inserted == [pending])
        let delivered = Self.message(4, request: "r")
        let step = machine.apply(Self.live(11, delivered, upTo: 4))
        #expect(step.diff.updated == [Update(before: pending, after: delivered)])
        #expect(step.diff.inserted.isEmpty && step.diff.deleted.isEmpty)
        #expect(machine.setUnsent([]).isEmpty)
        #expect(machine.messages.count == 4)
    }

    @Test func `an own message beyond a hole is shown before and after it is filled (scar 16)`() {
        var machine = Self.opened()
        _ = machine.setUnsent([Self.pending("r")])
        _ = machine.apply(
            Self.commit(
                11,
                MessagesChange(
                    channel: Self.channel, inserted: [Self.message(9, request: "r")],
                    coverageBefore: Self.covered((1, 3)),
                    coverageAfter: Self.covered((1, 3), (9, 9)))))
        #expect(machine.setUnsent([]).isEmpty)
        #expect(machine.unsent.isEmpty && machine.messages.count == 4)
        let messages = [1, 2, 3, 5, 9].map { id in
            Self.message(id, request: id == 9 ? "r" : nil)
        }
        let diff = machine.replace(
            with: CacheWindow(
                extent: .init(lower: Self.at(1), upper: Self.at(9)), messages: messages,
                coverage: Self.covered((1, 9)), sequence: 12))
        #expect(machine.beyondGap.isEmpty)
        #expect(diff.inserted == [Self.message(5)])
        #expect(diff.updated.isEmpty && diff.deleted.isEmpty)
    }

    @Test func `an own message from before the window is not kept as unsent`() {
        var machine = Self.opened()
        _ = machine.setUnsent([Self.pending("r")])
        let change = MessagesChange(
            channel: Self.channel, inserted: [Self.message(0, request: "r")],
            coverageBefore: Self.covered((1, 3)), coverageAfter: Self.covered((0, 0), (2, 3)))
        _ = machine.apply(Self.commit(11, change))
        #expect(machine.setUnsent([]).deleted == [Self.pending("r")])
        #expect(machine.unsent.isEmpty)
    }

    @Test func `a huge gap leaves the end unknown (R113)`() {
        var machine = Self.opened()
        machine.leaveNewest()
        #expect(machine.hasNewer)
        #expect(!machine.hasHoleAbove)
        #expect(Self.ids(machine) == [1, 2, 3])
    }

    @Test func `clearing the cache empties the list by a new read`() {
        var machine = Self.opened()
        let step = machine.apply(
            Self.commit(
                11,
                MessagesChange(
                    channel: Self.channel, deleted: (1...3).map { Self.message($0) },
                    coverageBefore: Self.covered((1, 3)), coverageAfter: Coverage())))
        #expect(step.demand == .reread)
        #expect(step.diff.deleted.count == 3)
    }

    @Test func `a renamed user has the new name on all own messages (scar 123)`() {
        var machine = Self.opened()
        let renamed = User(id: "bob", nickname: "Robert")
        let change = Change.users([Update(before: User(id: "bob"), after: renamed)])
        let step = machine.apply(Commit(sequence: 11, changes: [change]))
        #expect(step.diff.updated.count == 3)
        #expect(machine.messages.allSatisfy { $0.sender?.user.nickname == "Robert" })
    }

    @Test func `the beginning is known only if the server stated it (scar 27)`() {
        var machine = Self.opened()
        #expect(machine.hasOlder)
        _ = machine.replace(
            with: CacheWindow(
                extent: .init(lower: .distantPast, upper: Self.at(3)),
                messages: (1...3).map { Self.message($0) },
                coverage: Coverage([CoveredRange(lower: .distantPast, upper: Self.at(3))]),
                sequence: 12))
        #expect(!machine.hasOlder)
    }
}
