// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformance
import Testing

/// The files of a run, and its choice of checks.
struct ReportTests {
    private static let hostile = "<script>alert('x')</script> & \"q\" ]]> \u{0}\u{1B}[31m \u{FFFE}"

    private static func run() throws -> RunResult {
        var run = RunResult(server: "http://\(hostile)", applicationID: hostile)
        let checks = Array(Catalogue.groups[0].checks.prefix(4))
        let outcomes: [CheckResult.Outcome] = [
            .holds, .failed(expected: hostile, seen: hostile, transcript: [hostile, "< LOGI{}"]),
            .skipped(hostile), .notRun,
        ]
        for (check, outcome) in zip(checks, outcomes) {
            run.add(
                CheckResult(
                    check: check, group: Catalogue.groups[0].name, outcome: outcome,
                    duration: .milliseconds(1_234)))
        }
        run.leave([hostile])
        run.giveUp(hostile)
        return run
    }

    @Test func `JUnit XML is well formed, whatever a server says`() throws {
        let text = JUnitReport.text(of: try Self.run())
        let seen = try JUnitElements(of: text)
        #expect(seen.names.filter { $0 == "testcase" }.count == 5)
        #expect(seen.failures == [Catalogue.groups[0].checks[1].id, "run"])
        #expect(seen.names.filter { $0 == "skipped" }.count == 2)
        #expect(!seen.names.contains("script"))
        #expect(text.contains(#"tests="4" failures="1" errors="0" skipped="2" time="4.936""#))
        #expect(text.contains(#"tests="5" failures="2" errors="0" skipped="2" time="4.936""#))
        #expect(text.contains("classname=\"conformance.connection\""))
    }

    @Test func `the page shows hostile texts as texts, and loads nothing`() throws {
        let text = HTMLReport.text(of: try Self.run(), date: Self.hostile)
        #expect(!text.lowercased().contains("<script"))
        #expect(text.contains("&lt;script&gt;"))
        #expect(!text.contains("\u{0}") && !text.contains("\u{1B}"))
        for word in ["src=", "href=", "@import", "url("] {
            #expect(!text.contains(word), "\(word)")
        }
        #expect(text.contains("prefers-color-scheme: dark"))
        #expect(text.contains("default-src 'none'"))
        for word in ["holds", "failed", "skipped", "not run"] {
            #expect(text.contains(">\(word)</td>"), "\(word)")
        }
    }

    @Test func `a choice takes groups and checks, and refuses other words`() throws {
        let chosen = try Selection.of(["polls", "messages.once"])
        #expect(chosen.map(\.name) == ["messages", "polls"])
        #expect(chosen[0].checks.map(\.id) == ["messages.once"])
        #expect(chosen[1].checks.count > 4)
        #expect(throws: Selection.Unknown(word: "poll")) { _ = try Selection.of(["poll"]) }
    }

    @Test func `each check has a name of its group, a section and a sentence of its own`() {
        var names: Set<String> = []
        var rules: Set<String> = []
        for group in Catalogue.groups {
            for check in group.checks {
                #expect(check.id.hasPrefix(group.name + "."))
                #expect(names.insert(check.id).inserted, "\(check.id) is there twice")
                #expect(rules.insert(check.rule).inserted, "\(check.rule)")
                #expect(check.rule.hasSuffix("."), "\(check.rule)")
            }
        }
        #expect(names.count > 150)
    }

    private static let documents = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs")

    private static func page() throws -> String {
        try String(contentsOf: documents.appending(path: "conformance.md"), encoding: .utf8)
    }

    @Test func `each section of the protocol has a check, or a reason to have none`() throws {
        let folder = Self.documents.appending(path: "protocol")
        var sections: Set<String> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            for heading in text.matches(of: /(?m)^## (\d\.\d{1,2})\b/) {
                let isNew = sections.insert(String(heading.output.1)).inserted
                #expect(isNew, "\(heading.output.1) is there twice")
            }
        }
        #expect(sections.count > 50)
        let checks = Catalogue.groups.flatMap(\.checks)
        for check in checks {
            #expect(sections.contains(check.section), "\(check.id): there is no \(check.section)")
        }
        var explained: Set<String> = []
        for row in try Self.page().matches(of: /(?m)^\| (\d\.\d{1,2}) \| (.*) \|$/) {
            let isNew = explained.insert(String(row.output.1)).inserted
            #expect(isNew && row.output.2.count > 10, "\(row.output.0)")
        }
        #expect(explained == sections.subtracting(checks.map(\.section)))
    }

    @Test func `the page of the kit lists each check, and no other`() throws {
        let listed = try Self.page().split(separator: "\n")
            .filter { $0.hasPrefix("| `") && $0.contains(".") }
            .filter { $0.wholeMatch(of: /\| `[a-z]+\.[a-z-]+` \| .* \|/) != nil }.map(String.init)
        let checks = Catalogue.groups.flatMap(\.checks).map { check in
            "| `\(check.id)` | \(check.section) | \(check.rule) |"
        }
        #expect(listed == checks, "run scripts/conformance-list")
    }

    @Test(arguments: [
        "127.0.0.1:80", "ftp://a", "http://", "http://a b", "http://user:pass@host",
        "http://host?query", "http://ho\"st",
    ])
    func `an address that is none is refused`(server: String) {
        #expect(Target(server: server, applicationID: "a", apiToken: "t") == nil)
    }
}
