// SPDX-License-Identifier: Apache-2.0

/// Opens WebSockets; tries once.
package protocol SocketTransport: Sendable {
    /// Returns when the socket is open.
    ///
    /// After a throw, cancellation included, nothing stays open.
    func open(_ request: SocketRequest) async throws(TransportError) -> any Socket
}

/// What it takes to open a WebSocket.
package struct SocketRequest: Sendable {
    /// `ws` or `wss`, percent-encoded.
    package var url: String
    package var headers: [(name: String, value: String)]
    /// Offered to the server, in order of preference.
    package var subprotocols: [String]
    /// For name lookup, connection, TLS and upgrade together.
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

/// One open WebSocket.
///
/// Close it when done; a socket that is only dropped is cut.
package protocol Socket: Sendable {
    /// Sends a text frame; frames keep the order of calls.
    ///
    /// Returns once the frame is on its way, which says nothing about its arrival.
    func send(_ text: String) async throws(TransportError)

    /// The next text frame; nil when either end has closed. At most one caller at a time.
    ///
    /// Cancelling it loses no frame and leaves the socket open.
    func receive() async throws(TransportError) -> String?

    /// Closes with good manners and in limited time; harmless when it is closed already.
    func close() async
}
