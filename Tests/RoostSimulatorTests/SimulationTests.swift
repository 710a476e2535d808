// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostDiskSimulation
import RoostSimulator
import RoostTestSupport
import Testing

/// Random runs of full worlds, of which `roost-simulate` has longer ones; see `docs/simulation.md`.
///
/// `./test --ci` has 300 more, optimised.
///
/// The runs go one after another, each on a thread of its own. A run blocks its thread, and all
/// other tests share the pool, which has one thread for each core.
@Suite(.serialized)
struct SimulationTests {
    /// The first seed, the same each time unless `ROOST_SEEDS` names another.
    ///
    /// `./test --ci` and `roost-simulate` run fresh seeds.
    private static let first: UInt64 =
        ProcessInfo.processInfo.environment["ROOST_SEEDS"].flatMap(UInt64.init) ?? 1

    private static func live(
        _ seed: UInt64, steps: Int = 40, keepsTrace: Bool = false, in folder: String? = nil
    ) async throws -> RunReport {
        let temporary = try TemporaryFolder(inMemory: true)
        var shape = WorldShape()
        shape.steps = steps
        let (chosen, path) = (shape, folder ?? temporary.path)
        return await withCheckedContinuation { continuation in
            Thread.run {
                continuation.resume(
                    returning: Simulation.run(
                        seed: seed, chosen, folder: path, keepsTrace: keepsTrace))
            }
        }
    }

    private static let groupSize: UInt64 = Sample.isWhole ? 10 : 2

    @Test(arguments: 0..<20)
    func `a full world keeps its invariants`(
        group: UInt64
    ) async throws {
        for seed in (0..<Self.groupSize).map({ Self.first + group * Self.groupSize + $0 }) {
            let report = try await Self.live(seed)
            #expect(report.failure == nil, "roost-simulate --steps 40 --seed \(seed) --trace")
        }
    }

    @Test func `the same seed is the same run, to the last word`() async throws {
        let first = try await Self.live(7, keepsTrace: true)
        let second = try await Self.live(7, keepsTrace: true)
        #expect(first.trace.count > 400)
        #expect(first.trace == second.trace)
        #expect(first.work == second.work)
    }

    @Test func `a finished run leaves no database open`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        for seed in UInt64(1)...8 {
            let disks = folder.path + "/\(seed)"
            _ = try await Self.live(seed, steps: 60, in: disks)
            #expect(SimulatedDisk.count(in: disks + "/") == 0, "seed \(seed)")
            // A disk of the world's folder is counted as long as it is in use.
            let places = try FileManager.default.contentsOfDirectory(atPath: disks)
            let place = try #require(places.first)
            let disk = SimulatedDisk(disks + "/" + place)
            #expect(SimulatedDisk.count(in: disks + "/") == 1)
            withExtendedLifetime(disk) {}
        }
    }
}
