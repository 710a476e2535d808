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
        let run = ConformanceRun(try Self.target(server.port), wait: .seconds(1), on: loop)
        let result = try await run.run(try Selection.of(["receipts"])) { _ in }
        #expect(result.heldCount == 0)
        #expect(!result.isGood)
        // Silence is given up; wrong words are looked at to the end.
        let isGivenUp = result.end != nil
        #expect(isGivenUp == [.silence, .closing].contains(manner), "\(result.end ?? "")")
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
