// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostServer
import Testing

@testable import RoostHost
@testable import RoostSockets

struct LargeBodyTests {
    private static let pieceBytes = 16_384
    private static let pieces = 20

    private func handler() async -> ChatHandler {
        let executor = ThreadExecutor(name: "server")
        let world = ServerWorld(now: { .distantPast }, entropy: { 1 }, digest: { $0 })
        let server = await ChatServer(
            ChatServer.Configuration(applicationID: "APP", apiToken: "token"),
            storage: MemoryStorage(on: executor), fanOut: InProcessFanOut(on: executor),
            world: world, on: executor)
        return ChatHandler(
            server, believesProxy: false, formLimit: 10_000_000, bodyLimit: 1_000_000,
            origins: OriginPolicy(origins: [], publicAddress: nil, requiresToken: true),
            health: HealthProbe { true })
    }

    /// Makes a call with a large body; returns the answer and the pieces that were read for it.
    private func call(
        _ headers: HTTPHeaders, of handler: ChatHandler
    ) async -> (answer: HTTPServerResponse, read: Int) {
        let read = Guarded(0)
        let start = Array(#"{"user_id":"u","nickname":"","profile_url":"","pad":""#.utf8)
        let body = HTTPRequestBody(next: { () async throws(SocketError) -> [UInt8]? in
            let number = read.withLock { count in
                count += 1
                return count
            }
            if number > Self.pieces + 2 { return nil }
            if number == 1 { return start }
            if number == Self.pieces + 2 { return Array(#""}"#.utf8) }
            return Array(repeating: UInt8(ascii: "x"), count: Self.pieceBytes)
        })
        let head = HTTPServerRequest(method: "POST", target: "/v3/users", headers: headers)
        let answer = await handler.respond(to: head, reading: body)
        return (answer, read.withLock { $0 })
    }

    @Test func `a stranger's body is read up to 64 KiB`() async {
        let handler = await handler()
        for headers: HTTPHeaders in [[:], ["Api-Token": "wrong"], ["Session-Key": "1.wrong"]] {
            let (answer, read) = await call(headers, of: handler)
            #expect(answer.status != 200)
            #expect(read == 5, "the beginning and four times 16 KiB")
        }
    }

    @Test func `a known caller's body is read to its end, and the call is under way`() async {
        let handler = await handler()
        let (answer, read) = await call(["Api-Token": "token"], of: handler)
        #expect(read == Self.pieces + 3)
        #expect(answer.lease is CallUnderWay)
    }

    @Test func `only a body above 64 KiB or of unknown size is read in pieces`() async {
        let handler = await handler()
        func limit(_ headers: HTTPHeaders) -> Int? {
            handler.pieceLimit(
                of: HTTPServerRequest(method: "POST", target: "/v3/users", headers: headers))
        }
        #expect(limit(["Content-Length": "65536"]) == nil)
        #expect(limit(["Content-Length": "65537"]) == 1_000_000)
        #expect(limit(["Transfer-Encoding": "chunked"]) == 1_000_000)
        #expect(
            limit(["Content-Type": "multipart/form-data; boundary=B", "Content-Length": "9"])
                == 10_000_000)
    }
}
