// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

/// A machine whose effects are carried out at once, in order, by the model of cache and server.
///
/// A test replaces single answers, or holds effects back and carries them out later.
struct CacheScene {
    typealias Script = MachineScript

    var script: Script
    var cache: ScriptedCache
    /// The outcomes of the operations that have ended.
    private(set) var finished: [Script.ID: Outcome] = [:]
    private(set) var notices: [Notice] = []
    /// All questions to the server, in order.
    private(set) var questions: [ServerQuestion] = []
    private(set) var mutations: [Mutation] = []
    /// Answers in place of the model's.
    var answers: (ServerQuestion) -> Answered<ServerAnswer>? = { _ in nil }
    /// The effects to hold back.
    var holds: (Script.Effect) -> Bool = { _ in false }
    private(set) var held: [Script.Effect] = []

    init(messages ids: ClosedRange<Int64> = 1...40) {
        cache = ScriptedCache(messages: ids)
        script = Script()
    }

    /// A scene with a connection; all that follows from the login is done.
    static func connected(messages ids: ClosedRange<Int64> = 1...40) -> CacheScene {
        var scene = CacheScene(messages: ids)
        scene.connect()
        return scene
    }

    mutating func connect() {
        if script.machine.state.session != nil { lose() }
        start(.connecting(Connecting()))
        let epoch = script.machine.state.link.machine.epoch
        give(.link(.opened(epoch)))
        var login = LoginSuccess(user: User(id: "me"), sessionKey: "key \(epoch)")
        login.loginAt = Script.loginAt
        run(script.frame(.login(.success(login))))
    }

    mutating func lose() { run(script.lose()) }

    mutating func give(_ input: SyncMachine.Input) { run(script.give(input)) }

    mutating func frame(_ event: ServerEvent) { run(script.frame(event)) }

    @discardableResult
    mutating func start(_ operation: Operation) -> Script.ID {
        let (id, effects) = script.start(operation)
        run(effects)
        return id
    }

    /// Carries out the effects that were held back, and holds back nothing more.
    mutating func release() {
        holds = { _ in false }
        let effects = held
        held = []
        run(effects)
    }

    /// Carries out those of the held effects; the others stay held.
    mutating func release(only those: (Script.Effect) -> Bool) {
        let effects = held.filter(those)
        held.removeAll(where: those)
        let all = holds
        holds = { _ in false }
        run(effects)
        holds = all
    }

    /// A message of the server that the device does not hear of.
    mutating func append(_ ids: ClosedRange<Int64>) {
        cache.serverMessages += ids.map { ScriptedCache.message($0) }
    }

    /// Carries effects out until none is left.
    mutating func run(_ effects: [Script.Effect]) {
        var left = effects
        var steps = 0
        while !left.isEmpty {
            steps += 1
            guard steps < 10_000 else {
                Issue.record("The effects do not end: \(left[0])")
                return
            }
            let effect = left.removeFirst()
            if holds(effect) {
                held.append(effect)
            } else {
                left += perform(effect)
            }
        }
    }

    private mutating func perform(_ effect: Script.Effect) -> [Script.Effect] {
        switch effect {
        case .read(let id, let question):
            return script.read(id, cache.answer(question))
        case .ask(let id, let question, _):
            questions.append(question)
            let answer = answers(question) ?? .success(cache.answer(question))
            return script.give(.reply(id, .answer(answer)))
        case .commit(let id, let some, _, _):
            mutations += some
            return script.give(.reply(id, .committed(.success(cache.commit(some)))))
        case .pause(let id, _, .pacing): return script.pass(id)
        case .keep(let id, _):
            return script.give(.reply(id, .kept(.success(.limit(isReached: false)))))
        case .outbox(let id, .takeTurn): return script.takeTurn(nil, id)
        case .outbox(let id, _): return script.news(id, nil)
        case .send(let id, _): return script.give(.reply(id, .sent(nil)))
        case .notice(.send): return script.give(.frameSent)
        case .notice(let notice):
            notices.append(notice)
            return []
        case .finish(let id, let outcome):
            finished[id] = outcome
            return []
        case .mend(let id): return script.give(.reply(id, .mended(.success(.intact))))
        case .pause, .endPause, .limit, .endLimit: return []
        }
    }

    // MARK: What there is to see

    var events: [ChatEvent] {
        notices.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    func error(_ id: Script.ID) -> RoostError.Code? {
        if case .failed(let error)? = finished[id] { error.code } else { nil }
    }

    func timeline(_ id: TimelineID = TimelineID(1)) -> OpenTimeline? {
        script.machine.state.timelines[id]
    }

    func shown(in id: TimelineID = TimelineID(1)) -> [Int64] {
        timeline(id)?.list.delivered.compactMap { $0.messageID?.rawValue } ?? []
    }

    /// Opens a timeline and lets the server answer.
    mutating func openTimeline(
        _ id: TimelineID = TimelineID(1), at moment: Timestamp = .distantFuture,
        filter: MessageFilter = .everything, pageSize: Int = 5
    ) {
        give(
            .openTimeline(
                OpenTimeline(
                    id, channel: Script.channel, startingAt: moment, filter: filter,
                    capacity: 1_000, pageSize: pageSize)))
        start(.timelineOpening(TimelineOpening(id)))
    }

    mutating func openList(_ id: ListID = ListID(1), pageSize: Int = 1) {
        give(.openList(OpenList(id, ChannelListQuery(pageSize: pageSize), viewer: "me")))
        start(.listOpening(ListOpening(id)))
    }

    func listed(in id: ListID = ListID(1)) -> [ChannelURL] {
        script.machine.state.lists[id]?.list.channels.map(\.url) ?? []
    }
}
