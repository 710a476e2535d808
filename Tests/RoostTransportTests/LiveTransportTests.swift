// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RoostSockets
import RoostTestSupport
import RoostTransport
import RoostURLSession
import Synchronization
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

    @Test func `a process whose loop cannot start at first opens sockets later`() async throws {
        let starts = Mutex(0)
        let loop = SharedLoop { () throws(SocketError) in
            let count = starts.withLock { starts in
                starts += 1
                return starts
            }
            guard count > 2 else { throw SocketError(.systemFailure, "Too many open files.") }
            return try EventLoop.start()
        }
        try await withContractServer { server, _ in
            let http = LiveTransports.http(answerBytes: 1_000, on: loop)
            let sockets = LiveTransports.sockets(messageBytes: 1_000, on: loop)
            let request = HTTPRequest(url: "http://127.0.0.1:\(server.port)/echo")
            let upgrade = SocketRequest(url: "ws://127.0.0.1:\(server.port)/echo")
            let failed = await #expect(throws: TransportError.self) {
                _ = try await http.send(request)
            }
            #expect(failed?.kind == .unreachable)
            #expect(failed?.message.contains("Too many open files.") == true)
            await #expect(throws: TransportError.self) { _ = try await sockets.open(upgrade) }
            #expect(try await http.send(request).status == 200)
            try await sockets.open(upgrade).close()
        }
        #expect(starts.withLock { $0 } == 3)
    }

    @Test func `a file that cannot be read on holds up no other upload`() async throws {
        try await withContractServer { server, loop in
            let http = UVHTTP(on: loop, answerBytes: 1_000)
            let request = HTTPRequest(
                method: "POST", url: "http://127.0.0.1:\(server.port)/echo",
                timeLimit: .seconds(60))
            let (began, isReadable) = (Gate(), DispatchSemaphore(value: 0))
            let stuck = HTTPBody(length: 1) {
                began.open()
                isReadable.wait()
                return [1]
            }
            let first = Task { try await http.upload(request, stuck) }
            await began.wait()
            let second = Task { try await http.upload(request, HTTPBody(length: 1) { [2] }) }
            let result = await second.result
            isReadable.signal()
            #expect((try? result.get())?.body == [2])
            _ = await first.result
        }
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
