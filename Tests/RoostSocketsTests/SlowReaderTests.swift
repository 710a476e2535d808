// SPDX-License-Identifier: Apache-2.0

import RoostTestSupport
import Testing

@testable import RoostSockets

/// Clients that read their answers slowly or not at all.
struct SlowReaderTests {
    /// A value that says when it has ended.
    private final class Lease: Sendable {
        private let ended: Gate
        private let isOver: Flag

        init(_ ended: Gate, _ isOver: Flag) {
            self.ended = ended
            self.isOver = isOver
        }

        deinit {
            isOver.set()
            ended.open()
        }
    }

    private func get(_ path: String, _ more: String = "Connection: close\r\n") -> String {
        "GET \(path) HTTP/1.1\r\nHost: a\r\n\(more)\r\n"
    }

    /// More than the kernel takes for a client that does not read.
    private static let large = [UInt8](repeating: UInt8(ascii: "x"), count: 32_000_000)

    @Test func `the lease of a response lasts until the answer has left`() async throws {
        let (began, ended, isOver) = (Gate(), Gate(), Flag())
        let handler = ScriptedHandler(respond: { _ in
            var response = HTTPServerResponse(status: 200, body: Self.large)
            response.lease = Lease(ended, isOver)
            began.open()
            return response
        })
        try await withServer(handler) { server, loop in
            let client = RawClient.open(get("/"), port: server.port)
            await began.wait()
            // These turns of the loop would be enough to send an answer that leaves.
            for _ in 0..<1_000 {
                await withCheckedContinuation { done in loop.execute { done.resume() } }
            }
            #expect(!isOver.isSet)
            let answer = await RawClient.rest(of: client)
            #expect(answer.utf8.count > Self.large.count)
            await ended.wait()
        }
    }

    @Test func `the lease of a response ends with a client that leaves`() async throws {
        let (began, ended) = (Gate(), Gate())
        let handler = ScriptedHandler(respond: { _ in
            var response = HTTPServerResponse(status: 200, body: Self.large)
            response.lease = Lease(ended, Flag())
            began.open()
            return response
        })
        try await withServer(handler) { server, _ in
            let client = RawClient.open(get("/"), port: server.port)
            await began.wait()
            RawClient.reset(client)
            await ended.wait()
        }
    }

    @Test func `the connection with the most unsent bytes is cut when all have too many`()
        async throws
    {
        let handler = ScriptedHandler(respond: { request in
            HTTPServerResponse(
                status: 200, body: request.target == "/large" ? Self.large : Array("small".utf8))
        })
        try await withServer(handler, .with(\.outgoingBytes, 1_000_000)) { server, _ in
            let small = RawClient.open(get("/small", ""), port: server.port)
            let large = RawClient.open(get("/large"), port: server.port)
            let cut = await RawClient.rest(of: large)
            #expect(cut.utf8.count < Self.large.count)
            RawClient.send(get("/small"), on: small)
            let answers = await RawClient.rest(of: small)
            #expect(answers.ranges(of: "\r\n\r\nsmall").count == 2)
        }
    }

    @Test func `a client that reads on, but slowly, is cut when the time of the answer is over`()
        async throws
    {
        let (began, mayAnswer) = (Gate(), Gate())
        let handler = ScriptedHandler(respond: { _ in
            began.open()
            await mayAnswer.wait()
            return HTTPServerResponse(status: 200, body: Array(Self.large.prefix(4_194_304)))
        })
        // The answer has 1.9 seconds. The client needs 3.3, and each step of 16 KiB is in time.
        try await withServer(handler, .with(\.bodyTime, .milliseconds(100))) { server, _ in
            let client = RawClient.open(get("/"), port: server.port)
            await began.wait()
            #expect(RawClient.shrinkBuffer(ofPeerOf: client))
            mayAnswer.open()
            let count = await RawClient.readSlowly(client, everyMS: 13)
            #expect(count < 4_194_304)
        }
    }

    @Test func `an answer has time by its size, and a small one has a minute`() {
        let configuration = HTTPServer.Configuration()
        #expect(configuration.answerTime(of: 0) == .seconds(60))
        #expect(configuration.answerTime(of: 1_048_576) == .seconds(140))
        #expect(configuration.answerTime(of: 16_777_216) == .seconds(1_340))
    }
}
