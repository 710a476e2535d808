// SPDX-License-Identifier: Apache-2.0

import RoostSimulator
import RoostTestSupport
import Testing

/// Clients of hostile servers; `roost-simulate --hostile` plays many more scenes.
@Suite(.serialized)
struct HostileTests {
    /// Scenes that broke an invariant once.
    private static let scarred: [UInt64] = [6, 10, 12, 44, 70]

    private static func play(
        _ seed: UInt64, _ traits: [HostileTrait]? = nil
    ) async -> HostileScene.Report {
        await withCheckedContinuation { continuation in
            Thread.run {
                continuation.resume(returning: HostileScene.run(seed: seed, traits: traits))
            }
        }
    }

    @Test(arguments: HostileTrait.allCases)
    func `a client bears a server with one bad trait`(trait: HostileTrait) async {
        let report = await Self.play(7, [trait])
        #expect(report.failure == nil, "\(trait)")
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a client bears a server with several bad traits`(seed: UInt64) async {
        let report = await Self.play(seed)
        #expect(report.failure == nil, "roost-simulate --hostile --seed \(seed): \(report.mood)")
    }

    @Test(arguments: scarred)
    func `a scene that once broke an invariant keeps it`(seed: UInt64) async {
        let report = await Self.play(seed)
        #expect(report.failure == nil, "\(report.mood)")
    }
}
