// SPDX-License-Identifier: Apache-2.0

/// Opens WebSockets, with one attempt each.
package protocol SocketTransport: Sendable {
    /// Opens a socket.
    ///
    /// After a throw, cancellation included, nothing stays open.
    func open(_ request: SocketRequest) async throws(TransportError) -> any Socket
}

/// The parameters of a WebSocket.
package struct SocketRequest: Sendable {
    /// The URL: `ws` or `wss`, percent-encoded.
    package var url: String
    package var headers: [(name: String, value: String)]
    /// The subprotocols offered to the server, in order of preference.
    package var subprotocols: [String]
    /// The time for name look-up, connection, TLS and upgrade together.
    package var timeLimit: Duration

    package init(
        url: String, headers: [(name: String, value: String)] = [], subprotocols: [String] = [],
        timeLimit: Duration = .seconds(10)
    ) {
        self.url = url
        self.headers = headers
        self.subprotocols = subprotocols
        self.timeLimit = timeLimit
    }
}

/// An open WebSocket.
///
/// Close it when done; dropping the last reference cuts the connection.
package protocol Socket: Sendable {
    /// Sends a text frame; frames keep the order of the calls.
    ///
    /// The call returns once the frame is on its way, which does not mean that it has arrived.
    func send(_ text: String) async throws(TransportError)

    /// Returns the next text frame; nil if either end has closed. One caller at a time.
    ///
    /// Cancelling loses no frame and leaves the socket open.
    func receive() async throws(TransportError) -> String?

    /// Closes the socket with a close frame and in limited time; harmless if it is closed already.
    func close() async
}
