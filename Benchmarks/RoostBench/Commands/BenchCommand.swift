// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

extension Option {
    static let messages = Option(
        "messages", .number(placeholder: "N", 1_000...10_000_000), standard: "1000000",
        help: "messages of the large cache")
    static let only = Option(
        "only", .text(placeholder: "LIST"),
        help: "only these, such as W1,W3; also scaling and memory")
    static let sizes = Option(
        "sizes", .text(placeholder: "LIST"),
        help: "measure costs over these numbers of messages instead, such as 10000,100000")
}

extension Command {
    static let benchCache = bench(
        "cache", measures: "the cache against a plain C program on SQLite",
        explanation: """
            Runs the workloads W1 to W8 of docs/benchmarks.md on our cache and on the leanest C program that
            can do them, by turns and with the same data, and prints the costs and their ratio. Peers, which
            are other ways to keep a cache, take turns of their own where they can do it. With --sizes it
            measures openings, pages, live messages, bytes and searches (W2, W3, W4, W6, W8) in caches of
            several sizes instead. Needs a gigabyte of disk and some minutes; reports its steps on standard
            error. A missed target is a figure, not a failure.
            """,
        options: [.messages, .only, .sizes, .rounds],
        example: "roost-bench cache --only W1,W3 --messages 100000",
        prepare: { arguments, folder throws(CommandFailure) in
            var options = CacheBench.Options(folder: folder.path)
            options.workloads = try workloads(arguments.text(.only))
            if let messages = arguments.number(.messages) { options.messages = messages }
            if let rounds = arguments.number(.rounds) { options.rounds = rounds }
            if let list = arguments.text(.sizes) {
                options.sizes = try sizes(list)
                guard !options.workloads.isDisjoint(with: CacheBench.sized) else {
                    throw CommandFailure(
                        .wrongArguments, "--sizes measures W2, W3, W4, W6 and W8 only.")
                }
            }
            return { [options] progress throws(BenchError) in
                try await CacheBench.run(options, progress: progress)
            }
        })

    /// Returns the numbers of messages of a list, the least one first.
    static func sizes(_ list: String) throws(CommandFailure) -> [Int] {
        try wholeNumbers(
            list, in: 100...10_000_000, of: .sizes,
            wanted: "numbers of messages such as 10000,100000")
    }

    /// Returns the numbers of a list, the least one first and each once.
    static func wholeNumbers(
        _ list: String, in range: ClosedRange<Int>, of option: Option, wanted: String
    ) throws(CommandFailure) -> [Int] {
        let words = list.split(separator: ",", omittingEmptySubsequences: false)
        let numbers = words.compactMap { Int($0) }.filter(range.contains)
        guard numbers.count == words.count else {
            throw CommandFailure(
                .wrongArguments,
                "--\(option.name) wants \(wanted), each from \(range.lowerBound) to "
                    + "\(range.upperBound), not “\(list)”.")
        }
        return Set(numbers).sorted()
    }

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
