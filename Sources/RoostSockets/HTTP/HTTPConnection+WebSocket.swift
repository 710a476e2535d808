// SPDX-License-Identifier: Apache-2.0

// MARK: Connections that become WebSockets

extension HTTPConnection {
    /// Serves a WebSocket until its end; returns the answer of a refused upgrade, after which HTTP
    /// continues.
    func upgrade(_ request: HTTPServerRequest) async -> Answer? {
        if let refusal = WebSocketHandshake.refusal(of: request) {
            return write(refusal, to: request)
        }
        switch await handler.upgrade(request) {
        case .refuse(let response): return write(response, to: request)
        case .accept(let subprotocol, let serve):
            guard isStreamOpen, !hasPeerEnded else { return nil }
            guard !isShuttingDown else {
                return write(
                    HTTPServerResponse(
                        status: 503, text: "This server is shutting down; try again soon."),
                    to: request)
            }
            await serveWebSocket(request, subprotocol, serve)
            return nil
        }
    }

    private func serveWebSocket(
        _ request: HTTPServerRequest, _ subprotocol: String?,
        _ serve: @Sendable (WebSocketConnection) async -> Void
    ) async {
        let extensions = deflate == nil ? nil : WebSocketHandshake.deflateAnswer(to: request)
        stream.write(
            HTTPResponseWriter.bytes(
                of: WebSocketHandshake.acceptance(
                    of: request, subprotocol: subprotocol, extensions: extensions),
                withoutBody: true, keepsAlive: true, date: dateText()))
        let connection = WebSocketConnection(
            stream: stream, role: .server, subprotocol: subprotocol, peer: "The client",
            limits: configuration.webSocketLimits, deflate: extensions == nil ? nil : deflate,
            on: loop)
        hand(over: connection)
        await serve(connection)
        await connection.close()
    }

    private func hand(over connection: WebSocketConnection) {
        webSocket = connection
        let rest = parser.takeRest()
        connection.assumeIsolated {
            $0.start(with: rest) { [weak self] in self?.assumeIsolated { $0.closeStream() } }
        }
    }
}
