// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
package import RoostSockets

/// WebSockets over Roost's own event loop: URLSession has none that works on Linux.
package final class UVSocketTransport: SocketTransport {
    private let loop: EventLoop
    private let tls: TLSContext?
    private let limits: WebSocketLimits

    /// Creates a transport on a loop that other transports may share; the owner of the loop shuts
    /// it down.
    ///
    /// - Parameters:
    ///   - loop: The loop of the sockets.
    ///   - tls: The trusted certificates for `wss`; nil means those of the system.
    ///   - limits: The bounds of each socket.
    package init(
        on loop: EventLoop, tls: TLSContext? = nil, limits: WebSocketLimits = WebSocketLimits()
    ) {
        self.loop = loop
        self.tls = tls
        self.limits = limits
    }

    package func open(_ request: SocketRequest) async throws(TransportError) -> any Socket {
        let endpoint = try Endpoint(request.url, schemes: ["ws", "wss"])
        var headers = HTTPHeaders()
        for (name, value) in request.headers { headers.append(name, value) }
        do throws(SocketError) {
            let connection = try await WebSocketClient.connect(
                url: request.url, headers: headers, subprotocols: request.subprotocols,
                timeLimit: request.timeLimit, tls: tls, limits: limits, on: loop)
            return UVSocket(connection, endpoint)
        } catch {
            throw TransportError(error, endpoint)
        }
    }
}

/// A connection of `RoostSockets` behind the engine's protocol.
private struct UVSocket: Socket {
    private let connection: WebSocketConnection
    private let endpoint: Endpoint

    init(_ connection: WebSocketConnection, _ endpoint: Endpoint) {
        self.connection = connection
        self.endpoint = endpoint
    }

    func send(_ text: String) async throws(TransportError) {
        do throws(SocketError) {
            try await connection.send(text)
        } catch {
            throw TransportError(error, endpoint)
        }
    }

    func receive() async throws(TransportError) -> String? {
        do throws(SocketError) {
            while let message = try await connection.receive() {
                // The protocol is text; a binary frame belongs to a newer version and is ignored.
                if case .text(let text) = message { return text }
            }
            return nil
        } catch {
            throw TransportError(error, endpoint)
        }
    }

    func close() async { await connection.close() }
}

extension TransportError {
    /// Translates an error of the sockets.
    init(_ error: SocketError, _ endpoint: Endpoint) {
        let kind: Kind =
            switch error.kind {
            // TLS fails only while a connection is opened, so nothing of the request has arrived. A
            // proxy without a server behind it and a captive portal look like this too.
            case .nameNotFound, .refused, .unreachable, .tlsFailure: .unreachable
            case .timedOut: .timedOut
            case .untrusted: .untrusted
            case .upgradeRefused(let status): .refused(status: status)
            case .cancelled: .cancelled
            case .invalidURL: .invalidURL
            case .answerTooLarge: .answerTooLarge
            case .connectionLost, .closed, .protocolViolation, .peerTooSlow, .bodyUnreadable,
                .addressInUse, .permissionDenied, .certificateUnusable, .loopStopped,
                .systemFailure:
                .lost
            }
        self = kind == .cancelled ? endpoint.cancelled : TransportError(kind, error.message)
    }
}
#endif
