// SPDX-License-Identifier: Apache-2.0

internal import CRoostUV

/// The handler of a server's requests.
///
/// It is called on the event loop's thread: long or blocking work belongs on an actor of its own,
/// which the handler awaits. The task is cancelled if the peer closes the connection, or the
/// connection breaks, before the answer is sent.
package protocol HTTPServerHandler: Sendable {
    /// Answers a request; the next one of the same connection waits for it.
    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse
    /// Returns the size limit in bytes of a body that is read in pieces; nil reads the body as a
    /// whole.
    func pieceLimit(of head: HTTPServerRequest) -> Int?
    /// Answers a request whose body it reads itself; unread bytes are dropped.
    func respond(to head: HTTPServerRequest, reading body: HTTPRequestBody) async
        -> HTTPServerResponse
    /// Decides on a well-formed WebSocket handshake.
    func upgrade(_ request: HTTPServerRequest) async -> UpgradeDecision
}

extension HTTPServerHandler {
    package func pieceLimit(of head: HTTPServerRequest) -> Int? { nil }

    package func respond(
        to head: HTTPServerRequest, reading body: HTTPRequestBody
    ) async -> HTTPServerResponse {
        HTTPServerResponse(status: 501, text: "This server reads no body in pieces.")
    }
}

/// The decision on a WebSocket handshake.
package enum UpgradeDecision: Sendable {
    /// Continues as a WebSocket, which is closed when `serve` returns.
    ///
    /// `subprotocol` is sent back unchanged, so it must be one of the client's offers.
    case accept(
        subprotocol: String?, serve: @Sendable (WebSocketConnection) async -> Void)
    case refuse(HTTPServerResponse)
}

/// An HTTP/1.1 server with WebSockets, on one event loop.
package actor HTTPServer {
    /// The address and the bounds of a server.
    package struct Configuration: Sendable {
        /// The name or address of this machine; `0.0.0.0` or `::` for all of them.
        package var host = "127.0.0.1"
        /// The port; 0 takes a free one, which `HTTPServer.port` returns.
        package var port: UInt16 = 0
        /// The context from `TLSContext.server`; nil serves without TLS.
        package var tls: TLSContext?
        package var limits = HTTPLimits()
        package var webSocketLimits = WebSocketLimits()
        /// Whether messages are compressed for clients that ask for it, at the price of processor
        /// time.
        package var deflatesMessages = false
        /// The greatest number of connections; more wait in the kernel's backlog.
        ///
        /// It is lowered to the process's descriptor limit. One loop was measured with 10,000.
        package var connectionLimit = 10_000
        /// The greatest number of connections from one address.
        ///
        /// Further ones are closed at once. All connections through a proxy have its address.
        package var connectionsPerPeer = Int.max
        /// The greatest number of unsent bytes of all connections together.
        ///
        /// Beyond it the connections with the most are cut, because they read too slowly for what
        /// they asked for. A bound of one connection alone allows ten thousand times as many.
        package var outgoingBytes = 268_435_456
        /// Takes the address of each connection that `connectionsPerPeer` refuses, on the loop.
        package var noteRefusal: @Sendable (_ peer: String) -> Void = { _ in }
        /// The time limit of a request's head, and of a new connection's whole first request.
        package var headTime: Duration = .seconds(10)
        /// The time limit of each further 16 KiB of a body or of an answer, and of each 256 KiB of
        /// an answer that is in memory as a whole.
        package var bodyTime: Duration = .seconds(20)
        /// The time for which a connection may stay open between requests; longer than a phone's
        /// sleep between two screens.
        package var idleTime: Duration = .seconds(75)
        /// Returns the seconds since 1970, for the `Date` header.
        package var wallSeconds: @Sendable () -> Int64 = EventLoop.systemSeconds

        package init() {}

        /// Returns the time limit of the last bytes of an answer.
        ///
        /// Three steps more leave a small answer over a slow network its time.
        func answerTime(of byteCount: Int) -> Duration {
            bodyTime * (3 + byteCount / 262_144)
        }
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    /// The port on which the server listens, also if a free one was asked for.
    package nonisolated let port: UInt16
    private let loop: EventLoop
    private let configuration: Configuration
    private let handler: any HTTPServerHandler
    private let listener: TCPListener
    private let connectionLimit: Int
    private let deflate: WebSocketDeflate?

    /// The connections by a growing number, so that a shutdown closes them in order.
    private var connections: [Int: HTTPConnection] = [:]
    private var peers: [String: Int] = [:]
    private var lastConnectionID = 0
    /// The bytes that were written since the last count of the unsent ones.
    private var writtenBytes = 0
    private var isCountDue = false
    private var isHurried = false
    private var isRetiring = false
    /// The waiting step of `retire`.
    private var retirement: CheckedContinuation<Void, Never>?
    private var isShuttingDown = false
    private var emptyWaiters: [CheckedContinuation<Void, Never>] = []

    /// Binds the address and serves until `shutdown`.
    ///
    /// - Throws: `.nameNotFound`, `.addressInUse`, `.permissionDenied`, `.systemFailure`, or
    ///   `.loopStopped`; all resources are released.
    package static func start(
        _ configuration: Configuration = Configuration(), handler: any HTTPServerHandler,
        on loop: EventLoop
    ) async throws(SocketError) -> HTTPServer {
        let (host, port) = (configuration.host, configuration.port)
        precondition(
            configuration.tls?.isServer ?? true, "A server needs a TLS context made for servers.")
        let addresses = try await NameResolver.resolve(host: host, port: port, on: loop)
        let listener = try await loop.run { () throws(SocketError) in
            try TCPListener(bindingTo: addresses[0], named: host, port: port, on: loop)
        }
        let server = HTTPServer(
            configuration, handler: handler, listener: listener, on: loop)
        await server.begin()
        return server
    }

    private init(
        _ configuration: Configuration, handler: any HTTPServerHandler, listener: TCPListener,
        on loop: EventLoop
    ) {
        self.configuration = configuration
        self.handler = handler
        self.listener = listener
        deflate = configuration.deflatesMessages ? WebSocketDeflate() : nil
        self.loop = loop
        port = listener.port
        // Some descriptors are reserved for files, databases and the loop itself.
        let available = Int(clamping: roost_uv_descriptor_limit()) - 64
        connectionLimit = max(1, min(configuration.connectionLimit, available))
    }

    private func begin() {
        listener.onConnection = { descriptor in
            self.assumeIsolated { $0.accept(descriptor) }
        }
        listener.resume()
    }

    private func accept(_ descriptor: CInt) {
        let peer = ClientNetwork.name(ofPeerOf: descriptor)
        guard peers[peer, default: 0] < configuration.connectionsPerPeer else {
            configuration.noteRefusal(peer)
            _ = CRoostUV.close(descriptor)
            return
        }
        lastConnectionID += 1
        let id = lastConnectionID
        do throws(SocketError) {
            // Before the stream, whose open handle would hold itself.
            let tls = try self.tls(for: descriptor)
            let tcp = try TCPStream(adopting: descriptor, on: loop)
            let stream = ByteStream(tcp, tls: tls, on: loop)
            stream.onWrite = { [weak self] count in self?.assumeIsolated { $0.noteWritten(count) } }
            let connection = HTTPConnection(
                stream, from: peer, configuration, handler: handler, deflate: deflate, on: loop
            ) { [weak self] in self?.assumeIsolated { $0.didEnd(id, peer) } }
            connections[id] = connection
            peers[peer, default: 0] += 1
            connection.assumeIsolated { $0.start() }
        } catch {
            return  // The system has no resources for this connection; it is closed already.
        }
        if connections.count >= connectionLimit { listener.pause() }
    }

    /// Makes the TLS of an accepted connection; closes the descriptor on failure.
    private func tls(for descriptor: CInt) throws(SocketError) -> TLSStream? {
        guard let context = configuration.tls else { return nil }
        do throws(SocketError) {
            return try TLSStream(context, serverName: nil)
        } catch {
            _ = CRoostUV.close(descriptor)
            throw error
        }
    }

    private func didEnd(_ id: Int, _ peer: String) {
        connections[id] = nil
        let left = peers[peer, default: 1] - 1
        peers[peer] = left > 0 ? left : nil
        if !isShuttingDown { listener.resume() }
        guard connections.isEmpty else { return }
        let waiters = emptyWaiters
        emptyWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    // MARK: Unsent bytes

    /// Counts the unsent bytes from time to time: they cannot grow by more than what is written.
    private func noteWritten(_ count: Int) {
        writtenBytes += count
        guard writtenBytes >= configuration.outgoingBytes / 16, !isCountDue else { return }
        isCountDue = true
        // Not now, because the connection that writes might be the one to cut.
        loop.execute { [weak self] in self?.assumeIsolated { $0.boundUnsent() } }
    }

    /// Cuts the connections with the most unsent bytes if all together have too many.
    private func boundUnsent() {
        (writtenBytes, isCountDue) = (0, false)
        var unsent = connections.map { id, connection in
            (id: id, count: connection.assumeIsolated { $0.unsentBytes })
        }
        var total = unsent.reduce(0) { $0 + $1.count }
        // Room for what is written until the next count.
        guard total > configuration.outgoingBytes / 16 * 15 else { return }
        unsent.sort { ($0.count, $0.id) > ($1.count, $1.id) }
        for (id, count) in unsent {
            connections[id]?.assumeIsolated { $0.cut() }
            total -= count
            if total <= configuration.outgoingBytes / 4 * 3 { return }
        }
    }

    /// Closes the WebSockets of now with 1001, spread evenly over a time, and goes on answering.
    ///
    /// Clients of a server that ends return to others without a rush. The handler's owner refuses
    /// new WebSockets meanwhile. `hurry` ends the call early, and the sockets that are left stay.
    ///
    /// - Precondition: No other call of it is under way.
    package func retire(over time: Duration) async {
        precondition(!isRetiring, "A server retires in one call at a time.")
        isRetiring = true
        defer { isRetiring = false }
        let open = webSockets
        let step = Duration.milliseconds(100)
        // At most an hour, so the quotient fits.
        let steps = min(open.count, max(1, Int(min(max(time, .zero), .seconds(3_600)) / step)))
        for number in 0..<steps where !isHurried {
            let part = (open.count * number / steps)..<(open.count * (number + 1) / steps)
            retire(open[part])
            await pause(number + 1 == steps ? .zero : max(step, time / steps))
        }
    }

    /// The numbers of the connections that are WebSockets, the oldest first.
    private var webSockets: [Int] {
        connections.filter { $0.value.assumeIsolated { $0.isWebSocket } }.keys.sorted()
    }

    /// Ends all WebSockets at once, as the end of the process would: with 1001, or without a word.
    package func endWebSockets(withCloseFrame hasFrame: Bool) {
        for id in webSockets {
            connections[id]?.assumeIsolated { hasFrame ? $0.retire() : $0.cut() }
        }
    }

    private func retire(_ ids: ArraySlice<Int>) {
        for id in ids { connections[id]?.assumeIsolated { $0.retire() } }
    }

    /// Ends the wait of `retire`.
    package func hurry() {
        isHurried = true
        retirement?.resume()
        retirement = nil
    }

    private func pause(_ time: Duration) async {
        guard time > .zero, !isHurried,
            let timer = try? LoopTimer(
                on: loop,
                action: { [weak self] in
                    self?.assumeIsolated { server in
                        server.retirement?.resume()
                        server.retirement = nil
                    }
                })
        else { return }  // A loop that stops closes everything anyway.
        timer.start(after: time)
        await withCheckedContinuation { retirement = $0 }
        timer.close()
    }

    /// Stops accepting, finishes current answers, and closes WebSockets with 1001.
    ///
    /// The call returns when the last connection is gone, or after `grace`, when the rest is cut
    /// and its handlers are cancelled. The port is free from the beginning.
    package func shutdown(grace: Duration = .seconds(10)) async {
        isShuttingDown = true
        listener.close()
        forEachConnection { $0.shutDown() }
        guard !connections.isEmpty else { return }
        let timer: LoopTimer?
        do throws(SocketError) {
            timer = try LoopTimer(on: loop) { [weak self] in
                self?.assumeIsolated { server in server.forEachConnection { $0.cut() } }
            }
            timer?.start(after: grace)
        } catch {
            timer = nil  // The loop is stopping, which cuts everything anyway.
        }
        await withCheckedContinuation { continuation in
            if connections.isEmpty {
                continuation.resume()
            } else {
                emptyWaiters.append(continuation)
            }
        }
        timer?.close()
    }

    private func forEachConnection(_ body: @Sendable (isolated HTTPConnection) -> Void) {
        for (_, connection) in connections.sorted(by: { $0.key < $1.key }) {
            connection.assumeIsolated { body($0) }
        }
    }
}

extension EventLoop {
    /// The system's wall clock in seconds since 1970.
    package static let systemSeconds: @Sendable () -> Int64 = {
        var now = uv_timeval64_t()
        // SAFETY: libuv fills the value.
        unsafe uv_gettimeofday(&now)
        return now.tv_sec
    }
}
