// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine

extension Option {
    static let benchRoost = Option(
        "roost", .text(placeholder: "PATH"),
        help: "the command whose servers are measured; by default the one next to this program")
    static let hostCounts = Option(
        "hosts", .text(placeholder: "LIST"), standard: "1,2,3",
        help: "numbers of servers, each measured; faults and latency with the greatest")
    static let clusterSeconds = Option(
        "seconds", .number(placeholder: "N", 1...3_600), standard: "10",
        help: "length of each measurement")
    static let rate = Option(
        "rate", .number(placeholder: "N", 1...100_000), standard: "500",
        help: "messages a second for the latency from server to server")
    static let window = Option(
        "window", .number(placeholder: "N", 1...1_000), standard: "2",
        help: "unanswered messages of each of the 200 users, for the throughput")
}

extension Command {
    static let benchCluster = bench(
        "cluster", measures: "several servers on one PostgreSQL and NATS",
        explanation: """
            Starts PostgreSQL with a synchronous standby, NATS and servers as processes of their own, and ends
            them. Measures accepted messages by the number of servers beside the embedded server, the latency
            from one server to another, and the time until all is well after the death of the bus, of the
            primary and of a server. The limits are rows by plain libpq on the same tables, and the same bytes
            through plain NATS. Needs both programs (scripts/setup --cluster) and both products:
            swift build -c release --product roost, and the same with roost-bench.
            """,
        options: [
            .benchRoost, .hostCounts, .clusterSeconds, .rate, .window,
        ],
        example: "roost-bench cluster --hosts 1,3 --seconds 5",
        prepare: { arguments, folder throws(CommandFailure) in
            let counts = try hostCounts(arguments.requiredText(.hostCounts))
            var options = ClusterBench.Options(
                roost: try roost(arguments.text(.benchRoost)), folder: folder.path)
            options.hosts = counts
            options.seconds = arguments.number(.clusterSeconds) ?? options.seconds
            options.rate = arguments.number(.rate) ?? options.rate
            options.window = arguments.number(.window) ?? options.window
            if folder.isOwn { try openForOthers(folder.path) }
            return { [options] progress throws(BenchError) in
                try await ClusterBench.run(
                    options, token: TemporaryFolder.makeSecret(), progress: progress)
            }
        })

    /// Returns the numbers of servers, the least one first.
    static func hostCounts(_ list: String) throws(CommandFailure) -> [Int] {
        try wholeNumbers(list, in: 1...16, of: .hostCounts, wanted: "numbers such as 1,2,3")
    }

    /// Lets PostgreSQL, which runs as a user of its own, pass through a folder.
    private static func openForOthers(_ folder: String) throws(CommandFailure) {
        do {
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o711], ofItemAtPath: folder)
        } catch {
            throw CommandFailure(.storage, "\(folder) cannot be opened for PostgreSQL: \(error)")
        }
    }

    /// Returns the path of the command `roost`.
    private static func roost(_ path: String?) throws(CommandFailure) -> String {
        let own = URL(fileURLWithPath: Machine.program).deletingLastPathComponent()
        let url = path.map { URL(fileURLWithPath: $0) } ?? own.appendingPathComponent("roost")
        guard FileManager.default.isExecutableFile(atPath: url.path) else {
            throw CommandFailure(
                .wrongArguments,
                "There is no program \(url.path): build it with swift build -c release "
                    + "--product roost, or name it in --roost.")
        }
        return url.path
    }
}
