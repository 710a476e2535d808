// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostWire
import Testing

/// Drives a machine by hand: a test gives each input and looks at the effects.
struct MachineScript {
    typealias Effect = SyncMachine.Effect
    typealias ID = SyncMachine.OperationID

    static let channel: ChannelURL = "c"
    static let loginAt = Timestamp(milliseconds: 1_000_000)

    var machine = SyncMachine(SyncState(me: "me", random: SeededRandom(1, 2, 3, 4)))
    /// The device's clock.
    var now = Timestamp(milliseconds: 5_000_000)
    private var lastNumber = 0

    /// A client that is connected.
    static func connected() -> MachineScript {
        var script = MachineScript()
        script.login(1)
        return script
    }

    @discardableResult
    mutating func login(_ epoch: Int) -> [Effect] {
        var login = LoginSuccess(user: User(id: "me"), sessionKey: "key \(epoch)")
        login.loginAt = Self.loginAt
        return give(.connected(login, epoch))
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
    /// The effects apart from notices.
    var needs: [SyncMachine.Effect] {
        filter { if case .notice = $0 { false } else { true } }
    }

    var notices: [Notice] {
        compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
    }

    /// The mutations of the only commit among them.
    var mutations: [Mutation] {
        flatMap { effect -> [Mutation] in
            if case .commit(_, let mutations, _, _) = effect { mutations } else { [] }
        }
    }
}
