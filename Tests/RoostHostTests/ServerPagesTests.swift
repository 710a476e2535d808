// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
import RoostModel
import RoostPages
import RoostServer
import RoostSockets
import RoostTestSupport
import Testing

@testable import RoostHost

struct ServerPagesTests {
    private static let html: HTTPHeaders = ["Accept": "text/html,*/*;q=0.8"]

    /// A server with pages, and the token of their link.
    private struct Scene {
        let chat: ChatServer
        let pages: ServerPages
        let handler: ChatHandler
        let token: String
        /// The milliseconds of the clock.
        let clock = Guarded<Int64>(1_700_000_000_000)

        init(
            hasPages: Bool = true,
            _ change: (inout ChatHost.Configuration) -> Void = { _ in }
        ) async throws {
            let executor = ThreadExecutor(name: "pages")
            var configuration = ChatHost.Configuration(dataFolder: "", applicationID: "APP")
            configuration.apiToken = "administrator"
            change(&configuration)
            let world = ServerWorld(
                now: { [clock] in Timestamp(milliseconds: clock.withLock { $0 }) },
                entropy: { 1 }, digest: { Digest.sha256($0) })
            chat = await ChatServer(
                configuration.core, storage: MemoryStorage(on: executor),
                fanOut: InProcessFanOut(on: executor), world: world, on: executor)
            let secrets = Guarded(0)
            pages = ServerPages(
                chat, configuration,
                makeSecret: {
                    secrets.withLock { count in
                        count += 1
                        return "secret\(count)"
                    }
                }, disk: { .init(database: 5, files: 6, free: 7) })
            token = pages.open(port: 80)
            handler = ChatHandler(
                chat, believesProxy: false, formLimit: 100,
                origins: OriginPolicy(origins: [], publicAddress: nil, requiresToken: false),
                health: HealthProbe { true }, pages: hasPages ? pages : nil)
        }

        func ask(
            _ target: String, _ method: String = "GET", key: String? = nil, body: String = "",
            headers: HTTPHeaders = html
        ) async -> (status: Int, headers: HTTPHeaders, body: String) {
            var headers = headers
            if let key { headers.append("Cookie", "roost_page_80=\(key)") }
            let answer = await handler.respond(
                to: HTTPServerRequest(
                    method: method, target: target, headers: headers, body: Array(body.utf8)))
            return (answer.status, answer.headers, String(decoding: answer.body, as: UTF8.self))
        }

        /// Makes a call of the platform.
        func call(_ method: String, _ path: String, _ body: String) async {
            let answer = await handler.respond(
                to: HTTPServerRequest(
                    method: method, target: "/v3" + path, headers: ["Api-Token": "administrator"],
                    body: Array(body.utf8)))
            #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        }
    }

    @Test(arguments: [
        "/", "/page/view", "/page/users", "/page/channels", "/page/log?channel=g", "/page/chat",
        "/?link=guess",
    ])
    func `a stranger sees the form for a token, and nothing of the server`(
        target: String
    ) async throws {
        let scene = try await Scene()
        await scene.call("POST", "/users", #"{"user_id":"ada","nickname":"","profile_url":""}"#)
        let answer = await scene.ask(target)
        #expect(answer.status == 403)
        #expect(answer.body.contains("API token"))
        for word in ["APP", "ada", "Open sockets"] { #expect(!answer.body.contains(word)) }
        #expect(await scene.ask(target, key: "secret1").status == 403, "the link is no key")
    }

    @Test func `the link and the API token open the pages, a wrong token does not`()
        async throws
    {
        let scene = try await Scene()
        let first = await scene.ask("/?link=\(scene.token)")
        #expect(first.status == 303)
        #expect(first.headers["Set-Cookie"]?.hasPrefix("roost_page_80=secret2; ") == true)
        #expect(await scene.ask("/?link=\(scene.token)").status == 403)
        #expect(await scene.ask("/", key: "secret2").body.contains("The last hour"))
        let wrong = await scene.ask("/page/login", "POST", body: "token=wrong")
        #expect(wrong.status == 403)
        #expect(wrong.headers["Set-Cookie"] == nil)
        let right = await scene.ask("/page/login", "POST", body: "token=administrator")
        #expect(right.status == 303)
        let key = right.headers["Set-Cookie"]?.split(separator: ";").first?.dropFirst(14)
        #expect(await scene.ask("/page/users", key: key.map(String.init)).status == 200)
    }

    @Test func `a login over the rate of its address asks for patience, and blames no token`()
        async throws
    {
        let scene = try await Scene { $0.addressRate = Rate(burst: 1, perSecond: 1) }
        func logIn(_ token: String) async throws -> HTTPServerResponse {
            let request = HTTPServerRequest(
                method: "POST", target: "/page/login", headers: Self.html,
                body: Array("token=\(token)".utf8))
            return try #require(await scene.pages.respond(to: request, from: "192.0.2.7"))
        }
        let wrong = try await logIn("wrong")
        #expect(wrong.status == 403)
        #expect(String(decoding: wrong.body, as: UTF8.self).contains("The token is wrong."))
        let early = try await logIn("administrator")
        #expect(early.status == 429)
        let text = String(decoding: early.body, as: UTF8.self)
        #expect(text.contains("try again") && !text.contains("The token is wrong."))
        scene.clock.withLock { $0 += 10_000 }
        #expect(try await logIn("administrator").status == 303)
    }

    @Test(arguments: [("HTTPS://chat.example", true), ("http://chat.example", false)])
    func `the cookie of a page behind https crosses no plain connection`(
        address: String, isSecure: Bool
    ) async throws {
        let scene = try await Scene { $0.publicAddress = address }
        let cookie = await scene.ask("/?link=\(scene.token)").headers["Set-Cookie"]
        #expect(cookie?.contains("Secure") == isSecure)
    }

    @Test func `wrong tokens of others lock nobody out`() async throws {
        let scene = try await Scene()
        for _ in 0..<10 {
            #expect(await scene.ask("/page/login", "POST", body: "token=wrong").status == 403)
        }
        let right = await scene.ask("/page/login", "POST", body: "token=administrator")
        #expect(right.status == 303)
    }

    @Test func `a known load is shown as its number, its rate and its wait`() async throws {
        let scene = try await Scene()
        _ = await scene.ask("/?link=\(scene.token)")
        await scene.call("POST", "/users", #"{"user_id":"ada","nickname":"","profile_url":""}"#)
        await scene.call(
            "POST", "/group_channels", #"{"user_ids":["ada"],"channel_url":"g","name":""}"#)
        await scene.pages.read()
        for _ in 0..<50 {
            await scene.call(
                "POST", "/group_channels/g/messages",
                #"{"message_type":"MESG","user_id":"ada","message":"x"}"#)
        }
        scene.clock.withLock { $0 += 10_000 }
        await scene.pages.read()
        let page = await scene.ask("/", key: "secret2").body
        // Fifty in ten seconds; the clock stood still meanwhile, so no message has waited.
        #expect(page.contains("Messages stored over the last hour, now 5 a second"))
        #expect(page.contains("Wait until stored, p50 and p99 over the last hour, now 0 and 0 ms"))
        #expect(
            page.contains(#"data-name="Figure">Messages stored</td><td data-name="Number">50<"#))
        for size in ["5 B", "6 B", "7 B"] { #expect(page.contains("<strong>\(size)</strong>")) }
    }

    @Test(arguments: [
        ("/", 200), ("/page/view", 200), ("/page/users", 200), ("/page/channels", 200),
        ("/page/log?channel=g", 200), ("/page/chat", 200), ("/page/none", 404),
        ("/page/page.js", 200), ("/page/page.css", 200), ("/?link=secret1", 303),
    ])
    func `each answer of a page forbids scripts of others, frames and copies`(
        target: String, status: Int
    ) async throws {
        let scene = try await Scene()
        if status != 303 { _ = await scene.ask("/?link=\(scene.token)") }
        let known = await scene.ask("/page/view", key: "secret2").headers["ETag"] ?? "none"
        let answers = [
            await scene.ask("/page/view", key: "secret2", headers: ["If-None-Match": known]),
            await scene.ask(target, key: "secret2"), await scene.ask(target, "PUT"),
            await scene.ask("/page/login", "POST", body: "token=wrong"),
        ]
        #expect(answers.map(\.status) == [status == 303 ? 403 : 304, status, 405, 403])
        for headers in answers.map(\.headers) {
            let policy = headers["Content-Security-Policy"] ?? ""
            #expect(policy.hasPrefix("default-src 'none'; "))
            for part in [
                "script-src 'self'; ", "style-src 'self'; ", "connect-src 'self'; ",
                "base-uri 'none'; ", "form-action 'self'; ", "frame-ancestors 'none'; ",
                "require-trusted-types-for 'script'; ",
            ] {
                #expect(policy.contains(part))
            }
            #expect(!policy.contains("unsafe") && !policy.contains("*"))
            #expect(headers["X-Content-Type-Options"] == "nosniff")
            #expect(headers["Cache-Control"] == "no-store")
        }
    }

    @Test(arguments: ["/page/users", "/page/channels", "/page/channels?type=open"])
    func `a list that the server cannot read now asks for patience, with a page of its own`(
        target: String
    ) async throws {
        // Without a token the server refuses its own calls.
        let scene = try await Scene { $0.apiToken = nil }
        _ = await scene.ask("/?link=\(scene.token)")
        let answer = await scene.ask(target, key: "secret2")
        #expect(answer.status == 503)
        #expect(answer.body.contains("The server could not read that; try again."))
        #expect(answer.headers["Content-Type"] == "text/html; charset=utf-8")
        #expect(answer.headers["Cache-Control"] == "no-store")
        #expect(!answer.body.contains("APP"))
    }

    @Test func `a text of 64 kilobytes is cut in the log`() async throws {
        let scene = try await Scene()
        _ = await scene.ask("/?link=\(scene.token)")
        await scene.call("POST", "/users", #"{"user_id":"ada","nickname":"","profile_url":""}"#)
        await scene.call(
            "POST", "/group_channels", #"{"user_ids":["ada"],"channel_url":"g","name":""}"#)
        let empty = await scene.ask("/page/log?channel=g", key: "secret2").body
        // The second text is one character of many scalars.
        for text in [
            String(repeating: "<", count: 65_536),
            "a" + String(repeating: "\u{301}", count: 32_767),
        ] {
            await scene.call(
                "POST", "/group_channels/g/messages",
                #"{"message_type":"MESG","user_id":"ada","message":"\#(text)"}"#)
        }
        let page = await scene.ask("/page/log?channel=g", key: "secret2").body
        #expect(page.contains("… (64536 more)") && page.contains("… (31768 more)"))
        #expect(page.utf8.count < empty.utf8.count + 10_000)
    }

    @Test func `a client's request of the root has its old answer, with and without pages`()
        async throws
    {
        for hasPages in [true, false] {
            let scene = try await Scene(hasPages: hasPages)
            let answer = await scene.ask("/", headers: [:])
            #expect(answer.status == 200)
            #expect(answer.body == "{}")
        }
        #expect(await (try Scene(hasPages: false)).ask("/").body == "{}")
    }

    @Test func `users, channels and a log with edits and deletions are shown, hostile or not`()
        async throws
    {
        let scene = try await Scene()
        _ = await scene.ask("/?link=\(scene.token)")
        let name = "<b>\\u202e"
        await scene.call(
            "POST", "/users", #"{"user_id":"ada","nickname":"\#(name)","profile_url":""}"#)
        await scene.call(
            "POST", "/group_channels", #"{"user_ids":["ada"],"channel_url":"g","name":"\#(name)"}"#)
        for number in 1...60 {
            await scene.call(
                "POST", "/group_channels/g/messages",
                #"{"message_type":"MESG","user_id":"ada","message":"<i>line \#(number)</i>"}"#)
        }
        let log = try await scene.chat.log(of: "g")
        let ids = log.compactMap { $0.message.messageID?.rawValue }
        await scene.call(
            "PUT", "/group_channels/g/messages/\(ids[58])",
            #"{"message_type":"MESG","message":"other words"}"#)
        await scene.call("DELETE", "/group_channels/g/messages/\(ids[59])", "")
        let users = await scene.ask("/page/users", key: "secret2").body
        #expect(users.contains("&lt;b&gt;[U+202E]"))
        let channels = await scene.ask("/page/channels", key: "secret2").body
        #expect(channels.contains(#"href="/page/log?channel=g""#))
        let page = await scene.ask("/page/log?channel=g", key: "secret2").body
        #expect(page.contains("deleted 2023-11-14"))
        #expect(page.contains("edited 2023-11-14"))
        #expect(page.contains("other words"))
        #expect(page.contains("&lt;i&gt;line 58&lt;/i&gt;"))
        #expect(!page.contains("line 60"))
        #expect(!page.contains("line 10&lt;"))
        let next = try #require(page.firstMatch(of: /href="(\/page\/log[^"]*)">Older/)).output.1
        let older = await scene.ask(String(next).replacing("&amp;", with: "&"), key: "secret2").body
        #expect(older.contains("line 10&lt;"))
        #expect(!older.contains("line 58"))
        #expect(!older.contains("Older messages"))
        #expect(await scene.ask("/page/log?channel=none", key: "secret2").status == 200)
        #expect(await scene.ask("/page/none", key: "secret2").status == 404)
        #expect(await scene.ask("/page/users", "DELETE", key: "secret2").status == 405)
    }
}

struct ServerHistoryTests {
    private static func reading(
        _ second: Int64, _ change: (inout ServerMetrics) -> Void = { _ in }
    ) -> ServerHistory.Reading {
        var metrics = ServerMetrics()
        change(&metrics)
        return .init(
            at: Timestamp(milliseconds: second * 1_000), metrics: metrics,
            disk: .init(database: second))
    }

    @Test func `a period has the differences of its counters, and the state at its end`() {
        var history = ServerHistory()
        history.note(
            Self.reading(100) { metrics in
                metrics.messages = 5
                metrics.waits.note(milliseconds: 900)
            })
        #expect(history.samples.isEmpty)
        history.note(
            Self.reading(110) { metrics in
                (metrics.messages, metrics.sessions) = (25, 3)
                (metrics.limited, metrics.overLimit, metrics.refusedLogins) = (2, 5, 4)
                metrics.waits.note(milliseconds: 900)
                for wait in [1, 2, 3] as [Int64] { metrics.waits.note(milliseconds: wait) }
            })
        let sample = history.samples.first
        #expect(history.samples.count == 1)
        #expect(sample?.seconds == 10)
        #expect(sample?.messages == 20)
        #expect(sample?.sockets == 3)
        #expect(sample?.limited == 7)
        #expect(sample?.refusedLogins == 4)
        #expect(sample?.p50 == 2)
        #expect(sample?.p99 == 3)
        #expect(sample?.disk.database == 110)
    }

    @Test func `an hour is kept, and a clock that stands still adds nothing`() {
        var history = ServerHistory()
        for second in 0...500 { history.note(Self.reading(Int64(second) * 10)) }
        history.note(Self.reading(5_000))
        #expect(history.samples.count == 360)
        #expect(history.samples.last?.at == Timestamp(milliseconds: 5_000_000))
    }
}
