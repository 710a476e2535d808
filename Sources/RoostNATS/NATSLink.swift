// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
internal import RoostSockets

/// The socket of a connection to the bus: runs the effects of a `NATSMachine` on an event loop.
actor NATSLink {
    /// A thing on its way out, in the order of the calls.
    enum Outgoing: Sendable {
        case message([UInt8], subject: String)
        /// A ping for a caller that waits until the server has read everything before it.
        case ping(UInt64)
    }

    /// The things that wait for this actor, with the count of the refused messages.
    struct Outbox: Sendable {
        var queue: BoundedQueue<Outgoing>
        var refused: UInt64 = 0
    }

    private struct Flush {
        let continuation: CheckedContinuation<Bool, Never>
        let timer: LoopTimer
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe loop.asUnownedSerialExecutor()
    }

    nonisolated let loop: EventLoop
    nonisolated let outbox: Guarded<Outbox>
    private let settings: NATSSettings
    private let mailbox: Mailbox
    private var machine: NATSMachine
    private var parser = NATSParser()
    private var dialer: StreamDialer?
    private var stream: ByteStream?
    private var timer: LoopTimer?
    /// The end of the time within which the server has to take some of the written bytes.
    private var writeTimer: LoopTimer?
    private var writtenCount: UInt64 = 0
    /// The bytes that the kernel had taken at the start of `writeTimer`.
    private var takenCount: UInt64 = 0
    private var isHeld = true
    private var maxPayload = 0
    private var opening: CheckedContinuation<NATSError?, Never>?
    private var flushes: [UInt64: Flush] = [:]
    private var lastFlush: UInt64 = 0

    /// The written bytes that the kernel has not taken, above which messages wait in the outbox.
    private static let backlog = 262_144

    init(_ settings: NATSSettings, _ mailbox: Mailbox, on loop: EventLoop) throws(NATSError) {
        self.settings = settings
        self.mailbox = mailbox
        self.loop = loop
        machine = try NATSMachine(settings)
        var queue = BoundedQueue<Outgoing>(settings.outgoingLimit)
        queue.limit.bytes = min(settings.reconnectBytes, queue.limit.bytes)
        outbox = Guarded(Outbox(queue: queue))
    }

    // MARK: Calls

    /// Begins to connect, and waits for the first round of attempts.
    func open() async throws(NATSError) {
        do throws(SocketError) {
            // The end of the loop must reach the callers even while there is no socket.
            timer = try LoopTimer(
                on: loop,
                onStop: { [weak self] in
                    self?.assumeIsolated { $0.take(.failed(.loopStopped)) }
                }, action: { [weak self] in self?.assumeIsolated { $0.take(.timer) } })
            writeTimer = try LoopTimer(on: loop) { [weak self] in
                self?.assumeIsolated { $0.checkWriting() }
            }
        } catch {
            throw .closed
        }
        let failure = await withCheckedContinuation { continuation in
            opening = continuation
            take(.start)
        }
        if let failure { throw failure }
    }

    /// Sends the waiting messages, unless the connection is away or behind.
    ///
    /// The queue stays in the state of a drain meanwhile, so this actor goes on by itself.
    func drain() {
        while !isHeld, let stream, stream.queuedByteCount <= Self.backlog {
            guard let batch = outbox.withLock({ $0.queue.take() }) else { return }
            var bytes: [UInt8] = []
            for thing in batch { add(thing, to: &bytes) }
            write(bytes)
        }
    }

    private func add(_ thing: Outgoing, to bytes: inout [UInt8]) {
        switch thing {
        case .ping(let id):
            bytes += NATSRequest.ping
            take(.asked(id))
        case .message(let message, let subject):
            guard message.count <= maxPayload, NATSRequest.isSubject(subject) else {
                return outbox.withLock { $0.refused &+= 1 }
            }
            NATSRequest.add(message, to: subject, &bytes)
        }
    }

    /// Sends all waiting messages and waits until the server has read them.
    ///
    /// - Returns: Whether it answered in time.
    func flush(within time: Duration) async -> Bool {
        lastFlush &+= 1
        let id = lastFlush
        return await withCheckedContinuation { continuation in
            guard
                let timer = try? LoopTimer(
                    on: loop,
                    action: { [weak self] in
                        self?.assumeIsolated { $0.endFlush(id, hasAnswer: false) }
                    })
            else { return continuation.resume(returning: false) }
            flushes[id] = Flush(continuation: continuation, timer: timer)
            timer.start(after: time)
            switch outbox.withLock({ $0.queue.add([.ping(id)], bytes: 0, isSmall: true) }) {
            case .added(let startsDrain): if startsDrain { drain() }
            case .refused: endFlush(id, hasAnswer: false)
            }
        }
    }

    private func endFlush(_ id: UInt64, hasAnswer: Bool) {
        guard let flush = flushes.removeValue(forKey: id) else { return }
        flush.timer.close()
        flush.continuation.resume(returning: hasAnswer)
    }

    /// Ends the connection for good, after the messages so far if the server takes them in time.
    func close() async {
        if !isHeld { _ = await flush(within: settings.writeTime) }
        outbox.withLock { $0.queue.close() }
        take(.close)
        for id in flushes.keys.sorted() { endFlush(id, hasAnswer: false) }
        timer?.close()
        writeTimer?.close()
        (timer, writeTimer) = (nil, nil)
        mailbox.close()
    }

    // MARK: Effects

    private func take(_ input: NATSMachine.Input) {
        for effect in machine.handle(input) { run(effect) }
    }

    private func run(_ effect: NATSMachine.Effect) {
        switch effect {
        case .dial(let address, let time): dial(address, within: time)
        case .secure(let address): secure(address)
        case .write(let bytes): write(bytes)
        case .drop: drop()
        case .wait(let time): timer?.start(after: time)
        case .resume(let maxPayload): resume(maxPayload)
        case .hold: hold()
        case .deliver(let event): deliver(event)
        case .opened(let error):
            opening?.resume(returning: error)
            opening = nil
        case .answered(let id): endFlush(id, hasAnswer: true)
        }
    }

    private func dial(_ address: NATSAddress, within time: Duration) {
        let dialer = StreamDialer(
            SocketURL(host: address.host, port: address.port), tls: nil, on: loop)
        self.dialer = dialer
        dialer.assumeIsolated { dialer in
            dialer.dial(timeLimit: time) { [weak self] result in
                guard let self else {
                    if case .success(let stream) = result { stream.close() }
                    return
                }
                assumeIsolated { $0.didDial(result) }
            }
        }
    }

    private func didDial(_ result: Result<ByteStream, SocketError>) {
        dialer = nil
        switch result {
        case .success(let stream):
            self.stream = stream
            parser = NATSParser()
            stream.onEvent = { [weak self] event in self?.assumeIsolated { $0.handle(event) } }
            take(.dialed)
        case .failure(let error): take(.failed(error))
        }
    }

    private func secure(_ address: NATSAddress) {
        // Bytes behind the description came without TLS, and may be those of a stranger.
        guard let stream, parser.isEmpty else {
            return take(.violation("It speaks before the TLS handshake."))
        }
        do throws(SocketError) {
            let context =
                if let own = settings.tls { own } else { try TLSContext.systemTrust.get() }
            try stream.startTLS(context, serverName: address.certificateName)
        } catch {
            take(.failed(error))
        }
    }

    private func handle(_ event: ByteStream.Event) {
        switch event {
        case .opened: take(.secured)
        case .bytes(let bytes): receive(bytes)
        case .drained:
            writeTimer?.stop()
            drain()
        case .ended: take(.failed(.cut))
        case .failed(let error): take(.failed(error))
        }
    }

    private func receive(_ bytes: [UInt8]) {
        take(.heard)
        parser.append(bytes)
        let source = stream
        do throws(NATSViolation) {
            // A frame may end the connection, and with it this parser.
            while stream === source, let frame = try parser.next() { take(.frame(frame)) }
        } catch {
            take(.violation(error.message))
        }
    }

    private func write(_ bytes: [UInt8]) {
        guard let stream, !bytes.isEmpty else { return }
        if stream.queuedByteCount == 0 { startWriteTimer(stream) }
        writtenCount &+= UInt64(bytes.count)
        stream.write(bytes)
    }

    private func startWriteTimer(_ stream: ByteStream) {
        takenCount = writtenCount &- UInt64(stream.queuedByteCount)
        writeTimer?.start(after: settings.writeTime)
    }

    private func checkWriting() {
        guard let stream, stream.queuedByteCount > 0 else { return }
        // TLS makes the queue longer than what was written, which is no progress.
        let progress = writtenCount &- UInt64(stream.queuedByteCount) &- takenCount
        guard Int64(bitPattern: progress) > 0 else { return take(.stalled) }
        startWriteTimer(stream)
    }

    private func drop() {
        dialer?.assumeIsolated { $0.cancel() }
        stream?.close()
        (dialer, stream) = (nil, nil)
        timer?.stop()
        writeTimer?.stop()
    }

    private func resume(_ maxPayload: Int) {
        isHeld = false
        self.maxPayload = maxPayload
        mailbox.setConnected(true, maxPayload: maxPayload)
        outbox.withLock { $0.queue.limit.bytes = settings.outgoingLimit.bytes }
        drain()
    }

    /// Keeps messages back; the pings of callers that were written have no answer any more.
    private func hold() {
        isHeld = true
        mailbox.setConnected(false)
        outbox.withLock { outbox in
            outbox.queue.limit.bytes = min(
                settings.reconnectBytes, settings.outgoingLimit.bytes)
        }
        for id in flushes.keys.sorted() { endFlush(id, hasAnswer: false) }
    }

    private func deliver(_ event: NATSEvent) {
        if case .message(let bytes) = event {
            mailbox.post(event, bytes: bytes.count)
        } else {
            mailbox.post(event)
        }
    }
}

extension SocketError {
    fileprivate static let cut = SocketError(
        .connectionLost, "The server of the bus closed the connection.")
}
