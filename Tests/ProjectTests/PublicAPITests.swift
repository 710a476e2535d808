// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// The comparison of `docs/api` with the sources.
struct PublicAPITests {
    @Test func `docs/api lists every public declaration, and each has a doc comment`() async throws
    {
        let script = Project.root.appending(path: "scripts/public-api").path
        let process = try ChildProcess("/usr/bin/env", ["python3", script, "--check"])
        let lines = await process.lines()
        let ending = await process.end()
        #expect(ending == .exited(0), "\(lines.joined(separator: "\n"))")
        #expect(!lines.isEmpty)
    }
}
