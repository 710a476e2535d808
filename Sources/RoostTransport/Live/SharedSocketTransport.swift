// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import RoostSockets
#endif

/// The WebSockets of this platform, for every client of the process.
package struct SharedSocketTransport: SocketTransport {
    package init() {}

    package func open(_ request: SocketRequest) async throws(TransportError) -> any Socket {
        try await Self.transport().open(request)
    }

    #if os(Linux)
    /// One loop, and one thread, for all clients; it lives as long as the process.
    private static let loop = Result { () throws(SocketError) in try EventLoop.start() }

    private static func transport() throws(TransportError) -> any SocketTransport {
        do {
            return UVSocketTransport(on: try loop.get())
        } catch {
            throw TransportError(
                .unreachable, "This process cannot open sockets: \(error.message)")
        }
    }
    #else
    private static func transport() throws(TransportError) -> any SocketTransport {
        URLSessionSocketTransport()
    }
    #endif
}
