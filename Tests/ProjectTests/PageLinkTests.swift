// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// The check of the Markdown pages' links; `scripts/site` checks those of the whole site.
struct PageLinkTests {
    @Test func `every link of the Markdown pages leads to a file or a heading`() async throws {
        let script = Project.root.appending(path: "scripts/site").path
        let process = try ChildProcess("/usr/bin/env", ["python3", script, "--pages-only"])
        let lines = await process.lines()
        let ending = await process.end()
        #expect(ending == .exited(0), "\(lines.joined(separator: "\n"))")
        #expect(lines == ["site: every link of the Markdown pages leads somewhere"])
    }
}
