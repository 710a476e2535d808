// SPDX-License-Identifier: Apache-2.0

/// A parser for the status line and headers of one response, without I/O.
package struct HTTPResponseHeadParser: Sendable {
    package struct Head: Sendable, Hashable {
        package var status: Int
        package var headers: HTTPHeaders
        /// Whether the server speaks HTTP/1.1, so that the connection may be kept.
        package var isHTTP11 = true
    }

    private let limits: HTTPLimits
    private var buffer = HTTPLineBuffer()
    private var head: Head?
    private var fieldBytes = 0

    package init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
    }

    /// Adds bytes; returns the head once it is complete.
    ///
    /// - Throws: A refusal with a reason; its status has no meaning.
    package mutating func append(_ bytes: Span<UInt8>) throws(HTTPRefusal) -> Head? {
        buffer.append(bytes)
        let tooLarge = HTTPRefusal(431, "The head of the answer is too large.")
        while let line = try buffer.line(limit: limits.headBytes - fieldBytes, tooLong: tooLarge) {
            fieldBytes += line.count
            guard head != nil else {
                head = try Head(
                    status: Self.status(line), headers: [:],
                    isHTTP11: line.starts(with: "HTTP/1.1".utf8))
                continue
            }
            guard !line.isEmpty else { return head }
            let field = try HTTPHead.field(line)
            head?.headers.append(field.name, field.value)
            guard (head?.headers.fields.count ?? 0) <= limits.headerCount else { throw tooLarge }
        }
        return nil
    }

    /// Returns all bytes behind the head.
    package mutating func takeRest() -> [UInt8] {
        Array(buffer.take(upTo: buffer.count))
    }

    private static func status(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) -> Int {
        let text = String(decoding: line.prefix(13), as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 ") || text.hasPrefix("HTTP/1.0 "),
            line.count == 12 || (line.count > 12 && line[line.startIndex + 12] == 0x20),
            line.allSatisfy(\.mayStandInText),
            let status = Int(text.dropFirst(9).prefix(3)), 100...599 ~= status
        else { throw HTTPRefusal(400, "The answer does not begin with an HTTP status line.") }
        return status
    }
}
