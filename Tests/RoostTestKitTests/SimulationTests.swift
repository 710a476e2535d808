// SPDX-License-Identifier: Apache-2.0

import RoostTestKit
import RoostTestSupport
import Testing

/// Random lives, of which `roost simulate` lives longer ones; see `docs/simulation.md`.
///
/// One after the other, because a life keeps its thread to itself and other tests need one too.
@Suite(.serialized)
struct SimulationTests {
    /// Lives that broke a promise once; what they found stands in `docs/simulation.md`.
    private static let scarred: [(seed: UInt64, steps: Int)] = [
        (114, 300), (151, 300), (20_066, 300), (20_174, 100), (20_350, 100),
    ]

    /// Drawn anew for each run of the suite; the failure names the seed.
    private static let fresh = {
        var random = SystemRandomNumberGenerator()
        let first = UInt64.random(in: 1_000_000...1_000_000_000, using: &random)
        print("SimulationTests live from seed \(first)")
        return first
    }()

    private static func live(
        _ seed: UInt64, steps: Int = 60, keepsTrace: Bool = false
    ) throws -> Simulation.Report {
        let folder = try TemporaryFolder(inMemory: true)
        var shape = Simulation.Shape()
        shape.steps = steps
        return Simulation.run(seed: seed, shape, folder: folder.path, keepsTrace: keepsTrace)
    }

    @Test(arguments: 0..<20)
    func `in any life every promise is kept (scars 1 to 33, 55 to 60, 79 to 135)`(
        group: UInt64
    ) throws {
        for seed in (0..<10).map({ Self.fresh + group * 10 + $0 }) {
            let report = try Self.live(seed)
            #expect(report.failure == nil, "roost simulate --steps 60 --seed \(seed) --trace")
        }
    }

    @Test(arguments: scarred)
    func `a life that once broke a promise keeps it`(seed: UInt64, steps: Int) throws {
        #expect(try Self.live(seed, steps: steps).failure == nil)
    }

    @Test func `the same seed is the same life, to the last word`() throws {
        let first = try Self.live(7, keepsTrace: true)
        let second = try Self.live(7, keepsTrace: true)
        #expect(first.trace.count > 500)
        #expect(first.trace == second.trace)
        #expect(first.jobs == second.jobs)
    }
}
