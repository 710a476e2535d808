// SPDX-License-Identifier: Apache-2.0

import RoostHost
import RoostSockets
import RoostTestSupport
import Testing

struct ConnectionLimitTests {
    private func get(_ target: String, of host: ChatHost, by client: HTTPClient) async throws
        -> String
    {
        let answer = try await client.send(
            HTTPClientRequest(
                method: "GET", url: "http://127.0.0.1:\(host.port)\(target)", headers: [:],
                body: .none, timeLimit: .seconds(60), answerBytes: 1_000_000))
        return String(decoding: answer.body, as: UTF8.self)
    }

    private func withHost(
        isBehindProxy: Bool, _ body: (ChatHost, EventLoop) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        var configuration = ChatHost.Configuration(
            dataFolder: folder.file("server"), applicationID: "APP")
        configuration.connectionsPerAddress = 1
        configuration.isBehindProxy = isBehindProxy
        let loop = try EventLoop.start()
        let host = try await ChatHost.start(configuration)
        do {
            try await body(host, loop)
        } catch {
            await host.stop()
            await loop.shutdown()
            throw error
        }
        await host.stop()
        await loop.shutdown()
    }

    @Test func `a connection beyond the limit of its address is refused and counted`()
        async throws
    {
        try await withHost(isBehindProxy: false) { host, loop in
            let first = HTTPClient(on: loop)
            let before = try await get("/metrics", of: host, by: first)
            #expect(before.contains("roost_refused_connections_total 0\n"))
            // The first connection stays open for the next call.
            await #expect(throws: SocketError.self) {
                try await get("/health", of: host, by: HTTPClient(on: loop))
            }
            let after = try await get("/metrics", of: host, by: first)
            #expect(after.contains("roost_refused_connections_total 1\n"))
        }
    }

    @Test func `behind a proxy the limit counts the sockets of the address that it names`()
        async throws
    {
        try await withHost(isBehindProxy: true) { host, loop in
            func enter(_ user: String, from address: String) async throws -> (
                socket: WebSocketConnection, isIn: Bool
            ) {
                let socket = try await WebSocketClient.connect(
                    url: "ws://127.0.0.1:\(host.port)/?ai=APP&user_id=\(user)",
                    headers: ["X-Forwarded-For": address], on: loop)
                guard case .text(let login)? = try await socket.receive() else {
                    return (socket, false)
                }
                return (socket, login.contains("\"key\""))
            }
            let first = try await enter("ann", from: "1.1.1.1")
            #expect(first.isIn)
            for address in ["1.1.1.1", "2.2.2.2, 1.1.1.1"] {
                let second = try await enter("bob", from: address)
                #expect(!second.isIn)
            }
            let other = try await enter("bob", from: "1.1.1.1, 2.2.2.2")
            #expect(other.isIn)
            // A machine with IPv6 has a whole network of addresses.
            let network = try await enter("cyd", from: "2001:db8:0:1::1")
            #expect(network.isIn)
            let next = try await enter("cyd", from: "[2001:db8:0:1:ffff::2]:4711")
            #expect(!next.isIn)
            await network.socket.close()
            await first.socket.close()
            await other.socket.close()
        }
    }
}
