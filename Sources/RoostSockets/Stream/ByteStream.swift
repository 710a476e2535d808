// SPDX-License-Identifier: Apache-2.0

/// A connection for HTTP and WebSocket: plain bytes both ways, with or without TLS.
///
/// The writes of one turn leave together. Events come on the loop's thread; after `.ended` only
/// writes are possible, after `.failed` nothing.
///
/// - Invariant: Used on the loop's thread only, which its streams and timers assert. `@unchecked
///   Sendable` relies on that confinement.
package final class ByteStream: @unchecked Sendable {
    package enum Event: Sendable {
        /// TCP is connected, and TLS, if any, is established and verified.
        case opened
        case bytes([UInt8])
        /// All written bytes are with the kernel.
        case drained
        /// The peer sends no more bytes.
        ///
        /// The end is clean if TLS has said goodbye; anybody on the way can end TCP. Without TLS
        /// every end counts as clean, because nothing tells the two apart.
        case ended(isClean: Bool)
        case failed(SocketError)
    }

    package var onEvent: (@Sendable (Event) -> Void)?
    /// Takes the number of bytes of each write, those of TLS's own answers included.
    var onWrite: (@Sendable (Int) -> Void)?
    private let loop: EventLoop
    private let tcp: TCPStream
    private var tls: TLSStream?
    private var outgoing: [UInt8] = []
    private var isFlushScheduled = false
    private var isFinishing = false
    private var isOpen = false
    /// The bytes of TLS's own answers since the kernel last had all bytes.
    private var answeredBytes = 0
    /// The greatest number of such bytes: far above a handshake and honest key updates.
    private static let answerLimit = 65_536

    /// Creates a stream; with `tls` the handshake starts automatically once TCP is connected.
    init(_ tcp: TCPStream, tls: TLSStream?, on loop: EventLoop) {
        self.tcp = tcp
        self.tls = tls
        self.loop = loop
        tcp.onEvent = { [weak self] in self?.handle($0) }
    }

    /// The number of written bytes that the kernel has not taken yet.
    package var queuedByteCount: Int { outgoing.count + tcp.queuedByteCount }

    /// Starts reading on an accepted connection; the counterpart of a client's `.connected`.
    func start() {
        tcp.startReading()
        guard tls != nil else { return open() }
        advanceTLS(receiving: [])
    }

    /// Begins TLS as a client on an open stream without it; `.opened` comes again, or `.failed`.
    ///
    /// - Throws: `.tlsFailure` if the name cannot be one.
    /// - Precondition: All written bytes are with the kernel.
    package func startTLS(_ context: TLSContext, serverName: String) throws(SocketError) {
        precondition(tls == nil && outgoing.isEmpty, "TLS begins on a plain and quiet stream.")
        tls = try TLSStream(context, serverName: serverName)
        isOpen = false
        advanceTLS(receiving: [])
    }

    func pauseReading() { tcp.stopReading() }

    /// Reads on; behind the peer's goodbye nothing is left to read.
    func resumeReading() {
        if tls?.hasPeerSaidGoodbye != true { tcp.startReading() }
    }

    /// Queues bytes for the end of this turn.
    package func write(_ bytes: [UInt8]) {
        if outgoing.isEmpty { outgoing = bytes } else { outgoing += bytes }
        flushSoon()
        onWrite?(bytes.count)
    }

    /// Schedules `flush` for the end of this turn; `.drained` follows when everything is written.
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

    /// Sends the queued bytes and the end of the stream; the owner closes it afterwards.
    func finishWriting() {
        guard !isFinishing else { return }
        isFinishing = true  // Set first, because `.drained` may lead back here.
        flush()
        if let tls {
            tls.sayGoodbye()
            tcp.write(tls.takeOutput())
        }
        tcp.finishWriting()
    }

    /// Cuts the connection; nothing is sent and no event follows.
    package func close() {
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
                onEvent?(.ended(isClean: tls?.hasPeerSaidGoodbye ?? true))
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
        // OpenSSL takes nothing behind the goodbye, so its buffer would only grow.
        guard let tls, !tls.hasPeerSaidGoodbye else { return }
        do throws(SocketError) {
            let plain = try tls.receive(bytes)
            try answer(tls.takeOutput())
            if tls.isEstablished { open() }
            if !plain.isEmpty { onEvent?(.bytes(plain)) }
            if tls.hasPeerSaidGoodbye {
                tcp.stopReading()
                onEvent?(.ended(isClean: true))
            }
        } catch {
            tcp.write(tls.takeOutput())  // The alert with the reason for the peer.
            fail(error)
        }
    }

    /// Sends TLS's own answer to the peer's bytes.
    ///
    /// TLS answers a request for new keys at once. A peer that sends many and reads no answer would
    /// fill memory, past the bounds for messages and responses.
    private func answer(_ bytes: [UInt8]) throws(SocketError) {
        guard !bytes.isEmpty else { return }
        tcp.write(bytes)
        onWrite?(bytes.count)
        answeredBytes = tcp.queuedByteCount == 0 ? 0 : answeredBytes + bytes.count
        guard answeredBytes <= Self.answerLimit else {
            throw SocketError(
                .peerTooSlow, "The peer asks for new keys and does not read; connect again.")
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
