// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

struct ChangeLogReadingTests {
    private typealias Script = MachineScript
    private static let log = CursorKey.messageChanges(Script.channel)

    private static func page(
        _ updated: [Message] = [], deleted: [Int64] = [], next: String, hasMore: Bool = false
    ) -> ServerAnswer {
        .messageChanges(
            MessageChanges(
                updated: updated, deleted: deleted.map { .init(id: MessageID($0)) },
                hasMore: hasMore, next: next))
    }

    private static func question(_ cursor: ChangeLogCursor) -> ServerQuestion {
        .messageChanges(
            MessageChangeLog(channelURL: Script.channel, cursor: cursor, filter: .everything))
    }

    /// Returns a reading that has sent a request with a token.
    private static func asked(
        _ script: inout Script, from token: String = "t1"
    ) -> Script.ID {
        let (id, _) = script.start(.changeLog(ChangeLogReading(log)))
        let effects = script.read(id, .cursor(.token(token)))
        #expect(effects == [.ask(id, question(.token(token)), .connection)])
        return id
    }

    @Test func `each page of a log and its cursor are one commit (scars 6, 7)`() {
        var script = Script.connected()
        let id = Self.asked(&script)
        let first = script.answer(
            id, Self.page([Script.message(7)], deleted: [3], next: "t2", hasMore: true))
        #expect(
            first == [
                .commit(
                    id,
                    [
                        .edited(Script.message(7)), .deleted(Script.channel, [3]),
                        .cursor(Self.log, .token("t2")),
                    ], .changeLog, unless: .cursorMoved(Self.log, from: .token("t1")))
            ])
        #expect(script.commit(id) == [.ask(id, Self.question(.token("t2")), .connection)])
    }

    @Test func `a page is left out if another process has moved the cursor (scar 57)`() {
        var script = Script.connected()
        let id = Self.asked(&script)
        // The other process reads the same log; the last place was read before.
        for token in (1...7).map({ "place \($0)" }) + ["place 1"] {
            _ = script.answer(id, Self.page([Script.message(7)], next: "t2", hasMore: true))
            let effects = script.give(.reply(id, .committed(.success(nil))))
            #expect(effects == [.read(id, .cursor(Self.log))])
            let asked = script.read(id, .cursor(.token(token)))
            #expect(asked == [.ask(id, Self.question(.token(token)), .connection)])
        }
        _ = script.answer(id, Self.page([Script.message(7)], next: "t2", hasMore: true))
        let effects = script.give(.reply(id, .committed(.success(nil))))
        guard case .finish(id, .failed)? = effects.first else {
            Issue.record("not given up: \(effects)")
            return
        }
    }

    @Test func `a log that was read to its end is read again from the last frame`() {
        var script = Script.connected()
        let id = Self.asked(&script)
        let resumed = Script.loginAt.advanced(by: -2_000)
        #expect(
            script.answer(id, Self.page(next: "t2")).mutations
                == [.cursor(Self.log, .moment(resumed))])
        #expect(script.commit(id) == [.finish(id, .done)])
    }

    @Test func `a channel without a cursor has no log to read`() {
        var script = Script.connected()
        let (id, _) = script.start(.changeLog(ChangeLogReading(Self.log)))
        #expect(script.read(id, .cursor(nil)) == [.finish(id, .done)])
    }

    @Test func `the log of channels begins at the first login (scar 2)`() {
        var script = Script.connected()
        let (id, _) = script.start(.changeLog(ChangeLogReading(.channelChanges)))
        #expect(
            script.read(id, .cursor(nil)).mutations
                == [.firstCursor(.channelChanges, .moment(Script.loginAt))])
        #expect(script.commit(id) == [.finish(id, .done)])
    }

    @Test func `a refused token is replaced by the time of the oldest cached message`() {
        var script = Script.connected()
        let id = Self.asked(&script)
        let refused = Script.error(.invalidValue, .correctInput)
        #expect(script.refuse(id, refused) == [.read(id, .oldestMessage(Script.channel))])
        let oldest = Timestamp(milliseconds: 40)
        #expect(
            script.read(id, .moment(oldest)).mutations == [.cursor(Self.log, .moment(oldest))])
        #expect(script.commit(id) == [.ask(id, Self.question(.since(oldest)), .connection)])
        // A token from this reading is refused, too: the pages lead nowhere.
        _ = script.answer(id, Self.page(next: "t2", hasMore: true))
        _ = script.commit(id)
        #expect(script.refuse(id, refused) == [.finish(id, .failed(.stalled))])
    }

    @Test func `a refused token of a channel without messages ends the reading`() {
        var script = Script.connected()
        let id = Self.asked(&script)
        let refused = Script.error(.invalidValue, .correctInput)
        _ = script.refuse(id, refused)
        #expect(script.read(id, .moment(nil)) == [.finish(id, .failed(refused))])
    }

    @Test func `a cursor in the server's future is replaced before the first request (scar 57)`() {
        var script = Script.connected()
        let (id, _) = script.start(.changeLog(ChangeLogReading(.channelChanges)))
        let ahead = Script.loginAt.advanced(by: 7_200_000)
        #expect(
            script.read(id, .cursor(.moment(ahead))).mutations
                == [.cursor(.channelChanges, .moment(.beginning))])
        let asked = script.commit(id)
        #expect(
            asked == [
                .ask(
                    id,
                    .channelChanges(
                        ChannelChangeLog(
                            userID: "me", cursor: .since(.beginning), showsEmpty: true)),
                    .connection)
            ])
    }

    @Test func `pages that repeat themselves end the reading (scar 141)`() {
        var script = Script.connected()
        let id = Self.asked(&script)
        // The page leads to its own place, so nothing is written.
        #expect(
            script.answer(id, Self.page(next: "t1", hasMore: true))
                == [.finish(id, .failed(.stalled))])
        #expect(!script.machine.isBusy)
    }

    @Test func `an answer of an earlier connection is dropped (scar 134)`() {
        var script = Script.connected()
        let id = Self.asked(&script)
        script.lose()
        script.login()
        #expect(
            script.answer(id, Self.page([Script.message(7)], next: "t2"))
                == [.finish(id, .failed(.notConnected))])
        #expect(script.machine.state.ledgers.isEmpty)
    }

    @Test func `a page that the user's departure has overtaken is dropped (scar 58)`() {
        var script = Script.connected()
        let id = Self.asked(&script)
        script.machine.state.noteDeparture(from: Script.channel)
        #expect(
            script.answer(id, Self.page([Script.message(7)], next: "t2"))
                == [.finish(id, .failed(.departed))])
    }

    @Test func `a page that an event has overtaken is stored without its cursor`() {
        var script = Script.connected()
        let (id, _) = script.start(.changeLog(ChangeLogReading(.channelChanges)))
        _ = script.read(id, .cursor(.token("t1")))
        script.machine.state.channelLedger.note(changeOf: "a")
        let changes = ChannelChanges(
            updated: [Script.channel("a"), Script.channel("b")], deleted: [], hasMore: false,
            next: "t2")
        #expect(
            script.answer(id, .channelChanges(changes)).mutations
                == [.channels([Script.channel("b")])])
        // The same page is requested again.
        let again = script.commit(id)
        #expect(
            again == [
                .ask(
                    id,
                    .channelChanges(
                        ChannelChangeLog(userID: "me", cursor: .token("t1"), showsEmpty: true)),
                    .connection)
            ])
    }

    @Test func `a page does not undo a reaction that overtook it`() {
        var script = Script.connected()
        let id = Self.asked(&script)
        let reaction = ReactionChange(
            key: "ok", userID: "other", isAdded: true, updatedAt: Timestamp(milliseconds: 50))
        script.machine.state.ledgers[Script.channel]?.note(.reaction(reaction), to: 7)
        // Reactions do not change the time of a message, so the older copy alone would win.
        #expect(
            script.answer(id, Self.page([Script.message(7)], next: "t2", hasMore: true)).mutations
                == [
                    .edited(Script.message(7)), .reacted(Script.channel, 7, reaction),
                    .cursor(Self.log, .token("t2")),
                ])
    }

    @Test func `of two readings, the older one does not undo a reaction in the newer one's page`() {
        var script = Script.connected()
        let older = Self.asked(&script)
        let reaction = ReactionChange(
            key: "ok", userID: "other", isAdded: true, updatedAt: Timestamp(milliseconds: 50))
        script.machine.state.ledgers[Script.channel]?.note(.reaction(reaction), to: 7)
        let newer = Self.asked(&script)
        _ = script.answer(older, Self.page([Script.message(7)], next: "t2", hasMore: true))
        // The older answer's copy takes the place of the newer one's, and lacks the reaction.
        #expect(
            script.answer(newer, Self.page([Script.message(7)], next: "t3", hasMore: true))
                .mutations.isEmpty)
        #expect(
            script.commit(older).mutations.prefix(2)
                == [.edited(Script.message(7)), .reacted(Script.channel, 7, reaction)])
    }

    @Test func `a cursor that was rewound during a page keeps its place`() {
        var script = Script.connected()
        let id = Self.asked(&script)
        script.machine.state.rewindings[Self.log, default: Rewindings()].done += 1
        let effects = script.answer(id, Self.page([Script.message(7)], next: "t2"))
        #expect(effects.mutations == [.edited(Script.message(7))])
        #expect(script.commit(id) == [.read(id, .cursor(Self.log))])
    }

    @Test func `rewindings are forgotten with the channel, but for one that is under way`() {
        var script = Script.connected()
        script.machine.state.rewindings[Self.log, default: Rewindings()].done = 1
        script.change { $0.noteDeparture(from: Script.channel) }
        #expect(script.machine.state.rewindings[Self.log] == nil)
        script.machine.state.rewindings[Self.log, default: Rewindings()].underWay = 1
        script.change { $0.noteDeparture(from: Script.channel) }
        #expect(script.machine.state.rewindings[Self.log]?.underWay == 1)
    }

    @Test func `a page of the channels' log that comes while the cache is cleared is stored`() {
        var script = Script.connected()
        let (reading, _) = script.start(.changeLog(ChangeLogReading(.channelChanges)))
        _ = script.read(reading, .cursor(.token("t1")))
        let (clearing, _) = script.start(.cacheClearing(CacheClearing(.all)))
        let progress = TrimProgress(isDone: true, evicted: [], sizeBefore: 0, size: 0)
        script.give(.reply(clearing, .kept(.success(.trim(progress, nil)))))
        let changes = ChannelChanges(
            updated: [Script.channel("a")], deleted: [], hasMore: false, next: "t2")
        // The commit of the clearing is not done, and this one follows it.
        script.give(.reply(reading, .answer(.success(.channelChanges(changes)))))
        let effects = script.commit(clearing)
        #expect(
            effects.contains(
                .commit(reading, [.channels([Script.channel("a")])], .changeLog, unless: nil)))
    }

    @Test func `the client's request limit delays a reading`() {
        var script = Script.connected()
        while script.machine.state.spendRequest() == nil {}
        let (id, _) = script.start(.changeLog(ChangeLogReading(Self.log)))
        let effects = script.read(id, .cursor(.token("t1")))
        guard case .pause(id, let wait, .pacing)? = effects.first else {
            Issue.record("no pause: \(effects)")
            return
        }
        #expect(wait > .zero)
        #expect(script.pass(id) == [.ask(id, Self.question(.token("t1")), .connection)])
    }
}
