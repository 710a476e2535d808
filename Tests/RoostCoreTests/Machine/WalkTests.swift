// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

/// Operations in a machine whose effects are carried out by a model, in a random order and with
/// random failures.
struct WalkTests {
    private typealias Script = MachineScript

    private static let newest = TimelineID(1)
    private static let filtered = TimelineID(2)
    private static let past = TimelineID(3)
    private static let list = ListID(1)
    private static let url = Script.channel

    /// One walk: a machine, the model of cache and server, and the effects that wait.
    private struct Walk {
        var script = Script()
        var cache = ScriptedCache(messages: 1...40)
        var waiting: [Script.Effect] = []
        var finished: [Script.ID: Outcome] = [:]
        var random: SeededRandom
        /// The parts of a hundred answers that are failures.
        var failures: Int
        /// The parts of a hundred answers that fit no question.
        var misfits = 0
        private(set) var recording = Recording()
        private var lastMessage: Int64 = 1_000
        private var lastID = 500_000

        init(_ seed: UInt64, failures: Int) {
            random = SeededRandom(seed, 2, 3, 4)
            self.failures = failures
        }

        mutating func chance(_ percent: Int) -> Bool {
            Int.random(in: 0..<100, using: &random) < percent
        }

        mutating func take(_ effects: [Script.Effect]) {
            for effect in effects {
                switch effect {
                case .finish(let id, let outcome): finished[id] = outcome
                case .notice(.openSocket(let epoch, _, _)):
                    give(.link(.opened(epoch)))
                    var login = LoginSuccess(user: User(id: "me"), sessionKey: "key \(epoch)")
                    login.loginAt = Script.loginAt
                    frame(.login(.success(login)))
                case .endPause(let id):
                    waiting.removeAll { if case .pause(id, _, _) = $0 { true } else { false } }
                case .endLimit(let id):
                    waiting.removeAll { if case .limit(id, _) = $0 { true } else { false } }
                case .notice(.send): waiting.append(effect)
                case .notice: break
                default: waiting.append(effect)
                }
            }
        }

        mutating func give(_ input: SyncMachine.Input) {
            let before = recording.needsMachine ? script.machine : nil
            let effects = script.give(input)
            recording.note(input, at: script.now, effects, of: before)
            take(effects)
        }

        private mutating func nextID() -> Script.ID {
            lastID += 1
            return Script.ID(lastID)
        }

        mutating func start(_ operation: Operation) -> Script.ID {
            let id = nextID()
            give(.start(id, operation))
            return id
        }

        mutating func frame(_ event: ServerEvent) {
            give(.frame(nextID(), event, script.machine.state.link.machine.epoch))
        }

        mutating func lose() {
            guard script.machine.state.session != nil else { return }
            give(.link(.lost(script.machine.state.link.machine.epoch, .closed)))
        }

        /// A message of the server, which the device learns of by an event.
        mutating func hear() {
            lastMessage += Int64.random(in: 1...3, using: &random)
            let message = ScriptedCache.message(lastMessage)
            var event = MessageEvent(message: message)
            if chance(80) { event.previousMessageID = cache.serverMessages.last?.messageID }
            cache.serverMessages.append(message)
            frame(.message(event))
        }

        /// An event about a message that the server already has.
        mutating func change() {
            guard var message = cache.serverMessages.randomElement(using: &random),
                let id = message.messageID
            else { return }
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                message.updatedAt = Timestamp(milliseconds: lastMessage)
                frame(.edited(EditEvent(message: message)))
            case 1:
                cache.serverMessages.removeAll { $0.messageID == id }
                frame(.deleted(DeletionEvent(channelURL: url, messageID: id)))
            default:
                frame(
                    .reaction(
                        ReactionEvent(
                            channelURL: url, messageID: id,
                            change: ReactionChange(
                                key: "smile", userID: "other", isAdded: true,
                                updatedAt: Timestamp(milliseconds: lastMessage)))))
            }
        }

        /// A mute of the user, or its end.
        mutating func mute() {
            let user = RestrictedUser(user: User(id: "me"))
            frame(
                .channel(
                    ChannelEvent(
                        chance(50) ? .muted : .unmuted, channelURL: url,
                        timestamp: Script.loginAt, content: .restricted(user, .init()))))
        }

        /// Carries out one waiting effect, any of them; the long waits end only if no other effect
        /// waits, or by chance.
        mutating func step() {
            let isPatient = !chance(failures / 2)
            let open = waiting.indices.filter {
                switch waiting[$0] {
                case .pause(_, _, .retry), .limit: !isPatient
                default: true
                }
            }
            guard
                let place = (open.isEmpty ? Array(waiting.indices) : open)
                    .randomElement(using: &random)
            else { return }
            perform(waiting.remove(at: place))
        }

        private static let refusals = [
            Script.error(.requestFailed), Script.error(.networkError),
            Script.error(.invalidValue, .correctInput), Script.error(.notAMember, .correctInput),
        ]

        private mutating func perform(_ effect: Script.Effect) {
            let fails = chance(failures)
            let disk = RoostError(
                .localDatabaseError, remedy: .repairStorage, message: "",
                cause: .disk(mayPass: true))
            switch effect {
            case .read(let id, _) where chance(misfits):
                give(.reply(id, chance(50) ? .sent(nil) : .read(.success(.count(1)))))
            case .ask(let id, _, _) where chance(misfits):
                give(.reply(id, chance(50) ? .sent(nil) : .answer(.success(.done))))
            case .read(let id, let question):
                give(.reply(id, .read(fails ? .failure(disk) : .success(cache.answer(question)))))
            case .ask(let id, let question, _):
                let error = Self.refusals[Int.random(in: 0..<4, using: &random)]
                let answer: Answered<ServerAnswer> =
                    fails ? .failure(error) : .success(cache.answer(question))
                give(.reply(id, .answer(answer)))
            case .commit(let id, let mutations, _, _):
                give(
                    .reply(
                        id,
                        .committed(
                            fails ? .failure(disk) : .success(cache.commit(mutations)))))
            case .keep(let id, let task): give(.reply(id, keep(task, fails ? disk : nil)))
            case .pause(let id, _, _): give(.reply(id, .paused))
            case .limit(let id, _): give(.overdue(id))
            case .send(let id, let command): send(command, id, fails ? disk : nil)
            case .outbox(let id, let question):
                let answer: OutboxAnswer =
                    switch question {
                    case .takeTurn: .turn(nil)
                    case .news: .news(nil)
                    case .absent: .absent([])
                    case .dropped: .dropped([])
                    case .write, .mend, .copyFiles, .tidyFiles: .done
                    }
                give(.reply(id, .outbox(fails ? .failure(disk) : .success(answer))))
            case .mend(let id):
                let check = chance(50) ? CacheCheck.intact : .repaired(reports: ["a page was lost"])
                give(.reply(id, .mended(fails ? .failure(disk) : .success(check))))
            case .notice(.send): give(.frameSent)
            case .notice, .finish, .endPause, .endLimit: break
            }
        }

        private mutating func keep(_ task: CacheTask, _ error: RoostError?) -> Reply {
            if let error { return .kept(.failure(error)) }
            let progress = TrimProgress(
                isDone: chance(50),
                evicted: [
                    CachedChannel(url: "d", cachedMessageCount: 2, size: ByteCount(bytes: 9))
                ],
                sizeBefore: 100, size: 50)
            switch task {
            case .checkLimit: return .kept(.success(.limit(isReached: chance(50))))
            case .beginTrim, .advanceTrim:
                return .kept(.success(.trim(progress, cache.commit([]))))
            case .erase(let url):
                return .kept(
                    .success(
                        .erased(isComplete: true, cache.commit([.clearMessages(url)]))))
            }
        }

        private mutating func send(
            _ command: ClientCommand, _ id: Script.ID, _ error: RoostError?
        ) {
            give(.reply(id, .sent(error)))
            guard error == nil, let requestID = command.requestID else { return }
            if chance(failures) {
                frame(.error(ServerError(.notAuthorized, "no"), acknowledges: requestID))
            } else {
                var event = ReadEvent(
                    channelURL: url, user: User(id: "me"), timestamp: Script.loginAt)
                event.acknowledges = requestID
                frame(.read(event))
            }
        }

        /// Runs without failures until nothing waits; false if that takes too long.
        mutating func settle() -> Bool {
            (failures, misfits) = (0, 0)
            if script.machine.state.session == nil { _ = start(.connecting(Connecting())) }
            for _ in 1...5_000 {
                if waiting.isEmpty { return true }
                step()
            }
            return false
        }
    }

    /// A walk with three timelines and a list on the screen.
    private static func begin(_ seed: UInt64, failures: Int) -> Walk {
        var walk = Walk(seed, failures: failures)
        _ = walk.start(.connecting(Connecting()))
        if walk.chance(80) { for _ in 1...20 { walk.step() } }
        let timelines: [(TimelineID, Timestamp, MessageFilter)] = [
            (newest, .distantFuture, .everything),
            (filtered, .distantFuture, MessageFilter(kind: .user)),
            (past, Timestamp(milliseconds: 20), .everything),
        ]
        for (id, start, filter) in timelines {
            walk.give(
                .openTimeline(
                    OpenTimeline(
                        id, channel: url, startingAt: start, filter: filter, capacity: 100,
                        pageSize: 5)))
            _ = walk.start(.timelineOpening(TimelineOpening(id)))
        }
        walk.give(.openList(OpenList(list, ChannelListQuery(pageSize: 1), viewer: "me")))
        _ = walk.start(.listOpening(ListOpening(list)))
        if walk.chance(50) { _ = walk.start(.listRead(ListRead(list, from: nil))) }
        return walk
    }

    private static let operations: [Operation] = [
        .timelinePaging(TimelinePaging(newest, .older)),
        .timelinePaging(TimelinePaging(filtered, .older)),
        .timelinePaging(TimelinePaging(past, .newer)),
        .timelinePaging(TimelinePaging(filtered, .newer)),
        .timelinePaging(TimelinePaging(TimelineID(9), .newer)),
        .timelineJump(TimelineJump(newest, to: Timestamp(milliseconds: 10))),
        .timelineJump(TimelineJump(past, to: .distantFuture)),
        .timelineArrival(TimelineArrival(newest)),
        .timelineArrival(TimelineArrival(TimelineID(9))),
        .listPaging(ListPaging(list)), .listPaging(ListPaging(ListID(9))),
        .list(ListSynchronization(list)),
        .changeLog(ChangeLogReading(.channelChanges)),
        .changeLog(ChangeLogReading(.messageChanges(url))),
        .gap(
            GapFill(
                url, above: CoveredRange(lower: .distantPast, upper: Script.position(5)),
                hasKnowledgeAbove: true)),
        .fill(ListFill()),
        .awaitLookUp(LookUpWait(url, asksAnew: true)),
        .comparison(Comparison(url)),
        .downloadPage(DownloadPage(url, since: .distantPast, knowingEndSince: nil)),
        .downloadPage(DownloadPage(url, since: Timestamp(milliseconds: 20), knowingEndSince: 1)),
        .cacheTrimming(CacheTrimming(downTo: 5)), .budgetKeeping(BudgetKeeping()),
        .cacheClearing(CacheClearing(.all)), .cacheClearing(CacheClearing(.channel(url))),
        .cacheClearing(CacheClearing(.erasure(url))),
        .markAsRead(MarkAsReadCall(url)), .markAsUnread(MarkAsUnread(url, from: 5)),
        .muteCheck(MuteCheck(url, onlyIfKnown: false)),
        .vote(Vote(for: [1], in: 2, of: url)),
        .inboxReaderOpening(InboxReaderOpening(InboxID(9), of: "none")),
        .inboxTaking(InboxTaking(InboxID(9))), .inboxRemoval(InboxRemoval(of: "none")),
        .channelSearch(ChannelSearch(url)),
        .channelCreation(ChannelCreation(CreateChannel(userIDs: ["me"]))),
        .channelAct(
            ChannelAct(.request(.freeze(url, true)), .news(.frozen(true), url))),
        .channelAct(
            ChannelAct(
                .moment(.hide(url, hidesPrevious: true, allowsAutoUnhide: false)),
                .hidden(.untilShown, hidesPrevious: true, url))),
        .channelAct(
            ChannelAct(
                .request(.deleteMetadata(url, key: nil)), .metadataDeleted(nil, url))),
        .inTime(
            InTime(
                .channelAct(ChannelAct(.join(JoinChannel(channelURL: url)), .answered)))),
        .listArrival(ListArrival(list)), .listArrival(ListArrival(ListID(9))),
    ]

    @Test(arguments: operations.indices)
    func `an operation ends whatever fails, and leaves nothing open`(_ index: Int) {
        for seed in 1...5 as ClosedRange<UInt64> {
            var walk = Self.begin(seed, failures: [0, 10, 30, 60][Int(seed % 4)])
            for _ in 0..<Int.random(in: 0..<80, using: &walk.random) { walk.step() }
            let id = walk.start(Self.operations[index])
            for _ in 1...120 {
                switch Int.random(in: 0..<40, using: &walk.random) {
                case 0...2: walk.hear()
                case 3: walk.change()
                case 4 where walk.chance(30): walk.lose()
                case 5 where walk.chance(20): walk.give(.missedCommits)
                case 6 where walk.chance(20): walk.give(.forgotten(messages: 1, in: Self.url))
                case 7 where walk.chance(20): walk.give(.suspected)
                case 8 where walk.chance(20): walk.mute()
                default: walk.step()
                }
            }
            let isSettled = walk.settle()
            #expect(isSettled, "seed \(seed): \(walk.waiting)")
            #expect(walk.finished[id] != nil, "seed \(seed)")
            let state = walk.script.machine.state
            #expect(!walk.script.machine.isBusy, "seed \(seed)")
            #expect(state.ledgers.isEmpty && state.catchUps.isEmpty && state.lookUps.isEmpty)
            for timeline in [Self.newest, Self.filtered, Self.past] {
                #expect(state.timelines[timeline]?.isPaging != true, "seed \(seed)")
            }
            #expect(state.lists[Self.list]?.isPaging != true, "seed \(seed)")
        }
    }

    /// Only a journal that was edited by hand contains such an answer.
    @Test(arguments: operations.indices)
    func `an answer that fits no question ends its operation`(_ index: Int) {
        for seed in 1...3 as ClosedRange<UInt64> {
            var walk = Self.begin(seed, failures: 0)
            let isOpen = walk.settle()
            #expect(isOpen, "seed \(seed)")
            walk.misfits = [15, 60][Int(seed % 2)]
            let id = walk.start(Self.operations[index])
            for _ in 1...60 { walk.step() }
            let isSettled = walk.settle()
            #expect(isSettled && walk.finished[id] != nil, "seed \(seed)")
            for timeline in [Self.newest, Self.filtered, Self.past] {
                #expect(walk.script.machine.state.timelines[timeline]?.isPaging != true)
            }
            #expect(walk.script.machine.state.lists[Self.list]?.isPaging != true)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `after failures and lost connections a timeline shows what the server has`(
        _ seed: UInt64
    ) {
        var walk = Self.begin(seed, failures: 0)
        let isOpen = walk.settle()
        walk.failures = 30
        for _ in 1...300 {
            switch Int.random(in: 0..<30, using: &walk.random) {
            case 0...1: walk.hear()
            case 2 where walk.chance(30): walk.lose()
            default: walk.step()
            }
        }
        let isQuiet = walk.settle()
        // A new connection reads whatever failed for good.
        walk.lose()
        let isSettled = walk.settle()
        #expect(isOpen && isQuiet && isSettled)
        #expect(walk.recording.firstDifference() == nil)
        let shown = walk.script.machine.state.timelines[Self.newest]?.list.messages ?? []
        #expect(!shown.isEmpty)
        #expect(
            shown.map(\.messageID)
                == walk.cache.serverMessages.suffix(shown.count).map(\.messageID))
    }
}
