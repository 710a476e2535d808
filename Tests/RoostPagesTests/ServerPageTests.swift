// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostPages
import Testing

struct ServerPageTests {
    private static let now = Timestamp(milliseconds: 1_772_360_523_000)

    private static func page(_ count: Int) -> ServerPage {
        ServerPage(
            applicationID: "<app>", warnings: ["careful <b>"],
            samples: (0..<count).map { number in
                ServerPage.Sample(
                    at: Timestamp(
                        milliseconds: now.milliseconds - Int64(count - 1 - number) * 10_000),
                    seconds: 10, sockets: number, messages: 25 * number, limited: number % 2,
                    refusedLogins: 3, p50: 2, p99: 40,
                    disk: .init(database: 3_000_000, files: 52_000, free: 7_000_000_000))
            }, totals: [("Messages stored", 12)], now: now)
    }

    @Test func `each figure is drawn, and told as a number and a table`() {
        let source = Self.page(360).document.served
        for title in [
            "Open sockets", "Messages stored", "Wait until stored, p50 and p99",
            "Database on disk", "Uploaded files on disk", "Free on the volume", "Limits hit",
            "Refused logins",
        ] {
            #expect(source.contains(title))
        }
        #expect(source.contains(#"aria-label="Open sockets over the last hour, now 359""#))
        #expect(source.contains("now 2 and 40 ms"))
        #expect(source.contains("<strong>898</strong> a second"))
        for size in ["3.0 MB", "52 kB", "7000.0 MB"] {
            #expect(source.contains("<strong>\(size)</strong>"))
        }
        #expect(source.contains("<strong>1</strong> in 10 s"), "limits")
        #expect(source.contains("<strong>3</strong> in 10 s"), "refused logins")
        // The last point is at the right edge of the drawing, and the highest at its top.
        #expect(source.contains(" 720,2\""))
        #expect(source.contains("<th scope=\"col\">Highest</th>"))
        #expect(!source.contains("<app>"))
        #expect(source.contains("careful &lt;b&gt;"))
    }

    @Test func `a server that has just started says that it has no figures yet`() {
        let source = Self.page(0).parts.source
        #expect(source.contains("nothing yet"))
        #expect(!source.contains("polyline"))
    }

    @Test func `a server with a shared database says that it does not know the sizes`() {
        var page = Self.page(2)
        for index in page.samples.indices { page.samples[index].disk = .init() }
        let source = page.parts.source
        #expect(source.matches(of: /unknown with --database/).count == 3)
        #expect(!source.contains("nothing yet"))
        #expect(!Self.page(2).parts.source.contains("unknown"))
    }

    @Test func `a form for a stranger says nothing about the server`() {
        let source = ServerForm.login().served
        #expect(source.contains(#"action="/page/login""#))
        #expect(!source.contains("<nav"))
        #expect(!source.contains("is wrong"))
        #expect(ServerForm.login(isWrong: true).served.contains("The token is wrong."))
    }

    @Test func `the chat has a field for a token only where the server asks for one`() {
        func source(_ asksForToken: Bool) -> String {
            ServerForm.chat(
                application: "\"><script>", user: "ada", channel: "c", asksForToken: asksForToken
            ).served
        }
        #expect(source(true).contains("chat-token"))
        #expect(!source(false).contains("chat-token"))
        #expect(source(false).contains(#"data-chat="&quot;&gt;&lt;script&gt;""#))
    }
}
