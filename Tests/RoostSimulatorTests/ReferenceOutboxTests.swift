// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSimulator
import RoostTestSupport
import Testing

/// The outbox of the core worlds promises what the real one does.
struct ReferenceOutboxTests {
    private static let isLong = ProcessInfo.processInfo.environment["ROOST_LONG_TESTS"] != nil
    private static let runs: UInt64 = isLong ? 800 : 8

    @Test(arguments: 0..<4)
    func `the reference outbox answers as the real one`(_ group: UInt64) async throws {
        for seed in 0..<Self.runs {
            let folder = try TemporaryFolder(inMemory: true)
            let difference = try await OutboxContract.firstDifference(
                seed: group * 10_000 + seed, questions: 80, in: folder.path)
            #expect(difference == nil)
            if difference != nil { return }
        }
    }
}
