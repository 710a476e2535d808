// SPDX-License-Identifier: Apache-2.0

import RoostConformance
import RoostHost
import RoostServer
import RoostSockets
import RoostTestSupport
import Testing

/// One fault that a proxy puts into the answers and frames of a sound server.
struct Spoil: Sendable {
    /// A call and its answer.
    struct Call: Sendable {
        let method: String
        /// Path and query.
        let target: String
        var status: Int
        var body: JSON

        func isGet(_ word: String) -> Bool { method == "GET" && target.contains(word) }
    }

    struct Command: Sendable {
        var name: String
        var fields: JSON

        var text: String { "\(name)\(fields)" }
    }

    /// Returns the body that the server gets in place of one of a client's call.
    var ask: @Sendable (_ method: String, _ target: String, JSON) -> JSON = { $2 }
    var answer: @Sendable (inout Call) -> Void = { _ in }
    /// Returns the frames that a client gets in place of one of the server.
    var down: @Sendable (Command) -> [Command] = { [$0] }
    /// Returns the commands that the server gets in place of one of a client.
    var up: @Sendable (Command) -> [Command] = { [$0] }
    /// The end of each frame of the server.
    var lineEnd = "\n"
    var echoesSubprotocol = true
    /// Returns whether a login is answered by `BUSY`.
    var isBusy: @Sendable () -> Bool = { false }

    static let none = Spoil()
}

/// A sound server on sockets, and a proxy in front of it with one fault.
final class SpoilingProxy: HTTPServerHandler {
    static let applicationID = "APP"
    static let apiToken = "the-api-token"

    private let spoil: Spoil
    private let hostPort: UInt16
    private let loop: EventLoop
    private let client: HTTPClient

    private init(_ spoil: Spoil, to hostPort: UInt16, on loop: EventLoop) {
        self.spoil = spoil
        self.hostPort = hostPort
        self.loop = loop
        client = HTTPClient(on: loop)
    }

    /// Runs checks against a server behind a proxy, or against the server itself without a fault.
    static func results(
        of groups: [CheckGroup], spoil: Spoil?, requiresToken: Bool = false,
        userRate: Rate? = nil, wait: Duration = .seconds(60)
    ) async throws -> RunResult {
        try await serving(spoil, requiresToken: requiresToken, userRate: userRate) {
            address, loop in
            let target = try #require(
                Target(server: address, applicationID: applicationID, apiToken: apiToken))
            return try await ConformanceRun(target, wait: wait, on: loop).run(groups) { _ in }
        }
    }

    /// Lends the address of a server behind a proxy, or of the server itself without a fault.
    static func serving<Value: Sendable>(
        _ spoil: Spoil?, requiresToken: Bool = false, userRate: Rate? = nil,
        _ body: (_ address: String, _ loop: EventLoop) async throws -> Value
    ) async throws -> Value {
        let folder = try TemporaryFolder(inMemory: true)
        var configuration = ChatHost.Configuration(
            dataFolder: folder.file("server"), applicationID: applicationID)
        configuration.apiToken = apiToken
        configuration.requiresToken = requiresToken
        configuration.userRate = userRate
        let host = try await ChatHost.start(configuration)
        let loop = try EventLoop.start()
        var port = host.port
        var server: HTTPServer?
        if let spoil {
            let started = try await HTTPServer.start(
                handler: SpoilingProxy(spoil, to: host.port, on: loop), on: loop)
            port = started.port
            server = started
        }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body("http://127.0.0.1:\(port)/", loop))
        } catch {
            result = .failure(error)
        }
        await server?.shutdown()
        await host.stop()
        await loop.shutdown()
        return try result.get()
    }

    // MARK: Calls

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        do {
            var body = request.body
            if let sent = try? JSON(parsing: body), sent.isObject {
                body = Array(spoil.ask(request.method, request.target, sent).description.utf8)
            }
            let answer = try await client.send(
                HTTPClientRequest(
                    method: request.method, url: "http://127.0.0.1:\(hostPort)\(request.target)",
                    headers: Self.kept(request.headers),
                    body: body.isEmpty ? .none : .bytes(body),
                    timeLimit: .seconds(600), answerBytes: 32_000_000))
            var headers = HTTPHeaders()
            headers.append("Content-Type", answer.headers["Content-Type"] ?? "application/json")
            guard let body = try? JSON(parsing: answer.body) else {
                return HTTPServerResponse(
                    status: answer.status, headers: headers, body: answer.body)
            }
            var call = Spoil.Call(
                method: request.method, target: request.target, status: answer.status, body: body)
            spoil.answer(&call)
            return HTTPServerResponse(
                status: call.status, headers: headers, body: Array(call.body.description.utf8))
        } catch {
            return HTTPServerResponse(status: 502, text: "\(error)")
        }
    }

    private static func kept(_ headers: HTTPHeaders) -> HTTPHeaders {
        let own = ["host", "connection", "content-length", "accept-encoding", "upgrade"]
        var kept = HTTPHeaders()
        for field in headers.fields {
            let name = field.name.lowercased()
            if own.contains(name) || name.hasPrefix("sec-websocket") { continue }
            kept.append(field.name, field.value)
        }
        return kept
    }

    // MARK: Sockets

    func upgrade(_ request: HTTPServerRequest) async -> UpgradeDecision {
        let offers = request.headers.list("Sec-WebSocket-Protocol")
        if spoil.isBusy() {
            return .accept(subprotocol: offers.first) { peer in
                // An end of the client is no fault of the proxy.
                try? await peer.send(#"BUSY{"retry_after":1,"reason_code":0,"message":"busy"}"#)
                await peer.close()
            }
        }
        let connection: WebSocketConnection
        do {
            connection = try await WebSocketClient.connect(
                url: "ws://127.0.0.1:\(hostPort)\(request.target)",
                headers: Self.kept(request.headers), subprotocols: offers, on: loop)
        } catch {
            return .refuse(HTTPServerResponse(status: 502, text: "\(error)"))
        }
        let spoil = spoil
        return .accept(subprotocol: spoil.echoesSubprotocol ? connection.subprotocol : nil) {
            peer in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await Self.pass(from: peer, to: connection, "\n", spoil.up) }
                group.addTask {
                    await Self.pass(from: connection, to: peer, spoil.lineEnd, spoil.down)
                }
            }
        }
    }

    private static func pass(
        from source: WebSocketConnection, to sink: WebSocketConnection, _ lineEnd: String,
        _ change: (Spoil.Command) -> [Spoil.Command]
    ) async {
        while case .text(let text)? = try? await source.receive() {
            var changed = ""
            for line in text.split(separator: "\n") {
                guard let fields = try? JSON(parsing: String(line.dropFirst(4))), fields.isObject
                else {
                    changed += line + "\n"
                    continue
                }
                let command = Spoil.Command(name: String(line.prefix(4)), fields: fields)
                changed += change(command).map { $0.text + lineEnd }.joined()
            }
            // An end of one side ends the other one below.
            if !changed.isEmpty { try? await sink.send(changed) }
        }
        await sink.close()
    }
}
