// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSockets
import RoostTestSupport
import RoostTransport
import RoostURLSession
import Testing

/// Answers of a malicious server and their ends.
struct HostileServerTests {
    private static let limit = 1_000_000
    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let piece = String(repeating: "x", count: 65_536)

    /// Servers that never stop sending: the first bytes, and the bytes they repeat.
    static let endless: [(name: String, beginning: String, piece: String)] = [
        ("a longer body than allowed", ok + "Content-Length: 1000001\r\n\r\n", piece),
        ("a body without a length", ok + "\r\n", piece),
        ("endless chunks", ok + "Transfer-Encoding: chunked\r\n\r\n", "10000\r\n\(piece)\r\n"),
        ("an endless chunk", ok + "Transfer-Encoding: chunked\r\n\r\nfffffffffffff\r\n", piece),
        ("an endless chunk size", ok + "Transfer-Encoding: chunked\r\n\r\n", "0"),
        ("endless trailers", ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n", "A: b\r\n"),
        ("endless headers", ok, "A: b\r\n"),
        ("an endless header", ok + "A: ", piece),
        ("an endless status line", "HTTP/1.1 200 ", piece),
        ("endless interim answers", "", "HTTP/1.1 100 Continue\r\n\r\n"),
        ("a compressed body", ok + "Content-Encoding: gzip\r\n\r\n", piece),
        ("two lengths", ok + "Content-Length: 1\r\nContent-Length: 9\r\n\r\n", piece),
        ("a length of 20 digits", ok + "Content-Length: 99999999999999999999\r\n\r\n", piece),
        ("another protocol", "HTTP/1.1 101 Yes\r\nUpgrade: x\r\n\r\n", piece),
        ("no HTTP", "SSH-2.0-OpenSSH_9.7\r\n", piece),
    ]

    /// The answers of which only the body is too long; the others are not those of a web server.
    private static let endlessBodies: Set<String> = [
        "a longer body than allowed", "a body without a length", "endless chunks",
        "an endless chunk",
    ]

    @Test(arguments: endless)
    func `the client disconnects from an endless answer`(
        _ row: (name: String, beginning: String, piece: String)
    ) async throws {
        try await withLoop { loop in
            let server = RawServer.repeating(row.piece, after: row.beginning)
            let http = UVHTTP(on: loop, answerBytes: Self.limit)
            let error = await #expect(throws: TransportError.self) {
                _ = try await http.send(HTTPRequest(url: "http://127.0.0.1:\(server.port)/"))
            }
            let isBody = Self.endlessBodies.contains(row.name)
            #expect(error?.kind == (isBody ? .answerTooLarge : .lost))
            #expect(error?.message.contains("127.0.0.1:\(server.port)") == true)
            await server.isLeft.wait()
        }
    }

    /// Slow servers: the first bytes, and the bytes they repeat.
    static let slow: [(name: String, beginning: String, piece: String)] = [
        ("a body byte by byte", ok + "Content-Length: 500000\r\n\r\n", "x"),
        ("a head byte by byte", ok + "A: ", "x"),
        ("chunks byte by byte", ok + "Transfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"),
    ]

    @Test(arguments: slow)
    func `the time limit covers the whole answer`(
        _ row: (name: String, beginning: String, piece: String)
    ) async throws {
        try await withLoop { loop in
            let server = RawServer.repeating(row.piece, after: row.beginning, pause: 2_000)
            let http = UVHTTP(on: loop, answerBytes: Self.limit)
            let error = await #expect(throws: TransportError.self) {
                _ = try await http.send(
                    HTTPRequest(
                        url: "http://127.0.0.1:\(server.port)/", timeLimit: .milliseconds(300)))
            }
            #expect(error?.kind == .timedOut)
            await server.isLeft.wait()
        }
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\n\r\nopen to the end",
    ])
    func `an answer shorter than announced is awaited until the limit only`(
        _ beginning: String
    ) async throws {
        try await withLoop { loop in
            let server = RawServer.stalling(after: beginning)
            let http = UVHTTP(on: loop, answerBytes: Self.limit)
            let error = await #expect(throws: TransportError.self) {
                _ = try await http.send(
                    HTTPRequest(
                        url: "http://127.0.0.1:\(server.port)/", timeLimit: .milliseconds(100)))
            }
            #expect(error?.kind == .timedOut)
            await server.isLeft.wait()
        }
    }

    @Test func `an upload's answer has a time limit of its own`() async throws {
        try await withLoop { loop in
            let server = RawServer.repeating("x", after: Self.ok + "\r\n", pause: 2_000)
            let http = UVHTTP(on: loop, answerBytes: Self.limit)
            let error = await #expect(throws: TransportError.self) {
                _ = try await http.upload(
                    HTTPRequest(
                        method: "POST", url: "http://127.0.0.1:\(server.port)/",
                        timeLimit: .milliseconds(300)),
                    HTTPBody(length: 0) { [] })
            }
            #expect(error?.kind == .timedOut)
            await server.isLeft.wait()
        }
    }

    /// Malicious WebSocket servers: the bytes they repeat after the handshake.
    static let sockets: [(name: String, piece: String)] = [
        ("a compressed message", "\u{41}"),
        ("a message of endless fragments", "\u{0}\u{1}x"),
        ("a message of endless empty fragments", "\u{0}\u{0}"),
        ("a fragment inside another message", "\u{1}\u{1}x"),
        ("a reserved opcode", "\u{3}\u{0}"),
        ("a ping in fragments", "\u{9}\u{0}"),
    ]

    @Test(arguments: sockets)
    func `a violation of the server ends the socket`(
        _ row: (name: String, piece: String)
    ) async throws {
        try await withLoop { loop in
            let server = RawServer.webSocket(repeating: row.piece, after: "\u{1}\u{1}x")
            var limits = WebSocketLimits()
            limits.closeTime = .milliseconds(50)
            let socket = try await UVSocketTransport(on: loop, limits: limits).open(
                SocketRequest(url: "ws://127.0.0.1:\(server.port)/"))
            let error = await #expect(throws: TransportError.self) {
                while try await socket.receive() != nil {}
            }
            #expect(error?.kind == .lost)
            await server.isLeft.wait()
        }
    }

    @Test func `a server that floods with pings and reads no pongs is cut`() async throws {
        try await withLoop { loop in
            let server = RawServer.webSocket(
                repeating: String(repeating: "\u{89}\u{7D}" + Self.piece.prefix(125), count: 500),
                after: "")
            var limits = WebSocketLimits()
            limits.outgoingBytes = 100_000
            let socket = try await UVSocketTransport(on: loop, limits: limits).open(
                SocketRequest(url: "ws://127.0.0.1:\(server.port)/"))
            let error = await #expect(throws: TransportError.self) {
                while try await socket.receive() != nil {}
            }
            #expect(error?.kind == .lost)
            await server.isLeft.wait()
        }
    }

    @Test func `an endless handshake has a limit in bytes and in time`() async throws {
        try await withLoop { loop in
            let sockets = UVSocketTransport(on: loop)
            let endless = RawServer.repeating("A: b\r\n", after: "HTTP/1.1 101 Yes\r\n")
            let error = await #expect(throws: TransportError.self) {
                _ = try await sockets.open(
                    SocketRequest(url: "ws://127.0.0.1:\(endless.port)/"))
            }
            #expect(error?.kind == .lost)
            await endless.isLeft.wait()
            let slow = RawServer.repeating("x", after: "HTTP/1.1 101 Yes\r\nA: ", pause: 2_000)
            let late = await #expect(throws: TransportError.self) {
                _ = try await sockets.open(
                    SocketRequest(
                        url: "ws://127.0.0.1:\(slow.port)/", timeLimit: .milliseconds(300)))
            }
            #expect(late?.kind == .timedOut)
            await slow.isLeft.wait()
        }
    }

    /// Beginnings of peers that do not speak TLS: a proxy without a server, and a captive portal.
    static let strangersToTLS = ["", "HTTP/1.1 302 Found\r\nLocation: http://portal/\r\n\r\n"]

    @Test(arguments: strangersToTLS)
    func `a handshake that is cut or answered in the clear says nothing about a certificate`(
        _ beginning: String
    ) async throws {
        try await withLoop { loop in
            let http = UVHTTP(on: loop, answerBytes: Self.limit)
            let port = RawServer.speakFirst(beginning)
            let error = await #expect(throws: TransportError.self) {
                _ = try await http.send(HTTPRequest(url: "https://127.0.0.1:\(port)/"))
            }
            #expect(error?.kind == .unreachable)
            #expect(error?.message.contains("127.0.0.1:\(port)") == true)
            let other = RawServer.speakFirst(beginning)
            let refusal = await #expect(throws: TransportError.self) {
                _ = try await UVSocketTransport(on: loop).open(
                    SocketRequest(url: "wss://127.0.0.1:\(other)/"))
            }
            #expect(refusal?.kind == .unreachable)
        }
    }

    @Test(arguments: strangersToTLS)
    func `URLSession does not distrust a server whose handshake fails`(
        _ beginning: String
    ) async throws {
        let port = RawServer.speakFirst(beginning)
        let http = URLSessionHTTP(answerBytes: Self.limit)
        let error = await #expect(throws: TransportError.self) {
            _ = try await http.send(HTTPRequest(url: "https://127.0.0.1:\(port)/"))
        }
        #expect(error?.kind == .lost)
    }

    @Test func `a certificate of an unknown authority is untrusted`() async throws {
        let files = try TemporaryCertificates()
        var configuration = HTTPServer.Configuration()
        configuration.tls = try TLSContext.server(
            certificateChainFile: files.certificate, privateKeyFile: files.key)
        try await withLoop { loop in
            let server = try await HTTPServer.start(
                configuration, handler: ContractHandler(silence: Gate()), on: loop)
            let http = UVHTTP(on: loop, answerBytes: Self.limit)
            let error = await #expect(throws: TransportError.self) {
                _ = try await http.send(HTTPRequest(url: "https://localhost:\(server.port)/echo"))
            }
            #expect(error?.kind == .untrusted)
            let refusal = await #expect(throws: TransportError.self) {
                _ = try await UVSocketTransport(on: loop).open(
                    SocketRequest(url: "wss://localhost:\(server.port)/echo"))
            }
            #expect(refusal?.kind == .untrusted)
            await server.shutdown(grace: .zero)
        }
    }

    @Test func `only the codes of certificates count as distrust on Apple platforms`() throws {
        let endpoint = try Endpoint("https://chat.example/", schemes: ["https"])
        #expect(endpoint.error(.secureConnectionFailed).kind == .lost)
        #expect(endpoint.error(.networkConnectionLost).kind == .lost)
        #expect(endpoint.error(.serverCertificateUntrusted).kind == .untrusted)
        #expect(endpoint.error(.serverCertificateHasUnknownRoot).kind == .untrusted)
        #expect(endpoint.error(.serverCertificateHasBadDate).kind == .untrusted)
        #expect(endpoint.error(.serverCertificateNotYetValid).kind == .untrusted)
    }

    @Test func `a connection is kept for the next request`() async throws {
        var configuration = HTTPServer.Configuration()
        configuration.connectionLimit = 1
        try await withLoop { loop in
            let server = try await HTTPServer.start(
                configuration, handler: ContractHandler(silence: Gate()), on: loop)
            let http = UVHTTP(on: loop, answerBytes: Self.limit)
            // A second connection would wait for the end of the first.
            for number in 0..<5 {
                let response = try await http.send(
                    HTTPRequest(
                        method: "POST", url: "http://127.0.0.1:\(server.port)/echo",
                        body: Array("\(number)".utf8)))
                #expect(response.body == Array("\(number)".utf8))
            }
            await server.shutdown(grace: .zero)
        }
    }

    @Test func `an idle connection that the server has closed is replaced`() async throws {
        try await withLoop { loop in
            let first = try await HTTPServer.start(
                handler: ContractHandler(silence: Gate()), on: loop)
            let http = UVHTTP(on: loop, answerBytes: Self.limit)
            let request = HTTPRequest(url: "http://127.0.0.1:\(first.port)/echo")
            #expect(try await http.send(request).status == 200)
            await first.shutdown(grace: .zero)
            var configuration = HTTPServer.Configuration()
            configuration.port = first.port
            let second = try await HTTPServer.start(
                configuration, handler: ContractHandler(silence: Gate()), on: loop)
            #expect(try await http.send(request).status == 200)
            await second.shutdown(grace: .zero)
        }
    }
}
