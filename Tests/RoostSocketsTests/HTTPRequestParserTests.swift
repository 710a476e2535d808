// SPDX-License-Identifier: Apache-2.0

import RoostSockets
import Testing

struct HTTPRequestParserTests {
    typealias Event = HTTPRequestParser.Event

    /// Returns all events of some bytes, parsed in pieces of `piece` bytes.
    private func events(
        of text: String, piece: Int = .max, limits: HTTPLimits = HTTPLimits()
    ) -> [Event] {
        var parser = HTTPRequestParser(limits: limits)
        var events: [Event] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            parser.append(Array(rest.prefix(piece)).span)
            rest = rest.dropFirst(piece)
            while let event = parser.next() { events.append(event) }
        }
        return events
    }

    private func status(of text: String, limits: HTTPLimits = HTTPLimits()) -> Int? {
        guard case .refused(let refusal)? = events(of: text, limits: limits).last else {
            return nil
        }
        return refusal.status
    }

    static let refusals: [(status: Int, text: String)] = [
        (400, "GET / HTTP/1.1\r\n\r\n"),
        (400, "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
        (400, "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"),
        (400, "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        (400, "GET / HTTP/1.1\r\nHost: user@a\r\n\r\n"),
        (400, "GET / HTTP/1.1\nHost: a\n\n"),
        (400, "GET / HTTP/1.1\r\nHost: a\n\r\n"),
        (400, "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        (400, "GET /\r\nHost: a\r\n\r\n"),
        (400, "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
        (400, "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"),
        (400, " GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        (400, "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"),
        (400, "GET /\u{7}x HTTP/1.1\r\nHost: a\r\n\r\n"),
        (400, "GET /ü HTTP/1.1\r\nHost: a\r\n\r\n"),
        (400, "GET path HTTP/1.1\r\nHost: a\r\n\r\n"),
        (400, "GET * HTTP/1.1\r\nHost: a\r\n\r\n"),
        (400, "GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n"),
        (400, "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n"),
        (400, "GET / HTTP/one\r\nHost: a\r\n\r\n"),
        (400, "GET / http/1.1\r\nHost: a\r\n\r\n"),
        (505, "GET / HTTP/2.0\r\nHost: a\r\n\r\n"),
        (400, "GET / HTTP/1.1\r\nHost a\r\n\r\n"),
        (400, "GET / HTTP/1.1\r\nHost : a\r\n\r\n"),
        (400, "GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n folded\r\n\r\n"),
        (400, "GET / HTTP/1.1\r\nHost: a\r\n: empty\r\n\r\n"),
        (400, "GET / HTTP/1.1\r\nHost: a\r\nX: a\u{0}b\r\n\r\n"),
        (400, "GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n"),
        (400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx"),
        (400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx"),
        (400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\nx"),
        (400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"),
        (400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\nx"),
        (400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n\r\nx"),
        (400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n"),
        (400, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999999999999\r\n\r\n"),
        (413, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999999999999\r\n\r\n"),
        (
            400,
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
        ),
        (501, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"),
        (501, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"),
        (501, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n"),
        (
            400,
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n"
        ),
        (400, "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"),
        (417, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: coffee\r\n\r\n"),
    ]

    @Test(arguments: refusals)
    func `ambiguous requests are refused`(_ row: (status: Int, text: String)) {
        #expect(status(of: row.text) == row.status)
    }

    static let badChunks: [(status: Int, body: String)] = [
        (400, "x\r\n"), (400, "\r\n"), (400, "-1\r\n"), (400, "0x5\r\nhello\r\n0\r\n\r\n"),
        (400, "5 5\r\nhello"), (400, "1000000000000000\r\n"), (400, "5\r\nhelloo\r\n"),
        (400, "5\nhello\r\n"), (400, "0\r\nbad trailer\r\n\r\n"), (413, "fffffffffffffff\r\n"),
        (413, "3\r\nabc\r\n8\r\n"), (400, "5;" + String(repeating: "e", count: 300) + "\r\n"),
        (400, "5;a\rb\r\nhello\r\n0\r\n\r\n"), (400, "5;a=\0\r\nhello\r\n0\r\n\r\n"),
        (400, "5;a\u{1B}\r\nhello\r\n0\r\n\r\n"), (400, "5\r\r\nhello\r\n0\r\n\r\n"),
        (400, "5 \r\nhello\r\n0\r\n\r\n"), (400, " 5\r\nhello\r\n0\r\n\r\n"),
        (400, "5\r\nhello\r\r\n0\r\n\r\n"), (400, "0\r\nA: b\rc\r\n\r\n"),
        (400, "0\r\nA: b\0c\r\n\r\n"),
    ]

    @Test(arguments: badChunks)
    func `a chunk of the wrong size is refused`(_ row: (status: Int, body: String)) {
        var limits = HTTPLimits()
        limits.bodyBytes = 10
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(status(of: head + row.body, limits: limits) == row.status)
    }

    @Test func `each limit has its own status, reached before the request is complete`() {
        var limits = HTTPLimits()
        limits.lineBytes = 40
        limits.headBytes = 60
        limits.headerCount = 3
        limits.bodyBytes = 5
        let longTarget = "GET /" + String(repeating: "a", count: 40)
        #expect(status(of: longTarget, limits: limits) == 414)
        #expect(status(of: longTarget + " HTTP/1.1\r\n", limits: limits) == 414)
        let start = "GET / HTTP/1.1\r\nHost: a\r\n"
        let wide = start + "X: " + String(repeating: "b", count: 60)
        #expect(status(of: wide, limits: limits) == 431)
        #expect(status(of: start + "a: 1\r\nb: 1\r\nc: 1\r\n", limits: limits) == 431)
        #expect(status(of: start + "a: 1\r\nb: 1\r\n\r\n", limits: limits) == nil)
        #expect(status(of: start + "Content-Length: 6\r\n\r\n", limits: limits) == 413)
        #expect(status(of: start + "Content-Length: 5\r\n\r\n12345", limits: limits) == nil)
    }

    static let conversations: [String] = [
        "GET /a?b=c%20d HTTP/1.1\r\nHost: a:80\r\nX-A: 1\r\nx-a:\t2 \r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
            + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\nHEAD /3 HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
            + "5\r\nhello\r\n7;name=\"v\"\r\n, world\r\n0\r\nX-Sum: 1\r\n\r\nGET / HTTP/1.0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\nhi",
        "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\nPOST / HTTP/1.1\r\nHost:\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ]

    @Test(arguments: conversations)
    func `bytes one by one give the same events as in one piece`(_ text: String) {
        let whole = events(of: text)
        #expect(!whole.isEmpty)
        for piece in 1...7 { #expect(events(of: text, piece: piece) == whole) }
    }

    @Test(arguments: refusals)
    func `a refusal does not depend on the division of the bytes`(
        _ row: (status: Int, text: String)
    ) {
        #expect(events(of: row.text, piece: 1) == events(of: row.text))
    }

    @Test func `pipelined requests keep their order and their bodies`() {
        let requests = events(of: Self.conversations[1]).map { event -> String in
            guard case .request(let request) = event else { return "?" }
            return "\(request.method) \(request.target) "
                + String(decoding: request.body, as: UTF8.self)
        }
        #expect(requests == ["POST / hello", "GET /2 ", "HEAD /3 "])
    }

    @Test func `each body of a kept connection has the whole limit`() {
        var limits = HTTPLimits()
        limits.bodyBytes = 5
        let request =
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "5\r\nhello\r\n0\r\n\r\n"
        let bodies = events(of: request + request, limits: limits).map { event -> String in
            guard case .request(let request) = event else { return "?" }
            return String(decoding: request.body, as: UTF8.self)
        }
        #expect(bodies == ["hello", "hello"])
    }

    @Test func `chunks are joined, and extensions and trailers are dropped`() {
        guard case .request(let request)? = events(of: Self.conversations[2]).first else {
            Issue.record("The chunked request did not come out.")
            return
        }
        #expect(String(decoding: request.body, as: UTF8.self) == "hello, world")
        #expect(request.headers["X-Sum"] == nil)
    }

    @Test func `a client that expects 100 gets it before its body is read`() {
        let seen = events(of: Self.conversations[3])
        #expect(seen.first == .expectsContinue)
        #expect(seen.count == 2)
    }

    @Test func `nothing follows a refusal`() {
        let seen = events(of: Self.conversations[5])
        #expect(seen.count == 2)
        guard case .refused? = seen.last else {
            Issue.record("The nonsense was not refused.")
            return
        }
    }

    @Test func `header names compare without case, and repeated fields stay separate`() {
        guard case .request(let request)? = events(of: Self.conversations[0]).first else {
            Issue.record("The request did not come out.")
            return
        }
        #expect(request.target == "/a?b=c%20d")
        #expect(request.headers["HOST"] == "a:80")
        #expect(request.headers.all("x-A") == ["1", "2"])
    }

    @Test func `the absolute form is cut down to path and query`() {
        for (sent, expected) in [
            ("http://a/b?c", "/b?c"), ("https://a:1", "/"), ("http://a?q", "/?q"),
        ] {
            let seen = events(of: "GET \(sent) HTTP/1.1\r\nHost: a\r\n\r\n")
            guard case .request(let request)? = seen.first else {
                #expect(sent == "http://a", "\(sent) was refused")
                continue
            }
            #expect(request.target == expected)
        }
    }

    static let persistence: [(head: String, keepsAlive: Bool)] = [
        ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", true),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: foo, Close\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: foo\r\nConnection: close\r\n\r\n", false),
        ("GET / HTTP/1.0\r\n\r\n", false),
        ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true),
        ("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", false),
    ]

    @Test(arguments: persistence)
    func `the version and the Connection list decide whether a connection stays open`(
        _ row: (head: String, keepsAlive: Bool)
    ) {
        guard case .request(let request)? = events(of: row.head).first else {
            Issue.record("The request did not come out.")
            return
        }
        #expect(request.keepsAlive == row.keepsAlive)
    }

    @Test func `bytes behind an upgrade are passed on unchanged`() {
        var parser = HTTPRequestParser()
        parser.append(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n\u{1}\u{2}\n".utf8).span)
        _ = parser.next()
        #expect(parser.takeRest() == [1, 2, 10])
        #expect(parser.takeRest() == [])
    }

    static let uploads = [
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n"
            + "hello world",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n",
    ]

    @Test(arguments: uploads)
    func `a body read in pieces follows its head, however it is cut`(text: String) {
        for piece in 1...text.utf8.count {
            var parser = HTTPRequestParser { _ in 11 }
            var (bytes, order): ([UInt8], [String]) = ([], [])
            var rest = Array((text + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n").utf8)[...]
            while !rest.isEmpty {
                parser.append(Array(rest.prefix(piece)).span)
                rest = rest.dropFirst(piece)
                while let event = parser.next() {
                    switch event {
                    case .head(let head): order.append("\(head.method) \(head.body.count)")
                    case .piece(let more): bytes += more
                    case .end: order.append("end")
                    case .request(let request): order.append(request.target)
                    case .expectsContinue: #expect(order == ["POST 0"])
                    case .refused(let refusal): Issue.record("\(refusal)")
                    }
                }
            }
            #expect(order == ["POST 0", "end", "/next"])
            #expect(String(decoding: bytes, as: UTF8.self) == "hello world")
        }
    }

    @Test(arguments: uploads)
    func `a body in pieces has a limit of its own`(text: String) {
        var parser = HTTPRequestParser { _ in 10 }
        parser.append(Array(text.utf8).span)
        var last: Event?
        while let event = parser.next() { last = event }
        guard case .refused(let refusal) = last else {
            Issue.record("\(String(describing: last))")
            return
        }
        #expect(refusal.status == 413)
    }
}
