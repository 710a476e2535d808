// SPDX-License-Identifier: Apache-2.0

package import RoostTransport
import Synchronization

/// The network of one process of a device; it ends with the process.
package final class SimulatedLine: HTTPTransport, SocketTransport {
    private struct State {
        var isDead = false
        var sockets: [SimulatedSocket] = []
    }

    private let network: SimulatedNetwork
    private let state = Mutex(State())

    package init(over network: SimulatedNetwork) { self.network = network }

    /// Stops all frames; the server learns of the end.
    package func die() async {
        let sockets = state.withLock { state in
            state.isDead = true
            defer { state.sockets = [] }
            return state.sockets
        }
        for socket in sockets { await socket.break() }
    }

    private var isDead: Bool { state.withLock { $0.isDead } }

    package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard !isDead else { throw .processIsDead }
        let response = try await network.send(request)
        guard !isDead else { throw .processIsDead }
        return response
    }

    package func upload(
        _ request: HTTPRequest, _ body: HTTPBody
    ) async throws(TransportError) -> HTTPResponse {
        guard !isDead else { throw .processIsDead }
        let response = try await network.upload(request, body)
        guard !isDead else { throw .processIsDead }
        return response
    }

    package func open(_ request: SocketRequest) async throws(TransportError) -> any Socket {
        guard !isDead else { throw .processIsDead }
        let socket = try await network.openSocket(request)
        let isDead = state.withLock { state in
            // One socket at a time: the process has released the last one.
            if !state.isDead { state.sockets = [socket] }
            return state.isDead
        }
        guard !isDead else {
            await socket.break()
            throw .processIsDead
        }
        return socket
    }
}

extension TransportError {
    fileprivate static let processIsDead = TransportError(.unreachable, "The process has ended.")
}
