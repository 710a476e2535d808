// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

private typealias Script = MachineScript

/// Calls about channels that the disk refuses, an event overtakes, or the connection leaves.
struct ChannelCallTests {
    private static let url = Script.channel
    private static let full = Script.error(.localDatabaseError)

    private static func failure(_ effects: [Script.Effect], _ id: Script.ID) -> RoostError.Code? {
        for case .finish(id, .failed(let error)) in effects { return error.code }
        return nil
    }

    /// The calls whose answer is a channel.
    private static let calls: [Operation] = [
        .channelAct(ChannelAct(.join(JoinChannel(channelURL: url)), .answered)),
        .channelCreation(ChannelCreation(CreateChannel(userIDs: ["me"]))),
        .channelSearch(ChannelSearch(url)),
    ]

    /// Starts a call up to its question to the server.
    private static func ask(_ script: inout Script, _ call: Operation) -> Script.ID {
        let (id, effects) = script.start(call)
        if case .read(id, .channel)? = effects.needs.first { _ = script.read(id, .channel(nil)) }
        return id
    }

    @Test(arguments: calls.indices)
    func `a channel that the server refuses is not stored`(_ index: Int) {
        var script = Script.connected()
        let id = Self.ask(&script, Self.calls[index])
        let refused = script.refuse(id, Script.error(.notAuthorized, .correctInput))
        #expect(refused.mutations.isEmpty && Self.failure(refused, id) == .notAuthorized)
        // The events of the next request are not held against this one.
        let next = Self.ask(&script, Self.calls[index])
        #expect(
            script.answer(next, .channel(Script.channel(Self.url))).mutations.first
                == .channels([Script.channel(Self.url)]))
    }

    @Test(arguments: calls.indices)
    func `an answer from before a logout is not stored (scar 35)`(_ index: Int) {
        var script = Script.connected()
        let id = Self.ask(&script, Self.calls[index])
        script.give(.disconnect(isLogout: true))
        let late = script.answer(id, .channel(Script.channel(Self.url)))
        #expect(late.mutations.isEmpty && Self.failure(late, id) == .connectionRequired)
        #expect(!script.machine.isBusy)
    }

    @Test(arguments: calls.indices)
    func `a channel that the disk refuses is an error of the call`(_ index: Int) {
        var script = Script.connected()
        let id = Self.ask(&script, Self.calls[index])
        _ = script.answer(id, .channel(Script.channel(Self.url)))
        let refused = script.give(.reply(id, .committed(.failure(Self.full))))
        #expect(Self.failure(refused, id) == .localDatabaseError)
    }

    @Test(arguments: calls.indices)
    func `a channel whose answer an event has overtaken is looked up`(_ index: Int) {
        var script = Script.connected()
        let id = Self.ask(&script, Self.calls[index])
        script.change { _ = $0.recordUnsure(.frozen(true), of: Self.url) }
        let answered = script.answer(id, .channel(Script.channel(Self.url)))
        #expect(!answered.mutations.contains(.channels([Script.channel(Self.url)])))
        let committed = script.commit(id)
        #expect(
            committed.contains {
                if case .ask(_, .channel(let question), _) = $0 {
                    question.channelURL == Self.url
                } else {
                    false
                }
            })
    }

    @Test(arguments: calls.indices)
    func `a call about the server's channels needs a connection`(_ index: Int) {
        var script = Script()
        let (id, effects) = script.start(Self.calls[index])
        let end =
            effects.needs.first == .read(id, .channel(Self.url))
            ? script.read(id, .channel(nil)) : effects
        #expect(Self.failure(end, id) == .connectionRequired)
    }

    private static let hiding = ChannelAct(
        .moment(.hide(url, hidesPrevious: false, allowsAutoUnhide: true)),
        .hidden(.untilNextMessage, hidesPrevious: false, url))

    private static func isLookUp(_ effects: [Script.Effect]) -> Bool {
        guard case .ask(_, .channel(let question), _)? = effects.needs.first else { return false }
        return question.channelURL == url && effects.mutations.isEmpty
    }

    @Test func `a late answer to a hiding does not hide the message that came behind it`() {
        var script = Script.connected()
        let (id, _) = script.start(.channelAct(Self.hiding))
        script.change {
            _ = $0.recordUnsure(.hidden(.untilNextMessage, through: nil), of: Self.url)
            let message = ChannelNews.received(
                Script.message(5), ChannelNews.Reception(isUnread: false))
            _ = $0.record(message, in: Self.url)
        }
        #expect(Self.isLookUp(script.answer(id, .moment(nil))))
    }

    @Test func `the event of a hiding itself does not overtake its answer`() {
        var script = Script.connected()
        let (id, _) = script.start(.channelAct(Self.hiding))
        script.change {
            _ = $0.recordUnsure(.hidden(.untilNextMessage, through: nil), of: Self.url)
        }
        #expect(
            script.answer(id, .moment(nil)).mutations
                == [.channelNews(Self.url, .hidden(.untilNextMessage, through: nil))])
    }

    @Test func `a push trigger is stored whatever came meanwhile, because no look-up brings it`() {
        var script = Script.connected()
        let act = ChannelAct(
            .request(.setPushTrigger(Self.url, .off, by: "me")),
            .news(.pushTrigger(.off), Self.url))
        let (id, _) = script.start(.channelAct(act))
        script.change { $0.channelLedger.note(changeOf: Self.url) }
        #expect(
            script.answer(id, .done).mutations == [.channelNews(Self.url, .pushTrigger(.off))])
    }

    @Test func `a late answer to leaving does not remove the channel of a new invitation`() {
        var script = Script.connected()
        let act = ChannelAct(.leave(LeaveChannel(channelURL: Self.url)), .departure(Self.url))
        let (first, _) = script.start(.channelAct(act))
        script.change { $0.noteDeparture(from: Self.url) }
        #expect(script.answer(first, .done).mutations == [.removeChannel(Self.url)])
        _ = script.commit(first)
        let (second, _) = script.start(.channelAct(act))
        script.change { state in
            state.noteDeparture(from: Self.url)
            state.channelLedger.note(changeOf: Self.url)
        }
        #expect(Self.isLookUp(script.answer(second, .done)))
    }

    @Test func `an act that the disk refuses is an error of the call`() {
        var script = Script.connected()
        let (id, _) = script.start(
            .channelAct(
                ChannelAct(.request(.freeze(Self.url, true)), .news(.frozen(true), Self.url))))
        _ = script.answer(id, .done)
        let refused = script.give(.reply(id, .committed(.failure(Self.full))))
        #expect(Self.failure(refused, id) == .localDatabaseError)
    }

    @Test func `a connection that ends while keys are read leaves the metadata alone`() {
        var script = Script.connected()
        let act = ChannelAct(
            .request(.deleteMetadata(Self.url, key: nil)), .metadataDeleted(nil, Self.url))
        let (id, _) = script.start(.channelAct(act))
        script.lose()
        let end = script.read(id, .channel(Script.channel(Self.url)))
        #expect(Self.failure(end, id) == .connectionRequired)
    }

    /// Acts whose answer has no moment, because the server had nothing to do.
    @Test(arguments: [
        ChannelAct(.moment(.resetHistory(url, ofEverybody: false)), .historyReset(url)),
        ChannelAct(.moment(.markAsDelivered(url)), .markedAsDelivered(url)),
    ])
    func `an act without a moment in its answer changes nothing on disk`(_ act: ChannelAct) {
        var script = Script.connected()
        let (id, _) = script.start(.channelAct(act))
        #expect(script.answer(id, .moment(nil)) == [.finish(id, .done)])
    }

    @Test func `an act of unknown effect ends with the server's description of the channel`() {
        var script = Script.connected()
        let (id, _) = script.start(
            .channelAct(ChannelAct(.request(.freeze(Self.url, true)), .unknown(Self.url))))
        let looking = script.answer(id, .done)
        guard case .ask(let look, .channel, _)? = looking.needs.first else {
            Issue.record("no look-up: \(looking)")
            return
        }
        _ = script.answer(look, .channel(Script.channel(Self.url)))
        #expect(script.commit(look).contains(.finish(id, .done)))
    }

    @Test func `a joined channel that the disk does not know yet is returned as the server said`() {
        var script = Script.connected()
        let id = Self.ask(&script, Self.calls[0])
        var joined = Script.channel(Self.url)
        joined.name = "the room"
        _ = script.answer(id, .channel(joined))
        _ = script.commit(id)
        #expect(script.read(id, .channel(nil)).contains(.finish(id, .channel(joined))))
    }

    @Test func `an answer that fits no act is an error`() {
        var script = Script.connected()
        for call in Self.calls {
            let id = Self.ask(&script, call)
            #expect(Self.failure(script.answer(id, .done), id) == .malformedData)
        }
    }

    // MARK: Lists

    @Test func `a list shows the channels on disk, and pages of the server until its end`() {
        var scene = CacheScene.connected()
        scene.openList()
        #expect(scene.listed() == ["c"])
        for count in [2, 3] {
            let id = scene.start(.listPaging(ListPaging(ListID(1))))
            #expect(scene.finished[id] == .count(1) && scene.listed().count == count)
        }
        let last = scene.start(.listPaging(ListPaging(ListID(1))))
        #expect(scene.finished[last] == .count(0))
    }

    @Test func `a page that the server refuses is an error, and the disk's channels are shown`() {
        var scene = CacheScene()
        scene.cache.channels = ["c": Script.channel("c"), "d": Script.channel("d")]
        scene.answers = { question in
            guard case .myChannels = question else { return nil }
            return .failure(Script.error(.networkError))
        }
        scene.connect()
        scene.openList()
        let id = scene.start(.listPaging(ListPaging(ListID(1))))
        #expect(scene.error(id) == .networkError)
        #expect(scene.listed() == ["c", "d"])
    }

    @Test
    func `a second page of a list is refused while one is loading, and a closed list has none`() {
        var scene = CacheScene.connected()
        scene.openList()
        scene.holds = { if case .read(_, .channels) = $0 { true } else { false } }
        let first = scene.start(.listPaging(ListPaging(ListID(1))))
        let second = scene.start(.listPaging(ListPaging(ListID(1))))
        #expect(scene.error(second) == .queryInProgress && scene.finished[first] == nil)
        scene.give(.closeList(ListID(1)))
        scene.release()
        #expect(scene.finished[first] == .count(0))
        let closed = scene.start(.listPaging(ListPaging(ListID(1))))
        #expect(scene.error(closed) == .collectionDisposed)
    }

    @Test func `a list page of which the disk refuses the commit is an error`() {
        var script = Script.connected()
        script.give(.openList(OpenList(ListID(1), ChannelListQuery(), viewer: "me")))
        let (id, _) = script.start(.listPage(ListPage(ListID(1))))
        _ = script.read(id, .cursor(nil))
        _ = script.answer(
            id, .myChannels(RoostWire.ChannelPage(channels: [Script.channel("c")], next: "")))
        let refused = script.give(.reply(id, .committed(.failure(Self.full))))
        #expect(Self.failure(refused, id) == .localDatabaseError)
    }

    @Test func `a list page that ends without a connection or list makes no request`() {
        for isClosed in [true, false] {
            var script = Script.connected()
            script.give(.openList(OpenList(ListID(1), ChannelListQuery(), viewer: "me")))
            let (id, _) = script.start(.listPage(ListPage(ListID(1))))
            if isClosed { script.give(.closeList(ListID(1))) } else { script.lose() }
            let end = script.read(id, .cursor(nil))
            #expect(Self.failure(end, id) == (isClosed ? nil : .connectionRequired))
            #expect(end.needs == end)
        }
    }

    @Test func `a page of channels that an event has overtaken has them looked up`() {
        var script = Script.connected()
        script.give(.openList(OpenList(ListID(1), ChannelListQuery(), viewer: "me")))
        let (id, _) = script.start(.listPage(ListPage(ListID(1))))
        _ = script.read(id, .cursor(nil))
        script.change { _ = $0.recordUnsure(.frozen(true), of: "c") }
        _ = script.answer(
            id, .myChannels(RoostWire.ChannelPage(channels: [Script.channel("c")], next: "")))
        let end = script.commit(id)
        #expect(end.contains { if case .ask(_, .channel, _) = $0 { true } else { false } })
    }

    @Test func `endless pages without channels end with an error (scar 141)`() {
        var script = Script.connected()
        script.give(.openList(OpenList(ListID(1), ChannelListQuery(), viewer: "me")))
        var failure: RoostError.Code?
        for number in 1...200 where failure == nil {
            let (id, _) = script.start(.listPage(ListPage(ListID(1))))
            _ = script.read(id, .cursor(nil))
            _ = script.answer(
                id, .myChannels(RoostWire.ChannelPage(channels: [], next: "t\(number)")))
            failure = Self.failure(script.commit(id), id)
        }
        #expect(failure == .malformedData)
    }

    @Test func `two requests for a list's first page at once succeed both (scars 91, 101)`() {
        var script = Script.connected()
        script.give(.openList(OpenList(ListID(1), ChannelListQuery(), viewer: "me")))
        let page = ServerAnswer.myChannels(
            RoostWire.ChannelPage(channels: [Script.channel("c")], next: "t"))
        let first = script.start(.listPage(ListPage(ListID(1)))).id
        let second = script.start(.listPage(ListPage(ListID(1)))).id
        for id in [first, second] {
            _ = script.read(id, .cursor(nil))
            _ = script.answer(id, page)
        }
        for id in [first, second] { #expect(script.commit(id).contains(.finish(id, .done))) }
        #expect(script.machine.state.lists[ListID(1)]?.token == "t")
        // The next page leads to itself.
        let (third, _) = script.start(.listPage(ListPage(ListID(1))))
        _ = script.read(third, .cursor(nil))
        _ = script.answer(third, page)
        #expect(Self.failure(script.commit(third), third) == .malformedData)
    }

    @Test func `a list read that contains an undelivered commit waits for its delivery`() {
        var script = Script.connected()
        script.give(.openList(OpenList(ListID(1), ChannelListQuery(), viewer: "me")))
        let (first, _) = script.start(.listOpening(ListOpening(ListID(1))))
        func page(_ urls: [ChannelURL], _ sequence: Int64) -> StoreAnswer {
            .channels(
                CachedChannels(
                    channels: urls.map { Script.channel($0) }, hasMore: false, isWhole: true,
                    sequence: sequence))
        }
        _ = script.read(first, page(["c"], 7))
        let (id, _) = script.start(.listRead(ListRead(ListID(1), from: nil)))
        let (commit, _) = script.start(.storing(Storing([], from: .event)))
        #expect(script.read(id, page(["c", "d"], 8)) == [])
        let change = ChannelsChange(inserted: [Script.channel("d")])
        let shown = script.give(
            .reply(
                commit, .committed(.success(Commit(sequence: 8, changes: [.channels(change)])))))
        #expect(shown.contains(.finish(id, .done)))
        #expect(script.machine.state.lists[ListID(1)]?.list.channels.map(\.url) == ["c", "d"])
    }
}
