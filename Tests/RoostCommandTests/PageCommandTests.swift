// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommand
import RoostCommandLine
import RoostSockets
import RoostTestSupport
import RoostWire
import Testing

/// The pages of caches and clients, without a browser; `scripts/page-tests` has one.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct PageCommandTests {
    private let program: Program

    init() throws { program = try Program() }

    /// Runs a client without a server, which keeps a hostile text for later.
    private func write(_ words: String..., text: String = "<script>x</script>") async throws {
        let send = JSONValue.object([
            JSONValue.Field("id", .int(1)), JSONValue.Field("request", .string("send")),
            JSONValue.Field("channel", .string("Curlew")), JSONValue.Field("text", .string(text)),
        ])
        let client = try await program.run(
            [
                "client", "--server", "http://127.0.0.1:1", "--app-id", "demo", "--user", "Ada",
                "--cache", "cache",
            ] + words, input: [send.text, #"{"id":2,"request":"quit"}"#])
        #expect(client.status == 0, "\(client.errors)")
    }

    private func page(_ words: String...) async throws -> String {
        let outcome = try await program.run(
            ["cache", "inspect", "cache", "--html", "page"] + words)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try String(contentsOf: URL(filePath: program.path("page")), encoding: .utf8)
    }

    @Test func `a cache becomes one page for its owner, with texts on request`() async throws {
        try await write()
        let plain = try await page()
        #expect(plain.contains("Ada</bdi> in "))
        #expect(plain.contains("waits to be sent"))
        #expect(!plain.contains("&lt;script&gt;"))
        #expect(try await page("--text").contains("&lt;script&gt;x&lt;/script&gt;"))
        let rights = try FileManager.default.attributesOfItem(atPath: program.path("page"))
        #expect(rights[.posixPermissions] as? Int == 0o600)
        let refused = try await program.run(["cache", "inspect", "cache", "--html", "none/page"])
        #expect(refused.status == ExitCode.storage.rawValue)
        #expect(refused.errors.first?.contains("none/page cannot be written") == true)
        // A folder in the place of the file stays.
        let folder = try await program.run(["cache", "inspect", "cache", "--html", "cache"])
        #expect(folder.status == ExitCode.storage.rawValue)
        #expect(FileManager.default.fileExists(atPath: program.path("cache/demo")))
        try program.remove()
    }

    @Test func `a damaged cache does not keep the others off a page`() async throws {
        try await write()
        let folder = URL(filePath: program.path("cache/demo/broken"))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("no database".utf8).write(to: folder.appending(path: "cache.sqlite"))
        let words = ["cache", "inspect", "cache", "--html"]
        let outcome = try await program.run(words + ["page"])
        #expect(outcome.status == ExitCode.storage.rawValue)
        #expect(outcome.output == ["wrote page"])
        #expect(outcome.errors.count == 1, "\(outcome.errors)")
        let damage = "roost: cache/demo/broken/cache.sqlite is damaged"
        #expect(outcome.errors.first?.hasPrefix(damage) == true)
        let page = try String(contentsOf: URL(filePath: program.path("page")), encoding: .utf8)
        #expect(page.contains("Ada</bdi> in "))
        // Both failures are told.
        let unwritten = try await program.run(words + ["none/page"])
        #expect(unwritten.errors.count == 2, "\(unwritten.errors)")
        try program.remove()
    }

    @Test func `a page goes through a link into its target, which no other user can read`()
        async throws
    {
        try await write()
        let target = URL(filePath: program.path("target"))
        try Data(String(repeating: "old", count: 100_000).utf8).write(to: target)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: target.path)
        try FileManager.default.createSymbolicLink(
            atPath: program.path("page"), withDestinationPath: "target")
        let text = try await page()
        let link = try FileManager.default.attributesOfItem(atPath: program.path("page"))
        #expect(link[.type] as? FileAttributeType == .typeSymbolicLink)
        #expect(text.contains("Ada</bdi> in ") && !text.contains("oldold"))
        let rights = try FileManager.default.attributesOfItem(atPath: target.path)
        #expect(rights[.posixPermissions] as? Int == 0o600)
        try program.remove()
    }

    @Test func `a sealed cache without its key has a page of its structure (scar 43)`()
        async throws
    {
        try await write("--key-folder", "keys", text: "Words-Curlew")
        for words in [["--text"], ["--text", "--key-folder", "other"]] {
            let outcome = try await program.run(
                ["cache", "inspect", "cache", "--html", "page"] + words)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let page = try String(contentsOf: URL(filePath: program.path("page")), encoding: .utf8)
            #expect(page.contains("This cache is encrypted"))
            #expect(page.contains("waits to be sent"))
            #expect(!page.contains("Curlew"))
        }
        #expect(try await page("--text", "--key-folder", "keys").contains("Words-Curlew"))
        try program.remove()
    }

    @Test func `a journal is put on a page, and on nothing else`() async throws {
        try await write()
        let refused = try await program.run(["cache", "inspect", "cache", "--journal", "report"])
        #expect(refused.status == ExitCode.wrongArguments.rawValue)
        let journal = JournalCommandTests.journal.replacing(
            ".notice(.disarm(.outboxTurn))", with: ".notice(.loggedIn)")
        try Data(journal.utf8).write(to: URL(filePath: program.path("report")))
        let page = try await page("--journal", "report")
        #expect(page.contains("App to Engine, call</span>"))
        #expect(page.contains(".link(.connect)"))
        #expect(page.contains("Replayed with other effects"))
        #expect(page.contains(#"data-step="1""#))
        try Data("no journal".utf8).write(to: URL(filePath: program.path("report")))
        let outcome = try await program.run(
            ["cache", "inspect", "cache", "--html", "page", "--journal", "report"])
        #expect(outcome.status == ExitCode.failed.rawValue)
        try program.remove()
    }

    /// Returns the link of a client's page, and the page's address without it.
    private static func link(
        of client: DrivenClient
    ) async throws -> (link: String, origin: String) {
        let events = await client.events { $0.contains { $0["event"] == "page" } }
        let link = try #require(events.first { $0["event"] == "page" }?["url"]?.string)
        let origin = try #require(link.firstMatch(of: /^http:\/\/127\.0\.0\.1:\d+/)).output
        return (link, String(origin))
    }

    @Test(arguments: [[], ["--key-folder", "keys"]])
    func `a client's page has no text unless asked for, as the page of a folder`(
        options: [String]
    ) async throws {
        let keys = options.map { $0 == "keys" ? program.path($0) : $0 }
        for words in [[], ["--page-text"]] {
            let client = try DrivenClient(
                program, user: "ada", server: "http://127.0.0.1:1",
                options: ["--page", "0"] + words + keys)
            let (link, origin) = try await Self.link(of: client)
            let browser = try PageReader()
            let key = try #require(try await browser.get(link).cookie)
            try await client.ask("send", ["channel": "Curlew", "text": "unsent words"])
            for path in ["/", "/page/view"] {
                let page = try await browser.get(origin + path, key).text
                #expect(page.contains("waits for a connection"))
                #expect(page.contains("unsent words") == !words.isEmpty)
            }
            try await client.quit()
            await browser.close()
        }
        try program.remove()
    }

    @Test func `a client's page opens with its link once, follows the client and ends with it`()
        async throws
    {
        let client = try DrivenClient(
            program, user: "ada", server: "http://127.0.0.1:1",
            options: ["--page", "0", "--page-text"])
        let (link, origin) = try await Self.link(of: client)
        let browser = try PageReader()
        for path in ["/", "/page/view", "/page/page.js", "/?link=guess"] {
            let answer = try await browser.get(origin + path)
            #expect(answer.status == 403)
            #expect(!answer.text.contains("Outbox"))
        }
        let first = try await browser.get(link)
        #expect(first.status == 303)
        #expect(try await browser.get(link).status == 403)
        let key = try #require(first.cookie)
        #expect(try await browser.get(origin + "/", key).text.contains("Nothing is unsent."))
        try await client.ask("send", ["channel": "c", "text": "<b>later</b>"])
        let view = try await browser.get(origin + "/page/view", key)
        #expect(view.text.contains("&lt;b&gt;later&lt;/b&gt;"))
        #expect(view.text.contains("waits for a connection"))
        #expect(view.text.contains("App to Engine, call"))
        #expect(try await browser.get(origin + "/page/none", key).status == 404)
        let port = String(origin.split(separator: ":").last ?? "")
        let taken = try await program.run([
            "client", "--server", "http://127.0.0.1:1", "--app-id", "demo", "--user", "bo",
            "--cache", "other", "--page", port,
        ])
        #expect(taken.status == ExitCode.server.rawValue)
        try await client.quit()
        await #expect(throws: SocketError.self) { _ = try await browser.get(origin + "/", key) }
        await browser.close()
        try program.remove()
    }
}

/// A reader of pages that follows nothing and keeps no cookie.
private struct PageReader {
    private let loop: EventLoop
    private let client: HTTPClient

    init() throws {
        loop = try EventLoop.start()
        client = HTTPClient(on: loop)
    }

    func get(
        _ url: String, _ cookie: String? = nil
    ) async throws -> (status: Int, text: String, cookie: String?) {
        let headers: HTTPHeaders = cookie.map { ["Cookie": $0] } ?? [:]
        let answer = try await client.send(
            HTTPClientRequest(
                url: url, headers: headers, timeLimit: .seconds(600), answerBytes: 1_000_000))
        let pair = answer.headers["Set-Cookie"]?.split(separator: ";").first.map(String.init)
        return (answer.status, String(decoding: answer.body, as: UTF8.self), pair)
    }

    func close() async { await loop.shutdown() }
}
