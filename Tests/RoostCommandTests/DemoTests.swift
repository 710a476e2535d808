// SPDX-License-Identifier: Apache-2.0

import RoostCommand
import RoostCommandLine
import RoostWire
import Testing

struct NarrationTests {
    private static let plain = Narration(style: Style(hasColor: false))

    @Test func `a successful step has a tick`() {
        #expect(Self.plain.held("Bo connects") == "  ✓ Bo connects")
    }

    @Test func `a failed step names the expected and the actual value`() {
        #expect(
            Self.plain.broke("Bo connects", .expected("an answer", seen: "no line")) == """
                  ✗ Bo connects
                      expected: an answer
                      seen:     no line
                """)
        #expect(Self.plain.broke("Bo connects", .interrupted) == "  – Bo connects: interrupted")
    }

    @Test(arguments: [
        (["a", "b"], ["a", "c"], "number 2 being “b”", "number 2 being “c”"),
        (["a"], ["a", "c"], "1 messages, number 2 being nothing more", "number 2 being “c”"),
        (["a", "b"], [], "number 1 being “a”", "0 messages, number 1 being nothing more"),
    ])
    func `a comparison names the first difference`(
        expected: [String], seen: [String], expectedHint: String, seenHint: String
    ) throws {
        let failure = DemoFailure.different("the list", expected: expected, seen: seen)
        guard case .expected(let wanted, let found) = failure else {
            Issue.record("a difference is no interruption")
            return
        }
        #expect(wanted.contains(expectedHint), "\(wanted)")
        #expect(found.contains(seenHint), "\(found)")
    }

    @Test func `the summary has counts and the duration`() {
        let line = Self.plain.summary(
            [(17, "steps"), (650, "messages")], took: .milliseconds(4_160))
        #expect(line == "\nAll held: 17 steps, 650 messages, 4.2 s.")
    }

    @Test(arguments: [(0, "0.0 s"), (49, "0.0 s"), (50, "0.1 s"), (61_000, "61.0 s")])
    func `seconds have one digit behind the point`(milliseconds: Int, text: String) {
        #expect(Narration.seconds(.milliseconds(milliseconds)) == text)
    }
}

struct StyleTests {
    @Test(
        arguments: [
            (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1"], false),
            (true, ["NO_COLOR": ""], true), (true, ["TERM": "dumb"], false),
        ] as [(Bool, [String: String], Bool)])
    func `colour needs a terminal and no setting against it`(
        isTerminal: Bool, environment: [String: String], hasColor: Bool
    ) {
        #expect(Style(isTerminal: isTerminal, environment: environment).hasColor == hasColor)
    }

    @Test func `text without colour has no codes, and text with colour has them`() {
        #expect(Style(hasColor: false)(.good, "✓") == "✓")
        #expect(Style(hasColor: true)(.good, "✓") == "\u{1B}[32m✓\u{1B}[0m")
    }

    @Test(arguments: [("abc", 5, "abc  "), ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abc", 0, "")])
    func `a column is padded or truncated`(text: String, width: Int, column: String) {
        #expect(Columns.fit(text, to: width) == column)
    }
}

struct SideBySideTests {
    private static func timeline(_ texts: [String], status: String) -> ShownTimeline {
        ShownTimeline([
            "messages": .array(
                texts.map { text in
                    [
                        "id": .null, "request_id": .string(text), "text": .string(text),
                        "sender": "bo", "updated_at": .null, "status": .string(status),
                    ]
                }), "has_older": false, "has_newer": true, "has_huge_gap": true,
        ])
    }

    @Test func `both sides have the same height, and pending messages are marked`() {
        let lines = SideBySide(
            SideBySide.Side(title: "ada", Self.timeline([], status: "succeeded")),
            SideBySide.Side(
                title: "bo", Self.timeline(["one", "two", "three"], status: "pending")),
            style: Style(hasColor: false)
        ).lines(last: 2)
        // Frame, titles, rule; the line about hidden messages, two messages, the gap; frame.
        #expect(lines.count == 8)
        #expect(Set(lines.map(\.count)).count == 1)
        #expect(lines[3].contains("… 1 more above"))
        #expect(!lines.contains { $0.contains("bo: one") })
        #expect(lines[4].contains("bo: two ◷ pending"))
        #expect(lines[6].contains("more than 300 are missing"))
    }

    @Test func `a shown timeline has the snapshot's flags and the text to compare`() {
        let shown = Self.timeline(["one"], status: "pending")
        #expect(shown.hasHugeGap && shown.hasNewer && !shown.hasOlder)
        #expect(shown.agreed == ["unsent bo: one"])
        #expect(shown.messages[0].isPending)
    }
}

struct ServeWelcomeTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:80", "127.0.0.1:80"), ("::1", "[::1]:80", "[::1]:80"),
        ("0.0.0.0", "0.0.0.0:80", "127.0.0.1:80"), ("::", "[::]:80", "[::1]:80"),
    ])
    func `the first line is the address, the second a working command`(
        host: String, address: String, near: String
    ) {
        let lines = ServeWelcome(
            host: host, port: 80, applicationID: "demo", requiresToken: false
        ).lines
        #expect(lines[0] == "listening on http://\(address) and ws://\(address)")
        #expect(lines[1].contains("--server http://\(near) --app-id demo --user ada --cache"))
    }

    @Test(arguments: [
        ("192.168.1.5", false, true), ("chat.local", false, true), ("chat.local", true, false),
        ("0.0.0.0", false, false), ("localhost", false, false),
    ])
    func `the commands allow plain http where a client would refuse it`(
        host: String, isEncrypted: Bool, allows: Bool
    ) throws {
        let lines = ServeWelcome(
            host: host, port: 80, applicationID: "demo", requiresToken: true,
            isEncrypted: isEncrypted
        ).lines
        let commands = lines.filter { $0.contains(": roost c") }
        #expect(commands.count == 3)
        #expect(commands.allSatisfy { $0.contains(" --allow-plain-transport") == allows })
    }

    @Test func `two lines start a chat of two people in two terminals`() throws {
        let lines = ServeWelcome(
            host: "127.0.0.1", port: 80, applicationID: "demo", requiresToken: false
        ).lines
        let users = try lines.filter { $0.contains("roost chat ") }.map { line in
            let words = line.split(separator: " ").map { String($0) }
            let start = try #require(words.firstIndex(of: "roost"))
            let parsed = try CommandLineParser(.roost).parse(Array(words[(start + 1)...]))
            guard case .run(let command, _) = parsed else {
                throw CommandFailure(.wrongArguments, line)
            }
            #expect(command.name == "chat" && line.contains(" --server http://127.0.0.1:80 "))
            let user = try #require(words.firstIndex(of: "--user"))
            return words[user + 1]
        }
        #expect(users == ["ada", "bo"])
    }

    @Test func `a line has the link to the pages, which works once`() {
        let lines = ServeWelcome(
            host: "0.0.0.0", port: 80, applicationID: "demo", requiresToken: true,
            isEncrypted: true, pageToken: "t0"
        ).lines
        #expect(lines.contains("page, once: https://127.0.0.1:80/?link=t0"))
    }

    @Test(arguments: ["https://chat.example.org", "https://chat.example.org/"])
    func `the link to the pages has the public address, and the command the bound one`(
        address: String
    ) {
        let lines = ServeWelcome(
            host: "0.0.0.0", port: 80, applicationID: "demo", requiresToken: true,
            pageToken: "t0", publicAddress: address
        ).lines
        #expect(lines.contains("page, once: https://chat.example.org/?link=t0"))
        #expect(lines[1].contains("--server http://127.0.0.1:80 "))
    }

    @Test func `an application ID is quoted for a shell`() {
        let lines = ServeWelcome(
            host: "127.0.0.1", port: 80, applicationID: "it's mine", requiresToken: true
        ).lines
        #expect(lines[1].contains(#"--app-id 'it'\''s mine' --user ada --token-file FILE "#))
    }

    @Test func `one line explains the risk of a server without tokens`() {
        let count = [true, false].map { requiresToken in
            ServeWelcome(
                host: "127.0.0.1", port: 80, applicationID: "demo", requiresToken: requiresToken
            ).lines.count { $0.contains("may act as any user") && $0.contains("--require-token") }
        }
        #expect(count == [0, 1])
    }
}
