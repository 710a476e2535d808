// SPDX-License-Identifier: Apache-2.0

import Glibc
import RoostSockets
import RoostTestSupport
import Testing

/// Tests of process-wide resources, which therefore run alone, in a process of their own.
struct DescriptorTests {
    @Test
    func `200 cycles of connecting and dropping leave no descriptor open (scars 143 and 145)`()
        async
    {
        await #expect(processExitsWith: .success) {
            // libuv keeps a few descriptors for the life of the process.
            try await connectAndDrop(times: 4)
            let before = openDescriptors()
            try await connectAndDrop(times: 200)
            precondition(openDescriptors() == before, "Descriptors were left open.")
        }
    }

    @Test func `at the descriptor limit a client waits and is served later`() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop.start()
            let server = try await HTTPServer.start(handler: EchoHandler(), on: loop)
            let allowed = descriptorLimit()
            let client = RawClient.open(
                "GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", port: server.port,
                beforeConnecting: { setDescriptorLimit(1) })
            // Twice through the loop: it has seen the client and had no descriptor for it.
            for _ in 0..<2 {
                await withCheckedContinuation { done in loop.execute { done.resume() } }
            }
            setDescriptorLimit(allowed)
            precondition(RawClient.readAll(client).count > 0, "The client was turned away.")
            close(client)
            await server.shutdown()
            await loop.shutdown()
        }
    }

    @Test func `a write to a dead peer raises no signal`() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop.start()
            let (began, mayWrite) = (Gate(), Gate())
            let handler = ScriptedHandler(respond: { _ in
                began.open()
                await mayWrite.wait()
                return HTTPServerResponse(
                    status: 200, body: Array(repeating: 0, count: 10_000_000))
            })
            let server = try await HTTPServer.start(handler: handler, on: loop)
            for _ in 0..<20 {
                let client = RawClient.open("GET / HTTP/1.1\r\nHost: a\r\n\r\n", port: server.port)
                await began.wait()
                close(client)
                mayWrite.open()
            }
            await server.shutdown()
            await loop.shutdown()
        }
    }
}

private func descriptorLimit() -> Int {
    var limit = rlimit()
    // SAFETY: the value is valid during the call.
    _ = unsafe getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    return Int(limit.rlim_cur)
}

private func setDescriptorLimit(_ count: Int) {
    var limit = rlimit()
    // SAFETY: the value is valid during the call.
    _ = unsafe getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
    limit.rlim_cur = rlim_t(count)
    _ = unsafe setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
}

/// Connects and disconnects in four ways, then ends server and loop.
private func connectAndDrop(times: Int) async throws {
    let loop = try EventLoop.start()
    let server = try await HTTPServer.start(handler: EchoHandler(), on: loop)
    for cycle in 0..<times {
        let connection = try await WebSocketClient.connect(
            url: "ws://127.0.0.1:\(server.port)/", on: loop)
        switch cycle % 4 {
        case 0: await connection.close()
        case 1: try await connection.send("dropped with an answer on its way")
        case 2: RawClient.reset(RawClient.open("GET / HT", port: server.port))
        default:
            let waiting = Task { () throws(SocketError) in try await connection.receive() }
            waiting.cancel()
            _ = await waiting.result
        }
    }
    await server.shutdown()
    await loop.shutdown()
}

/// Returns the number of this process's open descriptors.
private func openDescriptors() -> Int {
    // SAFETY: the directory is ours from open to close.
    guard let directory = unsafe opendir("/proc/self/fd") else { return 0 }
    defer { unsafe closedir(directory) }
    var count = 0
    while unsafe readdir(directory) != nil { count += 1 }
    return count
}
