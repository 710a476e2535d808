// SPDX-License-Identifier: Apache-2.0

import RoostSimulator
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

    @Test func `a short run prints as a test to paste`() {
        var shape = WorldShape()
        shape.steps = 60
        #expect(
            World.core.test(of: 17, shape, keeping: [3, 9])
                == """
                @Test
                func `seed 17 of the core worlds keeps its invariants`() async throws {
                    try await expectInvariants(.core, seed: 17, of: 60, steps: [3, 9])
                }
                """)
    }
}
