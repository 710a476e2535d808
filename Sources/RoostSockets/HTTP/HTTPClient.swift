// SPDX-License-Identifier: Apache-2.0

// URLSession on Linux decodes a body on a thread of its own and queues the pieces without a bound.
// It also decompresses unasked. So it holds gigabytes before a delegate can refuse a byte. Here the
// callback that reads a body counts it.

/// A request of a client.
package struct HTTPClientRequest: Sendable {
    package enum Body: Sendable {
        /// No body and no `Content-Length`.
        case none
        case bytes([UInt8])
        /// A body that is read while it is sent.
        ///
        /// `next` returns no bytes at the end, and nil if the body cannot be read. The pieces have
        /// `length` bytes together.
        case pieces(length: Int64, next: @Sendable () async -> [UInt8]?)
    }

    package var method: String
    /// The URL: `http` or `https`, percent-encoded.
    package var url: String
    /// The headers beside `Host`, `Accept-Encoding`, `Content-Length` and `Connection`, which the
    /// client sets.
    package var headers: HTTPHeaders
    package var body: Body
    /// The time from the call to the last byte of the answer; for a body in pieces the limit of
    /// each piece, and then of the whole answer.
    package var timeLimit: Duration
    /// The greatest size of the answer's body in bytes.
    package var answerBytes: Int

    package init(
        method: String = "GET", url: String, headers: HTTPHeaders = [:], body: Body = .none,
        timeLimit: Duration, answerBytes: Int
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeLimit = timeLimit
        self.answerBytes = answerBytes
    }

    /// Whether the request only reads, so that the server may get it twice.
    ///
    /// No other request is harmless by its method: a PUT can add to a number or mark as read up to
    /// now, and a second DELETE is refused. Its caller knows its meaning, and repeats it if that
    /// does no harm.
    var isQuestion: Bool { method == "GET" || method == "HEAD" }
}

/// The complete answer to a request.
package struct HTTPClientResponse: Sendable, Hashable {
    package var status: Int
    package var headers: HTTPHeaders
    package var body: [UInt8]

    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// An HTTP/1.1 client on one event loop, which keeps connections for later requests.
///
/// It follows no redirect, keeps no cookies and no cache, and asks for no compression.
package actor HTTPClient {
    /// The peer of a connection.
    struct Origin: Hashable, Sendable {
        let isSecure: Bool
        let host: String
        let port: UInt16
    }

    private struct Idle {
        let id: Int
        let stream: ByteStream
        let timer: LoopTimer
        let end: ContinuousClock.Instant
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    /// The time for which an idle connection is kept; shorter than servers and proxies keep one.
    private static let idleTime: Duration = .seconds(30)

    private let loop: EventLoop
    private let tls: TLSContext?
    private let idleLimit: Int
    /// The time, which goes on while the machine sleeps; timers stand still.
    private let now: @Sendable () -> ContinuousClock.Instant
    private var idle: [Origin: [Idle]] = [:]
    private var lastID = 0

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - loop: The loop of the connections; its owner shuts it down.
    ///   - tls: The trusted certificates for `https`; nil means those of the system.
    ///   - idleLimit: The greatest number of idle connections to one origin; enough for a client's
    ///     simultaneous calls.
    ///   - now: The clock of idle connections.
    package init(
        on loop: EventLoop, tls: TLSContext? = nil, idleLimit: Int = 8,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.loop = loop
        self.tls = tls
        self.idleLimit = idleLimit
        self.now = now
    }

    deinit {
        let left = idle.values.joined().map { ($0.stream, $0.timer) }
        loop.execute {
            for (stream, timer) in left {
                stream.close()
                timer.close()
            }
        }
    }

    /// Sends a request and waits for its answer.
    ///
    /// A GET or HEAD whose kept connection breaks before the answer begins is sent once more. Any
    /// other request is sent at most once.
    ///
    /// - Throws: `.invalidURL`, `.nameNotFound`, `.refused`, `.unreachable`, `.timedOut`,
    ///   `.untrusted`, `.tlsFailure`, `.protocolViolation`, `.answerTooLarge`, `.bodyUnreadable`,
    ///   `.connectionLost`, `.cancelled` or `.loopStopped`. The request may have arrived.
    package func send(_ request: HTTPClientRequest) async throws(SocketError) -> HTTPClientResponse
    {
        let url = try SocketURL(request.url, .http)
        guard request.headers.isSendable, !request.method.isEmpty,
            request.method.utf8.allSatisfy(\.isTokenByte)
        else {
            throw SocketError(
                .invalidURL, "A header holds a character that cannot be sent; percent-encode it.")
        }
        let exchange = HTTPExchange(
            request, to: url, tls: try StreamDialer.context(for: url, tls), of: self, on: loop)
        return try await exchange.run()
    }

    /// Returns the idle connection that was used last; the caller owns it and sets its `onEvent` at
    /// once.
    ///
    /// Connections from before a sleep of the machine lead nowhere and are closed.
    func takeIdle(_ origin: Origin) -> ByteStream? {
        guard let last = idle[origin]?.last else { return nil }
        guard now() < last.end else {
            dropIdle(to: origin)
            return nil
        }
        idle[origin]?.removeLast()
        forgetIfEmpty(origin)
        last.timer.close()
        return last.stream
    }

    /// Closes the idle connections to an origin.
    func dropIdle(to origin: Origin) {
        for dropped in idle.removeValue(forKey: origin) ?? [] {
            dropped.stream.close()
            dropped.timer.close()
        }
    }

    /// Keeps a connection between two requests.
    func keep(_ stream: ByteStream, to origin: Origin) {
        lastID += 1
        let id = lastID
        let drop: @Sendable () -> Void = { [weak self] in
            self?.assumeIsolated { $0.drop(id, origin) }
        }
        do throws(SocketError) {
            guard idle[origin, default: []].count < idleLimit else { return stream.close() }
            let timer = try LoopTimer(on: loop, action: drop)
            timer.start(after: Self.idleTime)
            stream.onEvent = { event in
                switch event {
                case .opened, .drained: return
                // Bytes between two requests belong to no answer.
                case .bytes, .ended, .failed: drop()
                }
            }
            idle[origin, default: []].append(
                Idle(id: id, stream: stream, timer: timer, end: now() + Self.idleTime))
        } catch {
            stream.close()  // The loop is stopping.
        }
    }

    private func drop(_ id: Int, _ origin: Origin) {
        guard let index = idle[origin]?.firstIndex(where: { $0.id == id }),
            let dropped = idle[origin]?.remove(at: index)
        else { return }
        forgetIfEmpty(origin)
        dropped.stream.close()
        dropped.timer.close()
    }

    private func forgetIfEmpty(_ origin: Origin) {
        if idle[origin]?.isEmpty == true { idle[origin] = nil }
    }
}
