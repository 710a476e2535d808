// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct CollectionTests {
    private typealias Script = MachineScript
    private static let timeline = TimelineID(1)

    private static func window(_ ids: ClosedRange<Int64>, sequence: Int64) -> CacheWindow {
        let lower = Script.position(ids.lowerBound)
        let upper = Script.position(ids.upperBound)
        return CacheWindow(
            extent: .init(lower: lower, upper: upper), messages: ids.map { Script.message($0) },
            coverage: Coverage([CoveredRange(lower: lower, upper: upper)]), sequence: sequence)
    }

    private static func live(_ id: Int64, sequence: Int64) -> Commit {
        let before = CoveredRange(lower: Script.position(1), upper: Script.position(id - 1))
        let after = CoveredRange(lower: Script.position(1), upper: Script.position(id))
        return Commit(
            sequence: sequence,
            changes: [
                .messages(
                    MessagesChange(
                        channel: Script.channel, inserted: [Script.message(id)],
                        coverageBefore: Coverage([before]), coverageAfter: Coverage([after])))
            ])
    }

    private static func opened(_ script: inout Script) -> Script.ID {
        script.give(
            .openTimeline(
                OpenTimeline(
                    timeline, channel: Script.channel, startingAt: .distantFuture,
                    filter: .everything, capacity: 1_000, pageSize: 10)))
        // The first step of an opening.
        let (id, effects) = script.start(.window(WindowRead(timeline, .first, from: .disk)))
        guard case .read(id, .window)? = effects.first else {
            Issue.record("no read: \(effects)")
            return id
        }
        return id
    }

    private func ids(_ script: MachineScript) -> [Int64] {
        script.machine.state.timelines[Self.timeline]?.list.messages
            .compactMap { $0.messageID?.rawValue } ?? []
    }

    @Test func `a commit during a read is shown after the read, once`() {
        var script = MachineScript()
        let id = Self.opened(&script)
        script.store(Self.live(4, sequence: 8), .event)
        let shown = script.read(id, .window(Self.window(1...3, sequence: 7)))
        #expect(ids(script) == [1, 2, 3, 4])
        #expect(shown.last == .finish(id, .done))
        let changes = shown.notices.compactMap { notice -> ListDiff<Message>? in
            if case .timelineChanged(Self.timeline, let diff) = notice { diff } else { nil }
        }
        #expect(changes.map(\.inserted.count) == [3, 1])
        #expect(changes.map(\.origins) == [[.disk], [.event]])
    }

    @Test func `a read that contains an undelivered commit waits for its delivery`() {
        var script = MachineScript()
        let first = Self.opened(&script)
        _ = script.read(first, .window(Self.window(1...3, sequence: 7)))
        let reread = script.change { $0.satisfy(.reread, of: Self.timeline) }
        guard case .read(let id, .window)? = reread.first else {
            Issue.record("no read: \(reread)")
            return
        }
        let (commit, _) = script.start(.storing(Storing([], from: .event)))
        #expect(script.read(id, .window(Self.window(1...4, sequence: 8))) == [])
        let shown = script.give(
            .reply(commit, .committed(.success(Self.live(4, sequence: 8)))))
        guard case .timelineChanged(_, let diff)? = shown.notices.first else {
            Issue.record("nothing shown: \(shown)")
            return
        }
        #expect(diff.origins == [.event])
    }

    @Test(arguments: [7, 8] as [Int64])
    func `a message that is delivered during a read does not vanish until the read ends`(
        sequence: Int64
    ) throws {
        var script = Script.connected()
        script.showTimeline(of: 1...5)
        _ = try script.leave("a", 1)
        #expect(script.shown() == ["1", "2", "3", "4", "5", "a"])
        let read = try #require(script.change { $0.satisfy(.reread, of: Self.timeline) }.reader)
        let message = Script.message(6, request: "a")
        let event = MessageEvent(message: message)
        let writer = try #require(script.frame(.message(event)).committer)
        let (before, after) = (Self.covered(5), Self.covered(6))
        let change = MessagesChange(
            channel: Script.channel, inserted: [message], coverageBefore: before,
            coverageAfter: after)
        let commit = Commit(sequence: 8, changes: [.messages(change)])
        _ = script.give(.reply(writer, .committed(.success(commit))))
        _ = script.read(writer, .channel(nil))
        #expect(script.machine.state.outbox.items == [])
        #expect(script.shown() == ["1", "2", "3", "4", "5", "a"])
        // The read has begun before the commit, or contains it.
        let isNew = sequence == 8
        let messages = (1...5).map { Script.message($0) } + (isNew ? [message] : [])
        let window = CacheWindow(
            extent: .init(lower: Script.position(1), upper: Script.position(isNew ? 6 : 5)),
            messages: messages, coverage: isNew ? after : before, sequence: sequence)
        let changes = script.read(read, .window(window)).notices.compactMap { notice in
            if case .timelineChanged(Self.timeline, let diff) = notice { diff } else { nil }
        }
        #expect(script.shown() == ["1", "2", "3", "4", "5", "6"])
        #expect(changes.flatMap(\.updated).map(\.after) == [message])
        #expect(changes.allSatisfy { $0.inserted.isEmpty && $0.deleted.isEmpty })
    }

    @Test(arguments: [false, true])
    func `a message delivered beyond the window during a read is not unsent after it`(
        isRemovedLater: Bool
    ) throws {
        var script = Script.connected()
        script.showTimeline(of: 1...5)
        _ = try script.leave("a", 1)
        let read = try #require(script.change { $0.satisfy(.reread, of: Self.timeline) }.reader)
        // From here on the list of unsent messages waits for the read.
        _ = try script.leave("b", 2)
        let event = MessageEvent(message: Script.message(6, request: "a"))
        let writer = try #require(script.frame(.message(event)).committer)
        _ = script.give(
            .reply(writer, .committed(.success(Commit(sequence: 8, changes: [])))))
        let (disk, _) = try #require(script.read(writer, .channel(nil)).writes)
        #expect(script.machine.state.outbox.items.map(\.requestID) == ["b"])
        if !isRemovedLater { _ = script.write(disk, [.noted(hasNews: false, refused: [:])]) }
        let window = CacheWindow(
            extent: .init(lower: Script.position(1), upper: Script.position(5)),
            messages: (1...5).map { Script.message($0) }, coverage: Self.covered(6), sequence: 7)
        _ = script.read(read, .window(window))
        if isRemovedLater { _ = script.write(disk, [.noted(hasNews: false, refused: [:])]) }
        #expect(script.shown() == ["1", "2", "3", "4", "5", "b"])
    }

    private static func covered(_ end: Int64) -> Coverage {
        Coverage([CoveredRange(lower: Script.position(1), upper: Script.position(end))])
    }

    @Test func `reads of one timeline queue`() {
        var script = MachineScript()
        let first = Self.opened(&script)
        #expect(script.change { $0.satisfy(.reread, of: Self.timeline) } == [])
        let effects = script.read(first, .window(Self.window(1...3, sequence: 7)))
        #expect(effects.contains { if case .read(_, .window) = $0 { true } else { false } })
    }

    /// Answers the reads of one collection until none is left; returns their number.
    private static func answer(
        _ first: Script.ID, _ script: inout Script, with found: StoreAnswer
    ) -> Int {
        var (reader, count) = (Optional(first), 0)
        while let id = reader, count < 100 {
            count += 1
            reader = script.read(id, found).reader
        }
        return count
    }

    @Test func `commits of another process during a read of a timeline need one more read`() {
        var script = MachineScript()
        let first = Self.opened(&script)
        for _ in 1...5 { script.give(.missedCommits) }
        let found = StoreAnswer.window(Self.window(1...3, sequence: 7))
        let count = Self.answer(first, &script, with: found)
        #expect(count == 2)
        #expect(!script.machine.isBusy)
    }

    @Test func `commits of another process during a commit need one read of each collection`()
        throws
    {
        var script = MachineScript()
        let first = Self.opened(&script)
        _ = script.read(first, .window(Self.window(1...3, sequence: 7)))
        let (commit, _) = script.start(.storing(Storing([], from: .event)))
        for _ in 1...5 { script.give(.missedCommits) }
        let effects = script.commit(commit, 8)
        let second = try #require(effects.reader)
        let found = StoreAnswer.window(Self.window(1...3, sequence: 9))
        let count = Self.answer(second, &script, with: found)
        #expect(count == 1)
    }

    @Test func `commits of another process during a read of a list need one more read`() {
        var script = MachineScript()
        let list = ListID(1)
        script.give(.openList(OpenList(list, ChannelListQuery(), viewer: "me")))
        let (first, _) = script.start(.listRead(ListRead(list, from: .disk)))
        for _ in 1...5 { script.give(.missedCommits) }
        let page = CachedChannels(channels: [], hasMore: false, isWhole: false, sequence: 7)
        let count = Self.answer(first, &script, with: .channels(page))
        #expect(count == 2)
        #expect(!script.machine.isBusy)
    }

    @Test func `a timeline closed during a read shows nothing more (scar 136)`() {
        var script = MachineScript()
        let id = Self.opened(&script)
        let waiting = script.change { $0.satisfy(.reread, of: Self.timeline) }
        #expect(waiting == [])
        script.give(.closeTimeline(Self.timeline))
        #expect(
            script.read(id, .window(Self.window(1...3, sequence: 7))) == [.finish(id, .done)])
        #expect(script.machine.state.timelines.isEmpty && !script.machine.isBusy)
        let (call, ended) = script.start(
            .timelinePaging(TimelinePaging(Self.timeline, .older)))
        #expect(ended == [.finish(call, .failed(.timelineClosed))])
    }

    @Test func `a second page is refused while one is loading`() {
        var script = Script.connected()
        let opening = Self.opened(&script)
        _ = script.read(opening, .window(Self.window(1...3, sequence: 7)))
        let (first, _) = script.start(.timelinePaging(TimelinePaging(Self.timeline, .older)))
        let (second, refused) = script.start(
            .timelinePaging(TimelinePaging(Self.timeline, .older)))
        guard case .finish(second, .failed(let error))? = refused.last else {
            Issue.record("not refused: \(refused)")
            return
        }
        #expect(error.code == .queryInProgress)
        #expect(first != second)
    }

    @Test func `a slow page ends the call with an error, and is stored later`() {
        var script = Script.connected()
        let opening = Self.opened(&script)
        _ = script.read(opening, .window(Self.window(1...3, sequence: 7)))
        let (call, _) = script.start(.timelinePaging(TimelinePaging(Self.timeline, .older)))
        let asked = script.read(call, .window(Self.window(1...3, sequence: 7)))
        #expect(asked.contains(.limit(call, .seconds(8))))
        #expect(script.give(.overdue(call)) == [.finish(call, .failed(.overdue))])
        #expect(script.machine.state.timelines[Self.timeline]?.isPaging == false)
        // The page arrives after all.
        let page = MessagePage(messages: [], hasNext: true, isContinuous: true)
        let stored = script.answer(call, .messages(page))
        #expect(!stored.mutations.isEmpty)
        #expect(script.commit(call).needs == [])
        #expect(!script.machine.isBusy)
    }

    @Test func `answers in a random order end an operation, and its timeline can page again`() {
        let replies: [Reply] = [
            .begin, .paused, .woken(nil), .woken(.timelineClosed), .ended(.done),
            .ended(.failed(.stalled)), .read(.success(.cursor(.token("t")))),
            .read(.success(.cursor(nil))), .read(.success(.coverage(Coverage()))),
            .read(.success(.count(3))), .read(.success(.moment(nil))),
            .read(.success(.window(Self.window(1...3, sequence: 7)))),
            .read(.failure(Script.error(.localDatabaseError))),
            .answer(.success(.count(1))), .answer(.success(.messages(MessagePage(messages: [])))),
            .answer(.success(.gap(MessageGapAnswer(isHuge: false)))),
            .answer(.success(.channel(Script.channel("c")))),
            .answer(.success(.myChannels(RoostWire.ChannelPage(channels: [], next: "n")))),
            .answer(.failure(Script.error(.networkError))),
            .answer(.failure(Script.error(.invalidValue, .correctInput))),
            .committed(.success(nil)), .committed(.success(Commit(sequence: 9, changes: []))),
            .committed(.failure(Script.error(.localDatabaseError))),
        ]
        let operations: [Operation] = [
            .changeLog(ChangeLogReading(.channelChanges)),
            .changeLog(ChangeLogReading(.messageChanges(Script.channel))),
            .page(PageFetch(Script.channel, .around(.distantFuture, older: 5, newer: 0))),
            .gap(
                GapFill(
                    Script.channel,
                    above: CoveredRange(lower: .distantPast, upper: Script.position(5)),
                    hasKnowledgeAbove: true)),
            .fill(ListFill()), .lookUp(ChannelLookUp(Script.channel)),
            .timelinePaging(TimelinePaging(Self.timeline, .older)),
            .timelineJump(TimelineJump(Self.timeline, to: Timestamp(milliseconds: 5))),
        ]
        var random = SeededRandom(5, 6, 7, 8)
        var endings = 0
        for operation in operations {
            for _ in 1...150 {
                var script = Script.connected()
                _ = Self.opened(&script)
                let (id, first) = script.start(operation)
                var hasEnded = Self.ends(id, first)
                for _ in 1...60 where !hasEnded {
                    if Int.random(in: 0..<12, using: &random) == 0 { script.login() }
                    let reply = replies[Int.random(in: 0..<replies.count, using: &random)]
                    hasEnded = Self.ends(id, script.give(.reply(id, reply)))
                }
                guard hasEnded else { continue }
                endings += 1
                #expect(script.machine.state.timelines[Self.timeline]?.isPaging != true)
            }
        }
        #expect(endings > operations.count * 100)
    }

    private static func ends(_ id: Script.ID, _ effects: [Script.Effect]) -> Bool {
        effects.contains { if case .finish(id, _) = $0 { true } else { false } }
    }
}
