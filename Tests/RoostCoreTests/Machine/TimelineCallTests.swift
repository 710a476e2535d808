// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

private typealias Script = MachineScript

/// The calls about a timeline, and the answers of the server to them.
struct TimelineCallTests {
    private static let timeline = TimelineID(1)

    private static func isGap(_ question: ServerQuestion) -> Bool {
        if case .gap = question { true } else { false }
    }

    private static func isPage(_ effect: Script.Effect) -> Bool {
        if case .ask(_, .messages, _) = effect { true } else { false }
    }

    // MARK: Paging

    @Test func `older pages come until the beginning of history`() {
        var scene = CacheScene.connected(messages: 1...12)
        scene.openTimeline()
        #expect(scene.shown() == Array(8...12))
        for _ in 1...3 {
            scene.start(.timelinePaging(TimelinePaging(Self.timeline, .older)))
        }
        #expect(scene.shown() == Array(1...12))
        let asked = scene.questions.count
        let last = scene.start(.timelinePaging(TimelinePaging(Self.timeline, .older)))
        #expect(scene.finished[last] == .count(0) && scene.questions.count == asked)
    }

    @Test func `newer pages lead a view of the past to the newest end, which it then follows`() {
        var scene = CacheScene.connected()
        scene.openTimeline(at: Timestamp(milliseconds: 20))
        #expect(scene.timeline()?.list.followsNewest == false)
        for _ in 1...6 {
            scene.start(.timelinePaging(TimelinePaging(Self.timeline, .newer)))
        }
        #expect(scene.shown().last == 40)
        #expect(scene.timeline()?.list.followsNewest == true)
        #expect(scene.timeline()?.list.hasNewer == false)
    }

    @Test func `a server that promises newer messages and sends none ends the paging (scar 141)`() {
        var scene = CacheScene.connected()
        scene.openTimeline(at: Timestamp(milliseconds: 20))
        for isEmpty in [true, false] {
            scene.answers = { question in
                guard case .messages(let call) = question, case .time(let anchor) = call.anchor
                else { return nil }
                let end = Script.message(anchor.milliseconds)
                return .success(
                    .messages(
                        MessagePage(
                            messages: isEmpty ? [] : [end], hasNext: true, isContinuous: true)))
            }
            let id = scene.start(.timelinePaging(TimelinePaging(Self.timeline, .newer)))
            #expect(scene.error(id) == .malformedData)
            // The disk has had one more.
            #expect(scene.shown().last == 25)
            #expect(scene.timeline()?.list.hasNewer == true)
        }
        scene.answers = { _ in nil }
        let id = scene.start(.timelinePaging(TimelinePaging(Self.timeline, .newer)))
        #expect(scene.error(id) == nil && scene.shown().last == 30)
    }

    @Test func `a timeline that is closed during a page ends the call without messages`() {
        var scene = CacheScene.connected()
        scene.openTimeline()
        scene.holds = Self.isPage
        let id = scene.start(.timelinePaging(TimelinePaging(Self.timeline, .older)))
        scene.give(.closeTimeline(Self.timeline))
        scene.release()
        #expect(scene.finished[id] == .count(0))
    }

    // MARK: The first answer

    @Test func `a caller that waits for the server gets its first answer`() {
        var scene = CacheScene.connected()
        scene.holds = Self.isPage
        scene.openTimeline()
        let waiting = scene.start(.timelineArrival(TimelineArrival(Self.timeline)))
        #expect(scene.finished[waiting] == nil)
        scene.release()
        #expect(scene.finished[waiting] == .done)
        let later = scene.start(.timelineArrival(TimelineArrival(Self.timeline)))
        #expect(scene.finished[later] == .done)
    }

    @Test func `a caller that waits for the server gets its refusal, which is reported once`() {
        var scene = CacheScene.connected()
        scene.holds = Self.isPage
        scene.openTimeline()
        let waiting = scene.start(.timelineArrival(TimelineArrival(Self.timeline)))
        scene.answers = { question in
            guard case .messages = question else { return nil }
            return .failure(Script.error(.notAMember, .correctInput))
        }
        scene.release()
        #expect(scene.error(waiting) == .notAMember)
        let refusals = scene.notices.filter {
            if case .refused(Self.timeline, _) = $0 { true } else { false }
        }
        #expect(refusals.count == 1)
    }

    // MARK: The return of a user

    private static func event(
        _ category: ChannelEvent.Category, _ content: ChannelEvent.Content
    ) -> ServerEvent {
        .channel(
            ChannelEvent(
                category, channelURL: Script.channel, timestamp: Timestamp(milliseconds: 2_000_000),
                content: content))
    }

    private static let joining = event(.joined, .joined([], .init()))

    @Test
    func `a refused timeline is caught up when the user is back before the cache knew (scar 58)`() {
        var scene = CacheScene.connected(messages: 1...12)
        scene.cache.channels = [Script.channel: Script.channel(Script.channel)]
        scene.answers = { question in
            switch question {
            case .messages, .messageChanges, .gap:
                .failure(Script.error(.notAMember, .correctInput))
            default: nil
            }
        }
        scene.openTimeline()
        #expect(scene.shown().isEmpty)
        scene.answers = { _ in nil }
        scene.frame(Self.joining)
        #expect(scene.shown() == Array(8...12))
    }

    @Test
    func `a return is caught up although the disk has kept the departed channel (scar 58)`() {
        var scene = CacheScene.connected(messages: 1...12)
        scene.cache.channels = [Script.channel: Script.channel(Script.channel)]
        scene.openTimeline()
        scene.holds = {
            if case .commit(_, [.removeChannel(Script.channel)], _, _) = $0 { true } else { false }
        }
        scene.frame(Self.event(.left, .left(User(id: "me"), .init())))
        guard case .commit(let removal, _, _, _)? = scene.held.first else {
            Issue.record("The departure has removed nothing.")
            return
        }
        let refusal = RoostError(
            .localDatabaseError, remedy: .repairStorage, message: "The disk is full.",
            cause: .disk(mayPass: true))
        scene.give(.reply(removal, .committed(.failure(refusal))))
        scene.append(13...14)
        scene.frame(Self.joining)
        #expect(scene.shown() == Array(8...14))
    }

    @Test func `a server that contradicts itself about a member is not asked for ever`() {
        var scene = CacheScene.connected(messages: 1...12)
        scene.answers = { question in
            guard case .messages = question else { return nil }
            return .failure(Script.error(.notAMember, .correctInput))
        }
        scene.openTimeline()
        #expect(scene.questions.count < 20)
    }

    @Test func `without a connection the server's answer cannot be awaited`() {
        var scene = CacheScene()
        scene.openTimeline()
        let id = scene.start(.timelineArrival(TimelineArrival(Self.timeline)))
        #expect(scene.error(id) == .connectionRequired)
    }

    @Test func `a timeline from before the login waits for the page of the catch-up (scar 93)`() {
        var scene = CacheScene()
        scene.openTimeline()
        scene.holds = Self.isPage
        scene.connect()
        let waiting = scene.start(.timelineArrival(TimelineArrival(Self.timeline)))
        #expect(scene.finished[waiting] == nil)
        scene.release()
        #expect(scene.finished[waiting] == .done)
        #expect(scene.shown().last == 40)
    }

    @Test(arguments: [RoostError.Remedy.retry, .correctInput])
    func `a caller learns why the catch-up has no page, also after its attempt (scar 93)`(
        remedy: RoostError.Remedy
    ) {
        var scene = CacheScene()
        scene.openTimeline()
        scene.holds = Self.isPage
        scene.connect()
        let waiting = scene.start(.timelineArrival(TimelineArrival(Self.timeline)))
        scene.answers = { question in
            guard case .messages = question else { return nil }
            return .failure(Script.error(.notAMember, remedy))
        }
        scene.release()
        #expect(scene.error(waiting) == .notAMember)
        let later = scene.start(.timelineArrival(TimelineArrival(Self.timeline)))
        #expect(scene.error(later) == .notAMember)
        guard case .failed(let error)? = scene.finished[later] else { return }
        #expect(error.remedy == remedy)
    }

    @Test func `a lost connection ends the wait for the page of a catch-up`() {
        var scene = CacheScene()
        scene.openTimeline()
        scene.holds = Self.isPage
        scene.connect()
        let waiting = scene.start(.timelineArrival(TimelineArrival(Self.timeline)))
        scene.lose()
        scene.release()
        #expect(scene.error(waiting) == .connectionRequired)
    }

    @Test func `a timeline that moves during its first answer has callers wait for the next one`() {
        var scene = CacheScene.connected()
        scene.holds = Self.isPage
        scene.openTimeline()
        let waiting = scene.start(.timelineArrival(TimelineArrival(Self.timeline)))
        let jump = scene.start(
            .timelineJump(TimelineJump(Self.timeline, to: Timestamp(milliseconds: 20))))
        #expect(scene.finished[jump] == .done)
        scene.release()
        #expect(scene.finished[waiting] == .done)
        #expect(scene.shown().contains(20))
    }

    @Test(arguments: [false, true])
    func `a page of the newest end does not lead a timeline back that has jumped away`(
        isBeingShown: Bool
    ) {
        var scene = CacheScene.connected()
        scene.openTimeline()
        for _ in 1...6 { scene.start(.timelinePaging(TimelinePaging(Self.timeline, .older))) }
        scene.start(.timelineJump(TimelineJump(Self.timeline, to: Timestamp(milliseconds: 10))))
        // The newest page is on its way when the timeline jumps once more, within the cache.
        scene.holds = Self.isPage
        scene.start(.timelineJump(TimelineJump(Self.timeline, to: .distantFuture)))
        #expect(scene.held.count == 1)
        if isBeingShown {
            // The page is stored, and its window is being read.
            scene.holds = { if case .read(_, .window) = $0 { true } else { false } }
            scene.release(only: Self.isPage)
        }
        scene.start(.timelineJump(TimelineJump(Self.timeline, to: Timestamp(milliseconds: 20))))
        scene.release()
        #expect(scene.timeline()?.list.hasNewer == true)
        #expect(scene.shown().contains(20) && !scene.shown().contains(40))
    }

    @Test func `a timeline closed during its first answer leaves no call behind`() {
        var scene = CacheScene.connected()
        scene.holds = Self.isPage
        scene.openTimeline()
        let waiting = scene.start(.timelineArrival(TimelineArrival(Self.timeline)))
        scene.give(.closeTimeline(Self.timeline))
        scene.release()
        #expect(scene.error(waiting) != nil && !scene.script.machine.isBusy)
    }

    @Test(arguments: [RoostError.Code.notFound, .channelNotFound])
    func `a channel that the server does not have cannot be opened, connected or not`(
        code: RoostError.Code
    ) {
        var scene = CacheScene.connected()
        scene.cache.channels = [:]
        scene.answers = { _ in .failure(Script.error(code, .correctInput)) }
        scene.openTimeline()
        #expect(scene.timeline() == nil)
        scene.lose()
        scene.openTimeline()
        #expect(scene.timeline() == nil)
        // Another channel of which nothing is known opens empty.
        scene.script.machine.state.unknownChannels = UnknownChannels()
        scene.openTimeline()
        #expect(scene.timeline() != nil && scene.shown() == [])
    }

    @Test(arguments: [RoostError.Code.networkError, .notAMember])
    func `a timeline opens empty if the server does not say whether its channel exists`(
        code: RoostError.Code
    ) {
        var scene = CacheScene.connected()
        scene.cache.channels = [:]
        scene.answers = { _ in .failure(Script.error(code, .correctInput)) }
        scene.openTimeline()
        #expect(scene.timeline() != nil && scene.shown() == [])
    }

    @Test func `a timeline opens empty if the server does not answer in two seconds`() {
        var scene = CacheScene.connected()
        scene.cache.channels = [:]
        var limits: [(id: Script.ID, limit: Duration)] = []
        scene.holds = { effect in
            if case .limit(let id, let limit) = effect { limits.append((id, limit)) }
            if case .ask(_, .channel, _) = effect { return true }
            return false
        }
        scene.openTimeline()
        #expect(
            scene.timeline()?.opening.isUnderWay == false && limits.map(\.limit) == [.seconds(2)])
        for waiting in limits { scene.give(.overdue(waiting.id)) }
        #expect(scene.timeline()?.wasLoaded == true)
    }

    @Test func `the server is not asked about a channel that the disk knows`() {
        var scene = CacheScene.connected()
        scene.holds = Self.isPage
        scene.openTimeline()
        #expect(!scene.questions.contains { if case .channel = $0 { true } else { false } })
        #expect(scene.timeline() != nil)
    }

    // MARK: Catching up

    /// A scene whose cached timeline was opened without a connection, and has missed too many
    /// messages by the server's answer.
    private static func openedBeforeHugeGap(pagingBack: Bool) -> CacheScene {
        var scene = CacheScene.connected()
        scene.openTimeline()
        scene.start(.timelinePaging(TimelinePaging(timeline, .older)))
        scene.give(.closeTimeline(timeline))
        scene.lose()
        scene.append(41...90)
        scene.openTimeline()
        if pagingBack { scene.start(.timelinePaging(TimelinePaging(timeline, .older))) }
        scene.answers = { question in
            Self.isGap(question) ? .success(.gap(MessageGapAnswer(isHuge: true))) : nil
        }
        scene.connect()
        return scene
    }

    @Test func `a timeline that was opened offline begins with the newest messages too`() {
        var scene = Self.openedBeforeHugeGap(pagingBack: false)
        #expect(scene.questions.contains(where: Self.isGap))
        #expect(scene.shown() == Array(86...90) && scene.timeline()?.hasHugeGap == false)
        #expect(scene.timeline()?.list.hasNewer == false)
        // The older end is the hole, and paging back crosses it.
        #expect(scene.timeline()?.list.hasOlder == true)
        scene.start(.timelinePaging(TimelinePaging(Self.timeline, .older)))
        #expect(scene.shown() == Array(81...90))
    }

    @Test func `a timeline that was paged back offline keeps its place at a huge gap (R113)`() {
        let scene = Self.openedBeforeHugeGap(pagingBack: true)
        #expect(scene.shown() == Array(31...40) && scene.timeline()?.hasHugeGap == true)
    }

    /// A scene whose open timeline has missed messages, too many by the server's answer.
    private static func afterHugeGap(_ missed: ClosedRange<Int64>) -> CacheScene {
        var scene = CacheScene.connected()
        scene.openTimeline()
        scene.lose()
        scene.append(missed)
        scene.answers = { question in
            Self.isGap(question) ? .success(.gap(MessageGapAnswer(isHuge: true))) : nil
        }
        scene.connect()
        return scene
    }

    @Test func `messages that were sent without a connection appear with the next one`() {
        var scene = CacheScene.connected()
        scene.openTimeline()
        scene.lose()
        scene.append(41...43)
        scene.connect()
        #expect(scene.shown().suffix(3) == [41, 42, 43])
    }

    @Test func `a timeline stops following after a huge gap, and shows what it had (R113)`() {
        var scene = CacheScene.connected()
        scene.openTimeline()
        let shown = scene.shown()
        scene.lose()
        scene.answers = { question in
            Self.isGap(question) ? .success(.gap(MessageGapAnswer(isHuge: true))) : nil
        }
        scene.append(41...45)
        scene.connect()
        #expect(scene.questions.contains(where: Self.isGap))
        #expect(scene.shown() == shown && scene.timeline()?.hasHugeGap == true)
        #expect(scene.timeline()?.list.hasNewer == true)
    }

    @Test func `a huge gap of a place that the timeline has left changes nothing`() {
        var scene = CacheScene.connected()
        scene.openTimeline()
        scene.lose()
        scene.append(41...45)
        scene.holds = { if case .ask(_, .gap, _) = $0 { true } else { false } }
        scene.answers = { question in
            Self.isGap(question) ? .success(.gap(MessageGapAnswer(isHuge: true))) : nil
        }
        scene.connect()
        #expect(scene.held.count == 1)
        scene.start(.timelineJump(TimelineJump(Self.timeline, to: Timestamp(milliseconds: 20))))
        scene.release()
        #expect(scene.timeline()?.hasHugeGap == false)
    }

    @Test func `a huge gap that live messages have shortened meanwhile is asked about again`() {
        var scene = CacheScene.connected()
        scene.openTimeline()
        scene.lose()
        scene.append(41...45)
        scene.holds = { if case .ask(_, .gap, _) = $0 { true } else { false } }
        // Only the first question meets a huge gap: the one from the end before the live message.
        let end = ScriptedCache.message(40).createdAt
        scene.answers = { question in
            guard case .gap(let gap) = question, gap.next?.start == end else { return nil }
            return .success(.gap(MessageGapAnswer(isHuge: true)))
        }
        scene.connect()
        #expect(scene.held.count == 1)
        scene.frame(
            .message(MessageEvent(message: ScriptedCache.message(41), previousMessageID: 40)))
        #expect(scene.shown().last == 41)
        scene.release()
        #expect(scene.questions.count(where: Self.isGap) == 2)
        #expect(scene.shown().suffix(3) == [43, 44, 45])
        #expect(scene.timeline()?.hasHugeGap == false)
    }

    @Test func `a cut of the counted messages makes a timeline ask for a gap again (scar 27)`() {
        var scene = CacheScene.connected()
        scene.openTimeline()
        scene.lose()
        scene.append(41...41)
        // The server has hidden the counted message 40 and sees 41: as many as the client counts.
        scene.answers = { question in
            Self.isGap(question) ? .success(.gap(MessageGapAnswer(isHuge: false))) : nil
        }
        scene.connect()
        #expect(scene.shown().last == 40)
        scene.answers = { _ in nil }
        let cut = ScriptedCache.message(40).createdAt
        scene.start(
            .storing(
                Storing([.historyCut(MachineScript.channel, through: cut)], from: .event)))
        #expect(scene.shown().last == 41)
    }

    @Test func `a huge gap below a newest page that was shown meanwhile changes nothing`() {
        var scene = Self.afterHugeGap(41...60)
        #expect(scene.timeline()?.hasHugeGap == true)
        scene.holds = { effect in
            if case .ask(_, .gap, _) = effect { true } else { Self.isPage(effect) }
        }
        scene.start(.timelineJump(TimelineJump(Self.timeline, to: .distantFuture)))
        var channel = Script.channel(Script.channel)
        channel.myState = .joined
        let commit = Commit(
            sequence: 900, changes: [.channels(ChannelsChange(inserted: [channel]))])
        scene.run(Self.store(&scene, commit))
        #expect(scene.held.map(Self.isPage) == [true, false])
        scene.release(only: Self.isPage)
        scene.release()
        #expect(scene.shown() == Array(56...60))
        #expect(scene.timeline()?.hasHugeGap == false)
        #expect(scene.timeline()?.list.hasNewer == false)
    }

    @Test func `a page of the newest end ends a huge gap`() {
        var scene = Self.afterHugeGap(41...44)
        #expect(scene.timeline()?.hasHugeGap == true)
        scene.answers = { _ in nil }
        scene.start(.timelinePaging(TimelinePaging(Self.timeline, .newer)))
        #expect(scene.shown().last == 44)
        #expect(scene.timeline()?.hasHugeGap == false)
        #expect(scene.timeline()?.list.followsNewest == true)
    }

    /// A scene whose timeline shows the whole history before a huge gap, and has lost it to
    /// deletions after a download had closed the gap.
    private static func emptiedBelowDownload(
        _ prepare: (inout CacheScene) -> Void = { _ in }
    ) -> CacheScene {
        var scene = CacheScene.connected(messages: 1...4)
        scene.openTimeline()
        scene.lose()
        scene.append(41...60)
        scene.answers = { question in
            Self.isGap(question) ? .success(.gap(MessageGapAnswer(isHuge: true))) : nil
        }
        prepare(&scene)
        scene.connect()
        scene.answers = { _ in nil }
        let downloaded = (Int64(41)...60).map { ScriptedCache.message($0) }
        let range = CoveredRange(
            lower: .distantPast, upper: downloaded[19].position ?? .distantPast)
        let channel = MachineScript.channel
        scene.start(
            .storing(Storing([.messages(channel, downloaded, covering: range)], from: .page)))
        scene.start(.storing(Storing([.deleted(channel, [1, 2, 3, 4])], from: .event)))
        return scene
    }

    @Test func `a timeline that lost its messages at a huge gap shows the newest of the cache`() {
        let scene = Self.emptiedBelowDownload()
        #expect(scene.shown() == Array(56...60) && scene.timeline()?.hasHugeGap == false)
        #expect(scene.timeline()?.list.hasNewer == false)
    }

    @Test func `a timeline that was emptied before a huge gap shows the newest messages`() {
        var scene = CacheScene.connected(messages: 1...4)
        scene.openTimeline()
        scene.start(
            .storing(Storing([.deleted(MachineScript.channel, [1, 2, 3, 4])], from: .event)))
        #expect(scene.shown().isEmpty && scene.timeline()?.list.hasOlder == false)
        scene.lose()
        scene.append(41...60)
        scene.answers = { question in
            Self.isGap(question) ? .success(.gap(MessageGapAnswer(isHuge: true))) : nil
        }
        scene.connect()
        #expect(scene.shown() == Array(56...60) && scene.timeline()?.hasHugeGap == false)
    }

    @Test func `a timeline that lost its messages during a catch-up asks the server behind it`() {
        var scene = Self.emptiedBelowDownload { scene in
            scene.openTimeline(TimelineID(2), at: ScriptedCache.message(50).createdAt)
            // The catch-up has asked for the first timeline and waits for the page of the second.
            scene.holds = Self.isPage
        }
        #expect(scene.held.count == 1 && scene.shown() == Array(56...60))
        scene.append(61...61)
        scene.release()
        #expect(scene.shown() == Array(56...61))
    }

    @Test func `a channel that the user joins is caught up in its open timeline`() {
        var scene = CacheScene.connected()
        scene.openTimeline()
        scene.append(41...42)
        var channel = Script.channel(Script.channel)
        channel.myState = .joined
        let before = channel
        var commit = Commit(
            sequence: 900, changes: [.channels(ChannelsChange(inserted: [channel]))])
        scene.run(Self.store(&scene, commit))
        #expect(scene.shown().suffix(2) == [41, 42])
        // Another channel, or no new membership, is none of the timeline's business.
        let asked = scene.questions.count
        let update = Update(before: before, after: channel)
        var other = Script.channel("other")
        other.myState = .joined
        commit = Commit(
            sequence: 901,
            changes: [
                .channels(ChannelsChange(inserted: [other], updated: [update])),
                .users([Update(before: User(id: "a"), after: User(id: "a", nickname: "n"))]),
            ])
        scene.run(Self.store(&scene, commit))
        #expect(scene.questions.count == asked)
    }

    @Test func `a channel that the user rejoins is caught up in its open timeline`() {
        var scene = CacheScene.connected()
        scene.openTimeline()
        scene.append(41...42)
        var before = Script.channel(Script.channel)
        before.myState = .invited
        var after = before
        after.myState = .joined
        let change = ChannelsChange(updated: [Update(before: before, after: after)])
        let commit = Commit(sequence: 900, changes: [.channels(change)])
        scene.run(Self.store(&scene, commit))
        #expect(scene.shown().suffix(2) == [41, 42])
    }

    /// Delivers a commit to the open collections.
    private static func store(_ scene: inout CacheScene, _ commit: Commit) -> [Script.Effect] {
        let (id, _) = scene.script.start(.storing(Storing([], from: .event)))
        return scene.script.give(.reply(id, .committed(.success(commit))))
    }
}
