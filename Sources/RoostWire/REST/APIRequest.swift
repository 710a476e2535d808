// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A call of the REST interface, without host and headers (`docs/protocol` 3.0).
package struct APIRequest: Equatable, Sendable {
    package enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    package var method: Method
    /// The decoded segments behind `/v3`.
    package var path: [String]
    package var query: [QueryItem]
    /// The body: JSON, a form, or empty.
    package var body: [UInt8]
    /// The content type; only a form needs one.
    package var contentType = ""
    /// A form that was decoded already, or its error; the body is empty then.
    package var form: Result<ReceivedForm, ServerError>?

    package init(
        _ method: Method, _ path: [String], query: [QueryItem] = [], body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
    }

    /// Creates a call whose parameters are a JSON object.
    init(_ method: Method, _ path: [String], body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.object(body)
        self.init(method, path, body: writer.bytes)
    }

    /// Parses the first line of an HTTP request; doubled slashes and slashes at the end are
    /// ignored.
    ///
    /// - Throws: `.invalidEndpoint` for another method, or a path that does not begin with `/v3/`.
    package init(
        method: String, target: String, body: [UInt8], contentType: String = ""
    ) throws(ServerError) {
        let parts = target.split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let segments = parts[0].split(separator: "/").map { PercentEncoding.decode($0) }
        guard let method = Method(rawValue: method), segments.first == "v3" else {
            throw .invalidEndpoint
        }
        self.init(
            method, Array(segments.dropFirst()),
            query: parts.count > 1 ? QueryItem.parse(parts[1]) : [], body: body)
        self.contentType = contentType
    }

    /// The words behind a channel with which a call names another object as well.
    private static let wordsOfObjects: Set<String> = [
        "ban", "invite", "mute", "operators", "polls", "scheduled_messages",
    ]

    /// Whether the call names a channel and no other object that can be missing.
    package var namesOnlyChannel: Bool {
        let parts = path.first == "sdk" ? path.dropFirst() : path[...]
        guard parts.count > 1, ["group_channels", "open_channels"].contains(parts.first) else {
            return false
        }
        let rest = parts.dropFirst(2)
        guard let word = rest.first else { return true }
        if Self.wordsOfObjects.contains(word) { return false }
        // A message is named by its number.
        return !rest.dropFirst().contains { Int64($0) != nil }
    }

    /// The path and query for the first line of an HTTP request.
    package var target: String {
        let path = "/v3/" + path.map(PercentEncoding.encode).joined(separator: "/")
        return query.isEmpty ? path : path + "?" + QueryItem.text(query)
    }
}

/// The answer to a call.
package struct APIResponse: Equatable, Sendable {
    /// The status: 200 for every success; an error has another status and an error object.
    package var status: Int
    package var body: [UInt8]
    /// The number of the error; nil for success.
    package private(set) var errorCode: RoostError.Code?
    /// The wait before a retry, for errors that pass.
    package private(set) var retryAfter: Duration?

    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }

    /// Creates a success with one object.
    package init(_ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.object(body)
        self.init(status: 200, body: writer.bytes)
    }

    /// Creates a failure.
    ///
    /// The status is 400 except for errors of the caller's credentials, because some clients do not
    /// read the code of other answers (`docs/protocol` 1.3).
    package init(_ error: ServerError) {
        var writer = JSONWriter()
        writer.object { writer in writer.error(error) }
        self.init(status: Self.status(of: error.code), body: writer.bytes)
        errorCode = error.code
        retryAfter = error.retryAfter
    }

    /// A success with an empty object.
    package static var empty: APIResponse { APIResponse { _ in } }

    private static func status(of code: RoostError.Code) -> Int {
        switch code {
        case .sessionKeyNotFound, .sessionKeyExpired, .sessionRevoked, .apiTokenInvalid: 401
        case .internalServerError: 500
        default: 400
        }
    }
}

extension ServerError {
    /// The error for a method and path without an endpoint.
    package static let invalidEndpoint = Self(
        .invalidEndpoint, "This server has no such endpoint: docs/protocol-coverage.md lists them.")

    /// Creates the error for bytes that cannot be decoded.
    package init(_ error: WireError) {
        let code: RoostError.Code =
            switch error.kind {
            case .malformed, .tooDeep: .malformedJSON
            case .wrongType(.string): .wrongTypeString
            case .wrongType(.number), .outOfRange: .wrongTypeNumber
            case .wrongType(.array): RoostError.Code(400_102)
            case .wrongType(.object): RoostError.Code(400_103)
            case .wrongType(.boolean): RoostError.Code(400_104)
            case .missing: .parameterMissing
            case .invalid: .invalidValue
            }
        self.init(code, error.description)
    }
}

/// The reason why a call has no answer of its type.
package enum APIFailure: Error, Hashable, Sendable {
    /// The server refused; the status says whether a retry may help.
    case refused(ServerError, status: Int)
    /// The answer cannot be decoded.
    case unreadable(WireError)
}
