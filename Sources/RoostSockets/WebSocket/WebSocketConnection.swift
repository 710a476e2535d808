// SPDX-License-Identifier: Apache-2.0

/// An open WebSocket, at either end.
///
/// Its state lives on the thread of its event loop. It pulls: if nothing receives and the queue is
/// full, the socket is not read, and the peer waits. Outgoing bytes have a limit: a peer that reads
/// too slowly is closed with 1013. Dropping the last reference cuts the connection.
package actor WebSocketConnection {
    private enum Phase {
        case open
        /// This end's close frame is sent; the peer's answer is awaited.
        case closing
        /// The result of `receive` once the queue is empty.
        case ended(SocketError?)
    }

    private struct Receiver {
        let ticket: UInt64
        let continuation: CheckedContinuation<Result<WebSocketMessage?, SocketError>, Never>
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    private let loop: EventLoop
    private let stream: ByteStream
    private let codec: WebSocketCodec
    private let limits: WebSocketLimits
    /// The subprotocol that both ends agreed on.
    package nonisolated let subprotocol: String?
    /// The peer in error messages.
    private let peer: String

    private var phase = Phase.open
    private var queue: WebSocketQueue
    private var receiver: Receiver?
    private var lastTicket: UInt64 = 0
    private var closeWaiters: [CheckedContinuation<Void, Never>] = []
    private var closeTimer: LoopTimer?
    private var isStreamOpen = true
    /// Whether nothing is read or sent any more, after the close frames or a violation.
    private var isFinished = false
    private var hasPeerEnded = false
    /// Whether bytes of both directions are dropped.
    private var isSilent = false
    private var onEnd: (@Sendable () -> Void)?

    /// The number of pieces of bytes that have arrived; it grows while the peer is alive.
    package private(set) var heardCount = 0

    /// The code in the peer's close frame; nil before it arrived, and if it had none.
    package private(set) var closeCode: UInt16?

    /// Takes over a stream whose HTTP upgrade is done.
    ///
    /// Call `start` next, on the loop's thread.
    init(
        stream: ByteStream, role: WebSocketCodec.Role, subprotocol: String?, peer: String,
        limits: WebSocketLimits, deflate: WebSocketDeflate? = nil, on loop: EventLoop
    ) {
        self.loop = loop
        self.stream = stream
        self.subprotocol = subprotocol
        self.peer = peer
        self.limits = limits
        queue = WebSocketQueue(
            messageLimit: limits.incomingMessages, byteLimit: limits.incomingBytes)
        codec = WebSocketCodec(
            role: role, messageBytes: limits.messageBytes, deflate: deflate,
            random: Digest.randomBytes)
    }

    deinit {
        let (stream, timer) = (stream, closeTimer)
        loop.execute {
            stream.close()
            timer?.close()
        }
    }

    /// Starts the connection, with the bytes behind the handshake.
    func start(with rest: [UInt8], onEnd: (@Sendable () -> Void)?) {
        self.onEnd = onEnd
        stream.onEvent = { [weak self] event in
            self?.assumeIsolated { $0.handle(event) }
        }
        if !rest.isEmpty { received(rest) }
        readIfRoom()
    }

    // MARK: Receiving

    /// Returns the next message; nil after a close by either end.
    ///
    /// One caller at a time. Cancelling loses no message and leaves the connection open.
    ///
    /// - Throws: `.connectionLost` if the connection broke without a close; `.protocolViolation`,
    ///   `.peerTooSlow`, `.cancelled`.
    package func receive() async throws(SocketError) -> WebSocketMessage? {
        if let result = resultAtHand() { return try result.get() }
        lastTicket += 1
        let ticket = lastTicket
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Checked again, because other work may have run before.
                if let result = resultAtHand() { return continuation.resume(returning: result) }
                precondition(receiver == nil, "A WebSocket has one receiver at a time.")
                receiver = Receiver(ticket: ticket, continuation: continuation)
                readIfRoom()
            }
        } onCancel: {
            // The ticket keeps a late cancellation from ending another call's wait.
            loop.execute { [weak self] in self?.assumeIsolated { $0.cancelReceiver(ticket) } }
        }
        return try result.get()
    }

    /// Returns the result of `receive` if it needs no wait.
    private func resultAtHand() -> Result<WebSocketMessage?, SocketError>? {
        if Task.isCancelled { return .failure(.cancelled) }
        if let message = queue.removeFirst() {
            readIfRoom()
            return .success(message)
        }
        guard case .ended(let error) = phase else { return nil }
        return error.map { .failure($0) } ?? .success(nil)
    }

    private func cancelReceiver(_ ticket: UInt64) {
        guard receiver?.ticket == ticket else { return }
        resumeReceiver(.failure(.cancelled))
    }

    private func resumeReceiver(_ result: Result<WebSocketMessage?, SocketError>) {
        let waiting = receiver
        receiver = nil
        waiting?.continuation.resume(returning: result)
    }

    private func readIfRoom() {
        guard isStreamOpen else { return }
        if queue.hasRoom { stream.resumeReading() } else { stream.pauseReading() }
    }

    // MARK: Sending

    /// Sends a text message.
    ///
    /// The call returns once the bytes are in the kernel or in the bounded queue, which does not
    /// mean that the peer has them. Messages keep the order of the calls.
    ///
    /// - Throws: `.closed` after a close. `.peerTooSlow` if the queue is full: the message is not
    ///   sent, and the connection is being closed with 1013. Otherwise the reason for the end of
    ///   the connection.
    package func send(_ text: String) async throws(SocketError) {
        try sendNow(.text(text))
    }

    /// Sends a message of either kind; see `send(_:)` for text.
    package func send(_ message: WebSocketMessage) async throws(SocketError) {
        try sendNow(message)
    }

    /// Sends a text message from the loop's thread without reporting the outcome; a failure ends
    /// the connection, and `receive` throws it.
    package func post(_ text: String) { try? sendNow(.text(text)) }

    /// Sends a ping, whose answer counts in `heardCount`.
    package func postPing() {
        guard case .open = phase, !isSilent, stream.queuedByteCount < limits.outgoingBytes else {
            return
        }
        codec.sendPing()
        stream.write(codec.takeOutput())
    }

    /// Sends a close frame behind the sent messages, without waiting for the end.
    package func post(_ code: WebSocketCloseCode) { beginClose(code, reason: "", then: nil) }

    private func sendNow(_ message: WebSocketMessage) throws(SocketError) {
        switch phase {
        case .open: break
        case .closing: throw .closedHere
        case .ended(let error): throw error ?? .closedHere
        }
        if isSilent { return }
        guard stream.queuedByteCount + message.byteCount <= limits.outgoingBytes else {
            let error = SocketError(
                .peerTooSlow,
                "\(peer) reads too slowly: \(limits.outgoingBytes) bytes wait for it. It is being "
                    + "disconnected, and can catch up when it connects again.")
            beginClose(.tryAgainLater, reason: "too slow", then: error)
            throw error
        }
        guard codec.send(message) else { throw .closedHere }
        stream.write(codec.takeOutput())
    }

    // MARK: Closing

    /// Closes the connection: sends a close frame and waits for the peer's, for a limited time.
    ///
    /// The call returns when the connection is gone. Unreceived messages are dropped; a waiting
    /// `receive` returns nil. Repeated calls are harmless.
    package func close(
        code: WebSocketCloseCode = .normal, reason: String = ""
    ) async {
        beginClose(code, reason: reason, then: nil)
        await withCheckedContinuation { continuation in
            if isStreamOpen { closeWaiters.append(continuation) } else { continuation.resume() }
        }
    }

    /// Starts a close without waiting for its end.
    func beginClose(_ code: WebSocketCloseCode, reason: String, then error: SocketError?) {
        guard case .open = phase else { return }
        phase = error.map { .ended($0) } ?? .closing
        codec.sendClose(code: code.rawValue, reason: reason)
        write(codec.takeOutput())
        queue.removeAll()
        startCloseTimer()
        if let error { resumeReceiver(.failure(error)) } else { resumeReceiver(.success(nil)) }
        // The peer's close frame may follow messages that are no longer needed.
        readIfRoom()
    }

    /// Drops all further bytes of both directions and leaves the socket open, as a network does
    /// that has lost the connection.
    ///
    /// The peer's end is still noticed. A close of this end cuts the connection after its time.
    package func fallSilent() { isSilent = true }

    private func write(_ bytes: [UInt8]) { if !isSilent { stream.write(bytes) } }

    private func startCloseTimer() {
        guard isStreamOpen, closeTimer == nil else { return }
        do throws(SocketError) {
            closeTimer = try LoopTimer(on: loop) { [weak self] in
                self?.assumeIsolated { $0.closeStream() }
            }
            closeTimer?.start(after: limits.closeTime)
        } catch {
            closeStream()  // The loop is stopping, so no wait is possible.
        }
    }

    // MARK: Events of the stream

    private func handle(_ event: ByteStream.Event) {
        switch event {
        case .opened: return
        case .bytes(let bytes): received(bytes)
        case .drained: if isFinished { finishStream() }
        case .ended where isFinished:
            hasPeerEnded = true
            finishStream()
        case .ended, .failed: lost(event)
        }
    }

    private func received(_ bytes: [UInt8]) {
        if isSilent { return }
        heardCount &+= 1
        let events = codec.receive(bytes)
        let output = codec.takeOutput()
        if !output.isEmpty { stream.write(output) }
        for event in events {
            switch event {
            case .message(let message): deliver(message)
            case .closed(let code, _):
                closeCode = code
                finish(nil)
            case .violation(let code):
                finish(
                    SocketError(
                        .protocolViolation(code: code),
                        "\(peer) broke the WebSocket protocol; the connection was closed with \(code)."
                    ))
            }
        }
        guard isStreamOpen else { return }
        if stream.queuedByteCount > limits.outgoingBytes {
            closeStream()  // A peer that pings and never reads the pongs.
        } else {
            readIfRoom()
        }
    }

    private func deliver(_ message: WebSocketMessage) {
        guard case .open = phase else { return }
        if receiver != nil {
            resumeReceiver(.success(message))
        } else {
            queue.append(message)
        }
    }

    /// Sends the rest and the end of the stream, and waits for the peer's.
    private func finish(_ error: SocketError?) {
        isFinished = true
        end(with: error)
        startCloseTimer()
        finishStream()
    }

    /// Reads on until the peer has closed too.
    ///
    /// A close with unread bytes would reset the connection and could overtake the close frame. The
    /// close timer bounds the wait.
    private func finishStream() {
        guard isStreamOpen else { return }
        if stream.queuedByteCount > 0 { return stream.flushSoon() }
        if hasPeerEnded { return closeStream() }
        stream.finishWriting()
        stream.resumeReading()
    }

    private func lost(_ event: ByteStream.Event) {
        if case .failed(let error) = event, error.kind == .loopStopped {
            end(with: .loopStopped)
        } else {
            end(
                with: SocketError(
                    .connectionLost, "The connection to \(peer) broke; connect again."))
        }
        closeStream()
    }

    private func end(with error: SocketError?) {
        switch phase {
        case .open: phase = .ended(error)
        case .closing: phase = .ended(nil)  // This end has closed.
        case .ended: return
        }
        if case .ended(let error?) = phase {
            resumeReceiver(.failure(error))
        } else {
            resumeReceiver(.success(nil))
        }
    }

    /// Cuts the connection and ends every wait; an earlier reason for the end stays.
    func closeStream() {
        guard isStreamOpen else { return }
        isStreamOpen = false
        stream.close()
        closeTimer?.close()
        closeTimer = nil
        end(with: SocketError(.connectionLost, "The connection to \(peer) was cut; connect again."))
        let waiters = closeWaiters
        closeWaiters = []
        for waiter in waiters { waiter.resume() }
        onEnd?()
        onEnd = nil
    }
}
