// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSimulator
import RoostTestSupport
import Testing

/// Random runs of the clients' decisions, of which `roost-simulate --core` has many more;
/// `./test --ci` runs 1,000, optimised.
struct CoreWorldTests {
    /// The first seed, the same each time unless `ROOST_SEEDS` names another.
    ///
    /// `./test --ci` and `roost-simulate` run fresh seeds.
    private static let first: UInt64 =
        ProcessInfo.processInfo.environment["ROOST_SEEDS"].flatMap(UInt64.init) ?? 1

    /// The runs of a group; a run of a debug build takes about a fifth of a second.
    private static let groupSize: UInt64 = Sample.isWhole ? 200 : 3

    private static func run(
        _ seed: UInt64, keeping steps: Set<Int>? = nil, keepsTrace: Bool = false
    ) -> RunReport {
        var shape = WorldShape()
        shape.steps = 60
        return CoreWorld.run(seed: seed, shape, keeping: steps, keepsTrace: keepsTrace)
    }

    @Test(arguments: 0..<10)
    func `a core world keeps its invariants`(_ group: UInt64) async {
        for seed in (0..<Self.groupSize).map({ Self.first + group * Self.groupSize + $0 }) {
            let report = await onThread { Self.run(seed) }
            #expect(report.failure == nil, "roost-simulate --core --steps 60 --seed \(seed)")
        }
    }

    @Test func `the same seed is the same run, to the last word`() async {
        let reports = await onThread { (0..<2).map { _ in Self.run(7, keepsTrace: true) } }
        #expect(reports[0].trace.count > 300)
        #expect(reports[0].trace == reports[1].trace)
        #expect(reports[0].work == reports[1].work)
    }

    @Test func `a step takes the same action whatever steps were left out`() async throws {
        let reports = await onThread {
            [Set(0..<60), [30]].map { Self.run(11, keeping: $0, keepsTrace: true) }
        }
        let actions = reports.map { report in
            report.trace.first { $0.hasPrefix("30 ") && $0.contains(" * ") }?.split(separator: "*")
                .last
        }
        #expect(try #require(actions[0]) == #require(actions[1]))
    }
}

/// Runs long work on a thread of its own, because all tests share the pool's few.
func onThread<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value
) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.run { continuation.resume(returning: work()) }
    }
}
