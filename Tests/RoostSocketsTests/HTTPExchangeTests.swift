// SPDX-License-Identifier: Apache-2.0

import RoostSockets
import RoostTestSupport
import Synchronization
import Testing

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
}
