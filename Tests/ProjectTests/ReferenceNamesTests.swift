// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// The comparison of `docs/reference` with `docs/api` and the migration pages.
struct ReferenceNamesTests {
    @Test func `every name of the old SDKs is there, or the migration page says why not`()
        async throws
    {
        let script = Project.root.appending(path: "scripts/reference-names").path
        let process = try ChildProcess("/usr/bin/env", ["python3", script, "--check"])
        let lines = await process.lines()
        let ending = await process.end()
        #expect(ending == .exited(0), "\(lines.joined(separator: "\n"))")
        #expect(!lines.isEmpty)
    }
}
