// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// One call of the REST interface, without host and headers (`docs/protocol` 3.0).
package struct APIRequest: Hashable, Sendable {
    package enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    package var method: Method
    /// The segments behind `/v3`, decoded.
    package var path: [String]
    package var query: [QueryItem]
    /// JSON or a form, or nothing.
    package var body: [UInt8]
    /// What the body is; only a form needs to say so.
    package var contentType = ""
    /// A form that has been taken apart already, or what was wrong with it; the body is empty then.
    package var form: Result<ReceivedForm, ServerError>?

    package init(
        _ method: Method, _ path: [String], query: [QueryItem] = [], body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
    }

    /// Makes a call whose parameters are a JSON object.
    init(_ method: Method, _ path: [String], body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.object(body)
        self.init(method, path, body: writer.bytes)
    }

    /// Reads the first line of an HTTP request; slashes at the end and doubled ones do not count.
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

    /// The path and query for the first line of an HTTP request.
    package var target: String {
        let path = "/v3/" + path.map(PercentEncoding.encode).joined(separator: "/")
        return query.isEmpty ? path : path + "?" + QueryItem.text(query)
    }
}

/// The answer to one call.
package struct APIResponse: Hashable, Sendable {
    /// 200 for every success; anything else comes with an error as its body.
    package var status: Int
    package var body: [UInt8]
    /// The error's number, with an error.
    package private(set) var errorCode: RoostError.Code?
    /// With an error that passes.
    package private(set) var retryAfter: Duration?

    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }

    /// A success with one object.
    package init(_ body: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        writer.object(body)
        self.init(status: 200, body: writer.bytes)
    }

    /// A failure.
    ///
    /// The status is 400 unless the error is about who asks: of other answers some clients do not read
    /// the code (`docs/protocol` 1.3).
    package init(_ error: ServerError) {
        var writer = JSONWriter()
        writer.object { writer in writer.error(error) }
        self.init(status: Self.status(of: error.code), body: writer.bytes)
        errorCode = error.code
        retryAfter = error.retryAfter
    }

    /// A success that says nothing.
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
    /// The typed miss: no endpoint has this method and path.
    package static let invalidEndpoint = Self(
        .invalidEndpoint, "This server has no such endpoint: docs/protocol-coverage.md lists them.")

    /// What a server answers to bytes it could not read.
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

/// Why a call gave no answer of its type.
package enum APIFailure: Error, Hashable, Sendable {
    /// The server refused; the status tells apart what a client may retry.
    case refused(ServerError, status: Int)
    /// The answer could not be read.
    case unreadable(WireError)
}
