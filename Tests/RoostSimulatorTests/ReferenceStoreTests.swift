// SPDX-License-Identifier: Apache-2.0

import RoostSimulator
import RoostTestSupport
import Testing

/// The comparison of the core worlds' store with the real one.
struct ReferenceStoreTests {
    private static let runs: UInt64 = Sample.isWhole ? 800 : 8

    @Test(arguments: 0..<4)
    func `the reference store commits and answers as the real one`(_ group: UInt64) async throws {
        for seed in 0..<Self.runs {
            let difference = try await StoreContract.firstDifference(
                seed: group * 10_000 + seed, commits: 60)
            #expect(difference == nil)
            if difference != nil { return }
        }
    }

    /// Comparisons that once differed.
    @Test(arguments: [1531] as [UInt64])
    func `a comparison that once differed is equal`(_ seed: UInt64) async throws {
        let difference = try await StoreContract.firstDifference(seed: seed, commits: 60)
        #expect(difference == nil)
    }
}
