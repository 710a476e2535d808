// SPDX-License-Identifier: Apache-2.0

import Glibc
import RoostSockets
import RoostTestSupport
import Synchronization
import Testing

struct HTTPServerTests {
    private func get(_ path: String, _ more: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: a\r\n\(more)\r\n"
    }

    /// Returns the bodies of consecutive answers, divided by their lengths.
    private func bodies(_ text: String) -> [String] {
        var bodies: [String] = []
        var rest = Array(text.utf8)[...]
        while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
            let head = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
            let length = head.firstMatch(of: /Content-Length: (\d+)/).flatMap { Int($0.1) } ?? 0
            bodies.append(String(decoding: rest[end.upperBound...].prefix(length), as: UTF8.self))
            rest = rest[end.upperBound...].dropFirst(length)
        }
        return bodies
    }

    @Test func `many requests on one connection are answered in order`() async throws {
        try await withServer { server, _ in
            let paths = (0..<200).map { "/\($0)" }
            let requests = paths.map { get($0) }.joined() + get("/end", "Connection: close\r\n")
            let answer = await RawClient.exchange(requests, port: server.port)
            #expect(bodies(answer) == paths + ["/end"])
        }
    }

    @Test func `answers keep their order although the first handler is the slowest`() async throws {
        let gate = Gate()
        let handler = ScriptedHandler(respond: { request in
            if request.target == "/slow" { await gate.wait() }
            return HTTPServerResponse(status: 200, body: Array(request.target.utf8))
        })
        try await withServer(handler) { server, _ in
            let requests = get("/slow") + get("/fast", "Connection: close\r\n")
            async let answer = RawClient.exchange(requests, port: server.port)
            gate.open()
            #expect(await bodies(answer) == ["/slow", "/fast"])
        }
    }

    @Test func `a client that closes its sending half gets its answer`() async throws {
        try await withServer { server, _ in
            let answer = await RawClient.exchange(get("/a"), port: server.port, closesFirst: true)
            #expect(bodies(answer) == ["/a"])
        }
    }

    @Test func `a handler gets the numeric address of a client`() async throws {
        let handler = ScriptedHandler(respond: { request in
            HTTPServerResponse(status: 200, body: Array(request.peer.utf8))
        })
        try await withServer(handler) { server, _ in
            let answer = await RawClient.exchange(
                get("/", "Connection: close\r\n"), port: server.port)
            #expect(bodies(answer) == ["127.0.0.1"])
        }
    }

    @Test func `an address with too many connections is refused and named until one ends`()
        async throws
    {
        let refused = Mutex<[String]>([])
        var configuration = HTTPServer.Configuration.with(\.connectionsPerPeer, 1)
        configuration.noteRefusal = { peer in refused.withLock { $0.append(peer) } }
        try await withServer(EchoHandler(), configuration) { server, _ in
            let first = RawClient.open(get("/a"), port: server.port)
            #expect(await RawClient.exchange(get("/b"), port: server.port).isEmpty)
            #expect(refused.withLock { $0 } == ["127.0.0.1"])
            RawClient.reset(first)
            var answer = ""
            while answer.isEmpty {
                answer = await RawClient.exchange(
                    get("/c", "Connection: close\r\n"), port: server.port)
            }
            #expect(bodies(answer) == ["/c"])
        }
    }

    @Test func `a refused connection is named before its client sees the end of it`() async throws {
        let client = Mutex<CInt?>(nil)
        let (isNamed, hasEnded) = (Gate(), Flag())
        var configuration = HTTPServer.Configuration.with(\.connectionsPerPeer, 0)
        configuration.noteRefusal = { _ in
            defer { isNamed.open() }
            var descriptor: CInt?
            while descriptor == nil {
                // The refusal may come before the call that connects has returned, and the loop's
                // thread, on which this runs, must stay in the naming until then.
                usleep(1_000)
                descriptor = client.withLock { $0 }
            }
            guard let descriptor else { return }
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // SAFETY: the one structure is valid during the call.
            if unsafe poll(&watched, 1, 0) != 0 { hasEnded.set() }
        }
        try await withServer(EchoHandler(), configuration) { server, _ in
            let descriptor = RawClient.open(get("/a"), port: server.port)
            client.withLock { $0 = descriptor }
            await isNamed.wait()
            #expect(!hasEnded.isSet)
            #expect(await RawClient.rest(of: descriptor).isEmpty)
        }
    }

    @Test func `HEAD is answered with a length and without a body`() async throws {
        try await withServer { server, _ in
            let answer = await RawClient.exchange(
                "HEAD /abc HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", port: server.port)
            #expect(answer.contains("Content-Length: 4\r\n"))
            #expect(answer.hasSuffix("\r\n\r\n"))
        }
    }

    @Test func `a body of 1 MB arrives and returns complete`() async throws {
        try await withServer { server, _ in
            let body = String(repeating: "0123456789abcdef", count: 65_536)
            let answer = await RawClient.exchange(
                "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n" + body, port: server.port)
            #expect(bodies(answer) == ["/" + body])
        }
    }

    @Test func `a chunked body is joined, after a 100 Continue on request`() async throws {
        try await withServer { server, _ in
            let answer = await RawClient.exchange(
                "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
                port: server.port)
            #expect(answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"))
            #expect(answer.hasSuffix("/abcde"))
        }
    }

    static let refusals: [(status: Int, text: String)] = [
        (400, "nonsense\r\n\r\n"), (400, "GET / HTTP/1.1\r\n\r\n"),
        (413, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\nbegins at once"),
        (505, "GET / HTTP/3.0\r\nHost: a\r\n\r\n"),
    ]

    @Test(arguments: refusals)
    func `a refused request gets the reason, and the connection ends`(
        _ row: (status: Int, text: String)
    ) async throws {
        try await withServer { server, _ in
            let answer = await RawClient.exchange(row.text, port: server.port)
            #expect(answer.hasPrefix("HTTP/1.1 \(row.status) "))
            #expect(answer.contains("Connection: close\r\n"))
        }
    }

    @Test func `an endless head is answered with 408`() async throws {
        try await withServer(EchoHandler(), .with(\.headTime, .milliseconds(20))) { server, _ in
            let answer = await RawClient.exchange("GET / HTTP/1.1\r\nHost:", port: server.port)
            #expect(answer.hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test func `an endless body is answered with 408`() async throws {
        try await withServer(EchoHandler(), .with(\.bodyTime, .milliseconds(20))) { server, _ in
            let answer = await RawClient.exchange(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf", port: server.port)
            #expect(answer.hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test func `a body whose end comes with its deadline gets one answer`() async throws {
        let (headIsRead, isHeld, endIsSent) = (Gate(), Gate(), Flag())
        let handler = HeadWatcher(gate: headIsRead)
        try await withServer(handler, .with(\.bodyTime, .milliseconds(50))) { server, loop in
            let descriptor = RawClient.open(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nha", port: server.port)
            await headIsRead.wait()
            // The loop stands still until both the bytes and the deadline are due: nothing else can
            // make one turn of the loop find both, and the deadline is 50 ms of the real clock.
            loop.execute {
                isHeld.open()
                while !endIsSent.isSet { usleep(1_000) }
                usleep(100_000)
            }
            await isHeld.wait()
            RawClient.send("lf", on: descriptor)
            endIsSent.set()
            let answer = await RawClient.rest(of: descriptor)
            #expect(answer.hasPrefix("HTTP/1.1 408 "))
            #expect(answer.ranges(of: "HTTP/1.1 ").count == 1)
        }
    }

    /// A handler that opens a gate for the head of a request.
    private struct HeadWatcher: HTTPServerHandler {
        let gate: Gate

        func pieceLimit(of head: HTTPServerRequest) -> Int? {
            gate.open()
            return nil
        }

        func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
            HTTPServerResponse(status: 200)
        }

        func upgrade(_ request: HTTPServerRequest) async -> UpgradeDecision {
            .refuse(HTTPServerResponse(status: 400))
        }
    }

    @Test func `an idle connection is closed without an answer`() async throws {
        try await withServer(EchoHandler(), .with(\.idleTime, .seconds(2))) { server, _ in
            let answer = await RawClient.exchange(get("/a"), port: server.port)
            #expect(bodies(answer) == ["/a"])
            #expect(!answer.contains("408"))
        }
    }

    @Test func `connections beyond the limit wait`() async throws {
        let (began, mayEnd) = (Gate(), Gate())
        let inHandler = Mutex((now: 0, highest: 0))
        let handler = ScriptedHandler(respond: { _ in
            inHandler.withLock { count in
                count.now += 1
                count.highest = max(count.highest, count.now)
            }
            began.open()
            await mayEnd.wait()
            inHandler.withLock { $0.now -= 1 }
            return HTTPServerResponse(status: 200, body: Array("done".utf8))
        })
        try await withServer(handler, .with(\.connectionLimit, 1)) { server, loop in
            let request = get("/", "Connection: close\r\n")
            let clients = (0..<10).map { _ in RawClient.open(request, port: server.port) }
            await began.wait()
            // The kernel has all requests already. These turns of the loop would be enough to
            // accept and begin them, as a turn does at most 64 pieces of work.
            for _ in 0..<1_000 {
                await withCheckedContinuation { done in loop.execute { done.resume() } }
            }
            mayEnd.open()
            for client in clients {
                let answer = await RawClient.rest(of: client)
                #expect(bodies(answer) == ["done"])
            }
            #expect(inHandler.withLock { $0.highest } == 1)
        }
    }

    /// The ways in which a client disconnects.
    static let departures: [(name: String, leave: @Sendable (CInt) -> Void)] = [
        ("reset", { RawClient.reset($0) }), ("close", { close($0) }),
    ]

    @Test(arguments: departures)
    func `a client that disconnects cancels its handler`(
        _ row: (name: String, leave: @Sendable (CInt) -> Void)
    ) async throws {
        let (began, wasCancelled) = (Gate(), Gate())
        let handler = ScriptedHandler(respond: { _ in
            let never = Gate()
            await withTaskCancellationHandler {
                began.open()
                await never.wait()
            } onCancel: {
                wasCancelled.open()
                never.open()
            }
            return HTTPServerResponse(status: 200)
        })
        try await withServer(handler) { server, _ in
            let client = RawClient.open(get("/"), port: server.port)
            await began.wait()
            row.leave(client)
            await wasCancelled.wait()
        }
    }

    @Test func `a shutdown finishes current answers and accepts nothing more`() async throws {
        let (began, mayEnd) = (Gate(), Gate())
        let handler = ScriptedHandler(respond: { _ in
            began.open()
            await mayEnd.wait()
            return HTTPServerResponse(status: 200, body: Array("done".utf8))
        })
        try await withServer(handler) { server, loop in
            let idle = RawClient.open("", port: server.port)
            async let answer = RawClient.exchange(get("/"), port: server.port)
            await began.wait()
            async let shutdown: Void = server.shutdown(grace: .seconds(60))
            // The port is free again before the shutdown ends.
            var configuration = HTTPServer.Configuration()
            configuration.port = server.port
            var second: HTTPServer?
            while second == nil {
                second = try? await HTTPServer.start(
                    configuration, handler: EchoHandler(), on: loop)  // Occupied until it begins.
            }
            mayEnd.open()
            #expect(await bodies(answer) == ["done"])
            #expect(await answer.contains("Connection: close\r\n"))
            await shutdown
            await second?.shutdown(grace: .zero)
            close(idle)
        }
    }

    @Test func `a shutdown cuts connections that outlive its grace`() async throws {
        let (began, never) = (Gate(), Gate())
        let handler = ScriptedHandler(respond: { _ in
            began.open()
            await never.wait()
            return HTTPServerResponse(status: 200)
        })
        try await withServer(handler) { server, _ in
            async let answer = RawClient.exchange(get("/"), port: server.port)
            await began.wait()
            await server.shutdown(grace: .milliseconds(10))
            #expect(await answer == "")
            never.open()
        }
    }

    @Test func `a retirement closes the sockets one after the other, and answers meanwhile`()
        async throws
    {
        try await withServer { server, loop in
            var sockets: [WebSocketConnection] = []
            for _ in 0..<6 {
                sockets.append(
                    try await WebSocketClient.connect(
                        url: "ws://127.0.0.1:\(server.port)/", on: loop))
            }
            let start = ContinuousClock.now
            async let retired: Void = server.retire(over: .seconds(6))
            #expect(try await sockets[0].receive() == nil)
            // The last socket is open for five more seconds.
            let call = get("/", "Connection: close\r\n")
            #expect(await bodies(RawClient.exchange(call, port: server.port)) == ["/"])
            try await sockets[5].send("still here")
            #expect(try await sockets[5].receive() == .text("still here"))
            for (number, socket) in sockets.enumerated() {
                #expect(try await socket.receive() == nil)
                #expect(await socket.closeCode == 1001)
                // Each pause between two of the six is a second at least.
                #expect(start.duration(to: .now) >= .seconds(number))
            }
            await retired
        }
    }

    @Test func `a hurried retirement ends at once and leaves the rest to the shutdown`()
        async throws
    {
        try await withServer { server, loop in
            var sockets: [WebSocketConnection] = []
            for _ in 0..<3 {
                sockets.append(
                    try await WebSocketClient.connect(
                        url: "ws://127.0.0.1:\(server.port)/", on: loop))
            }
            async let retired: Void = server.retire(over: .seconds(3_600))
            #expect(try await sockets[0].receive() == nil)
            await server.hurry()
            await retired
            try await sockets[1].send("still here")
            #expect(try await sockets[1].receive() == .text("still here"))
            // Without sockets there is nothing to wait for.
            await server.retire(over: .seconds(3_600))
        }
    }

    @Test func `an occupied port gives a sentence`() async throws {
        try await withServer { server, loop in
            var configuration = HTTPServer.Configuration()
            configuration.port = server.port
            let error = await #expect(throws: SocketError.self) {
                _ = try await HTTPServer.start(configuration, handler: EchoHandler(), on: loop)
            }
            #expect(error?.kind == .addressInUse)
            #expect(error?.message.contains("\(server.port)") == true)
        }
    }
}
