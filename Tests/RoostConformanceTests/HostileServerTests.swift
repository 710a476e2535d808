// SPDX-License-Identifier: Apache-2.0

import RoostConformance
import RoostSockets
import RoostTestSupport
import Testing

/// Servers that mean harm: a run ends, and says why.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct HostileServerTests {
    private static func target(_ port: UInt16) throws -> Target {
        try #require(
            Target(server: "http://127.0.0.1:\(port)", applicationID: "APP", apiToken: "a-secret"))
    }

    @Test(arguments: HostileServer.Manner.allCases)
    func `a run against no server of the protocol ends with one sentence`(
        manner: HostileServer.Manner
    ) async throws {
        let server = try HostileServer(manner)
        let loop = try EventLoop.start()
        let target = try Self.target(server.port)
        let run = ConformanceRun(target, wait: .seconds(2), on: loop)
        let error = try #require(
            await #expect(throws: ConformanceRun.Unusable.self) {
                _ = try await run.run(Catalogue.groups) { _ in }
            })
        #expect(error.message.contains("127.0.0.1:\(server.port)"), "\(error.message)")
        #expect(!error.message.contains("a-secret"))
        await loop.shutdown()
    }

    @Test(arguments: HostileSockets.Manner.allCases)
    func `a server with hostile sockets fails its checks, and the run ends`(
        manner: HostileSockets.Manner
    ) async throws {
        let loop = try EventLoop.start()
        let server = try await HTTPServer.start(handler: HostileSockets(manner: manner), on: loop)
        let target = try Self.target(server.port)
        let chosen = try Selection.of(["receipts"])
        // Silence is given up; wrong words are looked at to the end.
        let silent: [HostileSockets.Manner] = [.silence, .closing]
        let mustGiveUp = silent.contains(manner)
        var last: RunResult?
        // Words that a busy machine delays for the whole wait look like silence, so the waits grow.
        for seconds in [1, 2, 4, 8, 16] {
            let run = ConformanceRun(target, wait: .seconds(seconds), on: loop)
            last = try? await run.run(chosen) { _ in }  // The greeting has the limit, too.
            if let last, (last.end != nil) == mustGiveUp { break }
        }
        let result = try #require(last)
        #expect(result.heldCount == 0)
        #expect(!result.isGood)
        let isGivenUp = result.end != nil
        #expect(isGivenUp == mustGiveUp, "\(result.end ?? "")")
        #expect(isGivenUp == (result.notRunCount > 0))
        await server.shutdown()
        await loop.shutdown()
    }

    @Test func `a server that refuses the API token is named as such`() async throws {
        let loop = try EventLoop.start()
        let server = try await HTTPServer.start(handler: Refusing(), on: loop)
        let run = ConformanceRun(try Self.target(server.port), wait: .seconds(30), on: loop)
        let error = try #require(
            await #expect(throws: ConformanceRun.Unusable.self) {
                _ = try await run.run(Catalogue.groups) { _ in }
            })
        #expect(error.message.contains("refuses the API token"))
        await server.shutdown()
        await loop.shutdown()
    }

    @Test func `a canceled run does not wait for the answer to a read, which makes nothing`()
        async throws
    {
        let loop = try EventLoop.start()
        let silent = Silent()
        let server = try await HTTPServer.start(handler: silent, on: loop)
        // Longer than the limit of the suite.
        let run = ConformanceRun(try Self.target(server.port), wait: .seconds(86_400), on: loop)
        let running = Task { try await run.run(Catalogue.groups) { _ in } }
        await silent.isAsked.wait()
        running.cancel()
        let result = try await running.value
        #expect(result.end == "The run was interrupted.")
        #expect(result.notRunCount == result.results.count)
        silent.isOver.open()
        await server.shutdown()
        await loop.shutdown()
    }

    @Test(arguments: ["users.pages", "socket.ping"])
    func `a check ends that reads more than a check needs`(check: String) async throws {
        let loop = try EventLoop.start()
        var configuration = HTTPServer.Configuration()
        // All frames wait for the client, which reads them one after the other.
        configuration.webSocketLimits.outgoingBytes = 1 << 26
        let server = try await HTTPServer.start(configuration, handler: Lavish(), on: loop)
        let run = ConformanceRun(try Self.target(server.port), wait: .seconds(60), on: loop)
        let result = try await run.run(try Selection.of([check])) { _ in }
        guard case .failed(let expected, _, _)? = result.results.first?.outcome else {
            Issue.record("\(check) does not fail")
            return
        }
        #expect(expected.contains("MiB of answers and frames"), "\(expected)")
        await server.shutdown()
        await loop.shutdown()
    }

    /// A server with pages of a megabyte without an end, and twenty frames of a megabyte.
    private struct Lavish: HTTPServerHandler {
        private static let text = String(repeating: "a", count: 1_000_000)

        func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
            let isPage = request.target.contains("nickname_startswith")
            let next = isPage ? "\(UInt64.random(in: 0...UInt64.max))" : ""
            let more = isPage ? Self.text : ""
            let body = #"{"users":[],"next":"\#(next)","more":"\#(more)"}"#
            return HTTPServerResponse(status: 200, body: Array(body.utf8))
        }

        func upgrade(_ request: HTTPServerRequest) async -> UpgradeDecision {
            let frame = #"XXXX{"a":"\#(Self.text)"}"#
            return .accept(subprotocol: nil) { connection in
                // The end of the client's connection ends each call.
                try? await connection.send(#"LOGI{"user_id":"someone","key":"a-key"}"#)
                for _ in 0..<20 { try? await connection.send(frame) }
                while (try? await connection.receive()) != nil {}
            }
        }
    }

    /// A server that answers nothing before the end of its test.
    private struct Silent: HTTPServerHandler {
        let isAsked = Gate()
        let isOver = Gate()

        func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
            isAsked.open()
            await isOver.wait()
            return HTTPServerResponse(status: 200)
        }

        func upgrade(_ request: HTTPServerRequest) async -> UpgradeDecision {
            .refuse(HTTPServerResponse(status: 400))
        }
    }

    private struct Refusing: HTTPServerHandler {
        func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
            let body = #"{"error":true,"code":400401,"message":"no"}"#
            return HTTPServerResponse(status: 401, body: Array(body.utf8))
        }

        func upgrade(_ request: HTTPServerRequest) async -> UpgradeDecision {
            .refuse(HTTPServerResponse(status: 400))
        }
    }
}
