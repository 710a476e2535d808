// SPDX-License-Identifier: Apache-2.0

import Glibc
import RoostSockets
import RoostTestSupport
import Testing

/// Tests of bodies that do not fit into memory, both ways.
struct HTTPBodyTests {
    /// A handler that reads every body in pieces, and answers with a closure's result.
    private struct Reading: HTTPServerHandler {
        var answer: @Sendable (HTTPRequestBody) async throws -> HTTPServerResponse

        func pieceLimit(of head: HTTPServerRequest) -> Int? { 100_000_000 }

        func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
            HTTPServerResponse(status: 200, body: Array("whole".utf8))
        }

        func respond(
            to head: HTTPServerRequest, reading body: HTTPRequestBody
        ) async -> HTTPServerResponse {
            (try? await answer(body)) ?? HTTPServerResponse(status: 500)
        }

        func upgrade(_ request: HTTPServerRequest) async -> UpgradeDecision {
            .refuse(HTTPServerResponse(status: 403))
        }
    }

    private func post(_ count: Int, _ more: String = "") -> String {
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\(more)\r\n"
    }

    private let end = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    @Test
    func `a large body reaches its reader in pieces and is never in memory as a whole`()
        async throws
    {
        let handler = Reading { body in
            var (count, largest) = (0, 0)
            while let bytes = try await body.read() {
                count += bytes.count
                largest = max(largest, bytes.count)
            }
            return HTTPServerResponse(
                status: 200, body: Array("\(count) \(largest < 300_000)".utf8))
        }
        try await withServer(handler) { server, _ in
            let body = String(repeating: "x", count: 5_000_000)
            let answer = await RawClient.exchange(
                post(body.utf8.count) + body + end, port: server.port)
            #expect(answer.contains("\r\n\r\n5000000 true"))
            #expect(answer.hasSuffix("whole"))
        }
    }

    @Test func `an unread body is dropped, and the connection continues`()
        async throws
    {
        let handler = Reading { body in
            _ = try await body.read()
            return HTTPServerResponse(status: 400, body: Array("enough".utf8))
        }
        try await withServer(handler) { server, _ in
            let body = String(repeating: "x", count: 1_000_000)
            let answer = await RawClient.exchange(
                post(body.utf8.count) + body + end, port: server.port)
            #expect(answer.contains("\r\n\r\nenough") && answer.hasSuffix("whole"))
        }
    }

    @Test func `a client that waits for permission is refused without its body`() async throws {
        let handler = Reading { _ in HTTPServerResponse(status: 403) }
        try await withServer(handler) { server, _ in
            let answer = await RawClient.exchange(
                post(1_000_000, "Expect: 100-continue\r\n"), port: server.port)
            #expect(answer.hasPrefix("HTTP/1.1 403 "))
            #expect(answer.contains("\r\nConnection: close\r\n"))
        }
    }

    @Test(arguments: [true, false])
    func `a reader gets an error if the rest of a body does not arrive`(resets: Bool)
        async throws
    {
        let (began, failed) = (Gate(), Gate())
        let handler = Reading { body in
            began.open()
            do {
                while try await body.read() != nil {}
            } catch {
                failed.open()
            }
            return HTTPServerResponse(status: 200)
        }
        try await withServer(handler) { server, _ in
            let client = RawClient.open(post(100) + "x", port: server.port)
            await began.wait()
            if resets { RawClient.reset(client) } else { close(client) }
            await failed.wait()
        }
    }

    @Test func `a body sent byte by byte is refused when its time is over`()
        async throws
    {
        let handler = Reading { body in
            while try await body.read() != nil {}
            return HTTPServerResponse(status: 200)
        }
        let hasty = HTTPServer.Configuration.with(\.bodyTime, .milliseconds(200))
        try await withServer(handler, hasty) { server, _ in
            // Each byte comes long before the time is over.
            let answer = await RawClient.trickle(
                after: post(100_000), everyMS: 20, atMost: 3_000, port: server.port)
            #expect(answer.hasPrefix("HTTP/1.1 408"))
        }
    }

    @Test func `a body's clock stops while its reader works`() async throws {
        let (atWork, mayGoOn) = (Gate(), Gate())
        let handler = Reading { body in
            var text = ""
            while let bytes = try await body.read() {
                text += String(decoding: bytes, as: UTF8.self)
                guard text == "slow" else { continue }
                atWork.open()
                await mayGoOn.wait()
            }
            return HTTPServerResponse(status: 200, body: Array("all of it".utf8))
        }
        let hasty = HTTPServer.Configuration.with(\.bodyTime, .seconds(2))
        try await withServer(handler, hasty) { server, _ in
            let client = RawClient.open(
                post(5, "Connection: close\r\n") + "slow", port: server.port)
            await atWork.wait()
            // The time of a later request is over meanwhile.
            let other = await RawClient.exchange(post(100) + "x", port: server.port)
            #expect(other.hasPrefix("HTTP/1.1 408"))
            RawClient.send("!", on: client)
            mayGoOn.open()
            let answer = await RawClient.rest(of: client)
            #expect(answer.hasSuffix("all of it"), "\(answer)")
        }
    }

    @Test func `a large answer is read from its source while it is sent`() async throws {
        let handler = ScriptedHandler(respond: { _ in
            var response = HTTPServerResponse(status: 200)
            response.source = HTTPBodySource(byteCount: 3_000_001) { stretch in
                #expect(stretch.count <= 65_536)
                return stretch.map { UInt8(97 + $0 % 26) }
            }
            return response
        })
        try await withServer(handler) { server, _ in
            let answer = await RawClient.exchange(end, port: server.port)
            let body = answer.utf8.suffix(3_000_001)
            #expect(body.first == 97 && body.count == 3_000_001)
            #expect(body.enumerated().allSatisfy { $0.element == UInt8(97 + $0.offset % 26) })
        }
    }

    @Test func `an answer with a failing source is cut, not shortened`() async throws {
        let handler = ScriptedHandler(respond: { _ in
            var response = HTTPServerResponse(status: 200)
            response.source = HTTPBodySource(byteCount: 1_000_000) { stretch in
                stretch.lowerBound < 500_000 ? stretch.map { _ in 1 } : []
            }
            return response
        })
        try await withServer(handler) { server, _ in
            let answer = await RawClient.exchange(end, port: server.port)
            #expect(answer.contains("Content-Length: 1000000"))
            #expect(answer.utf8.count < 700_000)
        }
    }
}
