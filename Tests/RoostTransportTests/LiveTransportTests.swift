// SPDX-License-Identifier: Apache-2.0

import RoostSockets
import RoostTestSupport
import RoostTransport
import RoostURLSession
import Testing

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct LiveTransportTests {
    @Test func `the event loop fulfils the contract of HTTP`() async throws {
        try await withLoop { try await checkHTTPContract(UVHTTP(on: $0, answerBytes: 5_000_000)) }
    }

    @Test func `the event loop fulfils the contract of uploads`() async throws {
        try await withLoop { try await checkUploadContract(UVHTTP(on: $0, answerBytes: 5_000_000)) }
    }

    @Test func `the event loop fulfils the contract of sockets`() async throws {
        try await checkSocketContract { UVSocketTransport(on: $0) }
    }

    @Test func `URLSession fulfils the contract of HTTP`() async throws {
        try await checkHTTPContract(URLSessionHTTP(answerBytes: 5_000_000))
    }

    @Test func `URLSession fulfils the contract of uploads`() async throws {
        try await checkUploadContract(URLSessionHTTP(answerBytes: 5_000_000))
    }

    /// Whether this Foundation has WebSockets; without them it refuses every address.
    private static func hasWebSockets() async -> Bool {
        let url = "ws://127.0.0.1:\(RawServer.unusedPort())/"
        do {
            _ = try await URLSessionSocketTransport(messageBytes: 1).open(SocketRequest(url: url))
            return true
        } catch {
            return error.kind != .invalidURL
        }
    }

    @Test(
        .enabled(
            "Foundation was built with a libcurl without WebSockets", { await hasWebSockets() }))
    func `URLSession fulfils the contract of sockets`() async throws {
        try await checkSocketContract { _ in URLSessionSocketTransport(messageBytes: 1_000_000) }
    }
}

/// Runs a body with a loop that is shut down in any case.
func withLoop(_ body: (EventLoop) async throws -> Void) async throws {
    let loop = try EventLoop.start()
    do {
        try await body(loop)
    } catch {
        Issue.record(error)
    }
    await loop.shutdown()
}
