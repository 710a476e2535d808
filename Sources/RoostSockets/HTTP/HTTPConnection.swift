// SPDX-License-Identifier: Apache-2.0

/// One connection of a server: reads requests, has them answered one after the other.
///
/// One task runs it from the first byte to the last, so that answers cannot change places and a
/// pipelined request waits, unparsed, for the one before.
actor HTTPConnection {
    private enum Deadline: Equatable {
        case idle
        case head
        /// `step` grows with every 16 KiB, and with it the time begins anew.
        case body(step: Int)
        case writing(step: Int)
    }

    enum BodyStage { case ahead, read, cut }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    private let loop: EventLoop
    private let stream: ByteStream
    private let configuration: HTTPServer.Configuration
    let handler: any HTTPServerHandler
    private let onEnd: @Sendable () -> Void
    private let peer: String
    private let deflate: WebSocketDeflate?

    private var parser: HTTPRequestParser
    private var date = HTTPDate()
    private var task: Task<Void, Never>?
    private var webSocket: WebSocketConnection?
    private var timer: LoopTimer?
    private var deadline: Deadline?
    /// What was left of a body's time when its reader went to work: that is the server's own.
    private var timeLeft: Duration?
    /// Resumed by whatever `run` may be waiting for: bytes, room, the end.
    private var waiter: CheckedContinuation<Void, Never>?
    private var hasNews = false
    private var isStreamOpen = true
    private var isWaitingForRequest = false
    private var isShuttingDown = false
    private var isLingering = false
    private var hasPeerEnded = false
    private var hasServedRequest = false
    var bodyStage = BodyStage.read

    /// Bytes that may wait unparsed.
    private static let readAhead = 65_536
    /// Bytes of answers that may wait to be written while the next request is taken up.
    private static let writeAhead = 65_536
    private static let progressStep = 16_384
    /// How long a peer may take to close after the last answer.
    private static let lingerTime: Duration = .seconds(2)

    /// Takes over an accepted stream, which is closed when this throws.
    init(
        _ stream: ByteStream, from peer: String, _ configuration: HTTPServer.Configuration,
        handler: any HTTPServerHandler, deflate: WebSocketDeflate?, on loop: EventLoop,
        onEnd: @escaping @Sendable () -> Void
    ) throws(SocketError) {
        self.loop = loop
        self.stream = stream
        self.peer = peer
        self.configuration = configuration
        self.handler = handler
        self.deflate = deflate
        self.onEnd = onEnd
        parser = HTTPRequestParser(
            limits: configuration.limits, piecewise: { handler.pieceLimit(of: $0) })
    }

    func start() {
        do throws(SocketError) {
            timer = try LoopTimer(on: loop) { [weak self] in
                self?.assumeIsolated { $0.deadlinePassed() }
            }
        } catch {
            return closeStream()
        }
        stream.onEvent = { [weak self] event in self?.assumeIsolated { $0.handle(event) } }
        // Ends with the stream, which ends in every case: by the peer, a deadline, or a shutdown.
        // What handlers do between two steps of actors stays on this thread, too.
        task = Task(executorPreference: loop) { await self.run() }
        stream.start()
    }

    /// Finishes what is being answered, and ends.
    func shutDown() {
        isShuttingDown = true
        if let webSocket {
            webSocket.assumeIsolated {
                $0.beginClose(.goingAway, reason: "shutting down", then: nil)
            }
        } else if isWaitingForRequest && parser.progress == .idle {
            // With an answer still on its way, `run` is told and lets it out first.
            if stream.queuedByteCount == 0 { closeStream() } else { wake() }
        }
    }

    /// Ends at once, and cancels whoever is still answering.
    func cut() {
        task?.cancel()
        // A WebSocket ends the stream itself, so that whoever waits on it is told.
        webSocket?.assumeIsolated { $0.closeStream() }
        closeStream()
    }

    // MARK: The conversation

    private func run() async {
        conversation: while let event = await nextEvent() {
            let keepsAlive: Bool
            switch event {
            case .request(var request):
                hasServedRequest = true
                request.peer = peer
                if WebSocketHandshake.isUpgrade(request) {
                    keepsAlive = await upgrade(request)
                } else {
                    keepsAlive = await answer(request, with: handler.respond(to: request))
                }
            case .head(var head):
                hasServedRequest = true
                head.peer = peer
                keepsAlive = await answerReading(head)
            case .piece, .end, .expectsContinue, .refused: break conversation
            }
            guard keepsAlive else { break }
        }
        await linger()
    }

    /// The next event that is of use to a handler; nil when there will be none.
    func nextEvent() async -> HTTPRequestParser.Event? {
        isWaitingForRequest = true
        defer { isWaitingForRequest = false }
        while isStreamOpen {
            switch parser.next() {
            // The clock of a body only stops, or whoever sends it byte by byte would win it anew each
            // time.
            case .piece(let bytes):
                pauseClock()
                return .piece(bytes)
            case .expectsContinue: stream.write(HTTPResponseWriter.continueBytes)
            case .refused(let refusal):
                setDeadline(nil)
                refuse(refusal)
                return nil
            case let event?:
                setDeadline(nil)
                return event
            case nil:
                if hasPeerEnded || isLingering || isShuttingDown && parser.progress == .idle {
                    setDeadline(nil)
                    return nil
                }
                stream.resumeReading()
                setDeadline(readingDeadline)
                await wait()
            }
        }
        return nil
    }

    /// Writes an answer; false when the connection must not be used again.
    func answer(
        _ request: HTTPServerRequest, with response: HTTPServerResponse
    ) async -> Bool {
        guard isStreamOpen else { return false }
        let keepsAlive = request.keepsAlive && !isShuttingDown
        stream.write(
            HTTPResponseWriter.bytes(
                of: response, withoutBody: request.method == "HEAD", keepsAlive: keepsAlive,
                date: date.text(at: configuration.wallSeconds())))
        await waitUntilWritten(butFor: Self.writeAhead)
        if let source = response.source, request.method != "HEAD" { await send(source) }
        return keepsAlive && isStreamOpen
    }

    /// Reads a body no faster than the client does.
    private func send(_ source: HTTPBodySource) async {
        var sent = 0
        while isStreamOpen && sent < source.byteCount {
            let end = min(source.byteCount, sent + Self.writeAhead)
            let bytes = await source.read(sent..<end)
            guard bytes.count == end - sent else { return closeStream() }
            stream.write(bytes)
            sent = end
            await waitUntilWritten(butFor: Self.writeAhead)
        }
    }

    private func refuse(_ refusal: HTTPRefusal) {
        stream.write(
            HTTPResponseWriter.bytes(
                of: HTTPServerResponse(status: refusal.status, text: refusal.reason),
                withoutBody: false, keepsAlive: false,
                date: date.text(at: configuration.wallSeconds())))
    }

    /// Becomes a WebSocket until that ends; true when the upgrade was refused and HTTP goes on.
    private func upgrade(_ request: HTTPServerRequest) async -> Bool {
        if let refusal = WebSocketHandshake.refusal(of: request) {
            return await answer(request, with: refusal)
        }
        switch await handler.upgrade(request) {
        case .refuse(let response): return await answer(request, with: response)
        case .accept(let subprotocol, let serve):
            guard isStreamOpen, !hasPeerEnded else { return false }
            guard !isShuttingDown else {
                return await answer(
                    request,
                    with: HTTPServerResponse(
                        status: 503, text: "This server is shutting down; try again soon."))
            }
            await serveWebSocket(request, subprotocol, serve)
            return false
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
                withoutBody: true, keepsAlive: true,
                date: date.text(at: configuration.wallSeconds())))
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

    // MARK: Waiting

    private func wait() async {
        await withCheckedContinuation { continuation in
            if hasNews || !isStreamOpen { continuation.resume() } else { waiter = continuation }
            hasNews = false
        }
    }

    /// Ends the wait, or the next one: an `await` may let events in before it waits.
    private func wake() {
        guard let waiting = waiter else {
            hasNews = true
            return
        }
        waiter = nil
        waiting.resume()
    }

    /// Lets answers drain, so that a slow reader holds one in memory and not ten; what is small may
    /// wait, so that the answers to pipelined requests leave together.
    private func waitUntilWritten(butFor rest: Int) async {
        while isStreamOpen && stream.queuedByteCount > rest {
            stream.flushSoon()
            setDeadline(.writing(step: stream.queuedByteCount / Self.progressStep))
            await wait()
        }
        setDeadline(nil)
    }

    /// Says that no more will come and reads on until the peer has closed: closing over unread bytes
    /// would reset the connection and could destroy the last answer on its way.
    private func linger() async {
        isLingering = true
        await waitUntilWritten(butFor: 0)
        if isStreamOpen && !hasPeerEnded {
            stream.finishWriting()
            stream.resumeReading()
            timer?.start(after: Self.lingerTime)
            while isStreamOpen && !hasPeerEnded { await wait() }
        }
        closeStream()
    }

    // MARK: Events

    private func handle(_ event: ByteStream.Event) {
        switch event {
        case .opened: return
        case .bytes(let bytes):
            guard !isLingering else { return }
            parser.append(bytes.span)
            // Also while `run` waits: it is woken only when the loop has read all there is.
            if parser.bufferedByteCount > Self.readAhead { stream.pauseReading() }
        case .drained: break
        case .ended:
            hasPeerEnded = true
            // A peer that closes while its request is answered waits for no answer. A peer that closed only
            // its sending half still gets one, from every handler that takes no notice of cancellation.
            if !isWaitingForRequest { task?.cancel() }
        case .failed:
            task?.cancel()
            closeStream()
        }
        wake()
    }

    private var readingDeadline: Deadline {
        switch parser.progress {
        case .idle: hasServedRequest ? .idle : .head
        case .head: .head
        case .body(let byteCount): .body(step: byteCount / Self.progressStep)
        }
    }

    /// Starts the clock for a new stage; more of the same stage does not win more time.
    private func setDeadline(_ new: Deadline?) {
        let left = timeLeft
        timeLeft = nil
        guard new != deadline else {
            if let left { timer?.start(after: left) }
            return
        }
        deadline = new
        switch new {
        case nil: timer?.stop()
        case .idle: timer?.start(after: configuration.idleTime)
        case .head: timer?.start(after: configuration.headTime)
        case .body, .writing: timer?.start(after: configuration.bodyTime)
        }
    }

    private func pauseClock() {
        guard case .body = deadline, timeLeft == nil else { return }
        timeLeft = timer?.timeLeft
        timer?.stop()
    }

    private func deadlinePassed() {
        switch deadline {
        case .head where parser.progress != .idle, .body:
            isLingering = true
            refuse(HTTPRefusal(408, "The request took too long to arrive."))
        case .writing(let step) where stream.queuedByteCount / Self.progressStep < step:
            setDeadline(.writing(step: stream.queuedByteCount / Self.progressStep))
        case .idle, .head, .writing, nil: closeStream()
        }
        wake()
    }

    private func closeStream() {
        guard isStreamOpen else { return }
        isStreamOpen = false
        stream.close()
        timer?.close()
        timer = nil
        webSocket = nil
        wake()
        onEnd()
    }
}
