// SPDX-License-Identifier: Apache-2.0

import RoostSimulator
import RoostTestSupport
import Testing

/// The runs that the tests keep, one after the other and on threads of their own.
@Suite(.serialized)
struct KeptRunTests {
    @Test(arguments: Seeds.kept)
    func `a run that once broke an invariant keeps it`(_ kept: KeptRun) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let report = await onThread { kept.run(folder: folder.path) }
        #expect(report.failure == nil, "\(kept)")
    }
}
