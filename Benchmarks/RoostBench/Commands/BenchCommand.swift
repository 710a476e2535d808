// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

extension Option {
    static let json = Option("json", help: "print the figures as one JSON object")
    static let messages = Option(
        "messages", .number(placeholder: "N", 1_000...10_000_000), standard: "1000000",
        help: "messages of the large cache")
    static let only = Option(
        "only", .text(placeholder: "LIST"),
        help: "only these, such as W1,W3; also scaling and memory")
    static let rounds = Option(
        "rounds", .number(placeholder: "N", 1...100), standard: "3",
        help: "number of measurements; the figures are medians")
    static let benchFolder = Option(
        "folder", .text(placeholder: "DIR"),
        help: "folder of the databases during the run; the system's temporary folder by default")
}

extension Command {
    static let benchCache = Command(
        "cache", summary: "measures the cache against a plain C program on SQLite",
        explanation: """
            Runs the workloads W1 to W8 of docs/benchmarks.md on our cache and on the leanest C program that
            can do them, by turns and with the same data, and prints the costs and their ratio. Needs a
            gigabyte of disk and some minutes; reports its steps on standard error. A missed target is a
            figure, not a failure.
            """,
        options: [.json, .messages, .only, .rounds, .benchFolder],
        example: "roost-bench cache --only W1,W3 --messages 100000",
        exitCodes: [.done, .failed, .wrongArguments, .storage],
        run: { arguments throws(CommandFailure) in
            let workloads = try workloads(arguments.text(.only))
            let made =
                arguments.has(.benchFolder) ? nil : try TemporaryFolder(named: "roost-bench")
            let folder = made?.path ?? arguments.requiredText(.benchFolder)
            var options = CacheBench.Options(folder: folder)
            options.workloads = workloads
            if let messages = arguments.number(.messages) { options.messages = messages }
            if let rounds = arguments.number(.rounds) { options.rounds = rounds }
            let outcome: Result<BenchReport, BenchError>
            do throws(BenchError) {
                outcome = .success(
                    try await CacheBench.run(options) { StandardError.write("bench: \($0)") })
            } catch {
                outcome = .failure(error)
            }
            made?.remove()
            switch outcome {
            case .success(let report):
                StandardOutput.writeNow(arguments.has(.json) ? report.json : report.table)
            case .failure(let error): throw CommandFailure(.failed, error.message)
            }
        })

    /// Returns the workloads of a list; all of them without a list.
    private static func workloads(
        _ list: String?
    ) throws(CommandFailure) -> Set<CacheBench.Workload> {
        guard let list else { return Set(CacheBench.Workload.allCases) }
        var workloads: Set<CacheBench.Workload> = []
        for word in list.split(separator: ",") {
            let found = CacheBench.Workload.allCases.first {
                $0.rawValue.lowercased() == word.lowercased()
            }
            guard let found else {
                let names = CacheBench.Workload.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandFailure(
                    .wrongArguments, "There is no workload “\(word)”; there are \(names).")
            }
            workloads.insert(found)
        }
        return workloads
    }
}
