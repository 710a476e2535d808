// SPDX-License-Identifier: Apache-2.0

import Glibc
import RoostSockets
import RoostTestSupport
import Synchronization
import Testing

struct WebSocketConnectionTests {
    private func url(_ server: HTTPServer, _ path: String = "/") -> String {
        "ws://127.0.0.1:\(server.port)\(path)"
    }

    @Test func `10,000 messages return complete and in order`() async throws {
        try await withServer { server, loop in
            let connection = try await WebSocketClient.connect(url: url(server), on: loop)
            let count = 10_000
            async let sent: Void = {
                for number in 0..<count { try await connection.send("message \(number)") }
            }()
            for number in 0..<count {
                let message = try await connection.receive()
                try #require(message == .text("message \(number)"))
            }
            try await sent
            await connection.close()
        }
    }

    @Test func `large and binary messages return complete`() async throws {
        try await withServer { server, loop in
            let connection = try await WebSocketClient.connect(url: url(server), on: loop)
            for message in [
                WebSocketMessage.binary(Array(repeating: 200, count: 1_000_000)),
                .text(String(repeating: "ü", count: 300_000)), .text(""),
            ] {
                try await connection.send(message)
                #expect(try await connection.receive() == message)
            }
            await connection.close()
        }
    }

    @Test func `the server's choice of subprotocol reaches the client`() async throws {
        try await withServer { server, loop in
            let offered = ["first", "%7B%22token%22%3A%22a%22%7D"]
            let connection = try await WebSocketClient.connect(
                url: url(server), subprotocols: offered, on: loop)
            #expect(connection.subprotocol == offered[1])
            await connection.close()
        }
    }

    @Test func `a client that only listens answers a ping`() async throws {
        let answered = Gate()
        let handler = ScriptedHandler(serve: { connection in
            let before = await connection.heardCount
            await connection.post("news")
            await connection.postPing()
            while await connection.heardCount == before { await Task.yield() }
            answered.open()
        })
        try await withServer(handler) { server, loop in
            let connection = try await WebSocketClient.connect(url: url(server), on: loop)
            await answered.wait()
            await connection.close()
        }
    }

    @Test func `a client's close ends the server's connection without an error`() async throws {
        let ended = Gate()
        let handler = ScriptedHandler(serve: { connection in
            let end = try? await connection.receive()  // A throw would leave the gate closed.
            if end == .some(nil), await connection.closeCode == 4001 { ended.open() }
        })
        try await withServer(handler) { server, loop in
            let connection = try await WebSocketClient.connect(url: url(server), on: loop)
            await connection.close(code: WebSocketCloseCode(rawValue: 4001), reason: "bye")
            await ended.wait()
            #expect(try await connection.receive() == nil)
            let error = await #expect(throws: SocketError.self) { try await connection.send("x") }
            #expect(error?.kind == .closed)
        }
    }

    @Test func `a server's close follows all messages sent before`() async throws {
        let handler = ScriptedHandler(serve: { connection in
            for number in 0..<500 {
                guard (try? await connection.send("\(number)")) != nil else { return }
            }
        })
        try await withServer(handler) { server, loop in
            let connection = try await WebSocketClient.connect(url: url(server), on: loop)
            var texts: [WebSocketMessage] = []
            while let message = try await connection.receive() { texts.append(message) }
            #expect(texts == (0..<500).map { .text("\($0)") })
            #expect(await connection.closeCode == 1000)
        }
    }

    @Test func `a shutdown of the server closes sockets with 1001`() async throws {
        try await withServer { server, loop in
            let connection = try await WebSocketClient.connect(url: url(server), on: loop)
            async let received = connection.receive()
            await server.shutdown(grace: .seconds(60))
            #expect(try await received == nil)
            #expect(await connection.closeCode == 1001)
        }
    }

    @Test func `a reader that is too slow is closed with 1013`() async throws {
        let refused = Gate()
        let handler = ScriptedHandler(serve: { connection in
            do throws(SocketError) {
                while true { try await connection.send(String(repeating: "x", count: 10_000)) }
            } catch {
                if error.kind == .peerTooSlow { refused.open() }
            }
        })
        try await withServer(
            handler,
            .with(\.webSocketLimits.outgoingBytes, 100_000).and(
                \.webSocketLimits.closeTime, .seconds(600))
        ) { server, loop in
            let connection = try await WebSocketClient.connect(url: url(server), on: loop)
            await refused.wait()
            while try await connection.receive() != nil {}
            #expect(await connection.closeCode == 1013)
        }
    }

    @Test(.timeLimit(.minutes(Patience.minutes)))
    func `a reader that never answers is cut when the close time is over`() async throws {
        // Longer than the default, so that a time of at least this length is this time.
        let closeTime = Duration.seconds(6)
        let ended = Gate()
        let waited = Mutex(Duration.zero)
        let handler = ScriptedHandler(serve: { connection in
            var start = ContinuousClock.now
            do throws(SocketError) {
                while true {
                    start = .now
                    try await connection.send(String(repeating: "x", count: 10_000))
                }
            } catch {
                await connection.close()
                let time = start.duration(to: .now)
                waited.withLock { $0 = time }
                ended.open()
            }
        })
        try await withServer(
            handler,
            .with(\.webSocketLimits.outgoingBytes, 100_000).and(
                \.webSocketLimits.closeTime, closeTime)
        ) { server, _ in
            let client = RawClient.open(RawClient.handshake, port: server.port)
            await ended.wait()
            #expect(waited.withLock { $0 } >= closeTime)
            // The end of the stream follows the bytes that the kernel has.
            #expect(await !RawClient.rest(of: client).isEmpty)
        }
    }

    @Test func `a shutdown without grace resumes the calls that wait on a socket`() async throws {
        let (began, ended) = (Gate(), Gate())
        let handler = ScriptedHandler(serve: { connection in
            began.open()
            await connection.close()  // The raw client never answers it.
            ended.open()
        })
        try await withServer(handler, .with(\.webSocketLimits.closeTime, .seconds(600))) {
            server, _ in
            let client = RawClient.open(RawClient.handshake, port: server.port)
            await began.wait()
            await server.shutdown(grace: .zero)
            await ended.wait()
            close(client)
        }
    }

    @Test func `a message beyond the limit closes with 1009 at both ends`() async throws {
        let sawViolation = Gate()
        let handler = ScriptedHandler(serve: { connection in
            do throws(SocketError) {
                _ = try await connection.receive()
            } catch {
                if error.kind == .protocolViolation(code: 1009) { sawViolation.open() }
            }
        })
        try await withServer(handler, .with(\.webSocketLimits.messageBytes, 1_000)) {
            server, loop in
            let connection = try await WebSocketClient.connect(url: url(server), on: loop)
            try await connection.send(String(repeating: "x", count: 500_000))
            await sawViolation.wait()
            #expect(try await connection.receive() == nil)
            #expect(await connection.closeCode == 1009)
        }
    }

    @Test func `a connection that breaks without a close gives an error`() async throws {
        let (began, served) = (Gate(), Gate())
        let handler = ScriptedHandler(serve: { connection in
            began.open()
            let error = await #expect(throws: SocketError.self) {
                _ = try await connection.receive()
            }
            #expect(error?.kind == .connectionLost)
            served.open()
        })
        try await withServer(handler) { server, _ in
            let client = RawClient.open(RawClient.handshake, port: server.port)
            await began.wait()
            close(client)
            await served.wait()
        }
    }

    @Test func `cancelling a receive loses no message and leaves the socket open`() async throws {
        try await withServer { server, loop in
            let connection = try await WebSocketClient.connect(url: url(server), on: loop)
            for round in 0..<50 {
                let waiting = Task { () throws(SocketError) in try await connection.receive() }
                waiting.cancel()
                let error = await #expect(throws: SocketError.self) { _ = try await waiting.value }
                #expect(error?.kind == .cancelled)
                try await connection.send("\(round)")
                #expect(try await connection.receive() == .text("\(round)"))
            }
            await connection.close()
        }
    }

    @Test func `a socket dropped without a close is cut`() async throws {
        let ended = Gate()
        let handler = ScriptedHandler(serve: { connection in
            do throws(SocketError) {
                while try await connection.receive() != nil {}
            } catch { if error.kind == .connectionLost { ended.open() } }
        })
        try await withServer(handler) { server, loop in
            var connection: WebSocketConnection? = try await WebSocketClient.connect(
                url: url(server), on: loop)
            try await connection?.send("hello")
            connection = nil
            await ended.wait()
        }
    }

    @Test func `a stop of the loop ends every wait`() async throws {
        let loop = try EventLoop.start()
        let server = try await HTTPServer.start(handler: EchoHandler(), on: loop)
        let connection = try await WebSocketClient.connect(url: url(server), on: loop)
        let received = Task { () throws(SocketError) in try await connection.receive() }
        await loop.shutdown()
        let error = await #expect(throws: SocketError.self) { _ = try await received.value }
        #expect(error?.kind == .loopStopped)
        await connection.close()
        await server.shutdown()
        await loop.shutdown()
        let late = await #expect(throws: SocketError.self) {
            _ = try await WebSocketClient.connect(url: url(server), on: loop)
        }
        #expect(late?.kind == .loopStopped)
    }
}
