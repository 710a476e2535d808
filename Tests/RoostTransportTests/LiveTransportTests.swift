// SPDX-License-Identifier: Apache-2.0

import RoostSockets
import RoostTransport
import Testing

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
