// SPDX-License-Identifier: Apache-2.0

// A strict subset of RFC 9112, pulled event by event. It is strict because a request that a proxy
// reads differently can be smuggled past the proxy. It is pulled because a server that answers one
// request at a time should not parse the next ten.

/// A parser from the bytes of one connection to requests, without I/O.
///
/// - Invariant: After `.refused` it returns nothing more, because the bytes behind a fault have no
///   meaning.
package struct HTTPRequestParser: Sendable {
    package enum Event: Sendable, Hashable {
        /// The client waits for `100 Continue` before it sends the body of the coming request.
        case expectsContinue
        case request(HTTPServerRequest)
        /// A request without its body, which follows in pieces.
        case head(HTTPServerRequest)
        case piece([UInt8])
        /// The end of the body that followed a head.
        case end
        case refused(HTTPRefusal)
    }

    enum State: Sendable {
        case requestLine
        case headers
        case body(remaining: Int)
        case bodyEnd
        case chunkSize
        case chunk(remaining: Int)
        case chunkEnd
        case trailers
        case refused
    }

    let limits: HTTPLimits
    private let piecewise: @Sendable (HTTPServerRequest) -> Int?
    var buffer = HTTPLineBuffer()
    var state = State.requestLine
    var head = Head()
    var body: [UInt8] = []
    private var bodyByteCount = 0
    private var bodyLimit = 0
    private var isPiecewise = false
    /// Whether the client waits for permission to send its body, and `next` has not said so yet.
    private(set) var owesContinue = false
    var fieldBytes = 0
    var fieldCount = 0
    /// Whether an empty line is tolerated; old clients send one after a body.
    private var mayMeetEmptyLine = true

    /// Creates a parser.
    ///
    /// `piecewise` returns the size limit in bytes of a body that is read in pieces; nil reads the
    /// body as a whole.
    package init(
        limits: HTTPLimits = HTTPLimits(),
        piecewise: @escaping @Sendable (HTTPServerRequest) -> Int? = { _ in nil }
    ) {
        self.limits = limits
        self.piecewise = piecewise
    }

    /// The number of received bytes that belong to no event yet.
    package var bufferedByteCount: Int { buffer.count }

    /// The progress of an incomplete request.
    package enum Progress: Sendable, Hashable {
        case idle
        case head
        /// Reading the body, of which `byteCount` bytes have arrived.
        case body(byteCount: Int)
    }

    package var progress: Progress {
        switch state {
        case .requestLine: buffer.count > 0 ? .head : .idle
        case .headers: .head
        case .body, .bodyEnd, .chunkSize, .chunk, .chunkEnd, .trailers:
            .body(byteCount: bodyByteCount)
        case .refused: .idle
        }
    }

    /// Adds bytes; call `next` for the events afterwards.
    package mutating func append(_ bytes: Span<UInt8>) {
        buffer.append(bytes)
    }

    /// Returns the next event; nil if more bytes are needed.
    package mutating func next() -> Event? {
        do throws(HTTPRefusal) {
            while true {
                switch try step() {
                case .needsMore: return nil
                case .goesOn: continue
                case .event(let event): return event
                }
            }
        } catch {
            state = .refused
            return .refused(error)
        }
    }

    /// Returns all bytes behind the last request: the first bytes of the protocol it switched to.
    package mutating func takeRest() -> [UInt8] {
        Array(buffer.take(upTo: buffer.count))
    }

    enum Step {
        case needsMore
        case goesOn
        case event(Event)
    }

    private mutating func step() throws(HTTPRefusal) -> Step {
        guard !owesContinue else {
            owesContinue = false
            return .event(.expectsContinue)
        }
        return switch state {
        case .requestLine: try readRequestLine()
        case .headers: try readHeader()
        case .body(let remaining):
            readBody(remaining) { $0 == 0 ? .bodyEnd : .body(remaining: $0) }
        case .bodyEnd: .event(finish())
        case .chunkSize: try readChunkSize()
        case .chunk(let remaining):
            readBody(remaining) { $0 == 0 ? .chunkEnd : .chunk(remaining: $0) }
        case .chunkEnd: try readChunkEnd()
        case .trailers: try readTrailer()
        case .refused: .needsMore
        }
    }

    private mutating func readRequestLine() throws(HTTPRefusal) -> Step {
        let line = try buffer.line(
            limit: limits.lineBytes,
            tooLong: HTTPRefusal(414, "The request line is longer than this server reads."))
        guard let line else { return .needsMore }
        if line.isEmpty && mayMeetEmptyLine {
            mayMeetEmptyLine = false
            return .goesOn
        }
        head = try Head(requestLine: line)
        state = .headers
        return .goesOn
    }

    private mutating func readHeader() throws(HTTPRefusal) -> Step {
        guard let line = try fieldLine() else { return .needsMore }
        guard line.isEmpty else {
            try head.add(HTTPHead.field(line))
            return .goesOn
        }
        let length = try head.bodyLength()
        guard length != .none else { return .event(finish()) }
        let request = request
        let limit = piecewise(request)
        isPiecewise = limit != nil
        bodyLimit = limit ?? limits.bodyBytes
        switch length {
        case .none: break
        case .known(let count):
            guard count <= bodyLimit else { throw .bodyTooLarge }
            state = .body(remaining: count)
        case .chunked: state = .chunkSize
        }
        owesContinue = try head.expectsContinue()
        return isPiecewise ? .event(.head(request)) : .goesOn
    }

    /// Returns a line of headers or trailers, counted against their common limits.
    private mutating func fieldLine() throws(HTTPRefusal) -> ArraySlice<UInt8>? {
        let tooLarge = HTTPRefusal(431, "The headers are larger than this server reads.")
        let line = try buffer.line(limit: limits.headBytes - fieldBytes, tooLong: tooLarge)
        guard let line else { return nil }
        guard !line.isEmpty else { return line }
        fieldBytes += line.count + 2
        fieldCount += 1
        guard fieldCount <= limits.headerCount, fieldBytes <= limits.headBytes else {
            throw tooLarge
        }
        return line
    }

    private mutating func readBody(_ remaining: Int, then next: (Int) -> State) -> Step {
        let bytes = buffer.take(upTo: remaining)
        guard !bytes.isEmpty else { return .needsMore }
        bodyByteCount += bytes.count
        state = next(remaining - bytes.count)
        guard !isPiecewise else { return .event(.piece(Array(bytes))) }
        body += bytes
        return .goesOn
    }

    private mutating func readChunkSize() throws(HTTPRefusal) -> Step {
        let line = try buffer.line(
            limit: 256, tooLong: HTTPRefusal(400, "A chunk's size line is too long."))
        guard let line else { return .needsMore }
        let size = try HTTPHead.chunkSize(line)
        guard size <= bodyLimit - bodyByteCount else { throw .bodyTooLarge }
        state = size == 0 ? .trailers : .chunk(remaining: size)
        return .goesOn
    }

    private mutating func readChunkEnd() throws(HTTPRefusal) -> Step {
        let mistake = HTTPRefusal(400, "A chunk is longer than its size says.")
        guard let line = try buffer.line(limit: 0, tooLong: mistake) else { return .needsMore }
        guard line.isEmpty else { throw mistake }
        state = .chunkSize
        return .goesOn
    }

    /// Checks trailers and drops them: nothing needs them, and merging them is a known
    /// vulnerability.
    private mutating func readTrailer() throws(HTTPRefusal) -> Step {
        guard let line = try fieldLine() else { return .needsMore }
        guard line.isEmpty else {
            _ = try HTTPHead.field(line)
            return .goesOn
        }
        return .event(finish())
    }

    private mutating func finish() -> Event {
        defer {
            state = .requestLine
            head = Head()
            body = []
            bodyByteCount = 0
            isPiecewise = false
            fieldBytes = 0
            fieldCount = 0
            mayMeetEmptyLine = true
        }
        return isPiecewise ? .end : .request(request)
    }

    private var request: HTTPServerRequest {
        HTTPServerRequest(
            method: head.method, target: head.target, version: head.version,
            headers: head.headers, body: body)
    }
}

extension HTTPRefusal {
    static let bodyTooLarge = Self(413, "The body is larger than this server accepts.")
}
