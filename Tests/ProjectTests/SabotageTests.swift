// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// The places in the sources that `scripts/sabotage` breaks.
struct SabotageTests {
    @Test func `each sabotage has its place in the sources`() async throws {
        let lines = try await run("--check")
        #expect(!lines.isEmpty)
    }

    @Test func `each sabotage states the runs of worlds or the suites that find it`() async throws {
        let lines = try await run("--list")
        let suites = try Self.suites()
        var (worlds, tests) = (0, 0)
        var names: Set<String> = []
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            try #require(words.count == 3, "\(line)")
            #expect(words[0].wholeMatch(of: /[a-z]+(?:-[a-z]+)*/) != nil, "\(line)")
            #expect(names.insert(words[0]).inserted, "\(words[0]) stands in the list twice.")
            guard words[1] == "tests" else {
                worlds += 1
                #expect(["core", "full", "store"].contains(words[1]), "\(line)")
                // A bound that takes an hour is none.
                let most = words[1] == "core" ? 20_000 : 500
                #expect(Int(words[2]).map { (1...most).contains($0) } == true, "\(line)")
                continue
            }
            tests += 1
            for filter in words[2].split(separator: "|") {
                // A module may stand before a suite, and a nested suite behind it.
                let suite = filter.split(separator: "/")[0].split(separator: ".").last ?? ""
                #expect(suites.contains(String(suite)), "no suite is called \(suite): \(line)")
            }
        }
        #expect(worlds > 30)
        #expect(tests >= 60)
    }

    @Test func `the page of sabotages has each of them, in the order of the list`() async throws {
        let rows = try await run("--table").map(Self.cells)
        let page = try Project.text("docs/sabotages.md").split(separator: "\n")
            .filter { $0.hasPrefix("| ") }.map { Self.cells(String($0)) }
            .filter { $0.count == 5 && $0[0] != "sabotage" }
        #expect(page.map { $0.prefix(4) } == rows.map { $0.prefix(4) })
        for row in page { #expect(!row[4].isEmpty, "nothing is said to find \(row[0])") }
        let marks = page.map { $0[3] }
        #expect(marks.filter { $0 == "written for it" }.count == 16)
        #expect(marks.filter { $0 == "came with the code" }.count == 2)
    }

    private static func cells(_ row: String) -> [String] {
        row.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Returns the names of all suites.
    private static func suites() throws -> Set<String> {
        var names: Set<String> = []
        for file in try Project.swiftFiles(below: "Tests") {
            let found = try Project.text(file).matches(of: /(?:struct|class|enum) (\w+Tests)\b/)
            names.formUnion(found.map { String($0.output.1) })
        }
        return names
    }

    /// Returns the lines of the script with one option.
    private func run(_ option: String) async throws -> [String] {
        let folder = try TemporaryFolder()
        let script = Project.root.appending(path: "scripts/sabotage").path
        let process = try ChildProcess(
            "/usr/bin/env", ["bash", script, option, "--folder", folder.path])
        let lines = await process.lines()
        let ending = await process.end()
        try #require(ending == .exited(0), "\(lines.joined(separator: "\n"))")
        return lines
    }
}
