// SPDX-License-Identifier: Apache-2.0

import RoostTestSupport
import Synchronization
import Testing

@testable import RoostSockets

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct HTTPExchangeTests {
    @Test func `a body in pieces is not sent on by another connection after its first was lost`()
        async throws
    {
        let loop = try EventLoop.start()
        let server = try await HTTPServer.start(handler: EchoHandler(), on: loop)
        let relay = try CuttingRelay(to: server.port)
        let client = HTTPClient(on: loop)
        let url = "http://127.0.0.1:\(relay.port)/"
        let first = try await client.send(
            HTTPClientRequest(url: url, timeLimit: .seconds(600), answerBytes: 1_000))
        #expect(first.status < 500)
        // The kept connection is lost with the head of the next request.
        relay.cutNext(.beforeQuestion)
        let pieces = Mutex(0)
        let put = HTTPClientRequest(
            method: "PUT", url: url,
            body: .pieces(length: 2_000) {
                pieces.withLock { $0 += 1 }
                return [UInt8](repeating: 1, count: 1_000)
            }, timeLimit: .seconds(600), answerBytes: 1_000)
        do throws(SocketError) {
            _ = try await client.send(put)
            Issue.record("half a body was taken for a whole one")
        } catch {
            #expect(error.kind == .connectionLost)
        }
        #expect(relay.hasCut)
        #expect(pieces.withLock { $0 } <= 2)
        await server.shutdown(grace: .zero)
        await loop.shutdown()
    }

    @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "POST"])
    func `only a question is sent again if its answer is lost with a kept connection`(
        method: String
    ) async throws {
        let seen = Mutex<[String]>([])
        let handler = ScriptedHandler(respond: { request in
            seen.withLock { $0.append(request.method) }
            return HTTPServerResponse(status: 200)
        })
        let isQuestion = ["GET", "HEAD"].contains(method)
        try await withServer(handler) { server, loop in
            let relay = try CuttingRelay(to: server.port)
            let client = HTTPClient(on: loop)
            let url = "http://127.0.0.1:\(relay.port)/"
            _ = try await client.send(
                HTTPClientRequest(url: url, timeLimit: .seconds(600), answerBytes: 1_000))
            relay.cutNext(.beforeAnswer)
            let request = HTTPClientRequest(
                method: method, url: url, body: isQuestion ? .none : .bytes([1]),
                timeLimit: .seconds(600), answerBytes: 1_000)
            do throws(SocketError) {
                let response = try await client.send(request)
                #expect(isQuestion)
                #expect(response.status == 200)
            } catch {
                #expect(!isQuestion)
                #expect(error.kind == .connectionLost)
            }
            #expect(relay.hasCut)
        }
        #expect(seen.withLock { $0 } == ["GET", method] + (isQuestion ? [method] : []))
    }

    @Test func `a connection that was kept over a sleep of the machine is not used`() async throws {
        try await withServer { server, loop in
            let start = ContinuousClock.now
            let slept = Mutex(Duration.zero)
            let client = HTTPClient(on: loop, now: { start + slept.withLock { $0 } })
            let request = HTTPClientRequest(
                url: "http://127.0.0.1:\(server.port)/", timeLimit: .seconds(600),
                answerBytes: 1_000)
            let origin = HTTPClient.Origin(
                isSecure: false, host: "127.0.0.1", port: server.port)
            _ = try await client.send(request)
            slept.withLock { $0 = .seconds(29) }
            let young = await client.takeIdle(origin)
            #expect(young != nil)
            _ = try await client.send(request)
            slept.withLock { $0 = .seconds(60) }
            let old = await client.takeIdle(origin)
            #expect(old == nil)
            loop.execute { young?.close() }
        }
    }

    @Test func `a kept connection that stays silent ends the others to its server`() async throws {
        let silence = Gate()
        let handler = ScriptedHandler(respond: { request in
            if request.target == "/silent" { await silence.wait() }
            return HTTPServerResponse(status: 200)
        })
        try await withServer(handler) { server, loop in
            let client = HTTPClient(on: loop)
            var request = HTTPClientRequest(
                url: "http://127.0.0.1:\(server.port)/", timeLimit: .seconds(600),
                answerBytes: 1_000)
            let origin = HTTPClient.Origin(
                isSecure: false, host: "127.0.0.1", port: server.port)
            _ = try await client.send(request)
            let taken = await client.takeIdle(origin)
            let first = try #require(taken)
            _ = try await client.send(request)
            await client.keep(first, to: origin)
            request.url += "silent"
            request.timeLimit = .milliseconds(50)
            let late = request
            let error = await #expect(throws: SocketError.self) { _ = try await client.send(late) }
            #expect(error?.kind == .timedOut)
            let other = await client.takeIdle(origin)
            #expect(other == nil)
            silence.open()
        }
    }

    @Test(arguments: [true, false])
    func `a body that ends with the connection is whole only after the goodbye of TLS`(
        saysGoodbye: Bool
    ) async throws {
        let files = try TemporaryCertificates()
        let (server, trust) = (
            try files.server(), try TLSContext.client(extraAuthoritiesFile: files.authority)
        )
        let loop = try EventLoop.start()
        let port = try await Self.serve(
            "HTTP/1.1 200 OK\r\n\r\nhalf", saysGoodbye: saysGoodbye, server, on: loop)
        let client = HTTPClient(on: loop, tls: trust)
        do throws(SocketError) {
            let response = try await client.send(
                HTTPClientRequest(
                    url: "https://127.0.0.1:\(port)/", timeLimit: .seconds(600),
                    answerBytes: 1_000))
            #expect(saysGoodbye)
            #expect(response.body == Array("half".utf8))
        } catch {
            #expect(!saysGoodbye)
            #expect(error.kind == .connectionLost)
        }
        await loop.shutdown()
    }

    /// The time that is left, the number of addresses, and the time of the next one.
    static let shares: [(seconds: Double, count: Int, share: Double)] = [
        (8, 1, 8), (8, 2, 4), (8, 12, 3), (5, 11, 2.5), (2.5, 10, 1.25), (60, 4, 15), (0, 2, 0),
    ]

    @Test(arguments: shares)
    func `one of many addresses has time for a handshake over a slow network`(
        _ row: (seconds: Double, count: Int, share: Double)
    ) {
        let share = StreamDialer.share(of: .seconds(row.seconds), among: row.count)
        #expect(share == .seconds(row.share))
    }

    /// Answers each connection with a text, and ends it with or without a goodbye.
    ///
    /// - Returns: The port of the server.
    private static func serve(
        _ text: String, saysGoodbye: Bool, _ tls: TLSContext, on loop: EventLoop
    ) async throws(SocketError) -> UInt16 {
        let addresses = try await NameResolver.resolve(host: "127.0.0.1", port: 0, on: loop)
        return try await loop.run { () throws(SocketError) -> UInt16 in
            let listener = try TCPListener(
                bindingTo: addresses[0], named: "127.0.0.1", port: 0, on: loop)
            listener.onConnection = { descriptor in
                guard let machine = try? TLSStream(tls, serverName: nil),
                    let tcp = try? TCPStream(adopting: descriptor, on: loop)
                else { return }
                let stream = ByteStream(tcp, tls: machine, on: loop)
                stream.onEvent = { event in
                    switch event {
                    case .opened: break
                    case .bytes: stream.write(Array(text.utf8))
                    case .drained: if saysGoodbye { stream.finishWriting() } else { stream.close() }
                    case .ended, .failed: stream.close()
                    }
                }
                stream.start()
            }
            listener.resume()
            return listener.port
        }
    }
}
