// SPDX-License-Identifier: Apache-2.0

/// One request with its answer, on a new connection or on an idle one.
actor HTTPExchange {
    private typealias Outcome = Result<HTTPClientResponse, SocketError>

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    private let loop: EventLoop
    private let client: HTTPClient
    private let request: HTTPClientRequest
    private let url: SocketURL
    private let origin: HTTPClient.Origin
    private let dialer: StreamDialer

    private var caller: CheckedContinuation<Outcome, Never>?
    private var stream: ByteStream?
    private var parser: HTTPResponseParser
    private var deadline: LoopTimer?
    /// Whether the stream was used before, so that the server may have closed it meanwhile.
    private var isReused = false
    private var hasAnswerBegun = false
    /// The bytes of a body in pieces that are still to be sent; 0 for any other body.
    private var bytesToSend: Int64 = 0
    /// The task that reads the next piece of the body; cancelled with the exchange.
    private var reading: Task<Void, Never>?

    /// Creates an exchange; `run` performs it.
    init(
        _ request: HTTPClientRequest, to url: SocketURL, tls: TLSContext?, of client: HTTPClient,
        on loop: EventLoop
    ) {
        self.request = request
        self.url = url
        self.client = client
        self.loop = loop
        origin = HTTPClient.Origin(isSecure: url.isSecure, host: url.host, port: url.port)
        dialer = StreamDialer(url, tls: tls, on: loop)
        parser = HTTPResponseParser(answerTo: request.method, bodyLimit: request.answerBytes)
        if case .pieces(let length, _) = request.body { bytesToSend = length }
    }

    /// Performs the exchange; call it once.
    func run() async throws(SocketError) -> HTTPClientResponse {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else {
                    return continuation.resume(returning: Outcome.failure(SocketError.cancelled))
                }
                caller = continuation
                begin()
            }
        } onCancel: {
            loop.execute { [weak self] in
                self?.assumeIsolated { $0.finish(.failure(.cancelled)) }
            }
        }
        return try outcome.get()
    }

    private func begin() {
        do throws(SocketError) {
            deadline = try LoopTimer(on: loop) { [weak self] in
                self?.assumeIsolated { $0.timeOut() }
            }
        } catch {
            return finish(.failure(error))
        }
        deadline?.start(after: request.timeLimit)
        guard let kept = client.assumeIsolated({ [origin] in $0.takeIdle(origin) }) else {
            return dial()
        }
        isReused = true
        use(kept)
    }

    private func dial() {
        dialer.assumeIsolated { [request] dialer in
            dialer.dial(timeLimit: request.timeLimit) { [weak self] result in
                self?.assumeIsolated { $0.didDial(result) }
            }
        }
    }

    private func didDial(_ result: Result<ByteStream, SocketError>) {
        switch result {
        case .failure(let error): finish(.failure(error))
        case .success(let stream): use(stream)
        }
    }

    // MARK: Sending

    private func use(_ stream: ByteStream) {
        self.stream = stream
        stream.onEvent = { [weak self] event in self?.assumeIsolated { $0.handle(event) } }
        var bytes = head
        if case .bytes(let body) = request.body { bytes += body }
        stream.write(bytes)
    }

    private var head: [UInt8] {
        var text = "\(request.method) \(url.target) HTTP/1.1\r\nHost: \(url.authority)\r\n"
        text += "Accept-Encoding: identity\r\n"
        for field in request.headers.fields { text += "\(field.name): \(field.value)\r\n" }
        switch request.body {
        case .none: break
        case .bytes(let body): text += "Content-Length: \(body.count)\r\n"
        case .pieces(let length, _): text += "Content-Length: \(length)\r\n"
        }
        return Array((text + "\r\n").utf8)
    }

    /// Reads the next piece once the previous one is with the kernel.
    private func sendNextPiece() {
        guard bytesToSend > 0, reading == nil, case .pieces(_, let next) = request.body else {
            return
        }
        reading = Task { [weak self] in
            let piece = await next()
            await self?.didRead(piece)
        }
    }

    private func didRead(_ piece: [UInt8]?) {
        reading = nil
        guard let stream, caller != nil else { return }
        guard let piece, !piece.isEmpty, piece.count <= bytesToSend else {
            return finish(
                .failure(
                    SocketError(
                        .bodyUnreadable,
                        "The file for \(url.peer) cannot be read on; send it again.")))
        }
        bytesToSend -= Int64(piece.count)
        deadline?.start(after: request.timeLimit)
        stream.write(piece)
    }

    // MARK: Receiving

    private func handle(_ event: ByteStream.Event) {
        switch event {
        case .opened: return
        case .drained: sendNextPiece()
        case .bytes(let bytes): received(bytes)
        case .ended(let isClean):
            // A body that ends with the connection is whole only after a clean end (RFC 9112, 9.8).
            if isClean, let response = parser.end() {
                finish(.success(response))
            } else {
                lost()
            }
        case .failed(let error) where error.kind == .loopStopped: finish(.failure(error))
        case .failed: lost()
        }
    }

    private func received(_ bytes: [UInt8]) {
        hasAnswerBegun = true
        do throws(HTTPRefusal) {
            guard let response = try parser.append(bytes.span) else { return }
            if parser.isReusable, bytesToSend == 0, let stream, stream.queuedByteCount == 0 {
                self.stream = nil
                client.assumeIsolated { [origin] in $0.keep(stream, to: origin) }
            }
            finish(.success(response))
        } catch {
            let isTooLarge = error == .bodyTooLarge
            finish(
                .failure(
                    SocketError(
                        isTooLarge ? .answerTooLarge : .protocolViolation(code: nil),
                        isTooLarge
                            ? "\(url.peer) answers with more than \(request.answerBytes) bytes; "
                                + "ask for less."
                            : "\(url.peer) does not answer as a web server. \(error.reason)")))
        }
    }

    /// Asks again on a new connection if an idle one breaks, which the server may have closed
    /// before the question.
    ///
    /// The server may as well have carried the request out.
    private func lost() {
        guard isReused, !hasAnswerBegun, request.isQuestion else {
            return finish(
                .failure(
                    SocketError(
                        .connectionLost, "The connection to \(url.peer) broke; try again.")))
        }
        isReused = false
        stream?.close()
        stream = nil
        dial()
    }

    /// Ends the exchange, and the kept connections with it if one of them is silent: after a change
    /// of network all of them lead nowhere, and each would cost another call its whole time.
    private func timeOut() {
        if isReused, !hasAnswerBegun {
            client.assumeIsolated { [origin] in $0.dropIdle(to: origin) }
        }
        finish(.failure(.timedOut(url.peer)))
    }

    private func finish(_ outcome: Outcome) {
        guard let caller else { return }
        self.caller = nil
        stream?.close()
        stream = nil
        deadline?.close()
        reading?.cancel()
        dialer.assumeIsolated { $0.cancel() }
        caller.resume(returning: outcome)
    }
}
