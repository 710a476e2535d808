// SPDX-License-Identifier: Apache-2.0

/// Sends one request and waits for its one response; retries nothing, decodes nothing.
///
/// Follows no redirect, as a redirect would carry the session key elsewhere; keeps no cookie and no cache; asks
/// for no compression. The body of an answer is bounded, and a longer answer is an error.
package protocol HTTPTransport: Sendable {
    /// Sends a request.
    ///
    /// An error status is a response. Cancelling the task gives the request up; it may have arrived.
    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse

    /// Sends a request whose body is read while it is sent, so that no more than a piece of it is in
    /// memory (scar 144).
    ///
    /// The request's time limit is for each piece, and for the answer, not for the whole.
    func upload(
        _ request: HTTPRequest, _ body: HTTPBody
    ) async throws(TransportError) -> HTTPResponse
}

/// A body that is read piece by piece, once.
package struct HTTPBody: Sendable {
    /// Bytes in all; exactly so many must come.
    package let length: Int64
    /// The next bytes, none at the end; nil when they cannot be read, which ends the request.
    ///
    /// Called from a thread of the transport's, one call at a time.
    package let next: @Sendable () -> [UInt8]?

    package init(length: Int64, next: @escaping @Sendable () -> [UInt8]?) {
        self.length = length
        self.next = next
    }
}

/// One HTTP request.
package struct HTTPRequest: Sendable {
    package var method: String
    /// Absolute, `http` or `https`, percent-encoded.
    package var url: String
    package var headers: [(name: String, value: String)]
    /// Nil sends no body and no `Content-Length`.
    package var body: [UInt8]?
    /// From the call to the last byte of the response.
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

/// One HTTP response, whole.
package struct HTTPResponse: Sendable {
    package var status: Int
    /// In no particular order; fields of one name may have been joined with commas.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(
        status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of the first field of that name, in any case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
