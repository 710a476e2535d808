// SPDX-License-Identifier: Apache-2.0

import RoostSockets

/// A handler that answers every request with its contents, and echoes on every WebSocket.
struct EchoHandler: HTTPServerHandler {
    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        HTTPServerResponse(
            status: 200, headers: ["X-Method": request.method],
            body: Array(request.target.utf8) + request.body)
    }

    func upgrade(_ request: HTTPServerRequest) async -> UpgradeDecision {
        guard !request.target.hasPrefix("/refuse") else {
            return .refuse(HTTPServerResponse(status: 403, text: "Not here."))
        }
        let subprotocol = request.headers.list("Sec-WebSocket-Protocol").last
        return .accept(subprotocol: subprotocol) { connection in
            do throws(SocketError) {
                while let message = try await connection.receive() {
                    try await connection.send(message)
                }
            } catch {
                return  // The peer is gone; the test checks its own end.
            }
        }
    }
}

/// A handler made of closures, for tests that need one odd behaviour.
struct ScriptedHandler: HTTPServerHandler {
    var respond: @Sendable (HTTPServerRequest) async -> HTTPServerResponse = { _ in
        HTTPServerResponse(status: 200)
    }
    var serve: @Sendable (WebSocketConnection) async -> Void = { _ in }

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        await respond(request)
    }

    func upgrade(_ request: HTTPServerRequest) async -> UpgradeDecision {
        .accept(subprotocol: nil, serve: serve)
    }
}

/// Starts a loop and a server for a test, and shuts both down in any case.
func withServer(
    _ handler: any HTTPServerHandler = EchoHandler(),
    _ configuration: HTTPServer.Configuration = HTTPServer.Configuration(),
    _ body: (HTTPServer, EventLoop) async throws -> Void
) async throws {
    let loop = try EventLoop.start()
    do {
        let server = try await HTTPServer.start(configuration, handler: handler, on: loop)
        do {
            try await body(server, loop)
        } catch {
            await server.shutdown(grace: .zero)
            throw error
        }
        await server.shutdown(grace: .zero)
    } catch {
        await loop.shutdown()
        throw error
    }
    await loop.shutdown()
}

extension HTTPServer.Configuration {
    /// Returns the defaults with one field changed; calls can be chained.
    static func with<Value>(_ field: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
        Self().and(field, value)
    }

    func and<Value>(_ field: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
        var copy = self
        copy[keyPath: field] = value
        return copy
    }
}
