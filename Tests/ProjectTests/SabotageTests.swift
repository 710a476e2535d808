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

    @Test func `each sabotage states its kind of runs and the number that finds it`() async throws {
        let lines = try await run("--list")
        #expect(lines.count > 30)
        var names: Set<String> = []
        for line in lines {
            let entry = line.wholeMatch(of: /([a-z]+(?:-[a-z]+)*) (core|full|store) ([1-9][0-9]*)/)
            let (_, name, kind, runs) = try #require(entry?.output, "\(line)")
            #expect(names.insert(String(name)).inserted, "\(name) stands in the list twice.")
            // A bound that takes an hour is none.
            #expect(Int(runs).map { $0 <= (kind == "core" ? 20_000 : 500) } == true, "\(line)")
        }
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
