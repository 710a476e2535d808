// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct CallTests {
    private typealias Script = MachineScript

    private static let url = Script.channel

    private static func failure(_ effects: [Script.Effect], _ id: Script.ID) -> RoostError.Code? {
        for case .finish(id, .failed(let error)) in effects { return error.code }
        return nil
    }

    /// Each kind of act, with the server's answer and the first mutation of its effect.
    private static let acts: [(ServerQuestion, ChannelAct.Effect, ServerAnswer, Mutation)] = [
        (.leave(LeaveChannel(channelURL: url)), .departure(url), .done, .removeChannel(url)),
        (
            .request(.freeze(url, true)), .news(.frozen(true), url), .done,
            .channelNews(url, .frozen(true))
        ),
        (
            .moment(.hide(url, hidesPrevious: true, allowsAutoUnhide: false)),
            .hidden(.untilShown, hidesPrevious: true, url), .moment(Script.loginAt),
            .channelNews(url, .hidden(.untilShown, through: Script.loginAt))
        ),
        (
            .moment(.hide(url, hidesPrevious: false, allowsAutoUnhide: true)),
            .hidden(.untilNextMessage, hidesPrevious: false, url), .moment(Script.loginAt),
            .channelNews(url, .hidden(.untilNextMessage, through: nil))
        ),
        (
            .moment(.resetHistory(url, ofEverybody: false)), .historyReset(url),
            .moment(Script.loginAt), .channelNews(url, .historyReset(through: Script.loginAt))
        ),
        (
            .moment(.markAsDelivered(url)), .markedAsDelivered(url), .moment(Script.loginAt),
            .channelNews(url, .deliveredTo(["me": Script.loginAt]))
        ),
        (
            .writeMetadata(.write(url, ["a": "b"], .create)), .metadata(url),
            .metadata(["a": "b"]), .channelNews(url, .metadata(set: ["a": "b"], removed: []))
        ),
        (
            .request(.deleteMetadata(url, key: "a")), .metadataDeleted("a", url), .done,
            .channelNews(url, .metadata(set: [:], removed: ["a"]))
        ),
    ]

    @Test(arguments: acts.indices)
    func `an act is on disk when its call ends`(_ index: Int) {
        let (question, effect, answer, mutation) = Self.acts[index]
        var script = Script.connected()
        let (id, asked) = script.start(.channelAct(ChannelAct(question, effect)))
        #expect(asked == [.ask(id, question, .connection)])
        let answered = script.answer(id, answer)
        #expect(answered.mutations.first == mutation)
        var end = script.commit(id)
        if case .read(id, .channel(Self.url))? = end.needs.first {
            end = script.read(id, .channel(Script.channel(Self.url)))
        }
        #expect(end.contains { if case .finish(id, _) = $0 { true } else { false } })
        #expect(Self.failure(end, id) == nil)
    }

    @Test(arguments: acts.indices)
    func `an act that the server refuses changes nothing`(_ index: Int) {
        let (question, effect, _, _) = Self.acts[index]
        var script = Script.connected()
        let (id, _) = script.start(.channelAct(ChannelAct(question, effect)))
        let refused = script.refuse(id, Script.error(.notAuthorized, .correctInput))
        #expect(refused.mutations.isEmpty && Self.failure(refused, id) == .notAuthorized)
    }

    @Test(arguments: acts.indices)
    func `an act needs a connection`(_ index: Int) {
        let (question, effect, _, _) = Self.acts[index]
        var script = Script()
        let (id, effects) = script.start(.channelAct(ChannelAct(question, effect)))
        #expect(Self.failure(effects, id) == .connectionRequired)
    }

    @Test func `an act on an unknown channel has the channel looked up`() {
        var script = Script.connected()
        let (id, _) = script.start(
            .channelAct(
                ChannelAct(.request(.freeze(Self.url, true)), .news(.frozen(true), Self.url))))
        _ = script.answer(id, .done)
        _ = script.commit(id)
        let end = script.read(id, .channel(nil))
        #expect(end.contains { if case .ask(_, .channel, _) = $0 { true } else { false } })
    }

    @Test func `all metadata are deleted by the cached keys`() {
        var script = Script.connected()
        let (id, effects) = script.start(
            .channelAct(
                ChannelAct(
                    .request(.deleteMetadata(Self.url, key: nil)), .metadataDeleted(nil, Self.url)))
        )
        #expect(effects == [.read(id, .channel(Self.url))])
        var known = Script.channel(Self.url)
        known.metadata = ["b": "1", "a": "2"]
        _ = script.read(id, .channel(known))
        let answered = script.answer(id, .done)
        #expect(
            answered.mutations == [
                .channelNews(Self.url, .metadata(set: [:], removed: ["a", "b"]))
            ])
    }

    @Test func `a channel whose answer an event has overtaken is looked up before the call ends`() {
        var script = Script.connected()
        let (id, _) = script.start(
            .channelAct(
                ChannelAct(.join(JoinChannel(channelURL: Self.url)), .answered)))
        script.change { _ = $0.recordUnsure(.frozen(true), of: Self.url) }
        let answered = script.answer(id, .channel(Script.channel(Self.url)))
        #expect(!answered.mutations.contains(.channels([Script.channel(Self.url)])))
        let committed = script.commit(id)
        #expect(!committed.contains { if case .finish = $0 { true } else { false } })
        guard case .ask(let look, .channel, _)? = committed.needs.first else {
            Issue.record("no look-up: \(committed)")
            return
        }
        _ = script.answer(look, .channel(Script.channel(Self.url)))
        let described = script.commit(look)
        #expect(described.needs == [.read(id, .channel(Self.url))])
        #expect(
            script.read(id, .channel(Script.channel(Self.url)))
                == [.finish(id, .channel(Script.channel(Self.url)))])
    }

    @Test func `a caller gets an answer after eight seconds, and the work continues`() {
        var script = Script.connected()
        let act = ChannelAct(.join(JoinChannel(channelURL: Self.url)), .answered)
        let (id, effects) = script.start(.inTime(InTime(.channelAct(act))))
        #expect(effects.first == .limit(id, .seconds(8)))
        #expect(Self.failure(script.give(.overdue(id)), id) == .requestFailed)
        let late = script.answer(id, .channel(Script.channel(Self.url)))
        #expect(late.mutations.first == .channels([Script.channel(Self.url)]))
    }

    @Test func `a change that the server has made succeeds in time, whatever its look-up does`() {
        var script = Script.connected()
        let frozen = ChannelAct(.request(.freeze(Self.url, true)), .unknown(Self.url))
        let (id, _) = script.start(.inTime(InTime(.channelAct(frozen))))
        _ = script.answer(id, .done)
        #expect(script.give(.overdue(id)).contains(.finish(id, .done)))
        let join = ChannelAct(.join(JoinChannel(channelURL: Self.url)), .answered)
        let (joining, _) = script.start(.inTime(InTime(.channelAct(join))))
        script.change { _ = $0.recordUnsure(.frozen(true), of: Self.url) }
        let channel = Script.channel(Self.url)
        _ = script.answer(joining, .channel(channel))
        _ = script.commit(joining)
        #expect(script.give(.overdue(joining)).contains(.finish(joining, .channel(channel))))
    }

    @Test func `a created channel that events have overtaken is returned after a second`() {
        var script = Script.connected()
        let (id, _) = script.start(
            .channelCreation(ChannelCreation(CreateChannel(userIDs: ["me"]))))
        _ = script.answer(id, .channel(Script.channel(Self.url)))
        _ = script.commit(id)
        let looking = script.read(id, .channel(nil))
        #expect(looking.contains(.limit(id, .seconds(1))))
        let end = script.give(.overdue(id))
        #expect(end.contains(.finish(id, .channel(Script.channel(Self.url)))))
    }

    @Test func `a cached channel costs no request, another one costs one`() {
        var script = Script.connected()
        let (id, _) = script.start(.channelSearch(ChannelSearch(Self.url)))
        let known = script.read(id, .channel(Script.channel(Self.url)))
        #expect(known == [.finish(id, .channel(Script.channel(Self.url)))])
        let (other, _) = script.start(.channelSearch(ChannelSearch(Self.url)))
        #expect(
            script.read(other, .channel(nil)) == [
                .ask(other, .channel(GetChannel(channelURL: Self.url)), .connection)
            ])
        _ = script.answer(other, .channel(Script.channel(Self.url)))
        #expect(script.commit(other).contains(.finish(other, .channel(Script.channel(Self.url)))))
    }
}
