// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSimulator
import Testing

/// The server of the core worlds promises what the real one does.
struct ModelServerTests {
    private static let isLong = ProcessInfo.processInfo.environment["ROOST_LONG_TESTS"] != nil
    private static let runs: UInt64 = isLong ? 800 : 8

    @Test(arguments: 0..<4)
    func `the model of the server answers and publishes as the real one`(
        _ group: UInt64
    ) async throws {
        for seed in 0..<Self.runs {
            let difference = try await onThread {
                Result {
                    try ServerContract.firstDifference(seed: group * 10_000 + seed, steps: 120)
                }
            }.get()
            #expect(difference == nil)
            if difference != nil { return }
        }
    }
}
