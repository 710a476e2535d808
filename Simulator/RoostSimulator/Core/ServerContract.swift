// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCore
import RoostModel
import RoostServer
import RoostTestKit
import RoostTransport
import RoostWire
import Synchronization

/// A comparison of the model of the server with the real one: the same random commands and questions
/// of several users must lead to the same answers, and to the same frames on the same sockets.
///
/// The real server takes and gives encoded bytes, so a value that the encoding changes is a difference
/// too. Session keys are drawn, so they are not compared. Uploads are left out: the shell sends their
/// bytes, and the model stores none.
package struct ServerContract {
    /// One socket at both servers.
    struct Connection {
        let number: Int
        let user: UserID
        let session: SessionID
        let inbox: FrameInbox
    }

    enum Step {
        case connect(UserID)
        case disconnect(Int)
        case command(Int, ClientCommand)
        case question(UserID, ServerQuestion)
    }

    static let users: [UserID] = ["u0", "u1", "u2", "u3"]
    static let channels: [ChannelURL] = ["a", "b", "c"]

    let random: SimulatedRandom
    let world: SimulatedWorld
    private var model = ModelServer()
    var connections: [Connection] = []
    private var keys: [UserID: String] = [:]
    private var lastNumber = 0
    /// Places in change logs and lists, from earlier answers.
    var tokens: [String] = []

    private init(seed: UInt64, _ world: SimulatedWorld) {
        random = SimulatedRandom(seed: seed)
        self.world = world
    }

    /// Lets both servers take some steps.
    ///
    /// - Parameters:
    ///   - seed: The seed of all steps.
    ///   - count: The number of steps.
    /// - Returns: The first difference, in one sentence; nil if there is none.
    /// - Throws: `SimulatedExecutor.Endless` if a call of the real server has no end.
    package static func firstDifference(seed: UInt64, steps count: Int) throws -> String? {
        let executor = SimulatedExecutor()
        return try executor.run {
            let spacesTimes = seed % 3 > 0
            let world = await SimulatedWorld(
                seed: seed, on: executor, spacesTimes: spacesTimes)
            let storage = MemoryStorage(on: executor, spacesTimes: spacesTimes)
            return await compare(seed, count, in: world, on: storage)
        }
    }

    /// Takes the steps where the model's storage lives.
    private static func compare(
        _ seed: UInt64, _ count: Int, in world: SimulatedWorld,
        on storage: isolated MemoryStorage
    ) async -> String? {
        var contract = ServerContract(seed: seed, world)
        for id in users {
            let user = User(id: id, nickname: "name of \(id)")
            storage.addUser(user)
            await world.storage.addUser(user)
            contract.keys[id] = await world.sessionKey(of: id)
        }
        for index in 0..<count {
            // Some steps have one time.
            await world.pass(.milliseconds(Int64([0, 1, 40][contract.random.pick(3)])))
            if contract.random.pick(30) == 0 {
                world.serverClockError.milliseconds += contract.random.clockJump()
            }
            let step = contract.step(on: storage)
            let difference = await contract.take(step, on: storage)
            if let difference { return "seed \(seed), step \(index), \(step): \(difference)" }
        }
        return nil
    }

    // MARK: Steps

    /// Lets both servers take a step; returns the difference.
    private mutating func take(
        _ step: Step, on storage: isolated MemoryStorage
    ) async -> String? {
        let now = world.server.world.now()
        switch step {
        case .connect(let user):
            lastNumber += 1
            let inbox = FrameInbox()
            let modelled = model.connect(lastNumber, as: user, on: storage, at: now)
            let handshake = Handshake(
                query: [QueryItem("ai", "simulation"), QueryItem("user_id", user.rawValue)])
            guard let session = await world.server.connect(handshake, inbox),
                case .login(.success(var real))? = inbox.takeFirst()
            else { return "the server refuses the login" }
            real.sessionKey = modelled.sessionKey
            real.fileKey = modelled.fileKey
            if let difference = contractDifference(modelled, real) { return difference }
            connections.append(
                Connection(number: lastNumber, user: user, session: session, inbox: inbox))
        case .disconnect(let index):
            let connection = connections.remove(at: index)
            model.disconnect(connection.number)
            await world.server.disconnect(connection.session)
        case .command(let index, let command):
            let connection = connections[index]
            model.take(
                command, from: connection.number, as: connection.user, on: storage, at: now)
            await world.server.receive(command.encoded, from: connection.session)
        case .question(let user, let question):
            let modelled = model.answer(question, as: user, on: storage, at: now)
            let real = await ask(question, as: user)
            note(real)
            if let difference = contractDifference(modelled.comparable, real.comparable) {
                return difference
            }
        }
        return differenceOfFrames()
    }

    private mutating func differenceOfFrames() -> String? {
        let deliveries = model.takeDeliveries()
        for connection in connections {
            let modelled = deliveries.filter { $0.connection == connection.number }.map(\.event)
            let real = connection.inbox.take()
            guard let difference = contractDifference(modelled, real) else { continue }
            return "of the frames to \(connection.user), \(difference)"
        }
        return nil
    }

    private func ask(
        _ question: ServerQuestion, as user: UserID
    ) async -> Answered<ServerAnswer> {
        do throws(RoostError) {
            let address = try ServerAddress(ServerPort.address, allowsPlainTransport: true)
            let api = ServerAPI(http: ServerPort(server: world.server), address: address)
            return .success(try await api.answer(question, sessionKey: keys[user] ?? ""))
        } catch {
            return .failure(error)
        }
    }

    private mutating func note(_ answer: Answered<ServerAnswer>) {
        switch answer {
        case .success(.messageChanges(let changes)): tokens.append(changes.next)
        case .success(.channelChanges(let changes)): tokens.append(changes.next)
        case .success(.myChannels(let page)): tokens.append(page.next)
        default: break
        }
    }
}

/// The received frames of one socket.
final class FrameInbox: SessionOutlet {
    private let frames = Mutex<[String]>([])

    func deliver(_ frame: String) { frames.withLock { $0.append(frame) } }

    func close() { deliver("the end") }

    /// Returns the events since the last call, in order; an unreadable frame is an unknown event.
    func take() -> [ServerEvent] {
        let texts = frames.withLock { frames in
            defer { frames = [] }
            return frames
        }
        return texts.flatMap { text in
            ServerEvent.decodeAll(text).map { result in
                switch result {
                case .success(let event): event
                case .failure(let error):
                    .error(ServerError(.malformedData, "\(error)"), acknowledges: nil)
                }
            }
        }
    }

    func takeFirst() -> ServerEvent? { take().first }
}

/// The requests of the client's interface, made to a server of the same process.
private struct ServerPort: HTTPTransport {
    static let address = "http://127.0.0.1:1"

    let server: ChatServer

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let key = request.headers.first { $0.name == "Session-Key" }?.value
        let answer: APIResponse
        do throws(ServerError) {
            answer = await server.respond(
                to: try APIRequest(
                    method: request.method,
                    target: String(request.url.dropFirst(Self.address.count)),
                    body: request.body ?? []),
                headers: RequestHeaders(sessionKey: key))
        } catch {
            answer = APIResponse(error)
        }
        return HTTPResponse(status: answer.status, body: answer.body)
    }

    func upload(
        _ request: HTTPRequest, _ body: HTTPBody
    ) async throws(TransportError) -> HTTPResponse {
        throw TransportError(.unreachable, "The contract has no uploads.")
    }
}

extension Answered<ServerAnswer> {
    /// The answer with the sentence of an error, but without its underlying value, which names the
    /// layer that noticed it.
    fileprivate var comparable: Answered<ServerAnswer> {
        guard case .failure(let error) = self else { return self }
        return .failure(RoostError(error.code, remedy: error.remedy, message: error.message))
    }
}
