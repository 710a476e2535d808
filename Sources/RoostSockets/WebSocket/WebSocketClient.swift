// SPDX-License-Identifier: Apache-2.0

/// Opens WebSockets.
package enum WebSocketClient {
    /// Connects and upgrades; tries every address of the host.
    ///
    /// - Parameters:
    ///   - url: `ws` or `wss`; percent-encoded.
    ///   - headers: Beside those of the handshake.
    ///   - subprotocols: Offered in this order; the server picks one or none.
    ///   - timeLimit: For name lookup, connection, TLS and upgrade together.
    ///   - tls: Whom to trust for `wss`; nil trusts what the system trusts.
    ///   - limits: What bounds the open connection.
    ///   - loop: Where it lives; its owner shuts it down.
    /// - Returns: An open connection; close it when done.
    /// - Throws: `.invalidURL`, `.nameNotFound`, `.refused`, `.unreachable`, `.timedOut`, `.untrusted`,
    ///   `.tlsFailure`, `.upgradeRefused(status:)`, `.protocolViolation`, `.connectionLost`,
    ///   `.cancelled` or `.loopStopped`. Nothing stays open after a throw.
    package static func connect(
        url: String, headers: HTTPHeaders = [:], subprotocols: [String] = [],
        timeLimit: Duration = .seconds(10), tls: TLSContext? = nil,
        limits: WebSocketLimits = WebSocketLimits(), on loop: EventLoop
    ) async throws(SocketError) -> WebSocketConnection {
        let url = try WebSocketURL(url)
        guard
            headers.fields.allSatisfy({ field in
                !field.name.isEmpty && field.name.utf8.allSatisfy(\.isTokenByte)
                    && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
            }),
            subprotocols.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isTokenByte) })
        else {
            throw SocketError(
                .invalidURL,
                "A header or subprotocol holds a character that cannot be sent; percent-encode it.")
        }
        var context: TLSContext?
        if url.isSecure {
            if let tls { context = tls } else { context = try TLSContext.systemTrust.get() }
        }
        let dialer = WebSocketDialer(
            url: url, headers: headers, subprotocols: subprotocols, tls: context, limits: limits,
            on: loop)
        return try await dialer.dial(timeLimit: timeLimit)
    }
}

/// One attempt to connect, from the name to the open WebSocket.
actor WebSocketDialer {
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    private typealias Outcome = Result<WebSocketConnection, SocketError>

    private let loop: EventLoop
    private let url: WebSocketURL
    private let headers: HTTPHeaders
    private let subprotocols: [String]
    private let tls: TLSContext?
    private let limits: WebSocketLimits
    private let key = Digest.base64(Digest.randomBytes(16))

    private var caller: CheckedContinuation<Outcome, Never>?
    private var addresses: [SocketAddress] = []
    private var stream: ByteStream?
    private var parser = HTTPResponseHeadParser()
    /// For all of it.
    private var deadline: LoopTimer?
    /// For one address, so that one that swallows packets leaves time for the next.
    private var addressDeadline: LoopTimer?
    private var timePerAddress: Duration = .zero
    private var isOpen = false
    private var lastError: SocketError?

    init(
        url: WebSocketURL, headers: HTTPHeaders, subprotocols: [String], tls: TLSContext?,
        limits: WebSocketLimits, on loop: EventLoop
    ) {
        self.url = url
        self.headers = headers
        self.subprotocols = subprotocols
        self.tls = tls
        self.limits = limits
        self.loop = loop
    }

    /// Does it all; call once.
    func dial(timeLimit: Duration) async throws(SocketError) -> WebSocketConnection {
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
                self?.assumeIsolated { $0.timedOut() }
            }
            addressDeadline = try LoopTimer(on: loop) { [weak self] in
                self?.assumeIsolated { $0.failAddress($0.timeOutError) }
            }
        } catch {
            return finish(.failure(error))
        }
        deadline?.start(after: timeLimit)
        NameResolver.resolve(host: url.host, port: url.port, on: loop) { [weak self] result in
            self?.assumeIsolated { $0.didResolve(result, timeLimit: timeLimit) }
        }
    }

    private func didResolve(_ result: Result<[SocketAddress], SocketError>, timeLimit: Duration) {
        guard caller != nil else { return }  // Given up in the meantime.
        switch result {
        case .failure(let error): finish(.failure(error))
        case .success(let found):
            addresses = found.reversed()
            timePerAddress = timeLimit / found.count
            tryNextAddress()
        }
    }

    private func tryNextAddress() {
        stream?.close()
        stream = nil
        guard let address = addresses.popLast() else {
            return finish(.failure(lastError ?? timeOutError))
        }
        do throws(SocketError) {
            var machine: TLSStream?
            if let tls { machine = try TLSStream(tls, serverName: url.host) }
            let tcp = try TCPStream(on: loop)
            let stream = ByteStream(tcp, tls: machine, on: loop)
            stream.onEvent = { [weak self] event in self?.assumeIsolated { $0.handle(event) } }
            self.stream = stream
            addressDeadline?.start(after: timePerAddress)
            tcp.connect(to: address)
        } catch {
            finish(.failure(error))
        }
    }

    private func handle(_ event: ByteStream.Event) {
        switch event {
        case .opened:
            isOpen = true
            addressDeadline?.stop()
            stream?.write(
                WebSocketHandshake.request(
                    to: url, key: key, headers: headers, subprotocols: subprotocols))
        case .bytes(let bytes): received(bytes)
        case .drained: return
        case .ended:
            finish(
                .failure(
                    SocketError(
                        .connectionLost,
                        "\(url.peer) closed the connection instead of answering; check that it "
                            + "speaks WebSocket.")))
        case .failed(let error): failAddress(error)
        }
    }

    /// Another address may help while none was reached; after that the server itself has spoken.
    private func failAddress(_ error: SocketError) {
        switch error.kind {
        case .refused, .unreachable, .timedOut, .connectionLost:
            let named = SocketError(
                error.kind, "No connection to \(url.peer). \(error.message)")
            // "Refused" says more than the other address's "no way there".
            if lastError?.kind != .refused { lastError = named }
            if isOpen { finish(.failure(named)) } else { tryNextAddress() }
        default: finish(.failure(error))
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

    private func timedOut() {
        finish(.failure(timeOutError))
    }

    private var timeOutError: SocketError {
        SocketError(
            .timedOut, "\(url.peer) did not answer in time; check the network and try again.")
    }

    private func finish(_ outcome: Outcome) {
        guard let caller else { return }
        self.caller = nil
        stream?.close()
        stream = nil
        deadline?.close()
        addressDeadline?.close()
        caller.resume(returning: outcome)
    }
}
