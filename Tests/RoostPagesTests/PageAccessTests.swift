// SPDX-License-Identifier: Apache-2.0

import RoostPages
import RoostSockets
import Synchronization
import Testing

struct PageAccessTests {
    @Test func `a link opens the page once, and its key opens it from then on`() {
        var access = PageAccess(link: "link", port: 80)
        let wrong = access.redeem("other", for: "key", at: 0)
        #expect(!wrong)
        #expect(!access.admits(cookies: "roost_page_80=key", at: 0))
        let first = access.redeem("link", for: "key", at: 0)
        let second = access.redeem("link", for: "second", at: 0)
        #expect(first && !second)
        #expect(access.admits(cookies: "a=b; roost_page_80=key", at: 1))
        #expect(!access.admits(cookies: "roost_page_80=second", at: 1))
        #expect(!access.admits(cookies: "roost_page_81=key", at: 1))
        #expect(!access.admits(cookies: nil, at: 1))
        #expect(!access.admits(cookies: "roost_page_80=", at: 1))
    }

    @Test func `a key ends after half a day, and the oldest of many ends at once`() {
        var access = PageAccess(link: "link", port: 80)
        for number in 0..<17 { access.admit("key\(number)", at: 0) }
        #expect(!access.admits(cookies: "roost_page_80=key0", at: 1))
        #expect(access.admits(cookies: "roost_page_80=key1", at: 12 * 3_600 - 1))
        #expect(!access.admits(cookies: "roost_page_80=key1", at: 12 * 3_600))
    }

    @Test func `a cookie is for this server's requests and no script`() {
        let cookie = PageAccess(link: "link", port: 80).cookie("key", isEncrypted: true)
        #expect(
            cookie
                == "roost_page_80=key; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure")
    }
}

/// The gate of a client's page.
struct PageGateTests {
    private let gate: PageGate
    private let token: String

    init() {
        let counter = Counter()
        gate = PageGate(second: { 0 }, makeKey: { counter.next() })
        token = gate.open(port: 81)
    }

    private final class Counter: Sendable {
        private let count = Atomic(0)
        func next() -> String { "key\(count.add(1, ordering: .relaxed).newValue)" }
    }

    private func ask(
        _ target: String = "/", method: String = "GET", headers: HTTPHeaders = [:],
        host: String? = "127.0.0.1:81"
    ) -> (status: Int?, headers: HTTPHeaders, body: String) {
        var headers = headers
        if let host { headers.append("Host", host) }
        let request = HTTPServerRequest(method: method, target: target, headers: headers)
        switch gate.decide(on: request) {
        case .admit: return (nil, [:], "")
        case .refuse(let answer):
            return (answer.status, answer.headers, String(decoding: answer.body, as: UTF8.self))
        }
    }

    @Test func `the link leads to the page without itself, with a key in a cookie`() {
        let first = ask("/?link=\(token)")
        #expect(first.status == 303)
        #expect(first.headers["Location"] == "/")
        #expect(first.headers["Set-Cookie"]?.hasPrefix("roost_page_81=key2; ") == true)
        #expect(ask("/?link=\(token)").status == 403)
        #expect(ask(headers: ["Cookie": "roost_page_81=key2"]).status == nil)
        // The used link still leads its own browser to the page.
        #expect(ask("/?link=\(token)", headers: ["Cookie": "roost_page_81=key2"]).status == nil)
    }

    @Test func `a gate that is not open yet asks for patience, with a page of its own`() {
        let closed = PageGate(second: { 0 }, makeKey: { "key" })
        for target in ["/", "/?link=key", "/page/view"] {
            let request = HTTPServerRequest(
                method: "GET", target: target,
                headers: ["Host": "127.0.0.1:81", "Cookie": "roost_page_81=key"])
            guard case .refuse(let answer) = closed.decide(on: request) else {
                Issue.record("A closed gate admits \(target).")
                continue
            }
            #expect(answer.status == 503)
            #expect(answer.headers["Content-Type"] == "text/html; charset=utf-8")
            #expect(answer.headers["Cache-Control"] == "no-store")
            #expect(answer.headers["Set-Cookie"] == nil)
            let page = String(decoding: answer.body, as: UTF8.self)
            #expect(page.contains("The page is not ready yet."))
        }
    }

    @Test func `a stranger gets a sentence that says nothing of the content`() {
        for target in ["/", "/page/view", "/page/page.js", "/?link=x", "/?link=%ZZ"] {
            let answer = ask(target)
            #expect(answer.status == 403)
            #expect(answer.body.contains("The link works once."))
        }
    }

    @Test(arguments: ["example.com:81", "127.0.0.1:82", "127.0.0.1", nil] as [String?])
    func `another name in the request is refused, also with a key`(host: String?) {
        _ = ask("/?link=\(token)")
        #expect(ask(headers: ["Cookie": "roost_page_81=key2"], host: host).status == 403)
    }

    @Test func `a page of another origin, and a method that changes, are refused`() {
        _ = ask("/?link=\(token)")
        let key: HTTPHeaders = ["Cookie": "roost_page_81=key2", "Origin": "http://localhost:81"]
        #expect(ask(headers: key).status == 403)
        #expect(ask(headers: key, host: "localhost:81").status == nil)
        #expect(ask(method: "POST", headers: key, host: "localhost:81").status == 405)
    }

    @Test func `an answer forbids scripts of others, frames and copies`() {
        let headers = ask().headers
        let policy = headers["Content-Security-Policy"] ?? ""
        #expect(policy.hasPrefix("default-src 'none'; "))
        #expect(policy.contains("script-src 'self';"))
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(policy.contains("require-trusted-types-for 'script'"))
        #expect(!policy.contains("unsafe"))
        #expect(headers["Cache-Control"] == "no-store")
        #expect(headers["Referrer-Policy"] == "same-origin")
    }
}
