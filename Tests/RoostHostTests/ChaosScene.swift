// SPDX-License-Identifier: Apache-2.0

import RoostHost
import RoostModel
import RoostSockets
import RoostTestSupport
import RoostWire

/// A server with faults on real sockets, a channel of ann and bob, and plain clients.
struct ChaosScene {
    static let channel = "chaos-channel"

    let host: ChatHost
    private let loop: EventLoop
    private let client: HTTPClient
    private let folder: TemporaryFolder

    /// Runs a test against a server with fixed faults.
    static func run(
        _ faults: [ChaosPlan.FixedFault], seed: UInt64 = 1, delayMS: Int64 = 1,
        requiresToken: Bool = false, _ body: (ChaosScene) async throws -> Void
    ) async throws {
        var plan = ChaosPlan(seed: seed)
        plan.faults = Set(faults)
        plan.delayMS = delayMS...delayMS
        let scene = try await ChaosScene(plan, requiresToken)
        do {
            try await body(scene)
            await scene.close()
        } catch {
            await scene.close()
            throw error
        }
    }

    private init(_ plan: ChaosPlan, _ requiresToken: Bool) async throws {
        folder = try TemporaryFolder(inMemory: true)
        var configuration = ChatHost.Configuration(
            dataFolder: folder.file("server"), applicationID: "APP")
        configuration.apiToken = "token"
        configuration.requiresToken = requiresToken
        configuration.chaos = plan
        host = try await ChatHost.start(configuration)
        loop = try EventLoop.start()
        client = HTTPClient(on: loop)
        for user in ["ann", "bob"] {
            try await platform(
                "POST", "/v3/users", ["user_id": .string(user), "nickname": "", "profile_url": ""])
        }
        try await addChannel(Self.channel)
    }

    private func close() async {
        await host.stop()
        await loop.shutdown()
    }

    func addChannel(_ url: String) async throws {
        try await platform(
            "POST", "/v3/group_channels",
            ["channel_url": .string(url), "user_ids": ["ann", "bob"]])
    }

    // MARK: Calls

    struct Answer {
        let status: Int
        let headers: HTTPHeaders
        /// The answer's object; empty for an answer that is no JSON.
        let body: JSONValue

        var code: Int64? { body["code"]?.int }
    }

    /// Makes a call of the platform, which has no faults.
    @discardableResult
    func platform(
        _ method: String, _ target: String, _ body: JSONValue? = nil
    ) async throws -> Answer {
        let answer = try await send(method, target, ["Api-Token": "token"], body)
        guard answer.status == 200 else { throw Refused(answer: answer) }
        return answer
    }

    struct Refused: Error { let answer: Answer }

    /// Makes a call of a client.
    func ask(
        _ target: String, key: String, method: String = "GET", _ body: JSONValue? = nil
    ) async throws -> Answer {
        try await send(method, target, ["Session-Key": key], body)
    }

    private func send(
        _ method: String, _ target: String, _ headers: HTTPHeaders, _ body: JSONValue?
    ) async throws -> Answer {
        var headers = headers
        if body != nil { headers.append("Content-Type", "application/json") }
        let answer = try await client.send(
            HTTPClientRequest(
                method: method, url: "http://127.0.0.1:\(host.port)\(target)", headers: headers,
                body: body.map { .bytes(Array($0.text.utf8)) } ?? .none,
                timeLimit: .seconds(600), answerBytes: 32_000_000))
        return Answer(
            status: answer.status, headers: answer.headers,
            body: (try? JSONValue(parsing: answer.body)) ?? [:])
    }

    /// The texts of the channel's log, oldest first.
    func texts() async throws -> [String] {
        let answer = try await platform(
            "GET",
            "/v3/group_channels/\(Self.channel)/messages?message_ts=9007199254740991&prev_limit=200"
        )
        return (answer.body["messages"]?.array ?? []).compactMap { $0["message"]?.string }
    }

    // MARK: Sockets

    /// Opens a socket; the login's answer is its first frame.
    func connect(_ query: String) async throws -> ChaosClient {
        ChaosClient(
            connection: try await WebSocketClient.connect(
                url: "ws://127.0.0.1:\(host.port)/?ai=APP&\(query)", on: loop))
    }

    /// Opens a socket of a user, and returns its session key too.
    func logIn(_ user: String) async throws -> (client: ChaosClient, key: String) {
        let client = try await connect("user_id=\(user)")
        let login = try await client.next()
        guard login.command == "LOGI", let key = login["key"]?.string else {
            throw Unexpected(frame: login)
        }
        return (client, key)
    }

    struct Unexpected: Error { let frame: ReceivedFrame }
}

/// A frame as a client reads it.
struct ReceivedFrame: Equatable {
    let command: String
    let fields: JSONValue

    init(_ text: String) throws {
        command = String(text.prefix(4))
        fields = try JSONValue(parsing: String(text.dropFirst(4)))
    }

    subscript(name: String) -> JSONValue? { fields[name] }

    var requestID: String? { fields["req_id"]?.string }
}

/// A client that sends and reads frames, and has no rules of its own.
struct ChaosClient {
    let connection: WebSocketConnection

    /// Sends a message to the channel; the request ID is also the text.
    func send(_ name: String) async throws {
        let fields: JSONValue = [
            "req_id": .string(name), "channel_url": .string(ChaosScene.channel),
            "message": .string(name),
        ]
        try await connection.send("MESG\(fields.text)\n")
    }

    func ping() async throws { try await connection.send("PING{\"id\":1}\n") }

    /// Returns the next frame.
    func next() async throws -> ReceivedFrame {
        guard case .text(let text)? = try await connection.receive() else { throw Ended() }
        return try ReceivedFrame(text)
    }

    struct Ended: Error {}

    /// Returns the next frame that acknowledges a command.
    func nextAcknowledgement() async throws -> String {
        while true {
            let frame = try await next()
            if let requestID = frame.requestID, !requestID.isEmpty { return requestID }
        }
    }

    /// Returns the acknowledgements up to the answer to a ping, which follows them.
    func acknowledgementsUntilPong() async throws -> [String] {
        try await ping()
        var found: [String] = []
        while true {
            let frame = try await next()
            if frame.command == "PONG" { return found }
            if let requestID = frame.requestID, !requestID.isEmpty { found.append(requestID) }
        }
    }

    /// Waits for the end of the socket; returns the code of its close frame, nil without one.
    func end() async -> UInt16? {
        // A broken connection ends as a closed one does.
        while (try? await connection.receive()) != nil {}
        return await connection.closeCode
    }
}
