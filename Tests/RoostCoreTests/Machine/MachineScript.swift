// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

/// A machine driven by hand: a test gives each input and checks the effects.
struct MachineScript {
    typealias Effect = SyncMachine.Effect
    typealias ID = SyncMachine.OperationID

    static let channel: ChannelURL = "c"
    static let loginAt = Timestamp(milliseconds: 1_000_000)

    var machine = SyncMachine(SyncState(me: "me", random: SeededRandom(1, 2, 3, 4)))
    /// The device's clock.
    var now = Timestamp(milliseconds: 5_000_000)
    private var lastNumber = 0

    /// Returns a connected client.
    static func connected(
        _ change: (inout LoginSuccess) -> Void = { _ in }
    ) -> MachineScript {
        var script = MachineScript()
        script.login(change)
        return script
    }

    /// Ends the present connection, if there is one, and makes another.
    ///
    /// - Returns: The effects of the login. Its own commit succeeds, and the reading of the list of
    ///   channels fails for good, so that it has ended.
    @discardableResult
    mutating func login(_ change: (inout LoginSuccess) -> Void = { _ in }) -> [Effect] {
        lose()
        _ = start(.connecting(Connecting()))
        let epoch = machine.state.link.machine.epoch
        give(.link(.opened(epoch)))
        var login = LoginSuccess(user: User(id: "me"), sessionKey: "key \(epoch)")
        login.loginAt = Self.loginAt
        change(&login)
        var effects = frame(.login(.success(login)))
        for effect in effects {
            switch effect {
            case .commit(let id, let mutations, _, _) where mutations.count == 1:
                // The first login checks the size of the cache.
                for case .keep(let look, .checkLimit) in commit(id) {
                    give(.reply(look, .kept(.success(.limit(isReached: false)))))
                }
            case .read(let id, .cursor(.channelChanges)):
                give(.reply(id, .read(.failure(Self.error(.localDatabaseError, .none)))))
            case .outbox(let id, .takeTurn): effects += takeTurn(1, id)
            case .notice(.fillIndex): give(.indexFilled)
            default: break
            }
        }
        return effects
    }

    /// Answers the request for the turn to send; no other process has written.
    @discardableResult
    mutating func takeTurn(_ turn: Int?, _ id: ID) -> [Effect] {
        var effects = give(.reply(id, .outbox(.success(.turn(turn)))))
        for case .outbox(let read, .news) in effects {
            effects += give(.reply(read, .outbox(.success(.news(nil)))))
        }
        return effects
    }

    /// Performs a commit, from its decision to its delivery.
    mutating func store(_ commit: Commit, _ origin: ChangeOrigin) {
        let (id, effects) = start(.storing(Storing([], from: origin)))
        #expect(effects == [.commit(id, [], origin, unless: nil)])
        let end = give(.reply(id, .committed(.success(commit))))
        #expect(end.contains(.finish(id, .done)))
    }

    /// Opens the files again.
    @discardableResult
    mutating func resume() -> [Effect] {
        give(.outbox(.resumed(after: machine.state.outbox.suspensions)))
    }

    /// Loses the connection.
    @discardableResult
    mutating func lose() -> [Effect] {
        guard machine.state.session != nil else { return [] }
        return give(.link(.lost(machine.state.link.machine.epoch, .closed)))
    }

    mutating func frame(_ event: ServerEvent) -> [Effect] {
        lastNumber += 1
        return give(.frame(ID(lastNumber), event, machine.state.link.machine.epoch))
    }

    /// Changes the shared state as an operation does, and returns the effects.
    @discardableResult
    mutating func change(_ change: (inout SyncState) -> Void) -> [Effect] {
        change(&machine.state)
        // An input without an effect of its own.
        return give(.closeList(ListID(0)))
    }

    @discardableResult
    mutating func give(_ input: SyncMachine.Input) -> [Effect] {
        machine.receive(input, at: now)
    }

    mutating func start(_ operation: Operation) -> (id: ID, effects: [Effect]) {
        lastNumber += 1
        let id = ID(lastNumber)
        return (id, give(.start(id, operation)))
    }

    mutating func read(_ id: ID, _ answer: StoreAnswer) -> [Effect] {
        give(.reply(id, .read(.success(answer))))
    }

    mutating func answer(_ id: ID, _ answer: ServerAnswer) -> [Effect] {
        give(.reply(id, .answer(.success(answer))))
    }

    mutating func refuse(_ id: ID, _ error: RoostError) -> [Effect] {
        give(.reply(id, .answer(.failure(error))))
    }

    mutating func commit(_ id: ID, _ sequence: Int64 = 1) -> [Effect] {
        give(.reply(id, .committed(.success(Commit(sequence: sequence, changes: [])))))
    }

    mutating func pass(_ id: ID) -> [Effect] { give(.reply(id, .paused)) }

    // MARK: Values

    static func message(_ id: Int64, request: RequestID? = nil, in channel: ChannelURL = channel)
        -> Message
    {
        Message(
            delivery: .delivered(MessageID(id), request), channelURL: channel,
            createdAt: Timestamp(milliseconds: id), content: .user(text: "text \(id)"))
    }

    static func position(_ id: Int64) -> Position {
        Position(createdAt: Timestamp(milliseconds: id), messageID: MessageID(id))
    }

    static func error(_ code: RoostError.Code, _ remedy: RoostError.Remedy = .retry) -> RoostError {
        RoostError(code, remedy: remedy, message: "")
    }

    static func channel(_ url: ChannelURL) -> GroupChannel {
        GroupChannel(url: url, createdAt: Timestamp(milliseconds: 1))
    }
}

extension [SyncMachine.Effect] {
    /// The effects without notices.
    var needs: [SyncMachine.Effect] {
        filter { if case .notice = $0 { false } else { true } }
    }

    var notices: [Notice] {
        compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
    }

    /// The mutations of the only commit among the effects.
    var mutations: [Mutation] {
        flatMap { effect -> [Mutation] in
            if case .commit(_, let mutations, _, _) = effect { mutations } else { [] }
        }
    }
}
