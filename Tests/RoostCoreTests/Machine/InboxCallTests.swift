// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire
import Testing

@testable import RoostCore

private typealias Script = MachineScript

/// The bounds of an inbox: its reads, its fetches, and the pauses after failures.
struct InboxCallTests {
    private static let reader = InboxID(1)

    /// Makes an inbox from the beginning and its reader, and answers the list of channels.
    ///
    /// - Returns: The call for the next message, and the effects of the list.
    private static func begin(
        _ script: inout Script, channels: Int
    ) throws -> (id: Script.ID, effects: [Script.Effect]) {
        let opening = script.start(.inboxOpening(InboxOpening(of: "i", from: .beginning)))
        let (disk, writes) = try #require(opening.effects.writes)
        guard case .keep(let draft)? = writes.first else { throw Script.Unexpected() }
        let item = OutboxItem(
            sequence: 1, requestID: draft.requestID, channel: draft.channel,
            createdAt: draft.createdAt, content: draft.content)
        #expect(script.write(disk, [.item(item)]).finished == [opening.id])
        _ = script.start(.inboxReaderOpening(InboxReaderOpening(reader, of: "i")))
        let (id, effects) = script.start(.inboxTaking(InboxTaking(reader)))
        guard case .read(id, let question)? = effects.needs.first else { throw Script.Unexpected() }
        #expect(question.isScan, "all channels are read")
        let known = (1...channels).map { number in
            var channel = Script.channel(ChannelURL("c\(number)"))
            channel.myState = .joined
            return channel
        }
        let list = CachedChannels(channels: known, hasMore: false, isWhole: true, sequence: 1)
        return (id, script.read(id, .channels(list)))
    }

    /// Answers each look of the reader with an empty cache.
    ///
    /// - Returns: The fetches that begin meanwhile.
    private static func look(
        _ script: inout Script, _ call: (id: Script.ID, effects: [Script.Effect])
    ) -> [Script.ID] {
        var (effects, fetches) = (call.effects, [Script.ID]())
        let nothing = CacheWindow(extent: nil, messages: [], coverage: Coverage(), sequence: 1)
        while true {
            fetches += Self.asked(effects)
            let isLooking = effects.contains { effect in
                guard case .read(call.id, .window(let query)) = effect else { return false }
                #expect(query.olderCount == 0 && query.newerCount == OpenInbox.pageSize)
                return true
            }
            guard isLooking else { return fetches }
            effects = script.read(call.id, .window(nothing))
        }
    }

    @Test func `commits of another process during a reading of the channels need another one`()
        throws
    {
        var script = Script()
        let call = try Self.begin(&script, channels: 2)
        let nothing = CacheWindow(extent: nil, messages: [], coverage: Coverage(), sequence: 1)
        let list = CachedChannels(channels: [], hasMore: false, isWhole: true, sequence: 1)
        var effects = call.effects
        var readings = 0
        var looks = 0
        while case .read(call.id, let question)? = effects.needs.first, looks < 100 {
            switch question {
            case .window:
                looks += 1
                // The first commits arrive during a look, the next ones during the reading that
                // follows.
                if looks == 1 { script.give(.missedCommits) }
                effects = script.read(call.id, .window(nothing))
            default:
                readings += 1
                if readings == 1 { script.give(.missedCommits) }
                effects = script.read(call.id, .channels(list))
            }
        }
        #expect(readings == 2)
    }

    private static func asked(_ effects: [Script.Effect]) -> [Script.ID] {
        effects.compactMap { if case .ask(let id, .messages, _) = $0 { id } else { nil } }
    }

    @Test func `four channels are fetched at a time, and one that fails makes room`() throws {
        var script = Script.connected()
        let call = try Self.begin(&script, channels: 10)
        let fetches = Self.look(&script, call)
        #expect(fetches.count == 4)
        let effects = script.refuse(fetches[0], Script.error(.internalServerError))
        #expect(Self.asked(effects).count == 1)
        let pause = effects.contains { effect in
            if case .pause(fetches[0], let wait, .retry) = effect { wait > .zero } else { false }
        }
        #expect(pause)
    }

    @Test func `a channel that the server refuses is asked again on the next connection`() throws {
        var script = Script.connected()
        let call = try Self.begin(&script, channels: 1)
        let fetch = try #require(Self.look(&script, call).first)
        #expect(Self.asked(script.refuse(fetch, Script.error(.notAMember, .none))).isEmpty)
        let again = script.login()
        #expect(Self.look(&script, (call.id, again)).count == 1)
    }

    @Test func `a page that changes nothing is not asked for again at once`() throws {
        var script = Script.connected()
        let call = try Self.begin(&script, channels: 1)
        let fetch = try #require(Self.look(&script, call).first)
        let page = MessagePage(messages: [], hasNext: false, isContinuous: true)
        var effects = script.answer(fetch, .messages(page))
        guard case .commit(fetch, _, _, _)? = effects.needs.first else { throw Script.Unexpected() }
        // The cache lost the page before the reader looked.
        effects = script.commit(fetch)
        #expect(Self.look(&script, (call.id, effects)).isEmpty)
    }

    @Test func `an inbox that is removed during the write of its first mark leaves no mark`()
        throws
    {
        var script = Script()
        let opening = script.start(.inboxOpening(InboxOpening(of: "i", from: .beginning)))
        let (disk, writes) = try #require(opening.effects.writes)
        guard case .keep(let draft)? = writes.first else { throw Script.Unexpected() }
        let removal = script.start(.inboxRemoval(InboxRemoval(of: "i")))
        #expect(removal.effects == [])
        let item = OutboxItem(
            sequence: 1, requestID: draft.requestID, channel: draft.channel,
            createdAt: draft.createdAt, content: draft.content)
        let (next, later) = try #require(script.write(disk, [.item(item)]).writes)
        #expect(later == [.takeBack(draft.requestID)])
        #expect(script.write(next, [.takenBack(true)]).finished.contains(removal.id))
        #expect(!script.machine.state.outbox.hasInbox("i"))
    }

    @Test func `an inbox that another process has removed begins anew here`() throws {
        var script = Script.connected()
        let opening = script.start(.inboxOpening(InboxOpening(of: "i", from: .now))).id
        let list = CachedChannels(channels: [], hasMore: false, isWhole: true, sequence: 1)
        let (disk, writes) = try #require(script.read(opening, .channels(list)).writes)
        guard case .keep(let draft)? = writes.first, case .inbox(let now) = draft.content else {
            throw Script.Unexpected()
        }
        let item = OutboxItem(
            sequence: 1, requestID: draft.requestID, channel: draft.channel,
            createdAt: draft.createdAt, content: draft.content)
        _ = script.write(disk, [.item(item)])
        let read = try #require(script.othersWrote().newsRead)
        // The mark is looked up among the delivered messages, and then forgotten on the disk too.
        let looks = script.news(read, [])
        for case .read(let look, .messageOfRequest) in looks {
            let forgotten = script.read(look, .message(nil))
            guard let (disk, writes) = forgotten.writes else { continue }
            _ = script.write(disk, writes.map { _ in .noted(hasNews: false, refused: [:]) })
        }
        #expect(!script.machine.state.outbox.hasInbox("i"))
        let again = script.start(.inboxOpening(InboxOpening(of: "i", from: .beginning)))
        let (_, later) = try #require(again.effects.writes)
        guard case .keep(let renewed)? = later.first, case .inbox(let mark) = renewed.content else {
            throw Script.Unexpected()
        }
        #expect(mark.position < now.position)
    }

    // MARK: Parts of an inbox

    /// Reads marks from the disk that an earlier process has left.
    private static func read(
        _ script: inout Script, _ channels: [ChannelURL]
    ) throws {
        let read = try #require(script.othersWrote().newsRead)
        let items = channels.enumerated().map { number, channel in
            OutboxItem(
                sequence: Int64(number + 1), requestID: RequestID("mark \(number)"),
                channel: channel, createdAt: script.now,
                content: .inbox(InboxMark("i", Script.position(100))))
        }
        _ = script.news(read, items)
    }

    @Test func `a removal that the disk refuses in part is an error, and the beginning goes first`()
        throws
    {
        var script = Script()
        try Self.read(&script, ["c1", "c2", InboxPlace.noChannel])
        let removal = script.start(.inboxRemoval(InboxRemoval(of: "i")))
        let (disk, writes) = try #require(removal.effects.writes)
        #expect(writes == ["mark 2", "mark 0", "mark 1"].map { .takeBack(RequestID($0)) })
        let refused = OutboxWritten.failed(Script.error(.localDatabaseError))
        let end = script.write(disk, [.takenBack(true), refused, .takenBack(true)])
        guard case .finish(removal.id, .failed(let error))? = end.last else {
            Issue.record("no error: \(end)")
            return
        }
        #expect(error.code == .localDatabaseError)
    }

    @Test func `marks that a removal has left do not hide messages from a new inbox`() throws {
        var script = Script()
        try Self.read(&script, ["c1"])
        let opening = script.start(.inboxOpening(InboxOpening(of: "i", from: .beginning)))
        let (disk, writes) = try #require(opening.effects.writes)
        #expect(writes == [.takeBack("mark 0")])
        let (_, later) = try #require(script.write(disk, [.takenBack(true)]).writes)
        guard case .keep(let draft)? = later.first else { throw Script.Unexpected() }
        #expect(draft.channel == InboxPlace.noChannel)
    }

    @Test func `an acknowledgement that the disk refused is not written by an earlier one`() throws
    {
        var script = Script()
        try Self.read(&script, [InboxPlace.noChannel])
        func acknowledge(_ id: Int64) throws -> (Script.ID, OutboxDraft) {
            let mark = InboxMarking.Mark("c", Script.position(id))
            let call = script.start(.inboxMarking(InboxMarking([mark], in: "i")))
            let (disk, writes) = try #require(call.effects.writes)
            guard case .keep(let draft)? = writes.first else { throw Script.Unexpected() }
            return (disk, draft)
        }
        let (disk, _) = try acknowledge(200)
        _ = script.write(disk, [.failed(Script.error(.localDatabaseError))])
        let (_, draft) = try acknowledge(100)
        #expect(draft.content == .inbox(InboxMark("i", Script.position(100))))
    }
    /// Begins to write a mark of a channel.
    ///
    /// - Returns: The write, and the mark's item as the disk will have it.
    private static func acknowledge(
        _ script: inout Script, in channel: ChannelURL
    ) throws -> (Script.ID, OutboxItem) {
        let mark = InboxMarking.Mark(channel, Script.position(200))
        let call = script.start(.inboxMarking(InboxMarking([mark], in: "i")))
        let (disk, writes) = try #require(call.effects.writes)
        guard case .keep(let draft)? = writes.first else { throw Script.Unexpected() }
        let item = OutboxItem(
            sequence: 9, requestID: draft.requestID, channel: channel, createdAt: script.now,
            content: draft.content)
        return (disk, item)
    }

    @Test func `a mark that is being written goes with the channel that the user leaves`() throws {
        var script = Script()
        try Self.read(&script, [InboxPlace.noChannel])
        let (disk, item) = try Self.acknowledge(&script, in: "left")
        script.change { $0.noteDeparture(from: "left") }
        let effects = script.write(disk, [.item(item)])
        let (last, writes) = try #require(effects.writes)
        #expect(writes == [.takeBack(item.requestID)])
        _ = script.write(last, [.takenBack(true)])
        #expect(!script.machine.state.outbox.items.contains { $0.channel == "left" })
    }

    @Test func `nothing but the item is kept of a mark on disk`() throws {
        var script = Script()
        try Self.read(&script, [InboxPlace.noChannel])
        let (disk, item) = try Self.acknowledge(&script, in: "c")
        _ = script.write(disk, [.item(item)])
        #expect(script.machine.state.outbox.items.contains(item))
        #expect(script.machine.state.outbox.inboxClaims.isEmpty)
    }
}
