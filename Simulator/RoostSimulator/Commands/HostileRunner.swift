// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

/// A runner of hostile scenes that reports its progress.
struct HostileRunner: Sendable {
    let keepsTrace: Bool
    let stopsAtFailure: Bool
    private let watch = StopWatch()

    init(keepsTrace: Bool, stopsAtFailure: Bool) {
        self.keepsTrace = keepsTrace
        self.stopsAtFailure = stopsAtFailure
    }

    /// Runs the scenes and returns the seeds whose scenes broke an invariant.
    func run(_ seeds: Range<UInt64>, atOnce count: Int) async -> [UInt64] {
        var failed: [UInt64] = []
        var (done, rate, longest) = (0, 0.0, Duration.zero)
        var lastReport = Duration.zero
        await withTaskGroup(of: HostileScene.Report.self) { group in
            var left = seeds
            for _ in 0..<count { if let seed = left.popFirst() { group.addTask { play(seed) } } }
            for await report in group {
                done += 1
                rate = max(rate, report.rate)
                longest = max(longest, report.longestCall)
                if let failure = report.failure {
                    failed.append(report.seed)
                    StandardOutput.writeNow(
                        Style.standardOutput(.bad, "seed \(report.seed)")
                            + "  \(failure) (\(report.mood))")
                }
                if stopsAtFailure, !failed.isEmpty { left = left.upperBound..<left.upperBound }
                if let seed = left.popFirst() { group.addTask { play(seed) } }
                let isLast = done == seeds.count
                guard isLast || watch.elapsed - lastReport > .seconds(10) else { continue }
                lastReport = watch.elapsed
                StandardError.write(
                    "simulate: \(done) of \(seeds.count) hostile scenes, \(failed.count) failed; the "
                        + "busiest minute had \((rate * 100).rounded() / 100) requests a second, the "
                        + "longest call took \(longest)")
            }
        }
        return failed.sorted()
    }

    private func play(_ seed: UInt64) -> HostileScene.Report {
        HostileScene.run(seed: seed) { line in
            if keepsTrace { StandardOutput.writeNow(line) }
        }
    }
}
