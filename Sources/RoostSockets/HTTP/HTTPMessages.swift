// SPDX-License-Identifier: Apache-2.0

/// A whole request, as a server's handler gets it.
package struct HTTPServerRequest: Sendable, Hashable {
    package enum Version: Sendable, Hashable { case http10, http11 }

    package let method: String
    /// Path and query as they stood on the wire, still percent-encoded; begins with `/`, or is `*`.
    package let target: String
    package let version: Version
    package let headers: HTTPHeaders
    package let body: [UInt8]
    /// The address in figures from which it came; "" when nobody noted it.
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

    /// Whether the client expects to use the connection again.
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
    /// `Content-Length`, `Date`, `Connection` and `Transfer-Encoding` are the server's: it writes its
    /// own and leaves out those named here.
    package var headers: HTTPHeaders
    package var body: [UInt8]
    /// Brings the body piece by piece instead.
    package var source: HTTPBodySource?

    package init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A sentence for a person.
    package init(status: Int, text: String, headers: HTTPHeaders = [:]) {
        self.init(status: status, headers: headers, body: Array((text + "\n").utf8))
        self.headers.append("Content-Type", "text/plain; charset=utf-8")
    }
}

/// A body that is too large for the memory.
package struct HTTPBodySource: Sendable {
    package let byteCount: Int
    /// Brings a stretch of it; fewer bytes than asked for cut the connection, as nothing else tells the
    /// client that the rest does not come.
    package let read: @Sendable (Range<Int>) async -> [UInt8]

    package init(byteCount: Int, read: @escaping @Sendable (Range<Int>) async -> [UInt8]) {
        self.byteCount = byteCount
        self.read = read
    }
}

/// The body of a request, as it comes.
package struct HTTPRequestBody: Sendable {
    let next: @Sendable () async throws(SocketError) -> [UInt8]?

    /// The next bytes; nil at the end.
    ///
    /// - Throws: When the rest will not come.
    package func read() async throws(SocketError) -> [UInt8]? { try await next() }
}

/// Why a request was not understood; the connection cannot be used after it.
package struct HTTPRefusal: Error, Sendable, Hashable {
    package let status: Int
    /// What was wrong and what would be right; never repeats what the client sent.
    package let reason: String

    init(_ status: Int, _ reason: String) {
        self.status = status
        self.reason = reason
    }
}

/// How much one request may weigh.
package struct HTTPLimits: Sendable, Hashable {
    /// Bytes of the request line: room for a query with a few hundred user IDs.
    package var lineBytes = 16_384
    /// Bytes of all header lines together: cookies and tokens fit, a memory attack does not.
    package var headBytes = 65_536
    package var headerCount = 128
    /// Bytes of a body that is wanted whole.
    package var bodyBytes = 4_194_304

    package init() {}
}
