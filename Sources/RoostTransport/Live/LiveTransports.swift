// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
internal import RoostExecutors
package import RoostSockets

/// The transports of this platform, for every client of the process.
package enum LiveTransports {
    /// Returns HTTP whose answers have a body of at most `answerBytes`; a longer answer is an error.
    package static func http(
        answerBytes: Int, on loop: SharedLoop = .ofProcess
    ) -> any HTTPTransport { LateHTTP(on: loop, answerBytes: answerBytes) }

    /// Returns WebSockets whose incoming messages have at most `messageBytes`; a longer one ends
    /// its socket.
    package static func sockets(
        messageBytes: Int, on loop: SharedLoop = .ofProcess
    ) -> any SocketTransport {
        var limits = WebSocketLimits()
        limits.messageBytes = messageBytes
        limits.incomingBytes = messageBytes
        return LateSockets(loop: loop, limits: limits)
    }
}

/// A loop for several transports, which starts with the first call of one of them.
///
/// A failed start, as at the limit of open files, fails its call only: the next call tries again.
package final class SharedLoop: Sendable {
    /// The loop and its thread, shared by all clients; they live as long as the process.
    package static let ofProcess = SharedLoop { () throws(SocketError) in try EventLoop.start() }

    private let start: @Sendable () throws(SocketError) -> EventLoop
    private let started = Guarded<EventLoop?>(nil)

    /// Makes a loop that is not started yet.
    package init(_ start: @escaping @Sendable () throws(SocketError) -> EventLoop) {
        self.start = start
    }

    fileprivate func get() throws(TransportError) -> EventLoop {
        let result = started.withLock { started -> Result<EventLoop, SocketError> in
            if let started { return .success(started) }
            let result = Result { () throws(SocketError) in try start() }
            if case .success(let loop) = result { started = loop }
            return result
        }
        switch result {
        case .success(let loop): return loop
        case .failure(let error):
            throw TransportError(
                .unreachable, "This process cannot open sockets: \(error.message)")
        }
    }
}

/// HTTP on a loop that may start later.
private final class LateHTTP: HTTPTransport {
    private let loop: SharedLoop
    private let answerBytes: Int
    private let started = Guarded<UVHTTP?>(nil)

    init(on loop: SharedLoop, answerBytes: Int) {
        self.loop = loop
        self.answerBytes = answerBytes
    }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        try await get().send(request)
    }

    func upload(
        _ request: HTTPRequest, _ body: HTTPBody
    ) async throws(TransportError) -> HTTPResponse { try await get().upload(request, body) }

    private func get() throws(TransportError) -> UVHTTP {
        let loop = try loop.get()
        return started.withLock { started in
            let http = started ?? UVHTTP(on: loop, answerBytes: answerBytes)
            started = http
            return http
        }
    }
}

/// WebSockets on a loop that may start later.
private struct LateSockets: SocketTransport {
    let loop: SharedLoop
    let limits: WebSocketLimits

    func open(_ request: SocketRequest) async throws(TransportError) -> any Socket {
        try await UVSocketTransport(on: try loop.get(), limits: limits).open(request)
    }
}
#endif
