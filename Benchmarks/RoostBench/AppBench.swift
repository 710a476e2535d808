// SPDX-License-Identifier: Apache-2.0

internal import RoostModel

/// The cache as an app meets it: public types in a fresh process.
///
/// Each figure comes from processes of their own, which this program starts as its children. The
/// limit runs in such a child too, so both sides pay for the start of the process.
package struct AppBench {
    package struct Options: Sendable {
        /// The number of messages in the cache.
        package var messages = 100_000
        /// The number of processes of each side for the opening.
        package var openings = 40
        /// The number of processes of each side for live messages and for pages.
        package var rounds = 3
        /// The number of live messages and of pages in each process.
        package var samples = 1_000
        package var seed: UInt64 = 1
        /// The folder of the databases during the run.
        package var folder: String

        package init(folder: String) { self.folder = folder }
    }

    private let options: Options
    private let program: String
    private let tell: @Sendable (String) -> Void
    private var report = BenchReport()

    private var fixture: Fixture { Fixture(folder: options.folder, name: "app") }

    /// Runs the measurements.
    ///
    /// - Parameters:
    ///   - options: The lengths of the measurements.
    ///   - program: The path of this program, which the children run.
    ///   - progress: Receives a sentence for each step.
    /// - Returns: The figures; a missed target is one of them, and no error.
    /// - Throws: An error if the folder cannot be used, or a child fails.
    package static func run(
        _ options: Options, program: String, progress: @escaping @Sendable (String) -> Void
    ) async throws(BenchError) -> BenchReport {
        try Machine.makeFolder(options.folder)
        var bench = AppBench(options: options, program: program, tell: progress)
        bench.report.note("machine", Machine.description)
        bench.report.note("load average at the start", Machine.load.map { "\($0)" } ?? "unknown")
        bench.report.note(
            "fdatasync of 4 KiB", "\(Int(try Machine.diskWait(in: options.folder))) µs")
        bench.report.note(
            "both sides", "a process of its own for each round; synchronous NORMAL, search index")
        let data = try ServerData(seed: options.seed, messages: options.messages)
        try await CacheBench(
            options: CacheBench.Options(folder: options.folder), tell: progress, data: data
        ).build(bench.fixture, data, withSearch: true)
        try bench.measureOpening(of: data.url(0))
        try bench.measurePages()
        try bench.measureLive()
        bench.fixture.remove()
        return bench.report
    }

    private mutating func measureOpening(of channel: String) throws(BenchError) {
        tell("opening: \(options.openings) processes of each side")
        var figures: [AppTask: (fromStart: [Double], fromCall: [Double])] = [:]
        for _ in 0..<options.openings {
            for task in [AppTask.openClient, .openStore, .openLimit] {
                let found = try child(task, channel: channel)
                figures[task, default: ([], [])].fromStart.append(found.end - found.begin)
                figures[task, default: ([], [])].fromCall.append(found.end - found.call)
            }
        }
        for (task, name) in [(AppTask.openClient, "client"), (.openStore, "store")] {
            guard let ours = figures[task], let limit = figures[.openLimit] else { continue }
            report.add(
                "opening", "\(name): open, 20 channels, 30 messages, in a fresh process",
                "µs (p50)",
                ours: ours.fromCall.median, limit: limit.fromCall.median)
            report.add(
                "opening", "\(name): from the start of the process", "µs (p50)",
                ours: ours.fromStart.median, limit: limit.fromStart.median)
        }
    }

    private mutating func measurePages() throws(BenchError) {
        let name = "client: a page of 30 at random"
        try measure("pages", name, .pagesClient, .pagesLimit)
    }

    private mutating func measureLive() throws(BenchError) {
        let name = "client: frame to snapshot beside a reader; limit: its commit"
        try measure("live", name, .liveClient, .liveLimit)
    }

    private mutating func measure(
        _ workload: String, _ name: String, _ ours: AppTask, _ limit: AppTask
    ) throws(BenchError) {
        tell("\(workload): \(options.rounds) processes of each side")
        var samples: (ours: [Double], limit: [Double]) = ([], [])
        for round in 0..<options.rounds {
            let written = round * options.samples
            samples.ours += try child(ours, written: written).samples
            samples.limit += try child(limit, written: written).samples
        }
        report.add(
            workload, name, "µs (p50)", ours: samples.ours.median, limit: samples.limit.median)
        report.add(
            workload, name, "µs (p99)", ours: samples.ours.quantile(0.99),
            limit: samples.limit.quantile(0.99))
    }

    /// The moments of a child, in microseconds of the system's clock, and its figures.
    private struct Findings {
        let begin: Double
        let call: Double
        let end: Double
        let samples: [Double]
    }

    /// Runs a task in a process of its own.
    private func child(
        _ task: AppTask, channel: String = "none", written: Int = 0
    ) throws(BenchError) -> Findings {
        let begin = Stopwatch.now
        let lines = try ChildProcess.lines(
            of: program,
            [
                "child", task.rawValue, "--folder", options.folder, "--channel", channel,
                "--messages", "\(options.messages)", "--samples", "\(options.samples)",
                "--written", "\(written)",
            ])
        let numbers = lines.compactMap { Double($0) }
        guard numbers.count >= 2, numbers.count == lines.count else {
            throw BenchError("The process for \(task.rawValue) failed: \(lines)")
        }
        return Findings(
            begin: begin, call: numbers[0], end: numbers[1], samples: Array(numbers.dropFirst(2)))
    }
}
