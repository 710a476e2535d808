// SPDX-License-Identifier: Apache-2.0

import RoostBench
import RoostCommandLine
import Testing

struct BenchCommandTests {
    private static func run(_ words: [String]) async throws {
        let parsed = try CommandLineParser(.bench).parse(["cache"] + words)
        guard case .run(let command, let arguments) = parsed else {
            Issue.record("nothing to run")
            return
        }
        try await command.run(arguments)
    }

    @Test func `an unknown workload is refused before anything is measured`() async throws {
        let failure = await #expect(throws: CommandFailure.self) {
            try await Self.run(["--only", "W3,W9"])
        }
        #expect(failure?.code == .wrongArguments)
        #expect(failure?.message.contains("W9") == true)
        #expect(failure?.message.contains("W8") == true)
    }
}
