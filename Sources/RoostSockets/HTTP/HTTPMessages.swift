// SPDX-License-Identifier: Apache-2.0

/// A complete request for a server's handler.
package struct HTTPServerRequest: Sendable, Hashable {
    package enum Version: Sendable, Hashable { case http10, http11 }

    package let method: String
    /// Path and query as received, still percent-encoded; begins with `/`, or is `*`.
    package let target: String
    package let version: Version
    package let headers: HTTPHeaders
    package let body: [UInt8]
    /// The network address of the client as `ClientNetwork` names it; "" if it was not recorded.
    package var peer = ""

    package init(
        method: String, target: String, version: Version = .http11, headers: HTTPHeaders = [:],
        body: [UInt8] = []
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.headers = headers
        self.body = body
    }

    /// Whether the client may use the connection again.
    package var keepsAlive: Bool {
        switch version {
        case .http11: !headers.list("Connection", contains: "close")
        case .http10:
            headers.list("Connection", contains: "keep-alive")
                && !headers.list("Connection", contains: "close")
        }
    }
}

/// A response.
package struct HTTPServerResponse: Sendable {
    package var status: Int
    /// The headers.
    ///
    /// The server writes `Content-Length`, `Date`, `Connection` and `Transfer-Encoding` itself and
    /// ignores them here.
    package var headers: HTTPHeaders
    package var body: [UInt8]
    /// The source of a body that is sent in pieces; nil sends `body`.
    package var source: HTTPBodySource?
    /// A value that the server drops when the answer has left, or will not leave.
    package var lease: (any Sendable)?

    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Creates a response with a sentence of plain text.
    package init(status: Int, text: String, headers: HTTPHeaders = [:]) {
        self.init(status: status, headers: headers, body: Array((text + "\n").utf8))
        self.headers.append("Content-Type", "text/plain; charset=utf-8")
    }
}

/// A body that is too large for memory.
package struct HTTPBodySource: Sendable {
    package let byteCount: Int
    /// Returns a range of the body.
    ///
    /// Fewer bytes than requested cut the connection, because nothing else tells the client that
    /// the rest is missing.
    package let read: @Sendable (Range<Int>) async -> [UInt8]

    package init(byteCount: Int, read: @escaping @Sendable (Range<Int>) async -> [UInt8]) {
        self.byteCount = byteCount
        self.read = read
    }
}

/// The body of a request while it arrives.
package struct HTTPRequestBody: Sendable {
    let next: @Sendable () async throws(SocketError) -> [UInt8]?

    /// Returns the next bytes; nil at the end.
    ///
    /// - Throws: An error if the rest will not arrive.
    package func read() async throws(SocketError) -> [UInt8]? { try await next() }
}

/// The reason why a request cannot be parsed; the connection cannot be used afterwards.
package struct HTTPRefusal: Error, Sendable, Hashable {
    package let status: Int
    /// The fault and the right form; never repeats the client's bytes.
    package let reason: String

    init(_ status: Int, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}

/// The size limits of a request.
package struct HTTPLimits: Sendable, Hashable {
    /// The bytes of the request line; enough for a query with a few hundred user IDs.
    package var lineBytes = 16_384
    /// The bytes of all header lines together; enough for cookies and tokens.
    package var headBytes = 65_536
    package var headerCount = 128
    /// The bytes of a body that is read as a whole.
    package var bodyBytes = 4_194_304

    package init() {}
}
