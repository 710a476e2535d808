// SPDX-License-Identifier: Apache-2.0

import RoostSimulator
import RoostTestSupport
import Testing

/// Clients of hostile servers; `roost-simulate --hostile` plays many more scenes, and `./test --ci`
/// 100 of them, optimised.
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

    /// Each trait: two in a scene, or one in a long run.
    private static let traits: [[HostileTrait]] = {
        let all = HostileTrait.allCases
        let size = Sample.isWhole ? 1 : 2
        return stride(from: 0, to: all.count, by: size).map {
            Array(all[$0..<min($0 + size, all.count)])
        }
    }()

    @Test(arguments: traits)
    func `a client bears a server with few bad traits`(traits: [HostileTrait]) async {
        let report = await Self.play(7, traits)
        #expect(report.failure == nil, "\(traits)")
    }

    @Test(arguments: Sample.of([UInt64](1...20), quick: 4))
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
