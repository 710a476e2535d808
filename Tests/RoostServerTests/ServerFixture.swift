// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostSQLite
import RoostServer
import RoostWire
import Synchronization
import Testing

/// A world with a clock that the test moves, and numbers from a seed.
final class TestWorld: Sendable {
    private let milliseconds = Mutex<Int64>(1_700_000_000_000)
    private let state: Mutex<UInt64>

    init(seed: UInt64) { state = Mutex(seed) }

    var now: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }

    func advance(_ count: Int64) { milliseconds.withLock { $0 += count } }

    var world: ServerWorld {
        ServerWorld(
            now: { self.now },
            entropy: {
                self.state.withLock { state in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return state ^ (state >> 29)
                }
            },
            digest: Self.digest)
    }

    /// A hash of 64 hexadecimal digits, good enough for tests.
    static let digest: @Sendable (String) -> String = { text in
        (UInt64(1)...4).map { part in
            var hash = 0xCBF2_9CE4_8422_2325 &+ part
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
            let digits = String(hash ^ (hash >> 29), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

/// A time that passes evenly beside a clock that a test moves.
final class TestUptime: Sendable {
    private let milliseconds = Mutex<Int64>(0)

    var now: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }

    func pass(_ count: Int64) { milliseconds.withLock { $0 += count } }
}

/// The received frames of a client.
final class Inbox: SessionOutlet {
    private let frames = Mutex<[String]>([])
    private let closed = Mutex(false)
    private let signs = Mutex((asked: 0, given: 0))

    func ping() { signs.withLock { $0.asked += 1 } }
    var heardCount: Int { signs.withLock { $0.given } }
    /// Answers the pings so far, as the client's WebSocket does by itself.
    func answerPings() { signs.withLock { $0.given = $0.asked } }

    func deliver(_ frame: String) { frames.withLock { $0.append(frame) } }

    func close() { closed.withLock { $0 = true } }

    var isClosed: Bool { closed.withLock { $0 } }

    /// Returns the events since the last call, in order.
    func take() throws -> [ServerEvent] {
        let texts = frames.withLock { frames in
            defer { frames = [] }
            return frames
        }
        return try texts.flatMap { try ServerEvent.decodeAll($0).map { try $0.get() } }
    }

    /// Returns the raw frames since the last call.
    func takeText() -> [String] {
        frames.withLock { frames in
            defer { frames = [] }
            return frames
        }
    }
}

/// A server in memory with users on sockets.
struct ServerFixture {
    /// One open socket.
    struct Device {
        let inbox: Inbox
        let session: SessionID
        let key: String
    }

    let world: TestWorld
    let server: ChatServer
    let executor: ThreadExecutor
    static let apiToken = "platform"

    init(
        storage: (any Storage)? = nil, files: (any FileStore)? = nil,
        fanOut: (any FanOut)? = nil, peers: (any PeerPresence)? = nil, seed: UInt64 = 7,
        configure: (inout ChatServer.Configuration) -> Void = { _ in }, traces: Bool = false,
        uptime: TestUptime? = nil, resuming noted: Timestamp? = nil,
        log: @escaping @Sendable (LogLine) -> Void = { _ in }
    ) async {
        world = TestWorld(seed: seed)
        executor = ThreadExecutor(name: "server")
        var world = world.world
        (world.log, world.traces) = (log, traces)
        if let uptime { world.uptime = { uptime.now } }
        if let noted { world.resume(from: noted) }
        var configuration = ChatServer.Configuration(
            applicationID: "APP", apiToken: Self.apiToken)
        configure(&configuration)
        server = await ChatServer(
            configuration, storage: storage ?? MemoryStorage(on: executor), files: files,
            fanOut: fanOut ?? InProcessFanOut(on: executor), peers: peers, world: world,
            on: executor)
    }

    func connect(_ user: UserID, extra: [QueryItem] = []) async throws -> Device {
        let inbox = Inbox()
        let handshake = Handshake(
            query: [QueryItem("ai", "APP"), QueryItem("user_id", user.rawValue)] + extra)
        let session = try #require(await server.connect(handshake, inbox))
        guard case .login(.success(let login)) = try inbox.take().first else {
            throw ServerError(.internalServerError, "The first frame was no login.")
        }
        return Device(inbox: inbox, session: session, key: login.sessionKey)
    }

    func say(_ command: ClientCommand, on device: Device) async {
        await server.receive(command.encoded, from: device.session)
    }

    func send(
        _ text: String, _ request: RequestID, to url: ChannelURL, on device: Device
    ) async {
        await say(
            .message(
                MessageCommand(channelURL: url, requestID: request, content: .user(text: text))),
            on: device)
    }

    /// Makes a call through the encoded bytes of both directions; nil is the platform.
    @discardableResult
    func call<E: Question>(_ endpoint: E, as device: Device?) async throws(APIFailure) -> E.Output {
        var headers = RequestHeaders(sessionKey: device?.key)
        if device == nil { headers.apiToken = Self.apiToken }
        return try E.decode(await raw(endpoint, headers))
    }

    func raw(_ endpoint: some Question, _ headers: RequestHeaders) async -> APIResponse {
        let request = endpoint.encode()
        do {
            let received = try APIRequest(
                method: request.method.rawValue, target: request.target, body: request.body)
            return await server.respond(to: received, headers: headers)
        } catch {
            return APIResponse(error)
        }
    }

    /// Creates a channel of users who have all logged in once.
    func channel(
        _ url: ChannelURL = "g", of users: [UserID], by maker: Device, isDistinct: Bool = false
    ) async throws {
        try await call(
            CreateChannel(channelURL: url, userIDs: users, isDistinct: isDistinct), as: maker)
    }
}

/// Returns the code of a refusal; nil for success.
func refusal<T>(_ call: () async throws(APIFailure) -> T) async -> RoostError.Code? {
    do throws(APIFailure) {
        _ = try await call()
        return nil
    } catch {
        guard case .refused(let error, _) = error else { return nil }
        return error.code
    }
}

extension ServerEvent {
    var message: MessageEvent? { if case .message(let event) = self { event } else { nil } }
    var category: ChannelEvent.Category? {
        switch self {
        case .channel(let event): event.category
        case .inOpenChannel(let event): event.category
        default: nil
        }
    }
    var error: ServerError? { if case .error(let error, _) = self { error } else { nil } }
}

extension MessageStorage {
    /// Appends one message.
    func append(_ message: Message, now: Timestamp) async throws -> Appended? {
        try await append([message], now: now)[0].get()
    }
}
