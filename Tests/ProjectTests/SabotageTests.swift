// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostTestSupport
import Testing

/// The places in the sources that `scripts/sabotage` breaks.
struct SabotageTests {
    @Test func `each sabotage has its place in the sources`() async throws {
        let folder = try TemporaryFolder()
        let script = Project.root.appending(path: "scripts/sabotage").path
        let process = try ChildProcess(
            "/usr/bin/env", ["bash", script, "--check", "--folder", folder.path])
        let lines = await process.lines()
        let ending = await process.end()
        #expect(ending == .exited(0), "\(lines.joined(separator: "\n"))")
        #expect(!lines.isEmpty)
    }
}
