// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

/// A runner of simulations that reports its progress.
struct SeedRunner: Sendable {
    let world: World
    let shape: WorldShape
    let folder: TemporaryFolder
    let keepsTrace: Bool
    let stopsAtFailure: Bool
    let shrinks: Bool
    /// The steps to take of each run; nil takes all.
    let only: Set<Int>?
    private let watch = StopWatch()

    /// The seeds that one task runs without a return: a core world's run is too short for a task of
    /// its own.
    private var seedsPerTask: Int { world == .core ? 50 : 1 }

    /// Runs the seeds that a book lacks, block by block, and returns all that broke an invariant.
    func run(
        _ seeds: Range<UInt64>, atOnce count: Int, in file: RunBookFile
    ) async throws(CommandFailure) -> [UInt64] {
        var file = file
        var lastReport = Duration.zero
        StandardError.write("simulate: so far \(file.book.summary)")
        while let block = file.book.next(in: seeds, atMost: world == .core ? 2_000 : 100) {
            let before = watch.elapsed
            let (failed, work) = await runAll(block, atOnce: count, reportsProgress: false)
            let taken = Int((watch.elapsed - before) / .milliseconds(1))
            try file.note(
                RunBook.Block(seeds: block, milliseconds: taken, work: work, broken: failed))
            if stopsAtFailure, !failed.isEmpty { break }
            guard watch.elapsed - lastReport > .seconds(10) else { continue }
            lastReport = watch.elapsed
            StandardError.write("simulate: so far \(file.book.summary)")
        }
        StandardOutput.writeNow(file.book.summary)
        return file.book.broken.filter { seeds.contains($0) }
    }

    /// Runs the seeds and returns those that broke an invariant.
    func run(_ seeds: Range<UInt64>, atOnce count: Int) async -> [UInt64] {
        await runAll(seeds, atOnce: count, reportsProgress: true).failed
    }

    private func runAll(
        _ seeds: Range<UInt64>, atOnce count: Int, reportsProgress: Bool
    ) async -> (failed: [UInt64], work: Int) {
        var failed: [UInt64] = []
        var done = 0
        var work = 0
        let began = watch.elapsed
        var lastReport = began
        await withTaskGroup(of: [RunReport].self) { group in
            var left = seeds
            func addTask() {
                let some = left.prefix(seedsPerTask)
                left = left.dropFirst(seedsPerTask)
                guard !some.isEmpty else { return }
                group.addTask { some.map { run($0) } }
            }
            for _ in 0..<count { addTask() }
            for await reports in group {
                for report in reports {
                    done += 1
                    work += report.work
                    for line in report.trace { StandardOutput.writeNow(line) }
                    guard let failure = report.failure else { continue }
                    failed.append(report.seed)
                    StandardOutput.writeNow(
                        Style.standardOutput(.bad, "seed \(report.seed)") + "  \(failure)")
                    if shrinks, only == nil { shrink(report) }
                }
                if stopsAtFailure, !failed.isEmpty { left = left.upperBound..<left.upperBound }
                addTask()
                let isLast = done == seeds.count
                guard reportsProgress, isLast || watch.elapsed - lastReport > .seconds(10) else {
                    continue
                }
                lastReport = watch.elapsed
                let seconds = max(0.001, (watch.elapsed - began) / .seconds(1))
                StandardError.write(
                    "simulate: \(done) of \(seeds.count) runs of \(shape.steps) steps, "
                        + "\(failed.count) failed; a minute has \(Int(Double(done) / seconds * 60)) "
                        + "runs, a second \(Int(Double(work) / seconds)) \(world.unitOfWork)")
            }
        }
        return (failed.sorted(), work)
    }

    private func run(_ seed: UInt64, keeping steps: Set<Int>? = nil) -> RunReport {
        let disks = folder.path + "/\(seed)"
        defer { TemporaryFolder.remove(disks) }
        return world.run(
            seed: seed, shape, keeping: steps ?? only, folder: disks,
            keepsTrace: keepsTrace && steps == nil)
    }

    /// Prints a short part of a failing run, as the tests keep it.
    private func shrink(_ report: RunReport) {
        guard let shrinking = Shrinking(report, { run(report.seed, keeping: $0) }) else { return }
        StandardOutput.writeNow(
            "  \(shrinking.steps.count) of its \(report.steps + 1) steps fail too "
                + "(\(shrinking.runs) runs): \(shrinking.failure)")
        let kept = KeptRun(
            world, seed: report.seed, of: shape.steps, steps: shrinking.steps,
            actions: shape.actions)
        StandardOutput.writeNow("  Keep it in Tests/RoostSimulatorTests/Seeds.swift:")
        StandardOutput.writeNow("        \(kept),")
    }
}
