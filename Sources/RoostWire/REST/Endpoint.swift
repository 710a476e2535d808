// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A call of the REST interface as a client makes it: its properties are the question, `Output` is
/// the answer.
package protocol Question: Equatable, Sendable {
    associatedtype Output: Equatable, Sendable

    /// Returns the question as a request.
    func encode() -> APIRequest
    /// Reads the object of the answer.
    static func read(_ reader: inout JSONReader) throws(WireError) -> Output
}

/// A call for both ends.
///
/// The same type encodes the question for a client and decodes it for a server, and vice versa for
/// the answer, so both ends agree.
package protocol Endpoint: Question {
    /// Decodes the question on the server.
    init(_ fields: RequestFields) throws(ServerError)
    /// Writes the fields of the answer.
    static func write(_ output: Output, _ writer: inout JSONWriter)
}

extension Endpoint {
    package static func response(_ output: Output) -> APIResponse {
        APIResponse { writer in write(output, &writer) }
    }
}

extension Question {
    /// Decodes an answer.
    ///
    /// - Throws: The server's refusal, or the reason why the answer cannot be decoded.
    package static func decode(_ response: APIResponse) throws(APIFailure) -> Output {
        let refusal: ServerError
        do throws(WireError) {
            var reader = try JSONReader(bytes: response.body)
            if response.status == 200 {
                let output = try read(&reader)
                try reader.finish()
                return output
            }
            refusal = try reader.readServerError()
        } catch {
            throw .unreadable(error)
        }
        throw .refused(refusal, status: response.status)
    }
}

extension JSONReader {
    /// Reads `{"error":true,"code":…,"message":…}`.
    package mutating func readServerError() throws(WireError) -> ServerError {
        var code: Int?
        var message = ""
        try readObject { name, reader throws(WireError) in
            switch name {
            case "code": code = try reader.readIntIfPresent()
            case "message": message = try reader.readStringIfPresent() ?? ""
            default: try reader.skipValue()
            }
        }
        guard let code else { throw .missing("code", offset: position) }
        return ServerError(RoostError.Code(code), message)
    }
}

/// The answer of a call that returns nothing.
package struct NoOutput: Equatable, Sendable {
    package init() {}
}

extension Endpoint where Output == NoOutput {
    package static func write(_ output: NoOutput, _ writer: inout JSONWriter) {}
}

extension Question where Output == NoOutput {
    package static func read(_ reader: inout JSONReader) throws(WireError) -> NoOutput {
        try reader.skipValue()
        return NoOutput()
    }
}
