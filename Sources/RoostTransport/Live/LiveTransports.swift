// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import RoostSockets

/// The transports of this platform, for every client of the process.
package enum LiveTransports {
    /// Returns HTTP whose answers have a body of at most `answerBytes`; a longer answer is an error.
    package static func http(answerBytes: Int) -> any HTTPTransport {
        guard case .success(let loop) = loop else { return LooplessTransport() }
        return UVHTTP(on: loop, answerBytes: answerBytes)
    }

    /// Returns WebSockets whose incoming messages have at most `messageBytes`; a longer one ends
    /// its socket.
    package static func sockets(messageBytes: Int) -> any SocketTransport {
        guard case .success(let loop) = loop else { return LooplessTransport() }
        var limits = WebSocketLimits()
        limits.messageBytes = messageBytes
        limits.incomingBytes = messageBytes
        return UVSocketTransport(on: loop, limits: limits)
    }

    /// The loop and its thread, shared by all clients; they live as long as the process.
    private static let loop = Result { () throws(SocketError) in try EventLoop.start() }

    /// A transport for a process without a loop; every call throws the reason.
    private struct LooplessTransport: HTTPTransport, SocketTransport {
        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            throw error
        }

        func upload(
            _ request: HTTPRequest, _ body: HTTPBody
        ) async throws(TransportError) -> HTTPResponse { throw error }

        func open(_ request: SocketRequest) async throws(TransportError) -> any Socket {
            throw error
        }

        private var error: TransportError {
            guard case .failure(let error) = LiveTransports.loop else {
                preconditionFailure("A process with a loop has transports.")
            }
            return TransportError(
                .unreachable, "This process cannot open sockets: \(error.message)")
        }
    }
}
#endif
