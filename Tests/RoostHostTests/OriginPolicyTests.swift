// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostServer
import RoostTestSupport
import Testing

@testable import RoostHost
@testable import RoostSockets

struct OriginPolicyTests {
    struct Row: Sendable {
        var origin: String?
        var host: String?
        var allowed: [String] = []
        var publicAddress: String?
        var requiresToken = false
        var isPermitted: Bool
    }

    static let rows: [Row] = [
        Row(origin: nil, host: "a", isPermitted: true),
        Row(origin: "https://evil.example", host: "127.0.0.1:8080", isPermitted: false),
        Row(origin: "null", host: "127.0.0.1", isPermitted: false),
        Row(origin: "", host: "127.0.0.1", isPermitted: false),
        Row(origin: "http://127.0.0.1:8080", host: "127.0.0.1:8080", isPermitted: true),
        Row(origin: "http://127.0.0.1:8081", host: "127.0.0.1:8080", isPermitted: false),
        Row(origin: "http://127.0.0.1", host: "127.0.0.1:80", isPermitted: true),
        Row(origin: "http://LOCALHOST:1", host: "localhost:1", isPermitted: true),
        Row(origin: "http://[::1]:1", host: "[::1]:1", isPermitted: true),
        // The owner of the name can point it at this machine.
        Row(origin: "http://evil.example:1", host: "evil.example:1", isPermitted: false),
        Row(origin: "http://127.0.0.1.evil:1", host: "127.0.0.1.evil:1", isPermitted: false),
        Row(
            origin: "https://chat.example", host: "chat.example", requiresToken: true,
            isPermitted: true),
        Row(
            origin: "https://evil.example", host: "chat.example", requiresToken: true,
            isPermitted: false),
        Row(
            origin: "https://chat.example", host: "10.0.0.1",
            publicAddress: "https://chat.example/v1", isPermitted: true),
        Row(
            origin: "https://app.example", host: "a", allowed: ["https://APP.example:443"],
            isPermitted: true),
        Row(
            origin: "http://app.example", host: "a", allowed: ["https://app.example"],
            isPermitted: false),
        Row(
            origin: "https://app.example.evil", host: "a", allowed: ["https://app.example"],
            isPermitted: false),
        Row(origin: "https://any.example", host: "a", allowed: ["*"], isPermitted: true),
        Row(origin: "null", host: "a", allowed: ["*"], isPermitted: true),
        Row(origin: "null", host: "a", allowed: ["null"], isPermitted: true),
        Row(origin: "*", host: "a", allowed: ["null"], isPermitted: false),
        Row(origin: "*", host: "*", isPermitted: false),
    ]

    @Test(arguments: rows)
    func `a page may call allowed servers and its own server only`(_ row: Row) {
        let policy = OriginPolicy(
            origins: row.allowed, publicAddress: row.publicAddress,
            requiresToken: row.requiresToken)
        #expect(policy.permits(origin: row.origin, host: row.host) == row.isPermitted)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.9.9.9", true), ("localhost", true), ("::1", true),
        ("0.0.0.0", false), ("::", false), ("10.0.0.1", false), ("127.0.0.1.example", false),
        ("127.1", false), ("example", false), ("", false),
    ])
    func `only addresses of this machine count as loopback`(host: String, isLoopback: Bool) {
        #expect(LoopbackAddress.contains(host) == isLoopback)
    }

    @Test func `every entry to the server checks the origin policy`() async {
        let executor = ThreadExecutor(name: "server")
        let server = await ChatServer(
            ChatServer.Configuration(applicationID: "APP"), storage: MemoryStorage(on: executor),
            files: nil, fanOut: InProcessFanOut(on: executor),
            world: ServerWorld(now: { .distantPast }, entropy: { 1 }, digest: { $0 }), on: executor)
        let handler = ChatHandler(
            server, believesProxy: false, formLimit: 100,
            origins: OriginPolicy(
                origins: ["https://app.example"], publicAddress: nil, requiresToken: false),
            health: HealthProbe { true })
        let rows = [
            ("https://evil.example", false), ("https://app.example", true), (nil, true),
        ]
        for (origin, isPermitted) in rows {
            for (method, target) in [
                ("GET", "/"), ("GET", "/health"), ("GET", "/metrics"), ("GET", "/files/a/b"),
                ("OPTIONS", "/v3/users"), ("POST", "/v3/users"), ("GET", "/?user_id=ann"),
            ] {
                var headers: HTTPHeaders = ["Host": "127.0.0.1"]
                if let origin { headers.append("Origin", origin) }
                let request = HTTPServerRequest(method: method, target: target, headers: headers)
                let answer = await handler.respond(to: request)
                #expect((answer.status != 403) == isPermitted, "\(method) \(target)")
                #expect(
                    answer.headers["Access-Control-Allow-Origin"] == (isPermitted ? origin : nil))
                #expect(answer.headers["Vary"] == "Origin")
                let body = HTTPRequestBody(next: { () throws(SocketError) in nil })
                let read = await handler.respond(to: request, reading: body)
                #expect((read.status != 403) == isPermitted)
                if case .accept = await handler.upgrade(request) {
                    #expect(isPermitted)
                } else {
                    #expect(!isPermitted)
                }
            }
        }
    }
}
