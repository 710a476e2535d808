// SPDX-License-Identifier: Apache-2.0

/// The encoder of responses.
package enum HTTPResponseWriter {
    package static let continueBytes: [UInt8] = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Returns the bytes of a response.
    ///
    /// Control characters in header values become blanks, so that a user's value cannot begin a
    /// header of its own.
    ///
    /// - Parameters:
    ///   - response: The answer of the handler.
    ///   - withoutBody: Whether only the head is sent, as for HEAD; `Content-Length` still has the
    ///     body's length.
    ///   - keepsAlive: Whether the connection stays open.
    ///   - date: The value of `Date`, from `HTTPDate`.
    /// - Returns: Head and body; the head alone if the body has a source.
    package static func bytes(
        of response: HTTPServerResponse, withoutBody: Bool, keepsAlive: Bool, date: String
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        let mayHaveBody = response.status >= 200 && response.status != 204 && response.status != 304
        bytes.reserveCapacity(256 + (withoutBody ? 0 : response.body.count))
        bytes += "HTTP/1.1 \(response.status) \(reason(response.status))\r\nDate: \(date)\r\n".utf8
        let length = response.source?.byteCount ?? response.body.count
        if mayHaveBody { bytes += "Content-Length: \(length)\r\n".utf8 }
        if response.status != 101 {
            bytes += (keepsAlive ? "Connection: keep-alive\r\n" : "Connection: close\r\n").utf8
        }
        for field in response.headers.fields where !isServersOwn(field.name, response.status) {
            append(field.name, to: &bytes)
            bytes += ": ".utf8
            append(field.value, to: &bytes)
            bytes += "\r\n".utf8
        }
        bytes += "\r\n".utf8
        if mayHaveBody && !withoutBody { bytes += response.body }
        return bytes
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            bytes.append((byte < 0x20 && byte != 0x09) || byte == 0x7F ? 0x20 : byte)
        }
    }

    private static func isServersOwn(_ name: String, _ status: Int) -> Bool {
        if status == 101 && name.equalsIgnoringCase("Connection") { return false }
        return ["Content-Length", "Date", "Connection", "Transfer-Encoding"].contains {
            $0.equalsIgnoringCase(name)
        }
    }

    static func reason(_ status: Int) -> String {
        switch status {
        case 101: "Switching Protocols"
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}
