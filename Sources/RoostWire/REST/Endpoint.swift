// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// One call of the REST interface as a client makes it: its properties are what is asked, `Output` the
/// answer.
package protocol Question: Hashable, Sendable {
    associatedtype Output: Hashable, Sendable

    /// The question as a client asks it.
    func encode() -> APIRequest
    /// Reads the answer's object.
    static func read(_ reader: inout JSONReader) throws(WireError) -> Output
}

/// A call as a type for both ends.
///
/// The same type encodes the question for a client and decodes it for a server, and the other way
/// round for the answer, so that the two ends cannot drift apart.
package protocol Endpoint: Question {
    /// The question as a server reads it.
    init(_ fields: RequestFields) throws(ServerError)
    /// Writes the answer's fields.
    static func write(_ output: Output, _ writer: inout JSONWriter)
}

extension Endpoint {
    package static func response(_ output: Output) -> APIResponse {
        APIResponse { writer in write(output, &writer) }
    }
}

extension Question {
    /// Reads an answer: the output of a success, or why there is none.
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

/// The answer of a call that has nothing to say.
package struct NoOutput: Hashable, Sendable {
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
