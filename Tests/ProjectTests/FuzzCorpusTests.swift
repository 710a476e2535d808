// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// The inputs that every run of the fuzz targets replays.
struct FuzzCorpusTests {
    private static func targets() async throws -> Set<String> {
        let process = try ChildProcess(ChildProcess.built("RoostFuzz"), ["list"])
        return Set(await process.lines())
    }

    @Test func `each corpus is that of a target and within its limits`() async throws {
        let targets = try await Self.targets()
        let folder = Project.root.appending(path: "Fuzz/Corpus")
        var whole = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            if name == "README.md" { continue }
            #expect(targets.contains(name), "no target is called \(name)")
            let corpus = folder.appending(path: name)
            // The others failed once, and stay whatever their number.
            let chosen = try FileManager.default.contentsOfDirectory(atPath: corpus.path)
                .filter { $0.hasPrefix("cover-") }
            let sizes = try chosen.map { try Data(contentsOf: corpus.appending(path: $0)).count }
            let size = sizes.reduce(0, +)
            #expect(sizes.count <= 64 && size <= 32_768, "scripts/fuzz guided \(name) --merge")
            whole += size
        }
        #expect(whole <= 2_000_000)
    }

    @Test func `the table of guided runs names targets only`() async throws {
        let parts = try Project.text("docs/fuzzing.md").components(separatedBy: "guided runs -->")
        try #require(parts.count == 3)
        let targets = try await Self.targets()
        let rows = parts[1].matches(of: /(?m)^\| ([a-z-]+) \| [\d.]+ \|/)
        #expect(rows.count > 50)
        for row in rows {
            #expect(targets.contains(String(row.output.1)), "no target is called \(row.output.1)")
        }
    }
}
