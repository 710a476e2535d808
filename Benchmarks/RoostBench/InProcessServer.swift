// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
internal import RoostModel
internal import RoostTransport
internal import RoostWire

/// A server without a network: frames come when they are fed, and no message is ever missing.
final class InProcessServer: SocketTransport, HTTPTransport, Socket {
    private struct State {
        var frames: [String] = []
        var reader: CheckedContinuation<String?, Never>?
        var isClosed = false
    }

    private let state = Guarded(State())
    private let login: String

    init(user: UserID, loginAt: Timestamp) {
        var login = LoginSuccess(user: User(id: user), sessionKey: "bench")
        login.loginAt = loginAt
        self.login = ServerEvent.login(.success(login)).encoded
    }

    /// Delivers a frame.
    func feed(_ frame: String) {
        let reader = state.withLock { state -> CheckedContinuation<String?, Never>? in
            guard let reader = state.reader else {
                state.frames.append(frame)
                return nil
            }
            state.reader = nil
            return reader
        }
        reader?.resume(returning: frame)
    }

    func open(_ request: SocketRequest) async throws(TransportError) -> any Socket {
        feed(login)
        return self
    }

    func send(_ text: String) async throws(TransportError) {
        if text.hasPrefix("PING") { feed("PONG{}") }
    }

    func receive() async throws(TransportError) -> String? {
        await withCheckedContinuation { reader in
            let frame = state.withLock { state -> String?? in
                if state.isClosed { return .some(nil) }
                guard state.frames.isEmpty else { return state.frames.removeFirst() }
                state.reader = reader
                return nil
            }
            if let frame { reader.resume(returning: frame) }
        }
    }

    func close() async {
        let reader = state.withLock { state -> CheckedContinuation<String?, Never>? in
            state.isClosed = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        // One object that means "no changes" for each request.
        let body = #"""
            {"updated":[],"deleted":[],"next":"","has_more":false,"channels":[],"messages":[],
            "is_huge_gap":false,"prev_messages":[],"next_messages":[],"next_has_more":false,
            "is_continuous_prev_messages":true,"is_continuous_next_messages":true}
            """#
        return HTTPResponse(status: 200, body: Array(body.utf8))
    }

    func upload(
        _ request: HTTPRequest, _ body: HTTPBody
    ) async throws(TransportError) -> HTTPResponse {
        try await send(request)
    }
}

/// A transport that counts requests and bytes.
final class CountingHTTP: HTTPTransport {
    struct Count: Sendable {
        var requests = 0
        var bytes = 0
    }

    private let wrapped: any HTTPTransport
    private let total = Guarded(Count())

    init(_ wrapped: any HTTPTransport) { self.wrapped = wrapped }

    var count: Count { total.withLock { $0 } }

    func reset() { total.withLock { $0 = Count() } }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let response = try await wrapped.send(request)
        total.withLock { total in
            total.requests += 1
            total.bytes += response.body.count
        }
        return response
    }

    func upload(
        _ request: HTTPRequest, _ body: HTTPBody
    ) async throws(TransportError) -> HTTPResponse {
        try await wrapped.upload(request, body)
    }
}
