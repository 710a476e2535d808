// SPDX-License-Identifier: Apache-2.0

import RoostSockets
import Testing

struct HTTPResponseTests {
    private func text(
        _ response: HTTPServerResponse, withoutBody: Bool = false, keepsAlive: Bool = true
    ) -> String {
        String(
            decoding: HTTPResponseWriter.bytes(
                of: response, withoutBody: withoutBody, keepsAlive: keepsAlive, date: "D"),
            as: UTF8.self)
    }

    @Test func `an answer has its length, its date and the future of its connection`() {
        let response = HTTPServerResponse(
            status: 200, headers: ["X-A": "1"], body: Array("hello".utf8))
        let expected =
            "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 5\r\nConnection: keep-alive\r\nX-A: 1\r\n"
            + "\r\nhello"
        #expect(text(response) == expected)
        #expect(text(response, keepsAlive: false).contains("\r\nConnection: close\r\n"))
    }

    @Test func `the answer to HEAD has the length and no body`() {
        let answer = text(HTTPServerResponse(status: 404, text: "No."), withoutBody: true)
        #expect(answer.contains("Content-Length: 4\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
    }

    @Test(arguments: [204, 304])
    func `an answer without a body has no length`(_ status: Int) {
        let answer = text(HTTPServerResponse(status: status, body: [1, 2]))
        #expect(!answer.contains("Content-Length"))
        #expect(answer.hasSuffix("\r\n\r\n"))
    }

    @Test func `a user's value cannot begin a header of its own`() {
        let answer = text(
            HTTPServerResponse(status: 200, headers: ["X-Name": "a\r\nSet-Cookie: b"]))
        #expect(!answer.contains("\r\nSet-Cookie"))
        #expect(answer.contains("X-Name: a  Set-Cookie: b\r\n"))
    }

    @Test func `a handler cannot override the length that the server writes`() {
        let answer = text(
            HTTPServerResponse(
                status: 200,
                headers: ["content-length": "99", "Transfer-Encoding": "chunked", "date": "x"]))
        #expect(answer.contains("Content-Length: 0\r\n"))
        #expect(!answer.contains("99") && !answer.contains("chunked"))
    }

    static let dates: [(seconds: Int64, text: String)] = [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
        (1_709_251_200, "Fri, 01 Mar 2024 00:00:00 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
    ]

    @Test(arguments: dates)
    func `dates have the format of the RFC`(_ row: (seconds: Int64, text: String)) {
        #expect(HTTPDate.format(row.seconds) == row.text)
        var cache = HTTPDate()
        _ = cache.text(at: row.seconds - 1)
        #expect(cache.text(at: row.seconds) == row.text)
    }

    @Test func `the head of an answer parses byte by byte, and the rest is kept`() throws {
        let bytes = Array("HTTP/1.1 101 Switching\r\nA: b\r\n\r\nxy".utf8)
        var parser = HTTPResponseHeadParser()
        var head: HTTPResponseHeadParser.Head?
        for byte in bytes where head == nil { head = try parser.append([byte].span) }
        #expect(head?.status == 101)
        #expect(head?.headers == ["A": "b"])
        parser = HTTPResponseHeadParser()
        #expect(try parser.append(bytes.span)?.status == 101)
        #expect(parser.takeRest() == Array("xy".utf8))
    }

    @Test(arguments: [
        "HTTP/2 200 OK\r\n", "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 20 OK\r\n", "HTTP/1.1 2000\r\n",
        "HTTP/1.1 200 OK\n", "HTTP/1.1 200 OK\r\nbad header\r\n",
    ])
    func `bytes that are no HTTP answer are refused`(_ text: String) {
        var parser = HTTPResponseHeadParser()
        #expect(throws: HTTPRefusal.self) { _ = try parser.append(Array(text.utf8).span) }
    }

    /// Answers, their bodies, and whether the connection can be used again.
    static let answers: [(text: String, method: String, body: String, isReusable: Bool)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", "GET", "ab", true),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "GET", "", true),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", "HEAD", "", true),
        ("HTTP/1.1 204 No\r\n\r\n", "GET", "", true),
        ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nab", "GET", "ab", false),
        (
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nab", "GET", "ab",
            false
        ),
        (
            "HTTP/1.1 100 Wait\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "1;x=y\r\na\r\n2\r\nbc\r\n0\r\nA: b\r\n\r\n", "GET", "abc", true
        ),
    ]

    @Test(arguments: answers)
    func `an answer parses in one piece and byte by byte`(
        _ row: (text: String, method: String, body: String, isReusable: Bool)
    ) throws {
        for size in [1, row.text.utf8.count] {
            var parser = HTTPResponseParser(answerTo: row.method, bodyLimit: 3)
            var rest = Array(row.text.utf8)[...]
            var response: HTTPClientResponse?
            while response == nil, !rest.isEmpty {
                response = try parser.append(Array(rest.prefix(size)).span)
                rest = rest.dropFirst(size)
            }
            #expect(rest.isEmpty)
            #expect(response.map { String(decoding: $0.body, as: UTF8.self) } == row.body)
            #expect(parser.isReusable == row.isReusable)
        }
    }

    @Test func `the end of the connection ends a body without a length only`() throws {
        var parser = HTTPResponseParser(answerTo: "GET", bodyLimit: 3)
        #expect(try parser.append(Array("HTTP/1.1 200 OK\r\n\r\nab".utf8).span) == nil)
        #expect(parser.end()?.body == Array("ab".utf8))
        #expect(!parser.isReusable)
        parser = HTTPResponseParser(answerTo: "GET", bodyLimit: 3)
        let half = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"
        #expect(try parser.append(Array(half.utf8).span) == nil)
        #expect(parser.end() == nil)
    }

    @Test(arguments: [
        "Content-Length: 4\r\n\r\n", "\r\nabcd", "Transfer-Encoding: chunked\r\n\r\n4\r\n",
        "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\n", "Content-Encoding: br\r\n\r\n",
        "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "Transfer-Encoding: gzip\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
    ])
    func `an answer that is too large or has two lengths is refused`(_ text: String) {
        var parser = HTTPResponseParser(answerTo: "GET", bodyLimit: 3)
        #expect(throws: HTTPRefusal.self) {
            _ = try parser.append(Array(("HTTP/1.1 200 OK\r\n" + text).utf8).span)
        }
    }
}
