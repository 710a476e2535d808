// SPDX-License-Identifier: Apache-2.0

/// Opens WebSockets.
package enum WebSocketClient {
    /// Connects and upgrades; tries every address of the host.
    ///
    /// - Parameters:
    ///   - url: `ws` or `wss`; percent-encoded.
    ///   - headers: The headers beside those of the handshake.
    ///   - subprotocols: The offers, in order of preference; the server picks one or none.
    ///   - timeLimit: The time for name look-up, connection, TLS and upgrade together.
    ///   - tls: The trusted certificates for `wss`; nil means those of the system.
    ///   - limits: The bounds of the open connection.
    ///   - loop: The loop of the connection; its owner shuts it down.
    /// - Returns: An open connection; close it when done.
    /// - Throws: `.invalidURL`, `.nameNotFound`, `.refused`, `.unreachable`, `.timedOut`,
    ///   `.untrusted`, `.tlsFailure`, `.upgradeRefused(status:)`, `.protocolViolation`,
    ///   `.connectionLost`, `.cancelled` or `.loopStopped`. Nothing stays open after a throw.
    package static func connect(
        url: String, headers: HTTPHeaders = [:], subprotocols: [String] = [],
        timeLimit: Duration = .seconds(10), tls: TLSContext? = nil,
        limits: WebSocketLimits = WebSocketLimits(), on loop: EventLoop
    ) async throws(SocketError) -> WebSocketConnection {
        let url = try SocketURL(url)
        guard headers.isSendable,
            subprotocols.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isTokenByte) })
        else {
            throw SocketError(
                .invalidURL,
                "A header or subprotocol holds a character that cannot be sent; percent-encode it.")
        }
        let opening = WebSocketOpening(
            url: url, headers: headers, subprotocols: subprotocols,
            tls: try StreamDialer.context(for: url, tls), limits: limits, on: loop)
        return try await opening.run(timeLimit: timeLimit)
    }
}

/// One attempt to connect, from the name to the open WebSocket.
actor WebSocketOpening {
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    private typealias Outcome = Result<WebSocketConnection, SocketError>

    private let loop: EventLoop
    private let url: SocketURL
    private let headers: HTTPHeaders
    private let subprotocols: [String]
    private let dialer: StreamDialer
    private let limits: WebSocketLimits
    private let key = Digest.base64(Digest.randomBytes(16))

    private var caller: CheckedContinuation<Outcome, Never>?
    private var stream: ByteStream?
    private var parser = HTTPResponseHeadParser()
    /// The timer of the whole attempt.
    private var deadline: LoopTimer?

    init(
        url: SocketURL, headers: HTTPHeaders, subprotocols: [String], tls: TLSContext?,
        limits: WebSocketLimits, on loop: EventLoop
    ) {
        self.url = url
        self.headers = headers
        self.subprotocols = subprotocols
        dialer = StreamDialer(url, tls: tls, on: loop)
        self.limits = limits
        self.loop = loop
    }

    /// Performs the attempt; call it once.
    func run(timeLimit: Duration) async throws(SocketError) -> WebSocketConnection {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else {
                    return continuation.resume(returning: Outcome.failure(SocketError.cancelled))
                }
                caller = continuation
                begin(timeLimit: timeLimit)
            }
        } onCancel: {
            loop.execute { [weak self] in
                self?.assumeIsolated { $0.finish(.failure(.cancelled)) }
            }
        }
        return try outcome.get()
    }

    private func begin(timeLimit: Duration) {
        do throws(SocketError) {
            deadline = try LoopTimer(on: loop) { [weak self] in
                self?.assumeIsolated { $0.finish(.failure(.timedOut($0.url.peer))) }
            }
        } catch {
            return finish(.failure(error))
        }
        deadline?.start(after: timeLimit)
        dialer.assumeIsolated { dialer in
            dialer.dial(timeLimit: timeLimit) { [weak self] result in
                self?.assumeIsolated { $0.didDial(result) }
            }
        }
    }

    private func didDial(_ result: Result<ByteStream, SocketError>) {
        switch result {
        case .failure(let error): finish(.failure(error))
        case .success(let stream):
            self.stream = stream
            stream.onEvent = { [weak self] event in self?.assumeIsolated { $0.handle(event) } }
            stream.write(
                WebSocketHandshake.request(
                    to: url, key: key, headers: headers, subprotocols: subprotocols))
        }
    }

    private func handle(_ event: ByteStream.Event) {
        switch event {
        case .bytes(let bytes): received(bytes)
        case .opened, .drained: return
        case .ended:
            finish(
                .failure(
                    SocketError(
                        .connectionLost,
                        "\(url.peer) closed the connection instead of answering; check that it "
                            + "speaks WebSocket.")))
        case .failed(let error):
            let message = "The connection to \(url.peer) failed. \(error.message)"
            finish(.failure(SocketError(error.kind, message)))
        }
    }

    private func received(_ bytes: [UInt8]) {
        do throws(HTTPRefusal) {
            guard let head = try parser.append(bytes.span) else { return }
            upgrade(head)
        } catch {
            finish(
                .failure(
                    SocketError(
                        .protocolViolation(code: nil),
                        "\(url.peer) is no web server. \(error.reason)"
                    )))
        }
    }

    private func upgrade(_ head: HTTPResponseHeadParser.Head) {
        do throws(SocketError) {
            try WebSocketHandshake.check(
                head, key: key, subprotocols: subprotocols, peer: url.peer)
        } catch {
            return finish(.failure(error))
        }
        guard let stream else { return }
        self.stream = nil
        let connection = WebSocketConnection(
            stream: stream, role: .client, subprotocol: head.headers["Sec-WebSocket-Protocol"],
            peer: url.peer, limits: limits, on: loop)
        let rest = parser.takeRest()
        connection.assumeIsolated { $0.start(with: rest, onEnd: nil) }
        finish(.success(connection))
    }

    private func finish(_ outcome: Outcome) {
        guard let caller else { return }
        self.caller = nil
        stream?.close()
        stream = nil
        deadline?.close()
        dialer.assumeIsolated { $0.cancel() }
        caller.resume(returning: outcome)
    }
}
