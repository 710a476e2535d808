// SPDX-License-Identifier: Apache-2.0

import Glibc
import RoostSockets
import RoostTestSupport
import Testing

struct WebSocketClientTests {
    private func failure(
        _ url: String, timeLimit: Duration = .seconds(30), on loop: EventLoop
    ) async -> SocketError? {
        await #expect(throws: SocketError.self) {
            _ = try await WebSocketClient.connect(url: url, timeLimit: timeLimit, on: loop)
        }
    }

    @Test func `each failure to connect has its own error, and none repeats the query`()
        async throws
    {
        let loop = try EventLoop.start()
        let port = RawClient.unusedPort()
        let refused = await failure("ws://127.0.0.1:\(port)/?token=secret", on: loop)
        #expect(refused?.kind == .refused)
        #expect(refused?.message.contains("127.0.0.1:\(port)") == true)
        #expect(refused?.message.contains("secret") == false)
        let unknown = await failure("ws://no-such-host.invalid/?token=secret", on: loop)
        #expect(unknown?.kind == .nameNotFound)
        #expect(unknown?.message.contains("secret") == false)
        await loop.shutdown()
    }

    @Test func `a status instead of an upgrade is reported`() async throws {
        try await withServer { server, loop in
            let error = await failure("ws://127.0.0.1:\(server.port)/refuse", on: loop)
            #expect(error?.kind == .upgradeRefused(status: 403))
        }
    }

    @Test func `a server that never answers is abandoned in time`() async throws {
        let never = Gate()
        let handler = SilentHandler(gate: never)
        try await withServer(handler) { server, loop in
            let error = await failure(
                "ws://127.0.0.1:\(server.port)/", timeLimit: .milliseconds(20), on: loop)
            #expect(error?.kind == .timedOut)
            never.open()
        }
    }

    @Test func `a connect can be cancelled`() async throws {
        let never = Gate()
        try await withServer(SilentHandler(gate: never)) { server, loop in
            let connecting = Task { () throws(SocketError) in
                try await WebSocketClient.connect(url: "ws://127.0.0.1:\(server.port)/", on: loop)
            }
            connecting.cancel()
            let error = await #expect(throws: SocketError.self) { _ = try await connecting.value }
            #expect(error?.kind == .cancelled)
            never.open()
        }
    }

    @Test func `a header that cannot be sent is refused before anything is sent`() async throws {
        let loop = try EventLoop.start()
        for (headers, subprotocols) in [
            (["X": "a\r\nb: c"], []), (["X Y": "a"], []), ([:], ["a,b"]), ([:], [""]),
        ] as [(HTTPHeaders, [String])] {
            let error = await #expect(throws: SocketError.self) {
                _ = try await WebSocketClient.connect(
                    url: "ws://127.0.0.1:1/", headers: headers, subprotocols: subprotocols, on: loop
                )
            }
            #expect(error?.kind == .invalidURL)
        }
        await loop.shutdown()
    }

    @Test func `a name with several addresses connects to the one that listens`() async throws {
        try await withServer { server, loop in
            let connection = try await WebSocketClient.connect(
                url: "ws://localhost:\(server.port)/", on: loop)
            try await connection.send("hello")
            #expect(try await connection.receive() == .text("hello"))
            await connection.close()
        }
    }

    @Test func `wrong handshakes are refused with the right status`() async throws {
        try await withServer { server, _ in
            let start =
                "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n"
                + "Connection: close, Upgrade\r\n"
            let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            for (status, text) in [
                (426, start + key + "\r\n"),
                (426, start + key + "Sec-WebSocket-Version: 8\r\n\r\n"),
                (400, start + "Sec-WebSocket-Version: 13\r\n\r\n"),
                (400, start + "Sec-WebSocket-Key: short\r\nSec-WebSocket-Version: 13\r\n\r\n"),
                (
                    400,
                    "POST" + start.dropFirst(3) + key + "Sec-WebSocket-Version: 13\r\n\r\n"
                ),
            ] {
                let answer = await RawClient.exchange(text, port: server.port)
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
            }
        }
    }
}

/// A handler that takes every request and answers none before the gate opens.
private struct SilentHandler: HTTPServerHandler {
    let gate: Gate

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        await gate.wait()
        return HTTPServerResponse(status: 200)
    }

    func upgrade(_ request: HTTPServerRequest) async -> UpgradeDecision {
        await gate.wait()
        return .refuse(HTTPServerResponse(status: 503))
    }
}
