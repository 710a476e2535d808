// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

/// A runner of comparisons between the real store and the reference store that reports its
/// progress.
struct StoreRunner: Sendable {
    /// The commits of each comparison.
    let commits: Int
    let stopsAtFailure: Bool

    /// Runs the comparisons and returns the seeds with a difference.
    func run(_ seeds: Range<UInt64>) async -> [UInt64] {
        var failed: [UInt64] = []
        var done = 0
        for seed in seeds {
            done += 1
            if let difference = await firstDifference(seed) {
                failed.append(seed)
                StandardOutput.writeNow(
                    Style.standardOutput(.bad, "seed \(seed)") + "  \(difference)")
                if stopsAtFailure { break }
            }
        }
        StandardError.write(
            "simulate: \(done) of \(seeds.count) comparisons of \(commits) commits, "
                + "\(failed.count) with a difference")
        return failed
    }

    private func firstDifference(_ seed: UInt64) async -> String? {
        do {
            return try await StoreContract.firstDifference(seed: seed, commits: commits)
        } catch {
            return "the store failed: \(error)"
        }
    }
}
