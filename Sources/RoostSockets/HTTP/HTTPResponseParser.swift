// SPDX-License-Identifier: Apache-2.0

// The counterpart of `HTTPRequestParser`, equally strict, for one answer, because a client reads
// one at a time. Sizes are counted while bytes arrive, so no answer takes more memory than its
// limit.

/// A parser from the bytes of one connection to one complete response, without I/O.
///
/// - Invariant: The body never has more than `bodyLimit` bytes.
package struct HTTPResponseParser: Sendable {
    private enum State: Sendable {
        case head
        case body(remaining: Int)
        case chunkSize
        case chunk(remaining: Int)
        case chunkEnd
        case trailers
        /// A body that ends with the connection.
        case untilEnd
        case done
    }

    /// The greatest number of answers such as `100 Continue` before the final one.
    private static let interimLimit = 8

    private let limits: HTTPLimits
    private let bodyLimit: Int
    private let hasNoBody: Bool
    private var state = State.head
    private var headParser: HTTPResponseHeadParser
    private var buffer = HTTPLineBuffer()
    private var response = HTTPClientResponse(status: 0)
    private var isHTTP11 = true
    private var interimCount = 0
    private var trailerBytes = 0

    /// Creates a parser for the answer to one request.
    ///
    /// - Parameters:
    ///   - method: The method of the request; an answer to HEAD has no body.
    ///   - bodyLimit: The greatest size of the body in bytes.
    ///   - limits: The limits of the head.
    package init(answerTo method: String, bodyLimit: Int, limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
        self.bodyLimit = bodyLimit
        hasNoBody = method == "HEAD"
        headParser = HTTPResponseHeadParser(limits: limits)
    }

    /// Whether the connection can be used for another request now.
    package var isReusable: Bool {
        guard case .done = state else { return false }
        return isHTTP11 && buffer.count == 0
            && !response.headers.list("Connection", contains: "close")
    }

    /// Adds bytes; returns the response once it is complete.
    ///
    /// - Throws: `.bodyTooLarge` as soon as the body exceeds its limit; other refusals for bytes
    ///   that are no answer. The status of a refusal has no meaning.
    package mutating func append(_ bytes: Span<UInt8>) throws(HTTPRefusal) -> HTTPClientResponse? {
        if case .head = state {
            guard let head = try headParser.append(bytes) else { return nil }
            var next: HTTPResponseHeadParser.Head? = head
            while let current = next { next = try take(current) }
        } else {
            buffer.append(bytes)
        }
        while try step() {}
        guard case .done = state else { return nil }
        return response
    }

    /// Processes the end of the connection; returns the response if it is complete now.
    package mutating func end() -> HTTPClientResponse? {
        guard case .untilEnd = state else { return nil }
        state = .done
        isHTTP11 = false  // A connection that has ended cannot be reused.
        return response
    }

    /// Continues behind a head; returns the next head if this one was interim.
    private mutating func take(
        _ head: HTTPResponseHeadParser.Head
    ) throws(HTTPRefusal) -> HTTPResponseHeadParser.Head? {
        let rest = headParser.takeRest()
        guard head.status >= 200 else {
            interimCount += 1
            guard head.status != 101, interimCount <= Self.interimLimit else {
                throw HTTPRefusal(400, "The answer switches protocols, or is missing.")
            }
            headParser = HTTPResponseHeadParser(limits: limits)
            return try headParser.append(rest.span)
        }
        response = HTTPClientResponse(status: head.status, headers: head.headers)
        isHTTP11 = head.isHTTP11
        state = try bodyState(of: head)
        buffer.append(rest.span)
        return nil
    }

    private func bodyState(of head: HTTPResponseHeadParser.Head) throws(HTTPRefusal) -> State {
        if hasNoBody || head.status == 204 || head.status == 304 { return .done }
        let codings = head.headers.all("Content-Encoding")
        guard codings.allSatisfy({ $0.equalsIgnoringCase("identity") }) else {
            throw HTTPRefusal(400, "The answer is compressed, which no request asks for.")
        }
        let lengths = head.headers.all("Content-Length")
        let transfers = head.headers.all("Transfer-Encoding")
        guard transfers.isEmpty else {
            guard lengths.isEmpty, transfers.count == 1, head.isHTTP11,
                transfers[0].equalsIgnoringCase("chunked")
            else { throw HTTPRefusal(400, "The encoding of the answer's length is unknown.") }
            return .chunkSize
        }
        guard let text = lengths.first else { return .untilEnd }
        guard lengths.count == 1 else {
            throw HTTPRefusal(400, "The answer has more than one Content-Length.")
        }
        let length = try HTTPHead.length(text)
        guard length <= bodyLimit else { throw .bodyTooLarge }
        return length == 0 ? .done : .body(remaining: length)
    }

    /// Parses one step; returns false if more bytes or none are needed.
    private mutating func step() throws(HTTPRefusal) -> Bool {
        switch state {
        case .head, .done: return false
        case .body(let remaining):
            let left = take(upTo: remaining)
            state = left == 0 ? .done : .body(remaining: left)
            return false
        case .untilEnd:
            guard buffer.count <= bodyLimit - response.body.count else { throw .bodyTooLarge }
            _ = take(upTo: buffer.count)
            return false
        case .chunkSize:
            let tooLong = HTTPRefusal(400, "A chunk's size line is too long.")
            guard let line = try buffer.line(limit: 256, tooLong: tooLong) else { return false }
            let size = try HTTPHead.chunkSize(line)
            guard size <= bodyLimit - response.body.count else { throw .bodyTooLarge }
            state = size == 0 ? .trailers : .chunk(remaining: size)
            return true
        case .chunk(let remaining):
            let left = take(upTo: remaining)
            state = left == 0 ? .chunkEnd : .chunk(remaining: left)
            return left == 0
        case .chunkEnd:
            let mistake = HTTPRefusal(400, "A chunk is longer than its size says.")
            guard let line = try buffer.line(limit: 0, tooLong: mistake) else { return false }
            guard line.isEmpty else { throw mistake }
            state = .chunkSize
            return true
        case .trailers:
            let tooLarge = HTTPRefusal(431, "The trailers of the answer are too large.")
            let line = try buffer.line(limit: limits.headBytes - trailerBytes, tooLong: tooLarge)
            guard let line else { return false }
            trailerBytes += line.count + 2
            if line.isEmpty { state = .done } else { _ = try HTTPHead.field(line) }
            return !line.isEmpty
        }
    }

    /// Moves bytes to the body; returns the number that is still missing.
    private mutating func take(upTo limit: Int) -> Int {
        let bytes = buffer.take(upTo: limit)
        response.body += bytes
        return limit - bytes.count
    }
}
