// SPDX-License-Identifier: Apache-2.0

import RoostSockets
import RoostTestSupport
import RoostTransport
import Synchronization
import Testing

// The contracts of the transport protocols. An implementation joins by one line in
// `LiveTransportTests`, and a test double by the same line elsewhere.

/// The server of a contract, with one path for each behaviour.
struct ContractHandler: HTTPServerHandler {
    /// The gate that opens when the test no longer needs the server's silence.
    let silence: Gate

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        switch request.target.prefix(while: { $0 != "?" }) {
        case "/echo":
            var headers: HTTPHeaders = ["X-Method": request.method]
            headers.append("X-Seen", request.headers["X-Sent"] ?? "none")
            headers.append("X-Cookie", request.headers["Cookie"] ?? "none")
            headers.append("Set-Cookie", "a=b")
            headers.append("Cache-Control", "max-age=1000")
            return HTTPServerResponse(status: 200, headers: headers, body: request.body)
        case "/large":
            return HTTPServerResponse(status: 200, body: Array(repeating: 7, count: 5_000_000))
        case "/larger":
            return HTTPServerResponse(status: 200, body: Array(repeating: 7, count: 5_000_001))
        case "/redirect":
            return HTTPServerResponse(status: 302, headers: ["Location": "/echo"])
        case "/silent":
            await silence.wait()
            return HTTPServerResponse(status: 200)
        default: return HTTPServerResponse(status: 404, text: "Nothing here.")
        }
    }

    func upgrade(_ request: HTTPServerRequest) async -> UpgradeDecision {
        switch request.target.prefix(while: { $0 != "?" }) {
        case "/silent":
            await silence.wait()
            return .refuse(HTTPServerResponse(status: 503))
        case "/forbidden": return .refuse(HTTPServerResponse(status: 403))
        case "/goodbye":
            return .accept(subprotocol: nil) { connection in
                // The peer may be gone already, which the test checks.
                try? await connection.send("last words")
            }
        default:
            return .accept(subprotocol: request.headers.list("Sec-WebSocket-Protocol").first) {
                connection in
                do throws(SocketError) {
                    while let message = try await connection.receive() {
                        try await connection.send(.binary([1]))
                        try await connection.send(message)
                    }
                } catch { return }
            }
        }
    }
}

/// Runs a body with a server that is shut down in any case.
func withContractServer(_ body: (HTTPServer, EventLoop) async throws -> Void) async throws {
    let loop = try EventLoop.start()
    let silence = Gate()
    let server = try await HTTPServer.start(handler: ContractHandler(silence: silence), on: loop)
    do {
        try await body(server, loop)
    } catch {
        Issue.record(error)
    }
    silence.open()
    await server.shutdown(grace: .zero)
    await loop.shutdown()
}

/// The contract of `HTTPTransport`.
func checkHTTPContract(_ transport: some HTTPTransport) async throws {
    try await withContractServer { server, _ in
        let base = "http://127.0.0.1:\(server.port)"
        for method in ["GET", "PUT", "POST", "DELETE"] {
            let body = method == "GET" ? nil : Array("sent by \(method)".utf8)
            let response = try await transport.send(
                HTTPRequest(
                    method: method, url: base + "/echo?a=%20b", headers: [("X-Sent", "yes")],
                    body: body))
            #expect(response.status == 200)
            #expect(response.header("x-method") == method)
            #expect(response.header("X-Seen") == "yes")
            #expect(response.header("X-Cookie") == "none", "A cookie was kept.")
            #expect(response.body == body ?? [])
        }
        let missing = try await transport.send(HTTPRequest(url: base + "/nothing"))
        #expect(missing.status == 404)
        #expect(missing.body == Array("Nothing here.\n".utf8))
        let redirect = try await transport.send(HTTPRequest(url: base + "/redirect"))
        #expect(redirect.status == 302, "A redirect was followed.")
        let large = try await transport.send(HTTPRequest(url: base + "/large"))
        #expect(large.body == Array(repeating: 7, count: 5_000_000))
        let larger = await failure(of: transport, HTTPRequest(url: base + "/larger"))
        #expect(larger?.kind == .answerTooLarge)

        let late = await failure(
            of: transport, HTTPRequest(url: base + "/silent?t=s", timeLimit: .milliseconds(200)))
        #expect(late?.kind == .timedOut)
        let waiting = Task { try await transport.send(HTTPRequest(url: base + "/silent?t=s")) }
        waiting.cancel()
        let cancelled = await #expect(throws: TransportError.self) { _ = try await waiting.value }
        #expect(cancelled?.kind == .cancelled)
        for error in [late, cancelled] { #expect(error?.message.contains("t=s") == false) }
    }
    let port = RawServer.unusedPort()
    let refused = await failure(of: transport, HTTPRequest(url: "http://127.0.0.1:\(port)/?t=s"))
    #expect(refused?.kind == .unreachable)
    #expect(refused?.message.contains("127.0.0.1:\(port)") == true)
    let unknown = await failure(of: transport, HTTPRequest(url: "http://no-such-host.invalid/"))
    #expect(unknown?.kind == .unreachable)
    for url in ["", "nonsense", "ftp://a/", "http://", "http://u:secret@a/", "http://a/ b"] {
        #expect(await failure(of: transport, HTTPRequest(url: url))?.kind == .invalidURL)
    }
    for beginning in ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"] {
        let port = RawServer.answerOnce(with: beginning)
        let cut = await failure(of: transport, HTTPRequest(url: "http://127.0.0.1:\(port)/"))
        #expect(cut?.kind == .lost)
    }
}

/// A file that a body reads; its end opens a gate.
private final class BodyFile: Sendable {
    private let isReleased: Gate

    init(_ isReleased: Gate = Gate()) { self.isReleased = isReleased }

    func piece(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 50_000)
    }

    deinit { isReleased.open() }
}

/// The contract of uploads: the body arrives complete, is read in pieces (scar 144), and is
/// released.
func checkUploadContract(_ transport: some HTTPTransport) async throws {
    try await withContractServer { server, _ in
        let base = "http://127.0.0.1:\(server.port)"
        let pieces = 16
        func body(failingAt failure: Int?, of file: BodyFile = BodyFile()) -> HTTPBody {
            let next = Mutex(0)
            return HTTPBody(length: Int64(pieces * 50_000)) {
                let number = next.withLock { next in
                    defer { next += 1 }
                    return next
                }
                if number == failure { return nil }
                return number < pieces ? file.piece(number) : []
            }
        }
        let request = HTTPRequest(method: "POST", url: base + "/echo", headers: [("X-Sent", "yes")])
        let isReleased = Gate()
        let response = try await transport.upload(
            request, body(failingAt: nil, of: BodyFile(isReleased)))
        await isReleased.wait()
        #expect(response.status == 200)
        #expect(response.header("X-Method") == "POST")
        #expect(response.header("X-Seen") == "yes")
        #expect(response.body == (0..<pieces).flatMap(BodyFile().piece))

        let broken = await #expect(throws: TransportError.self) {
            _ = try await transport.upload(request, body(failingAt: 8))
        }
        #expect(broken?.kind == .lost)
        let late = await #expect(throws: TransportError.self) {
            let silent = HTTPRequest(
                method: "POST", url: base + "/silent", timeLimit: .milliseconds(300))
            _ = try await transport.upload(silent, body(failingAt: nil))
        }
        #expect(late?.kind == .timedOut)
    }
}

/// The contract of `SocketTransport` and `Socket`.
func checkSocketContract(
    _ make: @Sendable (EventLoop) -> some SocketTransport
) async throws {
    try await withContractServer { server, loop in
        let transport = make(loop)
        let base = "ws://127.0.0.1:\(server.port)"
        let socket = try await transport.open(
            SocketRequest(
                url: base + "/echo?token=secret", headers: [("X-Sent", "yes")],
                subprotocols: ["one"]))
        for text in ["", "hello", String(repeating: "ü", count: 100_000)] {
            try await socket.send(text)
            #expect(try await socket.receive() == text)
        }
        let waiting = Task { try await socket.receive() }
        waiting.cancel()
        let cancelled = await #expect(throws: TransportError.self) { _ = try await waiting.value }
        #expect(cancelled?.kind == .cancelled)
        try await socket.send("still open")
        #expect(try await socket.receive() == "still open")
        await socket.close()
        await socket.close()
        #expect(try await socket.receive() == nil)
        await #expect(throws: TransportError.self) { try await socket.send("late") }

        let ended = try await transport.open(SocketRequest(url: base + "/goodbye"))
        #expect(try await ended.receive() == "last words")
        #expect(try await ended.receive() == nil)

        #expect(await failure(of: transport, base + "/forbidden")?.kind == .refused(status: 403))
        let late = await failure(of: transport, base + "/silent", timeLimit: .milliseconds(100))
        #expect(late?.kind == .timedOut)
        let opening = Task { try await transport.open(SocketRequest(url: base + "/silent")) }
        opening.cancel()
        let given = await #expect(throws: TransportError.self) { _ = try await opening.value }
        #expect(given?.kind == .cancelled)

        let port = RawServer.unusedPort()
        let refused = await failure(of: transport, "ws://127.0.0.1:\(port)/?token=secret")
        #expect(refused?.kind == .unreachable)
        #expect(refused?.message.contains("127.0.0.1:\(port)") == true)
        #expect(refused?.message.contains("secret") == false)
        #expect(await failure(of: transport, "ws://no-such-host.invalid/")?.kind == .unreachable)
        for url in ["", "http://a/", "ws://", "ws://u:secret@a/", "ws://a/ b"] {
            #expect(await failure(of: transport, url)?.kind == .invalidURL)
        }
        let dead = RawServer.answerOnce(with: "")
        #expect(await failure(of: transport, "ws://127.0.0.1:\(dead)/")?.kind == .lost)

        let broken = RawServer.answerOnce(with: "", afterHandshake: true)
        let cut = try await transport.open(SocketRequest(url: "ws://127.0.0.1:\(broken)/"))
        let lost = await #expect(throws: TransportError.self) { _ = try await cut.receive() }
        #expect(lost?.kind == .lost)
    }
}

private func failure(
    of transport: some HTTPTransport, _ request: HTTPRequest
) async -> TransportError? {
    await #expect(throws: TransportError.self) { _ = try await transport.send(request) }
}

private func failure(
    of transport: some SocketTransport, _ url: String, timeLimit: Duration = .seconds(30)
) async -> TransportError? {
    await #expect(throws: TransportError.self) {
        _ = try await transport.open(SocketRequest(url: url, timeLimit: timeLimit))
    }
}
