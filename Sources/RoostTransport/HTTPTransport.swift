// SPDX-License-Identifier: Apache-2.0

/// Sends one request and returns its one response, without retries and decoding.
///
/// It follows no redirect, because a redirect would carry the session key elsewhere; keeps no
/// cookies and no cache; asks for no compression. The body of an answer is bounded, and a longer
/// answer is an error.
package protocol HTTPTransport: Sendable {
    /// Sends a request.
    ///
    /// An error status is a response. A cancelled request may have arrived.
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse

    /// Sends a request whose body is read while it is sent, a piece at a time (scar 144).
    ///
    /// The request's time limit applies to each piece, and to the answer, not to the whole.
    func upload(
        _ request: HTTPRequest, _ body: HTTPBody
    ) async throws(TransportError) -> HTTPResponse
}

/// A body that is read in pieces, once.
package struct HTTPBody: Sendable {
    /// The total number of bytes, exactly.
    package let length: Int64
    /// Returns the next bytes, empty at the end; nil if they cannot be read, which ends the
    /// request.
    ///
    /// Called on a thread of the transport, one call at a time.
    package let next: @Sendable () -> [UInt8]?

    package init(length: Int64, next: @escaping @Sendable () -> [UInt8]?) {
        self.length = length
        self.next = next
    }
}

/// One HTTP request.
package struct HTTPRequest: Sendable {
    package var method: String
    /// The URL: absolute, `http` or `https`, percent-encoded.
    package var url: String
    package var headers: [(name: String, value: String)]
    /// The body; nil sends none and no `Content-Length`.
    package var body: [UInt8]?
    /// The time from the call to the last byte of the response.
    package var timeLimit: Duration

    package init(
        method: String = "GET", url: String, headers: [(name: String, value: String)] = [],
        body: [UInt8]? = nil, timeLimit: Duration = .seconds(30)
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeLimit = timeLimit
    }
}

/// A complete HTTP response.
package struct HTTPResponse: Sendable {
    package var status: Int
    /// The header fields in no particular order; fields of one name may be joined with commas.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(
        status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the value of the first field of a name, upper and lower case being equal.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
