// SPDX-License-Identifier: Apache-2.0

/// A connection as HTTP and WebSocket see it: plain bytes both ways, TLS or not.
///
/// Writes of one turn are gathered and go out as one. Events come on the loop's thread; after
/// `.ended` only writes make sense, after `.failed` nothing does.
///
/// - Invariant: Touched on the loop's thread only (its streams and timers assert it). That
///   confinement is what `@unchecked Sendable` rests on.
final class ByteStream: @unchecked Sendable {
    enum Event: Sendable {
        /// Bytes can flow: TCP is connected, and TLS, if any, has agreed and verified.
        case opened
        case bytes([UInt8])
        /// All that was written is with the kernel.
        case drained
        case ended
        case failed(SocketError)
    }

    var onEvent: (@Sendable (Event) -> Void)?
    private let loop: EventLoop
    private let tcp: TCPStream
    private var tls: TLSStream?
    private var outgoing: [UInt8] = []
    private var isFlushScheduled = false
    private var isFinishing = false
    private var isOpen = false

    /// Wraps a connection; with `tls` the handshake starts by itself once TCP is up.
    init(_ tcp: TCPStream, tls: TLSStream?, on loop: EventLoop) {
        self.tcp = tcp
        self.tls = tls
        self.loop = loop
        tcp.onEvent = { [weak self] in self?.handle($0) }
    }

    /// What this end has written and the kernel has not yet taken.
    var queuedByteCount: Int { outgoing.count + tcp.queuedByteCount }

    /// Begins to read on an accepted connection; the counterpart of a client's `.connected`.
    func start() {
        tcp.startReading()
        guard tls != nil else { return open() }
        advanceTLS(receiving: [])
    }

    func pauseReading() { tcp.stopReading() }
    func resumeReading() { tcp.startReading() }

    /// Queues bytes for the end of this turn.
    func write(_ bytes: [UInt8]) {
        if outgoing.isEmpty { outgoing = bytes } else { outgoing += bytes }
        flushSoon()
    }

    /// Sees to it that `flush` runs at the end of this turn, and `.drained` comes when all is out.
    func flushSoon() {
        guard !isFlushScheduled else { return }
        isFlushScheduled = true
        loop.flushAtEndOfTurn(self)
    }

    func flush() {
        isFlushScheduled = false
        guard !outgoing.isEmpty else { return drainIfEmpty() }
        let bytes = outgoing
        outgoing = []
        guard let tls else {
            tcp.write(bytes)
            return drainIfEmpty()
        }
        do throws(SocketError) {
            try tls.send(bytes)
            tcp.write(tls.takeOutput())
            drainIfEmpty()
        } catch {
            fail(error)
        }
    }

    private func drainIfEmpty() {
        guard queuedByteCount == 0 else { return }
        handle(.drained)
    }

    /// Sends what is queued, says goodbye, and lets the peer close; the owner closes in the end.
    func finishWriting() {
        guard !isFinishing else { return }
        isFinishing = true  // First, as `.drained` may lead back here.
        flush()
        if let tls {
            tls.sayGoodbye()
            tcp.write(tls.takeOutput())
        }
        tcp.finishWriting()
    }

    /// Cuts the connection; nothing is sent and no event follows.
    func close() {
        onEvent = nil
        outgoing = []
        tcp.close()
    }

    private func handle(_ event: TCPStream.Event) {
        switch event {
        case .connected: start()
        case .bytes(let bytes):
            if tls == nil { onEvent?(.bytes(bytes)) } else { advanceTLS(receiving: bytes) }
        case .drained:
            if isOpen && outgoing.isEmpty { onEvent?(.drained) }
        case .ended:
            if isOpen {
                onEvent?(.ended)
            } else {
                fail(
                    SocketError(
                        .tlsFailure,
                        "The peer closed during the TLS handshake; check that it speaks TLS."))
            }
        case .failed(let error): fail(error)
        }
    }

    private func advanceTLS(receiving bytes: [UInt8]) {
        guard let tls else { return }
        do throws(SocketError) {
            let plain = try tls.receive(bytes)
            tcp.write(tls.takeOutput())
            if tls.isEstablished { open() }
            if !plain.isEmpty { onEvent?(.bytes(plain)) }
            if tls.hasPeerSaidGoodbye { onEvent?(.ended) }
        } catch {
            tcp.write(tls.takeOutput())  // The alert that tells the peer why.
            fail(error)
        }
    }

    private func open() {
        guard !isOpen else { return }
        isOpen = true
        onEvent?(.opened)
    }

    private func fail(_ error: SocketError) {
        let report = onEvent
        close()
        report?(.failed(error))
    }
}
