// SPDX-License-Identifier: Apache-2.0

import RoostServer
package import RoostTransport
import RoostWire
import Synchronization

/// One device's way to the server: it delays what crosses it, and it can be cut.
///
/// Requests take a random time each way, so answers may overtake one another; frames of one socket keep
/// their order, as TCP keeps it.
package final class SimulatedNetwork: HTTPTransport, SocketTransport {
    private struct State {
        var isUp = true
        var sockets: [SimulatedSocket] = []
        var requestCount = 0
    }

    /// How long a frame or half a request takes.
    private static let latencyMS: ClosedRange<Int64> = 2...60

    private let server: ChatServer
    private let executor: SimulatedExecutor
    private let random: SimulatedRandom
    private let state = Mutex(State())

    init(to server: ChatServer, on executor: SimulatedExecutor, _ random: SimulatedRandom) {
        self.server = server
        self.executor = executor
        self.random = random
    }

    /// Requests made so far, answered or not.
    package var requestCount: Int { state.withLock { $0.requestCount } }

    private var isUp: Bool { state.withLock { $0.isUp } }

    /// Cuts the link: what is on its way is lost in both directions.
    package func cut() async {
        let sockets = state.withLock { state in
            state.isUp = false
            defer { state.sockets = [] }
            return state.sockets
        }
        for socket in sockets { await socket.break() }
    }

    package func restore() { state.withLock { $0.isUp = true } }

    // MARK: HTTP

    package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        state.withLock { $0.requestCount += 1 }
        try await cross()
        let response = await server.respond(to: request)
        try await cross()
        return HTTPResponse(status: response.status, body: response.body)
    }

    /// One way over the link.
    private func cross() async throws(TransportError) {
        guard isUp else { throw TransportError(.unreachable, "The simulated link is down.") }
        do {
            try await executor.sleep(for: random.duration(in: Self.latencyMS))
        } catch {
            throw TransportError(.cancelled, "The request was given up.")
        }
        guard isUp else { throw TransportError(.lost, "The simulated link was cut.") }
    }

    // MARK: WebSocket

    package func open(_ request: SocketRequest) async throws(TransportError) -> any Socket {
        try await cross()
        let socket = SimulatedSocket(server: server, executor: executor) { [random] in
            random.duration(in: Self.latencyMS)
        }
        await socket.connect(Handshake(request))
        let isUp = state.withLock { state in
            if state.isUp { state.sockets.append(socket) }
            return state.isUp
        }
        guard isUp else {
            await socket.break()
            throw TransportError(.lost, "The simulated link was cut.")
        }
        return socket
    }
}

extension ChatServer {
    fileprivate func respond(to request: HTTPRequest) async -> APIResponse {
        let target = request.url.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }
        let headers = RequestHeaders { name in
            request.headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
        do throws(ServerError) {
            let call = try APIRequest(
                method: request.method, target: String(target), body: request.body ?? [])
            return await respond(to: call, headers: headers)
        } catch {
            return APIResponse(error)
        }
    }
}

extension Handshake {
    fileprivate init(_ request: SocketRequest) {
        let query = request.url.drop { $0 != "?" }.dropFirst()
        self.init(
            query: QueryItem.parse(query),
            headers: RequestHeaders { name in
                request.headers.first { $0.name.lowercased() == name.lowercased() }?.value
            }, subprotocols: request.subprotocols)
    }
}
