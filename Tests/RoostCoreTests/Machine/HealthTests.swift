// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire
import Testing

@testable import RoostCore

/// The health as a function of the machine's state.
struct HealthTests {
    private typealias Script = MachineScript

    private static let diskFull = RoostError(
        .localDatabaseError, remedy: .repairStorage, message: "The disk is full.",
        cause: .disk(mayPass: true))

    private static func item(
        _ id: RequestID, _ sequence: Int64, change target: MessageTarget? = nil,
        state: UnsentState = .pending
    ) -> OutboxItem {
        let content: OutboxContent =
            target.map { .change(.delete($0)) }
            ?? .userMessage(UserMessageParams(text: "text \(sequence)"))
        return OutboxItem(
            sequence: sequence, requestID: id, channel: Script.channel,
            createdAt: Timestamp(milliseconds: sequence), content: content, state: state)
    }

    /// Puts items into the outbox of a client, as its opening does.
    private static func place(_ items: [OutboxItem], _ script: inout Script) -> [Script.Effect] {
        script.change { sync in
            for item in items {
                sync.outbox.order.place(item)
                sync.moveOutbox(.queued(OutboxMachine.Item(item)))
            }
        }
    }

    // MARK: The connection

    private static let links: [(LinkMachine.State, Health.Connection.State, attempt: Int)] = [
        (.idle, .disconnected, 0), (.opening(attempt: 1), .connecting, 1),
        (.authenticating(attempt: 3), .connecting, 3),
        (
            .awaitingToken(attempt: 2, .init(code: .tokenInvalid, message: "")), .awaitingToken, 2
        ),
        (.online(awaitsPong: true), .connected, 0), (.backingOff(attempt: 4), .waiting, 4),
        (.awaitingNetwork(attempt: 5), .awaitingNetwork, 5), (.asleep, .asleep, 0),
        (.refused(.init(code: .userNotFound, message: "gone")), .refused, 0),
    ]

    @Test(arguments: links)
    func `each state of the link is one of the connection`(
        link: LinkMachine.State, state: Health.Connection.State, attempt: Int
    ) {
        var script = Script()
        script.machine.state.link.machine.state = link
        let connection = script.machine.state.health.connection
        #expect(connection.state == state && connection.attempt == attempt)
        #expect((connection.failure != nil) == [.awaitingToken, .refused].contains(state))
        #expect(connection.nextAttempt == nil && connection.since == nil)
    }

    @Test func `the table has every state of a connection`() {
        #expect(Set(Self.links.map(\.1)) == Set(Health.Connection.State.allCases))
    }

    @Test func `a lost connection names the moment of its timer, and a new one its beginning`() {
        var script = Script.connected()
        #expect(script.machine.state.health.connection.since == script.now)
        script.now = script.now + .seconds(60)
        var wait: Duration?
        for case .notice(.arm(.link(.retry), let duration)) in script.lose() { wait = duration }
        let lost = script.machine.state.health.connection
        #expect(lost.state == .waiting && lost.failure?.code == .socketClosed)
        #expect(wait.map { lost.nextAttempt == script.now + $0 } == true)
        #expect(lost.since == script.now)

        let lostAt = script.now
        script.now = script.now + .seconds(2)
        script.give(.fired(.link(.retry)))
        let again = script.machine.state.health.connection
        #expect(again.state == .connecting && again.nextAttempt == nil && again.since == lostAt)
        let epoch = script.machine.state.link.machine.epoch
        script.give(.link(.lost(epoch, .unreachable("no route"))))
        #expect(script.machine.state.health.connection.since == lostAt, "it was lost once")
    }

    @Test func `a busy server's pause is the moment of the next attempt`() {
        var script = Script.connected()
        let epoch = script.machine.state.link.machine.epoch
        script.give(.link(.busy(epoch, retryAfter: .seconds(30))))
        let next = script.machine.state.health.connection.nextAttempt
        #expect(next.map { $0 >= script.now + .seconds(30) } == true)
        script.give(.disconnect(isLogout: false))
        var connection = Health.Connection()
        connection.since = script.now
        #expect(script.machine.state.health.connection == connection)
    }

    // MARK: The outbox

    @Test func `an unsent message waits for a connection, for its turn, for the answer`() {
        var script = Script()
        _ = Self.place([Self.item("a", 1), Self.item("b", 2)], &script)
        var outbox: Health.Outbox { script.machine.state.health.outbox }
        #expect(outbox.pending == 2 && outbox.failed == 0)
        #expect(
            outbox.oldest
                == Health.Unsent(
                    id: "a", channel: Script.channel, isChange: false,
                    createdAt: Timestamp(milliseconds: 1), wait: .connection))

        script.login()
        #expect(outbox.oldest?.wait == .answer)
        script.change { $0.outbox.turn = nil }
        #expect(outbox.oldest?.wait == .turn)
        script.change { $0.outbox.turn = 1 }
        let second = script.machine.state.outbox.order["b"]
        #expect(second.flatMap { script.machine.state.wait(of: $0) } == .earlier("a"))

        script.give(.outbox(.suspended))
        #expect(outbox.oldest?.wait == .suspension && script.machine.state.health.isSuspended)
        // A resumption that the suspension has overtaken.
        script.give(.outbox(.resumed(after: 0)))
        #expect(script.machine.state.health.isSuspended)
        script.resume()
        #expect(!script.machine.state.health.isSuspended)
    }

    @Test(arguments: [
        (RoostError.Code.rateLimited, true), (.tooManyMessages, true), (.socketFailed, false),
    ])
    func `a message that failed for now names the moment of its next attempt`(
        code: RoostError.Code, isLimit: Bool
    ) throws {
        var script = Script.connected()
        _ = Self.place([Self.item("a", 1)], &script)
        let effects = script.change { $0.failAttempt("a", Script.error(code), .socket) }
        var rest: Duration?
        for case .notice(.arm(.outboxRest, let duration)) in effects { rest = duration }
        let moment = script.now + (try #require(rest))
        #expect(
            script.machine.state.health.outbox.oldest?.wait
                == (isLimit ? .rateLimit(until: moment) : .retry(at: moment)))
        let lane = OutboxMachine.Lane(Script.channel)
        script.give(.fired(.outboxRest(lane)))
        #expect(script.machine.state.health.outbox.oldest?.wait == .answer)
    }

    @Test func `a message waits for the catch-up of its channel, and a change for its message`() {
        var script = Script.connected()
        script.change { $0.moveOutbox(.hold(Script.channel)) }
        _ = Self.place([Self.item("a", 1), Self.item("c", 2, change: .unsent("a"))], &script)
        #expect(script.machine.state.health.outbox.oldest?.wait == .catchUp)
        let change = Self.item("c", 2, change: .unsent("a"))
        #expect(script.machine.state.wait(of: change) == .earlier("a"))
        _ = Self.place([Self.item("d", 3, change: .unsent("gone"))], &script)
        let late = script.machine.state.outbox.order["d"]
        #expect(late.flatMap { script.machine.state.wait(of: $0) } == .arrival("gone"))
        script.change { $0.dropChange("d", .nothingToChange) }
        script.change { sync in
            sync.moveOutbox(.release(Script.channel))
            sync.failAttempt("a", Script.error(.channelFrozen, .none), .socket)
        }
        let outbox = script.machine.state.health.outbox
        #expect(outbox.pending == 1 && outbox.failed == 1)
        #expect(outbox.oldest?.id == "c" && outbox.oldest?.isChange == true)
        #expect(outbox.oldest?.wait == .user)
    }

    @Test func `an upload outlives its connection, and the 33rd channel waits for a place`() {
        var script = Script.connected()
        _ = Self.place([Self.item("a", 1)], &script)
        script.change { $0.outbox.uploads.insert("a") }
        #expect(script.machine.state.health.outbox.oldest?.wait == .upload)
        script.lose()
        #expect(script.machine.state.health.outbox.oldest?.wait == .upload)

        var crowd = Script.connected()
        crowd.change { sync in
            for number in 0...OutboxMachine.concurrency {
                let item = OutboxItem(
                    sequence: Int64(number), requestID: RequestID("r\(number)"),
                    channel: ChannelURL("c\(number)"), createdAt: Timestamp(milliseconds: 0),
                    content: .userMessage(UserMessageParams(text: "text")))
                sync.outbox.order.place(item)
                sync.moveOutbox(.queued(OutboxMachine.Item(item)))
            }
        }
        let last = crowd.machine.state.outbox.items.last
        #expect(last.flatMap { crowd.machine.state.wait(of: $0) } == .place)
    }

    @Test func `the oldest pending item is found among failed ones, whatever the order of calls`() {
        var random = SeededRandom(1, 2, 3, 5)
        var order = OutboxOrder()
        for step in 0..<2_000 {
            let id = RequestID("r\(random.next() % 40)")
            let isPending = random.next() % 2 == 0
            switch random.next() % 3 {
            case 0 where !order.contains(id):
                // Some numbers occur twice, as after damage.
                order.place(
                    Self.item(
                        id, Int64(random.next() % 60),
                        state: isPending ? .pending : .failed(.pendingError)))
            case 1: order.takeOut(id)
            default:
                order.change(id) { $0.state = isPending ? .pending : .failed(.pendingError) }
            }
            let pending = order.items.filter { $0.state == .pending }
            #expect(order.pendingCount == pending.count, "step \(step)")
            #expect(order.oldestPending == pending.first, "step \(step)")
        }
    }

    @Test func `a draft is neither pending nor failed, and its removal changes neither number`() {
        var order = OutboxOrder()
        order.place(Self.item("failed", 1, state: .failed(.pendingError)))
        order.place(
            OutboxItem(
                sequence: 2, requestID: "draft", channel: Script.channel,
                createdAt: .distantPast, content: .draft(DraftContent("text"))))
        #expect(order.failedCount == 1 && order.pendingCount == 0)
        order.takeOut("draft")
        #expect(order.failedCount == 1 && order.pendingCount == 0)
    }

    // MARK: Catching up

    @Test func `a catch-up is counted while it runs, while it waits, and at its end`() throws {
        var script = Script.connected()
        var catchUp: Health.CatchUp { script.machine.state.health.catchUp }
        let effects = script.change { $0.catchUp(Script.channel, .anyway) }
        #expect(catchUp.running == 1 && catchUp.waiting == 0 && catchUp.nextAttempt == nil)
        let reads = effects.compactMap { if case .read(let id, _) = $0 { id } else { nil } }
        let id = try #require(reads.first)
        let refused = script.give(.reply(id, .read(.failure(Self.diskFull))))
        var pause: Duration?
        for case .pause(_, let duration, .retry) in refused { pause = duration }
        let moment = script.now + (try #require(pause))
        #expect(catchUp.running == 0 && catchUp.waiting == 1 && catchUp.nextAttempt == moment)
        script.give(.reply(id, .paused))
        #expect(catchUp.running == 1 && catchUp.waiting == 0 && catchUp.nextAttempt == nil)
        _ = script.read(id, .cursor(nil))
        #expect(catchUp.running == 0 && catchUp.finished == 1)
        script.lose()
        #expect(catchUp.finished == 0 && catchUp.channelList == .offline)
    }

    @Test func `the earliest of several waits is the next attempt`() {
        var resting = RestingCatchUps()
        let moments = [30, 10, 20, 10].map { Timestamp(milliseconds: $0) }
        for (index, moment) in moments.enumerated() {
            resting.begin(ChannelURL("c\(index)"), until: moment)
        }
        #expect(resting.earliest == moments[1] && resting.count == 4)
        resting.end("c1")
        #expect(resting.earliest == moments[3])
        resting.end("c3")
        resting.end("c3")
        #expect(resting.earliest == moments[2])
        resting.end("c2")
        resting.end("c0")
        #expect(resting.earliest == nil && resting.count == 0)
    }

    @Test func `the list of channels is read, fetched, and current at its end`() throws {
        var script = Script()
        var list: Health.CatchUp.ChannelList { script.machine.state.health.catchUp.channelList }
        #expect(list == .offline)
        script.login()
        #expect(list == .behind, "its reading has failed for good")
        var effects = script.change { $0.catchUpChannels() }
        #expect(list == .reading)
        let log = try Self.question(effects)
        effects = script.give(.reply(log, .read(.failure(Self.diskFull))))
        #expect(list == .waiting && script.machine.state.health.catchUp.nextAttempt != nil)
        effects = script.give(.reply(log, .paused))
        #expect(list == .reading)
        effects = script.read(log, .cursor(.token("t")))
        effects = script.answer(
            log,
            .channelChanges(ChannelChanges(updated: [], deleted: [], hasMore: false, next: "t")))
        while let step = effects.firstCommit { effects = script.commit(step) }
        #expect(list == .fetching)
        effects = script.read(try Self.question(effects), .cursor(.listEnd))
        #expect(list == .current)
        #expect(script.machine.state.health.isSettled)
    }

    private static func question(_ effects: [Script.Effect]) throws -> Script.ID {
        let ids = effects.compactMap { effect in
            if case .read(let id, .cursor) = effect { id } else { nil }
        }
        return try #require(ids.first, "\(effects)")
    }

    // MARK: The cache

    @Test func `a refused commit is the state of the disk until the next one`() {
        var script = Script.connected()
        let (id, _) = script.start(.storing(Storing([], from: .local)))
        script.give(.reply(id, .committed(.failure(Self.diskFull))))
        #expect(script.machine.state.health.cache.refusal == Self.diskFull)
        #expect(!script.machine.state.health.isSettled)
        let (next, _) = script.start(.storing(Storing([], from: .local)))
        _ = script.commit(next)
        #expect(script.machine.state.health.cache.refusal == nil)
    }

    @Test func `after a refusal the disk is tried, so that a full disk is not reported for ever`()
        throws
    {
        var script = Script.connected()
        let (id, _) = script.start(.storing(Storing([], from: .local)))
        let refused = script.give(.reply(id, .committed(.failure(Self.diskFull))))
        let trial = try #require(Self.trial(among: refused))
        #expect(script.give(.reply(trial, .paused)).mutations.isEmpty)
        let again = script.give(.reply(trial, .committed(.failure(Self.diskFull))))
        #expect(Self.trial(among: again) == trial)
        #expect(script.machine.state.health.cache.refusal == Self.diskFull)
        script.give(.reply(trial, .paused))
        _ = script.commit(trial)
        #expect(script.machine.state.health.cache.refusal == nil)
        let (next, _) = script.start(.storing(Storing([], from: .local)))
        let later = script.give(.reply(next, .committed(.failure(Self.diskFull))))
        #expect(Self.trial(among: later) != nil)
    }

    private static func trial(among effects: [Script.Effect]) -> Script.ID? {
        for case .pause(let id, .seconds(5), _) in effects { return id }
        return nil
    }

    @Test func `a call for the health waits for the figures that are being read`() throws {
        var script = Script.connected()
        let reading = try #require(script.give(.healthReading(isBeginning: true)).figures.first)
        let call = script.start(.figures(FiguresReading()))
        #expect(call.effects.figures.isEmpty && call.effects.finished.isEmpty)
        let figures = CacheFigures(bytes: 4_096, channelsWithHoles: 0)
        #expect(script.read(reading, .figures(figures)).finished.contains(call.id))
        #expect(script.machine.state.health.cache.size == ByteCount(bytes: 4_096))
    }

    @Test func `the figures are read for a reader only, and after commits once in five seconds`()
        throws
    {
        var script = Script.connected()
        let (unread, _) = script.start(.storing(Storing([], from: .local)))
        #expect(script.commit(unread).figures.isEmpty)
        let first = script.give(.healthReading(isBeginning: true)).figures
        #expect(first.count == 1)
        let id = try #require(first.first)
        let effects = script.read(
            id, .figures(CacheFigures(bytes: 4_096, channelsWithHoles: 2)))
        #expect(effects.contains(.notice(.arm(.figures, .seconds(5)))))
        let cache = script.machine.state.health.cache
        #expect(cache.size == ByteCount(bytes: 4_096) && cache.channelsWithHoles == 2)

        for _ in 0..<3 {
            let (commit, effects) = script.start(.storing(Storing([], from: .local)))
            #expect((effects + script.commit(commit)).figures.isEmpty)
        }
        #expect(script.give(.fired(.figures)).figures.count == 1)
        script.give(.healthReading(isBeginning: false))
        #expect(script.give(.fired(.figures)).figures.isEmpty)
        let (commit, _) = script.start(.storing(Storing([], from: .local)))
        #expect(script.commit(commit).figures.isEmpty)
    }

    @Test func `damage is counted, and a repair is shown while it lasts`() throws {
        var script = Script.connected()
        script.give(.repairedFiles(count: 2))
        script.give(.forgotten(messages: 3, in: Script.channel))
        let effects = script.give(.suspected)
        #expect(script.machine.state.health.damage.isBeingRepaired)
        let checks = effects.compactMap { if case .mend(let id) = $0 { id } else { nil } }
        script.give(
            .reply(try #require(checks.first), .mended(.success(.repaired(reports: ["one"])))))
        let damage = script.machine.state.health.damage
        #expect(!damage.isBeingRepaired && damage.repairs == 3 && damage.lostMessages == 3)
    }
}

extension [SyncMachine.Effect] {
    fileprivate var figures: [SyncMachine.OperationID] {
        compactMap { if case .read(let id, .figures) = $0 { id } else { nil } }
    }

    fileprivate var firstCommit: SyncMachine.OperationID? {
        for case .commit(let id, _, _, _) in self { return id }
        return nil
    }
}
