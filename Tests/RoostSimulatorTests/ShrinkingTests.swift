// SPDX-License-Identifier: Apache-2.0

import RoostSimulator
import RoostTestSupport
import Testing

/// The search for a short failing run, with runs that are made up.
struct ShrinkingTests {
    /// Returns the result of a run that fails if it has all of some steps.
    private static func report(_ steps: Set<Int>, fails needed: Set<Int>) -> RunReport {
        let fails = needed.isSubset(of: steps)
        return RunReport(
            seed: 1, steps: 59, work: steps.count,
            failure: fails ? "broken with \(steps.count)" : nil)
    }

    @Test(arguments: [[3], [0, 59], [7, 8, 40], Set(0..<60)] as [Set<Int>])
    func `a failing run shrinks to the steps that it needs`(_ needed: Set<Int>) throws {
        let whole = Self.report(Set(0..<60), fails: needed)
        let shrinking = try #require(
            Shrinking(whole) { Self.report($0, fails: needed) })
        #expect(shrinking.steps == needed.sorted())
        #expect(shrinking.failure == "broken with \(needed.count)")
        #expect(shrinking.runs <= 300)
    }

    @Test func `the search ends after its limit of runs`() throws {
        let needed = Set(stride(from: 0, to: 60, by: 2))
        let whole = Self.report(Set(0..<60), fails: needed)
        let shrinking = try #require(
            Shrinking(whole, atMost: 10) { Self.report($0, fails: needed) })
        #expect(shrinking.runs == 10)
        #expect(needed.isSubset(of: shrinking.steps))
    }

    @Test func `a run that keeps its invariants has nothing to shrink`() {
        let whole = Self.report([], fails: [1])
        #expect(Shrinking(whole) { Self.report($0, fails: [1]) } == nil)
    }

    @Test(arguments: [
        (KeptRun(.core, seed: 17, of: 60, steps: [3, 9]), "core, seed: 17, of: 60, steps: [3, 9]"),
        (KeptRun(.full, seed: 5, of: 40), "full, seed: 5, of: 40"),
        (KeptRun(.full, seed: 5, of: 40, actions: 72), "full, seed: 5, of: 40, actions: 72"),
    ])
    func `a kept run prints as Swift`(_ kept: KeptRun, _ text: String) {
        #expect("\(kept)" == "KeptRun(.\(text))")
    }

    @Test(arguments: World.allCases)
    func `a run shrinks to the steps of a planted fault, and fails the same way when it is kept`(
        _ world: World
    ) async throws {
        var shape = WorldShape()
        shape.steps = 24
        shape.plantedFault = PlantedFault("sendElsewhere", "openTimeline")
        let chosen = shape
        let (seed, shrinking) = try #require(
            try await onThread { Result { try Self.shrink(world, chosen) } }.get())
        #expect(shrinking.steps.count == 2)
        let run = KeptRun(
            world, seed: seed, of: shape.steps, steps: shrinking.steps,
            actions: shape.actions)
        let line = "\(run)"

        // The line as the compiler reads it.
        let form =
            #/KeptRun\(\.(\w+), seed: (\d+), of: (\d+), steps: \[([\d, ]+)\], actions: (\d+)\)/#
        let parts = try #require(try form.wholeMatch(in: line)).output
        let kept = KeptRun(
            try #require(World(rawValue: String(parts.1))), seed: try #require(UInt64(parts.2)),
            of: try #require(Int(parts.3)),
            steps: parts.4.split(separator: ", ").compactMap { Int($0) },
            actions: Int(parts.5))
        let folder = try TemporaryFolder(inMemory: true)
        let report = await onThread { kept.run(chosen, folder: folder.path) }
        #expect(report.failure == shrinking.failure)
        #expect(report.failure?.hasSuffix("has taken sendElsewhere and openTimeline") == true)

        // Without the fault the same steps break nothing.
        let sound = await onThread { kept.run(folder: folder.path + "/sound") }
        #expect(sound.failure == nil)
    }

    /// Shrinks the first run that takes the actions of the planted fault.
    private static func shrink(
        _ world: World, _ shape: WorldShape
    ) throws -> (seed: UInt64, shrinking: Shrinking)? {
        let folder = try TemporaryFolder(inMemory: true)
        var runs = 0
        for seed in 1...50 as ClosedRange<UInt64> {
            func run(_ steps: Set<Int>?) -> RunReport {
                runs += 1
                return world.run(
                    seed: seed, shape, keeping: steps, folder: "\(folder.path)/\(runs)")
            }
            let shrinking = Shrinking(run(nil)) { run($0) }
            if let shrinking { return (seed, shrinking) }
        }
        return nil
    }
}
