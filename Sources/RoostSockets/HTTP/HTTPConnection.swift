// SPDX-License-Identifier: Apache-2.0

/// A connection of a server, which reads requests and has them answered one after another.
///
/// One task runs it from the first byte to the last. So answers keep their order, and a pipelined
/// request waits, unparsed, for the one before.
actor HTTPConnection {
    private enum Deadline: Equatable {
        case idle
        case head
        /// Reading a body; `step` grows with every 16 KiB and restarts the time.
        case body(step: Int)
        case writing(step: Int)
    }

    /// The stage of a body that its handler reads in pieces: more is to come, all of it was read,
    /// or the rest will not come.
    enum BodyStage { case ahead, read, cut }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    let loop: EventLoop
    let stream: ByteStream
    let configuration: HTTPServer.Configuration
    let handler: any HTTPServerHandler
    private let onEnd: @Sendable () -> Void
    private let peer: String
    let deflate: WebSocketDeflate?

    var parser: HTTPRequestParser
    private var date = HTTPDate()
    private var task: Task<Void, Never>?
    var webSocket: WebSocketConnection?
    private var timer: LoopTimer?
    private var deadline: Deadline?
    /// The end of the time for the answer on its way.
    private var writingEnd = ContinuousClock.now
    /// The client's remaining time for a body while the handler works on a piece; nil while the
    /// clock runs.
    private var timeLeft: Duration?
    /// The continuation of `run`, resumed by bytes, room or the end.
    private var waiter: CheckedContinuation<Void, Never>?
    private var hasEvents = false
    private(set) var isStreamOpen = true
    private var isWaitingForRequest = false
    private(set) var isShuttingDown = false
    private var isLingering = false
    private(set) var hasPeerEnded = false
    private var hasServedRequest = false
    var bodyStage = BodyStage.read

    /// The greatest number of unparsed bytes.
    private static let readAhead = 65_536
    /// The greatest number of unwritten bytes of answers while the next request is read.
    private static let writeAhead = 65_536
    private static let progressStep = 16_384
    /// The time that a peer may take to close after the last answer.
    private static let lingerTime: Duration = .seconds(2)

    /// Takes over an accepted stream.
    init(
        _ stream: ByteStream, from peer: String, _ configuration: HTTPServer.Configuration,
        handler: any HTTPServerHandler, deflate: WebSocketDeflate?, on loop: EventLoop,
        onEnd: @escaping @Sendable () -> Void
    ) {
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
        // The task ends with the stream, which always ends: by the peer, a deadline or a shutdown.
        // With the preference, handlers between two actor steps also stay on this thread.
        task = Task(executorPreference: loop) { await self.run() }
        stream.start()
    }

    /// Ends a WebSocket with 1001; other connections go on.
    func retire() {
        webSocket?.assumeIsolated {
            $0.beginClose(.goingAway, reason: "shutting down", then: nil)
        }
    }

    /// The number of written bytes that the kernel has not taken yet.
    var unsentBytes: Int { stream.queuedByteCount }

    /// Whether the connection has become a WebSocket.
    var isWebSocket: Bool { webSocket != nil }

    /// Finishes the current answer and ends the connection.
    func shutDown() {
        isShuttingDown = true
        if isWebSocket {
            retire()
        } else if isWaitingForRequest && parser.progress == .idle {
            // If an answer is still being sent, `run` sends it first.
            if stream.queuedByteCount == 0 { closeStream() } else { wake() }
        }
    }

    /// Ends the connection at once and cancels the handler.
    func cut() {
        task?.cancel()
        // A WebSocket ends the stream itself, so that its waiting callers are resumed.
        webSocket?.assumeIsolated { $0.closeStream() }
        closeStream()
    }

    // MARK: Requests and answers

    /// An answer that the stream has, but for the rest of its body.
    struct Answer {
        let keepsAlive: Bool
        /// The source of the rest of the body.
        let source: HTTPBodySource?
        /// The lease of the response, which ends with this value.
        let lease: (any Sendable)?
    }

    private func run() async {
        while let answer = await nextAnswer(), await finish(answer) {}
        await linger()
    }

    /// Has the next request answered; nil at the end of the conversation.
    ///
    /// Request and response end with this call, so a slow reader holds an answer in memory once.
    private func nextAnswer() async -> Answer? {
        switch await nextEvent() {
        case .request(var request):
            hasServedRequest = true
            request.peer = peer
            if WebSocketHandshake.isUpgrade(request) { return await upgrade(request) }
            return write(await handler.respond(to: request), to: request)
        case .head(var head):
            hasServedRequest = true
            head.peer = peer
            return await answerReading(head)
        case .piece, .end, .expectsContinue, .refused, nil: return nil
        }
    }

    /// Returns the next event for a handler; nil at the end.
    func nextEvent() async -> HTTPRequestParser.Event? {
        isWaitingForRequest = true
        defer { isWaitingForRequest = false }
        while isStreamOpen {
            // The deadline has refused the request, also if its last bytes came in the same turn.
            guard !isLingering else {
                setDeadline(nil)
                return nil
            }
            switch parser.next() {
            // The clock of a body pauses while the handler works. It is not restarted, or a sender
            // of single bytes would gain the whole time with each.
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
                if hasPeerEnded || isShuttingDown && parser.progress == .idle {
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

    /// Writes an answer, the last one if `isLast`; nil if the stream is closed.
    func write(
        _ response: HTTPServerResponse, to request: HTTPServerRequest, isLast: Bool = false
    ) -> Answer? {
        guard isStreamOpen else { return nil }
        let keepsAlive = request.keepsAlive && !isShuttingDown && !isLast
        let withoutBody = request.method == "HEAD"
        stream.write(
            HTTPResponseWriter.bytes(
                of: response, withoutBody: withoutBody, keepsAlive: keepsAlive, date: dateText()))
        return Answer(
            keepsAlive: keepsAlive, source: withoutBody ? nil : response.source,
            lease: response.lease)
    }

    /// The value of the header `Date`.
    func dateText() -> String { date.text(at: configuration.wallSeconds()) }

    /// Waits for the way of an answer; returns whether the connection can be used again.
    private func finish(_ answer: Answer) async -> Bool {
        await waitUntilWritten(butFor: Self.writeAhead)
        if let source = answer.source { await send(source) }
        return answer.keepsAlive && isStreamOpen
    }

    /// Sends a body from its source, which is read no faster than the client reads.
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
                withoutBody: false, keepsAlive: false, date: dateText()))
    }

    // MARK: Waiting

    private func wait() async {
        await withCheckedContinuation { continuation in
            if hasEvents || !isStreamOpen { continuation.resume() } else { waiter = continuation }
            hasEvents = false
        }
    }

    /// Ends the current wait or the next one, because events may arrive before the wait begins.
    private func wake() {
        guard let waiting = waiter else {
            hasEvents = true
            return
        }
        waiter = nil
        waiting.resume()
    }

    /// Waits until at most `rest` bytes of answers are unwritten.
    ///
    /// A slow reader then holds one answer in memory, not ten. Small answers to pipelined requests
    /// may leave together.
    private func waitUntilWritten(butFor rest: Int) async {
        // Progress alone would let the reader of a large answer take hours.
        writingEnd = ContinuousClock.now + configuration.answerTime(of: stream.queuedByteCount)
        while isStreamOpen && stream.queuedByteCount > rest {
            // Requests behind this one wake the wait and restart the clock of a step.
            guard ContinuousClock.now < writingEnd else { return closeStream() }
            stream.flushSoon()
            setDeadline(.writing(step: stream.queuedByteCount / Self.progressStep))
            await wait()
        }
        setDeadline(nil)
    }

    /// Sends the end of the stream and reads on until the peer has closed.
    ///
    /// Closing over unread bytes would reset the connection and could destroy the last answer.
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
            // Reading pauses even while `run` waits for bytes: the loop may read far more before it
            // resumes `run`, which then resumes the reading.
            if parser.bufferedByteCount > Self.readAhead { stream.pauseReading() }
        case .drained: break
        case .ended:
            hasPeerEnded = true
            // A peer that closes during its request waits for no answer. A peer that closed its
            // sending half only still gets one, from every handler that ignores cancellation.
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

    /// Starts the clock of a new stage; repeating a stage gains no time.
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

    /// Stops the clock of a body; `setDeadline` with the same stage continues it.
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
        // The peer has read on since the clock was started.
        case .writing(let step)
        where stream.queuedByteCount / Self.progressStep < step && ContinuousClock.now < writingEnd:
            setDeadline(.writing(step: stream.queuedByteCount / Self.progressStep))
        case .idle, .head, .writing, nil: closeStream()
        }
        wake()
    }

    func closeStream() {
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
