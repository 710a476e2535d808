// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostPages
import RoostSockets
import Testing

struct CachePageTests {
    private static let hostile = "<img src=x onerror=alert(1)>\u{202E}\"'"

    private static func page(_ change: (inout CachePage) -> Void = { _ in }) -> CachePage {
        let start = Timestamp(milliseconds: 1_772_360_523_000)
        var page = CachePage(
            user: "ada", application: "demo", usedBytes: 1_500_000, limit: 256_000_000,
            channels: [
                CachePage.Channel(
                    key: "c1", messageCount: 52, byteCount: 40_000,
                    stretches: [
                        .init(
                            .hole(.notPagedTo), from: .distantPast, through: start, share: 100,
                            note: "about 9 messages"),
                        .init(.range, from: start, through: start, share: 800),
                        .init(
                            .hole(.notCaughtUp), from: start, through: .distantFuture, share: 100),
                    ], evictionPlace: 1)
            ],
            outbox: [
                CachePage.Item(
                    kind: "message", channel: "c1", writtenAt: start,
                    fate: "waits for a connection",
                    attempts: 2, text: "hello")
            ],
            now: Timestamp(milliseconds: 1_772_360_583_000),
            journal: JournalChart(
                steps: [
                    .init(
                        number: 7, at: start, input: ".frame(3, .received)",
                        effects: [".commit(3, [.messages])", ".notice(.arm(.link))"])
                ], omitted: 6))
        change(&page)
        return page
    }

    private static func source(_ page: CachePage) -> String { page.parts().source }

    @Test func `a page tells ranges, holes with reasons, sizes and the next eviction`() {
        let source = Self.source(Self.page())
        #expect(
            source.contains(
                "hole from the beginning to 2026-03-01 10:22:03, not paged to; about 9 messages"))
        #expect(source.contains(">not caught up</td>"))
        #expect(source.contains("52 messages, 40 kB, 1 range, 2 holes, eviction place 1"))
        #expect(source.contains("Nothing is evicted below 256.0 MB. The first to go would be "))
        #expect(Self.source(Self.page { $0.usedBytes = 256_000_000 }).contains("Evicted next: "))
    }

    @Test func `a page adds up any numbers of messages, as after a damage`() {
        let source = Self.source(
            Self.page { page in
                page.channels[0].messageCount = .max
                page.channels.append(page.channels[0])
                page.channels[1].key = "c2"
            })
        #expect(source.contains(">\(Int.max)<"))
    }

    @Test func `a page tells that a client spares the channels that it uses`() {
        let spared = "A running client spares the channels that it uses."
        #expect(Self.source(Self.page()).contains(spared))
        let live = Self.source(
            Self.page { page in
                page.state = "Connected."
                page.channels[0].isInUse = true
            })
        // The places of a running client's page are those that an eviction would follow.
        #expect(!live.contains(spared))
        #expect(live.contains("2 holes, read by an inbox, eviction place 1"))
    }

    @Test func `a page tells age and fate of unsent items`() {
        let source = Self.source(Self.page())
        #expect(source.contains("1 min</time>"))
        #expect(source.contains("waits for a connection</span>"))
        #expect(source.contains(">2</td>"))
    }

    @Test func `a page draws each step of the journal with its arrows, and the same as text`() {
        let source = Self.source(Self.page())
        #expect(source.contains(#"<li data-step="7" id="step-7">"#))
        #expect(source.contains("Server to Engine, frame</span>"))
        #expect(source.contains("Engine to Disk, commit</span>"))
        #expect(source.contains("Engine to Timer, timer</span>"))
        #expect(source.contains("6 older ones are left out."))
        #expect(!source.contains("replayed"))
        let other = Self.page { page in
            page.journal?.steps[0] = .init(
                number: 7, at: page.now, input: ".close", effects: [],
                replayed: [".notice(.loggedIn)"])
        }
        #expect(Self.source(other).contains("1 input had other effects"))
    }

    @Test func `hostile names and texts are harmless in every place`() {
        let text = Self.hostile
        let page = Self.page { page in
            (page.user, page.application, page.folder, page.state) = (text, text, text, text)
            page.warnings = [text]
            page.channels[0].key = text
            page.channels[0].name = text
            page.outbox[0] = CachePage.Item(
                kind: text, channel: text, writtenAt: page.now, fate: text, text: text)
            page.journal?.steps[0] = .init(
                number: 1, at: page.now, input: text, effects: [text], replayed: [text])
        }
        for source in [Self.source(page), PageDocument(title: text, body: page.parts()).file] {
            #expect(!source.contains("<img"))
            #expect(!source.contains("\u{202E}"))
            #expect(source.contains("&lt;img src=x onerror=alert(1)&gt;[U+202E]&quot;&#39;"))
        }
    }

    @Test func `a long text does not make a page long`() {
        let text = String(repeating: "ab ", count: 22_000)
        let page = Self.page { $0.outbox[0].text = text }
        #expect(Self.source(page).utf8.count < Self.source(Self.page()).utf8.count + 1_000)
    }

    @Test func `a file has its style and script inside, under a policy with their hashes`() throws {
        let file = PageDocument(title: "x", body: Self.page().parts()).file
        let script = try #require(file.firstMatch(of: /<script>((?s).*?)<\/script>/)).output.1
        let hash = "sha256-" + Digest.base64(Digest.sha256(Array(script.utf8)))
        #expect(file.contains("script-src '\(hash)'"))
        #expect(file.contains("default-src 'none'"))
        #expect(file.matches(of: /<script/).count == 1)
        #expect(!file.contains("src="))
        #expect(!file.contains("http://"))
        #expect(!file.contains("https://"))
        // A style or a script that ends early would become text.
        #expect(!PageAssets.style.contains("</"))
        #expect(!PageAssets.script.contains("</"))
    }

    @Test func `each id of a page is its own`() {
        let source = Self.page().parts(prefix: "a-").source + Self.page().parts(prefix: "b-").source
        let ids = source.matches(of: /\sid="([^"]*)"/).map { String($0.output.1) }
        #expect(Set(ids).count == ids.count)
        #expect(ids.count > 10)
        // Every reference has a target.
        for match in source.matches(of: /\saria-labelledby="([^"]*)"/) {
            #expect(ids.contains(String(match.output.1)))
        }
    }

    @Test func `parts that a page has already are not sent again`() {
        let parts = Self.page().parts()
        let first = HTTPServerResponse.parts(
            parts, for: HTTPServerRequest(method: "GET", target: "/"))
        #expect(first.status == 200)
        let tag = first.headers["ETag"] ?? ""
        let again = HTTPServerRequest(
            method: "GET", target: "/", headers: ["If-None-Match": tag])
        #expect(HTTPServerResponse.parts(parts, for: again).status == 304)
        let other = Self.page { $0.usedBytes = 1 }.parts()
        #expect(HTTPServerResponse.parts(other, for: again).status == 200)
    }
}
